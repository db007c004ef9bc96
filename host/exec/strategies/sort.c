// SPDX-License-Identifier: Apache-2.0
//
// sort: the scatter of GPUs that must have the serial loop's result. Rows are sorted by the
// location in data that they select, so that rows that meet become neighbours and keep their order;
// then each run of them is applied by one lane a column. Nothing waits for the device.
//
// The rows are taken in chunks, in order, so that the workspace has a bound:
//
//     keys    of a chunk's rows; bad rows get none                 1 launch
//     passes  of a radix sort, 8 bits each at most                 3 launches, the first 2
//     apply   the only one that writes to data                     1 launch

#include <stdlib.h>

#include "host/base/integers.h"
#include "host/exec/strategies/table.h"
#include "host/exec/updates.h"

// Local memory that the kernels take, with what a compiler may add.
enum { LOCAL_MEMORY = 16384 };

// Positions in a chunk are 32-bit numbers.
#define MAX_CHUNK (INT64_C(1) << 31)

// Rows a chunk are taken in steps of this many.
enum { CHUNK_STEP = CLND_LANES };

// The bytes of data at which rows can begin: origin + key * step, keys from 0 to count - 1.
typedef struct sort_keys {
    int64_t origin;
    int64_t step;
    uint64_t count;
} sort_keys;

typedef struct sort_layout {
    int64_t chunk;  // rows, at most
    int64_t chunks; // to go through
    int key_bytes;  // 4 or 8
    int passes;
    int digit_bits;
    int64_t block; // keys a work-group takes: whole tiles
    int64_t begin; // byte of the workspace's buffer
    // Bytes of that buffer. Passes go to and fro between two; a single pass needs
    // one for rows.
    int64_t keys[2];
    int64_t rows[2];
    int64_t counts;
    int64_t totals;
    int64_t kept;
    uint64_t bytes;
} sort_layout;

typedef struct sort_plan {
    sort_layout layout;
    clnd__kernel_id keys, count, scan, place;
    int64_t step_shift;
    int64_t step_inverse;
    // Of all rows of the problem: what finds the keys, and what applies sorted rows.
    clnd_move_args select;
    clnd__move apply;
} sort_plan;

static sort_plan *own(clnd__scatter_plan *plan)
{
    _Static_assert(sizeof(sort_plan) <= CLND__STRATEGY_PLAN, "room for the plan");
    return (sort_plan *)&plan->own;
}

static const char *why_not(const clnd__scatter_case *c)
{
    return clnd__has_lanes(c->planner) && c->facts->local_memory >= LOCAL_MEMORY
               ? NULL
               : "cannot do this scatter: the device's work-groups or their local memory are too "
                 "small";
}

static const char *pays(const clnd__scatter_case *c)
{
    if (c->facts->is_cpu)
        return NULL;
    return c->any_order ? "the device has no atomics for it" : "the order of the rows matters";
}

static sort_keys keys_of(const clnd__problem *folded)
{
    uint64_t step = 0;
    for (int i = 0; i < folded->n_outer; ++i)
        step = greatest_divisor(step, (uint64_t)llabs(folded->outer[i].data));
    for (int k = 0; k < folded->n_coordinates; ++k)
        if (folded->coordinates[k].extent > 1)
            step = greatest_divisor(step, (uint64_t)llabs(folded->coordinates[k].stride));
    if (step == 0) // there is but one place
        step = 1;
    int64_t first, last;
    clnd__problem_row_range(folded, &first, &last);
    return (sort_keys){first, (int64_t)step, (uint64_t)(last - first) / step + 1};
}

static int64_t take(int64_t count, int64_t size, sort_layout *layout)
{
    const int64_t at = layout->begin + (int64_t)layout->bytes;
    layout->bytes += clnd__workspace_align((uint64_t)(count * size));
    return at;
}

// The layout for chunks of `chunk` rows.
static void set_places(int64_t chunk, int64_t most_blocks, sort_layout *layout)
{
    const int64_t tile = CLND_SORT_TILE(layout->key_bytes);
    const int64_t tiles = divide_up(chunk, tile);
    const int64_t most = at_most(tiles, most_blocks);
    const int64_t digits = INT64_C(1) << layout->digit_bits;
    layout->chunk = chunk;
    layout->block = divide_up(tiles, most) * tile;
    layout->bytes = 0;
    layout->keys[0] = take(chunk, layout->key_bytes, layout);
    layout->keys[1] = take(chunk, layout->key_bytes, layout);
    layout->rows[1] = take(chunk, 4, layout);
    layout->rows[0] = layout->passes > 1 ? take(chunk, 4, layout) : 0;
    // For `most` blocks, so that more rows never need less memory.
    layout->counts = take(most * digits, 4, layout);
    layout->totals = take(digits, 4, layout);
    layout->kept = take(1, 4, layout);
}

