// SPDX-License-Identifier: Apache-2.0
//
// Rows without gaps in dense, taken many at a time by the work-items of CPUs: which problems they
// are, and what their kernels (kernels_cl/rows.clh) are compiled for.

#ifndef CLND_EXEC_ROWS_H
#define CLND_EXEC_ROWS_H

#include "host/exec/move.h"

// More coordinates than these are left to the kernels that take any number.
enum { CLND__ROWS_COORDINATES = 3 };

// Whether the device is a CPU whose compiler can cope with kernels for such rows.
bool clnd__rows_can_compile(const clnd_device_facts *facts);

// Whether there is enough to do for kernels of its own, which take long to compile, or
// CLND_STRATEGY has the word `rows`.
bool clnd__rows_are_worth_it(const clnd__move *move);

// Whether kernels for such rows, or for indices that are looked at many at a time, are worth it,
// too.
bool clnd__rows_compile(const clnd_device_facts *facts, const clnd__move *move);

// Whether the rows of a lowered move have no gaps, neither in data nor in dense.
bool clnd__rows_are_gapless(const clnd__move *move);

// Whether the rows of a lowered gather or scatter, or those of a copy, are such that the
// device's kernels take them.
bool clnd__rows_suit(const clnd_device_facts *facts, const clnd__move *move);
bool clnd__rows_suit_copy(const clnd_device_facts *facts, const clnd__move *move);

// What kernels for rows of a move that is spread are compiled for: the bytes of a row, and, of
// updates that are applied in order, its elements, of which each has `element` bytes in data; 0:
// any number.
int clnd__rows_bytes(const clnd__move *move);
int clnd__rows_columns(const clnd__move *move, int64_t element);

// Whether what a move stores is more than the caches keep for whoever reads it next.
bool clnd__rows_go_past_caches(const clnd_device_facts *facts, const clnd__move *move);

// The options of a kernel that finds places of many rows at a time.
enum { CLND__COORDINATE_OPTIONS = 40 };
void clnd__rows_coordinate_options(const clnd__move *move, char options[CLND__COORDINATE_OPTIONS]);

// The options of a kernel that applies rows of updates in order, once the move is spread: none
// where they do not suit. An element has `element` bytes in data.
void clnd__rows_update_options(const clnd_device_facts *facts, const clnd__move *move,
                               int64_t element, char options[64]);

// Names the kernel of a move whose rows are, once it is spread, and has it store past the caches
// what they cannot keep.
void clnd__rows_set_kernel(const clnd_device_facts *facts, clnd__move *move, const char *source,
                           const char *function);

#endif
