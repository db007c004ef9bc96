// SPDX-License-Identifier: Apache-2.0

#include "host/exec/scatter_sort.h"

#include <stdio.h>
#include <string.h>

#include "host/base/dtype.h"
#include "host/base/integers.h"

// Local memory that the kernels take, with what a compiler may add.
enum { LOCAL_MEMORY = 16384 };

// Enough that their memory accesses overlap. Each block has its column in the table of counts, so
// many more would cost what they save.
enum { BLOCKS_PER_UNIT = 8 };

// Work-groups a compute unit that apply the sorted rows.
enum { GROUPS_PER_UNIT = 32 };

// A lane group covers this much of a row: all of a cache line, and no more, so that wide rows give
// work to many groups even where all updates are of one row.
enum { CACHE_LINE = 128 };

// Positions in a chunk are 32-bit numbers.
#define MAX_CHUNK (INT64_C(1) << 31)

bool clnd__sort_is_possible(const clnd_device_facts *facts)
{
    return facts->max_work_group_size >= CLND_LANES && facts->local_memory >= LOCAL_MEMORY;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

clnd__sort_keys clnd__sort_keys_of(const clnd__problem *folded)
{
    uint64_t step = 0;
    for (int i = 0; i < folded->n_outer; ++i)
        step = greatest_divisor(step, magnitude(folded->outer[i].data));
    for (int k = 0; k < folded->n_coordinates; ++k)
        if (folded->coordinates[k].extent > 1)
            step = greatest_divisor(step, magnitude(folded->coordinates[k].stride));
    if (step == 0) // there is but one place
        step = 1;
    int64_t first, last;
    clnd__problem_row_range(folded, &first, &last);
    return (clnd__sort_keys){first, (int64_t)step, (uint64_t)(last - first) / step + 1};
}

// Rows a chunk are taken in steps of this many.
enum { CHUNK_STEP = CLND_LANES };

static uint64_t take(uint64_t *bytes, int64_t count, int64_t size)
{
    const uint64_t at = *bytes;
    *bytes += clnd__sort_align((uint64_t)(count * size));
    return at;
}

// The layout for chunks of `chunk` rows.
static void set_places(int64_t chunk, uint32_t compute_units, clnd__sort_layout *layout)
{
    const int64_t tile = CLND_SORT_TILE(layout->key_bytes);
    const int64_t tiles = divide_up(chunk, tile);
    const int64_t most = at_most(tiles, (int64_t)compute_units * BLOCKS_PER_UNIT);
    const int64_t digits = INT64_C(1) << layout->digit_bits;
    layout->chunk = chunk;
    layout->block = divide_up(tiles, most) * tile;
    layout->blocks = divide_up(chunk, layout->block);
    layout->bytes = 0;
    layout->keys[0] = take(&layout->bytes, chunk, layout->key_bytes);
    layout->keys[1] = take(&layout->bytes, chunk, layout->key_bytes);
    layout->rows[1] = take(&layout->bytes, chunk, 4);
    layout->rows[0] = layout->passes > 1 ? take(&layout->bytes, chunk, 4) : 0;
    // For `most` blocks, so that more rows never need less memory.
    layout->counts = take(&layout->bytes, most * digits, 4);
    layout->totals = take(&layout->bytes, digits, 4);
    layout->kept = take(&layout->bytes, 1, 4);
}

// Enough for 4 million rows a chunk.
#define DEFAULT_ROOM (UINT64_C(64) << 20)

uint64_t clnd__sort_room(const clnd_device_facts *facts, const clnd_workspace *lent)
{
    if (lent)
        return lent->size;
    return facts->max_allocation < DEFAULT_ROOM ? facts->max_allocation : DEFAULT_ROOM;
}

void clnd__sort_lay_out(int64_t rows, uint64_t keys, uint32_t compute_units, uint64_t limit,
                        clnd__sort_layout *layout)
{
    int bits = 1;
    while (bits < 63 && keys - 1 >= UINT64_C(1) << bits)
        ++bits;
    layout->key_bytes = keys <= UINT32_MAX ? 4 : 8;
    layout->passes = (int)divide_up(bits, CLND_SORT_DIGIT_BITS);
    layout->digit_bits = (int)divide_up(bits, layout->passes);

    int64_t fits = 1; // of CHUNK_STEP
    int64_t rest = divide_up(at_most(rows, MAX_CHUNK), CHUNK_STEP);
    while (fits < rest) {
        const int64_t middle = fits + divide_up(rest - fits, 2);
        set_places(middle * CHUNK_STEP, compute_units, layout);
        if (layout->bytes <= limit)
            fits = middle;
        else
            rest = middle - 1;
    }
    // Chunks of about one size, which takes no more of them.
    layout->chunks = divide_up(rows, fits * CHUNK_STEP);
    const int64_t chunk = divide_up(divide_up(rows, layout->chunks), CHUNK_STEP) * CHUNK_STEP;
    set_places(chunk, compute_units, layout);
}

static void spread_reduce(const clnd_device_facts *facts, clnd__move *move, int64_t positions)
{
    clnd_move_args *args = &move->args;
    const int64_t lanes = at_most(CLND_LANES, CACHE_LINE / move->unit);
    args->lanes_shift = 0;
    while ((INT64_C(1) << args->lanes_shift) < at_most(args->columns, lanes))
        ++args->lanes_shift;
    const int64_t groups = (int64_t)facts->compute_units * GROUPS_PER_UNIT;
    const int64_t column_groups =
        at_most(divide_up(args->columns, INT64_C(1) << args->lanes_shift), groups);
    const int64_t row_groups = at_most(divide_up(positions, CLND_LANES >> args->lanes_shift),
                                       divide_up(groups, column_groups));
    move->global[0] = (size_t)(column_groups * CLND_LANES);
    move->global[1] = (size_t)row_groups;
    move->local = CLND_LANES;
}

static void spread_update(const clnd_device_facts *facts, clnd__move *move, int64_t positions)
{
    const int64_t rows = move->args.rows;
    move->args.rows = positions;
    clnd__spread_lanes(facts, move);
    move->args.rows = rows;
}

static void name_pass(const clnd__sort_layout *layout, const char *function, clnd__kernel_id *id)
{
    id->source = "sort";
    id->function = function;
    id->gate = CLND__GATE_IGNORED; // it writes to the workspace only
    snprintf(id->options, sizeof id->options, "-cl-std=CL1.2 -DKEY=%d", layout->key_bytes);
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

// Keys say where rows go; what applies them has to find them in dense only. Rows that lie there one
// behind the other are on one axis then, and take no division; and neither coordinates nor dtypes
// of indices make another program of the kernel.
static void leave_to_keys(const clnd__problem *folded, clnd_move_args *args)
{
    int64_t step;
    if (args->n_outer > 1 && clnd__problem_rows_are_even(folded, &step)) {
        args->n_outer = 1;
        args->axes[0] = (clnd_axis_args){args->rows, 0, step, 0};
    }
    args->n_coordinates = 0;
    args->index_kind = 0;
}

void clnd__sort_plan_make(const clnd_device_facts *facts, const clnd__problem *folded,
                          clnd_reduce reduce, int adjust, size_t alignment, clnd__sums sums,
                          const clnd__sort_layout *layout, clnd__sort_plan *plan)
{
    const bool update = reduce == CLND_REDUCE_UPDATE;
    const clnd__sort_keys keys = clnd__sort_keys_of(folded);
    clnd__move *move = &plan->apply;
    memset(plan, 0, sizeof *plan);
    plan->layout = *layout;
    uint64_t odd = (uint64_t)keys.step;
    for (; odd % 2 == 0; odd /= 2)
        ++plan->step_shift;
    plan->step_inverse = (int64_t)inverse_of(odd);

    clnd__lower(folded,
                update ? clnd__widest_unit(folded, alignment)
                       : (int64_t)clnd_dtype_size(folded->dtype),
                move);
    move->args.adjust = adjust;
    move->args.part_first = keys.origin;
    move->args.part_bytes = keys.step;
    (update ? spread_update : spread_reduce)(facts, move, layout->chunk);
    clnd__move_set_kernel(move, "sort_keys", "sort_keys", "-cl-std=CL1.2 -DKEY=%d",
                          layout->key_bytes);
    plan->keys = move->kernel;
    plan->keys.gate = CLND__GATE_IGNORED;
    name_pass(layout, "sort_count", &plan->count);
    name_pass(layout, "sort_scan", &plan->scan);
    name_pass(layout, "sort_place", &plan->place);
    plan->select = move->args;
    leave_to_keys(folded, &move->args);
    if (update)
        clnd__move_set_kernel(move, "sort_update", "sort_update",
                              "-cl-std=CL1.2 -DKEY=%d -DUNIT=%d", layout->key_bytes,
                              (int)move->unit);
    else
        clnd__move_set_kernel(move, "sort_reduce", "sort_reduce",
                              "-cl-std=CL1.2 -DKEY=%d -DDTYPE=%d -DREDUCE=%d -DWIDE=%d%s",
                              layout->key_bytes, clnd__dtype_kind(folded->dtype), (int)reduce,
                              (int)sums, clnd__soft_option(facts, folded->dtype));
}

clnd_status clnd__sort_prepare(clnd__call *call, const clnd__sort_plan *plan)
{
    const clnd__kernel_id *kernels[] = {&plan->keys, &plan->scan, &plan->place, &plan->apply.kernel,
                                        &plan->count};
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

static clnd_status make_keys(clnd__call *call, const clnd__sort_plan *plan, clnd_move_args move,
                             int64_t blocks, cl_mem indices, cl_mem workspace, uint64_t offset)
{
    const clnd__sort_layout *layout = &plan->layout;
    const clnd_sort_keys_args args = {.move = move,
                                      .step_shift = plan->step_shift,
                                      .step_inverse = plan->step_inverse,
                                      .block = layout->block,
                                      .digit_bits = layout->digit_bits,
                                      .keys = (clnd_i64)(offset + layout->keys[0]),
                                      .counts = (clnd_i64)(offset + layout->counts)};
    clnd__launch launch = {
        .n_buffers = 2, .buffers = {indices, workspace}, .args = &args, .args_size = sizeof args};
    return launch_groups(call, &plan->keys, blocks, &launch);
}

static clnd_status sort_by_digit(clnd__call *call, const clnd__sort_plan *plan, int pass,
                                 int64_t rows, int64_t blocks, cl_mem workspace, uint64_t offset)
{
    const clnd__sort_layout *layout = &plan->layout;
    const int from = pass % 2, to = 1 - from;
    const clnd_sort_args args = {.rows = rows,
                                 .first = pass == 0,
                                 .shift = (clnd_i64)pass * layout->digit_bits,
                                 .digit_bits = layout->digit_bits,
                                 .block = layout->block,
                                 .blocks = blocks,
                                 .keys_from = (clnd_i64)(offset + layout->keys[from]),
                                 .rows_from = (clnd_i64)(offset + layout->rows[from]),
                                 .keys_to = (clnd_i64)(offset + layout->keys[to]),
                                 .rows_to = (clnd_i64)(offset + layout->rows[to]),
                                 .counts = (clnd_i64)(offset + layout->counts),
                                 .totals = (clnd_i64)(offset + layout->totals),
                                 .kept = (clnd_i64)(offset + layout->kept)};
    clnd__launch launch = {
        .n_buffers = 1, .buffers = {workspace}, .args = &args, .args_size = sizeof args};
    clnd_status status = CLND_OK;
    if (pass > 0)
        status = launch_groups(call, &plan->count, blocks, &launch);
    if (status == CLND_OK)
        status = launch_groups(call, &plan->scan, INT64_C(1) << layout->digit_bits, &launch);
    if (status == CLND_OK)
        status = launch_groups(call, &plan->place, blocks, &launch);
    return status;
}

// The rows of the chunk that begins with row `first`.
static clnd_move_args chunk_of(clnd_move_args move, const clnd__sort_layout *layout, int64_t first)
{
    move.first_row = first;
    move.rows = first + at_most(move.rows - first, layout->chunk);
    return move;
}

clnd_status clnd__sort_chunk(clnd__call *call, const clnd__sort_plan *plan, int64_t first,
                             cl_mem indices, cl_mem workspace, uint64_t offset)
{
    const clnd_move_args move = chunk_of(plan->select, &plan->layout, first);
    const int64_t rows = move.rows - first;
    const int64_t blocks = divide_up(rows, plan->layout.block);
    clnd_status status = make_keys(call, plan, move, blocks, indices, workspace, offset);
    for (int pass = 0; pass < plan->layout.passes && status == CLND_OK; ++pass)
        status = sort_by_digit(call, plan, pass, rows, blocks, workspace, offset);
    return status;
}

static clnd_status apply(clnd__call *call, const clnd__sort_plan *plan, int64_t first, cl_mem data,
                         cl_mem dense, cl_mem workspace, uint64_t offset)
{
    const clnd__sort_layout *layout = &plan->layout;
    const int sorted = clnd__sort_result(layout);
    const clnd_sort_apply_args args = {.move = chunk_of(plan->apply.args, layout, first),
                                       .keys = (clnd_i64)(offset + layout->keys[sorted]),
                                       .rows = (clnd_i64)(offset + layout->rows[sorted]),
                                       .kept = (clnd_i64)(offset + layout->kept)};
    const clnd__launch launch = {.kernel = plan->apply.kernel,
                                 .n_buffers = 3,
                                 .buffers = {data, workspace, dense},
                                 .args = &args,
                                 .args_size = sizeof args,
                                 .global = {plan->apply.global[0], plan->apply.global[1]},
                                 .local = plan->apply.local};
    return clnd__call_launch(call, &launch);
}

clnd_status clnd__sort_enqueue(clnd__call *call, const clnd__sort_plan *plan,
                               const cl_mem buffers[3], cl_mem workspace, uint64_t offset)
{
    const int64_t rows = plan->apply.args.rows;
    clnd_status status = CLND_OK;
    for (int64_t first = 0; first < rows && status == CLND_OK; first += plan->layout.chunk) {
        status = clnd__sort_chunk(call, plan, first, buffers[1], workspace, offset);
        if (status == CLND_OK)
            status = apply(call, plan, first, buffers[0], buffers[2], workspace, offset);
    }
    return status;
}
