// SPDX-License-Identifier: Apache-2.0

#include "axis_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void axis_indices(rng *r, placed *indices, int64_t extent, clnd_bounds bounds, int bad)
{
    // tuples of one value each, then moved to where the indices lie
    const ref_array *host = &indices->host;
    size_t size = ref_size(host->dtype);
    int64_t at[CLND_MAX_RANK], count = ref_count(host->rank, host->shape), i = 0;
    placed tuples = {
        .host = {.dtype = host->dtype, .rank = 2, .shape = {count, 1}, .strides = {1, 1}}};
    tuples.host.data = calloc((size_t)count + 1, size);
    check(tuples.host.data, "out of memory");
    cases_indices(r, &tuples, &extent, 1, bounds, bad);
    for (bool more = ref_first(host->rank, host->shape, at); more;
         more = ref_next(host->rank, host->shape, at), i++)
        memcpy(ref_at(host, at), tuples.host.data + (size_t)i * size, size);
    free(tuples.host.data);
}

int32_t axis_spelled(rng *r, int axis, int rank)
{
    return rng_chance(r, 40) ? axis - rank : axis;
}

void axis_check_bad_value(const placed *indices, int64_t row, const char *op, int64_t extent,
                          clnd_bounds bounds)
{
    const ref_array *host = &indices->host;
    int64_t at[CLND_MAX_RANK];
    char expected[1024];
    for (int d = host->rank - 1; d >= 0; d--) {
        at[d] = row % host->shape[d];
        row /= host->shape[d];
    }
    int used = snprintf(expected, sizeof expected, "%s: indices", op);
    for (int d = 0; d < host->rank; d++)
        used += snprintf(expected + used, sizeof expected - (size_t)used, "%c%" PRId64,
                         d ? ',' : '[', at[d]);
    snprintf(expected + used, sizeof expected - (size_t)used,
             "%s = %" PRId64 " is not in [%" PRId64 ", %" PRId64 ")", host->rank ? "]" : "",
             ref_index_at(host, at), bounds == CLND_BOUNDS_WRAP ? -extent : 0, extent);
    check(strcmp(clnd_last_error(), expected) == 0, "message is \"%s\", expected \"%s\"",
          clnd_last_error(), expected);
}
