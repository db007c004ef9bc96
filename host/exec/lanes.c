// SPDX-License-Identifier: Apache-2.0

#include "host/exec/lanes.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/base/checked.h"
#include "host/exec/rows.h"

// Units that a work-item moves together, as in kernels_cl/lanes.clh.
enum { TURNS = 4 };

// More coordinates or row axes than these are left to the kernels that take any number.
enum { MOST_COORDINATES = 3 };

// Bytes that a work-item can move at once.
enum { PIECE = 16 };

// Counters run up to five times the number that they count.
static const int64_t most_counted = INT32_MAX / 8;

// Of smaller steps, two units share what a GPU fetches at once: 64 bytes at least.
enum { GRANULE = 64 };

// Adds what `size` steps reach, of either sign; false: beyond 32 bits.
static bool reach(int64_t size, int64_t stride, int64_t *total)
{
    int64_t bytes;
    return size < 2 || (clnd__multiply(size - 1, llabs(stride), &bytes) &&
                        clnd__add(*total, bytes, total) && *total <= INT32_MAX);
}

bool clnd__lanes_fit_32_bits(const clnd_move_args *args)
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

int64_t clnd__lanes_inverse(int64_t size)
{
    int shift = 0;
    while ((INT64_C(1) << shift) < size)
        ++shift;
    const uint64_t power = UINT64_C(1) << shift;
    const uint64_t low = ((power - (uint64_t)size) << 32) / (uint64_t)size + 1;
    return (int64_t)((uint64_t)shift << 32 | low);
}

static const clnd_axis_args *inner_axis(const clnd_move_args *args)
{
    return &args->axes[CLND_SLICE_AXIS(0)];
}

static bool has_small_axes(const clnd_move_args *args)
{
    return args->n_outer <= CLND_SMALL_OUTER && args->n_coordinates <= MOST_COORDINATES;
}

// Names the kernel of a move that is spread. `CLND_STRATEGY=long` asks for 64 bits.
static void set_kernel(clnd__move *move, const char *kernel, const char *more)
{
    clnd_move_args *args = &move->args;
    const bool fit = clnd__lanes_fit_32_bits(args) && !clnd__strategy_is_listed("long");
    if (fit && args->n_outer == 2)
        args->rows_per_item = clnd__lanes_inverse(args->axes[1].size);
    clnd__move_set_kernel(move, kernel, kernel, "-cl-std=CL1.2 -DUNIT=%d -DOFFSETS=%d%s",
                          (int)move->unit, fit ? 4 : 8, more);
}

// Whether a work-item has enough to do in one row of so many pieces.
static bool is_long(int64_t pieces)
{
    return pieces >= (int64_t)TURNS * CLND_LANES;
}

bool clnd__lanes_suit(const clnd__move *move)
{
    const clnd_axis_args *inner = inner_axis(&move->args);
    const bool gapless =
        inner->size == 1 || (inner->data == move->unit && inner->dense == move->unit);
    return move->args.n_slice == 1 && gapless && move->args.n_coordinates >= 1 &&
           has_small_axes(&move->args) && clnd__rows_are_worth_it(move);
}

void clnd__lanes_plan(const clnd_device_facts *facts, const char *kernel, clnd__move *move)
{
    char more[40];
    clnd__spread_lanes(facts, move);
    snprintf(more, sizeof more, " -DALONG=%d -DCOORDINATES=%d", is_long(move->args.columns),
             (int)move->args.n_coordinates);
    set_kernel(move, kernel, more);
}

bool clnd__lanes_suit_copy(const clnd__move *move)
{
    return move->args.n_coordinates == 0 && clnd__rows_are_worth_it(move);
}

// All slice axes but the innermost become rows: slice axis j is the outer axis number n_slice - 1 -
// j behind those that there are.
static void slice_to_rows(clnd_move_args *args)
{
    while (args->n_slice > 1) {
        const clnd_axis_args axis = args->axes[CLND_SLICE_AXIS(--args->n_slice)];
        args->axes[args->n_outer++] = axis;
        args->rows *= axis.size;
        args->columns /= axis.size;
    }
}

