// SPDX-License-Identifier: Apache-2.0
//
// Rows, slices and tiles moved by groups of CLND_LANES work-items, as GPUs want them: which
// problems they are, and what their kernels (kernels_cl/lanes.clh) are compiled for. Pure
// functions.

#ifndef CLND_EXEC_LANES_H
#define CLND_EXEC_LANES_H

#include "host/exec/move.h"

// What row / size is computed with, for rows below 2^31: the low half of ((row * low) >> 32) + row,
// shifted right by the high half.
int64_t clnd__lanes_inverse(int64_t size);

// Whether the rows of a lowered gather or scatter are contiguous, have few axes, and are worth a
// kernel of their own.
bool clnd__lanes_suit(const clnd__planner *planner, const clnd__move *move);

// Spreads such a move, whose policy is set, and names its kernel.
void clnd__lanes_plan(const clnd__planner *planner, const char *kernel, clnd__move *move);

// The same for any copy that is worth a kernel, all of whose axes are slice axes. `alignment`: of
// both buffers, as clnd__widest_unit has it.
void clnd__lanes_plan_copy(const clnd__planner *planner, size_t alignment, clnd__move *move);

// Sets the options by which lanes find rows and columns, which are 0 where these have many axes or
// no coordinates. The policy is set.
void clnd__lanes_set_rows(const clnd__planner *planner, clnd__move *move);

// The slice axis of the smallest step in data, other than the innermost; 0: none steps less far.
int clnd__lanes_axis_along(const clnd_move_args *args);

// Turns all slice axes of a lowered copy into rows but the innermost and axis `kept`, which becomes
// the next to it; 0: only the innermost is kept.
void clnd__lanes_slice_to_rows(clnd_move_args *args, int kept);

// Names the kernel of a move that is spread.
void clnd__lanes_set_kernel(const clnd__planner *planner, clnd__move *move, const char *kernel);

#endif
