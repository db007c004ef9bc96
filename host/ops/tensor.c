// SPDX-License-Identifier: Apache-2.0

#include "clnd/tensor.h"

#include <string.h>

#include "host/base/error.h"
#include "host/ops/operands.h"

clnd_status clnd_tensor_dense(cl_mem buffer, size_t offset, clnd_dtype dtype, int rank,
                              const int64_t *shape, clnd_tensor *tensor)
{
    clnd__enter("tensor_dense");
    if (!tensor)
        return clnd__fail(CLND_NULL_POINTER, "tensor is NULL");
    memset(tensor, 0, sizeof *tensor);
    clnd__view view;
    int64_t begin, end;
    clnd_status status = clnd__dense_view("tensor", dtype, rank, shape, &view);
    if (status)
        return status;
    view.offset = offset;
    if ((status = clnd__extent(&view, &begin, &end)))
        return status;
    return clnd__give_tensor(CLND_OK, &view, buffer, tensor);
}

static clnd_status take(const clnd_tensor *tensor, clnd__operand *operand)
{
    *operand = (clnd__operand){.name = "tensor", .tensor = tensor};
    clnd_status status = clnd__take_tensors(1, operand);
    if (status || (status = clnd__check_rank(&operand->view)))
        return status;
    return clnd__check_shape(&operand->view);
}

clnd_status clnd_tensor_count(const clnd_tensor *tensor, int64_t *count)
{
    clnd__enter("tensor_count");
    if (!count)
        return clnd__fail(CLND_NULL_POINTER, "count is NULL");
    *count = 0;
    clnd__operand operand;
    clnd_status status = take(tensor, &operand);
    return status ? status : clnd__count("tensor", operand.view.rank, operand.view.shape, count);
}

clnd_status clnd_tensor_extent(const clnd_tensor *tensor, size_t *begin, size_t *end)
{
    clnd__enter("tensor_extent");
    if (!begin || !end)
        return clnd__fail(CLND_NULL_POINTER, "%s is NULL", begin ? "end" : "begin");
    *begin = *end = 0;
    clnd__operand operand;
    clnd_status status = take(tensor, &operand);
    int64_t first, last;
    if (status || (status = clnd__check_dtype(&operand.view)) ||
        (status = clnd__extent(&operand.view, &first, &last)))
        return status;
    *begin = (size_t)first;
    *end = (size_t)last;
    return CLND_OK;
}

clnd_status clnd_tensor_check(const clnd_tensor *tensor)
{
    clnd__enter("tensor_check");
    clnd__operand operand;
    clnd_status status = take(tensor, &operand);
    if (status || (status = clnd__check_dtype(&operand.view)))
        return status;
    return clnd__check_memory(NULL, 1, &operand);
}
