// SPDX-License-Identifier: Apache-2.0
//
// Rows, slices and tiles moved by groups of CLND_LANES work-items, as GPUs want them: which
// problems they are, and what their kernels (kernels_cl/lanes.clh) are compiled for. Pure
// functions.

#ifndef CLND_EXEC_LANES_H
#define CLND_EXEC_LANES_H

#include "host/exec/move.h"

// Whether every offset and number that a kernel computes of the lowered problem fits into 32 bits.
bool clnd__lanes_fit_32_bits(const clnd_move_args *args);

// What row / size is computed with, for rows below 2^31: the low half of ((row * low) >> 32) + row,
// shifted right by the high half.
int64_t clnd__lanes_inverse(int64_t size);

// Whether the rows of a lowered gather or scatter have no gaps and few axes, and are worth a kernel
// of their own.
bool clnd__lanes_suit(const clnd__move *move);

// Spreads such a move and names its kernel.
void clnd__lanes_plan(const clnd_device_facts *facts, const char *kernel, clnd__move *move);

// The same for any copy that is worth a kernel, all of whose axes are slice axes. `alignment`: of
// both buffers, as clnd__widest_unit has it.
bool clnd__lanes_suit_copy(const clnd__move *move);
void clnd__lanes_plan_copy(const clnd_device_facts *facts, size_t alignment, clnd__move *move);

// Tiles of a copy all of whose axes are slice axes: bytes of local memory that a group takes; 0
// when no axis has smaller steps in data than the innermost of dense has. `*pays`: runs of both are
// so long, and have so small gaps, that the way through local memory spares accesses.
int64_t clnd__tiles_bytes(const clnd__move *move, bool *pays);
void clnd__tiles_plan(const clnd_device_facts *facts, clnd__move *move);

#endif
