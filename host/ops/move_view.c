// SPDX-License-Identifier: Apache-2.0

#include "host/ops/move_view.h"

#include "host/exec/copy.h"

void clnd__view_problem(const clnd__view *source, const clnd__view *target, clnd__problem *problem)
{
    clnd__problem_begin(problem, source, target, NULL);
    for (int d = 0; d < source->rank; ++d)
        clnd__problem_add_slice(problem, source->shape[d], clnd__stride_bytes(source, d),
                                clnd__stride_bytes(target, d));
}

clnd_status clnd__move_view(clnd_engine *engine, cl_command_queue queue, clnd__operand operands[2],
                            clnd_strategy strategy, cl_uint n_wait, const cl_event *wait,
                            cl_event *event)
{
    clnd__call call;
    clnd_status status = clnd__check_memory(engine, 2, operands);
    if (status || (status = clnd__call_begin(&call, engine, queue, n_wait, wait)))
        return status;
    clnd__problem problem;
    clnd__view_problem(&operands[0].view, &operands[1].view, &problem);
    clnd__copy_plan plan;
    status = clnd__copy_plan_make(engine, problem, strategy, &operands[0].memory,
                                  &operands[1].memory, &plan);
    if (status == CLND_OK)
        status = clnd__copy_enqueue(&call, &plan);
    return clnd__call_end(&call, status, event);
}
