// SPDX-License-Identifier: Apache-2.0

#include "ref.h"

#include <string.h>

int64_t ref_gather_elements(const ref_array *params, const ref_array *indices, const ref_array *out,
                            int axis, clnd_bounds bounds, const void *fill)
{
    size_t size = ref_size(params->dtype);
    int64_t at[CLND_MAX_RANK], from[CLND_MAX_RANK];
    if (ref_refuses(bounds)) {
        int64_t bad = ref_first_bad_value(indices, params->shape[axis], bounds);
        if (bad >= 0)
            return bad;
    }
    for (bool more = ref_first(indices->rank, indices->shape, at); more;
         more = ref_next(indices->rank, indices->shape, at)) {
        memcpy(from, at, sizeof from);
        if (ref_resolve(ref_index_at(indices, at), params->shape[axis], bounds, &from[axis]))
            memcpy(ref_at(out, at), ref_at(params, from), size);
        else if (bounds == CLND_BOUNDS_FILL)
            memcpy(ref_at(out, at), fill, size);
        else
            memset(ref_at(out, at), 0, size);
    }
    return -1;
}
