// SPDX-License-Identifier: Apache-2.0

#include "clnd/strided_slice_assign.h"

#include "host/base/error.h"
#include "host/exec/gather.h"
#include "host/exec/zeros.h"
#include "host/ops/move_view.h"
#include "host/ops/operands.h"
#include "host/ops/plan.h"
#include "host/shape/slice.h"

enum { SOURCE, TARGET };

static const clnd_strided_slice_options defaults;

// Checks target and value, and gives the slice of the target and the value broadcast to it. `exact`
// refuses values that would have to be broadcast.
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

clnd_status clnd_strided_slice_assign_shape(const clnd_tensor *value, const clnd_slice *slice,
                                            const clnd_tensor *target, clnd_tensor *broadcast)
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

// target[slice] = value, after zeros everywhere if `grad`.
typedef struct assignment {
    bool grad; // the value is not broadcast
    clnd__operand operands[2];
    const clnd_slice *slice;
    const clnd_strided_slice_options *options;
    clnd__zeros_plan zeros;
    clnd__gather_plan copy;
} assignment;

static assignment make_assignment(bool grad, const clnd_tensor *value, const clnd_tensor *target,
                                  const clnd_slice *slice,
                                  const clnd_strided_slice_options *options)
{
    clnd__enter(grad ? "strided_slice_grad" : "strided_slice_assign");
    return (assignment){
        .grad = grad,
        .operands = {{.name = grad ? "dy" : "value", .tensor = value},
                     {.name = grad ? "dx" : "target", .tensor = target, .is_output = true}},
        .slice = slice,
        .options = options ? options : &defaults,
    };
}

// All checks of the tensors, and the plan. `check_memory` is that of a call or of its plan.
static clnd_status plan_assignment(clnd_engine *engine, assignment *a,
                                   clnd__memory_check *check_memory)
{
    const clnd_strided_slice_options *options = a->options;
    clnd__operand *operands = a->operands;
    clnd__view part, value;
    clnd_status status = clnd__take_tensors(2, operands);
    if (status)
        return status;
    if (!a->slice)
        return clnd__fail(CLND_NULL_POINTER, "slice is NULL");
    if ((status = clnd__check_reserved(CLND__COUNT_OF(options->reserved), options->reserved)) ||
        (status = relate(operands, a->slice, a->grad, &part, &value)))
        return status;
    // The whole target must be valid. But unless all of it is written, only its slice must not
    // overlap the value.
    clnd__operand whole = operands[TARGET];
    if ((status = check_memory(engine, 1, &whole)))
        return status;
    operands[SOURCE].view = value;
    if (!a->grad)
        operands[TARGET].view = part;
    if ((status = check_memory(engine, 2, operands)))
        return status;

    const clnd__planner planner = clnd__planner_of(engine);
    clnd__problem problem;
    clnd__view_problem(&value, &part, &problem);
    status =
        clnd__gather_plan_make(&planner, problem, CLND_ADJUST_NONE, NULL, &operands[SOURCE].memory,
                               NULL, &operands[TARGET].memory, &a->copy);
    if (status == CLND_OK && a->grad)
        clnd__zeros_plan_make(&planner, &whole.view, &whole.memory, false, &a->zeros);
    return status;
}

static clnd_status run(clnd__call *call, assignment *a)
{
    clnd_status status;
    if ((status = clnd__zeros_prepare(call, &a->zeros)) ||
        (status = clnd__gather_prepare(call, &a->copy)) ||
        (status = clnd__zeros_enqueue(call, &a->zeros)))
        return status;
    return clnd__gather_enqueue(call, &a->copy);
}

static clnd_status assign(clnd_engine *engine, cl_command_queue queue, assignment *a,
                          cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    if (event)
        *event = NULL;
    clnd__call call;
    clnd_status status;
    if ((status = clnd__check_call(engine, n_wait, wait)) ||
        (status = plan_assignment(engine, a, clnd__check_memory)) ||
        (status = clnd__call_begin(&call, engine, queue, n_wait, wait)))
        return status;
    return clnd__call_end(&call, run(&call, a), event);
}

static clnd_status plan_only(clnd_engine *engine, assignment *a, clnd_plan *plan)
{
    clnd_status status;
    if ((status = clnd__check_plan_call(engine, plan)) ||
        (status = plan_assignment(engine, a, clnd__check_planned_memory)))
        return status;
    if (a->copy.strategy)
        clnd__give_plan(a->copy.strategy->name, a->copy.reason, 0, plan);
    else
        clnd__give_plan(a->zeros.strategy, "zeros alone", 0, plan);
    return CLND_OK;
}

clnd_status clnd_strided_slice_assign(clnd_engine *engine, cl_command_queue queue,
                                      const clnd_tensor *value, const clnd_slice *slice,
                                      const clnd_tensor *target,
                                      const clnd_strided_slice_options *options, cl_uint n_wait,
                                      const cl_event *wait, cl_event *event)
{
    assignment a = make_assignment(false, value, target, slice, options);
    return assign(engine, queue, &a, n_wait, wait, event);
}

clnd_status clnd_strided_slice_grad(clnd_engine *engine, cl_command_queue queue,
                                    const clnd_tensor *dy, const clnd_slice *slice,
                                    const clnd_tensor *dx,
                                    const clnd_strided_slice_options *options, cl_uint n_wait,
                                    const cl_event *wait, cl_event *event)
{
    assignment a = make_assignment(true, dy, dx, slice, options);
    return assign(engine, queue, &a, n_wait, wait, event);
}

clnd_status clnd_strided_slice_assign_plan(clnd_engine *engine, const clnd_tensor *value,
                                           const clnd_slice *slice, const clnd_tensor *target,
                                           const clnd_strided_slice_options *options,
                                           clnd_plan *plan)
{
    assignment a = make_assignment(false, value, target, slice, options);
    return plan_only(engine, &a, plan);
}

clnd_status clnd_strided_slice_grad_plan(clnd_engine *engine, const clnd_tensor *dy,
                                         const clnd_slice *slice, const clnd_tensor *dx,
                                         const clnd_strided_slice_options *options, clnd_plan *plan)
{
    assignment a = make_assignment(true, dy, dx, slice, options);
    return plan_only(engine, &a, plan);
}
