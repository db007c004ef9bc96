// SPDX-License-Identifier: Apache-2.0
//
// Every element of updates becomes a tuple of all coordinates in the target, with the index value
// at the axis; then it is a scatter_nd of single elements.

#include "ref.h"

#include <stdlib.h>
#include <string.h>

typedef struct expansion {
    ref_array tuples;  // [n, rank], int64
    ref_array updates; // [n]
} expansion;

static unsigned char *room(int64_t count, size_t size)
{
    unsigned char *memory = calloc((size_t)count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static expansion expand(const ref_array *indices, const ref_array *updates, const ref_array *target,
                        int axis, int batch_dims)
{
    const int rank = target->rank, places = indices->rank - batch_dims;
    const int64_t count = ref_count(updates->rank, updates->shape);
    const size_t size = ref_size(updates->dtype);
    expansion e = {{.dtype = CLND_INT64, .rank = 2, .shape = {count, rank}, .strides = {rank, 1}},
                   {.dtype = updates->dtype, .rank = 1, .shape = {count}, .strides = {1}}};
    int64_t at[CLND_MAX_RANK], row = 0;
    e.tuples.data = room(count * rank, sizeof *at);
    e.updates.data = room(count, size);
    // updates is [b..., p..., i..., s...]
    for (bool more = ref_first(updates->rank, updates->shape, at); more;
         more = ref_next(updates->rank, updates->shape, at), row++) {
        int64_t tuple[CLND_MAX_RANK], place[CLND_MAX_RANK];
        for (int d = 0; d < rank; d++)
            tuple[d] = d < axis ? at[d] : d > axis ? at[d - 1 + places] : 0;
        for (int d = 0; d < indices->rank; d++)
            place[d] = d < batch_dims ? at[d] : at[axis + d - batch_dims];
        tuple[axis] = ref_index_at(indices, place);
        memcpy(e.tuples.data + (size_t)(row * rank) * sizeof *tuple, tuple,
               (size_t)rank * sizeof *tuple);
        memcpy(e.updates.data + (size_t)row * size, ref_at(updates, at), size);
    }
    return e;
}

static void release(expansion *e)
{
    free(e->tuples.data);
    free(e->updates.data);
}

int64_t ref_scatter(const ref_array *indices, const ref_array *updates, const ref_array *target,
                    int axis, int batch_dims, const ref_scatter_options *options)
{
    if (ref_refuses(options->bounds)) {
        const int64_t bad = ref_first_bad_value(indices, target->shape[axis], options->bounds);
        if (bad >= 0)
            return bad;
    }
    expansion e = expand(indices, updates, target, axis, batch_dims);
    ref_scatter_nd_into(&e.tuples, &e.updates, target, options);
    release(&e);
    return -1;
}

bool ref_scatter_is_possible(const ref_array *indices, const ref_array *updates,
                             const ref_array *after, int axis, int batch_dims, clnd_bounds bounds,
                             size_t *wrong)
{
    expansion e = expand(indices, updates, after, axis, batch_dims);
    const bool possible = ref_scatter_nd_is_possible(&e.tuples, &e.updates, after, bounds, wrong);
    release(&e);
    return possible;
}
