// SPDX-License-Identifier: Apache-2.0

#include "clnd/scatter_elements.h"

#include "host/base/error.h"
#include "host/ops/indexed.h"
#include "host/ops/reduction.h"
#include "host/shape/axis.h"

enum { INDICES, UPDATES, TARGET };

static const clnd_scatter_elements_options defaults;

static clnd_status check_options(const clnd_scatter_elements_options *options)
{
    clnd_status status = clnd__check_bounds(options->bounds, NULL, true);
    if (status || (status = clnd__check_reduce(options->reduce)) ||
        (status = clnd__check_strategy(options->strategy, CLND__SCATTERS)))
        return status;
    return clnd__check_reserved(CLND__COUNT_OF(options->reserved), options->reserved);
}

static clnd_status check_relations(int n, const clnd__operand *operands,
                                   const clnd_scatter_elements_options *options, int *axis)
{
    const clnd__view *indices = &operands[INDICES].view, *updates = &operands[UPDATES].view;
    const clnd__view *target = &operands[TARGET].view;
    clnd_status status;
    if ((status = clnd__check_dtypes(n, operands)) ||
        (status = clnd__check_index_dtype(&operands[INDICES])) ||
        (status = clnd__check_same_dtype(updates, target)) ||
        (status = clnd__check_reduce_dtype(options->reduce, target)))
        return status;
    if ((status = clnd__check_ranks(n, operands)) ||
        (status = clnd__elements_check_ranks(target, indices)) ||
        (status = clnd__resolve_axis(target, options->axis, axis)))
        return status;
    if ((status = clnd__check_shapes(n, operands)) ||
        (status = clnd__elements_check_shapes(target, indices, *axis)))
        return status;
    return clnd__check_expected_shape(updates, indices);
}

clnd_status clnd_scatter_elements_shape(const clnd_tensor *indices, const clnd_tensor *updates,
                                        const clnd_tensor *target,
                                        const clnd_scatter_elements_options *options)
{
    clnd__enter("scatter_elements");
    if (!options)
        options = &defaults;
    clnd__operand operands[] = {{.name = "indices", .tensor = indices},
                                {.name = "updates", .tensor = updates},
                                {.name = "target", .tensor = target}};
    const int n = CLND__COUNT_OF(operands);
    int axis;
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) || (status = check_options(options)) ||
        (status = check_relations(n, operands, options, &axis)))
        return status;
    return clnd__check_dense_sizes(n, operands);
}

clnd_status clnd_scatter_elements(clnd_engine *engine, cl_command_queue queue,
                                  const clnd_tensor *indices, const clnd_tensor *updates,
                                  const clnd_tensor *target,
                                  const clnd_scatter_elements_options *options, cl_uint n_wait,
                                  const cl_event *wait, cl_event *event)
{
    clnd__enter("scatter_elements");
    if (event)
        *event = NULL;
    if (!engine)
        return clnd__fail(CLND_NULL_POINTER, "engine is NULL");
    if (!options)
        options = &defaults;
    const clnd_reduce reduce =
        options->reduce == CLND_REDUCE_DEFAULT ? CLND_REDUCE_UPDATE : options->reduce;
    clnd__operand operands[] = {{.name = "indices", .tensor = indices},
                                {.name = "updates", .tensor = updates},
                                {.name = "target", .tensor = target, .is_output = true}};
    const int n = CLND__COUNT_OF(operands);
    clnd__policy policy;
    clnd__call call;
    int axis;
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) || (status = check_options(options)) ||
        (status = clnd__policy_choose(engine, options->bounds, NULL, true, &policy)) ||
        (status = check_relations(n, operands, options, &axis)) ||
        (status = clnd__check_memory(engine, n, operands)) ||
        (status = clnd__check_alignment(&operands[INDICES])) ||
        (status =
             clnd__check_reduce_memory(engine, reduce, &operands[UPDATES], &operands[TARGET])) ||
        (status = clnd__call_begin(&call, engine, queue, n_wait, wait)))
        return status;
    const clnd__view *data = &operands[TARGET].view, *index_view = &operands[INDICES].view;
    clnd__problem problem;
    clnd__elements_problem(data, index_view, &operands[UPDATES].view, axis, &problem);
    clnd__index_rule rule = {
        .check = {index_view, index_view->rank, 1, {data->shape[axis]}, false}};
    const clnd__scatter_options wanted = {reduce, policy.adjust, options->deterministic,
                                          options->unique_indices, options->strategy};
    status = clnd__run_scatter(&call, &problem, &wanted, &policy, &rule, false, &operands[TARGET],
                               &operands[INDICES], &operands[UPDATES]);
    return clnd__call_end(&call, status, event);
}
