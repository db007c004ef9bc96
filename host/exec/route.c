// SPDX-License-Identifier: Apache-2.0
//
// route: a stable counting sort of rows by shard, in three launches: each work-item counts its rows
// for each shard, the counts become positions, and each work-item places its rows.

#include "host/exec/route.h"

#include <inttypes.h>
#include <string.h>

#include "host/base/alloc.h"
#include "host/base/error.h"
#include "host/base/integers.h"

static void lower(clnd__problem problem, int adjust, clnd__move *move)
{
    const bool empty = clnd__problem_rows(&problem) == 0;
    if (empty)
        problem.n_outer = problem.n_coordinates = 0;
    else
        clnd__problem_fold(&problem);
    memset(move, 0, sizeof *move);
    clnd__lower(&problem, 1, move);
    move->args.adjust = adjust;
    if (empty)
        move->args.rows = 0;
}

// Work-items: as many as the device can use, so few that the counts are no more than the rows and
// fit the memory for them.
static clnd_status spread(const clnd__planner *planner, clnd__route_plan *plan)
{
    const clnd__tuning *tuning = planner->tuning;
    const bool lanes = clnd__takes_lanes(planner);
    const int64_t rows = plan->move.args.rows, some_rows = at_least(rows, 1);
    const int64_t most = clnd__most_steps(planner), shards = plan->layout.shards;
    const int64_t items = lanes ? tuning->gpu.route_items_per_unit : tuning->cpu.items_per_unit;
    const int64_t room = at_least(tuning->gpu.sort_bytes / (int64_t)sizeof(int64_t) / shards, 1);
    const int64_t useful = at_most(planner->facts->compute_units * items, room);
    const int64_t least = at_least(lanes ? tuning->gpu.route_rows : tuning->cpu.check_rows, shards);
    const int64_t each = at_most(at_least(divide_up(some_rows, useful), least), most);
    const int64_t local = lanes ? CLND_LANES : 1;
    const int64_t columns = divide_up(divide_up(some_rows, each), local) * local;
    if (shards > most || divide_up(columns, local) > most)
        return clnd__fail(CLND_UNSUPPORTED_DEVICE,
                          "the driver ends loops early, and %" PRId64 " rows for %" PRId64
                          " shards are too many for it",
                          rows, shards);
    // Neighbouring work-items of a group count side by side; others stay out of each other's lines.
    const int64_t line = tuning->cpu.line_bytes / (int64_t)sizeof(int64_t);
    plan->layout.columns = columns;
    plan->layout.column_step = lanes ? 1 : divide_up(shards, line) * line;
    plan->layout.shard_step = lanes ? columns + 1 : 1;
    plan->table_bytes =
        (uint64_t)((columns + 1) * (lanes ? shards : plan->layout.column_step)) * sizeof(int64_t);
    plan->move.args.rows_per_item = each;
    plan->move.global[0] = (size_t)columns;
    plan->move.global[1] = 1;
    plan->move.local = (size_t)local;
    return CLND_OK;
}

clnd_status clnd__route_plan_make(const clnd__planner *planner, clnd__problem problem, int adjust,
                                  const clnd_shards *shards, cl_mem indices, cl_mem positions,
                                  clnd__route_result places, clnd__route_result counts,
                                  clnd__route_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    lower(problem, adjust, &plan->move);
    clnd__move_set_kernel(&plan->move, "route", "route_count");
    plan->layout = (clnd_route_layout){.shards = shards->n_shards,
                                       .block = shards->block,
                                       .inner = 1,
                                       .places_offset = (clnd_i64)places.view->offset,
                                       .places_step = clnd__stride_bytes(places.view, 0),
                                       .counts_offset = (clnd_i64)counts.view->offset,
                                       .counts_step = clnd__stride_bytes(counts.view, 0)};
    // Of a table without elements every row is bad, and the product need not fit.
    bool empty = false;
    for (int d = 0; d < shards->n_dims; ++d)
        empty = empty || shards->shape[d] == 0;
    for (int d = shards->n_divided; d < shards->n_dims && !empty; ++d)
        plan->layout.inner *= shards->shape[d];
    plan->offsets = shards->block > 0 ? NULL : shards->offsets;
    // Without rows there are only counts; what is not looked at is bound to their buffer.
    plan->counts = counts.buffer;
    plan->indices = indices ? indices : counts.buffer;
    plan->positions = positions ? positions : counts.buffer;
    plan->places = places.buffer ? places.buffer : counts.buffer;
    return spread(planner, plan);
}

static clnd_status make_layout(clnd_engine *engine, clnd__route_plan *plan)
{
    const size_t offsets =
        plan->offsets ? ((size_t)plan->layout.shards + 1) * sizeof *plan->offsets : 0;
    const size_t size = sizeof plan->layout + offsets;
    unsigned char *content = clnd__allocate(size);
    if (!content)
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for the layout of %" PRId64 " shards",
                          (int64_t)plan->layout.shards);
    memcpy(content, &plan->layout, sizeof plan->layout);
    if (offsets)
        memcpy(content + sizeof plan->layout, plan->offsets, offsets);
    const clnd_status status = clnd__buffer_create(engine, size, content, &plan->layout_buffer);
    clnd__free(content);
    return status;
}

static clnd__move with_kernel(const clnd__route_plan *plan, const char *function)
{
    clnd__move move = plan->move;
    move.kernel.function = function;
    return move;
}

clnd_status clnd__route_prepare(clnd__call *call, clnd__route_plan *plan)
{
    const cl_mem buffers[] = {plan->indices, plan->positions, plan->places, plan->counts};
    const clnd__move scan = with_kernel(plan, "route_scan");
    const clnd__move place = with_kernel(plan, "route_place");
    clnd_status status = clnd__call_reach(call, sizeof buffers / sizeof *buffers, buffers);
    if (status || (status = clnd__call_prepare(call, &plan->move.kernel)) ||
        (status = clnd__call_prepare(call, &scan.kernel)) ||
        (status = clnd__call_prepare(call, &place.kernel)) ||
        (status = clnd__call_take_scratch(call, (size_t)plan->table_bytes, &plan->table)))
        return status;
    return make_layout(call->engine, plan);
}

clnd_status clnd__route_enqueue(clnd__call *call, const clnd__route_plan *plan)
{
    const cl_mem layout = plan->layout_buffer, table = plan->table.memory;
    const cl_mem counted[] = {plan->indices, layout, table}, scanned[] = {layout, table};
    const cl_mem placed[] = {plan->indices,   layout,       table,
                             plan->positions, plan->places, plan->counts};
    clnd__move scan = with_kernel(plan, "route_scan");
    const clnd__move place = with_kernel(plan, "route_place");
    scan.global[0] = (size_t)plan->layout.shards * scan.local;
    clnd_status status =
        clnd__move_enqueue(call, &plan->move, sizeof counted / sizeof *counted, counted);
    if (status == CLND_OK)
        status = clnd__move_enqueue(call, &scan, sizeof scanned / sizeof *scanned, scanned);
    if (status == CLND_OK)
        status = clnd__move_enqueue(call, &place, sizeof placed / sizeof *placed, placed);
    return status;
}

void clnd__route_finish(clnd__call *call, clnd_status status, clnd__route_plan *plan)
{
    clnd__call_return_scratch(call, status, &plan->table);
    clnd__buffer_release(plan->layout_buffer);
    plan->layout_buffer = NULL;
}
