// SPDX-License-Identifier: Apache-2.0

#include "ref.h"

#include <string.h>

int64_t ref_gather_nd(const ref_array *params, const ref_array *indices, const ref_array *out,
                      int batch_dims, clnd_bounds bounds, const void *fill)
{
    size_t size = ref_size(params->dtype);
    int outer = indices->rank - 1; // dimensions b and i
    int depth = (int)indices->shape[outer];
    int first = batch_dims + depth; // of the slice dimensions of params
    int slice_rank = params->rank - first;
    const int64_t *extents = params->shape + batch_dims;
    int64_t row[CLND_MAX_RANK], tuple[CLND_MAX_RANK], slice[CLND_MAX_RANK];

    if (ref_refuses(bounds))
        for (bool more = ref_first(outer, indices->shape, row); more;
             more = ref_next(outer, indices->shape, row))
            if (!ref_tuple(indices, row, extents, depth, bounds, tuple))
                return ref_row(indices, row);

    for (bool more = ref_first(outer, indices->shape, row); more;
         more = ref_next(outer, indices->shape, row)) {
        bool good = ref_tuple(indices, row, extents, depth, bounds, tuple);
        for (bool rest = ref_first(slice_rank, params->shape + first, slice); rest;
             rest = ref_next(slice_rank, params->shape + first, slice)) {
            int64_t from[CLND_MAX_RANK], to[CLND_MAX_RANK];
            for (int d = 0; d < batch_dims; d++)
                from[d] = row[d];
            for (int d = 0; d < depth; d++)
                from[batch_dims + d] = tuple[d];
            for (int d = 0; d < slice_rank; d++)
                from[first + d] = slice[d];
            for (int d = 0; d < outer; d++)
                to[d] = row[d];
            for (int d = 0; d < slice_rank; d++)
                to[outer + d] = slice[d];
            if (good)
                memcpy(ref_at(out, to), ref_at(params, from), size);
            else if (bounds == CLND_BOUNDS_FILL)
                memcpy(ref_at(out, to), fill, size);
            else
                memset(ref_at(out, to), 0, size);
        }
    }
    return -1;
}
