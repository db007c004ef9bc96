// SPDX-License-Identifier: Apache-2.0

#include "host/exec/scatter_buckets.h"

#include <stdio.h>
#include <string.h>

#include "host/base/dtype.h"
#include "host/base/integers.h"
#include "host/exec/rows.h"

// Parts a thread, so that an uneven share evens out; and bytes of one that its caches keep beside
// the updates.
enum { PARTS_PER_UNIT = 8, PART_BYTES = 1 << 17 };

// Rows of such units are stored past the caches, line by line.
enum { WIDEST_UNIT = 16 };

// Threads that store to one line take it from one another: parts begin with lines.
enum { CACHE_LINE = 64 };

// Rows a chunk, if there is room for so many.
enum { CHUNK_ROWS = 1 << 20 };

// What an entry has room for beside the row's number.
#define MOST_PLACES (INT64_C(1) << (32 - CLND_BUCKET_ROW_BITS))

// The least power of two of bytes a part, so that parts are as many as is wanted.
static int64_t part_bytes(const clnd_device_facts *facts, int64_t span)
{
    const int64_t threads = (int64_t)facts->compute_units * PARTS_PER_UNIT;
    const int64_t parts =
        at_most(at_least(threads, divide_up(span, PART_BYTES)), CLND_BUCKET_PARTS);
    int64_t bytes = CACHE_LINE;
    while (bytes < divide_up(span, parts))
        bytes *= 2;
    return bytes;
}

// The bytes of data at which parts begin, and of how many.
static int64_t divide_target(const clnd_device_facts *facts, const clnd__problem *folded,
                             int64_t *first, int64_t *bytes)
{
    int64_t last;
    clnd__problem_row_range(folded, first, &last);
    *first -= *first % CACHE_LINE;
    *bytes = part_bytes(facts, last - *first + 1);
    return divide_up(last - *first + 1, *bytes);
}

// Places in data are multiples of this many bytes.
static int64_t place_step(const clnd__problem *folded)
{
    uint64_t all = CACHE_LINE | (uint64_t)folded->data_offset;
    for (int i = 0; i < folded->n_outer; ++i)
        all |= (uint64_t)folded->outer[i].data;
    for (int k = 0; k < folded->n_coordinates; ++k)
        all |= (uint64_t)folded->coordinates[k].stride;
    return (int64_t)(all & (0 - all));
}

// A row's in the two lists in which rows are sorted; and of all that a scatter which rounds once
// may take, as of a sort.
enum { LISTS_ROW = 16, ROUNDED_BYTES = 64 << 20 };

// Of the entries of a chunk of so many blocks and of where parts begin.
static uint64_t bytes_of(int64_t blocks, int64_t parts)
{
    return (uint64_t)blocks * (CLND_BUCKET_BLOCK * 4 + (uint64_t)(parts + 1) * 4);
}

// Updates move in the widest pieces, reductions by the element.
static void lower(const clnd__problem *folded, clnd_reduce reduce, size_t alignment,
                  clnd__move *move)
{
    const bool update = reduce == CLND_REDUCE_UPDATE;
    clnd__lower(folded,
                update ? clnd__widest_unit(folded, alignment)
                       : (int64_t)clnd_dtype_size(folded->dtype),
                move);
}

bool clnd__buckets_are_possible(const clnd_device_facts *facts, const clnd__problem *folded,
                                clnd_reduce reduce, size_t alignment)
{
    if (!clnd__rows_can_compile(facts) || folded->n_coordinates < 1 ||
        folded->n_coordinates > CLND__ROWS_COORDINATES)
        return false;
    clnd__move move;
    lower(folded, reduce, alignment, &move);
    int64_t first, bytes, step;
    divide_target(facts, folded, &first, &bytes);
    const bool rows =
        reduce == CLND_REDUCE_UPDATE ? clnd__rows_are_gapless(&move) : move.args.n_slice == 1;
    return rows && bytes / place_step(folded) <= MOST_PLACES &&
           clnd__problem_rows_are_even(folded, &step);
}

