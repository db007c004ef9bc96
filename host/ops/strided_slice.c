// SPDX-License-Identifier: Apache-2.0

#include "clnd/strided_slice.h"

#include "host/base/error.h"
#include "host/ops/move_view.h"
#include "host/ops/operands.h"
#include "host/ops/plan.h"
#include "host/shape/slice.h"

static const clnd_strided_slice_options defaults;

// The input's checks, and the slice of it as a view.
static clnd_status take_slice(const clnd_tensor *input, const clnd_slice *slice,
                              clnd__operand *operand, clnd__view *view)
{
    *operand = (clnd__operand){.name = "input", .tensor = input};
    clnd_status status;
    if ((status = clnd__take_tensors(1, operand)))
        return status;
    if (!slice)
        return clnd__fail(CLND_NULL_POINTER, "slice is NULL");
    if ((status = clnd__check_dtypes(1, operand)) || (status = clnd__check_ranks(1, operand)) ||
        (status = clnd__check_shapes(1, operand)))
        return status;
    return clnd__slice_view(&operand->view, slice, "the slice", view);
}

clnd_status clnd_strided_slice_shape(const clnd_tensor *input, const clnd_slice *slice,
                                     clnd_tensor *out)
{
    clnd__enter("strided_slice");
    if (!out)
        return clnd__fail(CLND_NULL_POINTER, "out is NULL");
    clnd__operand operand;
    clnd__view view;
    clnd_status status = take_slice(input, slice, &operand, &view);
    if (status == CLND_OK)
        status = clnd__make_dense(&view);
    return clnd__give_tensor(status, &view, NULL, out);
}

clnd_status clnd_strided_slice_view(const clnd_tensor *input, const clnd_slice *slice,
                                    clnd_tensor *view_tensor)
{
    clnd__enter("strided_slice_view");
    if (!view_tensor)
        return clnd__fail(CLND_NULL_POINTER, "view is NULL");
    clnd__operand operand;
    clnd__view view;
    clnd_status status = take_slice(input, slice, &operand, &view);
    int64_t begin, end;
    if (status == CLND_OK)
        status = clnd__extent(&operand.view, &begin, &end);
    return clnd__give_tensor(status, &view, status ? NULL : input->buffer, view_tensor);
}

// All checks; then the slice replaces the input, because `out` may lie in the rest of the input.
// `check_memory` is for the whole input.
static clnd_status check(clnd_engine *engine, int n, clnd__operand *operands,
                         const clnd_slice *slice, const clnd_strided_slice_options *options,
                         clnd__memory_check *check_memory)
{
    clnd__view view;
    clnd_status status = clnd__take_tensors(n, operands);
    if (status)
        return status;
    if (!slice)
        return clnd__fail(CLND_NULL_POINTER, "slice is NULL");
    if ((status = clnd__check_reserved(CLND__COUNT_OF(options->reserved), options->reserved)) ||
        (status = clnd__check_dtypes(n, operands)) ||
        (status = clnd__check_same_dtype(&operands[0].view, &operands[1].view)) ||
        (status = clnd__check_ranks(n, operands)) || (status = clnd__check_shapes(n, operands)) ||
        (status = clnd__slice_view(&operands[0].view, slice, "input", &view)) ||
        (status = clnd__check_expected_shape(&operands[1].view, &view)) ||
        (status = clnd__check_output_strides(&operands[1].view)) ||
        (status = check_memory(engine, 1, operands)))
        return status;
    operands[0].view = view;
    return CLND_OK;
}

clnd_status clnd_strided_slice(clnd_engine *engine, cl_command_queue queue,
                               const clnd_tensor *input, const clnd_slice *slice,
                               const clnd_tensor *out, const clnd_strided_slice_options *options,
                               cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    clnd__enter("strided_slice");
    if (event)
        *event = NULL;
    if (!options)
        options = &defaults;
    clnd__operand operands[] = {{.name = "input", .tensor = input},
                                {.name = "out", .tensor = out, .is_output = true}};
    clnd_status status;
    if ((status = clnd__check_call(engine, n_wait, wait)) ||
        (status =
             check(engine, CLND__COUNT_OF(operands), operands, slice, options, clnd__check_memory)))
        return status;
    return clnd__move_view(engine, queue, operands, n_wait, wait, event);
}

clnd_status clnd_strided_slice_plan(clnd_engine *engine, const clnd_tensor *input,
                                    const clnd_slice *slice, const clnd_tensor *out,
                                    const clnd_strided_slice_options *options, clnd_plan *plan)
{
    clnd__enter("strided_slice");
    if (!options)
        options = &defaults;
    clnd__operand operands[] = {{.name = "input", .tensor = input},
                                {.name = "out", .tensor = out, .is_output = true}};
    clnd_status status;
    if ((status = clnd__check_plan_call(engine, plan)) ||
        (status = check(engine, CLND__COUNT_OF(operands), operands, slice, options,
                        clnd__check_planned_memory)))
        return status;
    return clnd__move_view_plan(engine, operands, plan);
}
