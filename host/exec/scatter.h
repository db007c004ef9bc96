// SPDX-License-Identifier: Apache-2.0
//
// Executor of scatters.

#ifndef CLND_EXEC_SCATTER_H
#define CLND_EXEC_SCATTER_H

#include "host/exec/scatter_buckets.h"
#include "host/exec/scatter_hot.h"
#include "host/exec/scatter_private.h"
#include "host/exec/scatter_sort.h"
#include "host/exec/workspace.h"

typedef struct clnd__scatter_options {
    clnd_reduce reduce; // not DEFAULT
    int adjust;         // CLND_ADJUST_*
    bool deterministic;
    bool unique;
    clnd_strategy strategy;
    const clnd_workspace *workspace; // checked, or NULL
} clnd__scatter_options;

typedef struct clnd__scatter_plan {
    bool nothing;
    clnd__choice choice;
    clnd__move move;            // not of BUCKETS, SORT and PRIVATE
    clnd__hot_plan hot;         // of ATOMIC
    clnd__bucket_plan buckets;  // of BUCKETS
    clnd__sort_plan sort;       // of SORT
    clnd__private_plan private; // of PRIVATE
    cl_mem target;
    cl_mem indices;
    cl_mem dense;
    clnd_dtype dtype;
    bool wide; // the workspace begins with a float32 copy of the target, for sums that are rounded
               // once
    clnd_widen_args widen;
    uint64_t behind_wide; // of BUCKETS and SORT: bytes of the workspace before what they use
    bool begun;           // the first kernel has been enqueued
    clnd__workspace workspace;
} clnd__scatter_plan;

// Plans the scatter of an unfolded problem into a target whose elements lie in [begin, end) bytes
// of its buffer. Calls no OpenCL.
clnd_status clnd__scatter_plan_make(const clnd_device_facts *facts, clnd__problem problem,
                                    const clnd__scatter_options *options, const clnd__memory *data,
                                    int64_t begin, int64_t end, const clnd__memory *indices,
                                    const clnd__memory *dense, clnd__scatter_plan *plan);

// Has a target whose elements fill bytes [begin, end) of its buffer begin as zeros. False: they
// have to be there before.
bool clnd__scatter_zero_first(clnd__scatter_plan *plan, int64_t begin, int64_t end);

// The only kernel that the plan launches, which may look at its indices itself; NULL: there are
// more, or none, or it may not.
clnd__move *clnd__scatter_only_move(clnd__scatter_plan *plan);

// The kernel that looks at all rows before any other, and writes to the workspace only; NULL: there
// is none. It may be launched ahead of the rest, by clnd__scatter_enqueue_first.
clnd__kernel_id *clnd__scatter_first_kernel(clnd__scatter_plan *plan);

// Compiles and allocates, so that what then is enqueued can hardly be refused. Whatever became of
// that, end with clnd__scatter_finish.
clnd_status clnd__scatter_prepare(clnd__call *call, clnd__scatter_plan *plan);
clnd_status clnd__scatter_enqueue_first(clnd__call *call, clnd__scatter_plan *plan);
clnd_status clnd__scatter_enqueue(clnd__call *call, clnd__scatter_plan *plan);
void clnd__scatter_finish(clnd__call *call, clnd_status status, clnd__scatter_plan *plan);

#endif
