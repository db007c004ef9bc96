// SPDX-License-Identifier: Apache-2.0
//
// Atomic scatters that combine rows of hot places first: against the reference, for every dtype and
// reduction that is combined; blocks that are full, empty and in between; and what decides between
// the two ways, the word that the sample leaves in the workspace.

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scatter_case.h"

static const clnd_reduce reductions[] = {CLND_REDUCE_ADD, CLND_REDUCE_SUB, CLND_REDUCE_MUL,
                                         CLND_REDUCE_MIN, CLND_REDUCE_MAX};
enum { N_REDUCTIONS = sizeof reductions / sizeof *reductions };

static void need_lanes(const device *d)
{
    if (d->facts->max_work_group_size < 256)
        cr_skip_test("the device's work-groups are too small for the sample");
}

static scatter_case hot_case(void)
{
    scatter_case c = scatter_small;
    c.strategy = "must,atomic,lanes,aggregate";
    c.large = true;
    c.empty = 0;
    c.n_dims[0] = 1;
    c.n_dims[1] = 1;
    c.n_dims[2] = 1;
    c.rows = 200;
    c.slice = 5;
    c.extent = 7;
    return c;
}

// Each pair is a kernel to compile: of a part of the cases each dtype and each reduction has some.
static void run_dtypes(const char *test, const clnd_dtype *dtypes)
{
    const device *d = device_get();
    const int every = case_count(N_REDUCTIONS) == N_REDUCTIONS ? 1 : N_REDUCTIONS;
    need_lanes(d);
    int number = 0;
    for (const clnd_dtype *dtype = dtypes; *dtype; dtype++) {
        for (int i = 0; i < 2 * N_REDUCTIONS; i++) {
            if ((i / 2 + 3 * (dtype - dtypes)) % every)
                continue;
            scatter_case c = hot_case();
            c.dtype = *dtype;
            c.reduce = reductions[i / 2];
            c.slice = i % 2 ? 1 : 5;
            c.bad = i % 4 == 1 ? 30 : 0;
            if (!scatter_is_defined(c.dtype, c.reduce))
                continue;
            case_begin(test, number++);
            scatter_run(d, &c);
        }
    }
}

Test(scatter_hot, narrow_integers)
{
    run_dtypes("scatter_hot narrow integers",
               (clnd_dtype[]){CLND_BOOL, CLND_INT8, CLND_UINT8, CLND_INT16, CLND_UINT16, 0});
}

Test(scatter_hot, wide_integers)
{
    run_dtypes("scatter_hot wide integers",
               (clnd_dtype[]){CLND_INT32, CLND_UINT32, CLND_INT64, CLND_UINT64, 0});
}

Test(scatter_hot, floats)
{
    run_dtypes("scatter_hot floats",
               (clnd_dtype[]){CLND_FLOAT16, CLND_BFLOAT16, CLND_FLOAT32, CLND_FLOAT64, 0});
}

Test(scatter_hot, complex_numbers)
{
    run_dtypes("scatter_hot complex numbers", (clnd_dtype[]){CLND_COMPLEX64, CLND_COMPLEX128, 0});
}

// Rows: around the number that a group takes. Slices: around what its lanes share, so that a place
// has all lanes, some, or one for a column. Extents: places of one strip, of some and of all.
Test(scatter_hot, sizes_around_those_of_the_kernel)
{
    static const int64_t rows[] = {2, 63, 64, 65, 255, 256, 257, 513, 1500};
    static const int64_t extents[] = {1, 2, 3, 20, 150, 3000};
    static const int64_t slices[] = {1, 2, 3, 8, 31, 32, 33, 64, 65, 130};
    enum { N_ROWS = 9, N_EXTENTS = 6, N_SLICES = 10 };
    const device *d = device_get();
    need_lanes(d);
    for (int i = 0; i < N_ROWS * N_EXTENTS * 5; i++) {
        scatter_case c = hot_case();
        case_begin("scatter_hot sizes", i);
        c.rows = rows[i % N_ROWS];
        c.extent = extents[i / N_ROWS % N_EXTENTS];
        c.slice = slices[i % N_SLICES];
        c.reduce = i % 3 ? CLND_REDUCE_ADD : CLND_REDUCE_SUB;
        c.dtype = i % 2 ? CLND_INT32 : CLND_FLOAT32;
        c.bounds = i % 5 ? CLND_BOUNDS_SKIP : CLND_BOUNDS_CLAMP;
        c.placement = i % 2 ? PLACED_STRIDED : PLACED_DENSE;
        c.bad = i % 7 ? 0 : i % 2 ? 100 : 90;
        scatter_run(d, &c);
    }
}

