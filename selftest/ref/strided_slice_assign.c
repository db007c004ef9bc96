// SPDX-License-Identifier: Apache-2.0

#include "ref.h"

#include <string.h>

ref_slice_status ref_strided_slice_assign(const ref_array *target, const clnd_slice *slice,
                                          const ref_array *value)
{
    ref_slice taken;
    int64_t at[CLND_MAX_RANK], to[CLND_MAX_RANK], from[CLND_MAX_RANK];
    ref_slice_status status = ref_slice_take(target->rank, target->shape, slice, &taken);
    if (status != REF_SLICE_OK)
        return status;
    for (bool more = ref_first(taken.rank, taken.shape, at); more;
         more = ref_next(taken.rank, taken.shape, at)) {
        ref_slice_position(&taken, at, to);
        // broadcasting: dimensions correspond from the last on; one of size 1 repeats
        for (int back = 1; back <= value->rank; back++) {
            int d = value->rank - back;
            from[d] = value->shape[d] == 1 ? 0 : at[taken.rank - back];
        }
        memcpy(ref_at(target, to), ref_at(value, from), ref_size(target->dtype));
    }
    ref_slice_free(&taken);
    return REF_SLICE_OK;
}

ref_slice_status ref_strided_slice_grad(const ref_array *dy, const clnd_slice *slice,
                                        const ref_array *dx)
{
    int64_t at[CLND_MAX_RANK];
    for (bool more = ref_first(dx->rank, dx->shape, at); more;
         more = ref_next(dx->rank, dx->shape, at))
        memset(ref_at(dx, at), 0, ref_size(dx->dtype));
    return ref_strided_slice_assign(dx, slice, dy);
}
