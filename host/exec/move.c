// SPDX-License-Identifier: Apache-2.0

#include "host/exec/move.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/base/dtype.h"
#include "host/base/error.h"
#include "host/base/integers.h"

// Below this many bytes a work-item is not worth its start.
enum { MIN_ITEM_BYTES = 16384 };

// Work-items a compute unit: enough that an uneven share evens out, few enough to cost nothing.
enum { BLOCKS_PER_UNIT = 8, GROUPS_PER_UNIT = 32, OWNERS_PER_UNIT = 64 };

enum { CACHE_LINE = 64 };

// Bytes that lie side by side in data and in dense: the innermost slice axis where it has no gaps,
// else an element.
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
    int64_t unit = 16;
    while (all & (uint64_t)(unit - 1))
        unit /= 2;
    return unit;
}

void clnd__lower(const clnd__problem *folded, int64_t unit, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    memset(args, 0, sizeof *args);
    move->unit = unit;
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

clnd__choice clnd__choose(clnd_strategy wanted, unsigned possible, clnd__choice automatic)
{
    if (wanted != CLND_STRATEGY_AUTO)
        return (clnd__choice){wanted, "asked for by name"};
    for (int s = CLND_STRATEGY_LANES; possible >> s; ++s)
        if ((possible >> s & 1) && clnd__strategy_is_listed(clnd__strategy_name((clnd_strategy)s)))
            return (clnd__choice){(clnd_strategy)s, "asked for by name"};
    return automatic;
}

clnd_status clnd__choose_movement(const clnd_device_facts *facts, clnd_strategy wanted,
                                  clnd__choice *choice)
{
    const bool lanes = facts->max_work_group_size >= CLND_LANES;
    const unsigned possible = 1u << CLND_STRATEGY_BLOCKS | (unsigned)lanes << CLND_STRATEGY_LANES;
    clnd__choice automatic = {CLND_STRATEGY_LANES, "not a CPU: neighbours move neighbouring bytes"};
    if (facts->is_cpu)
        automatic = (clnd__choice){CLND_STRATEGY_BLOCKS, "a CPU: each thread moves whole rows"};
    else if (!lanes)
        automatic = (clnd__choice){CLND_STRATEGY_BLOCKS, "work-groups are too small for lanes"};
    *choice = clnd__choose(wanted, possible, automatic);
    if (choice->strategy == CLND_STRATEGY_LANES && !lanes)
        return clnd__fail(CLND_INVALID_OPTION,
                          "strategy LANES needs work-groups of %d, the device has at most %llu",
                          CLND_LANES, (unsigned long long)facts->max_work_group_size);
    return CLND_OK;
}

void clnd__spread_blocks(const clnd_device_facts *facts, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    const int64_t items = (int64_t)facts->compute_units * BLOCKS_PER_UNIT;
    const int64_t min_columns = divide_up(MIN_ITEM_BYTES, move->unit);
    args->rows_per_item =
        at_least(divide_up(args->rows, items), divide_up(min_columns, args->columns));
    const int64_t row_blocks = divide_up(args->rows, args->rows_per_item);
    const int64_t line = at_least(CACHE_LINE / move->unit, 1);
    const int64_t columns =
        at_least(divide_up(args->columns, divide_up(items, row_blocks)), min_columns);
    args->columns_per_item = divide_up(columns, line) * line;
    move->global[0] = (size_t)divide_up(args->columns, args->columns_per_item);
    move->global[1] = (size_t)row_blocks;
    move->local = 1;
}

void clnd__spread_lanes(const clnd_device_facts *facts, clnd__move *move)
{
    clnd__spread_pieces(facts, move->args.columns, move);
}

void clnd__spread_pieces(const clnd_device_facts *facts, int64_t pieces, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    args->lanes_shift = 0;
    while ((INT64_C(1) << args->lanes_shift) < at_most(pieces, CLND_LANES))
        ++args->lanes_shift;
    const int64_t groups = (int64_t)facts->compute_units * GROUPS_PER_UNIT;
    const int64_t row_groups =
        at_most(divide_up(args->rows, CLND_LANES >> args->lanes_shift), groups);
    const int64_t column_groups =
        at_most(divide_up(pieces, INT64_C(1) << args->lanes_shift), divide_up(groups, row_groups));
    move->global[0] = (size_t)(column_groups * CLND_LANES);
    move->global[1] = (size_t)row_groups;
    move->local = CLND_LANES;
}

void clnd__spread_tiles(const clnd_device_facts *facts, int64_t side, clnd__move *move)
{
    const clnd_move_args *args = &move->args;
    const int64_t groups = (int64_t)facts->compute_units * GROUPS_PER_UNIT;
    const int64_t tiles = divide_up(args->axes[CLND_SLICE_AXIS(0)].size, side) *
                          divide_up(args->axes[CLND_SLICE_AXIS(1)].size, side);
    const int64_t row_groups = at_most(args->rows, groups);
    move->global[0] = (size_t)(at_most(tiles, divide_up(groups, row_groups)) * CLND_LANES);
    move->global[1] = (size_t)row_groups;
    move->local = CLND_LANES;
}

void clnd__spread_not(clnd__move *move)
{
    move->args.rows_per_item = move->args.rows;
    move->args.columns_per_item = move->args.columns;
    move->global[0] = move->global[1] = move->local = 1;
}

// Columns are divided first: every owner of columns has the same work, however the indices lie.
void clnd__spread_owners(const clnd_device_facts *facts, const clnd__problem *folded,
                         clnd__move *move)
{
    clnd_move_args *args = &move->args;
    const int64_t bytes = args->columns * move->unit;
    int64_t owners =
        facts->is_cpu ? facts->compute_units : (int64_t)facts->compute_units * OWNERS_PER_UNIT;
    if (args->rows <= MIN_ITEM_BYTES / bytes)
        owners = 1;
    const int64_t granule = at_least(CACHE_LINE / move->unit, 1);
    const int64_t granules = divide_up(args->columns, granule);
    args->columns_per_item = divide_up(granules, at_most(owners, granules)) * granule;
    const int64_t column_blocks = divide_up(args->columns, args->columns_per_item);

    // Parts begin with lines: two threads that store to one take it from one another.
    int64_t first, last;
    clnd__problem_row_range(folded, &first, &last);
    first -= first % CACHE_LINE;
    const int64_t lines = divide_up(last - first + 1, CACHE_LINE);
    const int64_t parts = at_most(divide_up(owners, column_blocks), lines);
    args->part_first = first;
    args->part_bytes = divide_up(lines, parts) * CACHE_LINE;
    move->global[0] = (size_t)column_blocks;
    move->global[1] = (size_t)divide_up(last - first + 1, args->part_bytes);
    move->local = 1;
}

bool clnd__move_is_small(const clnd__move *move)
{
    const clnd_move_args *args = &move->args;
    return args->n_outer <= CLND_SMALL_OUTER && args->n_slice <= CLND_SMALL_SLICE &&
           args->n_coordinates <= CLND_SMALL_COORDINATES;
}

void clnd__move_set_kernel(clnd__move *move, const char *source, const char *function,
                           const char *format, ...)
{
    const clnd_move_args *args = &move->args;
    const int index = args->index_kind == clnd__dtype_kind(CLND_INT32)   ? 4
                      : args->index_kind == clnd__dtype_kind(CLND_INT64) ? 8
                                                                         : 0;
    char *options = move->kernel.options;
    const size_t size = sizeof move->kernel.options;
    move->kernel.source = source;
    move->kernel.function = function;
    const int length = snprintf(options, size, "-DSMALL=%d -DINDEX=%d -DLANES=%d ",
                                clnd__move_is_small(move), index, move->local > 1);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(options + length, size - (size_t)length, format, arguments);
    va_end(arguments);
}

const char *clnd__soft_option(const clnd_device_facts *facts, clnd_dtype dtype)
{
    return clnd__dtype_needs_fp64(dtype) && !facts->fp64 ? " -DSOFT_FP64=1" : "";
}

clnd_status clnd__move_enqueue(clnd__call *call, const clnd__move *move, int n,
                               const cl_mem *buffers)
{
    clnd__launch launch = {.kernel = move->kernel,
                           .n_buffers = n,
                           .args = &move->args,
                           .args_size = sizeof move->args,
                           .global = {move->global[0], move->global[1]},
                           .local = move->local};
    for (int i = 0; i < n; ++i)
        launch.buffers[i] = buffers[i];
    return clnd__call_launch(call, &launch);
}
