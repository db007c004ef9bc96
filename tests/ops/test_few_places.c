// SPDX-License-Identifier: Apache-2.0
//
// Many rows that meet in few places: of updates only the last row of each moves; short ones that
// are combined in order are taken by one work-item on a CPU of few threads.

#include <criterion/criterion.h>
#include <string.h>

#include "scatter_case.h"

static const clnd_reduce reductions[] = {CLND_REDUCE_UPDATE, CLND_REDUCE_ADD, CLND_REDUCE_SUB,
                                         CLND_REDUCE_MUL,    CLND_REDUCE_MIN, CLND_REDUCE_MAX};
enum { N_REDUCTIONS = sizeof reductions / sizeof *reductions };

static scatter_case few_places(int64_t rows, int64_t extent)
{
    scatter_case c = scatter_small;
    c.large = true;
    c.empty = 0;
    c.deterministic = true;
    c.rows = rows;
    c.extent = extent;
    return c;
}

static void run_all(const char *test, scatter_case c)
{
    static const clnd_bounds policies[] = {CLND_BOUNDS_ERROR, CLND_BOUNDS_SKIP, CLND_BOUNDS_CLAMP,
                                           CLND_BOUNDS_WRAP};
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_number_dtypes; *dtype; dtype++) {
        for (int i = 0; i < N_REDUCTIONS; i++) {
            c.dtype = *dtype;
            c.reduce = reductions[i];
            if (!scatter_is_defined(c.dtype, c.reduce))
                continue;
            if (!case_is_taken(number++))
                continue;
            case_begin(test, number);
            c.bounds = policies[rng_range(case_rng(), 0, 3)];
            c.into = rng_chance(case_rng(), 50);
            scatter_run(d, &c);
        }
    }
}

Test(few_places, of_elements)
{
    scatter_case c = few_places(3000, 20);
    c.n_dims[0] = c.n_dims[1] = 1;
    c.n_dims[2] = 0;
    run_all("few places", c);
    c.strategy = "must,owner";
    run_all("few places of owners", c);
}

Test(few_places, of_vectors_by_tuples)
{
    scatter_case c = few_places(3000, 12);
    c.n_dims[2] = 1;
    c.slice = 3;
    run_all("few places of vectors", c);
}

// Of few places, of one, and of as many as count as few.
Test(few_places, of_longer_rows)
{
    scatter_case c = few_places(3000, 12);
    c.slice = 40;
    run_all("few places of longer rows", c);
    c.extent = 1;
    run_all("one place of longer rows", c);
    c.extent = 170;
    c.n_dims[2] = 1;
    run_all("places of longer rows", c);
    c.strategy = "must,owner";
    c.n_dims[0] = 2;
    run_all("places of longer rows of owners", c);
}

// Of updates that are skipped, nearly all of them, or one here and there.
Test(few_places, of_bad_rows)
{
    for (int i = 0; i < 8; i++) {
        scatter_case c = few_places(3000, 100);
        case_begin("bad rows of few places", i);
        c.reduce = CLND_REDUCE_UPDATE;
        c.bounds = CLND_BOUNDS_SKIP;
        c.n_dims[0] = c.n_dims[1] = c.n_dims[2] = 1;
        c.slice = 40;
        c.bad = i % 2 ? 20 : 97;
        scatter_run(device_get(), &c);
    }
}

// What is chosen, by sizes that lie on both sides of each bound.
Test(few_places, choice)
{
    // Widths: as many elements as still count as a short row, and one more.
    enum { PLACES = 100, SHORT_ROW = 0, LONGER_ROW = -1 };
    static const struct {
        const char *what;
        clnd_dtype dtype;
        clnd_reduce reduce;
        int64_t rows, width;
        bool deterministic, unique, alone;
    } all[] = {
        {"rows that meet", CLND_FLOAT32, CLND_REDUCE_ADD, 17 * PLACES, 1, true, false, true},
        {"rows that seldom do", CLND_FLOAT32, CLND_REDUCE_ADD, 16 * PLACES, 1, true, false, false},
        {"short rows", CLND_FLOAT32, CLND_REDUCE_ADD, 17 * PLACES, SHORT_ROW, true, false, true},
        {"longer rows", CLND_FLOAT32, CLND_REDUCE_ADD, 17 * PLACES, LONGER_ROW, true, false, false},
        {"any order will do", CLND_FLOAT32, CLND_REDUCE_ADD, 17 * PLACES, 1, false, false, false},
        {"copies will do", CLND_INT32, CLND_REDUCE_ADD, 17 * PLACES, 1, true, false, false},
        {"a product has no copies", CLND_FLOAT32, CLND_REDUCE_MUL, 17 * PLACES, 1, false, false,
         true},
        {"no two rows meet", CLND_FLOAT32, CLND_REDUCE_ADD, 17 * PLACES, 1, true, true, false},
    };
    const device *d = device_get();
    const int64_t others = d->facts->compute_units > 1 ? (int64_t)d->facts->compute_units - 1 : 1;
    const int64_t most = 48 / (int64_t)sizeof(float) / others; // elements of a short row
    const bool may = device_has_buckets(d) && most > 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        case_begin("choice of few places", (int)i);
        case_note("%s", all[i].what);
        const int64_t rows = all[i].rows, shortest = most > 0 ? most : 1;
        const int64_t width = all[i].width > 0 ? all[i].width : shortest - all[i].width;
        clnd_tensor target, indices, updates;
        check_status(
            clnd_tensor_dense(NULL, 0, all[i].dtype, 2, (int64_t[]){PLACES, width}, &target),
            CLND_OK);
        check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 2, (int64_t[]){rows, 1}, &indices),
                     CLND_OK);
        check_status(
            clnd_tensor_dense(NULL, 0, all[i].dtype, 2, (int64_t[]){rows, width}, &updates),
            CLND_OK);
        const clnd_scatter_nd_options options = {.reduce = all[i].reduce,
                                                 .deterministic = all[i].deterministic,
                                                 .unique_indices = all[i].unique};
        clnd_plan plan;
        check_status(
            clnd_scatter_nd_into_plan(d->engine, &indices, &updates, &target, &options, &plan),
            CLND_OK);
        check((strstr(plan.reason, "threads would gain little") != NULL) == (may && all[i].alone),
              "%s: %s", plan.strategy, plan.reason);
    }
}
