// SPDX-License-Identifier: Apache-2.0

#include "host/shape/axis.h"

#include <inttypes.h>
#include <string.h>

#include "host/base/error.h"

clnd_status clnd__resolve_axis(const clnd__view *data, int64_t axis, int *resolved)
{
    if (axis < -data->rank || axis >= data->rank)
        return clnd__fail(CLND_INVALID_AXIS,
                          "axis is %" PRId64 ", allowed are %d to %d for %s of shape %s", axis,
                          -data->rank, data->rank - 1, data->name,
                          clnd__format_list(data->rank, data->shape).text);
    *resolved = (int)(axis < 0 ? axis + data->rank : axis);
    return CLND_OK;
}

clnd_status clnd__gather_resolve(const clnd__view *data, const clnd__view *indices,
                                 const int64_t *axis_option, int64_t batch_option, int *axis,
                                 int *batch_dims)
{
    if (data->rank < 1)
        return clnd__fail(CLND_INVALID_RANK, "%s has rank 0, at least 1 is needed", data->name);
    if (batch_option < -indices->rank || batch_option > indices->rank)
        return clnd__fail(CLND_INVALID_AXIS,
                          "batch_dims is %" PRId64 ", allowed are %d to %d (rank of indices)",
                          batch_option, -indices->rank, indices->rank);
    *batch_dims = (int)(batch_option < 0 ? batch_option + indices->rank : batch_option);
    if (*batch_dims >= data->rank)
        return clnd__fail(CLND_INVALID_AXIS, "batch_dims is %d, must be less than %d (rank of %s)",
                          *batch_dims, data->rank, data->name);
    clnd_status status = clnd__resolve_axis(data, axis_option ? *axis_option : *batch_dims, axis);
    if (status)
        return status;
    if (*axis < *batch_dims)
        return clnd__fail(CLND_INVALID_AXIS, "axis is %d, must be at least %d (batch_dims)", *axis,
                          *batch_dims);
    return CLND_OK;
}

clnd_status clnd__gather_check_shapes(const clnd__view *data, const clnd__view *indices,
                                      int batch_dims)
{
    for (int d = 0; d < batch_dims; ++d)
        if (data->shape[d] != indices->shape[d])
            return clnd__fail(CLND_INVALID_SHAPE,
                              "batch dimension %d is %" PRId64 " in %s and %" PRId64 " in indices",
                              d, data->shape[d], data->name, indices->shape[d]);
    return CLND_OK;
}

clnd_status clnd__gather_dense_shape(const clnd__view *data, const clnd__view *indices, int axis,
                                     int batch_dims, const char *name, clnd__view *dense)
{
    const int rank = data->rank - 1 + indices->rank - batch_dims;
    memset(dense, 0, sizeof *dense);
    dense->name = name;
    dense->dtype = data->dtype;
    if (rank > CLND_MAX_RANK)
        return clnd__fail(CLND_INVALID_RANK, "%s would have rank %d, at most %d is possible", name,
                          rank, CLND_MAX_RANK);
    for (int d = 0; d < axis; ++d)
        dense->shape[dense->rank++] = data->shape[d];
    for (int d = batch_dims; d < indices->rank; ++d)
        dense->shape[dense->rank++] = indices->shape[d];
    for (int d = axis + 1; d < data->rank; ++d)
        dense->shape[dense->rank++] = data->shape[d];
    return CLND_OK;
}

void clnd__gather_problem(const clnd__view *data, const clnd__view *indices,
                          const clnd__view *dense, int axis, int batch_dims, clnd__problem *problem)
{
    // Dimensions before the axis are rows, because dense has them before those of indices. Only the
    // batch dimensions among them move in indices: for the others each index is read again.
    int at = 0; // dimension of dense
    clnd__problem_begin(problem, data, dense, indices);
    for (int d = 0; d < axis; ++d, ++at)
        clnd__problem_add_outer(problem, data->shape[d], clnd__stride_bytes(data, d),
                                clnd__stride_bytes(dense, at),
                                d < batch_dims ? clnd__stride_bytes(indices, d) : 0);
    for (int d = batch_dims; d < indices->rank; ++d, ++at)
        clnd__problem_add_outer(problem, indices->shape[d], 0, clnd__stride_bytes(dense, at),
                                clnd__stride_bytes(indices, d));
    clnd__problem_add_coordinate(problem, data->shape[axis], clnd__stride_bytes(data, axis));
    for (int d = axis + 1; d < data->rank; ++d, ++at)
        clnd__problem_add_slice(problem, data->shape[d], clnd__stride_bytes(data, d),
                                clnd__stride_bytes(dense, at));
}

clnd_status clnd__elements_check_ranks(const clnd__view *data, const clnd__view *indices)
{
    if (data->rank < 1)
        return clnd__fail(CLND_INVALID_RANK, "%s has rank 0, at least 1 is needed", data->name);
    if (data->rank != indices->rank)
        return clnd__fail(CLND_INVALID_RANK,
                          "indices has rank %d, %s has rank %d; they must be the same",
                          indices->rank, data->name, data->rank);
    return CLND_OK;
}

clnd_status clnd__elements_check_shapes(const clnd__view *data, const clnd__view *indices, int axis)
{
    for (int d = 0; d < data->rank; ++d)
        if (d != axis && indices->shape[d] > data->shape[d])
            return clnd__fail(CLND_INVALID_SHAPE,
                              "indices of shape %s reach beyond %s of shape %s in dimension %d",
                              clnd__format_list(indices->rank, indices->shape).text, data->name,
                              clnd__format_list(data->rank, data->shape).text, d);
    return CLND_OK;
}

void clnd__elements_problem(const clnd__view *data, const clnd__view *indices,
                            const clnd__view *dense, int axis, clnd__problem *problem)
{
    clnd__problem_begin(problem, data, dense, indices);
    for (int d = 0; d < data->rank; ++d)
        clnd__problem_add_outer(problem, indices->shape[d],
                                d == axis ? 0 : clnd__stride_bytes(data, d),
                                clnd__stride_bytes(dense, d), clnd__stride_bytes(indices, d));
    clnd__problem_add_coordinate(problem, data->shape[axis], clnd__stride_bytes(data, axis));
}
