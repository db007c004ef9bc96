// SPDX-License-Identifier: Apache-2.0
//
// buckets: owner for many rows, on CPUs. A first launch divides blocks of rows among the parts of
// the target by counting; in a second one, each work-item applies the rows of a part in order. The
// rows are taken in chunks, in order, so that the workspace has a bound.

#include "host/base/integers.h"
#include "host/exec/rows.h"
#include "host/exec/strategies/table.h"
#include "host/exec/updates.h"

// Bytes a row of the two lists in which rows are sorted that are rounded once.
enum { LISTS_ROW = 16 };

typedef struct bucket_plan {
    clnd_bucket_args args; // of the first chunk, but move.rows is the problem's
    int64_t chunk;         // rows, at most: whole blocks
    clnd__kernel_id divide, apply;
    bool rounded; // apply looks at no indices
} bucket_plan;

static bucket_plan *own(clnd__scatter_plan *plan)
{
    _Static_assert(sizeof(bucket_plan) <= CLND__STRATEGY_PLAN, "room for the plan");
    return (bucket_plan *)&plan->own;
}

// Of where parts begin in no blocks (starts_of() in buckets.clh).
static uint64_t parts_bytes(int64_t parts)
{
    return (uint64_t)(parts + 2) * CLND_BUCKET_APART * 4;
}

// Of a block's entries and of where parts begin in it.
static uint64_t block_bytes(int64_t parts)
{
    return CLND_BUCKET_BLOCK * 4 + (uint64_t)(parts + 2) * 4;
}

static uint64_t bytes_of(int64_t blocks, int64_t parts)
{
    return parts_bytes(parts) + (uint64_t)blocks * block_bytes(parts);
}

// Of a chunk of all rows and the lists in which they are sorted.
static uint64_t rounded_bytes(int64_t rows, int64_t parts)
{
    return bytes_of(divide_up(rows, CLND_BUCKET_BLOCK), parts) + (uint64_t)rows * LISTS_ROW;
}

// Of a float32 copy of the target and a chunk of one block.
static uint64_t least_wide_bytes(const clnd__scatter_case *c)
{
    const clnd__problem wide = clnd__wide_problem(c);
    return clnd__workspace_align(clnd__wide_bytes(c)) + bytes_of(1, clnd__parts_of(c, &wide).count);
}

// To sort the rows of a part costs as much for each row as a float32 copy for each element of the
// target; long rows save more. Where neither has room, what needs less of it.
static int sums_of(const clnd__scatter_case *c)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    if (!c->rounds_once)
        return CLND_SUMS_PLAIN;
    const bool pays = c->row_elements >= tuning->round_row_elements || c->rows <= c->elements;
    if (!pays || !clnd__parts_can_divide(c, c->problem) ||
        c->rows > tuning->round_bytes / LISTS_ROW)
        return CLND_SUMS_WIDE;
    const uint64_t bytes = rounded_bytes(c->rows, clnd__parts_of(c, c->problem).count);
    const bool fits = bytes <= c->room || bytes <= least_wide_bytes(c);
    return fits && bytes <= (uint64_t)tuning->round_bytes ? CLND_SUMS_ROUNDED : CLND_SUMS_WIDE;
}

static clnd__problem problem_of(const clnd__scatter_case *c, int sums)
{
    return sums == CLND_SUMS_WIDE ? clnd__wide_problem(c) : *c->problem;
}

static const char *why_not(const clnd__scatter_case *c)
{
    const clnd__problem problem = problem_of(c, sums_of(c));
    if (clnd__parts_can_divide(c, &problem))
        return NULL;
    return "cannot do this scatter: it is for CPUs whose compilers can cope with its kernels, "
           "contiguous columns, rows that lie evenly in the updates, and "
           "targets whose locations an entry has room for";
}

static const char *pays(const clnd__scatter_case *c)
{
    if (!c->facts->is_cpu || c->one_owner)
        return NULL;
    const int sums = sums_of(c);
    if (sums == CLND_SUMS_ROUNDED)
        return "a CPU: rows of one location are brought together and rounded once";
    const clnd__problem problem = problem_of(c, sums);
    return clnd__parts_pay(c, &problem) ? "a CPU: rows are divided among the threads first" : NULL;
}

