// SPDX-License-Identifier: Apache-2.0
//
// gather_elements: worked examples, refusals, and random cases against the reference.

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

typedef struct example {
    const char *label;
    const char *params;  // int32
    const char *indices; // int32
    int axis;
    clnd_bounds bounds;
    clnd_status status;
    const char *out; // the result; when refused, its shape
    const char *message;
} example;

#define ERR     CLND_BOUNDS_ERROR
#define OUTSIDE CLND_INDEX_OUT_OF_BOUNDS
#define NINE    "3,3: 1 2 3 4 5 6 7 8 9"

// clang-format off
// The first three are ONNX's and PyTorch's own.
static const example examples[] = {
    {"onnx axis 1", "2,2: 1 2 3 4", "2,2: 0 0 1 0", 1, ERR, CLND_OK, "2,2: 1 1 4 3", NULL},
    {"onnx axis 0, fewer rows", NINE, "2,3: 1 2 0 2 0 0", 0, ERR, CLND_OK, "2,3: 4 8 3 7 2 3",
     NULL},
    {"onnx negative", NINE, "2,3: -1 -2 0 -2 0 0", 0, CLND_BOUNDS_WRAP, CLND_OK, "2,3: 7 5 3 4 2 3",
     NULL},
    {"negative axis", "2,2: 1 2 3 4", "2,2: 0 0 1 0", -1, ERR, CLND_OK, "2,2: 1 1 4 3", NULL},
    {"more along the axis", "2,2: 1 2 3 4", "1,5: 0 1 0 1 1", 1, ERR, CLND_OK, "1,5: 1 2 1 2 2",
     NULL},
    {"rank 1", "3: 5 6 7", "4: 2 2 0 1", 0, ERR, CLND_OK, "4: 7 7 5 6", NULL},
    {"nothing", "3: 5 6 7", "0:", 0, ERR, CLND_OK, "0:", NULL},
    {"nothing of nothing", "0,3:", "0,3:", 0, ERR, CLND_OK, "0,3:", NULL},
    {"nothing beside the axis", "2,3", "0,7:", 1, ERR, CLND_OK, "0,7:", NULL},
    {"zero", "2,2: 1 2 3 4", "1,2: 2 -1", 0, CLND_BOUNDS_ZERO, CLND_OK, "1,2: 0 0", NULL},
    {"clamp", "2,2: 1 2 3 4", "1,2: 2 -1", 0, CLND_BOUNDS_CLAMP, CLND_OK, "1,2: 3 2", NULL},
    {"first bad row", "2,3", "2,2: 0 7 -1 9", 1, ERR, OUTSIDE, "2,2",
     "gather_elements: indices[0,1] = 7 is not in [0, 3)"},
    {"axis of size 0", "0,2:", "1,2: 0 0", 0, ERR, OUTSIDE, "1,2",
     "indices[0,0] = 0 is not in [0, 0)"},
    {"axis too high", "2,3", "2,3", 2, ERR, CLND_INVALID_AXIS, "2,3", "axis is 2"},
    {"axis too low", "2,3", "2,3", -3, ERR, CLND_INVALID_AXIS, "2,3", "axis is -3"},
    {"axis far too low", "2,3", "2,3", INT32_MIN, ERR, CLND_INVALID_AXIS, "2,3",
     "axis is -2147483648"},
    {"indices of a higher rank", "3", "1,3", 0, ERR, CLND_INVALID_RANK, "1,3", "rank 2"},
    {"indices of a lower rank", "2,3", "3", 0, ERR, CLND_INVALID_RANK, "3", "rank 1"},
    {"rank 0", ": 1", ": 0", 0, ERR, CLND_INVALID_RANK, ":", "rank 0"},
    {"larger outside the axis", "2,3", "3,3: 0 0 0 0 0 0 0 0 0", 1, ERR, CLND_INVALID_SHAPE, "3,3",
     "indices of shape [3, 3] reach beyond params of shape [2, 3] in dimension 0"},
    {"larger, but empty", "2,3", "0,4:", 0, ERR, CLND_INVALID_SHAPE, "0,4:", "in dimension 1"},
    {"out of another shape", "2,3", "1,3: 0 0 0", 0, ERR, CLND_INVALID_SHAPE, "2,3", "out"},
};
// clang-format on