// Several floats at a time, as the device adds them, and by compare-and-swap: as many as there are
// in 16 bytes, or as a width that is no multiple of that allows.
Test(scatter_hot, packs)
{
    static const clnd_dtype dtypes[] = {CLND_FLOAT16, CLND_BFLOAT16, CLND_FLOAT32};
    static const char *const ways[] = {"must,atomic,lanes,aggregate",
                                       "must,atomic,lanes,aggregate,exchange,packs"};
    const device *d = device_get();
    need_lanes(d);
    for (int i = 0; i < case_count(60); i++) {
        scatter_case c = hot_case();
        case_begin("scatter_hot packs", i);
        c.dtype = dtypes[i % 3];
        c.strategy = ways[i / 3 % 2];
        c.slice = (int[]){100, 8, 6}[i / 6 % 3];
        c.placement = PLACED_ALIGNED;
        c.extent = i % 5 ? 3 : 200;
        c.reduce = i % 4 ? CLND_REDUCE_ADD : CLND_REDUCE_SUB;
        scatter_run(d, &c);
    }
}

// Any number of dimensions, none too: then all rows meet. And each way of deciding.
Test(scatter_hot, shapes)
{
    static const char *const ways[] = {"must,atomic,lanes,aggregate", "must,atomic,lanes,sample",
                                       "must,atomic,lanes,plain"};
    const device *d = device_get();
    need_lanes(d);
    for (int i = 0; i < case_count(45); i++) {
        scatter_case c = hot_case();
        case_begin("scatter_hot shapes", i);
        rng *r = case_rng();
        c.strategy = ways[i % 3];
        c.index_dtype = i % 6 < 3 ? CLND_INT64 : CLND_UINT8;
        c.n_dims[0] = (int)rng_range(r, 0, 4);
        c.n_dims[1] = i % 4 ? (int)rng_range(r, 1, 4) : 0;
        c.n_dims[2] = (int)rng_range(r, 0, 4);
        c.rows = rng_range(r, 1, 1200);
        c.extent = rng_range(r, 1, 100);
        c.slice = rng_range(r, 1, 40);
        c.empty = 10;
        c.large = rng_chance(r, 70);
        c.into = rng_chance(r, 70);
        scatter_run(d, &c);
    }
}

// Many rows --------------------------------------------------------------------------------------

enum { GUARD = 128, LENT = 256, NOT_ASKED = 0x5a5a5a5a };

// One call, whole: vectors, and memory lent.
typedef struct call {
    placed indices, updates, target;
    clnd_scatter_nd_options options;
    clnd_workspace workspace;
} call;

static void make_call(call *c, const device *d, clnd_dtype dtype, int64_t rows, int64_t length,
                      int64_t slice)
{
    const int rank = slice > 1 ? 2 : 1;
    const values bits = {.kind = VALUES_BITS};
    const unsigned char pattern = NOT_ASKED & 0xff;
    rng *r = case_rng();
    cl_int code;
    placed_make(&c->indices, "indices", r, CLND_INT32, 2, (int64_t[]){rows, 1}, PLACED_ALIGNED);
    placed_make(&c->updates, "updates", r, dtype, rank, (int64_t[]){rows, slice}, PLACED_ALIGNED);
    placed_make(&c->target, "target", r, dtype, rank, (int64_t[]){length, slice}, PLACED_ALIGNED);
    while (c->target.bytes % 4) { // atomic operations need whole words
        placed_free(&c->target);
        placed_make(&c->target, "target", r, dtype, rank, (int64_t[]){length, slice},
                    PLACED_ALIGNED);
    }
    cases_indices(r, &c->indices, &length, 1, CLND_BOUNDS_ERROR, 0);
    placed_fill(&c->updates, r, &bits);
    placed_fill(&c->target, r, &bits);
    c->workspace = (clnd_workspace){.offset = GUARD, .size = LENT - 2 * GUARD + 4};
    c->workspace.buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, LENT + 4, NULL, &code);
    check_cl(code);
    check_cl(clEnqueueFillBuffer(d->queue, c->workspace.buffer, &pattern, 1, 0, LENT + 4, 0, NULL,
                                 NULL));
    check_cl(clFinish(d->queue));
    c->options = (clnd_scatter_nd_options){
        .bounds = CLND_BOUNDS_SKIP, .reduce = CLND_REDUCE_ADD, .workspace = &c->workspace};
}

