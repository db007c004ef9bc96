// SPDX-License-Identifier: Apache-2.0
//
// Rows that are contiguous in dense, taken many at a time by the work-items of CPUs: which problems
// they are, and what their kernels (kernels_cl/rows.clh) are compiled for.

#ifndef CLND_EXEC_ROWS_H
#define CLND_EXEC_ROWS_H

#include "host/exec/move.h"

// Whether the device is a CPU whose compiler can cope with kernels for such rows.
bool clnd__rows_can_compile(const clnd__planner *planner);

// Whether there is enough to do for kernels of its own, which take long to compile, or the word
// `rows` asks for them.
bool clnd__rows_are_worth_it(const clnd__planner *planner, const clnd__move *move);

// Both of these.
bool clnd__rows_compile(const clnd__planner *planner, const clnd__move *move);

// Whether the rows of a lowered move are contiguous in data and in dense.
bool clnd__rows_are_contiguous(const clnd__move *move);

// Whether the rows of a lowered gather or scatter are such that the device's kernels take them.
bool clnd__rows_suit(const clnd__planner *planner, const clnd__move *move);

// What kernels for rows of a move that is spread are compiled for: the bytes of a row, and, of
// updates that are applied in order, its elements, each of which has `element` bytes in data; 0:
// any number.
int clnd__rows_bytes(const clnd__planner *planner, const clnd__move *move);
int clnd__rows_columns(const clnd__planner *planner, const clnd__move *move, int64_t element);

// Whether what a move stores is more than the caches keep for whoever reads it next.
bool clnd__rows_go_past_caches(const clnd__planner *planner, const clnd__move *move);

// Likewise for rows that are not put together to whole lines: not if they are short and share
// lines, which would be stored in part past the caches, in part through them.
bool clnd__each_row_goes_past_caches(const clnd__planner *planner, const clnd__move *move);

// Sets the options of a kernel that locates many rows at a time.
void clnd__rows_set_coordinates(const clnd__planner *planner, clnd__move *move);

// Sets those of a kernel that applies rows of updates in order, once the move is spread, if the
// rows suit it. An element has `element` bytes in data.
void clnd__rows_set_updates(const clnd__planner *planner, int64_t element, clnd__move *move);

// Names the kernel of a gather whose rows do not suit, many of which are taken at a time.
void clnd__rows_set_slices(const clnd__planner *planner, clnd__move *move);

// Names the kernel of a move whose rows suit, once it is spread.
void clnd__rows_set_kernel(const clnd__planner *planner, clnd__move *move, const char *source,
                           const char *function);

#endif
