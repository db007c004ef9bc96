// SPDX-License-Identifier: Apache-2.0
//
// scatter_elements: worked examples, refusals, and random cases against the reference.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "axis_case.h"
#include "scatter_case.h"
#include "text.h"

static const clnd_bounds policies[] = {CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR, CLND_BOUNDS_SKIP,
                                       CLND_BOUNDS_CLAMP, CLND_BOUNDS_WRAP};
enum { N_POLICIES = sizeof policies / sizeof *policies };

typedef struct example {
    const char *label;
    const char *target; // int32, as the updates
    const char *indices;
    const char *updates;
    int axis;
    clnd_reduce reduce;
    clnd_bounds bounds;
    bool deterministic;
    clnd_status status;
    const char *result; // or
    const char *message;
} example;

#define OUTSIDE CLND_INDEX_OUT_OF_BOUNDS
#define SET     CLND_REDUCE_DEFAULT
#define ADD     CLND_REDUCE_ADD
#define ERR     CLND_BOUNDS_ERROR
#define SKIP    CLND_BOUNDS_SKIP
#define WRAP    CLND_BOUNDS_WRAP

// clang-format off
// The first five are ONNX's own.
static const example examples[] = {
    {"onnx axis 0", "3,3: 0 0 0 0 0 0 0 0 0", "2,3: 1 0 2 0 2 1", "2,3: 10 11 12 20 21 22", 0, SET,
     ERR, false, CLND_OK, "3,3: 20 11 0 10 0 22 0 21 12", NULL},
    {"onnx axis 1", "1,5: 1 2 3 4 5", "1,2: 1 3", "1,2: 11 21", 1, SET, ERR, false, CLND_OK,
     "1,5: 1 11 3 21 5", NULL},
    {"onnx negative", "1,5: 1 2 3 4 5", "1,2: 1 -3", "1,2: 11 21", 1, SET, WRAP, false, CLND_OK,
     "1,5: 1 11 21 4 5", NULL},
    {"onnx add", "1,5: 1 2 3 4 5", "1,2: 1 1", "1,2: 11 21", 1, ADD, ERR, false, CLND_OK,
     "1,5: 1 34 3 4 5", NULL},
    {"onnx max", "1,5: 1 2 3 4 5", "1,2: 1 1", "1,2: 1 21", 1, CLND_REDUCE_MAX, ERR, false, CLND_OK,
     "1,5: 1 21 3 4 5", NULL},
    {"negative axis", "1,5: 1 2 3 4 5", "1,2: 1 3", "1,2: 11 21", -1, SET, ERR, false, CLND_OK,
     "1,5: 1 11 3 21 5", NULL},
    {"the last update wins", "2: 1 2", "3: 1 1 1", "3: 5 6 7", 0, SET, ERR, true, CLND_OK, "2: 1 7",
     NULL},
    {"mul", "2: 3 2", "3: 0 0 1", "3: 5 -1 7", 0, CLND_REDUCE_MUL, ERR, false, CLND_OK, "2: -15 14",
     NULL},
    {"sub", "2: 3 2", "3: 0 0 1", "3: 5 -1 7", 0, CLND_REDUCE_SUB, ERR, false, CLND_OK, "2: -1 -5",
     NULL},
    {"min", "2: 3 2", "3: 0 0 1", "3: 5 -1 7", 0, CLND_REDUCE_MIN, ERR, false, CLND_OK, "2: -1 2",
     NULL},
    {"smaller beside the axis", "3,2: 0 0 0 0 0 0", "2,1: 0 0", "2,1: 4 5", 1, SET, ERR, false,
     CLND_OK, "3,2: 4 0 5 0 0 0", NULL},
    {"nothing", "2: 1 2", "0:", "0:", 0, ADD, ERR, false, CLND_OK, "2: 1 2", NULL},
    {"skip", "2: 1 2", "3: 2 1 -1", "3: 5 6 7", 0, ADD, SKIP, false, CLND_OK, "2: 1 8", NULL},
    {"clamp", "2: 1 2", "3: 2 1 -1", "3: 5 6 7", 0, ADD, CLND_BOUNDS_CLAMP, false, CLND_OK,
     "2: 8 13",
     NULL},
    {"first bad row", "2,3", "2,2: 0 7 -1 9", "2,2", 1, ADD, ERR, false, OUTSIDE, NULL,
     "scatter_elements: indices[0,1] = 7 is not in [0, 3)"},
    {"wrap once", "2,3", "2,1: -3 -4", "2,1", 1, ADD, WRAP, false, OUTSIDE, NULL,
     "scatter_elements: indices[1,0] = -4 is not in [-3, 3)"},
    {"axis of size 0", "0:", "1: 0", "1: 5", 0, ADD, ERR, false, OUTSIDE, NULL,
     "scatter_elements: indices[0] = 0 is not in [0, 0)"},
    {"axis of size 0, clamp", "0:", "1: 0", "1: 5", 0, ADD, CLND_BOUNDS_CLAMP, false, CLND_OK, "0:",
     NULL},
    {"axis too high", "2,3", "2,3", "2,3", 2, ADD, ERR, false, CLND_INVALID_AXIS, NULL,
     "axis is 2"},
    {"axis too low", "2,3", "2,3", "2,3", -3, ADD, ERR, false, CLND_INVALID_AXIS, NULL,
     "axis is -3"},
    {"axis far too low", "2,3", "2,3", "2,3", INT32_MIN, ADD, ERR, false, CLND_INVALID_AXIS, NULL,
     "axis is -2147483648"},
    {"indices of another rank", "2,3", "3", "3", 0, ADD, ERR, false, CLND_INVALID_RANK, NULL,
     "rank 1"},
    {"rank 0", ": 1", ": 0", ": 0", 0, ADD, ERR, false, CLND_INVALID_RANK, NULL, "rank 0"},
    {"updates of another shape", "2,3", "1,3: 0 0 0", "1,2", 0, ADD, ERR, false, CLND_INVALID_SHAPE,
     NULL, "updates"},
    {"updates of another rank", "2,3", "1,3: 0 0 0", "3", 0, ADD, ERR, false, CLND_INVALID_SHAPE,
     NULL, "updates"},
    {"updates are not broadcast", "2,3", "2,3: 0 0 0 0 0 0", "1,3", 0, ADD, ERR, false,
     CLND_INVALID_SHAPE, NULL, "updates"},
    {"larger outside the axis", "2,3", "3,3: 0 0 0 0 0 0 0 0 0", "3,3", 1, ADD, ERR, false,
     CLND_INVALID_SHAPE, NULL, "reach beyond target of shape [2, 3] in dimension 0"},
    {"larger, but empty", "2,3", "0,4:", "0,4:", 0, ADD, ERR, false, CLND_INVALID_SHAPE, NULL,
     "in dimension 1"},
    {"fill", "2", "1: 0", "1: 5", 0, ADD, CLND_BOUNDS_FILL, false, CLND_INVALID_OPTION, NULL,
     "FILL"},
};
// clang-format on