static void set_index(call *c, int64_t row, int64_t value)
{
    values_write_index(CLND_INT32, value, ref_at(&c->indices.host, (int64_t[]){row, 0}));
}

static void upload(call *c, const device *d)
{
    placed_upload(&c->indices, d);
    placed_upload(&c->updates, d);
    placed_upload(&c->target, d);
}

// Runs it, and gives the word behind the guard; what lies around it must stay.
static uint32_t run_call(call *c, const device *d)
{
    uint32_t words[(LENT + 4) / 4];
    check_status(clnd_scatter_nd_into(d->engine, d->queue, &c->indices.tensor, &c->updates.tensor,
                                      &c->target.tensor, &c->options, 0, NULL, NULL),
                 CLND_OK);
    check_cl(clEnqueueReadBuffer(d->queue, c->workspace.buffer, CL_TRUE, 0, sizeof words, words, 0,
                                 NULL, NULL));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        check(i == GUARD / 4 || words[i] == NOT_ASKED, "word %zu of the workspace has changed", i);
    return words[GUARD / 4];
}

static void check_result(call *c, const device *d)
{
    const ref_scatter_options how = {c->options.reduce, CLND_BOUNDS_SKIP, false, NULL};
    ref_scatter_nd_into(&c->indices.host, &c->updates.host, &c->target.host, &how);
    placed_check(&c->target, d, EQUAL_BITS, NULL);
}

static void free_call(call *c)
{
    placed_free(&c->indices);
    placed_free(&c->updates);
    placed_free(&c->target);
    check_cl(clReleaseMemObject(c->workspace.buffer));
}

enum { PLACES = 100003, MANY = 65536 };

static int64_t any_place(rng *r)
{
    return rng_range(r, 0, PLACES - 1);
}

// The k-th place with a share that falls as 1 / k, among 2^16 of them.
static int64_t power_law(rng *r)
{
    int64_t k = 1;
    for (int bit = (int)rng_range(r, 0, 15); bit > 0; bit--)
        k = 2 * k + rng_range(r, 0, 1);
    return k * 7919 % PLACES;
}

enum { ONE, HALF, SIXTEENTH, HUNDREDTH, LAW, ANY, DISTINCT, REGULAR, RUNS, BAD, HALF_BAD };

static int64_t place_of(int kind, int64_t row, rng *r)
{
    switch (kind) {
    case ONE:
        return 7;
    case HALF:
        return rng_chance(r, 50) ? 7 : any_place(r);
    case SIXTEENTH:
        return rng_range(r, 0, 15) ? any_place(r) : 7;
    case HUNDREDTH:
        return rng_chance(r, 1) ? 7 : any_place(r);
    case LAW:
        return power_law(r);
    case DISTINCT:
        return row * 7919 % PLACES;
    case REGULAR: // at just the distance between rows that a sample of 1024 looks at
        return row % (MANY / 1024) ? row : 7;
    case RUNS:
        return row / 16;
    case BAD:
        return row % 2 ? -1 : PLACES;
    case HALF_BAD:
        return row % 2 ? -1 : 7;
    default:
        return any_place(r);
    }
}

static const struct {
    const char *what;
    int kind;
    uint32_t hot;
} places[] = {
    {"one place", ONE, 1},
    {"half of all rows", HALF, 1},
    {"a sixteenth", SIXTEENTH, 1},
    {"a hundredth", HUNDREDTH, 0},
    {"power law", LAW, 1},
    {"any place", ANY, 0},
    {"all distinct", DISTINCT, 0},
    {"one place at regular distances", REGULAR, 0},
    {"short runs", RUNS, 0},
    {"bad rows", BAD, 0},
    {"half bad, half hot", HALF_BAD, 1},
};

