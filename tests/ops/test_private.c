// SPDX-License-Identifier: Apache-2.0
//
// Scatters into private copies: of work-items ("blocks") and of work-groups in local memory
// ("lanes"). What makes them differ from other strategies: how many copies there are, where an
// element lies in one, what a copy begins with, and that the rest of the target stays as it is.

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scatter_case.h"

static const char *const variants[] = {"must,private,blocks", "must,private,lanes"};
enum { N_VARIANTS = 2 };

static const clnd_reduce reductions[] = {CLND_REDUCE_ADD, CLND_REDUCE_SUB, CLND_REDUCE_MUL,
                                         CLND_REDUCE_MIN, CLND_REDUCE_MAX};
enum { N_REDUCTIONS = sizeof reductions / sizeof *reductions };

static const clnd_bounds policies[] = {CLND_BOUNDS_ERROR, CLND_BOUNDS_SKIP, CLND_BOUNDS_CLAMP,
                                       CLND_BOUNDS_WRAP};

// Now and then PRIVATE is taken only where it is possible, and another strategy where it is not, as
// for `unique` cases.
static void run_all(const char *test, const clnd_dtype *dtypes, int count, int64_t rows,
                    int64_t slice, int64_t extent, bool large)
{
    const device *d = device_get();
    int turn = 0, number = 0, done = 0;
    for (int variant = 0; variant < N_VARIANTS; variant++) {
        for (const clnd_dtype *dtype = dtypes; *dtype; dtype++) {
            for (int i = 0; i < case_turns(count * N_REDUCTIONS); i++) {
                scatter_case c = scatter_small;
                c.dtype = *dtype;
                c.reduce = reductions[i % N_REDUCTIONS];
                c.strategy = variants[variant] + (i % 4 ? 0 : strlen("must,"));
                if (!scatter_is_defined(c.dtype, c.reduce))
                    continue;
                if (!case_is_taken(turn++))
                    continue;
                case_begin(test, number++);
                rng *r = case_rng();
                c.deterministic = rng_chance(r, 40);
                c.bounds = policies[rng_range(r, 0, 3)];
                c.into = rng_chance(r, 70);
                c.rows = rows;
                c.slice = slice;
                c.extent = rng_chance(r, 30) ? 3 : extent;
                c.large = large;
                c.empty = large ? 0 : 2;
                c.placement = rng_chance(r, 60) ? PLACED_STRIDED : PLACED_DENSE;
                done += scatter_run(d, &c);
            }
        }
        cr_assert(done > number / 2, "%d of %d were done", done, number);
    }
}

Test(private, every_dtype_and_reduction)
{
    run_all("private every dtype", values_number_dtypes, 4, 40, 40, 200, false);
}

// Each copy gets many rows, each group several turns, and local memory holds one or many copies, of
// both its sizes, or is too small for one.
Test(private, many_rows)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT32, CLND_FLOAT32, CLND_INT64, 0};
    run_all("private many rows", dtypes, 2, 9000, 1, 50, true);
    run_all("private 16 KiB", dtypes, 1, 3000, 9, 350, true);
    run_all("private 32 KiB", dtypes, 1, 700, 70, 100, true);
    run_all("private larger", dtypes, 1, 500, 200, 300, true);
}

// Rows of one element under one index take a loop of their own.
Test(private, rows_of_one_element)
{
    const device *d = device_get();
    int number = 0;
    for (int variant = 0; variant < N_VARIANTS; variant++) {
        for (const clnd_dtype *dtype = values_index_dtypes; *dtype; dtype++) {
            for (int i = 0; i < case_count(24); i++) {
                scatter_case c = scatter_small;
                case_begin("private histogram", number++);
                c.index_dtype = *dtype;
                c.dtype = i % 2 ? CLND_INT16 : CLND_FLOAT64;
                c.strategy = variants[variant];
                c.bounds = policies[i % 4];
                c.n_dims[0] = 1 + i % 2;
                c.n_dims[1] = 1;
                c.n_dims[2] = i % 3 == 2;
                c.rows = 300;
                scatter_run(d, &c);
            }
        }
    }
}

