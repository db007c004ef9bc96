// SPDX-License-Identifier: Apache-2.0
//
// Problems of gather_nd, gather and gather_elements.

#include <stdlib.h>
#include <string.h>

#include "indices.h"
#include "problem.h"

static unsigned placement(const problem *p, rng *r)
{
    return p->twos || rng_chance(r, 50) ? PLACED_STRIDED : PLACED_DENSE;
}

static void join(int64_t *shape, int *rank, int n, const int64_t *part)
{
    memcpy(shape + *rank, part, (size_t)n * sizeof *shape);
    *rank += n;
}

// Both inputs, and the output of this shape.
static void place(problem *p, rng *r, int rank, const int64_t *shape, int index_rank,
                  const int64_t *index_shape, int out_rank, const int64_t *out_shape)
{
    values bits = {.kind = VALUES_BITS};
    placed_make(&p->input, "params", r, p->dtype, rank, shape, placement(p, r) | PLACED_BROADCAST);
    placed_make(&p->indices, "indices", r, p->index_dtype, index_rank, index_shape,
                PLACED_ANY | PLACED_ALIGNED);
    placed_make(&p->out, "out", r, p->dtype, out_rank, out_shape, placement(p, r));
    placed_fill(&p->input, r, &bits);
}

static void make_gather_nd(problem *p, rng *r)
{
    int64_t batch[CLND_MAX_RANK], outer[CLND_MAX_RANK], extents[CLND_MAX_RANK],
        slice[CLND_MAX_RANK], shape[CLND_MAX_RANK], index_shape[CLND_MAX_RANK],
        out_shape[CLND_MAX_RANK];
    int rank = 0, index_rank = 0, out_rank = 0;
    int b = rng_chance(r, 30) ? (int)rng_range(r, 0, 2) : 0, o = (int)rng_range(r, 0, 2);
    int k = (int)rng_range(r, rng_chance(r, 10) ? 0 : 1, 3), s = (int)rng_range(r, 0, 3);
    if (p->high_rank) {
        // batch + outer + 1, batch + index + slice and batch + outer + slice are at most 16
        b = (int)rng_range(r, 0, rng_chance(r, 75) ? 3 : 15);
        o = (int)rng_range(r, 0, 15 - b);
        s = (int)rng_range(r, 0, 16 - b - o);
        k = (int)rng_range(r, 0, 16 - b - s);
        if (p->twos && rng_chance(r, 50)) { // a slice of many axes
            b = o = 0;
            s = 15;
            k = 1;
        }
    } else if (p->scale != SCALE_SMALL) {
        b = rng_chance(r, 15);
        o = o ? o : 1;
        k = k ? k : 1;
    }
    cases_shape(r, b, 6, p->empty, batch);
    problem_sizes(p, r, o, p->rows, outer);
    problem_sizes(p, r, k, p->extent, extents);
    problem_sizes(p, r, s, p->slice, slice);
    join(shape, &rank, b, batch);
    join(shape, &rank, k, extents);
    join(shape, &rank, s, slice);
    join(index_shape, &index_rank, b, batch);
    join(index_shape, &index_rank, o, outer);
    memcpy(out_shape, index_shape, sizeof out_shape);
    out_rank = index_rank;
    index_shape[index_rank++] = k;
    join(out_shape, &out_rank, s, slice);
    p->said_batch_dims = p->batch_dims = b;
    place(p, r, rank, shape, index_rank, index_shape, out_rank, out_shape);
    cases_indices(r, &p->indices, extents, k, p->bounds, indices_bad(p, r));
}

