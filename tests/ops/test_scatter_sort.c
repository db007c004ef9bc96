// SPDX-License-Identifier: Apache-2.0
//
// The strategy SORT against the reference, bit for bit: numbers of rows and keys around the sizes
// of tiles, blocks and digits; rows that all meet, that are all bad, that come in many chunks; one
// column to many.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "scatter_case.h"

static const clnd_reduce reductions[] = {CLND_REDUCE_UPDATE, CLND_REDUCE_ADD, CLND_REDUCE_SUB,
                                         CLND_REDUCE_MUL,    CLND_REDUCE_MIN, CLND_REDUCE_MAX};
enum { N_REDUCTIONS = sizeof reductions / sizeof *reductions };

// Not enough for one chunk of 600 rows, but for a wide copy of a small target and some chunks.
enum { SMALL_WORKSPACE = 8 << 10 };

static scatter_case sorted_case(void)
{
    scatter_case c = scatter_small;
    c.strategy = "must,sort";
    c.large = true;
    c.empty = 0;
    c.n_dims[0] = 1;
    c.n_dims[1] = 1;
    c.n_dims[2] = 1;
    c.rows = 1500;
    c.slice = 3;
    c.extent = 40;
    return c;
}

// Where the driver ends loops early, no more updates than are sorted there.
static void run(const device *d, scatter_case *c)
{
    const int64_t most = device_most_updates(d);
    c->rows = c->rows < most ? c->rows : most;
    c->slice = c->slice < most / c->rows ? c->slice : most / c->rows;
    check(scatter_run(d, c), "nothing was sorted");
}

static void need_sort(const device *d)
{
    if (d->facts->max_work_group_size < 64 || d->facts->local_memory < 16384)
        cr_skip_test("the device's work-groups are too small for SORT");
}

Test(scatter_sort, every_dtype_and_reduction)
{
    const device *d = device_get();
    need_sort(d);
    int number = 0;
    for (const clnd_dtype *dtype = values_all_dtypes; *dtype; dtype++) {
        for (int i = 0; i < N_REDUCTIONS; i++) {
            for (int way = 0; way < 4; way++) {
                scatter_case c = sorted_case();
                c.rows = 600;
                c.dtype = *dtype;
                c.reduce = reductions[i];
                c.deterministic = way % 2;
                c.workspace = way / 2 ? SMALL_WORKSPACE : 0;
                c.into = way != 3;
                if (!scatter_is_defined(*dtype, reductions[i]))
                    continue;
                case_begin("scatter_sort every dtype", number);
                if (case_is_taken(number++))
                    run(d, &c);
            }
        }
    }
}

// Rows: around the number that a turn, a tile and a chunk take. Extents: around the number of keys
// that one digit, two and three tell apart. Few extents make segments that all lanes load together.
Test(scatter_sort, sizes_around_those_of_the_kernels)
{
    static const int64_t rows[] = {1, 63, 64, 65, 1023, 1024, 1025, 2049, 4100};
    static const int64_t extents[] = {1, 2, 3, 255, 256, 257, 65535, 65536, 65537, 70000};
    static const int64_t slices[] = {1, 2, 31, 33, 64, 65, 130};
    const device *d = device_get();
    need_sort(d);
    int number = 0;
    for (int r = 0; r < (int)(sizeof rows / sizeof *rows); r++) {
        for (int e = 0; e < (int)(sizeof extents / sizeof *extents); e++) {
            scatter_case c = sorted_case();
            case_begin("scatter_sort sizes", number);
            const int turn = number++;
            if (!case_is_taken(turn))
                continue;
            c.rows = rows[r];
            c.extent = extents[e];
            c.slice = extents[e] > 300 ? 1 : slices[turn % 7];
            c.dtype = turn % 3 ? CLND_FLOAT32 : CLND_INT16;
            c.reduce = turn % 4 ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
            c.bounds = turn % 5 ? CLND_BOUNDS_SKIP : CLND_BOUNDS_CLAMP;
            c.placement = turn % 2 ? PLACED_STRIDED : PLACED_DENSE;
            c.workspace = turn % 3 == 1 ? SMALL_WORKSPACE : 0;
            run(d, &c);
        }
    }
}

// Nearly all rows are bad, or all: passes behind the first find few keys or none.
Test(scatter_sort, bad_rows)
{
    static const int64_t extents[] = {1, 30, 300, 70000};
    const device *d = device_get();
    need_sort(d);
    for (int i = 0; i < case_count(24); i++) {
        scatter_case c = sorted_case();
        case_begin("scatter_sort bad rows", i);
        c.bad = i % 2 ? 100 : 95;
        c.extent = extents[i / 2 % 4];
        c.slice = i % 3 ? 1 : 40;
        c.rows = 3000;
        c.dtype = CLND_FLOAT32;
        c.reduce = i % 5 ? CLND_REDUCE_SUB : CLND_REDUCE_UPDATE;
        c.workspace = i % 4 == 3 ? SMALL_WORKSPACE : 0;
        run(d, &c);
    }
}

