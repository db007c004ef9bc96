// SPDX-License-Identifier: Apache-2.0
//
// Executor of gathers and copies. A copy is a gather without coordinates.

#ifndef CLND_EXEC_GATHER_H
#define CLND_EXEC_GATHER_H

#include "host/exec/move.h"

// What a strategy is chosen and planned from: a folded problem. A copy has all its axes in the
// slice.
typedef struct clnd__gather_case {
    const clnd__planner *planner;
    const clnd__problem *problem;
    int adjust;       // CLND_ADJUST_*
    bool fills;       // bad rows get a fill value; otherwise zeros
    size_t alignment; // of data and dense
    int64_t unit;     // the widest
} clnd__gather_case;

typedef struct clnd__gather_plan {
    const struct clnd__gather_strategy *strategy; // NULL: no row, or nothing in a row
    const char *reason;                           // static text
    clnd__move move;
    int n_buffers; // of the move's kernel: data and dense, or all four
    bool checks;   // the move's kernel can tell on its way whether a row is bad
    cl_mem data, indices, dense;
    const void *fill_element; // one element, or NULL for zeros
    size_t fill_element_size;
    cl_mem fill_buffer; // owned
} clnd__gather_plan;

typedef struct clnd__gather_strategy {
    const char *name;
    // Why it cannot do the case; NULL: it can. Static text, a sentence without its subject.
    const char *(*why_not)(const clnd__gather_case *c);
    // Why it is better than those behind it in the table; NULL: it is not. Static text.
    const char *(*pays)(const clnd__gather_case *c);
    // Sets move, and n_buffers if it has a kernel.
    void (*plan)(const clnd__gather_case *c, clnd__gather_plan *plan);
} clnd__gather_strategy;

// Plans the gather of an unfolded problem. `fill`, one element or NULL for zeros, is what rows that
// are bad under `adjust` are filled with. Of a copy, which has no coordinates, `indices` is NULL.
// Calls no OpenCL.
clnd_status clnd__gather_plan_make(const clnd__planner *planner, clnd__problem problem, int adjust,
                                   const void *fill, const clnd__memory *data,
                                   const clnd__memory *indices, const clnd__memory *dense,
                                   clnd__gather_plan *plan);

// Compiles and allocates, so that what then is enqueued can hardly be refused. Release the plan
// with clnd__gather_release, also after a failure.
clnd_status clnd__gather_prepare(clnd__call *call, clnd__gather_plan *plan);
clnd_status clnd__gather_enqueue(clnd__call *call, const clnd__gather_plan *plan);
void clnd__gather_release(clnd__gather_plan *plan);

#endif
