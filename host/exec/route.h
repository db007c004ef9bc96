// SPDX-License-Identifier: Apache-2.0
//
// Executor of the grouping of rows by shard.

#ifndef CLND_EXEC_ROUTE_H
#define CLND_EXEC_ROUTE_H

#include "clnd/route.h"
#include "host/cl/call.h"
#include "host/exec/move.h"
#include "host/exec/planner.h"
#include "host/shape/problem.h"
#include "host/shape/view.h"
#include "kernels_cl/args.h"

// A tensor and where it lies.
typedef struct clnd__route_result {
    const clnd__view *view;
    cl_mem buffer; // NULL: it has no elements
} clnd__route_result;

typedef struct clnd__route_plan {
    clnd_route_layout layout;
    clnd__move move; // counts; spread over all work-items
    uint64_t table_bytes;
    clnd__scratch table;    // taken for the time of the call
    const int64_t *offsets; // borrowed; NULL: blocks in turn
    cl_mem layout_buffer;   // owned
    cl_mem indices, positions, places, counts;
} clnd__route_plan;

// Plans the grouping of a problem's rows: data is the table, with elements of one byte, and dense
// the positions. Calls no OpenCL.
clnd_status clnd__route_plan_make(const clnd__planner *planner, clnd__problem problem, int adjust,
                                  const clnd_shards *shards, cl_mem indices, cl_mem positions,
                                  clnd__route_result places, clnd__route_result counts,
                                  clnd__route_plan *plan);

// Compiles and allocates; release the plan with clnd__route_finish, also after a failure.
clnd_status clnd__route_prepare(clnd__call *call, clnd__route_plan *plan);
clnd_status clnd__route_enqueue(clnd__call *call, const clnd__route_plan *plan);
void clnd__route_finish(clnd__call *call, clnd_status status, clnd__route_plan *plan);

#endif
