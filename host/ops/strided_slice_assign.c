// SPDX-License-Identifier: Apache-2.0

#include "clnd/strided_slice_assign.h"

#include "host/base/error.h"
#include "host/exec/copy.h"
#include "host/ops/move_view.h"
#include "host/ops/operands.h"
#include "host/shape/slice.h"

enum { SOURCE, TARGET };

static const clnd_strided_slice_options defaults;

// Checks target and value and gives the slice and the value as seen through it. `exact` refuses
// what would have to be broadcast.
static clnd_status relate(const clnd__operand *operands, const clnd_slice *slice, bool exact,
                          clnd__view *part, clnd__view *value)
{
    const clnd__view *target = &operands[TARGET].view, *source = &operands[SOURCE].view;
    clnd_status status;
    if ((status = clnd__check_dtypes(2, operands)) ||
        (status = clnd__check_same_dtype(source, target)) ||
        (status = clnd__check_ranks(2, operands)) || (status = clnd__check_shapes(2, operands)) ||
        (status = clnd__slice_view(target, slice, target->name, part)))
        return status;
    *value = *source;
    return exact ? clnd__check_expected_shape(source, part)
                 : clnd__broadcast_view(source, part, value);
}

clnd_status clnd_strided_slice_assign_shape(const clnd_tensor *target, const clnd_slice *slice,
                                            const clnd_tensor *value, clnd_tensor *broadcast)
{
    clnd__enter("strided_slice_assign");
    if (!broadcast)
        return clnd__fail(CLND_NULL_POINTER, "broadcast is NULL");
    clnd__operand operands[] = {{.name = "value", .tensor = value},
                                {.name = "target", .tensor = target}};
    clnd__view part, seen = {0};
    clnd_status status = clnd__take_tensors(CLND__COUNT_OF(operands), operands);
    if (status == CLND_OK && !slice)
        status = clnd__fail(CLND_NULL_POINTER, "slice is NULL");
    if (status == CLND_OK)
        status = relate(operands, slice, false, &part, &seen);
    if (status == CLND_OK)
        status = clnd__check_dense_sizes(CLND__COUNT_OF(operands), operands);
    return clnd__give_tensor(status, &seen, status ? NULL : value->buffer, broadcast);
}

// target[slice] = value, after zeros everywhere if `zero_first`.
static clnd_status run(clnd__call *call, const clnd__problem *problem, clnd_strategy strategy,
                       bool zero_first, const clnd__operand *whole, const clnd__operand *parts)
{
    clnd__copy_plan zeros = {.way = CLND__COPY_NOTHING}, copy;
    clnd_status status = clnd__copy_plan_make(call->engine, *problem, strategy,
                                              &parts[SOURCE].memory, &parts[TARGET].memory, &copy);
    if (status == CLND_OK && zero_first)
        status = clnd__zero_plan_make(call->engine, &whole->view, &whole->memory, &zeros);
    if (status == CLND_OK)
        status = clnd__copy_enqueue(call, &zeros);
    if (status == CLND_OK)
        status = clnd__copy_enqueue(call, &copy);
    return status;
}

static clnd_status assign(clnd_engine *engine, cl_command_queue queue, clnd__operand operands[2],
                          const clnd_slice *slice, bool grad,
                          const clnd_strided_slice_options *options, cl_uint n_wait,
                          const cl_event *wait, cl_event *event)
{
    if (event)
        *event = NULL;
    if (!options)
        options = &defaults;
    clnd__view part, value;
    clnd_status status;
    if ((status = clnd__check_call(engine, n_wait, wait)) ||
        (status = clnd__take_tensors(2, operands)))
        return status;
    if (!slice)
        return clnd__fail(CLND_NULL_POINTER, "slice is NULL");
    if ((status = clnd__check_strategy(options->strategy, CLND__MOVEMENTS)) ||
        (status = clnd__check_reserved(CLND__COUNT_OF(options->reserved), options->reserved)) ||
        (status = relate(operands, slice, grad, &part, &value)))
        return status;
    // All of the target must be sound; but unless it is all written, only its slice may not
    // overlap.
    clnd__operand whole = operands[TARGET];
    if ((status = clnd__check_memory(engine, 1, &whole)))
        return status;
    operands[SOURCE].view = value;
    if (!grad)
        operands[TARGET].view = part;
    clnd__call call;
    if ((status = clnd__check_memory(engine, 2, operands)) ||
        (status = clnd__call_begin(&call, engine, queue, n_wait, wait)))
        return status;
    operands[TARGET].view = part;
    clnd__problem problem;
    clnd__view_problem(&value, &part, &problem);
    status = run(&call, &problem, options->strategy, grad, &whole, operands);
    return clnd__call_end(&call, status, event);
}

clnd_status clnd_strided_slice_assign(clnd_engine *engine, cl_command_queue queue,
                                      const clnd_tensor *target, const clnd_slice *slice,
                                      const clnd_tensor *value,
                                      const clnd_strided_slice_options *options, cl_uint n_wait,
                                      const cl_event *wait, cl_event *event)
{
    clnd__enter("strided_slice_assign");
    clnd__operand operands[] = {{.name = "value", .tensor = value},
                                {.name = "target", .tensor = target, .is_output = true}};
    return assign(engine, queue, operands, slice, false, options, n_wait, wait, event);
}

clnd_status clnd_strided_slice_grad(clnd_engine *engine, cl_command_queue queue,
                                    const clnd_tensor *dy, const clnd_slice *slice,
                                    const clnd_tensor *dx,
                                    const clnd_strided_slice_options *options, cl_uint n_wait,
                                    const cl_event *wait, cl_event *event)
{
    clnd__enter("strided_slice_grad");
    clnd__operand operands[] = {{.name = "dy", .tensor = dy},
                                {.name = "dx", .tensor = dx, .is_output = true}};
    return assign(engine, queue, operands, slice, true, options, n_wait, wait, event);
}
