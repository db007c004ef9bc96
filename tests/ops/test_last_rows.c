// SPDX-License-Identifier: Apache-2.0
//
// Updates whose rows are numbered in private copies before the last one at each place is moved:
// many rows and few, several copies, bad rows, places that no row selects, elements of any size,
// and what is left to other strategies.

#include <criterion/criterion.h>
#include <string.h>

#include "scatter_case.h"

// Rows by one coordinate, about so many, into so many places.
static scatter_case updates_of(int64_t rows, int64_t extent, int64_t slice)
{
    scatter_case c = scatter_small;
    c.reduce = CLND_REDUCE_UPDATE;
    c.strategy = "must,private";
    c.large = true;
    c.empty = 0;
    c.placement = PLACED_DENSE;
    c.n_dims[0] = c.n_dims[1] = 1;
    c.n_dims[2] = slice > 1;
    c.rows = rows;
    c.extent = extent;
    c.slice = slice;
    return c;
}

// `least` of 100 cases must not be refused.
static void run_all(const char *test, const clnd_dtype *dtypes, int count, scatter_case kind,
                    int least)
{
    const device *d = device_get();
    if (!scatter_has_buckets(d))
        cr_skip_test("rows are numbered on CPUs that get kernels for rows");
    int number = 0, done = 0;
    for (const clnd_dtype *dtype = dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_turns(count); i++) {
            case_begin(test, number++);
            scatter_case c = kind;
            c.dtype = *dtype;
            scatter_draw_options(&c, case_rng());
            done += scatter_run(d, &c);
        }
    }
    cr_assert(done * 100 >= number * least, "%d of %d were done", done, number);
}

Test(last_rows, every_dtype)
{
    scatter_case c = updates_of(900, 100, 7);
    run_all("last rows every dtype", values_number_dtypes, 3, c, 60);
}

Test(last_rows, opaque)
{
    static const clnd_dtype dtypes[] = {CLND_OPAQUE(1), CLND_OPAQUE(3), CLND_OPAQUE(12),
                                        CLND_OPAQUE(700), 0};
    scatter_case c = updates_of(300, 40, 3);
    run_all("last rows opaque", dtypes, 3, c, 60);
}

// Several copies, and of few places several for each thread; most places in one stretch, or more of
// them than are looked at together.
Test(last_rows, many_rows)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_FLOAT32, CLND_COMPLEX128, 0};
    run_all("last rows of one place", dtypes, 2, updates_of(5000, 1, 1), 90);
    run_all("last rows of few places", dtypes, 4, updates_of(20000, 16, 1), 90);
    run_all("last rows of many places", dtypes, 4, updates_of(20000, 9000, 1), 90);
    run_all("last rows that are long", dtypes, 2, updates_of(600, 150, 700), 60);
}

// Tuples, batches and slices of any strides, of which not all can be done.
Test(last_rows, any_shape)
{
    static const clnd_dtype dtypes[] = {CLND_INT16, CLND_FLOAT64, 0};
    scatter_case c = updates_of(300, 200, 20);
    c.n_dims[0] = c.n_dims[1] = c.n_dims[2] = -1;
    c.large = false;
    c.empty = 4;
    run_all("last rows of any shape", dtypes, 40, c, 50);
    c.placement = PLACED_STRIDED;
    run_all("last rows of any strides", dtypes, 40, c, 5);
}

// A bad row that got a place, or was counted as row 0 of the next copy, would be seen.
Test(last_rows, bad_rows)
{
    static const clnd_dtype dtypes[] = {CLND_INT32, 0};
    scatter_case c = updates_of(3000, (4096 - 32) / 4, 1);
    c.bad = 50;
    for (int i = 0; i < 2; i++) {
        c.bounds = i ? CLND_BOUNDS_SKIP : CLND_BOUNDS_WRAP;
        run_all("last rows bad", dtypes, 3, c, 90);
    }
    c.bounds = CLND_BOUNDS_SKIP;
    c.bad = 99;
    run_all("last rows all bad", dtypes, 3, c, 90);
}

// What is chosen, by sizes on both sides of each bound.
Test(last_rows, choice)
{
    enum { PLACES = 4096 };
    static const struct {
        const char *what;
        int64_t rows, places;
        bool deterministic, unique, taken;
    } all[] = {
        {"rows that meet", 16 * PLACES + 1, PLACES, false, false, true},
        {"rows that seldom do", 16 * PLACES, PLACES, false, false, false},
        {"more than 32 KiB", 17 * PLACES + 17, PLACES + 1, false, false, false},
        {"in order", 1 << 20, 1 << 19, true, false, true},
        {"in order, more places", 1 << 20, (1 << 19) + 1, true, false, false},
        {"no two rows meet", 17 * PLACES, PLACES, true, true, false},
    };
    const device *d = device_get();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        case_begin("choice of last rows", (int)i);
        case_note("%s", all[i].what);
        // To number rows rather than take them in order pays where threads share them.
        const bool may =
            scatter_has_buckets(d) && (d->facts->compute_units > 1 || !all[i].deterministic);
        clnd_tensor target, indices, updates;
        check_status(clnd_tensor_dense(NULL, 0, CLND_INT64, 1, &all[i].places, &target), CLND_OK);
        check_status(
            clnd_tensor_dense(NULL, 0, CLND_INT32, 2, (int64_t[]){all[i].rows, 1}, &indices),
            CLND_OK);
        check_status(clnd_tensor_dense(NULL, 0, CLND_INT64, 1, &all[i].rows, &updates), CLND_OK);
        const clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_UPDATE,
                                                 .deterministic = all[i].deterministic,
                                                 .unique_indices = all[i].unique};
        clnd_plan plan;
        check_status(
            clnd_scatter_nd_into_plan(d->engine, &indices, &updates, &target, &options, &plan),
            CLND_OK);
        check((plan_takes(&plan, "private")) == (may && all[i].taken), "%s: %s", plan.strategy,
              plan.reason);
    }
}
