// SPDX-License-Identifier: Apache-2.0

#include "indices.h"

int indices_bad(const problem *p, rng *r)
{
    if (p->scale != SCALE_SMALL) // one bad row in thousands, rather than most calls refused
        return rng_chance(r, 80) ? 0 : rng_chance(r, 50) ? 1 : 20;
    return rng_chance(r, 60) ? 0 : 20;
}

bool indices_are_broadcast(const placed *indices)
{
    for (int dim = 0; dim < indices->host.rank; dim++)
        if (indices->host.strides[dim] == 0 && indices->host.shape[dim] > 1)
            return true;
    return false;
}

// Writes an index that alone means what it means: the value itself; under WRAP, what counts from
// the end; or, where bad rows are no rows, the value behind the end.
static void write_one(const problem *p, rng *r, int64_t value, int64_t extent, bool bad,
                      unsigned char *at)
{
    int64_t low, high;
    values_index_limits(p->index_dtype, &low, &high);
    if (bad && extent <= high)
        value = extent;
    else if (p->bounds == CLND_BOUNDS_WRAP && value - extent >= low && rng_chance(r, 40))
        value -= extent;
    values_write_index(p->index_dtype, value, at);
}

static int bad_percent(const problem *p, rng *r)
{
    return p->bounds != CLND_BOUNDS_CLAMP && rng_chance(r, 30) ? 10 : 0;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool indices_make_unique_tuples(const problem *p, rng *r, const int64_t *extents, int depth)
{
    const ref_array *host = &p->indices.host;
    int64_t at[CLND_MAX_RANK], low, high;
    int outer = host->rank - 1, bad = bad_percent(p, r);
    int64_t rows = ref_count(outer, host->shape), places = ref_count(depth, extents);
    values_index_limits(p->index_dtype, &low, &high);
    if (rows > places || rows == 0 || indices_are_broadcast(&p->indices))
        return rows == 0;
    for (int k = 0; k < depth; k++)
        if (extents[k] - 1 > high)
            return false;
    // row n gets the n-th place of a walk that passes all of them
    int64_t place = rng_range(r, 0, places - 1), step = rng_range(r, 1, places);
    while (common_divisor(step, places) != 1)
        step--;
    for (bool more = ref_first(outer, host->shape, at); more;
         more = ref_next(outer, host->shape, at)) {
        int64_t rest = place;
        int bad_k = rng_chance(r, bad) && depth ? (int)rng_range(r, 0, depth - 1) : -1;
        for (int k = depth - 1; k >= 0; k--) {
            at[outer] = k;
            write_one(p, r, rest % extents[k], extents[k], k == bad_k, ref_at(host, at));
            rest /= extents[k];
        }
        place = (place + step) % places;
    }
    return true;
}

bool indices_make_unique_values(const problem *p, rng *r, int axis, int64_t extent)
{
    const ref_array *host = &p->indices.host;
    int64_t at[CLND_MAX_RANK], low, high;
    int bad = bad_percent(p, r);
    values_index_limits(p->index_dtype, &low, &high);
    if (host->shape[axis] > extent || extent - 1 > high || indices_are_broadcast(&p->indices))
        return false;
    int64_t first = extent ? rng_range(r, 0, extent - 1) : 0;
    for (bool more = ref_first(host->rank, host->shape, at); more;
         more = ref_next(host->rank, host->shape, at)) {
        int64_t line = 0; // each line along the axis begins elsewhere
        for (int i = 0; i < host->rank; i++)
            line += i == axis ? 0 : at[i] * (i + 3);
        write_one(p, r, (first + line + at[axis]) % extent, extent, rng_chance(r, bad),
                  ref_at(host, at));
    }
    return true;
}
