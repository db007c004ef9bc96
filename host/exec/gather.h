// SPDX-License-Identifier: Apache-2.0
//
// Executor of gathers.

#ifndef CLND_EXEC_GATHER_H
#define CLND_EXEC_GATHER_H

#include "host/exec/move.h"

typedef struct clnd__gather_plan {
    bool nothing; // no row, or nothing in a row
    clnd__move move;
    clnd__choice choice;
    cl_mem buffers[4];        // data, indices, fill, dense
    const void *fill_element; // one element, or NULL for zeros
    size_t fill_element_size;
    cl_mem fill; // owned
} clnd__gather_plan;

// Plans the gather of an unfolded problem. `adjust` is CLND_ADJUST_*; `fill`, one element or NULL
// for zeros, is what rows that are bad then are filled with. Calls no OpenCL.
clnd_status clnd__gather_plan_make(const clnd_device_facts *facts, clnd__problem problem,
                                   int adjust, const void *fill, clnd_strategy strategy,
                                   const clnd__memory *data, const clnd__memory *indices,
                                   const clnd__memory *dense, clnd__gather_plan *plan);

// Compiles and allocates, so that what then is enqueued can hardly be refused. Release the plan
// with clnd__gather_release, also after a failure.
clnd_status clnd__gather_prepare(clnd__call *call, clnd__gather_plan *plan);
clnd_status clnd__gather_enqueue(clnd__call *call, const clnd__gather_plan *plan);
void clnd__gather_release(clnd__gather_plan *plan);

#endif
