// SPDX-License-Identifier: Apache-2.0
//
// Problems of scatter_nd, scatter_nd_into, scatter_elements and scatter.

#include <string.h>

#include "indices.h"
#include "problem.h"

static bool is_sum(const problem *p)
{
    return p->reduce == CLND_REDUCE_ADD || p->reduce == CLND_REDUCE_SUB;
}

// Whole numbers up to here are exact; bfloat16 counts to 256, float16 to 2048.
static int64_t exact_up_to(clnd_dtype dtype)
{
    return dtype == CLND_BFLOAT16 ? 256 : dtype == CLND_FLOAT16 ? 2048 : 1 << 24;
}

// Values for which the result is known to the bit, and how to compare it.
static values pick_values(problem *p, const device *d)
{
    values v = {.kind = VALUES_ANY, .subnormals = d->subnormals};
    p->rule = EQUAL_NUMBERS;
    if (p->reduce == CLND_REDUCE_UPDATE) {
        v.kind = VALUES_BITS;
        p->rule = EQUAL_BITS;
    } else if (p->reduce == CLND_REDUCE_MUL && !p->ordered) {
        v.kind = VALUES_PRODUCT;
        if (values_is_complex(p->dtype)) // the sign of a part that is 0 depends on the order
            p->rule = EQUAL_NEARLY;
    } else if (is_sum(p) && !p->ordered) {
        v.kind = VALUES_SUM;
        v.limit = exact_up_to(p->dtype) / (p->rows + 1);
        check(v.limit > 0, "too many rows for exact sums");
    }
    return v;
}

static void make_scatter_nd(problem *p, rng *r)
{
    int64_t outer[CLND_MAX_RANK], shape[CLND_MAX_RANK], update_shape[CLND_MAX_RANK];
    int o = (int)rng_range(r, 0, 2), k = (int)rng_range(r, rng_chance(r, 10) ? 0 : 1, 3);
    int s = (int)rng_range(r, 0, 2);
    if (p->high_rank) {
        // outer + 1, index + slice and outer + slice are at most 16
        o = (int)rng_range(r, 0, 15);
        s = (int)rng_range(r, 0, 16 - o);
        k = (int)rng_range(r, 0, 16 - s);
    } else if (p->scale != SCALE_SMALL) {
        o = o ? o : 1;
        k = k ? k : 1;
    }
    problem_sizes(p, r, o, p->rows, outer);
    problem_sizes(p, r, k, p->extent, shape);
    problem_sizes(p, r, s, p->slice, shape + k);
    // so that a row may begin where a quarter of the target does
    if (k > 0 && p->scale != SCALE_SMALL)
        shape[k - 1] = (shape[k - 1] + 3) / 4 * 4;
    for (int dim = 0; dim < o && p->unique; dim++) // not more rows than places
        while (ref_count(o, outer) > ref_count(k, shape) && outer[dim] > 1)
            outer[dim] = (outer[dim] + 1) / 2;
    memcpy(update_shape, outer, (size_t)o * sizeof *outer);
    memcpy(update_shape + o, shape + k, (size_t)s * sizeof *outer);
    outer[o] = k;
    unsigned aligned = p->reduce == CLND_REDUCE_UPDATE ? 0 : PLACED_ALIGNED;
    unsigned strided = rng_chance(r, 50) ? PLACED_STRIDED : PLACED_DENSE;
    placed_make(&p->indices, "indices", r, p->index_dtype, o + 1, outer,
                PLACED_ALIGNED | (p->unique ? PLACED_STRIDED : PLACED_ANY));
    placed_make(&p->input, "updates", r, p->dtype, o + s, update_shape,
                strided | PLACED_BROADCAST | aligned);
    placed_make(&p->out, "target", r, p->dtype, k + s, shape, strided | aligned);
    cases_indices(r, &p->indices, shape, k, p->bounds, indices_bad(p, r));
    p->unique = p->unique && indices_make_unique_tuples(p, r, shape, k);
}

static void make_scatter_elements(problem *p, rng *r)
{
    int64_t shape[CLND_MAX_RANK], index_shape[CLND_MAX_RANK];
    int rank = (int)rng_range(r, 1, p->high_rank ? 16 : 2), axis = (int)rng_range(r, 0, rank - 1);
    problem_sizes(p, r, rank, p->extent, shape);
    for (int64_t i = 0, room = p->rows; i < rank; i++) {
        int64_t most = shape[i];
        if (i == axis && !p->unique)
            most = p->scale == SCALE_SMALL ? 9 : room;
        most = most < room ? most : room;
        index_shape[i] = rng_chance(r, 60) ? most : rng_range(r, most / 2, most);
        room = index_shape[i] ? room / index_shape[i] : room;
    }
    unsigned aligned = p->reduce == CLND_REDUCE_UPDATE ? 0 : PLACED_ALIGNED;
    unsigned strided = rng_chance(r, 50) ? PLACED_STRIDED : PLACED_DENSE;
    placed_make(&p->indices, "indices", r, p->index_dtype, rank, index_shape,
                PLACED_ALIGNED | (p->unique ? PLACED_STRIDED : PLACED_ANY));
    placed_make(&p->input, "updates", r, p->dtype, rank, index_shape,
                strided | PLACED_BROADCAST | aligned);
    placed_make(&p->out, "target", r, p->dtype, rank, shape, strided | aligned);
    p->axis = axis;
    p->said_axis = cases_spelled_axis(r, axis, rank);
    cases_axis_indices(r, &p->indices, shape[axis], p->bounds, indices_bad(p, r));
    p->unique = p->unique && indices_make_unique_values(p, r, axis, shape[axis]);
}

