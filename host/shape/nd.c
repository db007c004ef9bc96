// SPDX-License-Identifier: Apache-2.0

#include "host/shape/nd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/base/error.h"

clnd_status clnd__nd_check_ranks(const clnd__view *data, const clnd__view *indices, int batch_dims)
{
    if (indices->rank < 1)
        return clnd__fail(CLND_INVALID_RANK, "indices has rank 0, at least 1 is needed");
    if (batch_dims < 0 || batch_dims >= indices->rank)
        return clnd__fail(CLND_INVALID_AXIS,
                          "batch_dims is %d, allowed are 0 to %d (rank of indices - 1)", batch_dims,
                          indices->rank - 1);
    if (batch_dims > data->rank)
        return clnd__fail(CLND_INVALID_AXIS, "batch_dims is %d, allowed are 0 to %d (rank of %s)",
                          batch_dims, data->rank, data->name);
    return CLND_OK;
}

// Tuples of more values than there are dimensions to index. A list of indices is one long tuple:
// its author may have meant single ones.
static clnd_status fail_tuples(const clnd__view *data, const clnd__view *indices, int64_t tuple,
                               int n_indexed)
{
    char hint[96] = "";
    if (indices->rank == 1)
        snprintf(hint, sizeof hint,
                 "; single indices have shape [%" PRId64 ", 1], or go to gather or scatter", tuple);
    return clnd__fail(
        CLND_INVALID_SHAPE,
        "indices of shape %s hold tuples of %" PRId64
        " value%s, but %s of shape %s has %d dimension%s to index%s%s",
        clnd__format_list(indices->rank, indices->shape).text, tuple, clnd__plural((uint64_t)tuple),
        data->name, clnd__format_list(data->rank, data->shape).text, n_indexed,
        clnd__plural((uint64_t)n_indexed), n_indexed < data->rank ? " beside the batch" : "", hint);
}

clnd_status clnd__nd_check_shapes(const clnd__view *data, const clnd__view *indices, int batch_dims,
                                  int *depth)
{
    for (int d = 0; d < batch_dims; ++d)
        if (data->shape[d] != indices->shape[d])
            return clnd__fail(CLND_INVALID_SHAPE,
                              "batch dimension %d is %" PRId64 " in %s and %" PRId64 " in indices",
                              d, data->shape[d], data->name, indices->shape[d]);
    const int64_t tuple = indices->shape[indices->rank - 1];
    if (tuple > data->rank - batch_dims)
        return fail_tuples(data, indices, tuple, data->rank - batch_dims);
    *depth = (int)tuple;
    return CLND_OK;
}

clnd_status clnd__nd_dense_shape(const clnd__view *data, const clnd__view *indices, int batch_dims,
                                 int depth, const char *name, clnd__view *dense)
{
    const int first_slice = batch_dims + depth;
    const int outer = indices->rank - 1;
    const int rank = outer + data->rank - first_slice;
    memset(dense, 0, sizeof *dense);
    dense->name = name;
    dense->dtype = data->dtype;
    if (rank > CLND_MAX_RANK)
        return clnd__fail(CLND_INVALID_RANK, "%s would have rank %d, at most %d is possible", name,
                          rank, CLND_MAX_RANK);
    dense->rank = rank;
    for (int d = 0; d < outer; ++d)
        dense->shape[d] = indices->shape[d];
    for (int d = first_slice; d < data->rank; ++d)
        dense->shape[outer + d - first_slice] = data->shape[d];
    return CLND_OK;
}

// Only batch dimensions move in data; other rows lie where their tuple says.
void clnd__nd_problem(const clnd__view *data, const clnd__view *indices, const clnd__view *dense,
                      int batch_dims, int depth, clnd__problem *problem)
{
    const int outer = indices->rank - 1;
    clnd__problem_begin(problem, data, dense, indices);
    problem->index_step = clnd__stride_bytes(indices, outer);
    for (int d = 0; d < outer; ++d)
        clnd__problem_add_outer(problem, indices->shape[d],
                                d < batch_dims ? clnd__stride_bytes(data, d) : 0,
                                clnd__stride_bytes(dense, d), clnd__stride_bytes(indices, d));
    for (int k = 0; k < depth; ++k)
        clnd__problem_add_coordinate(problem, data->shape[batch_dims + k],
                                     clnd__stride_bytes(data, batch_dims + k));
    for (int d = batch_dims + depth; d < data->rank; ++d)
        clnd__problem_add_slice(problem, data->shape[d], clnd__stride_bytes(data, d),
                                clnd__stride_bytes(dense, outer + d - batch_dims - depth));
}
