// SPDX-License-Identifier: Apache-2.0

#include "problem.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "values.h"

enum { PART = 40 };

static void pick_kinds(problem *p, rng *r)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8,   CLND_FLOAT16, CLND_INT32,
                                        CLND_FLOAT32, CLND_FLOAT64, CLND_COMPLEX64};
    static const clnd_reduce reductions[] = {CLND_REDUCE_UPDATE, CLND_REDUCE_ADD, CLND_REDUCE_MUL,
                                             CLND_REDUCE_MAX};
    p->dtype = dtypes[rng_range(r, 0, 5)];
    p->index_dtype = values_pick(values_index_dtypes, r);
    do
        p->options.reduce = reductions[rng_range(r, 0, 3)];
    while (!values_can_reduce(p->dtype, p->options.reduce));
}

static void pick_layout(problem *p, rng *r, int ranks)
{
    int total = 0;
    int64_t rows = 1;
    for (int i = 0; i < ranks; i++)
        total += p->shards[i] = (int32_t)rng_range(r, 0, MOST_SHARDS);
    if (!total)
        total = p->shards[ranks - 1] = 1;
    p->layout.kind = (clnd_mpi_kind)rng_range(r, 0, 2);
    p->layout.n_dims = p->op == GATHER || p->op == SCATTER_ELEMENTS || rng_chance(r, 60) ? 1 : 2;
    for (int d = 0; d < p->layout.n_dims; d++)
        rows *= p->layout.shape[d] = p->shape[d] = rng_range(r, 0, 4) ? rng_range(r, 1, 30) : 1;
    p->layout.block = rng_range(r, 1, 5);
    for (int s = 1; s <= total; s++)
        p->offsets[s] =
            s == total ? rows : p->offsets[s - 1] + rng_range(r, 0, rows - p->offsets[s - 1]);
    p->layout.offsets = p->offsets;
}

static void pick_shapes(problem *p, rng *r, int ranks)
{
    p->rank = p->layout.n_dims + (int32_t)rng_range(r, 0, 2);
    for (int d = p->layout.n_dims; d < p->rank; d++)
        p->shape[d] = rng_range(r, 1, 6);
    p->k = p->op == GATHER_ND || p->op == SCATTER_ND_INTO
               ? (int32_t)rng_range(r, p->layout.n_dims, p->rank)
               : 1;
    const int64_t most = rng_chance(r, 15) ? 800 : 60;
    for (int i = 0; i < ranks; i++)
        p->rows[i] = rng_chance(r, 15) ? 0 : rng_range(r, 1, most);
    p->table_bytes = p->dense_bytes = clnd_dtype_size(p->dtype);
    for (int d = 0; d < p->rank; d++) {
        p->moved[d] = p->op == SCATTER_ELEMENTS ? rng_range(r, 1, p->shape[d]) : p->shape[d];
        p->table_bytes *= (size_t)p->shape[d];
        p->dense_bytes *= (size_t)(d < p->k ? 1 : p->moved[d]);
    }
    p->index_bytes = clnd_dtype_size(p->index_dtype) * (size_t)p->k;
    if (p->op == SCATTER_ELEMENTS) // an index for each element
        p->index_bytes *= p->dense_bytes / clnd_dtype_size(p->dtype);
}

static void pick_options(problem *p, rng *r)
{
    static const clnd_bounds policies[] = {CLND_BOUNDS_ERROR, CLND_BOUNDS_ZERO, CLND_BOUNDS_CLAMP,
                                           CLND_BOUNDS_WRAP, CLND_BOUNDS_FILL};
    const bool gathers = p->op == GATHER_ND || p->op == GATHER;
    p->options.bounds = policies[rng_range(r, 0, gathers ? 4 : 3)];
    p->options.merge_duplicates = rng_chance(r, 50);
    p->runs = rng_chance(r, 50) ? 0 : gathers ? 2 : 1;
    p->options.deterministic = rng_chance(r, 70);
    p->options.fill = p->fill;
    p->staging = 0;
    if (rng_chance(r, 60)) // rounds; but sums that are rounded once need one
        p->staging = p->dtype == CLND_FLOAT16 ? 1 << 20 : (uint64_t)rng_range(r, 4000, 20000);
}

static void fill_indices(problem *p, rng *r, int ranks)
{
    const size_t size = clnd_dtype_size(p->index_dtype);
    const int odds = rng_chance(r, 50) ? 0 : (int)rng_range(r, 1, 20);
    unsigned char *at = p->indices;
    const bool wraps = p->options.bounds == CLND_BOUNDS_WRAP;
    int64_t low, high;
    values_index_limits(p->index_dtype, &low, &high);
    for (int i = 0; i < ranks; i++)
        for (size_t n = 0; n < (size_t)p->rows[i] * p->index_bytes / size; n++, at += size) {
            const int64_t extent = p->shape[(int)(n % (size_t)p->k)];
            int64_t value = rng_range(r, wraps && low < 0 ? -extent : 0, extent - 1);
            if (rng_chance(r, odds)) {
                value = rng_chance(r, 50) && low < 0 ? -extent - 1 : extent;
                const int64_t row = (int64_t)(n / (size_t)p->k);
                if (p->first_bad_rank < 0) {
                    p->first_bad_rank = i;
                    p->first_bad_row = row;
                }
            }
            values_write_index(p->index_dtype, value, at);
        }
}

int64_t problem_total_rows(const problem *p, int ranks)
{
    int64_t total = 0;
    for (int i = 0; i < ranks; i++)
        total += p->rows[i];
    return total;
}

static void fill_values(const problem *p, rng *r, unsigned char *bytes, size_t n)
{
    // without an order only what is exact in any order can be compared
    const values v = {.kind = p->options.deterministic               ? VALUES_ANY
                              : p->options.reduce == CLND_REDUCE_MUL ? VALUES_PRODUCT
                                                                     : VALUES_SUM,
                      .limit = 3};
    const size_t size = clnd_dtype_size(p->dtype);
    for (size_t i = 0; i + size <= n; i += size)
        values_write(&v, p->dtype, r, bytes + i);
}

void problem_make(problem *p, uint64_t seed, int number, int ranks)
{
    rng kinds = rng_of(seed, "mpi kinds", (uint64_t)(number / PART));
    rng r = rng_of(seed, "mpi", (uint64_t)number);
    memset(p, 0, sizeof *p);
    p->first_bad_rank = p->first_bad_row = -1;
    p->op = (op)rng_range(&r, 0, N_OPS - 1);
    pick_kinds(p, &kinds);
    pick_layout(p, &r, ranks);
    pick_shapes(p, &r, ranks);
    pick_options(p, &r);
    // which of several rows stays is open, and so are the signs of a complex product's zeros
    if (p->options.reduce == CLND_REDUCE_UPDATE ||
        (p->options.reduce == CLND_REDUCE_MUL && values_is_complex(p->dtype)))
        p->options.deterministic = true;
    const size_t rows = (size_t)problem_total_rows(p, ranks);
    p->table = calloc(1, p->table_bytes + 1);
    p->indices = calloc(1, rows * p->index_bytes + 1);
    p->dense = calloc(1, rows * p->dense_bytes + 1);
    if (!p->table || !p->indices || !p->dense)
        abort();
    fill_values(p, &r, p->table, p->table_bytes);
    fill_values(p, &r, p->dense, rows * p->dense_bytes);
    fill_values(p, &r, p->fill, clnd_dtype_size(p->dtype));
    fill_indices(p, &r, ranks);
}

void problem_free(problem *p)
{
    free(p->table);
    free(p->indices);
    free(p->dense);
}