static void run_example(const device *d, const example *e, clnd_strategy strategy)
{
    rng *r = case_rng();
    placed indices, updates, target;
    cl_event event = NULL;
    text_tensor(&target, "target", r, CLND_INT32, e->target);
    text_tensor(&indices, "indices", r, CLND_INT64, e->indices);
    text_tensor(&updates, "updates", r, CLND_INT32, e->updates);
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    placed_upload(&target, d);
    clnd_scatter_elements_options options = {.axis = e->axis,
                                             .reduce = e->reduce,
                                             .bounds = e->bounds,
                                             .deterministic = e->deterministic,
                                             .strategy = strategy};
    check_status(
        clnd_scatter_elements_shape(&indices.tensor, &updates.tensor, &target.tensor, &options),
        e->status == OUTSIDE ? CLND_OK : e->status);
    clnd_status status = clnd_scatter_elements(d->engine, NULL, &indices.tensor, &updates.tensor,
                                               &target.tensor, &options, 0, NULL, &event);
    bool refused = status == CLND_INVALID_OPTION && strategy == CLND_STRATEGY_ATOMIC &&
                   (e->reduce == SET || e->deterministic);
    if (!refused)
        check_status(status, e->status);
    check((event != NULL) == (status == CLND_OK), "the event");
    if (event)
        check_cl(clReleaseEvent(event));
    if (e->message)
        check_message(e->message);
    else if (!refused)
        text_elements(&target, e->result);
    placed_check(&target, d, EQUAL_BITS, NULL);
    placed_free(&indices);
    placed_free(&updates);
    placed_free(&target);
}

