// SPDX-License-Identifier: Apache-2.0
//
// Scatters through buckets: what makes them differ from owners. Parts of the target and how rows
// are divided among them, blocks and quarters of blocks that are not full, chunks, bad rows, rows
// that do not lie evenly, and float32 copies of 16-bit targets.

#include <criterion/criterion.h>

#include "scatter_case.h"

// Rows that a work-item divides (kernels_cl/args.h).
enum { BLOCK = 4096 };

static const clnd_reduce reductions[] = {CLND_REDUCE_UPDATE, CLND_REDUCE_ADD, CLND_REDUCE_SUB,
                                         CLND_REDUCE_MUL,    CLND_REDUCE_MIN, CLND_REDUCE_MAX};
enum { N_REDUCTIONS = sizeof reductions / sizeof *reductions };

// Contiguous rows by one coordinate: about so many elements into so many locations.
static scatter_case dense_rows(int64_t rows, int64_t extent)
{
    scatter_case c = scatter_small;
    c.large = true;
    c.empty = 0;
    c.placement = PLACED_DENSE;
    c.n_dims[0] = c.n_dims[1] = 1;
    c.n_dims[2] = 0;
    c.rows = rows;
    c.extent = extent;
    return c;
}

// `least` of 100 cases must not be refused.
static void run_all(const char *test, const clnd_dtype *dtypes, int count, scatter_case kind,
                    int least)
{
    const device *d = device_get();
    if (!device_has_buckets(d))
        cr_skip_test("buckets are for CPUs that get kernels for rows");
    int turn = 0, number = 0, done = 0;
    kind.strategy = "must,buckets";
    for (const clnd_dtype *dtype = dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_turns(count * N_REDUCTIONS); i++) {
            scatter_case c = kind;
            c.dtype = *dtype;
            c.reduce = reductions[i % N_REDUCTIONS];
            if (!scatter_is_defined(c.dtype, c.reduce))
                continue;
            if (!case_is_taken(turn++))
                continue;
            case_begin(test, number++);
            scatter_draw_options(&c, case_rng());
            done += scatter_run(d, &c);
        }
    }
    cr_assert(done * 100 >= number * least, "%d of %d were done", done, number);
}

Test(buckets, every_dtype_and_reduction)
{
    scatter_case c = scatter_small;
    c.rows = c.slice = 40;
    c.extent = 200;
    c.placement = PLACED_DENSE;
    run_all("buckets every dtype", values_number_dtypes, 3, c, 50);
}

Test(buckets, any_strides)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT16, CLND_FLOAT64, 0};
    scatter_case c = scatter_small;
    c.rows = c.slice = 40;
    c.extent = 200;
    c.placement = PLACED_STRIDED;
    run_all("buckets any strides", dtypes, 12, c, 5);
}

// Several blocks of rows, the last of them not full, in all parts that there are or in one.
Test(buckets, many_rows)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT32, CLND_FLOAT16, CLND_FLOAT32, 0};
    scatter_case c = dense_rows(3 * BLOCK, 50000);
    run_all("buckets many rows", dtypes, 1, c, 90);
    c.extent = 3;
    run_all("buckets few places", dtypes, 1, c, 90);
    c.n_dims[2] = 1;
    c.slice = 5;
    c.extent = 3000;
    run_all("buckets of vectors", dtypes, 1, c, 90);
    c.n_dims[0] = 2;
    c.n_dims[1] = 3;
    run_all("buckets of tuples", dtypes, 1, c, 50); // updates that repeat lie unevenly
}