// Enough rows for few elements that neighbours go into different copies of one work-item; but not
// where the order of rows decides which NaN stays.
Test(private, neighbours_in_different_copies)
{
    static const clnd_dtype dtypes[] = {CLND_INT8, CLND_FLOAT16, CLND_FLOAT32, CLND_UINT64};
    static const int64_t extents[] = {1, 2, 7};
    const device *d = device_get();
    for (int i = 0; i < case_turns(4 * 3 * N_REDUCTIONS); i++) {
        if (!case_is_taken(i))
            continue;
        scatter_case c = scatter_small;
        c.dtype = dtypes[i % 4];
        c.reduce = reductions[i % N_REDUCTIONS];
        case_begin("private neighbours", i);
        c.strategy = "must,private,blocks";
        c.bounds = policies[i % 3];
        c.bad = i % 3 == 1 ? 1 : 0;
        c.deterministic = i % 2;
        c.rows = 33001;
        c.extent = extents[i / 4 % 3];
        c.slice = 1 + i % 3;
        c.n_dims[0] = 1 + i % 2;
        c.n_dims[1] = 1;
        c.n_dims[2] = c.slice > 1;
        c.large = true;
        c.empty = 0;
        c.placement = PLACED_DENSE;
        scatter_run(d, &c);
    }
}

// One call, whole: target, rows and updates of one element each, by index 0, 1, ...
typedef struct single {
    placed indices, updates, target;
    clnd_scatter_nd_options options;
} single;

static void make_single(single *s, clnd_dtype dtype, int64_t rows, int64_t length)
{
    const values bits = {.kind = VALUES_BITS};
    rng *r = case_rng();
    placed_make(&s->indices, "indices", r, CLND_INT32, 2, (int64_t[]){rows, 1}, PLACED_ALIGNED);
    placed_make(&s->updates, "updates", r, dtype, 1, &rows, PLACED_ALIGNED);
    placed_make(&s->target, "target", r, dtype, 1, &length, PLACED_ALIGNED | PLACED_STRIDED);
    cases_indices(r, &s->indices, &length, 1, CLND_BOUNDS_ERROR, 0);
    placed_fill(&s->updates, r, &bits);
    placed_fill(&s->target, r, &bits);
    s->options = (clnd_scatter_nd_options){.bounds = CLND_BOUNDS_SKIP};
}

static void upload_single(single *s, const device *d)
{
    placed_upload(&s->indices, d);
    placed_upload(&s->updates, d);
    placed_upload(&s->target, d);
}

static void run_single(single *s, const device *d)
{
    upload_single(s, d);
    check_status(clnd_scatter_nd_into(d->engine, d->queue, &s->indices.tensor, &s->updates.tensor,
                                      &s->target.tensor, &s->options, 0, NULL, NULL),
                 CLND_OK);
}

static void scatter_into_zeros(single *s, const device *d)
{
    upload_single(s, d);
    check_status(clnd_scatter_nd(d->engine, d->queue, &s->indices.tensor, &s->updates.tensor,
                                 &s->target.tensor, &s->options, 0, NULL, NULL),
                 CLND_OK);
}

static void free_single(single *s)
{
    placed_free(&s->indices);
    placed_free(&s->updates);
    placed_free(&s->target);
}

