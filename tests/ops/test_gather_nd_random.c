// SPDX-License-Identifier: Apache-2.0
//
// gather_nd against the reference: random cases by dtype, index dtype, policy, strategy, rank,
// layout and size.

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"

static const clnd_strategy strategies[] = {CLND_STRATEGY_AUTO, CLND_STRATEGY_LANES,
                                           CLND_STRATEGY_BLOCKS};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

static const clnd_bounds policies[] = {CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR, CLND_BOUNDS_ZERO,
                                       CLND_BOUNDS_FILL,    CLND_BOUNDS_CLAMP, CLND_BOUNDS_WRAP};
enum { N_POLICIES = sizeof policies / sizeof *policies };

typedef struct random_case {
    clnd_dtype dtype;
    clnd_dtype index_dtype;
    clnd_bounds bounds;
    clnd_strategy strategy;
    int64_t rows;       // at most
    int64_t slice;      // elements, at most
    int64_t extent;     // of the indexed dimensions together, at most
    int n_dims[4];      // batch, outer, index and slice dimensions; -1: at random
    int empty;          // of 100 shapes so many have a size 0
    unsigned placement; // of params and out
    bool large;         // about as many as `rows`, `slice` and `extent` say
} random_case;

static int pick_dims(rng *r, int wanted, int low, int high)
{
    return wanted >= 0 ? wanted : (int)rng_range(r, low, high);
}

static void run_random(const device *d, const random_case *c)
{
    rng *r = case_rng();
    char lists[3][512];
    int64_t batch[CLND_MAX_RANK], outer[CLND_MAX_RANK], extents[CLND_MAX_RANK],
        slice[CLND_MAX_RANK], shape[CLND_MAX_RANK], index_shape[CLND_MAX_RANK];
    int b = pick_dims(r, c->n_dims[0], 0, rng_chance(r, 30) ? 2 : 0);
    int o = pick_dims(r, c->n_dims[1], 0, 2);
    int k = pick_dims(r, c->n_dims[2], rng_chance(r, 10) ? 0 : 1, 3);
    int s = pick_dims(r, c->n_dims[3], 0, 3);
    cases_shape(r, b, 6, c->empty, batch);
    if (c->large) {
        cases_large_shape(r, o, c->rows, outer);
        cases_large_shape(r, k, c->extent, extents);
        cases_large_shape(r, s, c->slice, slice);
    } else {
        cases_shape(r, o, c->rows, c->empty, outer);
        cases_shape(r, k, c->extent, c->empty, extents);
        cases_shape(r, s, c->slice, c->empty, slice);
    }
    memcpy(shape, batch, (size_t)b * sizeof *shape);
    memcpy(shape + b, extents, (size_t)k * sizeof *shape);
    memcpy(shape + b + k, slice, (size_t)s * sizeof *shape);
    memcpy(index_shape, batch, (size_t)b * sizeof *shape);
    memcpy(index_shape + b, outer, (size_t)o * sizeof *shape);
    index_shape[b + o] = k;

    placed params, indices, out;
    clnd_gather_nd_options options = {
        .batch_dims = b, .bounds = c->bounds, .strategy = c->strategy};
    values bits = {.kind = VALUES_BITS};
    placed_make(&params, "params", r, c->dtype, b + k + s, shape, c->placement | PLACED_BROADCAST);
    placed_make(&indices, "indices", r, c->index_dtype, b + o + 1, index_shape,
                PLACED_ANY | PLACED_ALIGNED);
    clnd_tensor result;
    unsigned char *fill = malloc(ref_size(c->dtype));
    check(fill, "out of memory");
    values_write(&bits, c->dtype, r, fill);
    if (c->bounds == CLND_BOUNDS_FILL)
        options.fill = fill;
    check_status(clnd_gather_nd_shape(&params.tensor, &indices.tensor, &options, &result), CLND_OK);
    placed_make(&out, "out", r, c->dtype, result.rank, result.shape, c->placement);
    case_note("dtype %llx index %s bounds %d strategy %d batch_dims %d params %s indices %s out %s",
              (unsigned long long)c->dtype, clnd_dtype_name(c->index_dtype), (int)c->bounds,
              (int)c->strategy, b, placed_list(b + k + s, shape, lists[0]),
              placed_list(b + o + 1, index_shape, lists[1]),
              placed_list(result.rank, result.shape, lists[2]));
    placed_fill(&params, r, &bits);
    cases_indices(r, &indices, extents, k, c->bounds, rng_chance(r, 50) ? 0 : 20);
    placed_upload(&params, d);
    placed_upload(&indices, d);
    placed_upload(&out, d);

    launch l;
    launch_pick(&l, d, r);
    clnd_status status = clnd_gather_nd(d->engine, l.queue, &params.tensor, &indices.tensor,
                                        &out.tensor, &options, l.n_wait, l.wait, l.event_out);
    clnd_bounds bounds = device_bounds(d, c->bounds);
    int64_t bad = ref_gather_nd(&params.host, &indices.host, &out.host, b, bounds, fill);
    check(status == (bad < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS), "status %s (%s), bad row %lld",
          clnd_status_name(status), clnd_last_error(), (long long)bad);
    if (bad >= 0) {
        char ending[600], list[512];
        snprintf(ending, sizeof ending, " does not index into params shape %s",
                 placed_list(b + k + s, shape, list));
        bool fixed = b == 0 && bounds == CLND_BOUNDS_ERROR;
        cases_check_bad_row(&indices, bad, "gather_nd", fixed ? ending : NULL);
    }
    launch_finish(&l, d, status);
    placed_check(&out, d, EQUAL_BITS, NULL);
    placed_check(&params, d, EQUAL_BITS, NULL);
    placed_check(&indices, d, EQUAL_BITS, NULL);
    free(fill);
    placed_free(&params);
    placed_free(&indices);
    placed_free(&out);
}

