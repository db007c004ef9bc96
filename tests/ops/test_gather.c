// SPDX-License-Identifier: Apache-2.0
//
// gather: worked examples, refusals, and random cases against the reference.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "axis_case.h"
#include "text.h"

static const clnd_strategy strategies[] = {CLND_STRATEGY_AUTO, CLND_STRATEGY_LANES,
                                           CLND_STRATEGY_BLOCKS};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

static const clnd_bounds policies[] = {CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR, CLND_BOUNDS_ZERO,
                                       CLND_BOUNDS_FILL,    CLND_BOUNDS_CLAMP, CLND_BOUNDS_WRAP};
enum { N_POLICIES = sizeof policies / sizeof *policies };

// Examples ---------------------------------------------------------------------------------------

typedef struct example {
    const char *label;
    const char *params;  // int32
    const char *indices; // int32
    int axis, batch_dims;
    clnd_bounds bounds;
    clnd_status status;
    const char *out; // the result; when refused, its shape
    const char *message;
} example;

#define ERR     CLND_BOUNDS_ERROR
#define ZERO    CLND_BOUNDS_ZERO
#define OUTSIDE CLND_INDEX_OUT_OF_BOUNDS

// clang-format off
static const example examples[] = {
    {"g12 scalar indices drop the axis", "2,3", ": 1", 1, 0, ERR, CLND_OK, "2: 1 4", NULL},
    {"g12 negative axis", "2,3", "1,2: 2 0", -1, 0, ERR, CLND_OK, "2,1,2: 2 0 5 3", NULL},
    {"g13 batch", "2,3", "2,2: 0 2 1 1", 1, 1, ERR, CLND_OK, "2,2: 0 2 4 4", NULL},
    {"g13 the default axis is the number of batch dims", "2,3", "2,2: 0 2 1 1", 0, 1, ERR, CLND_OK,
     "2,2: 0 2 4 4", NULL},
    {"g13 negative batch_dims", "2,3", "2,2: 0 2 1 1", -1, -1, ERR, CLND_OK, "2,2: 0 2 4 4", NULL},
    {"batch_dims as many as indices", "2,3", "2: 2 0", 1, 1, ERR, CLND_OK, "2: 2 3", NULL},
    {"g14 past the end", "2,3", "1: 3", 1, 0, ERR, OUTSIDE, "2,1",
     "gather: indices[0] = 3 is not in [0, 3)"},
    {"g14 zero", "2,3", "1: 3", 1, 0, ZERO, CLND_OK, "2,1: 0 0", NULL},
    {"g15 empty slices, bad index", "2,3,0:", "1: 7", 1, 0, ERR, OUTSIDE, "2,1,0:",
     "gather: indices[0] = 7 is not in [0, 3)"},
    {"nothing before the axis, bad index", "0,3:", "1: 7", 1, 0, ERR, OUTSIDE, "0,1:",
     "gather: indices[0] = 7 is not in [0, 3)"},
    {"g15 zero", "2,3,0:", "1: 7", 1, 0, ZERO, CLND_OK, "2,1,0:", NULL},
    {"first bad row", "3: 1 2 3", "2,2: 0 7 -1 9", 0, 0, ERR, OUTSIDE, "2,2",
     "gather: indices[0,1] = 7 is not in [0, 3)"},
    {"bad scalar", "3: 1 2 3", ": -1", 0, 0, ERR, OUTSIDE, ":",
     "gather: indices = -1 is not in [0, 3)"},
    {"wrap", "3: 1 2 3", "2: -1 -3", 0, 0, CLND_BOUNDS_WRAP, CLND_OK, "2: 3 1", NULL},
    {"wrap once", "3: 1 2 3", "2: -1 -4", 0, 0, CLND_BOUNDS_WRAP, OUTSIDE, "2",
     "gather: indices[1] = -4 is not in [-3, 3)"},
    {"clamp", "3: 1 2 3", "3: -9 1 9", 0, 0, CLND_BOUNDS_CLAMP, CLND_OK, "3: 1 2 3", NULL},
    {"clamp in a size of 0", "0,2:", "1: 0", 0, 0, CLND_BOUNDS_CLAMP, CLND_OK, "1,2: 0 0", NULL},
    {"size of 0", "0,2:", "1: 0", 0, 0, ERR, OUTSIDE, "1,2",
     "gather: indices[0] = 0 is not in [0, 0)"},
    {"no indices", "0,2:", "0,3:", 0, 0, ERR, CLND_OK, "0,3,2:", NULL},
    {"rows", "3,2", "2: 2 0", 0, 0, ERR, CLND_OK, "2,2: 4 5 0 1", NULL},
    {"middle axis", "2,2,2", "1: 1", 1, 0, ERR, CLND_OK, "2,1,2: 2 3 6 7", NULL},
    {"dimensions between batch and axis", "2,2,3", "2,2: 0 2 1 1", 2, 1, ERR, CLND_OK,
     "2,2,2: 0 2 3 5 7 7 10 10", NULL},
    {"axis too high", "2,3", "1: 0", 2, 0, ERR, CLND_INVALID_AXIS, "1,3", "axis is 2"},
    {"axis too low", "2,3", "1: 0", -3, 0, ERR, CLND_INVALID_AXIS, "1,3", "axis is -3"},
    {"axis far too low", "2,3", "1: 0", INT32_MIN, 0, ERR, CLND_INVALID_AXIS, "1,3",
     "axis is -2147483648"},
    {"axis far too high", "2,3", "1: 0", INT32_MAX, 0, ERR, CLND_INVALID_AXIS, "1,3",
     "axis is 2147483647"},
    {"axis before the batch", "2,3", "2,1: 0 0", -2, 1, ERR, CLND_INVALID_AXIS, "2,1", "axis is 0"},
    {"batch_dims above the rank of indices", "2,3", "2: 0 0", 0, 2, ERR, CLND_INVALID_AXIS, "2",
     "batch_dims is 2"},
    {"batch_dims below", "2,3", "2: 0 0", 0, -2, ERR, CLND_INVALID_AXIS, "2", "batch_dims is -2"},
    {"batch_dims of all params", "2,3", "2,3: 0 0 0 0 0 0", 0, 2, ERR, CLND_INVALID_AXIS, "2,3",
     "batch_dims is 2"},
    {"batch_dims far below", "2,3", "2: 0 0", 0, INT32_MIN, ERR, CLND_INVALID_AXIS, "2",
     "batch_dims"},
    {"batch sizes differ", "2,3", "3,1: 0 0 0", 1, 1, ERR, CLND_INVALID_SHAPE, "2,1",
     "batch dimension 0 is 2 in params and 3 in indices"},
    {"rank-0 params", ": 5", "1: 0", 0, 0, ERR, CLND_INVALID_RANK, "1", "params has rank 0"},
    {"rank of the result", "1,1,1,1,1,1,1,1,1", "1,1,1,1,1,1,1,1,1: 0", 0, 0, ERR,
     CLND_INVALID_RANK, "1", "rank 17"},
    {"out of another shape", "2,3", "2: 0 1", 1, 0, ERR, CLND_INVALID_SHAPE, "2,3", "out"},
    {"out with a size of 1", "2,3", "2: 0 1", 1, 0, ERR, CLND_INVALID_SHAPE, "2,1", "out"},
};
// clang-format on

