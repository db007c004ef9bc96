// SPDX-License-Identifier: Apache-2.0
//
// How ATOMIC makes updates that may meet, and how many elements it takes at once.

#ifndef CLND_EXEC_SCATTER_ATOMICS_H
#define CLND_EXEC_SCATTER_ATOMICS_H

#include "host/exec/move.h"

typedef struct clnd__atomics {
    int way;  // CLND_ATOMIC_*
    int pack; // elements of a column
} clnd__atomics;

// The best way that there is, or the one that CLND_STRATEGY asks for, and the problem lowered for
// it into move. `data` and `dense` say how memory is aligned.
clnd__atomics clnd__atomics_lower(const clnd_device_facts *facts, const clnd__problem *problem,
                                  clnd_reduce reduce, const clnd__memory *data,
                                  const clnd__memory *dense, clnd__move *move);

#endif
