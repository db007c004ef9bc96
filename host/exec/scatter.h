// SPDX-License-Identifier: Apache-2.0
//
// Executor of scatters.

#ifndef CLND_EXEC_SCATTER_H
#define CLND_EXEC_SCATTER_H

#include "host/exec/move.h"

typedef struct clnd__scatter_options {
    clnd_reduce reduce; // not DEFAULT
    int adjust;         // CLND_ADJUST_*
    bool deterministic;
    bool unique;
    clnd_strategy strategy;
} clnd__scatter_options;

typedef struct clnd__scatter_plan {
    bool nothing;
    clnd_strategy strategy; // STORE, ATOMIC or OWNER
    clnd__move move;
    cl_mem buffers[3]; // data, indices, dense
    cl_mem wide;       // owned; float32 copy of the target, for sums that are rounded once, or NULL
    cl_mem target;     // what `wide` is a copy of
    clnd_widen_args widen;
    clnd_dtype dtype;
} clnd__scatter_plan;

// Plans the scatter of an unfolded problem into a target whose elements lie in [begin, end) bytes
// of its buffer. Release the plan with clnd__scatter_release, also after a failure.
clnd_status clnd__scatter_plan_make(clnd_engine *engine, clnd__problem problem,
                                    const clnd__scatter_options *options, const clnd__memory *data,
                                    int64_t begin, int64_t end, const clnd__memory *indices,
                                    const clnd__memory *dense, clnd__scatter_plan *plan);
clnd_status clnd__scatter_enqueue(clnd__call *call, const clnd__scatter_plan *plan);
void clnd__scatter_release(clnd__scatter_plan *plan);

#endif
