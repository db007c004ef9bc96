// SPDX-License-Identifier: Apache-2.0

#include "clnd/tensor.h"

#include <string.h>

#include "host/base/error.h"
#include "host/ops/operands.h"

static clnd_status describe(cl_mem buffer, size_t offset, clnd_dtype dtype, int32_t rank,
                            const int64_t *shape, clnd_tensor *tensor)
{
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

clnd_status clnd_tensor_dense(cl_mem buffer, size_t offset, clnd_dtype dtype, int32_t rank,
                              const int64_t *shape, clnd_tensor *tensor)
{
    clnd__enter("tensor_dense");
    return describe(buffer, offset, dtype, rank, shape, tensor);
}

clnd_status clnd_tensor_strided(cl_mem buffer, size_t offset, clnd_dtype dtype, int32_t rank,
                                const int64_t *shape, const int64_t *strides, clnd_tensor *tensor)
{
    clnd__enter("tensor_strided");
    const clnd_status status = describe(buffer, offset, dtype, rank, shape, tensor);
    if (status || rank == 0)
        return status;
    if (!strides) {
        memset(tensor, 0, sizeof *tensor);
        return clnd__fail(CLND_NULL_POINTER, "strides is NULL");
    }
    memcpy(tensor->strides, strides, (size_t)rank * sizeof *strides);
    return CLND_OK;
}

clnd_status clnd_tensor_permute(const clnd_tensor *tensor, const int32_t *axes,
                                clnd_tensor *permuted)
{
    clnd__enter("tensor_permute");
    if (!permuted)
        return clnd__fail(CLND_NULL_POINTER, "permuted is NULL");
    const clnd_tensor from = tensor ? *tensor : (clnd_tensor){.rank = 0};
    memset(permuted, 0, sizeof *permuted);
    if (!tensor)
        return clnd__fail(CLND_NULL_POINTER, "tensor is NULL");
    clnd__operand operand = {.name = "tensor", .tensor = &from};
    clnd_status status = clnd__take_tensors(1, &operand);
    if (status || (status = clnd__check_rank(&operand.view)))
        return status;
    clnd_tensor to = from;
    unsigned named = 0;
    for (int32_t d = 0; d < from.rank; ++d) {
        const int32_t wanted = axes ? axes[d] : from.rank - 1 - d;
        const int64_t axis = wanted < 0 ? (int64_t)wanted + from.rank : wanted;
        if (axis < 0 || axis >= from.rank)
            return clnd__fail(CLND_INVALID_AXIS, "axes[%d] is %d, the tensor has rank %d", (int)d,
                              (int)wanted, (int)from.rank);
        if (named >> axis & 1)
            return clnd__fail(CLND_INVALID_AXIS, "axes[%d] is %d, which was named before", (int)d,
                              (int)wanted);
        named |= 1u << axis;
        to.shape[d] = from.shape[axis];
        to.strides[d] = from.strides[axis];
    }
    *permuted = to;
    return CLND_OK;
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