Test(scatter_elements, worked_examples)
{
    static const clnd_strategy strategies[] = {CLND_STRATEGY_AUTO, CLND_STRATEGY_OWNER,
                                               CLND_STRATEGY_ATOMIC};
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof examples / sizeof *examples) * 3; i++) {
        case_begin("scatter_elements worked examples", i);
        case_note("%s, strategy %d", examples[i / 3].label, (int)strategies[i % 3]);
        run_example(d, &examples[i / 3], strategies[i % 3]);
    }
}

// Random cases -----------------------------------------------------------------------------------

// Makes the values along the axis differ, which needs as many places as values.
static bool make_unique(rng *r, placed *indices, int axis, int64_t extent)
{
    int64_t at[CLND_MAX_RANK], low, high;
    const ref_array *host = &indices->host;
    values_index_limits(host->dtype, &low, &high);
    if (host->shape[axis] > extent || extent - 1 > high)
        return false;
    int64_t first = extent ? rng_range(r, 0, extent - 1) : 0;
    for (bool more = ref_first(host->rank, host->shape, at); more;
         more = ref_next(host->rank, host->shape, at))
        values_write_index(host->dtype, (first + at[axis]) % extent, ref_at(host, at));
    return true;
}

// UPDATE without an order: each element must be one of its updates. What the device chose goes into
// the image, the rest of which stays to be compared.
static void adopt_choice(const device *d, const placed *indices, const placed *updates,
                         placed *target, int axis, clnd_bounds bounds)
{
    unsigned char *actual = placed_read(target, d);
    unsigned char *touched = calloc(target->bytes + 1, 1);
    check(touched, "out of memory");
    ref_scatter_options again = {CLND_REDUCE_UPDATE, bounds, false, touched};
    ref_scatter_elements(&indices->host, &updates->host, &target->host, axis, &again);
    ref_array after = target->host;
    size_t wrong = 0;
    after.data = actual;
    bool possible = ref_scatter_elements_is_possible(&indices->host, &updates->host, &after, axis,
                                                     bounds, &wrong);
    check(possible, "element at byte %zu of the target is none of its updates", wrong);
    for (size_t i = 0; i < target->bytes; i++)
        if (touched[i])
            target->host.data[i] = actual[i];
    free(touched);
    free(actual);
}