// Elements of any bits that no row addresses: signalling NaNs would come out of any arithmetic
// changed, bools that are neither 0 nor 1 too.
Test(private, elements_without_rows_keep_their_bits)
{
    const device *d = device_get();
    int number = 0;
    for (int variant = 0; variant < N_VARIANTS; variant++) {
        d = device_with(d, variants[variant]);
        for (const clnd_dtype *dtype = values_number_dtypes; *dtype; dtype++) {
            for (int i = 0; i < N_REDUCTIONS; i++) {
                if (!scatter_is_defined(*dtype, reductions[i]) ||
                    ((values_is_float(*dtype) || values_is_complex(*dtype)) &&
                     reductions[i] == CLND_REDUCE_MUL))
                    continue;
                single s;
                if (!case_is_taken(number++))
                    continue;
                case_begin("private untouched", number);
                case_note("dtype %s reduce %d, %s", clnd_dtype_name(*dtype), (int)reductions[i],
                          variants[variant]);
                make_single(&s, *dtype, 20, 100);
                s.options.reduce = reductions[i];
                for (int64_t row = 0; row < 20; row++) // all rows are bad
                    values_write_index(CLND_INT32, row % 2 ? -1 : 100,
                                       ref_at(&s.indices.host, (int64_t[]){row, 0}));
                run_single(&s, d);
                placed_check(&s.target, d, EQUAL_BITS, NULL);
                free_single(&s);
            }
        }
    }
}

// A target of any bits that is to begin as zeros, as the serial loop fills it, with locations
// that no row selects.
Test(private, targets_begin_as_zeros)
{
    const values plain = {.kind = VALUES_PLAIN};
    const device *d = device_get();
    int number = 0;
    for (int variant = 0; variant < N_VARIANTS; variant++) {
        for (const clnd_dtype *dtype = values_number_dtypes; *dtype; dtype++) {
            for (int i = 0; i < N_REDUCTIONS; i++) {
                single s;
                if (!scatter_is_defined(*dtype, reductions[i]) ||
                    ((values_is_float(*dtype) || values_is_complex(*dtype)) &&
                     reductions[i] == CLND_REDUCE_MUL) ||
                    !case_is_taken(number++))
                    continue;
                case_begin("private zeros", number);
                case_note("dtype %s reduce %d, %s", clnd_dtype_name(*dtype), (int)reductions[i],
                          variants[variant]);
                make_single(&s, *dtype, 20, 100);
                placed_free(&s.target);
                placed_make(&s.target, "target", case_rng(), *dtype, 1, (int64_t[]){100},
                            PLACED_ALIGNED);
                placed_fill(&s.target, case_rng(), &(values){.kind = VALUES_BITS});
                placed_fill(&s.updates, case_rng(), &plain);
                s.options.reduce = reductions[i];
                for (int64_t row = 0; row < 20; row++)
                    values_write_index(CLND_INT32, row % 4 ? 5 * row : 100,
                                       ref_at(&s.indices.host, (int64_t[]){row, 0}));
                scatter_into_zeros(&s, device_with(d, "must,owner"));
                unsigned char *serial = placed_read(&s.target, d);
                scatter_into_zeros(&s, device_with(d, variants[variant]));
                memcpy(s.target.host.data, serial, s.target.bytes);
                free(serial);
                placed_check(&s.target, d, EQUAL_BITS, NULL);
                free_single(&s);
            }
        }
    }
}

// Where the order means nothing, the bits are those of the serial loop, also of what is rarely
// looked at: NaN payloads of extrema, bools that are neither 0 nor 1. The reference does not keep
// payloads; OWNER is the serial loop on the device.
Test(private, deterministic_results_are_the_serial_loop_s_to_the_bit)
{
    static const clnd_dtype dtypes[] = {CLND_BOOL,   CLND_INT8,    CLND_UINT8,   CLND_INT16,
                                        CLND_UINT16, CLND_INT32,   CLND_UINT32,  CLND_INT64,
                                        CLND_UINT64, CLND_FLOAT32, CLND_FLOAT64, 0};
    const device *d = device_get();
    int turn = 0, number = 0;
    for (int variant = 0; variant < N_VARIANTS; variant++) {
        d = device_with(d, variants[variant]);
        for (const clnd_dtype *dtype = dtypes; *dtype; dtype++) {
            for (int i = 0; i < case_turns(2 * N_REDUCTIONS); i++) {
                const clnd_reduce reduce = reductions[i % N_REDUCTIONS];
                if (!case_is_taken(turn++))
                    continue;
                const bool extremum = reduce == CLND_REDUCE_MIN || reduce == CLND_REDUCE_MAX;
                if (!scatter_is_defined(*dtype, reduce) || (values_is_float(*dtype) && !extremum))
                    continue;
                single s;
                case_begin("private exact", number++);
                case_note("dtype %s reduce %d, %s", clnd_dtype_name(*dtype), (int)reduce,
                          variants[variant]);
                // so many rows that groups take several turns, and not in row order
                make_single(&s, *dtype, 3000, i < N_REDUCTIONS ? 4 : 130);
                s.options.reduce = reduce;
                s.options.deterministic = true;
                run_single(&s, device_with(d, "must,owner"));
                unsigned char *serial = placed_read(&s.target, d);
                run_single(&s, d);
                memcpy(s.target.host.data, serial, s.target.bytes);
                free(serial);
                placed_check(&s.target, d, EQUAL_BITS, NULL);
                free_single(&s);
            }
        }
    }
}

