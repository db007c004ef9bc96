// SPDX-License-Identifier: Apache-2.0
//
// Rows without gaps in dense, taken many at a time by the work-items of CPUs: which problems they
// are, and what their kernels (kernels_cl/rows.clh) are compiled for.

#ifndef CLND_EXEC_ROWS_H
#define CLND_EXEC_ROWS_H

#include "host/exec/move.h"

// Rows that are compiled for: those of up to CLND__ROW_ANY bytes, and those of CLND__ROW_MOST and
// less that are a power of two. The length of all others is an argument.
enum { CLND__ROW_ANY = 32, CLND__ROW_MOST = 512 };

// Whether what the move writes goes past the caches: they cannot keep it for whoever reads it next.
bool clnd__rows_stream(const clnd_device_facts *facts, const clnd__move *move);

// Whether the rows of a lowered gather or scatter, or those of a copy, are such.
bool clnd__rows_suit(const clnd__move *move);
bool clnd__rows_suit_copy(const clnd__move *move);

// Names the kernel of a move whose rows are, once it is spread over blocks.
void clnd__rows_set_kernel(clnd__move *move, const char *source, bool stream);

#endif