// `rows` is the most elements of indices, `extent` of the target, n_dims[0] the rank (-1: any).
static bool run_random(const device *d, const scatter_case *c)
{
    rng *r = case_rng();
    char lists[2][512];
    int64_t shape[CLND_MAX_RANK], index_shape[CLND_MAX_RANK];
    int rank = c->n_dims[0] > 0 ? c->n_dims[0] : (int)rng_range(r, 1, 4);
    int axis = (int)rng_range(r, 0, rank - 1);
    if (c->large)
        cases_large_shape(r, rank, c->extent, shape);
    else
        cases_shape(r, rank, c->extent, c->empty, shape);
    int64_t room = c->rows;
    for (int i = 0; i < rank; i++) {
        int64_t most = i == axis ? (c->unique ? shape[i] : 9) : shape[i];
        if (c->large && i == axis)
            most = room;
        most = most < room ? most : room;
        index_shape[i] = rng_chance(r, 60) ? most : rng_range(r, most / 2, most);
        room = index_shape[i] ? room / index_shape[i] : room;
    }
    placed indices, updates, target;
    unsigned aligned = c->reduce == CLND_REDUCE_UPDATE ? 0 : PLACED_ALIGNED;
    placed_make(&indices, "indices", r, c->index_dtype, rank, index_shape,
                PLACED_ALIGNED | (c->unique ? PLACED_STRIDED : PLACED_ANY));
    placed_make(&updates, "updates", r, c->dtype, rank, index_shape,
                c->placement | PLACED_BROADCAST | aligned);
    placed_make(&target, "target", r, c->dtype, rank, shape, c->placement | aligned);
    axis_indices(r, &indices, shape[axis], c->bounds, rng_chance(r, 60) ? 0 : 20);
    bool unique =
        c->unique && !scatter_is_broadcast(&indices) && make_unique(r, &indices, axis, shape[axis]);
    clnd_scatter_elements_options options = {.axis = axis_spelled(r, axis, rank),
                                             .reduce = c->reduce,
                                             .bounds = c->bounds,
                                             .deterministic = c->deterministic,
                                             .unique_indices = unique,
                                             .strategy = c->strategy};
    case_note(
        "dtype %llx index %s reduce %d bounds %d strategy %d%s%s axis %d target %s indices %s",
        (unsigned long long)c->dtype, clnd_dtype_name(c->index_dtype), (int)c->reduce,
        (int)c->bounds, (int)c->strategy, c->deterministic ? " deterministic" : "",
        unique ? " unique" : "", (int)options.axis, placed_list(rank, shape, lists[0]),
        placed_list(rank, index_shape, lists[1]));
    bool ordered = scatter_is_ordered(c) || unique;
    equality rule;
    values v = scatter_values(d, c, ordered, &rule);
    placed_fill(&updates, r, &v);
    placed_fill(&target, r, &v);
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    placed_upload(&target, d);

    launch l;
    launch_pick(&l, d, r);
    check_status(
        clnd_scatter_elements_shape(&indices.tensor, &updates.tensor, &target.tensor, &options),
        CLND_OK);
    clnd_status status =
        clnd_scatter_elements(d->engine, l.queue, &indices.tensor, &updates.tensor, &target.tensor,
                              &options, l.n_wait, l.wait, l.event_out);
    launch_finish(&l, d, status);

    bool done = false;
    if (status == CLND_INVALID_OPTION && scatter_may_refuse(d, c, &updates, &target)) {
        check_message("strategy");
    } else {
        unsigned char *touched = calloc(target.bytes + 1, 1);
        check(touched, "out of memory");
        clnd_bounds bounds = device_bounds(d, c->bounds);
        ref_scatter_options how = {c->reduce, bounds, c->deterministic, touched};
        int64_t bad = ref_scatter_elements(&indices.host, &updates.host, &target.host, axis, &how);
        check(status == (bad < 0 ? CLND_OK : OUTSIDE), "%s (%s), bad row %lld",
              clnd_status_name(status), clnd_last_error(), (long long)bad);
        if (bad >= 0)
            axis_check_bad_value(&indices, bad, "scatter_elements", shape[axis], bounds);
        else if (c->reduce == CLND_REDUCE_UPDATE && !ordered)
            adopt_choice(d, &indices, &updates, &target, axis, bounds);
        placed_check(&target, d, rule, touched);
        free(touched);
        done = true;
    }
    if (!done)
        placed_check(&target, d, EQUAL_BITS, NULL);
    placed_check(&updates, d, EQUAL_BITS, NULL);
    placed_check(&indices, d, EQUAL_BITS, NULL);
    placed_free(&indices);
    placed_free(&updates);
    placed_free(&target);
    return done;
}

