// SPDX-License-Identifier: Apache-2.0

#include "clnd/scatter_nd.h"

#include "host/base/error.h"
#include "host/ops/indexed.h"
#include "host/ops/reduction.h"
#include "host/shape/nd.h"

enum { INDICES, UPDATES, TARGET };

static const clnd_scatter_nd_options defaults;

static clnd_status check_options(const clnd_scatter_nd_options *options)
{
    clnd_status status = clnd__check_bounds(options->bounds, NULL, true);
    if (status || (status = clnd__check_reduce(options->reduce)) ||
        (status = clnd__check_strategy(options->strategy, CLND__SCATTERS)))
        return status;
    return clnd__check_reserved(CLND__COUNT_OF(options->reserved), options->reserved);
}

static clnd_status check_relations(int n, const clnd__operand *operands, clnd_reduce reduce,
                                   int *depth)
{
    const clnd__view *indices = &operands[INDICES].view, *updates = &operands[UPDATES].view;
    const clnd__view *target = &operands[TARGET].view;
    clnd__view expected;
    clnd_status status;
    if ((status = clnd__check_dtypes(n, operands)) ||
        (status = clnd__check_index_dtype(&operands[INDICES])) ||
        (status = clnd__check_same_dtype(updates, target)) ||
        (status = clnd__check_reduce_dtype(reduce, target)))
        return status;
    if ((status = clnd__check_ranks(n, operands)) ||
        (status = clnd__nd_check_ranks(target, indices, 0)))
        return status;
    if ((status = clnd__check_shapes(n, operands)) ||
        (status = clnd__nd_check_shapes(target, indices, 0, depth)) ||
        (status = clnd__nd_dense_shape(target, indices, 0, *depth, "updates", &expected)))
        return status;
    return clnd__check_expected_shape(updates, &expected);
}

clnd_status clnd_scatter_nd_shape(const clnd_tensor *indices, const clnd_tensor *updates,
                                  const clnd_tensor *target, const clnd_scatter_nd_options *options)
{
    clnd__enter("scatter_nd");
    if (!options)
        options = &defaults;
    clnd__operand operands[] = {{.name = "indices", .tensor = indices},
                                {.name = "updates", .tensor = updates},
                                {.name = "target", .tensor = target}};
    const int n = CLND__COUNT_OF(operands);
    int depth;
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) || (status = check_options(options)) ||
        (status = check_relations(n, operands, options->reduce, &depth)))
        return status;
    return clnd__check_dense_sizes(n, operands);
}

static clnd_status scatter(clnd_engine *engine, cl_command_queue queue, const clnd_tensor *indices,
                           const clnd_tensor *updates, const clnd_tensor *target, bool zero_first,
                           const clnd_scatter_nd_options *options, cl_uint n_wait,
                           const cl_event *wait, cl_event *event)
{
    if (event)
        *event = NULL;
    if (!engine)
        return clnd__fail(CLND_NULL_POINTER, "engine is NULL");
    if (!options)
        options = &defaults;
    clnd_reduce reduce = options->reduce;
    if (reduce == CLND_REDUCE_DEFAULT)
        reduce = zero_first ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
    clnd__operand operands[] = {
        {.name = "indices", .tensor = indices},
        {.name = "updates", .tensor = updates},
        {.name = zero_first ? "out" : "target", .tensor = target, .is_output = true}};
    const int n = CLND__COUNT_OF(operands);
    clnd__policy policy;
    clnd__call call;
    int depth;
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) || (status = check_options(options)) ||
        (status = clnd__policy_choose(engine, options->bounds, NULL, true, &policy)) ||
        (status = check_relations(n, operands, reduce, &depth)) ||
        (status = clnd__check_memory(engine, n, operands)) ||
        (status = clnd__check_alignment(&operands[INDICES])) ||
        (status =
             clnd__check_reduce_memory(engine, reduce, &operands[UPDATES], &operands[TARGET])) ||
        (status = clnd__call_begin(&call, engine, queue, n_wait, wait)))
        return status;
    clnd__problem problem;
    clnd__nd_problem(&operands[TARGET].view, &operands[INDICES].view, &operands[UPDATES].view, 0,
                     depth, &problem);
    const clnd__scatter_options wanted = {reduce, policy.adjust, options->deterministic,
                                          options->unique_indices, options->strategy};
    const clnd__view *whole = &operands[TARGET].view, *indices_view = &operands[INDICES].view;
    clnd__index_rule rule = {
        {indices_view, indices_view->rank - 1, depth, {0}, false}, "shape", whole};
    for (int k = 0; k < depth; ++k)
        rule.check.extents[k] = whole->shape[k];
    status = clnd__run_scatter(&call, &problem, &wanted, &policy, &rule, zero_first,
                               &operands[TARGET], &operands[INDICES], &operands[UPDATES]);
    return clnd__call_end(&call, status, event);
}

clnd_status clnd_scatter_nd(clnd_engine *engine, cl_command_queue queue, const clnd_tensor *indices,
                            const clnd_tensor *updates, const clnd_tensor *out,
                            const clnd_scatter_nd_options *options, cl_uint n_wait,
                            const cl_event *wait, cl_event *event)
{
    clnd__enter("scatter_nd");
    return scatter(engine, queue, indices, updates, out, true, options, n_wait, wait, event);
}

clnd_status clnd_scatter_nd_into(clnd_engine *engine, cl_command_queue queue,
                                 const clnd_tensor *indices, const clnd_tensor *updates,
                                 const clnd_tensor *target, const clnd_scatter_nd_options *options,
                                 cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    clnd__enter("scatter_nd_into");
    return scatter(engine, queue, indices, updates, target, false, options, n_wait, wait, event);
}