static uint64_t room_of(const clnd__scatter_case *c)
{
    const clnd__gpu_tuning *tuning = &c->planner->tuning->gpu;
    const clnd_device_facts *facts = c->facts;
    if (c->options.workspace)
        return c->options.workspace->size;
    const uint64_t share =
        facts->unified_memory ? 0 : facts->global_memory / (uint64_t)tuning->sort_share;
    const uint64_t least = (uint64_t)tuning->sort_bytes, most = share > least ? share : least;
    return facts->max_allocation < most ? facts->max_allocation : most;
}

// Lays out a workspace of at most `limit` bytes for so many rows and keys; if that is less than the
// least possible, the least possible.
static void lay_out(int64_t rows, uint64_t keys, int64_t most_blocks, uint64_t limit,
                    sort_layout *layout)
{
    const int64_t bits = at_least(log2_up(keys), 1);
    layout->key_bytes = keys <= UINT32_MAX ? 4 : 8;
    layout->passes = (int)divide_up(bits, CLND_SORT_DIGIT_BITS);
    layout->digit_bits = (int)divide_up(bits, layout->passes);

    int64_t fits = 1; // of CHUNK_STEP
    int64_t rest = divide_up(at_most(rows, MAX_CHUNK), CHUNK_STEP);
    while (fits < rest) {
        const int64_t middle = fits + divide_up(rest - fits, 2);
        set_places(middle * CHUNK_STEP, most_blocks, layout);
        if (layout->bytes <= limit)
            fits = middle;
        else
            rest = middle - 1;
    }
    // Chunks of about one size, which takes no more of them.
    layout->chunks = divide_up(rows, fits * CHUNK_STEP);
    const int64_t chunk = divide_up(divide_up(rows, layout->chunks), CHUNK_STEP) * CHUNK_STEP;
    set_places(chunk, most_blocks, layout);
}

// Sums in one chunk are complete when they are stored and can be rounded then; chunks that follow
// one another need the wide copy. What that takes may as well be spent on one chunk; where it is
// not lent either, the plan that needs less is made. Returns CLND_SUMS_*.
static int plan_layout(const clnd__scatter_case *c, clnd__scatter_plan *plan,
                       clnd__problem *problem)
{
    sort_plan *sort = own(plan);
    const int64_t most_blocks =
        (int64_t)c->facts->compute_units * c->planner->tuning->gpu.sort_blocks_per_unit;
    const uint64_t keys = keys_of(problem).count;
    uint64_t room = room_of(c), before = 0;
    int sums = CLND_SUMS_PLAIN;
    sort->layout.begin = clnd__workspace_offset(&plan->workspace);
    if (c->rounds_once) {
        const uint64_t wide = clnd__workspace_align(clnd__wide_bytes(c));
        lay_out(c->rows, keys, most_blocks, 0, &sort->layout);
        const uint64_t least = wide + sort->layout.bytes;
        const uint64_t limit = !c->options.workspace ? room + wide : room > least ? room : least;
        lay_out(c->rows, keys, most_blocks, limit, &sort->layout);
        sums = sort->layout.chunks == 1 ? CLND_SUMS_ROUNDED : CLND_SUMS_WIDE;
    }
    if (sums == CLND_SUMS_WIDE) {
        *problem = clnd__wide_plan(c, plan);
        before = clnd__workspace_align(plan->workspace.bytes);
        if (c->options.workspace)
            room = room > before ? room - before : 0;
    }
    sort->layout.begin += (int64_t)before;
    if (sums != CLND_SUMS_ROUNDED)
        lay_out(c->rows, keys, most_blocks, room, &sort->layout);
    plan->workspace.bytes = before + sort->layout.bytes;
    return sums;
}