// Owners look at all rows, which takes each of them some 1 ns a row; the first launch divides that
// among the threads. It also lets a thread ask for what it needs ahead of time, so it pays for long
// rows as well. What it costs beside was measured on PoCL (docs/design.md).
const char *clnd__buckets_advantage(const clnd_device_facts *facts, const clnd__problem *folded,
                                    uint64_t room)
{
    enum { LEAST_ROWS = 1024, ROW_WEIGHS = 12, LEAST_WEIGHT = 2 << 20 }; // bytes
    int64_t first, bytes;
    const int64_t parts = divide_target(facts, folded, &first, &bytes);
    const int64_t rows = clnd__problem_rows(folded);
    const int64_t row = clnd__problem_slice_size(folded) * (int64_t)clnd_dtype_size(folded->dtype);
    if (facts->compute_units < 2 || rows < LEAST_ROWS || rows < LEAST_WEIGHT / (row + ROW_WEIGHS) ||
        parts < 2 || room < bytes_of(1, parts))
        return NULL;
    return "a CPU: rows are divided among the threads first";
}

// Of a chunk of all rows and the lists in which they are sorted.
static uint64_t rounded_bytes(int64_t rows, int64_t parts)
{
    return bytes_of(divide_up(rows, CLND_BUCKET_BLOCK), parts) + (uint64_t)rows * LISTS_ROW;
}

bool clnd__buckets_can_round(const clnd_device_facts *facts, const clnd__problem *folded,
                             uint64_t room)
{
    int64_t first, bytes;
    const int64_t rows = clnd__problem_rows(folded);
    const int64_t parts = divide_target(facts, folded, &first, &bytes);
    return rows <= ROUNDED_BYTES / LISTS_ROW && rounded_bytes(rows, parts) <= room &&
           rounded_bytes(rows, parts) <= ROUNDED_BYTES;
}

// What applies the rows looks at neither indices nor rows' axes: one program for all of them.
static void name_apply(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce,
                       clnd__sums sums, const clnd__move *move, clnd__kernel_id *kernel)
{
    const bool wide = sums == CLND__SUMS_WIDE, rounded = sums == CLND__SUMS_ROUNDED;
    clnd__move apply = *move;
    apply.args.index_kind = apply.args.n_coordinates = apply.args.n_outer = 0;
    if (reduce == CLND_REDUCE_UPDATE)
        clnd__move_set_kernel(&apply, "scatter_buckets", "bucket_apply",
                              "-cl-std=CL1.2 -DREDUCE=1 -DUNIT=%d -DROW=%d", (int)move->unit,
                              clnd__rows_bytes(move));
    else
        clnd__move_set_kernel(&apply, rounded ? "scatter_buckets_rounded" : "scatter_buckets",
                              rounded ? "bucket_round" : "bucket_apply",
                              "-cl-std=CL1.2 -DDTYPE=%d -DREDUCE=%d -DWIDE=%d -DCOLUMNS=%d%s",
                              clnd__dtype_kind(dtype), (int)reduce, (int)sums,
                              clnd__rows_columns(move, wide ? (int64_t)sizeof(float) : move->unit),
                              clnd__soft_option(facts, dtype));
    *kernel = apply.kernel;
}

static void name_divide(const clnd__move *move, clnd__kernel_id *kernel)
{
    clnd__move divide = *move;
    char coordinates[CLND__COORDINATE_OPTIONS];
    clnd__rows_coordinate_options(move, coordinates);
    clnd__move_set_kernel(&divide, "scatter_buckets", "bucket_rows", "-cl-std=CL1.2%s",
                          coordinates);
    *kernel = divide.kernel;
    kernel->gate = CLND__GATE_IGNORED; // it writes to the workspace only
}

static void plan_chunk(clnd__sums sums, uint64_t room, clnd__bucket_plan *plan)
{
    const int64_t rows = plan->args.move.rows, parts = plan->args.parts;
    if (sums == CLND__SUMS_ROUNDED) {
        plan->chunk = rows;
        plan->bytes = rounded_bytes(rows, parts);
        return;
    }
    const int64_t blocks = divide_up(at_most(rows, CHUNK_ROWS), CLND_BUCKET_BLOCK);
    const uint64_t fit = room / bytes_of(1, parts);
    const int64_t taken = fit < (uint64_t)blocks ? at_least((int64_t)fit, 1) : blocks;
    plan->chunk = taken * CLND_BUCKET_BLOCK;
    plan->bytes = bytes_of(taken, parts);
}