static void join(int64_t *shape, int *rank, int n, const int64_t *part)
{
    memcpy(shape + *rank, part, (size_t)n * sizeof *shape);
    *rank += n;
}

static void make_scatter_along(problem *p, rng *r)
{
    enum { BATCH, BEFORE, PLACES, AFTER, N_PARTS };
    const int64_t most[N_PARTS] = {2, 6, p->rows, p->slice / 2 + 1};
    int64_t parts[N_PARTS][CLND_MAX_RANK], shape[CLND_MAX_RANK], index_shape[CLND_MAX_RANK],
        update_shape[CLND_MAX_RANK], extent;
    int n[N_PARTS], rank = 0, index_rank = 0, update_rank = 0;
    for (int i = 0, room = 15; i < N_PARTS; i++) {
        n[i] = (int)rng_range(r, 0, p->high_rank ? room : 2);
        room -= n[i];
    }
    if (rng_chance(r, 60))
        n[BATCH] = 0;
    if (p->scale != SCALE_SMALL)
        n[PLACES] = 1;
    for (int i = 0; i < N_PARTS; i++)
        problem_sizes(p, r, n[i], most[i], parts[i]);
    problem_sizes(p, r, 1, p->extent, &extent);
    join(shape, &rank, n[BATCH], parts[BATCH]);
    join(shape, &rank, n[BEFORE], parts[BEFORE]);
    memcpy(update_shape, shape, sizeof shape);
    update_rank = p->axis = rank;
    shape[rank++] = extent;
    join(shape, &rank, n[AFTER], parts[AFTER]);
    join(index_shape, &index_rank, n[BATCH], parts[BATCH]);
    join(index_shape, &index_rank, n[PLACES], parts[PLACES]);
    join(update_shape, &update_rank, n[PLACES], parts[PLACES]);
    join(update_shape, &update_rank, n[AFTER], parts[AFTER]);
    unsigned aligned = p->reduce == CLND_REDUCE_UPDATE ? 0 : PLACED_ALIGNED;
    unsigned strided = rng_chance(r, 50) ? PLACED_STRIDED : PLACED_DENSE;
    placed_make(&p->indices, "indices", r, p->index_dtype, index_rank, index_shape,
                PLACED_ALIGNED | PLACED_ANY);
    placed_make(&p->input, "updates", r, p->dtype, update_rank, update_shape,
                strided | PLACED_BROADCAST | aligned);
    placed_make(&p->out, "target", r, p->dtype, rank, shape, strided | aligned);
    p->said_batch_dims = p->batch_dims = n[BATCH];
    if (rng_chance(r, 30))
        p->said_batch_dims -= index_rank; // 0 if it is the rank: then all count as none
    if (p->said_batch_dims == 0)
        p->said_batch_dims = p->batch_dims;
    p->said_axis =
        p->axis == p->batch_dims && rng_chance(r, 30) ? 0 : cases_spelled_axis(r, p->axis, rank);
    cases_axis_indices(r, &p->indices, extent, p->bounds, indices_bad(p, r));
    p->unique = false;
}

// Whether the strategy that is asked for takes rows that meet in order, and the call takes it.
static bool takes_order(const problem *p, const device *d)
{
    const strategy_id asked = strategy_in(p->forced);
    return asked == BY_OWNER || (asked == BY_SORT && p->must && device_sorts(d));
}

void problem_make_scatter(problem *p, const device *d, rng *r)
{
    int64_t most = exact_up_to(p->dtype) / 2;
    if (is_sum(p) && p->rows > most)
        p->rows = most;
    if (p->reduce == CLND_REDUCE_MUL && values_is_complex(p->dtype) && p->rows > 1000)
        p->rows = 1000; // so that products stay finite
    if (p->op == OP_SCATTER_ELEMENTS)
        make_scatter_elements(p, r);
    else if (p->op == OP_SCATTER)
        make_scatter_along(p, r);
    else
        make_scatter_nd(p, r);
    p->ordered = p->deterministic || p->unique || takes_order(p, d);
    values v = pick_values(p, d);
    placed_fill(&p->input, r, &v);
    placed_fill(&p->out, r, &v);
}
