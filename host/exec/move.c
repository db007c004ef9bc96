// SPDX-License-Identifier: Apache-2.0

#include "host/exec/move.h"

#include <stdlib.h>
#include <string.h>

#include "host/base/checked.h"
#include "host/base/dtype.h"
#include "host/base/integers.h"

// Bytes that the widest loads and stores of a kernel move.
enum { WIDEST_UNIT = 16 };

// Bytes that are contiguous in data and in dense: the innermost slice axis where it is, else an
// element.
static int64_t run_bytes(const clnd__problem *folded, bool *axis_is_run)
{
    const int64_t size = (int64_t)clnd_dtype_size(folded->dtype);
    const clnd__axis *inner = folded->n_slice ? &folded->slice[folded->n_slice - 1] : NULL;
    *axis_is_run = inner && inner->data == size && inner->dense == size;
    return *axis_is_run ? inner->size * size : size;
}

int64_t clnd__widest_unit(const clnd__problem *folded, size_t alignment)
{
    bool axis_is_run;
    uint64_t all = (uint64_t)run_bytes(folded, &axis_is_run) | alignment |
                   (uint64_t)folded->data_offset | (uint64_t)folded->dense_offset;
    for (int i = 0; i < folded->n_outer; ++i)
        all |= (uint64_t)folded->outer[i].data | (uint64_t)folded->outer[i].dense;
    for (int i = 0; i < folded->n_slice - axis_is_run; ++i)
        all |= (uint64_t)folded->slice[i].data | (uint64_t)folded->slice[i].dense;
    for (int k = 0; k < folded->n_coordinates; ++k)
        all |= (uint64_t)folded->coordinates[k].stride;
    int64_t unit = WIDEST_UNIT;
    while (all & (uint64_t)(unit - 1))
        unit /= 2;
    return unit;
}

void clnd__lower(const clnd__problem *folded, int64_t unit, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    memset(args, 0, sizeof *args);
    move->kernel = (clnd__kernel_id){0};
    move->gate = NULL;
    move->unit = unit;
    move->rest = folded->rest;
    bool axis_is_run;
    const int64_t run = run_bytes(folded, &axis_is_run) / unit;
    const int n_slice = folded->n_slice - axis_is_run;
    for (int i = 0; i < folded->n_outer; ++i) {
        const clnd__axis *axis = &folded->outer[i];
        args->axes[i] = (clnd_axis_args){axis->size, axis->data, axis->dense, axis->index};
    }
    int n = 0;
    if (run > 1 || n_slice == 0)
        args->axes[CLND_SLICE_AXIS(n++)] = (clnd_axis_args){run, unit, unit, 0};
    for (int i = n_slice - 1; i >= 0; --i) {
        const clnd__axis *axis = &folded->slice[i];
        args->axes[CLND_SLICE_AXIS(n++)] = (clnd_axis_args){axis->size, axis->data, axis->dense, 0};
    }
    for (int k = 0; k < folded->n_coordinates; ++k)
        args->coordinates[k] =
            (clnd_coordinate_args){folded->coordinates[k].extent, folded->coordinates[k].stride};
    args->rows = clnd__problem_rows(folded);
    args->columns = 1;
    for (int j = 0; j < n; ++j)
        args->columns *= args->axes[CLND_SLICE_AXIS(j)].size;
    args->n_outer = folded->n_outer;
    args->n_slice = n;
    args->n_coordinates = folded->n_coordinates;
    args->data_offset = folded->data_offset;
    args->dense_offset = folded->dense_offset;
    args->index_offset = folded->index_offset;
    args->index_step = folded->index_step;
    args->index_kind = clnd__dtype_kind(folded->index_dtype);
}

void clnd__spread_blocks(const clnd__planner *planner, clnd__move *move)
{
    const clnd__cpu_tuning *tuning = &planner->tuning->cpu;
    clnd_move_args *args = &move->args;
    const int64_t items = (int64_t)planner->facts->compute_units * tuning->items_per_unit;
    const int64_t most = clnd__most_steps(planner);
    const int64_t min_columns = at_most(divide_up(tuning->item_bytes, move->unit), most);
    int64_t rows = divide_up(args->rows, items);
    if (rows >= tuning->even_rows) // so many are whole lines, however long each is
        rows = divide_up(rows, tuning->line_bytes) * tuning->line_bytes;
    args->rows_per_item = at_most(at_least(rows, divide_up(min_columns, args->columns)),
                                  at_least(most / args->columns, 1));
    const int64_t row_blocks = divide_up(args->rows, args->rows_per_item);
    const int64_t line = at_least(tuning->line_bytes / move->unit, 1);
    const int64_t columns =
        at_least(divide_up(args->columns, divide_up(items, row_blocks)), min_columns);
    args->columns_per_item =
        at_most(divide_up(columns, line) * line, at_least(most / line, 1) * line);
    move->global[0] = (size_t)divide_up(args->columns, args->columns_per_item);
    move->global[1] = (size_t)row_blocks;
    move->local = 1;
}