// Blocks in the order of few parts need no entries: all blocks, those around one that is not, with
// rows of one location in two blocks, with all parts in each; and not where a block has too many.
Test(buckets, in_order)
{
    static const struct {
        int64_t rows, extent, sorted;
        clnd_bounds bad;  // the policy under which the last row is; 0: it is not
        size_t workspace; // of two blocks; 0: of all
        clnd_dtype dtype;
    } shapes[] = {
        {3 * BLOCK + 5, 50000, 4 * BLOCK, 0, 0, CLND_INT32},
        {4 * BLOCK, 50000, BLOCK + BLOCK / 2, 0, 0, CLND_INT32},
        {3 * BLOCK, 200, 3 * BLOCK, 0, 0, CLND_INT32},
        {3 * BLOCK, 30000, BLOCK, 0, 0, CLND_FLOAT16},
        {3 * BLOCK, 30000, BLOCK / 8, 0, 0, CLND_INT32},
        {2 * BLOCK, 1200000, BLOCK, 0, 0, CLND_INT32},
        {5 * BLOCK, 50000, 5 * BLOCK, 0, 40000, CLND_INT32},
        {2 * BLOCK, 30000, 2 * BLOCK, CLND_BOUNDS_ERROR, 0, CLND_INT32},
        {4 * BLOCK, 5000, 2 * BLOCK, CLND_BOUNDS_SKIP, 40000, CLND_INT32},
    };
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    const device *d = device_get();
    if (!device_has_buckets(d))
        cr_skip_test("buckets are for CPUs that get kernels for rows");
    int number = 0, done = 0;
    for (int i = 0; i < case_turns(8 * N_SHAPES); i++) {
        if (i >= N_SHAPES && !case_is_taken(i))
            continue;
        case_begin("buckets in order", i);
        const int shape = i % N_SHAPES;
        scatter_case c = dense_rows(shapes[shape].rows, shapes[shape].extent);
        c.strategy = "must,buckets";
        c.sorted = shapes[shape].sorted;
        c.bad = shapes[shape].bad > 0;
        c.bounds = shapes[shape].bad;
        c.workspace = shapes[shape].workspace;
        c.dtype = shapes[shape].dtype;
        c.reduce = reductions[(shape % 3 != 1) + i / N_SHAPES % 2]; // UPDATE, ADD, SUB
        c.n_dims[1] = 1 + i / N_SHAPES % 2;
        c.n_dims[2] = shape % 4 == 3;
        c.slice = 5;
        scatter_draw_options(&c, case_rng());
        c.deterministic |= c.reduce == CLND_REDUCE_UPDATE;
        done += scatter_run(d, &c);
        number++;
    }
    cr_assert(done * 2 >= number, "%d of %d were done", done, number);
}

// Blocks of all sizes about those at which a quarter or a block begins.
Test(buckets, numbers_of_rows)
{
    static const clnd_dtype dtypes[] = {CLND_INT32, 0};
    static const int64_t sizes[] = {1,   2,   3,   4,         5,     7,         255,
                                    256, 257, 259, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK};
    scatter_case c = dense_rows(1, 100);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        c.rows = sizes[i];
        run_all("buckets numbers of rows", dtypes, 1, c, 90);
    }
}

// The last part ends where the target or the bytes behind it end, all of which are compared: a bad
// row that got a place would get it there.
Test(buckets, bad_rows)
{
    static const clnd_dtype dtypes[] = {CLND_INT32, 0};
    scatter_case c = dense_rows(300, (4096 - 32) / 4);
    c.bad = 50;
    run_all("buckets bad rows", dtypes, 4, c, 90);
}

// A workspace that has room for one block: a chunk each.
Test(buckets, chunks)
{
    static const clnd_dtype dtypes[] = {CLND_INT16, CLND_FLOAT32, 0};
    scatter_case c = dense_rows(4 * BLOCK, 1000);
    c.workspace = 20000;
    run_all("buckets chunks", dtypes, 1, c, 90);
    c.workspace = 40000;
    run_all("buckets larger chunks", dtypes, 1, c, 90);
}

// Slices of two dimensions that do not merge into one stretch, though pairs of elements would.
Test(buckets, stretches)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT16, CLND_FLOAT32, CLND_COMPLEX64, 0};
    scatter_case c = scatter_small;
    c.n_dims[0] = c.n_dims[1] = 1;
    c.n_dims[2] = 2;
    c.slice = 8;
    run_all("buckets stretches", dtypes, 24, c, 5);
}