Test(gather, worked_examples)
{
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof examples / sizeof *examples) * N_STRATEGIES; i++) {
        const example *e = &examples[i / N_STRATEGIES];
        placed params, indices, out;
        clnd_tensor shape;
        cl_event event = NULL;
        case_begin("gather worked examples", i);
        case_note("%s", e->label);
        text_tensor(&params, "params", case_rng(), CLND_INT32, e->params);
        text_tensor(&indices, "indices", case_rng(), CLND_INT32, e->indices);
        text_space(&out, "out", case_rng(), CLND_INT32, e->out);
        placed_upload(&params, d);
        placed_upload(&indices, d);
        placed_upload(&out, d);
        clnd_gather_options options = {.axis = e->axis,
                                       .batch_dims = e->batch_dims,
                                       .bounds = e->bounds,
                                       .strategy = strategies[i % N_STRATEGIES]};
        bool wrong_out = e->message && strcmp(e->message, "out") == 0;
        clnd_status expected = e->status == OUTSIDE || wrong_out ? CLND_OK : e->status;
        check_status(clnd_gather_shape(&params.tensor, &indices.tensor, &options, &shape),
                     expected);
        if (expected)
            check(shape.rank == 0 && shape.dtype == 0, "*out is not zeroed");
        else if (!wrong_out)
            check(shape.rank == out.tensor.rank &&
                      memcmp(shape.shape, out.tensor.shape,
                             (size_t)shape.rank * sizeof *shape.shape) == 0,
                  "the result's shape");
        check_status(clnd_gather(d->engine, NULL, &params.tensor, &indices.tensor, &out.tensor,
                                 &options, 0, NULL, &event),
                     e->status);
        check((event != NULL) == (e->status == CLND_OK), "the event");
        if (event)
            check_cl(clReleaseEvent(event));
        if (e->message)
            check_message(e->message);
        else
            text_elements(&out, e->out);
        placed_check(&out, d, EQUAL_BITS, NULL);
        placed_free(&params);
        placed_free(&indices);
        placed_free(&out);
    }
}