// Divides rows and columns, which come in blocks that a group takes at once, among groups: as many
// as the device can use, or as it takes for loops to end in time.
static void spread_groups(const clnd__planner *planner, int64_t row_blocks, int64_t column_blocks,
                          int64_t steps_per_block, clnd__move *move)
{
    const int64_t useful =
        (int64_t)planner->facts->compute_units * planner->tuning->gpu.groups_per_unit;
    int64_t row_groups = at_most(row_blocks, useful);
    int64_t column_groups = at_most(column_blocks, divide_up(useful, row_groups));
    if (planner->facts->loop_iterations > 0) {
        const int64_t most = at_least(clnd__most_steps(planner) / steps_per_block, 1);
        column_groups = at_least(column_groups, divide_up(column_blocks, most));
        const int64_t rows = at_least(most / divide_up(column_blocks, column_groups), 1);
        row_groups = at_least(row_groups, divide_up(row_blocks, rows));
    }
    move->global[0] = (size_t)(column_groups * CLND_LANES);
    move->global[1] = (size_t)row_groups;
    move->local = CLND_LANES;
}

void clnd__spread_lanes(const clnd__planner *planner, clnd__move *move)
{
    clnd__spread_pieces(planner, move->args.columns, move);
}

void clnd__spread_pieces(const clnd__planner *planner, int64_t pieces, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    args->lanes_shift = log2_up((uint64_t)at_most(pieces, CLND_LANES));
    spread_groups(planner, divide_up(args->rows, CLND_LANES >> args->lanes_shift),
                  divide_up(pieces, INT64_C(1) << args->lanes_shift), 1, move);
}

void clnd__spread_tiles(const clnd__planner *planner, int64_t side, clnd__move *move)
{
    const clnd_move_args *args = &move->args;
    const int64_t tiles = divide_up(args->axes[CLND_SLICE_AXIS(0)].size, side) *
                          divide_up(args->axes[CLND_SLICE_AXIS(1)].size, side);
    spread_groups(planner, args->rows, tiles, side, move);
}

// Columns are divided first: every owner of columns has the same work, however the indices lie.
void clnd__spread_owners(const clnd__planner *planner, const clnd__problem *folded, int64_t owners,
                         clnd__move *move)
{
    const clnd__cpu_tuning *tuning = &planner->tuning->cpu;
    clnd_move_args *args = &move->args;
    if (args->rows <= tuning->item_bytes / (args->columns * move->unit))
        owners = 1;
    const int64_t granule = at_least(tuning->line_bytes / move->unit, 1);
    const int64_t granules = divide_up(args->columns, granule);
    // Where launches are short, they take many rows of few columns rather than the other way round.
    const int64_t most = clnd__most_steps(planner);
    args->columns_per_item =
        at_most(divide_up(granules, at_most(owners, granules)),
                at_least(most / planner->tuning->loops.launch_rows / granule, 1)) *
        granule;
    args->rows_per_item = at_least(most / at_most(args->columns, args->columns_per_item), 1);
    const int64_t column_blocks = divide_up(args->columns, args->columns_per_item);

    int64_t first, last;
    clnd__problem_row_range(folded, &first, &last);
    first -= first % tuning->line_bytes;
    const int64_t lines = divide_up(last - first + 1, tuning->line_bytes);
    const int64_t parts = at_most(divide_up(owners, column_blocks), lines);
    args->part_first = first;
    args->part_bytes = divide_up(lines, parts) * tuning->line_bytes;
    move->global[0] = (size_t)column_blocks;
    move->global[1] = (size_t)divide_up(last - first + 1, args->part_bytes);
    move->local = 1;
}

// Counters run up to five times the number that they count.
static const int64_t most_counted = INT32_MAX / 8;

// Adds what `size` steps reach, of either sign; false: beyond 32 bits.
static bool reach(int64_t size, int64_t stride, int64_t *total)
{
    int64_t bytes;
    return size < 2 || (clnd__multiply(size - 1, llabs(stride), &bytes) &&
                        clnd__add(*total, bytes, total) && *total <= INT32_MAX);
}

