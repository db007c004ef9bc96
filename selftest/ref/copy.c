// SPDX-License-Identifier: Apache-2.0

#include "ref.h"

#include <string.h>

void ref_copy(const ref_array *source, const ref_array *target)
{
    int64_t at[CLND_MAX_RANK];
    for (bool more = ref_first(target->rank, target->shape, at); more;
         more = ref_next(target->rank, target->shape, at))
        memcpy(ref_at(target, at), ref_at(source, at), ref_size(target->dtype));
}
