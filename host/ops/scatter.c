// SPDX-License-Identifier: Apache-2.0

#include "clnd/scatter.h"

#include "host/ops/indexed.h"

static clnd__scatter_op make_op(const clnd_scatter_options *options)
{
    static const clnd_scatter_options defaults;
    if (!options)
        options = &defaults;
    return (clnd__scatter_op){
        .name = "scatter",
        .target_name = "target",
        .indexing = &clnd__along_axis,
        .place = {.wanted_axis = options->axis, .wanted_batch_dims = options->batch_dims},
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

clnd_status clnd_scatter_check(const clnd_tensor *indices, const clnd_tensor *updates,
                               const clnd_tensor *target, const clnd_scatter_options *options)
{
    clnd__scatter_op op = make_op(options);
    return clnd__scatter_check(&op, indices, updates, target);
}

clnd_status clnd_scatter(clnd_engine *engine, cl_command_queue queue, const clnd_tensor *indices,
                         const clnd_tensor *updates, const clnd_tensor *target,
                         const clnd_scatter_options *options, cl_uint n_wait, const cl_event *wait,
                         cl_event *event)
{
    clnd__scatter_op op = make_op(options);
    return clnd__scatter(&op, engine, queue, indices, updates, target, n_wait, wait, event);
}

clnd_status clnd_scatter_plan(clnd_engine *engine, const clnd_tensor *indices,
                              const clnd_tensor *updates, const clnd_tensor *target,
                              const clnd_scatter_options *options, clnd_plan *plan)
{
    clnd__scatter_op op = make_op(options);
    return clnd__scatter_plan_op(&op, engine, indices, updates, target, plan);
}
