// SPDX-License-Identifier: Apache-2.0
//
// The last step of every op that only moves data: from two operands of one dtype and shape to the
// enqueued copy.

#ifndef CLND_OPS_MOVE_VIEW_H
#define CLND_OPS_MOVE_VIEW_H

#include "clnd/plan.h"
#include "host/ops/operands.h"
#include "host/shape/problem.h"

// The problem of a copy between two views of one shape.
void clnd__view_problem(const clnd__view *source, const clnd__view *target, clnd__problem *problem);

// operands[1] = operands[0]. Checks memory and queue first.
clnd_status clnd__move_view(clnd_engine *engine, cl_command_queue queue, clnd__operand operands[2],
                            cl_uint n_wait, const cl_event *wait, cl_event *event);

// Plans what clnd__move_view would do.
clnd_status clnd__move_view_plan(clnd_engine *engine, clnd__operand operands[2], clnd_plan *plan);

#endif
