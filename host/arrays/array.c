// SPDX-License-Identifier: Apache-2.0

#include "clnd/array.h"

#include <string.h>

#include "host/base/error.h"
#include "host/shape/view.h"

clnd_status clnd_array_dense(const void *data, clnd_dtype dtype, int32_t rank, const int64_t *shape,
                             clnd_array *array)
{
    clnd__enter("array_dense");
    if (!array)
        return clnd__fail(CLND_NULL_POINTER, "array is NULL");
    memset(array, 0, sizeof *array);
    clnd__view view;
    clnd_status status = clnd__dense_view("array", dtype, rank, shape, &view);
    if (status)
        return status;
    union {
        const void *constant;
        void *plain;
    } memory = {data};
    array->data = memory.plain;
    array->dtype = dtype;
    array->rank = rank;
    memcpy(array->shape, view.shape, sizeof array->shape);
    memcpy(array->strides, view.strides, sizeof array->strides);
    return CLND_OK;
}

clnd_status clnd_array_count(const clnd_array *array, int64_t *count)
{
    clnd__enter("array_count");
    if (!count)
        return clnd__fail(CLND_NULL_POINTER, "count is NULL");
    *count = 0;
    if (!array)
        return clnd__fail(CLND_NULL_POINTER, "array is NULL");
    clnd__view view = {.name = "array", .rank = array->rank};
    clnd_status status = clnd__check_rank(&view);
    if (status)
        return status;
    memcpy(view.shape, array->shape, (size_t)view.rank * sizeof *view.shape);
    status = clnd__check_shape(&view);
    return status ? status : clnd__count("array", view.rank, view.shape, count);
}

clnd_status clnd_array_tensor(const clnd_array *array, clnd_tensor *tensor)
{
    clnd__enter("array_tensor");
    if (!tensor)
        return clnd__fail(CLND_NULL_POINTER, "tensor is NULL");
    memset(tensor, 0, sizeof *tensor);
    if (!array)
        return clnd__fail(CLND_NULL_POINTER, "array is NULL");
    tensor->dtype = array->dtype;
    tensor->rank = array->rank;
    memcpy(tensor->shape, array->shape, sizeof tensor->shape);
    memcpy(tensor->strides, array->strides, sizeof tensor->strides);
    return CLND_OK;
}
