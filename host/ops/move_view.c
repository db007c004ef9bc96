// SPDX-License-Identifier: Apache-2.0

#include "host/ops/move_view.h"

#include "host/exec/gather.h"
#include "host/ops/plan.h"

void clnd__view_problem(const clnd__view *source, const clnd__view *target, clnd__problem *problem)
{
    clnd__problem_begin(problem, source, target, NULL);
    for (int d = 0; d < source->rank; ++d)
        clnd__problem_add_slice(problem, source->shape[d], clnd__stride_bytes(source, d),
                                clnd__stride_bytes(target, d));
}

static clnd_status plan_move(const clnd__planner *planner, const clnd__operand *operands,
                             clnd__gather_plan *copy)
{
    clnd__problem problem;
    clnd__view_problem(&operands[0].view, &operands[1].view, &problem);
    return clnd__gather_plan_make(planner, problem, CLND_ADJUST_NONE, NULL, &operands[0].memory,
                                  NULL, &operands[1].memory, copy);
}

clnd_status clnd__move_view(clnd_engine *engine, cl_command_queue queue, clnd__operand operands[2],
                            cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    const clnd__planner planner = clnd__planner_of(engine);
    clnd__call call;
    clnd__gather_plan copy;
    clnd_status status;
    if ((status = clnd__check_memory(engine, 2, operands)) ||
        (status = clnd__call_begin(&call, engine, queue, n_wait, wait)) ||
        (status = plan_move(&planner, operands, &copy)))
        return status;
    status = clnd__gather_prepare(&call, &copy);
    if (status == CLND_OK)
        status = clnd__gather_enqueue(&call, &copy);
    return clnd__call_end(&call, status, event);
}

clnd_status clnd__move_view_plan(clnd_engine *engine, clnd__operand operands[2], clnd_plan *plan)
{
    const clnd__planner planner = clnd__planner_of(engine);
    clnd__gather_plan copy;
    clnd_status status = clnd__check_planned_memory(engine, 2, operands);
    if (status == CLND_OK)
        status = plan_move(&planner, operands, &copy);
    if (status == CLND_OK)
        clnd__give_plan(copy.strategy ? copy.strategy->name : NULL, copy.reason, 0, plan);
    return status;
}