// The step in data whose units are picked out of whole pieces; 0: none.
static int picked_step(const clnd__move *move, size_t alignment)
{
    const clnd_move_args *args = &move->args;
    const clnd_axis_args *inner = inner_axis(args);
    const int64_t step = inner->data % move->unit ? 0 : inner->data / move->unit;
    const bool picks = step == -1 || step == 2 || (move->unit < 8 && (step == 3 || step == 4));
    if (!picks || move->unit > 8 || inner->dense != move->unit)
        return 0;
    uint64_t all = alignment | (uint64_t)args->dense_offset |
                   (uint64_t)(args->data_offset + (step < 0 ? move->unit : 0));
    for (int i = 0; i < args->n_outer; ++i)
        all |= (uint64_t)args->axes[i].data | (uint64_t)args->axes[i].dense;
    return all % PIECE ? 0 : (int)step;
}

void clnd__lanes_plan_copy(const clnd_device_facts *facts, size_t alignment, clnd__move *move)
{
    slice_to_rows(&move->args);
    int step = picked_step(move, alignment);
    int64_t pieces = step ? (move->args.columns - (step > 1)) * move->unit / PIECE : 0;
    if (pieces == 0) {
        step = 0;
        pieces = move->args.columns;
    }
    char more[40];
    clnd__spread_pieces(facts, pieces, move);
    snprintf(more, sizeof more, " -DALONG=%d -DDATA_STEP=%d", is_long(pieces), step);
    set_kernel(move, "copy_lanes", more);
}

// Units along a side of a tile, and from line to line, as in kernels_cl/copy_tiles.cl.
static int64_t tile_side(int64_t unit)
{
    return unit >= 8 ? 16 : unit == 4 ? 32 : 64;
}

static int64_t tile_pitch(int64_t unit)
{
    return tile_side(unit) + (unit < 4 ? 4 / unit : 1);
}

// The slice axis of the smallest step in data, other than the innermost; 0: none steps less far.
static int axis_along(const clnd_move_args *args)
{
    int best = 0;
    for (int j = 1; j < args->n_slice; ++j) {
        const int64_t step = llabs(args->axes[CLND_SLICE_AXIS(j)].data);
        if (step > 0 && step < llabs(args->axes[CLND_SLICE_AXIS(best)].data))
            best = j;
    }
    return best;
}

int64_t clnd__tiles_bytes(const clnd__move *move, bool *pays)
{
    const clnd_move_args *args = &move->args;
    const int j = args->n_coordinates == 0 ? axis_along(args) : 0;
    *pays = false;
    if (j == 0)
        return 0;
    const int64_t side = tile_side(move->unit);
    const clnd_axis_args *across = inner_axis(args), *along = &args->axes[CLND_SLICE_AXIS(j)];
    *pays = across->size >= side / 2 && along->size >= side / 2 && across->dense < GRANULE &&
            llabs(along->data) < GRANULE && llabs(across->data) >= GRANULE &&
            clnd__rows_are_worth_it(move);
    return side * tile_pitch(move->unit) * move->unit;
}

void clnd__tiles_plan(const clnd_device_facts *facts, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    const int j = axis_along(args);
    const clnd_axis_args along = args->axes[CLND_SLICE_AXIS(j)];
    for (int i = j; i < args->n_slice - 1; ++i)
        args->axes[CLND_SLICE_AXIS(i)] = args->axes[CLND_SLICE_AXIS(i + 1)];
    --args->n_slice;
    slice_to_rows(args);
    args->axes[CLND_SLICE_AXIS(1)] = along;
    args->n_slice = 2;
    clnd__spread_tiles(facts, tile_side(move->unit), move);
    set_kernel(move, "copy_tiles", "");
}
