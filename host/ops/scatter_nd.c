// SPDX-License-Identifier: Apache-2.0

#include "clnd/scatter_nd.h"

#include "host/ops/indexed.h"

// By default, a scatter into zeros adds and one into an existing tensor updates.
static clnd__scatter_op make_op(bool into_zeros, const clnd_scatter_nd_options *options)
{
    static const clnd_scatter_nd_options defaults;
    if (!options)
        options = &defaults;
    return (clnd__scatter_op){
        .name = into_zeros ? "scatter_nd" : "scatter_nd_into",
        .target_name = into_zeros ? "out" : "target",
        .indexing = &clnd__by_tuples,
        .zero_first = into_zeros,
        .default_reduce = into_zeros ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE,
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

clnd_status clnd_scatter_nd_check(const clnd_tensor *indices, const clnd_tensor *updates,
                                  const clnd_tensor *target, const clnd_scatter_nd_options *options)
{
    clnd__scatter_op op = make_op(false, options);
    op.name = "scatter_nd";
    return clnd__scatter_check(&op, indices, updates, target);
}

clnd_status clnd_scatter_nd(clnd_engine *engine, cl_command_queue queue, const clnd_tensor *indices,
                            const clnd_tensor *updates, const clnd_tensor *out,
                            const clnd_scatter_nd_options *options, cl_uint n_wait,
                            const cl_event *wait, cl_event *event)
{
    clnd__scatter_op op = make_op(true, options);
    return clnd__scatter(&op, engine, queue, indices, updates, out, n_wait, wait, event);
}

clnd_status clnd_scatter_nd_into(clnd_engine *engine, cl_command_queue queue,
                                 const clnd_tensor *indices, const clnd_tensor *updates,
                                 const clnd_tensor *target, const clnd_scatter_nd_options *options,
                                 cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    clnd__scatter_op op = make_op(false, options);
    return clnd__scatter(&op, engine, queue, indices, updates, target, n_wait, wait, event);
}

clnd_status clnd_scatter_nd_plan(clnd_engine *engine, const clnd_tensor *indices,
                                 const clnd_tensor *updates, const clnd_tensor *out,
                                 const clnd_scatter_nd_options *options, clnd_plan *plan)
{
    clnd__scatter_op op = make_op(true, options);
    return clnd__scatter_plan_op(&op, engine, indices, updates, out, plan);
}

clnd_status clnd_scatter_nd_into_plan(clnd_engine *engine, const clnd_tensor *indices,
                                      const clnd_tensor *updates, const clnd_tensor *target,
                                      const clnd_scatter_nd_options *options, clnd_plan *plan)
{
    clnd__scatter_op op = make_op(false, options);
    return clnd__scatter_plan_op(&op, engine, indices, updates, target, plan);
}