// Sums of floats depend on the split, and the split on nothing that changes from run to run. In
// groups rows come in no order.
Test(private, sums_are_the_same_in_every_run)
{
    const device *d = device_get();
    const values plain = {.kind = VALUES_PLAIN};
    unsigned char *first = NULL;
    single s;
    case_begin("private again", 0);
    d = device_with(d, "must,private,blocks");
    make_single(&s, CLND_FLOAT32, 5000, 3);
    placed_fill(&s.updates, case_rng(), &plain);
    placed_fill(&s.target, case_rng(), &plain);
    s.options.reduce = CLND_REDUCE_ADD;
    for (int run = 0; run < 20; run++) {
        run_single(&s, d);
        unsigned char *now = placed_read(&s.target, d);
        check(!first || memcmp(first, now, s.target.bytes) == 0, "run %d differs", run);
        free(first);
        first = now;
    }
    free(first);
    free_single(&s);
}

// Counting by ones ends at 2048 if each sum is rounded, and at 256 for bfloat16.
Test(private, sums_of_16_bit_floats_are_rounded_once)
{
    static const clnd_dtype dtypes[] = {CLND_FLOAT16, CLND_BFLOAT16};
    enum { ROWS = 5120 };
    const device *d = device_get();
    for (int i = 0; i < 2 * N_VARIANTS; i++) {
        const clnd_dtype dtype = dtypes[i % 2];
        single s;
        case_begin("private rounding", i);
        d = device_with(d, variants[i / 2]);
        make_single(&s, dtype, ROWS, 1);
        const uint16_t one = ref_narrow(dtype, 1), sum = ref_narrow(dtype, ROWS + 1);
        for (int64_t row = 0; row < ROWS; row++)
            memcpy(ref_at(&s.updates.host, &row), &one, sizeof one);
        memcpy(ref_at(&s.target.host, (int64_t[]){0}), &one, sizeof one);
        s.options.reduce = CLND_REDUCE_ADD;
        run_single(&s, d);
        memcpy(ref_at(&s.target.host, (int64_t[]){0}), &sum, sizeof sum);
        placed_check(&s.target, d, EQUAL_BITS, NULL);
        free_single(&s);
    }
}

// What a copy begins with must not show in sums of zeros.
Test(private, zeros_keep_their_signs)
{
    static const struct {
        clnd_reduce reduce;
        float target, update, result;
    } zeros[] = {
        {CLND_REDUCE_ADD, -0.0f, -0.0f, -0.0f}, {CLND_REDUCE_ADD, -0.0f, 0.0f, 0.0f},
        {CLND_REDUCE_ADD, 0.0f, -0.0f, 0.0f},   {CLND_REDUCE_SUB, -0.0f, 0.0f, -0.0f},
        {CLND_REDUCE_SUB, -0.0f, -0.0f, 0.0f},  {CLND_REDUCE_SUB, 0.0f, 0.0f, 0.0f},
    };
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof zeros / sizeof *zeros) * N_VARIANTS; i++) {
        const int at = i / N_VARIANTS;
        single s;
        case_begin("private zeros", i);
        case_note("%g reduce %d %g, %s", (double)zeros[at].target, (int)zeros[at].reduce,
                  (double)zeros[at].update, variants[i % N_VARIANTS]);
        d = device_with(d, variants[i % N_VARIANTS]);
        make_single(&s, CLND_FLOAT32, 1, 1);
        memcpy(ref_at(&s.target.host, (int64_t[]){0}), &zeros[at].target, sizeof(float));
        memcpy(ref_at(&s.updates.host, (int64_t[]){0}), &zeros[at].update, sizeof(float));
        s.options.reduce = zeros[at].reduce;
        run_single(&s, d);
        memcpy(ref_at(&s.target.host, (int64_t[]){0}), &zeros[at].result, sizeof(float));
        placed_check(&s.target, d, EQUAL_BITS, NULL);
        free_single(&s);
    }
}

