// SPDX-License-Identifier: Apache-2.0

#include "cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void shuffle(rng *r, int rank, int64_t *shape)
{
    for (int d = rank - 1; d > 0; d--) {
        int other = (int)rng_range(r, 0, d);
        int64_t swap = shape[d];
        shape[d] = shape[other];
        shape[other] = swap;
    }
}

void cases_shape(rng *r, int rank, int64_t most, int empty, int64_t *shape)
{
    for (int d = 0; d < rank; d++) {
        int64_t largest = rng_chance(r, 70) ? 5 : rng_chance(r, 70) ? 19 : most;
        if (largest > most)
            largest = most;
        shape[d] = rng_chance(r, 20) || largest < 1 ? 1 : rng_range(r, 1, largest);
        most /= shape[d];
    }
    if (rank > 0 && rng_chance(r, empty))
        shape[rng_range(r, 0, rank - 1)] = 0;
    shuffle(r, rank, shape);
}

void cases_large_shape(rng *r, int rank, int64_t about, int64_t *shape)
{
    for (int d = 0; d < rank; d++) {
        int64_t root = 1;
        while (d + 1 < rank && (root + 1) * (root + 1) <= about)
            root++;
        shape[d] = d + 1 < rank ? rng_range(r, 1, root) : about;
        about /= shape[d];
    }
    shuffle(r, rank, shape);
}

static int64_t bad_value(rng *r, int64_t size, int64_t low, int64_t high)
{
    int64_t value = 0;
    switch (rng_range(r, 0, 6)) {
    case 0:
        value = size;
        break;
    case 1:
        value = -1;
        break;
    case 2:
        value = -size;
        break;
    case 3:
        value = -size - 1;
        break;
    case 4:
        value = low;
        break;
    case 5:
        value = high;
        break;
    default:
        value = rng_range(r, low, high);
        break;
    }
    return value < low ? low : value > high ? high : value;
}

void cases_indices(rng *r, placed *indices, const int64_t *extents, int depth, clnd_bounds bounds,
                   int bad)
{
    int64_t at[CLND_MAX_RANK], low, high;
    int outer = indices->host.rank - 1;
    values_index_limits(indices->host.dtype, &low, &high);
    for (bool more = ref_first(outer, indices->host.shape, at); more;
         more = ref_next(outer, indices->host.shape, at)) {
        int bad_k = rng_chance(r, bad) && depth ? (int)rng_range(r, 0, depth - 1) : -1;
        for (int k = 0; k < depth; k++) {
            int64_t last = extents[k] - 1 < high ? extents[k] - 1 : high;
            int64_t value = last >= 0 ? rng_range(r, 0, last) : 0;
            if (bounds == CLND_BOUNDS_WRAP && last >= 0 && value - extents[k] >= low &&
                rng_chance(r, 40))
                value -= extents[k];
            if (k == bad_k || (bad_k >= 0 && rng_chance(r, 20)))
                value = bad_value(r, extents[k], low, high);
            at[outer] = k;
            values_write_index(indices->host.dtype, value, ref_at(&indices->host, at));
        }
    }
}

void cases_axis_indices(rng *r, placed *indices, int64_t extent, clnd_bounds bounds, int bad)
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

int cases_spelled_axis(rng *r, int axis, int rank)
{
    return rng_chance(r, 40) ? axis - rank : axis;
}

void cases_check_bad_value(const placed *indices, int64_t row, const char *op, int64_t extent,
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

void cases_check_bad_row(const placed *indices, int64_t row, const char *op, const char *ending)
{
    const ref_array *host = &indices->host;
    int outer = host->rank - 1;
    int64_t at[CLND_MAX_RANK], tuple[CLND_MAX_RANK];
    char location[512] = "", list[512], expected[2048];
    for (int d = outer - 1; d >= 0; d--) {
        at[d] = row % host->shape[d];
        row /= host->shape[d];
    }
    int used = 0;
    for (int d = 0; d < outer; d++)
        used += snprintf(location + used, sizeof location - (size_t)used, "%c%" PRId64,
                         d ? ',' : '[', at[d]);
    if (outer)
        snprintf(location + used, sizeof location - (size_t)used, "]");
    for (int64_t k = 0; k < host->shape[outer]; k++) {
        at[outer] = k;
        tuple[k] = ref_index_at(host, at);
    }
    snprintf(expected, sizeof expected, "%s: indices%s = %s%s", op, location,
             placed_list((int)host->shape[outer], tuple, list), ending ? ending : " ");
    const char *message = clnd_last_error();
    bool same =
        ending ? strcmp(message, expected) == 0 : strncmp(message, expected, strlen(expected)) == 0;
    check(same, "message is \"%s\", expected \"%s\"", message, expected);
}

void cases_setenv(const char *name, const char *value)
{
    int failed = value ? setenv(name, value, 1) : unsetenv(name);
    check(!failed, "cannot set %s", name);
}
