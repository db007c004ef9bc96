// SPDX-License-Identifier: Apache-2.0

#include "host/shape/compact.h"

#include <string.h>

#include "host/base/checked.h"

// A direction in which the target's elements lie.
typedef struct direction {
    int64_t size;
    int64_t stride; // bytes in the target
    int64_t *place; // where the problem on the copy has its stride
} direction;

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

// Keeps them sorted, the widest stride first.
static void add_direction(int64_t size, int64_t *stride, int *n, direction *directions)
{
    const direction added = {size, *stride, stride};
    *stride = 0;
    if (size == 1 || added.stride == 0) // one possible value, or rows that all collide
        return;
    int at = (*n)++;
    for (; at > 0 && magnitude(directions[at - 1].stride) < magnitude(added.stride); --at)
        directions[at] = directions[at - 1];
    directions[at] = added;
}

bool clnd__problem_compact(const clnd__problem *folded, int64_t size, clnd__problem *fill,
                           clnd__problem *merge, int64_t *count)
{
    direction directions[3 * CLND_MAX_RANK];
    int n = 0;
    *fill = *folded;
    for (int i = 0; i < fill->n_outer; ++i)
        add_direction(fill->outer[i].size, &fill->outer[i].data, &n, directions);
    for (int k = 0; k < fill->n_coordinates; ++k)
        add_direction(fill->coordinates[k].extent, &fill->coordinates[k].stride, &n, directions);
    for (int i = 0; i < fill->n_slice; ++i)
        add_direction(fill->slice[i].size, &fill->slice[i].data, &n, directions);

    memset(merge, 0, sizeof *merge);
    merge->dtype = folded->dtype;
    merge->data_offset = folded->data_offset;
    fill->data_offset = 0;
    // Strides of a copy grow from the narrowest direction up, as in a dense tensor. A direction
    // that runs backwards in the target does so in the copy, so that addresses have the same order
    // in both.
    int64_t bytes = size;
    for (int i = n; i-- > 0;) {
        const direction *d = &directions[i];
        const bool backwards = d->stride < 0;
        const int64_t stride = bytes;
        *d->place = backwards ? -stride : stride;
        if (!clnd__multiply(stride, d->size, &bytes))
            return false;
        if (backwards) {
            fill->data_offset += (d->size - 1) * stride;
            merge->data_offset += (d->size - 1) * d->stride;
        }
        clnd__problem_add_slice(merge, d->size, magnitude(d->stride), stride);
    }
    *count = bytes / size;
    clnd__problem_fold(fill);
    return true;
}