// An element of a copy has met no update only if all of it is what it began with.
Test(private, complex_sums_of_one_part)
{
    static const float sums[][2] = {{-0.0f, 3}, {3, -0.0f}};
    static const float before[2] = {1, 2};
    const device *d = device_get();
    for (int i = 0; i < 2 * N_VARIANTS; i++) {
        const float *sum = sums[i / N_VARIANTS];
        single s;
        case_begin("private parts", i);
        case_note("%g, %g, %s", (double)sum[0], (double)sum[1], variants[i % N_VARIANTS]);
        d = device_with(d, variants[i % N_VARIANTS]);
        make_single(&s, CLND_COMPLEX64, 1, 1);
        memcpy(ref_at(&s.target.host, (int64_t[]){0}), before, sizeof before);
        memcpy(ref_at(&s.updates.host, (int64_t[]){0}), sum, sizeof before);
        s.options.reduce = CLND_REDUCE_ADD;
        run_single(&s, d);
        memcpy(ref_at(&s.target.host, (int64_t[]){0}),
               (float[]){before[0] + sum[0], before[1] + sum[1]}, sizeof before);
        placed_check(&s.target, d, EQUAL_BITS, NULL);
        free_single(&s);
    }
}

// Copies begin with the infinities, and with the ends of integers: the elements next to these are
// not lost.
Test(private, extremes_next_to_what_copies_begin_with)
{
    static const float lowest = -FLT_MAX, largest = FLT_MAX, below = -INFINITY, above = INFINITY;
    static const uint64_t wide = UINT64_MAX - 1, widest = UINT64_MAX;
    static const int8_t low = -127, lowest_int8 = INT8_MIN;
    static const struct {
        clnd_dtype dtype;
        clnd_reduce reduce;
        const void *before, *update;
    } extremes[] = {
        {CLND_FLOAT32, CLND_REDUCE_MAX, &below, &lowest},
        {CLND_FLOAT32, CLND_REDUCE_MIN, &above, &largest},
        {CLND_UINT64, CLND_REDUCE_MIN, &widest, &wide},
        {CLND_INT8, CLND_REDUCE_MAX, &lowest_int8, &low},
    };
    const device *d = device_get();
    for (int i = 0; i < N_VARIANTS * (int)(sizeof extremes / sizeof *extremes); i++) {
        const int at = i / N_VARIANTS;
        const size_t size = clnd_dtype_size(extremes[at].dtype);
        single s;
        case_begin("private extremes", i);
        case_note("%s, %s", clnd_dtype_name(extremes[at].dtype), variants[i % N_VARIANTS]);
        d = device_with(d, variants[i % N_VARIANTS]);
        make_single(&s, extremes[at].dtype, 1, 1);
        memcpy(ref_at(&s.target.host, (int64_t[]){0}), extremes[at].before, size);
        memcpy(ref_at(&s.updates.host, (int64_t[]){0}), extremes[at].update, size);
        s.options.reduce = extremes[at].reduce;
        run_single(&s, d);
        memcpy(ref_at(&s.target.host, (int64_t[]){0}), extremes[at].update, size);
        placed_check(&s.target, d, EQUAL_BITS, NULL);
        free_single(&s);
    }
}