static void make_gather(problem *p, rng *r)
{
    enum { BATCH, BEFORE, PLACES, AFTER, N_PARTS };
    int64_t most[N_PARTS] = {6, 12, p->rows / 2, p->slice / 2};
    int64_t parts[N_PARTS][CLND_MAX_RANK], shape[CLND_MAX_RANK], index_shape[CLND_MAX_RANK],
        out_shape[CLND_MAX_RANK], extent = p->extent;
    int n[N_PARTS], rank = 0, index_rank = 0, out_rank = 0;
    for (int i = 0; i < N_PARTS; i++)
        n[i] = (int)rng_range(r, 0, 2);
    if (rng_chance(r, 50))
        n[BATCH] = 0;
    if (p->high_rank) {
        // params have batch + before + 1 + after dimensions, out batch + before + places + after
        int room = 15;
        for (int i = 0; i < N_PARTS; i++) {
            n[i] = i == PLACES ? 0 : (int)rng_range(r, 0, room);
            room -= n[i];
        }
        n[PLACES] = (int)rng_range(r, 0, room + 1);
    } else if (p->scale != SCALE_SMALL) {
        // many rows before the axis, or in the indices
        bool before = rng_chance(r, 40);
        most[BATCH] = 1 + (n[BATCH] > 0);
        most[BEFORE] = before ? p->rows : 2;
        most[PLACES] = before ? 2 : p->rows;
        most[AFTER] = p->slice;
        int64_t room = 400000 / (most[BATCH] * most[BEFORE] * most[AFTER]);
        extent = extent < room ? extent : room > 1 ? room : 1;
    }
    for (int i = 0; i < N_PARTS; i++)
        problem_sizes(p, r, n[i], most[i], parts[i]);
    problem_sizes(p, r, 1, extent, &extent);
    join(shape, &rank, n[BATCH], parts[BATCH]);
    join(shape, &rank, n[BEFORE], parts[BEFORE]);
    p->axis = rank;
    join(out_shape, &out_rank, rank, shape);
    join(shape, &rank, 1, &extent);
    join(shape, &rank, n[AFTER], parts[AFTER]);
    join(index_shape, &index_rank, n[BATCH], parts[BATCH]);
    join(index_shape, &index_rank, n[PLACES], parts[PLACES]);
    join(out_shape, &out_rank, n[PLACES], parts[PLACES]);
    join(out_shape, &out_rank, n[AFTER], parts[AFTER]);
    p->said_batch_dims = p->batch_dims = n[BATCH];
    p->said_axis = cases_spelled_axis(r, p->axis, rank);
    if (n[PLACES] > 0 && rng_chance(r, 40)) // below 0
        p->said_batch_dims -= index_rank;
    if (p->axis == p->batch_dims && rng_chance(r, 50))
        p->said_axis = 0;
    place(p, r, rank, shape, index_rank, index_shape, out_rank, out_shape);
    cases_axis_indices(r, &p->indices, extent, p->bounds, indices_bad(p, r));
}

static void make_gather_elements(problem *p, rng *r)
{
    int64_t shape[CLND_MAX_RANK], index_shape[CLND_MAX_RANK];
    int64_t most = p->rows * p->slice / 4 + 1;
    int rank = (int)rng_range(r, p->twos ? 13 : 1, p->high_rank ? 16 : 4),
        axis = (int)rng_range(r, 0, rank - 1);
    problem_sizes(p, r, rank, most < 60000 ? most : 60000, shape);
    for (int i = 0; i < rank; i++) {
        index_shape[i] =
            p->twos || rng_chance(r, 60) ? shape[i] : rng_range(r, shape[i] / 2, shape[i]);
        if (i == axis && !p->twos && p->scale == SCALE_SMALL)
            index_shape[i] = rng_chance(r, p->empty) ? 0 : rng_range(r, 1, 7);
    }
    p->axis = axis;
    p->said_axis = cases_spelled_axis(r, axis, rank);
    place(p, r, rank, shape, rank, index_shape, rank, index_shape);
    cases_axis_indices(r, &p->indices, shape[axis], p->bounds, indices_bad(p, r));
}

void problem_make_gather(problem *p, rng *r)
{
    values bits = {.kind = VALUES_BITS};
    p->ordered = true;
    p->fill = malloc(ref_size(p->dtype));
    check(p->fill, "out of memory");
    values_write(&bits, p->dtype, r, p->fill);
    if (p->op == OP_GATHER_ND)
        make_gather_nd(p, r);
    else if (p->op == OP_GATHER)
        make_gather(p, r);
    else
        make_gather_elements(p, r);
}