Test(scatter_hot, the_sample_tells_hot_places_from_others)
{
    const device *d = device_get();
    need_lanes(d);
    d = device_with(d, "must,atomic,lanes");
    for (int i = 0; i < (int)(sizeof places / sizeof *places); i++) {
        call c;
        case_begin("scatter_hot decision", i);
        case_note("%s", places[i].what);
        make_call(&c, d, i % 2 ? CLND_INT16 : CLND_INT32, MANY, PLACES, 1);
        for (int64_t row = 0; row < MANY; row++)
            set_index(&c, row, place_of(places[i].kind, row, case_rng()));
        upload(&c, d);
        const uint32_t hot = run_call(&c, d);
        check(hot == places[i].hot, "the decision is %u", hot);
        check_result(&c, d);
        free_call(&c);
    }
}

// The words of the engine, the number of rows from which on a sample is taken, and a workspace
// that is too small for it: then there is none.
Test(scatter_hot, what_decides_whether_there_is_a_sample)
{
    enum { LEAST = 16384 };
    static const struct {
        const char *words;
        int64_t rows;
        size_t lent;
        uint32_t left;
    } cases[] = {
        {"must,atomic,lanes", LEAST, 4, 0},
        {"must,atomic,lanes", LEAST - 1, 4, NOT_ASKED},
        {"must,atomic,lanes,plain", LEAST, 4, NOT_ASKED},
        {"must,atomic,lanes,sample", 100, 4, 0},
        {"must,atomic,lanes,aggregate", 100, 4, 1},
        {"must,atomic,lanes,aggregate", 100, 3, NOT_ASKED},
        {"must,atomic,blocks,aggregate", 100, 4, NOT_ASKED},
    };
    const device *d = device_get();
    need_lanes(d);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        call c;
        clnd_plan plan;
        case_begin("scatter_hot asked", i);
        case_note("%s, %lld rows", cases[i].words, (long long)cases[i].rows);
        d = device_with(d, cases[i].words);
        make_call(&c, d, CLND_INT32, cases[i].rows, cases[i].rows, 1);
        for (int64_t row = 0; row < cases[i].rows; row++)
            set_index(&c, row, row);
        c.workspace.size = cases[i].lent;
        upload(&c, d);
        check_status(clnd_scatter_nd_into_plan(d->engine, &c.indices.tensor, &c.updates.tensor,
                                               &c.target.tensor, &c.options, &plan),
                     CLND_OK);
        check(plan_takes(&plan, "atomic"), "%s", plan.strategy);
        check(plan.workspace_bytes == (cases[i].left == NOT_ASKED ? 0 : 4), "%llu bytes",
              (unsigned long long)plan.workspace_bytes);
        const uint32_t word = run_call(&c, d);
        check(word == cases[i].left, "the word is %#x", word);
        check_result(&c, d);
        c.options.workspace = NULL; // and with memory of its own
        run_call(&c, d);
        check_result(&c, d);
        free_call(&c);
    }
}

// Counting by ones in a block of 256 rows is exact, and so are sums of the blocks: 1 + 20 * 256
// rounded each time. Row by row it would end at 2048, and at 256 for bfloat16.
Test(scatter_hot, one_atomic_operation_for_a_block)
{
    static const clnd_dtype dtypes[] = {CLND_FLOAT16, CLND_BFLOAT16};
    enum { ROWS = 20 * 256 };
    const device *d = device_get();
    need_lanes(d);
    d = device_with(d, "must,atomic,lanes,aggregate");
    for (int i = 0; i < 2; i++) {
        call c;
        case_begin("scatter_hot rounding", i);
        make_call(&c, d, dtypes[i], ROWS, 1, 1);
        const uint16_t one = ref_narrow(dtypes[i], 1), sum = ref_narrow(dtypes[i], ROWS);
        for (int64_t row = 0; row < ROWS; row++)
            memcpy(ref_at(&c.updates.host, &row), &one, sizeof one);
        memcpy(ref_at(&c.target.host, (int64_t[]){0}), &one, sizeof one);
        upload(&c, d);
        run_call(&c, d);
        memcpy(ref_at(&c.target.host, (int64_t[]){0}), &sum, sizeof sum);
        placed_check(&c.target, d, EQUAL_BITS, NULL);
        free_call(&c);
    }
}

