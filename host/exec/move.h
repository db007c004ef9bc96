// SPDX-License-Identifier: Apache-2.0
//
// What the strategies share: a folded problem becomes the arguments of a kernel, and the work is
// spread over work-items.

#ifndef CLND_EXEC_MOVE_H
#define CLND_EXEC_MOVE_H

#include "host/cl/call.h"
#include "host/exec/planner.h"
#include "host/shape/problem.h"
#include "kernels_cl/args.h"

// A kernel to launch on one lowered problem.
typedef struct clnd__move {
    clnd__kernel_id kernel;
    cl_mem gate; // what the kernel obeys in place of the call's verdict; NULL: that
    clnd_move_args args;
    int64_t unit;    // bytes of a column
    clnd__rest rest; // what parts of an axis leave: a launch of its own
    size_t global[2];
    size_t local;
} clnd__move;

// The most bytes, up to 16, that can move at once: they divide all strides, offsets and contiguous
// runs, and `alignment`, that of the buffers.
int64_t clnd__widest_unit(const clnd__problem *folded, size_t alignment);

// Sets the problem's part of the move, in columns of `unit` bytes, which divides the contiguous
// runs. Clears the kernel's options.
void clnd__lower(const clnd__problem *folded, int64_t unit, clnd__move *move);

// Spread the lowered problem over the device. `spread_pieces` is `spread_lanes` where lanes take
// `pieces` of a row instead of its columns; `spread_tiles` divides the two slice axes into tiles
// of `side` units each way. `spread_owners` needs the problem for the range of bytes to divide
// among at most `owners`.
void clnd__spread_blocks(const clnd__planner *planner, clnd__move *move);
void clnd__spread_lanes(const clnd__planner *planner, clnd__move *move);
void clnd__spread_pieces(const clnd__planner *planner, int64_t pieces, clnd__move *move);
void clnd__spread_tiles(const clnd__planner *planner, int64_t side, clnd__move *move);
void clnd__spread_owners(const clnd__planner *planner, const clnd__problem *folded, int64_t owners,
                         clnd__move *move);

// As blocks or as lanes, whichever plans use.
void clnd__spread(const clnd__planner *planner, clnd__move *move);

// Whether kernels for few axes do (-DSMALL=1).
bool clnd__move_is_small(const clnd__move *move);

// Whether every offset and number that a kernel computes of the lowered problem fits into 32 bits.
bool clnd__fits_32_bits(const clnd_move_args *args);

// Sets what a kernel computes offsets in: 32 bits if they fit and the word `long` does not ask for
// 64.
void clnd__move_set_offsets(const clnd__planner *planner, clnd__move *move);

// Names the kernel of a move that is lowered and spread, and sets the options that all kernels
// have. The others stay as they are.
void clnd__move_set_kernel(clnd__move *move, const char *source, const char *function);

// The options of a kernel that combines elements.
void clnd__set_reduction(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce,
                         clnd__kernel_options *options);

// Leaves of all rows those of a chunk that begins with row `first`.
static inline void clnd__move_take_chunk(clnd_move_args *args, int64_t first, int64_t rows)
{
    args->first_row = first;
    if (args->rows - first > rows)
        args->rows = first + rows;
}

// The launch for what is left of an axis, which begins where its parts end and has fewer rows than
// one of them. Work-items have as many rows as those of the parts.
clnd__move clnd__move_rest(const clnd__move *move);

// Launches the move's kernel on `n` buffers, and once more for what is left.
clnd_status clnd__move_enqueue(clnd__call *call, const clnd__move *move, int n,
                               const cl_mem *buffers);

#endif