// One place for all rows, one column to many: what one lane adds up, others have loaded. Rows lie
// on few axes or on many, of which fewer are loaded at once.
Test(scatter_sort, long_segments)
{
    static const clnd_dtype dtypes[] = {CLND_FLOAT32, CLND_COMPLEX64, CLND_BFLOAT16, CLND_FLOAT64,
                                        CLND_COMPLEX128};
    static const int64_t slices[] = {1, 2, 5, 17, 40, 150};
    const device *d = device_get();
    need_sort(d);
    for (int i = 0; i < case_turns(60); i++) {
        if (i >= 12 && !case_is_taken(i)) // the first have many axes, too
            continue;
        scatter_case c = sorted_case();
        case_begin("scatter_sort long segments", i);
        c.dtype = dtypes[i % 5];
        c.slice = slices[i % 6];
        c.extent = i % 4 ? 1 : 3;
        c.rows = i % 3 ? 700 : 5000;
        c.deterministic = i % 2;
        c.reduce = i % 7 ? CLND_REDUCE_ADD : CLND_REDUCE_MUL;
        c.n_dims[0] = i % 4 == 1 ? 4 : 1;
        c.n_dims[2] = i % 5 == 4 ? 2 : 1;
        c.placement = i % 2 ? PLACED_STRIDED : PLACED_DENSE;
        run(d, &c);
    }
}

// Any number of dimensions, coordinates and chunks.
Test(scatter_sort, shapes)
{
    const device *d = device_get();
    need_sort(d);
    for (int i = 0; i < case_count(150); i++) {
        scatter_case c = sorted_case();
        case_begin("scatter_sort shapes", i);
        rng *r = case_rng();
        c.dtype = values_pick(values_all_dtypes, r);
        do
            c.reduce = reductions[rng_range(r, 0, N_REDUCTIONS - 1)];
        while (!scatter_is_defined(c.dtype, c.reduce));
        c.index_dtype = values_pick(values_index_dtypes, r);
        c.deterministic = rng_chance(r, 50);
        c.n_dims[0] = (int)rng_range(r, 0, 4);
        c.n_dims[1] = (int)rng_range(r, 0, 4);
        c.n_dims[2] = (int)rng_range(r, 0, 4);
        c.rows = rng_range(r, 1, 3000);
        c.extent = rng_range(r, 1, 1000);
        c.slice = rng_range(r, 1, 30);
        c.bounds = rng_chance(r, 50) ? CLND_BOUNDS_SKIP : CLND_BOUNDS_CLAMP;
        // Rounding once may need a wide copy of the target too.
        bool wide = c.deterministic && values_is_float(c.dtype) && ref_size(c.dtype) == 2;
        c.workspace = rng_chance(r, 50) ? 0 : (size_t)rng_range(r, 8 << 10, 40 << 10);
        c.workspace = wide ? 0 : c.workspace;
        c.in_order = true;
        c.large = rng_chance(r, 70);
        run(d, &c);
    }
}

// The least workspace does, and one byte less is refused and named.
Test(scatter_sort, workspace_as_planned)
{
    const device *d = device_get();
    need_sort(d);
    case_begin("scatter_sort workspace", 0);
    rng *r = case_rng();
    placed indices, updates, target;
    placed_make(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){5000, 1}, PLACED_ALIGNED);
    placed_make(&updates, "updates", r, CLND_FLOAT16, 2, (int64_t[]){5000, 2}, PLACED_ALIGNED);
    placed_make(&target, "target", r, CLND_FLOAT16, 2, (int64_t[]){100, 2}, PLACED_ALIGNED);
    values v = {.kind = VALUES_ANY, .subnormals = d->subnormals};
    cases_indices(r, &indices, (int64_t[]){100}, 1, CLND_BOUNDS_SKIP, 10);
    placed_fill(&updates, r, &v);
    placed_fill(&target, r, &v);
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    placed_upload(&target, d);
    cl_int code;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, 1 << 20, NULL, &code);
    check_cl(code);
    clnd_workspace workspace = {.buffer = buffer};
    clnd_scatter_nd_options options = {
        .reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_SKIP, .deterministic = true};
    d = device_with(d, "must,sort");
    clnd_plan all, lent, least;
    check_status(clnd_scatter_nd_into_plan(d->engine, &indices.tensor, &updates.tensor,
                                           &target.tensor, &options, &all),
                 CLND_OK);
    cr_assert(plan_takes(&all, "sort") && all.workspace_bytes >= 5000 * 12 &&
              all.workspace_bytes < 1 << 20);
    options.workspace = &workspace;
    workspace.size = 40000;
    check_status(clnd_scatter_nd_into_plan(d->engine, &indices.tensor, &updates.tensor,
                                           &target.tensor, &options, &lent),
                 CLND_OK);
    cr_assert(lent.workspace_bytes > 20000 && lent.workspace_bytes <= 40000, "of 40000 bytes %llu",
              (unsigned long long)lent.workspace_bytes);
    workspace.size = 1;
    check_status(clnd_scatter_nd_into_plan(d->engine, &indices.tensor, &updates.tensor,
                                           &target.tensor, &options, &least),
                 CLND_BUFFER_TOO_SMALL);
    check_message("the workspace has size 1, this call needs ");
    workspace.size = strtoul(strstr(clnd_last_error(), "needs ") + 6, NULL, 10);
    check_status(clnd_scatter_nd_into(d->engine, d->queue, &indices.tensor, &updates.tensor,
                                      &target.tensor, &options, 0, NULL, NULL),
                 CLND_OK);
    ref_scatter_options how = {CLND_REDUCE_ADD, CLND_BOUNDS_SKIP, true, NULL};
    ref_scatter_nd_into(&indices.host, &updates.host, &target.host, &how);
    placed_check(&target, d, EQUAL_NUMBERS, NULL);
    workspace.size--;
    check_status(clnd_scatter_nd_into(d->engine, d->queue, &indices.tensor, &updates.tensor,
                                      &target.tensor, &options, 0, NULL, NULL),
                 CLND_BUFFER_TOO_SMALL);
    check_message("the workspace has");
    placed_check(&target, d, EQUAL_NUMBERS, NULL);
    check_cl(clReleaseMemObject(buffer));
    placed_free(&indices);
    placed_free(&updates);
    placed_free(&target);
}
