// SPDX-License-Identifier: Apache-2.0

#include "host/ops/indexed.h"

#include "host/exec/copy.h"
#include "host/exec/gather.h"

static clnd_status require_good(clnd__call *call, const clnd__policy *policy,
                                clnd__index_rule *rule, const clnd__operand *indices)
{
    return clnd__require_good_indices(call, policy, &rule->check, &indices->memory,
                                      rule->shape_name, rule->shape);
}

// Without coordinates no index value is looked at.
static clnd_status run_copy(clnd__call *call, const clnd__problem *problem, clnd_strategy strategy,
                            const clnd__operand *params, const clnd__operand *out)
{
    clnd__copy_plan plan;
    clnd_status status = clnd__copy_plan_make(call->engine, *problem, strategy, &params->memory,
                                              &out->memory, &plan);
    return status ? status : clnd__copy_enqueue(call, &plan);
}

clnd_status clnd__run_gather(clnd__call *call, const clnd__problem *problem, clnd_strategy strategy,
                             const clnd__policy *policy, clnd__index_rule *rule,
                             const clnd__operand *params, const clnd__operand *indices,
                             const clnd__operand *out)
{
    if (problem->n_coordinates == 0)
        return run_copy(call, problem, strategy, params, out);
    clnd__gather_plan plan;
    clnd_status status =
        clnd__gather_plan_make(call->engine, *problem, policy->adjust, policy->fill, strategy,
                               &params->memory, &indices->memory, &out->memory, &plan);
    if (status == CLND_OK)
        status = require_good(call, policy, rule, indices);
    if (status == CLND_OK)
        status = clnd__gather_enqueue(call, &plan);
    clnd__gather_release(&plan);
    return status;
}

clnd_status clnd__run_scatter(clnd__call *call, const clnd__problem *problem,
                              const clnd__scatter_options *options, const clnd__policy *policy,
                              clnd__index_rule *rule, bool zero_first, const clnd__operand *target,
                              const clnd__operand *indices, const clnd__operand *updates)
{
    clnd__copy_plan zeros = {.way = CLND__COPY_NOTHING};
    clnd__scatter_plan plan;
    clnd_status status =
        clnd__scatter_plan_make(call->engine, *problem, options, &target->memory, target->begin,
                                target->end, &indices->memory, &updates->memory, &plan);
    if (status == CLND_OK && zero_first)
        status = clnd__zero_plan_make(call->engine, &target->view, &target->memory, &zeros);
    if (status == CLND_OK)
        status = require_good(call, policy, rule, indices);
    if (status == CLND_OK)
        status = clnd__copy_enqueue(call, &zeros);
    if (status == CLND_OK)
        status = clnd__scatter_enqueue(call, &plan);
    clnd__scatter_release(&plan);
    return status;
}
