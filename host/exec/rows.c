// SPDX-License-Identifier: Apache-2.0

#include "host/exec/rows.h"

#include <stdio.h>
#include <string.h>

// Of rows that are compiled for, the longest.
enum { MOST_ROW = 512 };

// Work that is worth kernels of its own.
enum { LEAST_ROWS = 512, LEAST_BYTES = 16384 };

// Units from one column to the next in data; 0: no whole number of them.
static int64_t data_step(const clnd__move *move)
{
    const clnd_axis_args *inner = &move->args.axes[CLND_SLICE_AXIS(0)];
    if (inner->size == 1)
        return 1;
    return inner->data % move->unit == 0 ? inner->data / move->unit : 0;
}

static bool is_gapless_in_dense(const clnd__move *move)
{
    const clnd_axis_args *inner = &move->args.axes[CLND_SLICE_AXIS(0)];
    return move->args.n_slice == 1 && (inner->size == 1 || inner->dense == move->unit);
}

bool clnd__rows_are_gapless(const clnd__move *move)
{
    return is_gapless_in_dense(move) && data_step(move) == 1;
}

// The compiler of Mesa 22.3 crashes on some of these kernels, and Oclgrind lacks what LLVM makes of
// others.
bool clnd__rows_can_compile(const clnd_device_facts *facts)
{
    return facts->is_cpu && strcmp(facts->platform, "rusticl") != 0 &&
           strcmp(facts->platform, "Oclgrind") != 0;
}

// A kernel that is compiled for some kind of rows must have more to do than compiling it costs.
bool clnd__rows_are_worth_it(const clnd__move *move)
{
    const clnd_move_args *args = &move->args;
    return args->rows >= LEAST_ROWS || args->columns >= LEAST_BYTES / move->unit ||
           args->rows * args->columns * move->unit >= LEAST_BYTES ||
           clnd__strategy_is_listed("rows");
}

bool clnd__rows_compile(const clnd_device_facts *facts, const clnd__move *move)
{
    return clnd__rows_can_compile(facts) && clnd__rows_are_worth_it(move);
}

bool clnd__rows_suit(const clnd_device_facts *facts, const clnd__move *move)
{
    return clnd__rows_compile(facts, move) && clnd__rows_are_gapless(move) &&
           move->args.n_coordinates >= 1 && move->args.n_coordinates <= CLND__ROWS_COORDINATES;
}

bool clnd__rows_suit_copy(const clnd_device_facts *facts, const clnd__move *move)
{
    const int64_t step = data_step(move);
    const bool picks = step == -1 || (step >= 2 && step <= 4);
    return clnd__rows_compile(facts, move) && is_gapless_in_dense(move) &&
           move->args.n_coordinates == 0 &&
           (step == 1 || (picks && move->unit <= (int64_t)sizeof(uint64_t)));
}

bool clnd__rows_go_past_caches(const clnd_device_facts *facts, const clnd__move *move)
{
    const uint64_t bytes =
        (uint64_t)move->args.rows * (uint64_t)move->args.columns * (uint64_t)move->unit;
    return (facts->is_cpu && facts->cache > 0 && bytes >= facts->cache / 2) ||
           clnd__strategy_is_listed("stream");
}

// Powers of two, and pixels of three.
int clnd__rows_bytes(const clnd__move *move)
{
    const int64_t bytes = move->args.columns * move->unit;
    const bool power = (bytes & (bytes - 1)) == 0;
    if (move->args.columns_per_item < move->args.columns || data_step(move) != 1)
        return 0;
    return move->args.columns == 3 || (power && bytes <= MOST_ROW) ? (int)bytes : 0;
}

// Indices as they are, or any way of adjusting them.
void clnd__rows_coordinate_options(const clnd__move *move, char options[CLND__COORDINATE_OPTIONS])
{
    snprintf(options, CLND__COORDINATE_OPTIONS, " -DCOORDINATES=%d%s",
             (int)move->args.n_coordinates,
             move->args.adjust == CLND_ADJUST_NONE ? " -DADJUST=0" : "");
}

void clnd__rows_set_kernel(const clnd_device_facts *facts, clnd__move *move, const char *source,
                           const char *function)
{
    char which[CLND__COORDINATE_OPTIONS];
    if (move->args.n_coordinates > 0)
        clnd__rows_coordinate_options(move, which);
    else
        snprintf(which, sizeof which, " -DDATA_STEP=%d", (int)data_step(move));
    move->args.stream = clnd__rows_go_past_caches(facts, move);
    clnd__move_set_kernel(move, source, function, "-cl-std=CL1.2 -DUNIT=%d -DROW=%d%s",
                          (int)move->unit, clnd__rows_bytes(move), which);
}

int clnd__rows_columns(const clnd__move *move, int64_t element)
{
    const clnd_axis_args *inner = &move->args.axes[CLND_SLICE_AXIS(0)];
    const int64_t columns = move->args.columns;
    const bool gapless = columns == 1 || (inner->data == element && inner->dense == move->unit);
    const bool compiled = gapless && (columns == 1 || columns == 2 || columns == 4) &&
                          move->args.columns_per_item >= columns;
    return compiled ? (int)columns : 0;
}

void clnd__rows_update_options(const clnd_device_facts *facts, const clnd__move *move,
                               int64_t element, char options[64])
{
    const int64_t n = move->args.n_coordinates;
    options[0] = '\0';
    if (!clnd__rows_compile(facts, move) || move->args.n_slice != 1 || n < 1 ||
        n > CLND__ROWS_COORDINATES)
        return;
    char coordinates[CLND__COORDINATE_OPTIONS];
    clnd__rows_coordinate_options(move, coordinates);
    snprintf(options, 64, "%s -DCOLUMNS=%d", coordinates, clnd__rows_columns(move, element));
}