bool clnd__fits_32_bits(const clnd_move_args *args)
{
    int64_t data = args->data_offset, dense = args->dense_offset, index = args->index_offset;
    bool fit = args->rows <= most_counted && args->columns <= most_counted && data <= INT32_MAX &&
               dense <= INT32_MAX && index <= INT32_MAX;
    for (int i = 0; i < args->n_outer + args->n_slice; ++i) {
        const clnd_axis_args *axis =
            &args->axes[i < args->n_outer ? i : CLND_SLICE_AXIS(i - args->n_outer)];
        fit = fit && reach(axis->size, axis->data, &data) &&
              reach(axis->size, axis->dense, &dense) && reach(axis->size, axis->index, &index);
    }
    for (int k = 0; k < args->n_coordinates; ++k)
        fit = fit && args->coordinates[k].extent <= INT32_MAX &&
              reach(args->coordinates[k].extent, args->coordinates[k].stride, &data);
    return fit && reach(args->n_coordinates, args->index_step, &index);
}

clnd__move clnd__move_rest(const clnd__move *move)
{
    clnd__move rest = *move;
    clnd_move_args *args = &rest.args;
    clnd_axis_args *axis = &args->axes[move->rest.axis], *parts = &args->axes[move->rest.parts];
    args->rows = args->rows / (parts->size * axis->size) * move->rest.size;
    args->data_offset += parts->size * parts->data;
    args->dense_offset += parts->size * parts->dense;
    args->index_offset += parts->size * parts->index;
    parts->size = 1;
    axis->size = move->rest.size;
    rest.rest.size = 0;
    rest.global[1] = (size_t)divide_up(args->rows, args->rows_per_item);
    return rest;
}

static bool rest_fits_32_bits(const clnd__move *move)
{
    if (move->rest.size == 0)
        return true;
    const clnd__move rest = clnd__move_rest(move);
    return clnd__fits_32_bits(&rest.args);
}

void clnd__move_set_offsets(const clnd__planner *planner, clnd__move *move)
{
    const bool fit = clnd__fits_32_bits(&move->args) && rest_fits_32_bits(move) &&
                     !clnd__is_asked(planner, "long");
    move->kernel.options.offsets = fit ? sizeof(int32_t) : sizeof(int64_t);
}

void clnd__spread(const clnd__planner *planner, clnd__move *move)
{
    if (clnd__takes_lanes(planner))
        clnd__spread_lanes(planner, move);
    else
        clnd__spread_blocks(planner, move);
}

bool clnd__move_is_small(const clnd__move *move)
{
    const clnd_move_args *args = &move->args;
    return args->n_outer <= CLND_SMALL_OUTER && args->n_slice <= CLND_SMALL_SLICE &&
           args->n_coordinates <= CLND_SMALL_COORDINATES;
}

// The kind of indices that is compiled in: any kind in kernels for rows of CPUs, int32 and int64 in
// all kernels. Those that look at no index are the same for all.
static int index_option(const clnd__move *move)
{
    const clnd_i64 kind = move->args.index_kind;
    const bool rows = move->kernel.options.coordinates > 0 && move->local == 1;
    const bool compiled = rows || kind == CLND_KIND_INT32 || kind == CLND_KIND_INT64;
    return move->args.n_coordinates > 0 && compiled ? (int)kind : 0;
}

void clnd__move_set_kernel(clnd__move *move, const char *source, const char *function)
{
    clnd__kernel_options *options = &move->kernel.options;
    move->kernel.source = source;
    move->kernel.function = function;
    options->small = clnd__move_is_small(move);
    options->index = (int16_t)index_option(move);
    options->lanes = move->local > 1;
}

// Doubles on a device that has none are computed in integers.
void clnd__set_reduction(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce,
                         clnd__kernel_options *options)
{
    options->dtype = (int16_t)clnd__dtype_kind(dtype);
    options->reduce = (int16_t)reduce;
    options->soft_fp64 = clnd__dtype_needs_fp64(dtype) && !facts->fp64;
}

clnd_status clnd__move_enqueue(clnd__call *call, const clnd__move *move, int n,
                               const cl_mem *buffers)
{
    clnd__launch launch = {.kernel = move->kernel,
                           .gate = move->gate,
                           .n_buffers = n,
                           .args = &move->args,
                           .args_size = sizeof move->args,
                           .global = {move->global[0], move->global[1]},
                           .local = move->local};
    for (int i = 0; i < n; ++i)
        launch.buffers[i] = buffers[i];
    const clnd_status status = clnd__call_launch(call, &launch);
    if (status || move->rest.size == 0)
        return status;
    const clnd__move rest = clnd__move_rest(move);
    return clnd__move_enqueue(call, &rest, n, buffers);
}