void clnd__buckets_plan_make(const clnd_device_facts *facts, const clnd__problem *folded,
                             clnd_reduce reduce, int adjust, clnd__sums sums, size_t alignment,
                             uint64_t room, int64_t offset, clnd__bucket_plan *plan)
{
    clnd__move move = {.local = 1};
    lower(folded, reduce, alignment, &move);
    move.args.adjust = adjust;
    move.args.columns_per_item = move.args.columns;
    clnd_bucket_args *args = &plan->args;
    args->parts = divide_target(facts, folded, &move.args.part_first, &move.args.part_bytes);
    clnd__problem_rows_are_even(folded, &args->update_step);
    args->place_shift = 0;
    while (INT64_C(1) << args->place_shift < place_step(folded))
        ++args->place_shift;
    // Shorter rows are no whole lines, and what is combined is read first.
    if (reduce == CLND_REDUCE_UPDATE && move.unit == WIDEST_UNIT &&
        move.args.columns * move.unit >= CACHE_LINE)
        move.args.stream = clnd__rows_go_past_caches(facts, &move);
    args->move = move.args;
    args->entries = offset;
    args->zero_bytes = 0;
    plan->may_zero = clnd__rows_are_gapless(&move) && alignment % sizeof(uint64_t) == 0 &&
                     move.args.columns * move.unit <= place_step(folded);

    plan_chunk(sums, room, plan);
    name_divide(&move, &plan->divide);
    name_apply(facts, folded->dtype, reduce, sums, &move, &plan->apply);
}

// What threads make zeros they write to soon after, so that it is still in their caches.
bool clnd__buckets_zero_first(clnd__bucket_plan *plan, int64_t begin, int64_t end)
{
    const clnd_move_args *move = &plan->args.move;
    if (!plan->may_zero || move->part_first != begin ||
        end - begin > plan->args.parts * move->part_bytes)
        return false;
    plan->args.zero_bytes = end - begin;
    return true;
}

clnd_status clnd__buckets_prepare(clnd__call *call, const clnd__bucket_plan *plan)
{
    const clnd_status status = clnd__call_prepare(call, &plan->divide);
    return status ? status : clnd__call_prepare(call, &plan->apply);
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

static clnd_status divide(clnd__call *call, const clnd__bucket_plan *plan,
                          const clnd_bucket_args *args, cl_mem indices, cl_mem workspace)
{
    const int64_t blocks = divide_up(args->move.rows - args->move.first_row, CLND_BUCKET_BLOCK);
    return launch(call, &plan->divide, args, blocks, 2, (const cl_mem[]){indices, workspace});
}

// The rows from `first` on that are one chunk.
static clnd_bucket_args chunk_of(const clnd__bucket_plan *plan, int64_t first)
{
    clnd_bucket_args args = plan->args;
    if (first > 0)
        args.zero_bytes = 0;
    args.move.first_row = first;
    args.move.rows = first + at_most(plan->args.move.rows - first, plan->chunk);
    return args;
}

bool clnd__buckets_are_whole(const clnd__bucket_plan *plan)
{
    return plan->args.move.rows <= plan->chunk;
}

clnd_status clnd__buckets_enqueue_first(clnd__call *call, const clnd__bucket_plan *plan,
                                        cl_mem indices, cl_mem workspace)
{
    const clnd_bucket_args args = chunk_of(plan, 0);
    return divide(call, plan, &args, indices, workspace);
}

clnd_status clnd__buckets_enqueue(clnd__call *call, const clnd__bucket_plan *plan, bool begun,
                                  const cl_mem buffers[3], cl_mem workspace)
{
    clnd_status status = CLND_OK;
    for (int64_t first = 0; first < plan->args.move.rows && status == CLND_OK;
         first += plan->chunk) {
        const clnd_bucket_args args = chunk_of(plan, first);
        if (first > 0 || !begun)
            status = divide(call, plan, &args, buffers[1], workspace);
        if (status == CLND_OK)
            status = launch(call, &plan->apply, &args, args.parts, 3,
                            (const cl_mem[]){buffers[0], workspace, buffers[2]});
    }
    return status;
}
