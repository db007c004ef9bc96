// SPDX-License-Identifier: Apache-2.0

#include "host/exec/wide.h"

#include <inttypes.h>

#include "host/base/dtype.h"
#include "host/base/error.h"

uint64_t clnd__wide_bytes(const clnd__scatter_case *c)
{
    const int64_t wide = (int64_t)sizeof(float);
    return c->elements > INT64_MAX / wide ? 0 : (uint64_t)(c->elements * wide);
}

clnd__problem clnd__wide_problem(const clnd__scatter_case *c)
{
    clnd__problem problem = *c->problem;
    clnd__problem_scale_data(&problem, c->begin, (int64_t)sizeof(float), c->element);
    return problem;
}

clnd_status clnd__wide_plan(const clnd__scatter_case *c, clnd__problem *problem,
                            clnd__scatter_plan *plan)
{
    const int64_t offset = clnd__workspace_offset(&plan->workspace);
    plan->workspace.bytes = clnd__wide_bytes(c);
    if (plan->workspace.bytes == 0)
        return clnd__fail(CLND_SIZE_OVERFLOW,
                          "a float32 copy of the target's %" PRId64 " bytes does not fit 63 bits",
                          c->end - c->begin);
    plan->wide = true;
    plan->widen = (clnd_widen_args){c->begin, offset, c->elements};
    *problem = clnd__wide_problem(c);
    problem->data_offset += offset;
    return CLND_OK;
}

static clnd__kernel_id kernel_of(const clnd__scatter_plan *plan, const char *function)
{
    return (clnd__kernel_id){.source = "widen",
                             .function = function,
                             .options.dtype = (int16_t)clnd__dtype_kind(plan->dtype)};
}

clnd_status clnd__wide_prepare(clnd__call *call, const clnd__scatter_plan *plan)
{
    if (!plan->wide)
        return CLND_OK;
    const clnd__kernel_id widen = kernel_of(plan, "widen"), narrow = kernel_of(plan, "narrow");
    const clnd_status status = clnd__call_prepare(call, &widen);
    return status ? status : clnd__call_prepare(call, &narrow);
}

clnd_status clnd__wide_enqueue(clnd__call *call, const clnd__scatter_plan *plan,
                               const char *function)
{
    if (!plan->wide)
        return CLND_OK;
    const clnd__planner planner = clnd__planner_of(call->engine);
    const size_t local = clnd__has_lanes(&planner) ? CLND_LANES : 1;
    const size_t groups = (size_t)planner.tuning->gpu.convert_groups;
    const clnd__launch launch = {.kernel = kernel_of(plan, function),
                                 .n_buffers = 2,
                                 .buffers = {plan->target, plan->workspace.buffer},
                                 .args = &plan->widen,
                                 .args_size = sizeof plan->widen,
                                 .global = {groups * local, 1},
                                 .local = local};
    return clnd__call_launch(call, &launch);
}