// A sum beyond what float16 holds is added in parts: what it meets may be as far on the other side.
// An infinite one is added whole.
Test(scatter_hot, large_sums_of_halves)
{
    static const struct {
        clnd_reduce reduce;
        float target, update, result;
    } large[] = {
        {CLND_REDUCE_ADD, -65504, 32752, 32752},       {CLND_REDUCE_SUB, 65504, 32752, -32752},
        {CLND_REDUCE_ADD, 65504, -32752, -32752},      {CLND_REDUCE_ADD, 65504, 32752, INFINITY},
        {CLND_REDUCE_ADD, -65504, INFINITY, INFINITY},
    };
    static const int64_t slices[] = {1, 2, 8, 24};
    enum { ROWS = 3, N_LARGE = sizeof large / sizeof *large };
    const device *d = device_get();
    need_lanes(d);
    d = device_with(d, "must,atomic,lanes,aggregate,packs");
    for (int i = 0; i < 4 * N_LARGE; i++) {
        const int64_t slice = slices[i / N_LARGE];
        const uint16_t target = ref_narrow(CLND_FLOAT16, large[i % N_LARGE].target),
                       update = ref_narrow(CLND_FLOAT16, large[i % N_LARGE].update),
                       result = ref_narrow(CLND_FLOAT16, large[i % N_LARGE].result);
        call c;
        case_begin("scatter_hot large sums", i);
        make_call(&c, d, CLND_FLOAT16, ROWS, 1, slice);
        for (int64_t k = 0; k < slice; k++) {
            for (int64_t row = 0; row < ROWS; row++)
                memcpy(ref_at(&c.updates.host, (int64_t[]){row, k}), &update, sizeof update);
            memcpy(ref_at(&c.target.host, (int64_t[]){0, k}), &target, sizeof target);
        }
        c.options.reduce = large[i % N_LARGE].reduce;
        upload(&c, d);
        run_call(&c, d);
        for (int64_t k = 0; k < slice; k++)
            memcpy(ref_at(&c.target.host, (int64_t[]){0, k}), &result, sizeof result);
        placed_check(&c.target, d, EQUAL_BITS, NULL);
        free_call(&c);
    }
}

// Sums of zeros have the signs of the serial loop, whatever is combined first.
Test(scatter_hot, zeros_keep_their_signs)
{
    static const struct {
        clnd_reduce reduce;
        float target, updates[2], result;
    } zeros[] = {
        {CLND_REDUCE_ADD, -0.0f, {-0.0f, -0.0f}, -0.0f}, {CLND_REDUCE_ADD, -0.0f, {0.0f, -0.0f}, 0},
        {CLND_REDUCE_SUB, -0.0f, {0.0f, 0.0f}, -0.0f},   {CLND_REDUCE_SUB, -0.0f, {0.0f, -0.0f}, 0},
        {CLND_REDUCE_SUB, -0.0f, {1.0f, -1.0f}, 0},      {CLND_REDUCE_SUB, 0.0f, {0.0f, 0.0f}, 0},
    };
    const device *d = device_get();
    need_lanes(d);
    d = device_with(d, "must,atomic,lanes,aggregate");
    for (int i = 0; i < (int)(sizeof zeros / sizeof *zeros); i++) {
        call c;
        case_begin("scatter_hot zeros", i);
        make_call(&c, d, CLND_FLOAT32, 100, 1, 1);
        for (int64_t row = 0; row < 100; row++)
            memcpy(ref_at(&c.updates.host, &row), &zeros[i].updates[row % 2], sizeof(float));
        memcpy(ref_at(&c.target.host, (int64_t[]){0}), &zeros[i].target, sizeof(float));
        c.options.reduce = zeros[i].reduce;
        upload(&c, d);
        run_call(&c, d);
        memcpy(ref_at(&c.target.host, (int64_t[]){0}), &zeros[i].result, sizeof(float));
        placed_check(&c.target, d, EQUAL_BITS, NULL);
        free_call(&c);
    }
}