static void spread_reduce(const clnd__planner *planner, clnd__move *move, int64_t positions)
{
    clnd_move_args *args = &move->args;
    const int64_t lanes = at_most(CLND_LANES, planner->tuning->gpu.sort_line_bytes / move->unit);
    args->lanes_shift = log2_up((uint64_t)at_most(args->columns, lanes));
    const int64_t groups =
        (int64_t)planner->facts->compute_units * planner->tuning->gpu.groups_per_unit;
    const int64_t column_groups =
        at_most(divide_up(args->columns, INT64_C(1) << args->lanes_shift), groups);
    const int64_t row_lanes = CLND_LANES >> args->lanes_shift;
    const int64_t stretches = divide_up(positions, CLND_SORT_STRETCH(row_lanes));
    const int64_t row_groups =
        at_most(divide_up(stretches, row_lanes), divide_up(groups, column_groups));
    move->global[0] = (size_t)(column_groups * CLND_LANES);
    move->global[1] = (size_t)row_groups;
    move->local = CLND_LANES;
}

static void spread_update(const clnd__planner *planner, clnd__move *move, int64_t positions)
{
    const int64_t rows = move->args.rows;
    move->args.rows = positions;
    clnd__spread_lanes(planner, move);
    move->args.rows = rows;
}

static void name_pass(const sort_layout *layout, const char *function, clnd__kernel_id *id)
{
    *id = (clnd__kernel_id){.source = "sort",
                            .function = function,
                            .options.key = (int16_t)layout->key_bytes,
                            .ungated = true}; // it writes to the workspace only
}

// The inverse of an odd number modulo 2^64: each round doubles the bits that are right, and any odd
// number is its own inverse modulo 8.
static uint64_t inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - odd * inverse;
    return inverse;
}

// Keys say where rows go; what applies them has to find them in dense only. Rows that lie there at
// equal distances are on one axis then, and take no division; and neither coordinates nor dtypes of
// indices make another program of the kernel. Returns whether they do.
static bool leave_to_keys(const clnd__problem *folded, clnd_move_args *args)
{
    int64_t step = 0;
    const bool even = clnd__problem_rows_are_even(folded, &step);
    if (even) {
        args->n_outer = 1;
        args->axes[0] = (clnd_axis_args){args->rows, 0, step, 0};
    }
    args->n_coordinates = 0;
    args->index_kind = 0;
    return even;
}

static void plan(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    const bool update = c->options.reduce == CLND_REDUCE_UPDATE;
    sort_plan *sort = own(plan);
    clnd__move *move = &sort->apply;
    clnd__problem problem = *c->problem;
    const int sums = plan_layout(c, plan, &problem);
    const sort_keys keys = keys_of(&problem);
    uint64_t odd = (uint64_t)keys.step;
    for (sort->step_shift = 0; odd % 2 == 0; odd /= 2)
        ++sort->step_shift;
    sort->step_inverse = (int64_t)inverse_of(odd);

    clnd__updates_lower(c, &problem, false, move);
    move->args.part_first = keys.origin;
    move->args.part_bytes = keys.step;
    (update ? spread_update : spread_reduce)(c->planner, move, sort->layout.chunk);
    move->kernel.options.key = (int16_t)sort->layout.key_bytes;
    clnd__move_set_kernel(move, "sort_keys", "sort_keys");
    sort->keys = move->kernel;
    sort->keys.ungated = true;
    name_pass(&sort->layout, "sort_count", &sort->count);
    name_pass(&sort->layout, "sort_scan", &sort->scan);
    name_pass(&sort->layout, "sort_place", &sort->place);
    sort->select = move->args;
    const bool even = leave_to_keys(&problem, &move->args);
    clnd__updates_set_options(c, sums, move);
    move->kernel.options.outer = even && !update;
    clnd__move_set_kernel(move, update ? "sort_update" : "sort_reduce",
                          update ? "sort_update" : "sort_reduce");
}

static clnd_status prepare(clnd__call *call, clnd__scatter_plan *plan)
{
    const sort_plan *sort = own(plan);
    const clnd__kernel_id *kernels[] = {&sort->keys, &sort->scan, &sort->place, &sort->apply.kernel,
                                        &sort->count};
    // Also what a single pass does not need: a larger target would (clnd/prepare.h).
    clnd_status status = CLND_OK;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && status == CLND_OK; ++i)
        status = clnd__call_prepare(call, kernels[i]);
    return status;
}

static clnd_status launch_groups(clnd__call *call, const clnd__kernel_id *kernel, int64_t groups,
                                 clnd__launch *launch)
{
    launch->kernel = *kernel;
    launch->global[0] = (size_t)groups * CLND_LANES;
    launch->global[1] = 1;
    launch->local = CLND_LANES;
    return clnd__call_launch(call, launch);
}