static const struct {
    clnd_strategy strategy;
    bool deterministic;
    bool unique;
} ways[] = {
    {CLND_STRATEGY_AUTO, false, false},  {CLND_STRATEGY_AUTO, true, false},
    {CLND_STRATEGY_OWNER, false, false}, {CLND_STRATEGY_ATOMIC, false, false},
    {CLND_STRATEGY_STORE, false, false}, {CLND_STRATEGY_STORE, false, true},
    {CLND_STRATEGY_AUTO, false, true},   {CLND_STRATEGY_SORT, false, false},
    {CLND_STRATEGY_SORT, true, false},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

static void pick_way(scatter_case *c, int way)
{
    c->strategy = ways[way % N_WAYS].strategy;
    c->deterministic = ways[way % N_WAYS].deterministic;
    c->unique = ways[way % N_WAYS].unique;
}

// One way of each reduction and dtype; the ways take turns.
Test(scatter_elements, every_dtype)
{
    static const clnd_reduce reductions[] = {CLND_REDUCE_UPDATE, CLND_REDUCE_ADD};
    const device *d = device_get();
    int number = 0, done = 0;
    for (const clnd_dtype *dtype = values_all_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(2 * N_WAYS); i++) {
            scatter_case c = scatter_small;
            c.dtype = *dtype;
            c.reduce = reductions[i % 2];
            pick_way(&c, i / 2);
            c.extent = i % 3 ? 200 : 6;
            if (!scatter_is_defined(c.dtype, c.reduce))
                continue;
            case_begin("scatter_elements every dtype", number++);
            c.bounds = policies[rng_range(case_rng(), 0, N_POLICIES - 1)];
            done += run_random(d, &c);
        }
    }
    cr_assert(done > number / 2, "%d of %d done", done, number);
}

Test(scatter_elements, every_reduction)
{
    static const clnd_dtype dtypes[] = {CLND_INT32, CLND_FLOAT32, CLND_FLOAT16};
    const device *d = device_get();
    int number = 0;
    for (int reduce = CLND_REDUCE_UPDATE; reduce <= CLND_REDUCE_MAX; reduce++) {
        for (int i = 0; i < case_count(3 * N_WAYS); i++) {
            scatter_case c = scatter_small;
            c.dtype = dtypes[i % 3];
            c.reduce = (clnd_reduce)reduce;
            pick_way(&c, i / 3);
            c.extent = i % 5 ? 8 : 200;
            case_begin("scatter_elements every reduction", number++);
            c.bounds = policies[rng_range(case_rng(), 0, N_POLICIES - 1)];
            run_random(d, &c);
        }
    }
}

Test(scatter_elements, every_index_dtype_and_policy)
{
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_index_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(12 * N_POLICIES); i++) {
            scatter_case c = scatter_small;
            c.index_dtype = *dtype;
            c.bounds = policies[i % N_POLICIES];
            pick_way(&c, i / N_POLICIES);
            c.reduce = i % 3 ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
            case_begin("scatter_elements every index dtype", number++);
            run_random(d, &c);
        }
    }
}

Test(scatter_elements, ranks_and_empties)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(240); i++) {
        scatter_case c = scatter_small;
        case_begin("scatter_elements ranks", i);
        pick_way(&c, i);
        c.n_dims[0] = i % 3 == 0 ? (int)rng_range(case_rng(), 1, 16) : -1;
        c.reduce = i % 4 ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
        c.empty = i % 2 ? 30 : 2;
        c.bounds = policies[i % N_POLICIES];
        run_random(d, &c);
    }
}

Test(scatter_elements, large)
{
    const device *d = device_get();
    device_need_long_loops(d);
    for (int i = 0; i < case_count(4 * N_WAYS); i++) {
        scatter_case c = scatter_small;
        case_begin("scatter_elements large", i);
        pick_way(&c, i);
        c.large = true;
        c.n_dims[0] = 1 + i % 4;
        c.reduce = i % 2 ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
        c.dtype = i % 4 < 2 ? CLND_INT32 : CLND_FLOAT32;
        c.rows = 30000;
        c.extent = i % 3 ? 40000 : 300;
        c.empty = 0;
        c.bounds = policies[i % N_POLICIES];
        run_random(d, &c);
    }
}

Test(scatter_elements, strategy_from_environment)
{
    static const char *const names[] = {"lanes", "atomic,lanes", "store,lanes",
                                        "owner", "blocks",       "sort"};
    const device *d = device_get();
    for (int i = 0; i < case_count(50); i++) {
        scatter_case c = scatter_small;
        case_begin("scatter_elements environment", i);
        c.reduce = i % 3 ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
        c.deterministic = i % 4 == 3;
        cases_setenv("CLND_STRATEGY", names[i % 6]);
        cr_assert(run_random(d, &c), "the environment made a call fail");
    }
    cases_setenv("CLND_STRATEGY", NULL);
}