static void name_apply(const clnd__scatter_case *c, int sums, const clnd__move *move,
                       clnd__kernel_id *kernel)
{
    const bool rounded = sums == CLND_SUMS_ROUNDED;
    const int64_t element = sums == CLND_SUMS_WIDE ? (int64_t)sizeof(float) : move->unit;
    clnd__move apply = *move;
    clnd__kernel_options *options = &apply.kernel.options;
    if (rounded) // it looks at neither indices nor rows' axes: one program for all of them
        apply.args.index_kind = apply.args.n_coordinates = apply.args.n_outer = 0;
    else
        clnd__rows_set_coordinates(c->planner, &apply);
    clnd__updates_set_options(c, sums, &apply);
    if (c->options.reduce == CLND_REDUCE_UPDATE)
        options->row = (int16_t)clnd__rows_bytes(c->planner, move);
    else if (clnd__rows_are_worth_it(c->planner, move))
        options->columns = (int16_t)clnd__rows_columns(c->planner, move, element);
    clnd__move_set_kernel(&apply, rounded ? "scatter_buckets_rounded" : "scatter_buckets_apply",
                          rounded ? "bucket_round" : "bucket_apply");
    *kernel = apply.kernel;
}

static void name_divide(const clnd__planner *planner, int sums, const clnd__move *move,
                        clnd__kernel_id *kernel)
{
    clnd__move divide = *move;
    clnd__rows_set_coordinates(planner, &divide);
    if (sums == CLND_SUMS_ROUNDED)
        divide.kernel.options.wide = CLND_SUMS_ROUNDED;
    clnd__move_set_kernel(&divide, "scatter_buckets", "bucket_rows");
    *kernel = divide.kernel;
}

// Sets the rows a chunk; returns the bytes that it takes, at least those of one block.
static uint64_t plan_chunk(const clnd__scatter_case *c, int sums, uint64_t room, bucket_plan *plan)
{
    const int64_t parts = plan->args.parts;
    if (sums == CLND_SUMS_ROUNDED) {
        plan->chunk = c->rows;
        return rounded_bytes(c->rows, parts);
    }
    const int64_t most = at_most(c->rows, c->planner->tuning->cpu.chunk_rows);
    const int64_t blocks = divide_up(most, CLND_BUCKET_BLOCK);
    const uint64_t beside = parts_bytes(parts);
    const uint64_t fit = room > beside ? (room - beside) / block_bytes(parts) : 0;
    const int64_t taken = fit < (uint64_t)blocks ? at_least((int64_t)fit, 1) : blocks;
    plan->chunk = taken * CLND_BUCKET_BLOCK;
    return bytes_of(taken, parts);
}

// What threads make zeros they write to soon after, so that it is still in their caches. No row may
// begin in one part and end in another, and parts must begin with words.
static bool zeroes_parts(const clnd__scatter_case *c, const clnd__parts *parts,
                         const clnd__move *move, bool wide)
{
    return c->options.zeros && !wide && clnd__rows_are_contiguous(move) &&
           c->alignment % sizeof(uint64_t) == 0 && move->args.columns * move->unit <= parts->step &&
           parts->first == c->begin && c->end - c->begin <= parts->count * parts->bytes;
}

static void plan_args(const clnd__scatter_case *c, const clnd__problem *problem,
                      const clnd__parts *parts, clnd__move *move, clnd_bucket_args *args)
{
    move->args.part_first = parts->first;
    move->args.part_bytes = parts->bytes;
    move->args.stream = clnd__updates_go_past_caches(c, move, true);
    *args = (clnd_bucket_args){.move = move->args, .parts = parts->count};
    args->move.lanes_shift = log2_up((uint64_t)parts->step);
    clnd__problem_rows_are_even(problem, &args->update_step);
}