static clnd_status make_keys(clnd__call *call, const clnd__scatter_plan *plan,
                             const sort_plan *sort, const clnd_move_args *move, int64_t blocks)
{
    const sort_layout *layout = &sort->layout;
    const clnd_sort_keys_args args = {.move = *move,
                                      .step_shift = sort->step_shift,
                                      .step_inverse = sort->step_inverse,
                                      .block = layout->block,
                                      .digit_bits = layout->digit_bits,
                                      .keys = layout->keys[0],
                                      .counts = layout->counts};
    clnd__launch launch = {.n_buffers = 2,
                           .buffers = {plan->indices, plan->workspace.buffer},
                           .args = &args,
                           .args_size = sizeof args};
    return launch_groups(call, &sort->keys, blocks, &launch);
}

static clnd_status sort_by_digit(clnd__call *call, const clnd__scatter_plan *plan,
                                 const sort_plan *sort, int pass, int64_t rows, int64_t blocks)
{
    const sort_layout *layout = &sort->layout;
    const int from = pass % 2, to = 1 - from;
    const clnd_sort_args args = {.rows = rows,
                                 .first = pass == 0,
                                 .shift = (clnd_i64)pass * layout->digit_bits,
                                 .digit_bits = layout->digit_bits,
                                 .block = layout->block,
                                 .blocks = blocks,
                                 .keys_from = layout->keys[from],
                                 .rows_from = layout->rows[from],
                                 .keys_to = layout->keys[to],
                                 .rows_to = layout->rows[to],
                                 .counts = layout->counts,
                                 .totals = layout->totals,
                                 .kept = layout->kept};
    clnd__launch launch = {.n_buffers = 1,
                           .buffers = {plan->workspace.buffer},
                           .args = &args,
                           .args_size = sizeof args};
    clnd_status status = CLND_OK;
    if (pass > 0)
        status = launch_groups(call, &sort->count, blocks, &launch);
    if (status == CLND_OK)
        status = launch_groups(call, &sort->scan, INT64_C(1) << layout->digit_bits, &launch);
    if (status == CLND_OK)
        status = launch_groups(call, &sort->place, blocks, &launch);
    return status;
}

// The rows from `first` on that are one chunk.
static clnd_status sort_chunk(clnd__call *call, const clnd__scatter_plan *plan,
                              const sort_plan *sort, int64_t first)
{
    clnd_move_args move = sort->select;
    clnd__move_take_chunk(&move, first, sort->layout.chunk);
    const int64_t rows = move.rows - first, blocks = divide_up(rows, sort->layout.block);
    clnd_status status = make_keys(call, plan, sort, &move, blocks);
    for (int pass = 0; pass < sort->layout.passes && status == CLND_OK; ++pass)
        status = sort_by_digit(call, plan, sort, pass, rows, blocks);
    return status;
}

static clnd_status apply_chunk(clnd__call *call, const clnd__scatter_plan *plan,
                               const sort_plan *sort, int64_t first, cl_mem data)
{
    const sort_layout *layout = &sort->layout;
    const int sorted = layout->passes % 2;
    clnd_sort_apply_args args = {.move = sort->apply.args,
                                 .keys = layout->keys[sorted],
                                 .rows = layout->rows[sorted],
                                 .kept = layout->kept};
    clnd__move_take_chunk(&args.move, first, layout->chunk);
    const clnd__launch launch = {.kernel = sort->apply.kernel,
                                 .n_buffers = 3,
                                 .buffers = {data, plan->workspace.buffer, plan->dense},
                                 .args = &args,
                                 .args_size = sizeof args,
                                 .global = {sort->apply.global[0], sort->apply.global[1]},
                                 .local = sort->apply.local};
    return clnd__call_launch(call, &launch);
}

static clnd_status enqueue(clnd__call *call, clnd__scatter_plan *plan, cl_mem data)
{
    const sort_plan *sort = own(plan);
    clnd_status status = CLND_OK;
    for (int64_t first = 0; first < sort->select.rows && status == CLND_OK;
         first += sort->layout.chunk) {
        status = sort_chunk(call, plan, sort, first);
        if (status == CLND_OK)
            status = apply_chunk(call, plan, sort, first, data);
    }
    return status;
}

const clnd__scatter_strategy clnd__scatter_sort = {
    .name = "sort",
    .why_not = why_not,
    .pays = pays,
    .plan = plan,
    .prepare = prepare,
    .enqueue = enqueue,
};
