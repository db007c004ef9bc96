// SPDX-License-Identifier: Apache-2.0
//
// Executor of copies: problems without coordinates. Also fills tensors with zeros.

#ifndef CLND_EXEC_COPY_H
#define CLND_EXEC_COPY_H

#include "host/exec/move.h"

typedef struct clnd__copy_plan {
    enum { CLND__COPY_NOTHING, CLND__COPY_BUFFER, CLND__COPY_KERNEL } way;
    clnd__choice choice;
    clnd__move move;
    int n_buffers;
    cl_mem buffers[4];
    size_t source_offset; // CLND__COPY_BUFFER: bytes
    size_t target_offset;
    size_t size;
} clnd__copy_plan;

// Plans dense = data of an unfolded problem, whose outer axes count as slice axes. Calls no OpenCL.
clnd_status clnd__copy_plan_make(const clnd_device_facts *facts, clnd__problem problem,
                                 clnd_strategy strategy, const clnd__memory *data,
                                 const clnd__memory *dense, clnd__copy_plan *plan);

// Plans dense = 0, all bytes. `gated`: by a kernel, since OpenCL's own fill looks at no verdict.
// Calls no OpenCL.
clnd_status clnd__zero_plan_make(const clnd_device_facts *facts, const clnd__view *dense,
                                 const clnd__memory *memory, bool gated, clnd__copy_plan *plan);

// Compiles, so that what then is enqueued can hardly be refused.
clnd_status clnd__copy_prepare(clnd__call *call, const clnd__copy_plan *plan);

// The plan's strategy; NULL when there is nothing to do.
const clnd__choice *clnd__copy_choice(const clnd__copy_plan *plan);
clnd_status clnd__copy_enqueue(clnd__call *call, const clnd__copy_plan *plan);

#endif