// Random cases -----------------------------------------------------------------------------------

typedef struct random_case {
    clnd_dtype dtype;
    clnd_dtype index_dtype;
    clnd_bounds bounds;
    clnd_strategy strategy;
    int n_dims[4]; // batch, before, places, after; -1: at random
    int64_t sizes[4], extent;
    int empty; // of 100 shapes so many have a size 0
    bool large;
} random_case;

static const random_case small = {.dtype = CLND_INT32,
                                  .index_dtype = CLND_INT32,
                                  .bounds = CLND_BOUNDS_ZERO,
                                  .n_dims = {-1, -1, -1, -1},
                                  .sizes = {6, 12, 20, 30},
                                  .extent = 200,
                                  .empty = 4};

static void run_random(const device *d, const random_case *c)
{
    static const int most[4] = {2, 2, 2, 2};
    rng *r = case_rng();
    char lists[3][512];
    int64_t parts[4][CLND_MAX_RANK], shape[CLND_MAX_RANK], index_shape[CLND_MAX_RANK], extent;
    int n[4], rank = 0, index_rank = 0;
    for (int p = 0; p < 4; p++) {
        n[p] = c->n_dims[p] >= 0 ? c->n_dims[p] : (int)rng_range(r, 0, most[p]);
        if (c->n_dims[p] < 0 && p == 0 && rng_chance(r, 50))
            n[p] = 0;
        if (c->large)
            cases_large_shape(r, n[p], c->sizes[p], parts[p]);
        else
            cases_shape(r, n[p], c->sizes[p], c->empty, parts[p]);
    }
    cases_shape(r, 1, c->extent, c->empty, &extent);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < n[p]; i++)
            shape[rank++] = parts[p][i];
    int axis = rank;
    shape[rank++] = extent;
    for (int i = 0; i < n[3]; i++)
        shape[rank++] = parts[3][i];
    for (int p = 0; p < 4; p += 2)
        for (int i = 0; i < n[p]; i++)
            index_shape[index_rank++] = parts[p][i];

    placed params, indices, out;
    clnd_tensor result;
    values bits = {.kind = VALUES_BITS};
    clnd_gather_options options = {.axis = axis_spelled(r, axis, rank),
                                   .batch_dims = n[0],
                                   .bounds = c->bounds,
                                   .strategy = c->strategy};
    if (n[2] > 0 && rng_chance(r, 40)) // batch_dims - rank(indices) < 0
        options.batch_dims = n[0] - index_rank;
    if (axis == n[0] && rng_chance(r, 50))
        options.axis = 0;
    unsigned char *fill = malloc(ref_size(c->dtype));
    check(fill, "out of memory");
    values_write(&bits, c->dtype, r, fill);
    if (c->bounds == CLND_BOUNDS_FILL)
        options.fill = fill;
    placed_make(&params, "params", r, c->dtype, rank, shape, PLACED_ANY);
    placed_make(&indices, "indices", r, c->index_dtype, index_rank, index_shape,
                PLACED_ANY | PLACED_ALIGNED);
    check_status(clnd_gather_shape(&params.tensor, &indices.tensor, &options, &result), CLND_OK);
    check(result.rank == rank - 1 + n[2], "rank %d", result.rank);
    placed_make(&out, "out", r, c->dtype, result.rank, result.shape, PLACED_STRIDED);
    case_note("dtype %llx index %s bounds %d strategy %d axis %d batch_dims %d params %s indices "
              "%s out %s",
              (unsigned long long)c->dtype, clnd_dtype_name(c->index_dtype), (int)c->bounds,
              (int)c->strategy, (int)options.axis, (int)options.batch_dims,
              placed_list(rank, shape, lists[0]), placed_list(index_rank, index_shape, lists[1]),
              placed_list(result.rank, result.shape, lists[2]));
    placed_fill(&params, r, &bits);
    axis_indices(r, &indices, extent, c->bounds, rng_chance(r, 60) ? 0 : 20);
    placed_upload(&params, d);
    placed_upload(&indices, d);
    placed_upload(&out, d);

    launch l;
    launch_pick(&l, d, r);
    clnd_status status = clnd_gather(d->engine, l.queue, &params.tensor, &indices.tensor,
                                     &out.tensor, &options, l.n_wait, l.wait, l.event_out);
    clnd_bounds bounds = device_bounds(d, c->bounds);
    int64_t bad = ref_gather(&params.host, &indices.host, &out.host, axis, n[0], bounds, fill);
    check(status == (bad < 0 ? CLND_OK : OUTSIDE), "status %s (%s), bad row %lld",
          clnd_status_name(status), clnd_last_error(), (long long)bad);
    if (bad >= 0)
        axis_check_bad_value(&indices, bad, "gather", extent, bounds);
    launch_finish(&l, d, status);
    placed_check(&out, d, EQUAL_BITS, NULL);
    placed_check(&params, d, EQUAL_BITS, NULL);
    placed_check(&indices, d, EQUAL_BITS, NULL);
    free(fill);
    placed_free(&params);
    placed_free(&indices);
    placed_free(&out);
}

