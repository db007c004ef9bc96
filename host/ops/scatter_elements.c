// SPDX-License-Identifier: Apache-2.0

#include "clnd/scatter_elements.h"

#include "host/ops/indexed.h"

static clnd__scatter_op make_op(const clnd_scatter_elements_options *options)
{
    static const clnd_scatter_elements_options defaults;
    if (!options)
        options = &defaults;
    return (clnd__scatter_op){
        .name = "scatter_elements",
        .target_name = "target",
        .indexing = &clnd__by_elements,
        .place = {.wanted_axis = options->axis},
        .default_reduce = CLND_REDUCE_UPDATE,
        .reduce = options->reduce,
        .bounds = options->bounds,
        .deterministic = options->deterministic,
        .unique_indices = options->unique_indices,
        .workspace = options->workspace,
        .report = options->report,
        .n_reserved = CLND__COUNT_OF(options->reserved),
        .reserved = options->reserved,
    };
}

clnd_status clnd_scatter_elements_check(const clnd_tensor *indices, const clnd_tensor *updates,
                                        const clnd_tensor *target,
                                        const clnd_scatter_elements_options *options)
{
    clnd__scatter_op op = make_op(options);
    return clnd__scatter_check(&op, indices, updates, target);
}

clnd_status clnd_scatter_elements(clnd_engine *engine, cl_command_queue queue,
                                  const clnd_tensor *indices, const clnd_tensor *updates,
                                  const clnd_tensor *target,
                                  const clnd_scatter_elements_options *options, cl_uint n_wait,
                                  const cl_event *wait, cl_event *event)
{
    clnd__scatter_op op = make_op(options);
    return clnd__scatter(&op, engine, queue, indices, updates, target, n_wait, wait, event);
}

clnd_status clnd_scatter_elements_plan(clnd_engine *engine, const clnd_tensor *indices,
                                       const clnd_tensor *updates, const clnd_tensor *target,
                                       const clnd_scatter_elements_options *options,
                                       clnd_plan *plan)
{
    clnd__scatter_op op = make_op(options);
    return clnd__scatter_plan_op(&op, engine, indices, updates, target, plan);
}