Test(gather_elements, worked_examples)
{
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof examples / sizeof *examples) * N_STRATEGIES; i++) {
        const example *e = &examples[i / N_STRATEGIES];
        placed params, indices, out;
        clnd_tensor shape;
        cl_event event = NULL;
        case_begin("gather_elements worked examples", i);
        case_note("%s", e->label);
        text_tensor(&params, "params", case_rng(), CLND_INT32, e->params);
        text_tensor(&indices, "indices", case_rng(), CLND_INT32, e->indices);
        text_space(&out, "out", case_rng(), CLND_INT32, e->out);
        placed_upload(&params, d);
        placed_upload(&indices, d);
        placed_upload(&out, d);
        clnd_gather_elements_options options = {
            .axis = e->axis, .bounds = e->bounds, .strategy = strategies[i % N_STRATEGIES]};
        bool wrong_out = e->message && strcmp(e->message, "out") == 0;
        clnd_status expected = e->status == OUTSIDE || wrong_out ? CLND_OK : e->status;
        check_status(clnd_gather_elements_shape(&params.tensor, &indices.tensor, &options, &shape),
                     expected);
        if (expected)
            check(shape.rank == 0 && shape.dtype == 0, "*out is not zeroed");
        else
            check(shape.rank == indices.tensor.rank &&
                      memcmp(shape.shape, indices.tensor.shape,
                             (size_t)shape.rank * sizeof *shape.shape) == 0,
                  "the result's shape");
        check_status(clnd_gather_elements(d->engine, NULL, &params.tensor, &indices.tensor,
                                          &out.tensor, &options, 0, NULL, &event),
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
    int rank;      // 0: at random
    int64_t count; // of params' elements, at most
    int empty;
    bool large;
} random_case;

static const random_case small = {.dtype = CLND_INT32,
                                  .index_dtype = CLND_INT32,
                                  .bounds = CLND_BOUNDS_ZERO,
                                  .count = 400,
                                  .empty = 4};

static void run_random(const device *d, const random_case *c)
{
    rng *r = case_rng();
    char lists[2][512];
    int64_t shape[CLND_MAX_RANK], index_shape[CLND_MAX_RANK];
    int rank = c->rank ? c->rank : (int)rng_range(r, 1, 4), axis = (int)rng_range(r, 0, rank - 1);
    if (c->large)
        cases_large_shape(r, rank, c->count, shape);
    else
        cases_shape(r, rank, c->count, c->empty, shape);
    for (int i = 0; i < rank; i++) {
        index_shape[i] = rng_chance(r, 60) ? shape[i] : rng_range(r, shape[i] / 2, shape[i]);
        if (i == axis && !c->large)
            index_shape[i] = rng_chance(r, c->empty) ? 0 : rng_range(r, 1, 7);
    }
    placed params, indices, out;
    values bits = {.kind = VALUES_BITS};
    clnd_gather_elements_options options = {
        .axis = axis_spelled(r, axis, rank), .bounds = c->bounds, .strategy = c->strategy};
    unsigned char *fill = malloc(ref_size(c->dtype));
    check(fill, "out of memory");
    values_write(&bits, c->dtype, r, fill);
    if (c->bounds == CLND_BOUNDS_FILL)
        options.fill = fill;
    placed_make(&params, "params", r, c->dtype, rank, shape, PLACED_ANY);
    placed_make(&indices, "indices", r, c->index_dtype, rank, index_shape,
                PLACED_ANY | PLACED_ALIGNED);
    placed_make(&out, "out", r, c->dtype, rank, index_shape, PLACED_STRIDED);
    case_note("dtype %llx index %s bounds %d strategy %d axis %d params %s indices %s",
              (unsigned long long)c->dtype, clnd_dtype_name(c->index_dtype), (int)c->bounds,
              (int)c->strategy, (int)options.axis, placed_list(rank, shape, lists[0]),
              placed_list(rank, index_shape, lists[1]));
    placed_fill(&params, r, &bits);
    axis_indices(r, &indices, shape[axis], c->bounds, rng_chance(r, 60) ? 0 : 20);
    placed_upload(&params, d);
    placed_upload(&indices, d);
    placed_upload(&out, d);

    launch l;
    launch_pick(&l, d, r);
    clnd_status status = clnd_gather_elements(d->engine, l.queue, &params.tensor, &indices.tensor,
                                              &out.tensor, &options, l.n_wait, l.wait, l.event_out);
    clnd_bounds bounds = device_bounds(d, c->bounds);
    int64_t bad = ref_gather_elements(&params.host, &indices.host, &out.host, axis, bounds, fill);
    check(status == (bad < 0 ? CLND_OK : OUTSIDE), "status %s (%s), bad row %lld",
          clnd_status_name(status), clnd_last_error(), (long long)bad);
    if (bad >= 0)
        axis_check_bad_value(&indices, bad, "gather_elements", shape[axis], bounds);
    launch_finish(&l, d, status);
    placed_check(&out, d, EQUAL_BITS, NULL);
    placed_check(&params, d, EQUAL_BITS, NULL);
    placed_check(&indices, d, EQUAL_BITS, NULL);
    free(fill);
    placed_free(&params);
    placed_free(&indices);
    placed_free(&out);
}

Test(gather_elements, every_dtype)
{
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_all_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(12); i++) {
            random_case c = small;
            c.dtype = *dtype;
            c.strategy = strategies[i % N_STRATEGIES];
            case_begin("gather_elements every dtype", number++);
            c.bounds = policies[rng_range(case_rng(), 0, N_POLICIES - 1)];
            run_random(d, &c);
        }
    }
}