static const random_case small = {
    .dtype = CLND_INT32,
    .index_dtype = CLND_INT32,
    .bounds = CLND_BOUNDS_ZERO,
    .rows = 40,
    .slice = 60,
    .extent = 300,
    .n_dims = {-1, -1, -1, -1},
    .empty = 4,
    .placement = PLACED_STRIDED,
};

Test(gather_nd, every_dtype)
{
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_all_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(24); i++) {
            random_case c = small;
            c.dtype = *dtype;
            c.index_dtype = i % 4 ? CLND_INT32 : CLND_INT64;
            c.strategy = strategies[i % N_STRATEGIES];
            c.placement = i % 2 ? PLACED_STRIDED : PLACED_DENSE;
            case_begin("gather_nd every dtype", number++);
            c.bounds = policies[rng_range(case_rng(), 0, N_POLICIES - 1)];
            run_random(d, &c);
        }
    }
}

Test(gather_nd, every_index_dtype_and_policy)
{
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_index_dtypes; *dtype; dtype++) {
        for (int p = 0; p < N_POLICIES; p++) {
            for (int i = 0; i < case_count(12); i++) {
                random_case c = small;
                c.index_dtype = *dtype;
                c.bounds = policies[p];
                c.strategy = strategies[i % N_STRATEGIES];
                case_begin("gather_nd every index dtype", number++);
                run_random(d, &c);
            }
        }
    }
}

Test(gather_nd, high_ranks)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(80); i++) {
        random_case c = small;
        case_begin("gather_nd high ranks", i);
        rng *r = case_rng();
        c.dtype = rng_chance(r, 50) ? CLND_INT8 : CLND_FLOAT64;
        c.strategy = strategies[i % N_STRATEGIES];
        // batch + outer + 1, batch + index + slice and batch + outer + slice are at most 16
        c.n_dims[0] = (int)rng_range(r, 0, i % 4 ? 3 : 15);
        c.n_dims[1] = (int)rng_range(r, 0, 15 - c.n_dims[0]);
        int room = 16 - c.n_dims[0];
        c.n_dims[3] = (int)rng_range(r, 0, room - c.n_dims[1]);
        c.n_dims[2] = (int)rng_range(r, 0, room - c.n_dims[3]);
        c.empty = 2;
        run_random(d, &c);
    }
}

Test(gather_nd, sizes_zero_in_every_position)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(120); i++) {
        random_case c = small;
        c.empty = 35;
        c.bounds = policies[i % N_POLICIES];
        c.strategy = strategies[i % N_STRATEGIES];
        case_begin("gather_nd empty", i);
        run_random(d, &c);
    }
}

// Enough work that it is spread over many work-items, in every form: rows, slices, both.
Test(gather_nd, many_rows_and_long_slices)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_FLOAT16, CLND_INT32, CLND_FLOAT64,
                                        CLND_OPAQUE(12)};
    static const int64_t sizes[][3] = {
        {30000, 7, 3000}, {30, 9000, 20}, {1, 200000, 3}, {3000, 100, 500}, {40000, 1, 40000}};
    const device *d = device_get();
    device_need_long_loops(d);
    for (int i = 0; i < case_count(75); i++) {
        random_case c = small;
        case_begin("gather_nd large", i);
        rng *r = case_rng();
        c.large = true;
        c.dtype = dtypes[i % 5];
        c.strategy = strategies[i % N_STRATEGIES];
        c.bounds = policies[rng_range(r, 0, N_POLICIES - 1)];
        c.empty = 0;
        c.n_dims[0] = i % 7 == 0 ? 1 : 0;
        c.n_dims[1] = (int)rng_range(r, 1, 2);
        c.n_dims[2] = (int)rng_range(r, 1, 2);
        c.n_dims[3] = (int)rng_range(r, 1, 3);
        c.rows = sizes[i / 5 % 5][0];
        c.slice = sizes[i / 5 % 5][1];
        c.extent = sizes[i / 5 % 5][2];
        c.placement = i % 2 ? PLACED_DENSE : PLACED_STRIDED;
        run_random(d, &c);
    }
}

// Each forced strategy gives what AUTO gives; here through the environment, with names that mean
// nothing for a gather too.
Test(gather_nd, strategy_from_environment)
{
    static const char *const names[] = {"lanes", "blocks", "store", "atomic", "owner", ""};
    const device *d = device_get();
    for (int i = 0; i < case_count(24); i++) {
        random_case c = small;
        c.dtype = i % 2 ? CLND_INT32 : CLND_UINT8;
        case_begin("gather_nd environment", i);
        cases_setenv("CLND_STRATEGY", names[i % 6]);
        run_random(d, &c);
    }
    cases_setenv("CLND_STRATEGY", NULL);
}