Test(gather, every_dtype)
{
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_all_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(12); i++) {
            random_case c = small;
            c.dtype = *dtype;
            c.strategy = strategies[i % N_STRATEGIES];
            case_begin("gather every dtype", number++);
            c.bounds = policies[rng_range(case_rng(), 0, N_POLICIES - 1)];
            run_random(d, &c);
        }
    }
}

Test(gather, every_index_dtype_and_policy)
{
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_index_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(12 * N_POLICIES); i++) {
            random_case c = small;
            c.index_dtype = *dtype;
            c.bounds = policies[i % N_POLICIES];
            c.strategy = strategies[i / N_POLICIES % N_STRATEGIES];
            case_begin("gather every index dtype", number++);
            run_random(d, &c);
        }
    }
}

Test(gather, high_ranks)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(80); i++) {
        random_case c = small;
        case_begin("gather high ranks", i);
        rng *r = case_rng();
        c.strategy = strategies[i % N_STRATEGIES];
        // params have batch + before + 1 + after dimensions, out batch + before + places + after
        int room = 15;
        for (int p = 0; p < 4; p++) {
            c.n_dims[p] = p == 2 ? 0 : (int)rng_range(r, 0, room);
            room -= c.n_dims[p];
        }
        c.n_dims[2] = (int)rng_range(r, 0, room + 1);
        c.empty = 2;
        run_random(d, &c);
    }
}

Test(gather, sizes_zero_in_every_position)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(200); i++) {
        random_case c = small;
        c.empty = 25;
        c.bounds = policies[i % N_POLICIES];
        c.strategy = strategies[i % N_STRATEGIES];
        case_begin("gather empty", i);
        run_random(d, &c);
    }
}

Test(gather, large)
{
    static const int64_t sizes[][4] = {
        {1, 1, 20000, 9}, {1, 2000, 30, 5}, {20, 3, 40, 70}, {1, 3, 2, 30000}, {300, 1, 100, 1}};
    const device *d = device_get();
    device_need_long_loops(d);
    for (int i = 0; i < case_count(30); i++) {
        random_case c = small;
        case_begin("gather large", i);
        c.large = true;
        c.dtype = i % 2 ? CLND_INT32 : CLND_UINT8;
        c.strategy = strategies[i % N_STRATEGIES];
        c.bounds = policies[rng_range(case_rng(), 0, N_POLICIES - 1)];
        c.extent = 1000;
        for (int p = 0; p < 4; p++) {
            c.sizes[p] = sizes[i % 5][p];
            c.n_dims[p] = c.sizes[p] > 1;
        }
        run_random(d, &c);
    }
}

Test(gather, strategy_from_environment)
{
    static const char *const names[] = {"lanes", "blocks", "store", "atomic,lanes", "owner", ""};
    const device *d = device_get();
    for (int i = 0; i < case_count(30); i++) {
        case_begin("gather environment", i);
        cases_setenv("CLND_STRATEGY", names[i % 6]);
        run_random(d, &small);
    }
    cases_setenv("CLND_STRATEGY", NULL);
}

// out may not share memory with params or indices; params and indices may. All on one buffer.
Test(gather, overlap)
{
    const device *d = device_get();
    placed all;
    case_begin("gather overlap", 0);
    text_tensor(&all, "all", case_rng(), CLND_INT32, "6: 1 0 5 6 7 8");
    placed_upload(&all, d);
    clnd_tensor params = all.tensor, indices = all.tensor, out = all.tensor;
    params.shape[0] = 4;
    indices.shape[0] = 2;
    out.shape[0] = 2;
    for (size_t at = 0; at < 6; at++) {
        clnd_gather_options options = {.bounds = CLND_BOUNDS_ERROR};
        out.offset = 4 * at;
        clnd_status status = at < 4 ? CLND_OVERLAP : at == 4 ? CLND_OK : CLND_BUFFER_TOO_SMALL;
        check_status(clnd_gather(d->engine, NULL, &params, &indices, &out, &options, 0, NULL, NULL),
                     status);
        if (at == 4)
            text_elements(&all, "6: 1 0 5 6 0 1");
        placed_check(&all, d, EQUAL_BITS, NULL);
    }
    placed_free(&all);
}
