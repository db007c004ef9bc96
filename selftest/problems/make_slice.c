// SPDX-License-Identifier: Apache-2.0
//
// Problems of strided_slice, its view, assign and grad, and copy.

#include <string.h>

#include "problem.h"

static int64_t pick_place(rng *r, int64_t size)
{
    switch (rng_range(r, 0, 9)) {
    case 0:
        return INT64_MIN;
    case 1:
        return INT64_MAX;
    case 2:
        return rng_range(r, -3 * size - 2, 3 * size + 2);
    default:
        return rng_range(r, -size - 1, size + 1);
    }
}

static int64_t pick_stride(rng *r, bool wild)
{
    static const int64_t far[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, 1000, -1000};
    int choice = (int)rng_range(r, 0, 19);
    if (choice == 0)
        return wild ? 0 : -1;
    if (choice <= 2)
        return far[rng_range(r, 0, 4)];
    if (choice <= 8)
        return rng_chance(r, 50) ? rng_range(r, 1, 4) : rng_range(r, -4, -1);
    return 1;
}

// Entries for `rank` dimensions of `shape`; bits beyond the entries too, which mean nothing. Wild
// ones are often no slice of it.
static clnd_slice pick_slice(rng *r, int rank, const int64_t *shape, bool wild)
{
    clnd_slice slice = {.begin_mask = (uint32_t)(rng_u64(r) & rng_u64(r)),
                        .end_mask = (uint32_t)(rng_u64(r) & rng_u64(r)),
                        .shrink_axis_mask =
                            (uint32_t)(rng_u64(r) & rng_u64(r) & rng_u64(r) & rng_u64(r))};
    if (!wild && rng_chance(r, 60))
        slice.end_mask |= (uint32_t)rng_u64(r);
    slice.length = (int)rng_range(r, 0, rank + (wild && rng_chance(r, 30) ? 2 : 0));
    if (rng_chance(r, 20))
        slice.new_axis_mask = (uint32_t)(rng_u64(r) & rng_u64(r));
    if (rng_chance(r, 40))
        slice.ellipsis_mask = (uint32_t)1 << rng_range(r, 0, slice.length);
    if (wild && rng_chance(r, 3))
        slice.ellipsis_mask = (uint32_t)rng_u64(r);
    for (int i = 0; i < slice.length; i++) {
        int64_t size = i < rank ? shape[i] : 3;
        slice.strides[i] = pick_stride(r, wild);
        bool back = slice.strides[i] < 0, early = rng_chance(r, 60); // not empty, most of them
        slice.begin[i] =
            early ? rng_range(r, 0, size / 3) * (back ? -1 : 1) - back : pick_place(r, size);
        slice.end[i] =
            early ? rng_range(r, 0, size / 3) * (back ? 1 : -1) - !back : pick_place(r, size);
        slice.end[i] = early && slice.end[i] == -1 ? INT64_MAX : slice.end[i];
        if (slice.shrink_axis_mask >> i & 1 && rng_chance(r, wild ? 85 : 100)) {
            slice.begin[i] = rng_range(r, -size, size - 1 > 0 ? size - 1 : 0);
            slice.strides[i] = 1;
        }
    }
    return slice;
}

// A shape that broadcasts into `into`.
static int pick_value(rng *r, int rank, const int64_t *into, int64_t *shape)
{
    int dropped = rng_chance(r, 40) ? (int)rng_range(r, 0, rank) : 0, n = 0;
    for (int d = 0; rng_chance(r, 20) && d + rank < CLND_MAX_RANK; d++)
        if (dropped == 0)
            shape[n++] = 1;
    int percent = rng_chance(r, 50) ? 0 : 40;
    for (int d = dropped; d < rank; d++)
        shape[n++] = rng_chance(r, percent) ? 1 : into[d];
    return n;
}

// The larger tensor is `whole`, the one of the slice's shape `part`.
static void place(problem *p, rng *r, int rank, const int64_t *shape, int part_rank,
                  const int64_t *part_shape)
{
    values bits = {.kind = VALUES_BITS};
    bool writes = p->op == OP_STRIDED_SLICE_ASSIGN || p->op == OP_STRIDED_SLICE_GRAD;
    unsigned strided = rng_chance(r, 60) ? PLACED_STRIDED : PLACED_DENSE;
    unsigned in = strided ? PLACED_ANY : PLACED_DENSE;
    if (writes) {
        placed_make(&p->input, "value", r, p->dtype, part_rank, part_shape, in);
        placed_make(&p->out, "target", r, p->dtype, rank, shape, strided);
    } else {
        placed_make(&p->input, "input", r, p->dtype, rank, shape, in);
        placed_make(&p->out, "out", r, p->dtype, part_rank, part_shape, strided);
    }
    placed_fill(&p->input, r, &bits);
}

void problem_make_slice(problem *p, rng *r)
{
    int64_t shape[CLND_MAX_RANK], part_shape[CLND_MAX_RANK] = {4};
    int64_t most = p->scale == SCALE_SMALL ? 500 : p->rows * p->slice;
    int rank = (int)rng_range(r, p->twos ? 13 : 0, p->high_rank ? 16 : 5), part_rank = 1;
    p->ordered = true;
    problem_sizes(p, r, rank, most < 200000 ? most : 200000, shape);
    if (p->op == OP_COPY) {
        place(p, r, rank, shape, rank, shape);
        return;
    }
    ref_slice taken;
    p->taken = pick_slice(r, rank, shape, rng_chance(r, 40));
    p->slice_status = ref_slice_take(rank, shape, &p->taken, &taken);
    if (p->slice_status == REF_SLICE_OK) {
        part_rank = taken.rank;
        memcpy(part_shape, taken.shape, sizeof part_shape);
        if (p->op == OP_STRIDED_SLICE_ASSIGN)
            part_rank = pick_value(r, taken.rank, taken.shape, part_shape);
        ref_slice_free(&taken);
    }
    place(p, r, rank, shape, part_rank, part_shape);
}
