// SPDX-License-Identifier: Apache-2.0

#include "host/exec/rows.h"

#include <stdio.h>

// More coordinates than these are left to the kernels that take any number.
enum { MOST_COORDINATES = 3 };

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

bool clnd__rows_suit(const clnd__move *move)
{
    return is_gapless_in_dense(move) && data_step(move) == 1 && move->args.n_coordinates >= 1 &&
           move->args.n_coordinates <= MOST_COORDINATES;
}

bool clnd__rows_suit_copy(const clnd__move *move)
{
    const int64_t step = data_step(move);
    const bool picks = step == -1 || (step >= 2 && step <= 4);
    return is_gapless_in_dense(move) && move->args.n_coordinates == 0 &&
           (step == 1 || (picks && move->unit <= (int64_t)sizeof(uint64_t)));
}

bool clnd__rows_stream(const clnd_device_facts *facts, const clnd__move *move)
{
    const uint64_t bytes =
        (uint64_t)move->args.rows * (uint64_t)move->args.columns * (uint64_t)move->unit;
    return (facts->is_cpu && facts->cache > 0 && bytes >= facts->cache / 2) ||
           clnd__strategy_is_listed("stream");
}

void clnd__rows_set_kernel(clnd__move *move, const char *source, bool stream)
{
    const int64_t bytes = move->args.columns * move->unit;
    const int64_t step = data_step(move);
    const bool compiled = step == 1 && (bytes <= CLND__ROW_ANY ||
                                        (bytes <= CLND__ROW_MOST && (bytes & (bytes - 1)) == 0));
    char which[32];
    if (move->args.n_coordinates > 0)
        snprintf(which, sizeof which, "-DCOORDINATES=%d", (int)move->args.n_coordinates);
    else
        snprintf(which, sizeof which, "-DDATA_STEP=%d", (int)step);
    clnd__move_set_kernel(move, source, source, "-cl-std=CL1.2 -DUNIT=%d -DROW=%d %s -DSTREAM=%d",
                          (int)move->unit, compiled ? (int)bytes : 0, which, stream);
}