// Copies live in the workspace, where it is lent, and nowhere else.
Test(private, workspace_is_used_as_far_as_the_plan_says)
{
    enum { GUARD = 128, BYTES = 1 << 20 };
    static unsigned char before[BYTES], after[BYTES];
    const device *d = device_get();
    for (int i = 0; i < N_VARIANTS; i++) {
        single s;
        clnd_plan plan;
        cl_int code;
        case_begin("private workspace", i);
        d = device_with(d, variants[i]);
        make_single(&s, CLND_INT16, 700, 70);
        s.options.reduce = CLND_REDUCE_SUB;
        placed_upload(&s.indices, d);
        placed_upload(&s.updates, d);
        placed_upload(&s.target, d);
        check_status(clnd_scatter_nd_into_plan(d->engine, &s.indices.tensor, &s.updates.tensor,
                                               &s.target.tensor, &s.options, &plan),
                     CLND_OK);
        check(plan_takes(&plan, "private") && plan.workspace_bytes > 0 &&
                  plan.workspace_bytes <= BYTES - 2 * GUARD,
              "%s, %llu bytes", plan.strategy, (unsigned long long)plan.workspace_bytes);
        for (int b = 0; b < BYTES; b++)
            before[b] = (unsigned char)rng_u64(case_rng());
        clnd_workspace workspace = {NULL, GUARD, (size_t)plan.workspace_bytes};
        workspace.buffer = clCreateBuffer(d->context, CL_MEM_COPY_HOST_PTR, BYTES, before, &code);
        check_cl(code);
        s.options.workspace = &workspace;
        run_single(&s, d);
        ref_scatter_nd_into(&s.indices.host, &s.updates.host, &s.target.host,
                            &(ref_scatter_options){CLND_REDUCE_SUB, CLND_BOUNDS_SKIP, false, NULL});
        placed_check(&s.target, d, EQUAL_BITS, NULL);
        check_cl(clEnqueueReadBuffer(d->queue, workspace.buffer, CL_TRUE, 0, BYTES, after, 0, NULL,
                                     NULL));
        const size_t end = GUARD + workspace.size;
        check(memcmp(before, after, GUARD) == 0, "bytes before the workspace have changed");
        check(memcmp(before + end, after + end, BYTES - end) == 0,
              "bytes behind the workspace have changed");
        check(memcmp(before + GUARD, after + GUARD, workspace.size) != 0, "it was not used");
        check_cl(clReleaseMemObject(workspace.buffer));
        free_single(&s);
    }
}

// Workspaces tell how many copies there are.
Test(private, more_copies_of_few_elements)
{
    static const struct {
        clnd_dtype dtype;
        clnd_reduce reduce;
        int64_t rows, length, times;
    } cases[] = {
        {CLND_FLOAT32, CLND_REDUCE_ADD, 1 << 22, 256, 4},
        {CLND_FLOAT32, CLND_REDUCE_MAX, 1 << 22, 256, 1},
        {CLND_INT32, CLND_REDUCE_MAX, 1 << 22, 256, 4},
        {CLND_FLOAT32, CLND_REDUCE_ADD, 1 << 22, 512, 4},
        {CLND_FLOAT32, CLND_REDUCE_ADD, 1 << 22, 513, 1},
        {CLND_FLOAT32, CLND_REDUCE_ADD, 1 << 11, 256, 1},
    };
    const device *d = device_get();
    const uint32_t units = d->facts->compute_units;
    if (!device_has_buckets(d) || units < 2 || units > 32)
        cr_skip_test("not a CPU of 2 to 32 units that gets kernels for rows");
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        clnd_tensor indices, updates, target;
        clnd_plan plan;
        case_begin("private copies", i);
        const int64_t rows = cases[i].rows, length = cases[i].length;
        check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 2, (int64_t[]){rows, 1}, &indices),
                     CLND_OK);
        check_status(clnd_tensor_dense(NULL, 0, cases[i].dtype, 1, &rows, &updates), CLND_OK);
        check_status(clnd_tensor_dense(NULL, 0, cases[i].dtype, 1, &length, &target), CLND_OK);
        const clnd_scatter_nd_options options = {.reduce = cases[i].reduce};
        check_status(clnd_scatter_nd_into_plan(device_with(d, "must,private")->engine, &indices,
                                               &updates, &target, &options, &plan),
                     CLND_OK);
        const uint64_t copy = ((uint64_t)length * 4 + 63) / 64 * 64;
        const uint64_t items = rows > 1 << 20 ? 8 * units : units;
        check(plan.workspace_bytes == items * (uint64_t)cases[i].times * copy,
              "%llu bytes, copies of %llu", (unsigned long long)plan.workspace_bytes,
              (unsigned long long)copy);
    }
}

