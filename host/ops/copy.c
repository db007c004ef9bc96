// SPDX-License-Identifier: Apache-2.0

#include "clnd/copy.h"

#include "host/base/error.h"
#include "host/exec/gather.h"
#include "host/ops/move_view.h"
#include "host/ops/operands.h"
#include "host/ops/plan.h"

static const clnd_copy_options defaults;

clnd_status clnd_copy_shape(const clnd_tensor *source, clnd_tensor *target)
{
    clnd__enter("copy");
    if (!target)
        return clnd__fail(CLND_NULL_POINTER, "target is NULL");
    clnd__operand operand = {.name = "source", .tensor = source};
    clnd_status status;
    if ((status = clnd__take_tensors(1, &operand)) == CLND_OK &&
        (status = clnd__check_dtypes(1, &operand)) == CLND_OK &&
        (status = clnd__check_ranks(1, &operand)) == CLND_OK &&
        (status = clnd__check_shapes(1, &operand)) == CLND_OK)
        status = clnd__make_dense(&operand.view);
    return clnd__give_tensor(status, &operand.view, NULL, target);
}

// All checks before those of the buffers.
static clnd_status check(int n, clnd__operand *operands, const clnd_copy_options *options)
{
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) ||
        (status = clnd__check_reserved(CLND__COUNT_OF(options->reserved), options->reserved)) ||
        (status = clnd__check_dtypes(n, operands)) ||
        (status = clnd__check_same_dtype(&operands[0].view, &operands[1].view)) ||
        (status = clnd__check_ranks(n, operands)) || (status = clnd__check_shapes(n, operands)))
        return status;
    return clnd__check_expected_shape(&operands[1].view, &operands[0].view);
}

clnd_status clnd_copy(clnd_engine *engine, cl_command_queue queue, const clnd_tensor *source,
                      const clnd_tensor *target, const clnd_copy_options *options, cl_uint n_wait,
                      const cl_event *wait, cl_event *event)
{
    clnd__enter("copy");
    if (event)
        *event = NULL;
    if (!options)
        options = &defaults;
    clnd__operand operands[] = {{.name = "source", .tensor = source},
                                {.name = "target", .tensor = target, .is_output = true}};
    clnd_status status;
    if ((status = clnd__check_call(engine, n_wait, wait)) ||
        (status = check(CLND__COUNT_OF(operands), operands, options)))
        return status;
    return clnd__move_view(engine, queue, operands, n_wait, wait, event);
}

clnd_status clnd_copy_plan(clnd_engine *engine, const clnd_tensor *source,
                           const clnd_tensor *target, const clnd_copy_options *options,
                           clnd_plan *plan)
{
    clnd__enter("copy");
    if (!options)
        options = &defaults;
    clnd__operand operands[] = {{.name = "source", .tensor = source},
                                {.name = "target", .tensor = target, .is_output = true}};
    clnd_status status;
    if ((status = clnd__check_plan_call(engine, plan)) ||
        (status = check(CLND__COUNT_OF(operands), operands, options)))
        return status;
    return clnd__move_view_plan(engine, operands, plan);
}
