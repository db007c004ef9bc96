// SPDX-License-Identifier: Apache-2.0
//
// As ONNX defines it: every element of indices becomes a tuple of all coordinates, with the index
// value at the axis; then it is a scatter_nd of single elements.

#include "ref.h"

#include <stdlib.h>
#include <string.h>

typedef struct expansion {
    ref_array tuples;  // [n, rank], int64
    ref_array updates; // [n]
} expansion;

static ref_array dense(clnd_dtype dtype, int rank, int64_t first, int64_t second)
{
    ref_array array = {.dtype = dtype,
                       .rank = rank,
                       .shape = {first, second},
                       .strides = {rank > 1 ? second : 1, 1}};
    array.data = calloc((size_t)(first * (rank > 1 ? second : 1)) + 1, ref_size(dtype));
    if (!array.data)
        abort();
    return array;
}

static expansion expand(const ref_array *indices, const ref_array *updates, int axis)
{
    int rank = indices->rank;
    int64_t count = ref_count(rank, indices->shape), row = 0, at[CLND_MAX_RANK];
    size_t size = ref_size(updates->dtype);
    expansion e = {dense(CLND_INT64, 2, count, rank), dense(updates->dtype, 1, count, 1)};
    for (bool more = ref_first(rank, indices->shape, at); more;
         more = ref_next(rank, indices->shape, at), row++) {
        int64_t tuple[CLND_MAX_RANK];
        memcpy(tuple, at, sizeof tuple);
        tuple[axis] = ref_index_at(indices, at);
        memcpy(e.tuples.data + (size_t)(row * rank) * sizeof *tuple, tuple,
               (size_t)rank * sizeof *tuple);
        memcpy(e.updates.data + (size_t)row * size, ref_at(updates, at), size);
    }
    return e;
}

int64_t ref_scatter_elements(const ref_array *indices, const ref_array *updates,
                             const ref_array *target, int axis, const ref_scatter_options *options)
{
    expansion e = expand(indices, updates, axis);
    int64_t bad = ref_scatter_nd_into(&e.tuples, &e.updates, target, options);
    free(e.tuples.data);
    free(e.updates.data);
    return bad;
}

bool ref_scatter_elements_is_possible(const ref_array *indices, const ref_array *updates,
                                      const ref_array *after, int axis, clnd_bounds bounds,
                                      size_t *wrong)
{
    expansion e = expand(indices, updates, axis);
    bool possible = ref_scatter_nd_is_possible(&e.tuples, &e.updates, after, bounds, wrong);
    free(e.tuples.data);
    free(e.updates.data);
    return possible;
}