Test(gather_elements, every_index_dtype_and_policy)
{
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_index_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(12 * N_POLICIES); i++) {
            random_case c = small;
            c.index_dtype = *dtype;
            c.bounds = policies[i % N_POLICIES];
            c.strategy = strategies[i / N_POLICIES % N_STRATEGIES];
            case_begin("gather_elements every index dtype", number++);
            run_random(d, &c);
        }
    }
}

Test(gather_elements, ranks_and_empties)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(240); i++) {
        random_case c = small;
        case_begin("gather_elements ranks", i);
        c.rank = i % 3 == 0 ? (int)rng_range(case_rng(), 1, 16) : 0;
        c.empty = i % 2 ? 30 : 2;
        c.bounds = policies[i % N_POLICIES];
        c.strategy = strategies[i / N_POLICIES % N_STRATEGIES];
        run_random(d, &c);
    }
}

Test(gather_elements, large)
{
    const device *d = device_get();
    device_need_long_loops(d);
    for (int i = 0; i < case_count(24); i++) {
        random_case c = small;
        case_begin("gather_elements large", i);
        c.large = true;
        c.count = 60000;
        c.dtype = i % 2 ? CLND_INT32 : CLND_UINT8;
        c.rank = 1 + i % 4;
        c.bounds = policies[i % N_POLICIES];
        c.strategy = strategies[i % N_STRATEGIES];
        run_random(d, &c);
    }
}

Test(gather_elements, strategy_from_environment)
{
    static const char *const names[] = {"lanes", "blocks", "store", "atomic,lanes", "owner", ""};
    const device *d = device_get();
    for (int i = 0; i < case_count(30); i++) {
        case_begin("gather_elements environment", i);
        cases_setenv("CLND_STRATEGY", names[i % 6]);
        run_random(d, &small);
    }
    cases_setenv("CLND_STRATEGY", NULL);
}
