// SPDX-License-Identifier: Apache-2.0

#include "ref.h"

#include <string.h>

int64_t ref_first_bad_value(const ref_array *indices, int64_t extent, clnd_bounds bounds)
{
    int64_t at[CLND_MAX_RANK], unused, number = 0;
    for (bool more = ref_first(indices->rank, indices->shape, at); more;
         more = ref_next(indices->rank, indices->shape, at), number++)
        if (!ref_resolve(ref_index_at(indices, at), extent, bounds, &unused))
            return number;
    return -1;
}

int64_t ref_gather(const ref_array *params, const ref_array *indices, const ref_array *out,
                   int axis, int batch_dims, clnd_bounds bounds, const void *fill)
{
    size_t size = ref_size(params->dtype);
    int64_t to[CLND_MAX_RANK], from[CLND_MAX_RANK], place[CLND_MAX_RANK];
    int places = indices->rank - batch_dims; // dimensions i
    if (ref_refuses(bounds)) {
        int64_t bad = ref_first_bad_value(indices, params->shape[axis], bounds);
        if (bad >= 0)
            return bad;
    }
    // out is [b..., p..., i..., s...]
    for (bool more = ref_first(out->rank, out->shape, to); more;
         more = ref_next(out->rank, out->shape, to)) {
        for (int d = 0; d < axis; d++)
            from[d] = to[d];
        for (int d = 0; d < batch_dims; d++)
            place[d] = to[d];
        for (int d = 0; d < places; d++)
            place[batch_dims + d] = to[axis + d];
        for (int d = axis + 1; d < params->rank; d++)
            from[d] = to[d - 1 + places];
        if (ref_resolve(ref_index_at(indices, place), params->shape[axis], bounds, &from[axis]))
            memcpy(ref_at(out, to), ref_at(params, from), size);
        else if (bounds == CLND_BOUNDS_FILL)
            memcpy(ref_at(out, to), fill, size);
        else
            memset(ref_at(out, to), 0, size);
    }
    return -1;
}