// Sums of 16 bits that are rounded once, of rows that are sorted by their places: by one digit or
// two, in one part or many, in rows that are held whole or by pieces, that lie in vectors or apart.
Test(buckets, rounded)
{
    static const struct {
        int64_t rows, extent, slice;
        unsigned placement;
    } shapes[] = {
        {2, 3, 1, PLACED_DENSE},
        {3 * BLOCK, 100, 40, PLACED_DENSE},
        {4000, 50, 300, PLACED_DENSE},
        {3 * BLOCK + 1, 300, 33, PLACED_DENSE},
        {500, 2000, 4, PLACED_DENSE},
        {5000, 40000, 1, PLACED_DENSE},
        {300, 7, 600, PLACED_DENSE},
        {700, 90, 40, PLACED_STRIDED},
        {900, 9000, 2, PLACED_STRIDED},
        {400, 900, 515, PLACED_DENSE},
        {BLOCK, 4 * BLOCK, 1, PLACED_DENSE},
    };
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    static const clnd_dtype dtypes[] = {CLND_FLOAT16, CLND_BFLOAT16};
    static const clnd_reduce sums[] = {CLND_REDUCE_ADD, CLND_REDUCE_SUB, CLND_REDUCE_MUL};
    const device *d = device_get();
    if (!device_has_buckets(d))
        cr_skip_test("buckets are for CPUs that get kernels for rows");
    for (int i = 0; i < case_turns(6 * N_SHAPES); i++) {
        if (i >= N_SHAPES && !case_is_taken(i))
            continue;
        case_begin("buckets rounded", i);
        const int shape = i % N_SHAPES, kind = shape + i / N_SHAPES;
        scatter_case c = dense_rows(shapes[shape].rows, shapes[shape].extent);
        c.slice = shapes[shape].slice;
        c.n_dims[2] = c.slice > 1;
        c.placement = shapes[shape].placement;
        c.dtype = dtypes[kind % 2];
        c.reduce = sums[kind % 3];
        c.strategy = "must,buckets";
        c.deterministic = true;
        c.bad = i % 4 ? 0 : 30;
        c.bounds = i % 4 ? CLND_BOUNDS_ERROR : CLND_BOUNDS_SKIP;
        c.into = i % 3 != 0;
        c.sorted = i % 3 == 1 ? c.rows : 0;
        scatter_run(d, &c);
    }
}

// The threads that apply a part make zeros of it first, once, and of nothing behind the target.
Test(buckets, into_zeros)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT32, CLND_COMPLEX64};
    static const int64_t places[] = {1, 15, 16, 17, 1000, 20001};
    enum { N_PLACES = sizeof places / sizeof *places };
    const device *d = device_get();
    if (!device_has_buckets(d))
        cr_skip_test("buckets are for CPUs that get kernels for rows");
    for (int i = 0; i < case_turns(14 * N_PLACES); i++) {
        case_begin("buckets into zeros", i);
        scatter_case c = dense_rows(2 * BLOCK, places[i % N_PLACES]);
        c.strategy = "must,buckets";
        c.into = false;
        c.placement = i % 5 < 3 ? PLACED_DENSE : PLACED_STRIDED;
        c.dtype = dtypes[i / N_PLACES % 3];
        c.reduce = reductions[i / N_PLACES % 2]; // UPDATE, ADD
        c.bounds = i % 2 ? CLND_BOUNDS_SKIP : CLND_BOUNDS_ERROR;
        c.workspace = i % 4 < 2 ? 20000 : 0; // chunks, or one
        scatter_run(d, &c);
    }
}

// Long rows go past the caches where they are more than these keep: in their order all the same,
// also where they meet.
Test(buckets, past_the_caches)
{
    static const clnd_dtype dtypes[] = {CLND_OPAQUE(16), CLND_OPAQUE(64), CLND_OPAQUE(128),
                                        CLND_OPAQUE(320)};
    const device *d = device_get();
    if (!device_has_buckets(d))
        cr_skip_test("buckets are for CPUs that get kernels for rows");
    for (int i = 0; i < case_turns(24); i++) {
        case_begin("buckets past the caches", i);
        scatter_case c = dense_rows(i % 2 ? 300 : 9000, i % 3 ? 7 : 500);
        c.strategy = "must,buckets,stream";
        c.reduce = CLND_REDUCE_UPDATE;
        c.dtype = dtypes[i % 4];
        c.placement = PLACED_DENSE | PLACED_ALIGNED;
        scatter_run(d, &c);
    }
}
