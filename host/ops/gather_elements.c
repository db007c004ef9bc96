// SPDX-License-Identifier: Apache-2.0

#include "clnd/gather_elements.h"

#include "host/ops/indexed.h"

static clnd__gather_op make_op(const clnd_gather_elements_options *options)
{
    static const clnd_gather_elements_options defaults;
    if (!options)
        options = &defaults;
    return (clnd__gather_op){
        .name = "gather_elements",
        .indexing = &clnd__by_elements,
        .place = {.wanted_axis = options->axis},
        .bounds = options->bounds,
        .fill = options->fill,
        .report = options->report,
        .n_reserved = CLND__COUNT_OF(options->reserved),
        .reserved = options->reserved,
    };
}

clnd_status clnd_gather_elements_shape(const clnd_tensor *params, const clnd_tensor *indices,
                                       const clnd_gather_elements_options *options,
                                       clnd_tensor *out)
{
    clnd__gather_op op = make_op(options);
    return clnd__gather_shape(&op, params, indices, out);
}

clnd_status clnd_gather_elements(clnd_engine *engine, cl_command_queue queue,
                                 const clnd_tensor *params, const clnd_tensor *indices,
                                 const clnd_tensor *out,
                                 const clnd_gather_elements_options *options, cl_uint n_wait,
                                 const cl_event *wait, cl_event *event)
{
    clnd__gather_op op = make_op(options);
    return clnd__gather(&op, engine, queue, params, indices, out, n_wait, wait, event);
}

clnd_status clnd_gather_elements_plan(clnd_engine *engine, const clnd_tensor *params,
                                      const clnd_tensor *indices, const clnd_tensor *out,
                                      const clnd_gather_elements_options *options, clnd_plan *plan)
{
    clnd__gather_op op = make_op(options);
    return clnd__gather_plan_op(&op, engine, params, indices, out, plan);
}
