// SPDX-License-Identifier: Apache-2.0

#include "host/exec/lanes.h"

#include <stdlib.h>

#include "host/base/integers.h"
#include "host/exec/rows.h"

// Units that a work-item loads before it stores the first (kernels_cl/lanes.clh).
enum { AHEAD = 4 };

// Bytes that a work-item can move at once.
enum { PIECE = 16 };

// Bytes that it puts together of single units.
enum { WORD = 4 };

int64_t clnd__lanes_inverse(int64_t size)
{
    const int64_t shift = log2_up((uint64_t)size);
    const uint64_t power = UINT64_C(1) << shift;
    const uint64_t low = ((power - (uint64_t)size) << 32) / (uint64_t)size + 1;
    return (int64_t)((uint64_t)shift << 32 | low);
}

static const clnd_axis_args *inner_axis(const clnd_move_args *args)
{
    return &args->axes[CLND_SLICE_AXIS(0)];
}

static void set_offsets(const clnd__planner *planner, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    clnd__move_set_offsets(planner, move);
    if (move->kernel.options.offsets == sizeof(int32_t) && args->n_outer == 2)
        args->rows_per_item = clnd__lanes_inverse(args->axes[1].size);
}

void clnd__lanes_set_kernel(const clnd__planner *planner, clnd__move *move, const char *kernel)
{
    set_offsets(planner, move);
    move->kernel.options.unit = (int16_t)move->unit;
    clnd__move_set_kernel(move, kernel, kernel);
}

void clnd__lanes_set_rows(const clnd__planner *planner, clnd__move *move)
{
    clnd__kernel_options *options = &move->kernel.options;
    set_offsets(planner, move);
    if (!clnd__move_is_small(move) || move->args.n_slice > 1 || move->args.n_coordinates == 0)
        return;
    options->coordinates = (int16_t)move->args.n_coordinates;
    options->unadjusted = move->args.adjust == CLND_ADJUST_NONE;
    options->outer = move->args.n_outer == 1;
}

// Whether a work-item has enough to do in one row of so many pieces.
static bool is_long(int64_t pieces)
{
    return pieces >= (int64_t)AHEAD * CLND_LANES;
}

bool clnd__lanes_suit(const clnd__planner *planner, const clnd__move *move)
{
    return clnd__rows_are_contiguous(move) && move->args.n_coordinates > 0 &&
           clnd__move_is_small(move) && clnd__rows_are_worth_it(planner, move);
}

// Words that a row has at most: the first may begin before the row, and the last end behind it. 0:
// units are words themselves, or a row has less than one.
static int64_t words_of_row(const clnd__move *move)
{
    const int64_t in_word = WORD / move->unit;
    return in_word < 2 || move->args.columns < in_word
               ? 0
               : (move->args.columns + 2 * (in_word - 1)) / in_word;
}

void clnd__lanes_plan(const clnd__planner *planner, const char *kernel, clnd__move *move)
{
    clnd__kernel_options *options = &move->kernel.options;
    const bool moves = options->reduce <= CLND_REDUCE_UPDATE; // others combine elements
    const int64_t words = moves ? words_of_row(move) : 0;
    const int64_t pieces = words > 0 ? words : move->args.columns;
    clnd__spread_pieces(planner, pieces, move);
    options->words = words > 0;
    options->along = is_long(pieces);
    clnd__lanes_set_rows(planner, move);
    options->unit = (int16_t)(moves ? move->unit : 0);
    clnd__move_set_kernel(move, kernel, kernel);
}

int clnd__lanes_axis_along(const clnd_move_args *args)
{
    int best = 0;
    for (int j = 1; j < args->n_slice; ++j) {
        const int64_t step = llabs(args->axes[CLND_SLICE_AXIS(j)].data);
        if (step > 0 && step < llabs(args->axes[CLND_SLICE_AXIS(best)].data))
            best = j;
    }
    return best;
}

void clnd__lanes_slice_to_rows(clnd_move_args *args, int kept)
{
    const clnd_axis_args axis = args->axes[CLND_SLICE_AXIS(kept)];
    for (int j = kept; j > 1; --j)
        args->axes[CLND_SLICE_AXIS(j)] = args->axes[CLND_SLICE_AXIS(j - 1)];
    if (kept > 0)
        args->axes[CLND_SLICE_AXIS(1)] = axis;
    // Slice axis j is the outer axis number n_slice - 1 - j behind those that there are.
    while (args->n_slice > (kept > 0 ? 2 : 1)) {
        const clnd_axis_args row = args->axes[CLND_SLICE_AXIS(--args->n_slice)];
        args->axes[args->n_outer++] = row;
        args->rows *= row.size;
        args->columns /= row.size;
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

// Whether the slice axis next to the innermost follows it in dense without a gap, and is needed for
// rows that keep a group busy.
static bool has_pixels(const clnd__move *move)
{
    const clnd_axis_args *inner = inner_axis(&move->args);
    return move->args.n_slice > 1 && inner->size * move->unit < (int64_t)WORD * CLND_LANES &&
           move->args.axes[CLND_SLICE_AXIS(1)].dense == inner->size * inner->dense;
}

// Units of less than a word, of which dense has whole words side by side.
static bool plan_words(const clnd__planner *planner, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    const int64_t words = words_of_row(move);
    if (words == 0 || inner_axis(args)->dense != move->unit)
        return false;
    args->columns_per_item = clnd__lanes_inverse(inner_axis(args)->size);
    clnd__spread_pieces(planner, words, move);
    move->kernel.options.along = is_long(args->columns * move->unit / PIECE);
    clnd__lanes_set_kernel(planner, move, "copy_words");
    return true;
}

void clnd__lanes_plan_copy(const clnd__planner *planner, size_t alignment, clnd__move *move)
{
    clnd__move pixels = *move;
    if (has_pixels(&pixels)) {
        clnd__lanes_slice_to_rows(&pixels.args, 1);
        if (plan_words(planner, &pixels)) {
            *move = pixels;
            return;
        }
    }
    clnd__lanes_slice_to_rows(&move->args, 0);
    int step = picked_step(move, alignment);
    int64_t pieces = step ? (move->args.columns - (step > 1)) * move->unit / PIECE : 0;
    if (pieces == 0) {
        step = 0;
        pieces = move->args.columns;
    }
    if (step == 0 && plan_words(planner, move))
        return;
    clnd__spread_pieces(planner, pieces, move);
    move->kernel.options.along = is_long(pieces);
    move->kernel.options.data_step = (int16_t)step;
    clnd__lanes_set_kernel(planner, move, "copy_lanes");
}
