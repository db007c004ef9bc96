// SPDX-License-Identifier: Apache-2.0

#include "host/exec/rows.h"

#include <string.h>

// Units from one column to the next in data; 0: no whole number of them.
static int64_t data_step(const clnd__move *move)
{
    const clnd_axis_args *inner = &move->args.axes[CLND_SLICE_AXIS(0)];
    if (inner->size == 1)
        return 1;
    return inner->data % move->unit == 0 ? inner->data / move->unit : 0;
}

static bool is_contiguous_in_dense(const clnd__move *move)
{
    const clnd_axis_args *inner = &move->args.axes[CLND_SLICE_AXIS(0)];
    return move->args.n_slice == 1 && (inner->size == 1 || inner->dense == move->unit);
}

bool clnd__rows_are_contiguous(const clnd__move *move)
{
    return is_contiguous_in_dense(move) && data_step(move) == 1;
}

// The compiler of Mesa 22.3 crashes on some of these kernels, and Oclgrind lacks what LLVM makes of
// others.
bool clnd__rows_can_compile(const clnd__planner *planner)
{
    const clnd_device_facts *facts = planner->facts;
    return facts->is_cpu && strcmp(facts->platform, "rusticl") != 0 &&
           strcmp(facts->platform, "Oclgrind") != 0;
}

bool clnd__rows_are_worth_it(const clnd__planner *planner, const clnd__move *move)
{
    const clnd__cpu_tuning *tuning = &planner->tuning->cpu;
    const clnd_move_args *args = &move->args;
    return args->rows >= tuning->kernel_rows ||
           args->columns >= tuning->kernel_bytes / move->unit ||
           args->rows * args->columns * move->unit >= tuning->kernel_bytes ||
           clnd__is_asked(planner, "rows");
}

bool clnd__rows_compile(const clnd__planner *planner, const clnd__move *move)
{
    return clnd__rows_can_compile(planner) && clnd__rows_are_worth_it(planner, move);
}

bool clnd__rows_suit(const clnd__planner *planner, const clnd__move *move)
{
    return clnd__rows_compile(planner, move) && clnd__rows_are_contiguous(move) &&
           move->args.n_coordinates > 0;
}

// The step in data of rows that are moved as they are or picked out of whole vectors; 0: neither.
static int picked_step(const clnd__move *move)
{
    const int64_t step = data_step(move);
    const bool picks = step >= -4 && step <= 4 && move->unit <= (int64_t)sizeof(uint64_t);
    const bool can = step == 1 || picks;
    return can && is_contiguous_in_dense(move) ? (int)step : 0;
}

bool clnd__rows_go_past_caches(const clnd__planner *planner, const clnd__move *move)
{
    const uint64_t bytes = (uint64_t)move->args.rows * (uint64_t)(move->args.columns * move->unit);
    return (planner->facts->is_cpu && bytes >= (uint64_t)planner->tuning->cpu.streamed_bytes) ||
           clnd__is_asked(planner, "stream");
}

bool clnd__each_row_goes_past_caches(const clnd__planner *planner, const clnd__move *move)
{
    const clnd__cpu_tuning *tuning = &planner->tuning->cpu;
    const int64_t row = move->args.columns * move->unit;
    return (row % tuning->line_bytes == 0 || row >= tuning->streamed_row) &&
           clnd__rows_go_past_caches(planner, move);
}

int clnd__rows_bytes(const clnd__planner *planner, const clnd__move *move)
{
    const int64_t bytes = move->args.columns * move->unit;
    const bool whole = move->args.columns_per_item >= move->args.columns;
    return whole && bytes <= planner->tuning->cpu.longest_row ? (int)bytes : 0;
}

// Powers of two, and pixels of three.
static int copied_bytes(const clnd__planner *planner, const clnd__move *move)
{
    const int bytes = clnd__rows_bytes(planner, move);
    const bool compiled = move->args.columns == 3 || (bytes & (bytes - 1)) == 0;
    const int step = picked_step(move);
    return compiled && (step == 1 || (step == -1 && move->args.columns == 3)) ? bytes : 0;
}

// Indices as they are, or any way of adjusting them.
void clnd__rows_set_coordinates(const clnd__planner *planner, clnd__move *move)
{
    clnd__move_set_offsets(planner, move);
    move->kernel.options.coordinates = (int16_t)move->args.n_coordinates;
    move->kernel.options.unadjusted = move->args.adjust == CLND_ADJUST_NONE;
}

void clnd__rows_set_kernel(const clnd__planner *planner, clnd__move *move, const char *source,
                           const char *function)
{
    clnd__kernel_options *options = &move->kernel.options;
    options->unit = (int16_t)move->unit;
    if (move->args.n_coordinates > 0) {
        clnd__rows_set_coordinates(planner, move);
        options->row = (int16_t)clnd__rows_bytes(planner, move);
    } else {
        move->args.stream = move->args.stream && is_contiguous_in_dense(move);
        options->data_step = (int16_t)picked_step(move);
        options->row = (int16_t)copied_bytes(planner, move);
    }
    clnd__move_set_kernel(move, source, function);
}

void clnd__rows_set_slices(const clnd__planner *planner, clnd__move *move)
{
    move->kernel.options.unit = (int16_t)move->unit;
    move->kernel.options.slices = 1;
    clnd__rows_set_coordinates(planner, move);
    clnd__move_set_kernel(move, "gather_rows", "gather_rows");
}

int clnd__rows_columns(const clnd__planner *planner, const clnd__move *move, int64_t element)
{
    const clnd_axis_args *inner = &move->args.axes[CLND_SLICE_AXIS(0)];
    const int64_t columns = move->args.columns;
    const bool contiguous = columns == 1 || (inner->data == element && inner->dense == move->unit);
    const bool compiled = contiguous && columns <= planner->tuning->cpu.most_columns &&
                          move->args.columns_per_item >= columns;
    return compiled ? (int)columns : 0;
}

void clnd__rows_set_updates(const clnd__planner *planner, int64_t element, clnd__move *move)
{
    if (!clnd__rows_compile(planner, move) || move->args.n_slice != 1 ||
        move->args.n_coordinates == 0)
        return;
    clnd__rows_set_coordinates(planner, move);
    move->kernel.options.columns = (int16_t)clnd__rows_columns(planner, move, element);
}
