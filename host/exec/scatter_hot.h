// SPDX-License-Identifier: Apache-2.0
//
// Hot places of atomic scatters: where many rows select one place, their atomic operations wait for
// one another. Two launches, and nothing waits for the device:
//
//     sample   looks at some rows and leaves word whether a place is hot
//     scatter  reads the word. No: as without it. Yes: rows that meet in a work-group are combined
//              there first, and data is touched once for all of them

#ifndef CLND_EXEC_SCATTER_HOT_H
#define CLND_EXEC_SCATTER_HOT_H

#include "host/exec/move.h"
#include "host/exec/workspace.h"

typedef enum clnd__hot_way {
    CLND__HOT_IMPOSSIBLE, // rows cannot be combined with one another, or not on this device
    CLND__HOT_NEVER,      // they are not: the rows are too few, or CLND_STRATEGY has `plain`
    CLND__HOT_ASKED,      // if the sample says so
    CLND__HOT_ALWAYS,     // CLND_STRATEGY has `aggregate`
} clnd__hot_way;

typedef struct clnd__hot_plan {
    clnd__hot_way way;
    bool may_follow; // NEVER, but calls with more rows would take the kernels
    clnd__kernel_id sample;
    clnd__kernel_id scatter;
    int64_t decision; // byte of the workspace's buffer
} clnd__hot_plan;

// How an atomic scatter goes.
struct clnd__scatter_case;
clnd__hot_way clnd__hot_way_of(const struct clnd__scatter_case *scatter);

// Plans beside `move`, which scatters without all this. Sets what the workspace needs; whatever
// else it holds, this begins with its first byte.
void clnd__hot_plan_make(const clnd_device_facts *facts, clnd__hot_way way, const clnd__move *move,
                         clnd__workspace *workspace, clnd__hot_plan *plan);

// Whether the scatter is to be enqueued by clnd__hot_enqueue and not as `move`.
static inline bool clnd__hot_is_used(const clnd__hot_plan *plan)
{
    return plan->way == CLND__HOT_ASKED || plan->way == CLND__HOT_ALWAYS;
}

// Compiles the kernels, if this call or one with more rows may take them.
clnd_status clnd__hot_prepare(clnd__call *call, const clnd__hot_plan *plan);

// Enqueues the sample. Then the 32 bits at plan->decision are 1 or 0.
clnd_status clnd__hot_sample(clnd__call *call, const clnd__hot_plan *plan, const clnd__move *move,
                             cl_mem indices, cl_mem workspace);

// Enqueues it all on data, indices and dense.
clnd_status clnd__hot_enqueue(clnd__call *call, const clnd__hot_plan *plan, const clnd__move *move,
                              const cl_mem buffers[3], cl_mem workspace);

#endif