static void plan(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    bucket_plan *buckets = own(plan);
    const int sums = sums_of(c);
    const clnd__problem problem = sums == CLND_SUMS_WIDE ? clnd__wide_plan(c, plan) : *c->problem;
    clnd__move move = {.local = 1};
    clnd__updates_lower(c, &problem, true, &move);
    move.args.columns_per_item = move.args.columns;
    const clnd__parts parts = clnd__parts_of(c, &problem);
    plan_args(c, &problem, &parts, &move, &buckets->args);
    const uint64_t before = clnd__workspace_align(plan->workspace.bytes);
    buckets->args.entries = clnd__workspace_offset(&plan->workspace) + (int64_t)before;
    plan->zeroes = zeroes_parts(c, &parts, &move, plan->wide);
    buckets->args.zero_bytes = plan->zeroes ? c->end - c->begin : 0;
    buckets->rounded = sums == CLND_SUMS_ROUNDED;
    plan->workspace.bytes =
        before + plan_chunk(c, sums, clnd__workspace_room(c->options.workspace, before), buckets);
    name_divide(c->planner, sums, &move, &buckets->divide);
    name_apply(c, sums, &move, &buckets->apply);
    if (c->rows <= buckets->chunk)
        plan->first = &buckets->args.move;
}

static clnd_status prepare(clnd__call *call, clnd__scatter_plan *plan)
{
    const clnd_status status = clnd__call_prepare(call, &own(plan)->divide);
    return status ? status : clnd__call_prepare(call, &own(plan)->apply);
}

static clnd_status launch(clnd__call *call, const clnd__kernel_id *kernel,
                          const clnd_bucket_args *args, int64_t items, int n_buffers,
                          const cl_mem *buffers)
{
    clnd__launch launch = {.kernel = *kernel,
                           .n_buffers = n_buffers,
                           .args = args,
                           .args_size = sizeof *args,
                           .global = {1, (size_t)items},
                           .local = 1};
    for (int i = 0; i < n_buffers; ++i)
        launch.buffers[i] = buffers[i];
    return clnd__call_launch(call, &launch);
}

static clnd_status divide(clnd__call *call, const clnd__scatter_plan *plan,
                          const clnd__kernel_id *kernel, const clnd_bucket_args *args)
{
    const int64_t blocks = divide_up(args->move.rows - args->move.first_row, CLND_BUCKET_BLOCK);
    return launch(call, kernel, args, blocks, 2,
                  (const cl_mem[]){plan->indices, plan->workspace.buffer});
}

// The rows from `first` on that are one chunk.
static clnd_bucket_args chunk_of(const bucket_plan *buckets, int64_t first)
{
    clnd_bucket_args args = buckets->args;
    if (first > 0)
        args.zero_bytes = 0;
    clnd__move_take_chunk(&args.move, first, buckets->chunk);
    return args;
}

static clnd_status enqueue_first(clnd__call *call, clnd__scatter_plan *plan)
{
    const clnd_bucket_args args = chunk_of(own(plan), 0);
    return divide(call, plan, &own(plan)->divide, &args);
}

static clnd_status apply(clnd__call *call, clnd__scatter_plan *plan, const clnd_bucket_args *args,
                         cl_mem data)
{
    return launch(call, &own(plan)->apply, args, args->parts, own(plan)->rounded ? 3 : 4,
                  (const cl_mem[]){data, plan->workspace.buffer, plan->dense, plan->indices});
}

static clnd_status enqueue(clnd__call *call, clnd__scatter_plan *plan, cl_mem data)
{
    const bucket_plan *buckets = own(plan);
    clnd_status status = CLND_OK;
    for (int64_t first = 0; first < buckets->args.move.rows && status == CLND_OK;
         first += buckets->chunk) {
        const clnd_bucket_args args = chunk_of(buckets, first);
        if (first > 0 || !plan->begun)
            status = divide(call, plan, &buckets->divide, &args);
        if (status == CLND_OK)
            status = apply(call, plan, &args, data);
    }
    return status;
}

const clnd__scatter_strategy clnd__scatter_buckets = {
    .name = "buckets",
    .why_not = why_not,
    .pays = pays,
    .plan = plan,
    .prepare = prepare,
    .enqueue_first = enqueue_first,
    .enqueue = enqueue,
};
