// SPDX-License-Identifier: Apache-2.0

#include "elements.h"

static void walk_view(const clnd__view *view, int d, int64_t at, elements *out)
{
    if (d == view->rank) {
        out->at[out->count++] = at;
        return;
    }
    const int64_t size = (int64_t)clnd_dtype_size(view->dtype);
    for (int64_t i = 0; i < view->shape[d]; ++i)
        walk_view(view, d + 1, at + i * view->strides[d] * size, out);
}

elements elements_of(const clnd__view *view)
{
    elements out = {0};
    if (!clnd__is_empty(view))
        walk_view(view, 0, (int64_t)view->offset, &out);
    return out;
}
