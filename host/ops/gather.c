// SPDX-License-Identifier: Apache-2.0

#include "clnd/gather.h"

#include "host/base/error.h"
#include "host/ops/indexed.h"
#include "host/shape/axis.h"

enum { PARAMS, INDICES, OUT };

static const clnd_gather_options defaults;

static clnd_status check_options(const clnd_gather_options *options)
{
    clnd_status status = clnd__check_bounds(options->bounds, options->fill, false);
    if (status || (status = clnd__check_strategy(options->strategy, CLND__MOVEMENTS)))
        return status;
    return clnd__check_reserved(CLND__COUNT_OF(options->reserved), options->reserved);
}

// What holds between params, indices and, if it is among the `n` operands, out.
static clnd_status check_relations(int n, const clnd__operand *operands,
                                   const clnd_gather_options *options, int *axis, int *batch_dims,
                                   clnd__view *result)
{
    const clnd__view *params = &operands[PARAMS].view, *indices = &operands[INDICES].view;
    const clnd__view *out = n > OUT ? &operands[OUT].view : NULL;
    const int64_t wanted_axis = options->axis;
    clnd_status status;
    if ((status = clnd__check_dtypes(n, operands)) ||
        (status = clnd__check_index_dtype(&operands[INDICES])) ||
        (out && (status = clnd__check_same_dtype(params, out))))
        return status;
    if ((status = clnd__check_ranks(n, operands)) ||
        (status = clnd__gather_resolve(params, indices, wanted_axis ? &wanted_axis : NULL,
                                       options->batch_dims, axis, batch_dims)))
        return status;
    if ((status = clnd__check_shapes(n, operands)) ||
        (status = clnd__gather_check_shapes(params, indices, *batch_dims)) ||
        (status = clnd__gather_dense_shape(params, indices, *axis, *batch_dims, "out", result)))
        return status;
    return out ? clnd__check_expected_shape(out, result) : CLND_OK;
}

clnd_status clnd_gather_shape(const clnd_tensor *params, const clnd_tensor *indices,
                              const clnd_gather_options *options, clnd_tensor *out)
{
    clnd__enter("gather");
    if (!out)
        return clnd__fail(CLND_NULL_POINTER, "out is NULL");
    if (!options)
        options = &defaults;
    clnd__operand operands[] = {{.name = "params", .tensor = params},
                                {.name = "indices", .tensor = indices}};
    const int n = CLND__COUNT_OF(operands);
    clnd__view result;
    int axis, batch_dims;
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) == CLND_OK &&
        (status = check_options(options)) == CLND_OK &&
        (status = check_relations(n, operands, options, &axis, &batch_dims, &result)) == CLND_OK)
        status = clnd__make_dense(&result);
    return clnd__give_tensor(status, &result, NULL, out);
}

clnd_status clnd_gather(clnd_engine *engine, cl_command_queue queue, const clnd_tensor *params,
                        const clnd_tensor *indices, const clnd_tensor *out,
                        const clnd_gather_options *options, cl_uint n_wait, const cl_event *wait,
                        cl_event *event)
{
    clnd__enter("gather");
    if (event)
        *event = NULL;
    if (!engine)
        return clnd__fail(CLND_NULL_POINTER, "engine is NULL");
    if (!options)
        options = &defaults;
    clnd__operand operands[] = {{.name = "params", .tensor = params},
                                {.name = "indices", .tensor = indices},
                                {.name = "out", .tensor = out, .is_output = true}};
    const int n = CLND__COUNT_OF(operands);
    clnd__policy policy;
    clnd__view result;
    clnd__call call;
    int axis, batch_dims;
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) || (status = check_options(options)) ||
        (status = clnd__policy_choose(engine, options->bounds, options->fill, false, &policy)) ||
        (status = check_relations(n, operands, options, &axis, &batch_dims, &result)) ||
        (status = clnd__check_memory(engine, n, operands)) ||
        (status = clnd__check_alignment(&operands[INDICES])) ||
        (status = clnd__call_begin(&call, engine, queue, n_wait, wait)))
        return status;
    const clnd__view *data = &operands[PARAMS].view, *index_view = &operands[INDICES].view;
    clnd__problem problem;
    clnd__gather_problem(data, index_view, &operands[OUT].view, axis, batch_dims, &problem);
    clnd__index_rule rule = {
        .check = {index_view, index_view->rank, 1, {data->shape[axis]}, false}};
    status = clnd__run_gather(&call, &problem, options->strategy, &policy, &rule, &operands[PARAMS],
                              &operands[INDICES], &operands[OUT]);
    return clnd__call_end(&call, status, event);
}