// On CPUs the plan weighs rows against elements: where rows could be divided, against those of all
// copies, one a unit. Copies that take more than 64 MiB or half of the cache do not pay there.
Test(private, is_taken_where_rows_outweigh_copies)
{
    const device *d = device_get();
    const int64_t units = d->facts->compute_units;
    if (!d->facts->is_cpu || units < 2 || units > 32)
        cr_skip_test("not a CPU of 2 to 32 units");
    const int64_t mib = (int64_t)(d->facts->cache >> 20), least = 32;
    const int64_t cached = ((mib < 128 ? mib : 128) << 19) / units / 64 * 16;
    const int64_t halves = 4096 * 16 / 2 * units;
    const struct {
        clnd_dtype dtype;
        int64_t rows, width, length;
        bool deterministic;
        const char *strategy, *without_buckets;
    } cases[] = {
        {CLND_FLOAT32, 1 << 20, 1, 256, false, "private", "private"},
        {CLND_FLOAT32, 1 << 22, 1, 131088, true, "buckets", "owner"},
        {CLND_INT32, 1 << 20, 1, 256, true, "private", "private"},
        {CLND_FLOAT32, 1 << 10, 1, 256, false, "owner", "owner"},
        {CLND_FLOAT32, 9216, 16, 4096, false, "private", "private"},
        {CLND_FLOAT32, 9215, 16, 4096, false, "owner", "owner"},
        {CLND_FLOAT32, halves, 16, 4096, false, "private", "private"},
        {CLND_FLOAT32, halves - 1, 16, 4096, false, "buckets", "private"},
        {CLND_FLOAT32, INT64_C(1) << 32, 1, INT64_C(1) << 24, false, "buckets", "owner"},
        {CLND_FLOAT32, INT64_C(1) << 30, 1, cached, false, "private", "private"},
        {CLND_FLOAT32, INT64_C(1) << 30, 1, cached + 16, false, "buckets", "private"},
    };
    const int count = (int)(sizeof cases / sizeof *cases) - (mib < least ? 2 : 0);
    for (int i = 0; i < count; i++) {
        clnd_tensor indices, updates, target;
        clnd_plan plan;
        case_begin("private choice", i);
        check_status(
            clnd_tensor_dense(NULL, 0, CLND_INT32, 2, (int64_t[]){cases[i].rows, 1}, &indices),
            CLND_OK);
        check_status(clnd_tensor_dense(NULL, 0, cases[i].dtype, 2,
                                       (int64_t[]){cases[i].rows, cases[i].width}, &updates),
                     CLND_OK);
        check_status(clnd_tensor_dense(NULL, 0, cases[i].dtype, 2,
                                       (int64_t[]){cases[i].length, cases[i].width}, &target),
                     CLND_OK);
        const clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_ADD,
                                                 .deterministic = cases[i].deterministic};
        check_status(
            clnd_scatter_nd_into_plan(d->engine, &indices, &updates, &target, &options, &plan),
            CLND_OK);
        check(
            plan_takes(&plan, device_has_buckets(d) ? cases[i].strategy : cases[i].without_buckets),
            "%s: %s", plan.strategy, plan.reason);
    }
}
