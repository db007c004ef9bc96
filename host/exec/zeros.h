// SPDX-License-Identifier: Apache-2.0
//
// Executor that fills tensors with zeros.

#ifndef CLND_EXEC_ZEROS_H
#define CLND_EXEC_ZEROS_H

#include "host/exec/move.h"

typedef struct clnd__zeros_plan {
    enum { CLND__ZEROS_NOTHING, CLND__ZEROS_BUFFER, CLND__ZEROS_KERNEL } way;
    const char *strategy; // as that of a copy; NULL: nothing
    cl_mem buffer;
    clnd__move move;
    size_t offset; // of OpenCL's own fill: bytes
    size_t size;
} clnd__zeros_plan;

// Plans dense = 0, all bytes. `gated`: by a kernel, since OpenCL's own fill looks at no verdict.
// Calls no OpenCL.
void clnd__zeros_plan_make(const clnd__planner *planner, const clnd__view *dense,
                           const clnd__memory *memory, bool gated, clnd__zeros_plan *plan);

// Compiles, so that what then is enqueued can hardly be refused.
clnd_status clnd__zeros_prepare(clnd__call *call, const clnd__zeros_plan *plan);
clnd_status clnd__zeros_enqueue(clnd__call *call, const clnd__zeros_plan *plan);

#endif
