// SPDX-License-Identifier: Apache-2.0
//
// route: random tables against plain loops, rows of many work-items, a report, and refusals.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

// "lanes": counts as GPUs lay them out.
static const char *const words[] = {NULL, "lanes"};

static const clnd_dtype index_dtypes[] = {CLND_INT8,  CLND_INT16,  CLND_INT32, CLND_INT64,
                                          CLND_UINT8, CLND_UINT16, CLND_UINT32};

// The reference: who owns each row of the table, found by dealing them out one by one.
typedef struct dealt {
    int32_t *shard;
    int64_t *local;
} dealt;

static dealt deal(const clnd_shards *s)
{
    const int64_t rows = ref_count(s->n_divided, s->shape);
    dealt d = {malloc((size_t)(rows + 1) * sizeof *d.shard),
               malloc((size_t)(rows + 1) * sizeof *d.local)};
    int64_t *owned = calloc((size_t)s->n_shards, sizeof *owned);
    int32_t turn = 0;
    for (int64_t row = 0, in_block = 0; row < rows; row++) {
        if (s->block == 0)
            while (row >= s->offsets[turn + 1])
                turn++;
        d.shard[row] = turn;
        d.local[row] = owned[turn]++;
        if (s->block > 0 && ++in_block == s->block) {
            in_block = 0;
            turn = (turn + 1) % s->n_shards;
        }
    }
    free(owned);
    return d;
}

typedef struct grouped {
    placed indices, positions, places, counts;
} grouped;

static void write_number(const placed *p, const int64_t *at, int64_t number)
{
    memcpy(ref_at(&p->host, at), &number, sizeof number);
}

// The number of an element among dimensions, row-major.
static int64_t number_of(int n, const int64_t *shape, const int64_t *at)
{
    int64_t number = 0;
    for (int d = 0; d < n; d++)
        number = number * shape[d] + at[d];
    return number;
}

// Fills the images of the results; -1, or the first bad row where that refuses the call.
static int64_t group(const clnd_shards *s, clnd_bounds bounds, grouped *g)
{
    const int outer = g->indices.host.rank - 1;
    const int64_t *shape = g->indices.host.shape;
    const int64_t inner = ref_count(s->n_dims - s->n_divided, s->shape + s->n_divided);
    int64_t row[CLND_MAX_RANK], tuple[CLND_MAX_RANK], bad = -1, next = 0;
    for (bool more = ref_first(outer, shape, row); more; more = ref_next(outer, shape, row))
        if (ref_refuses(bounds) && bad < 0 &&
            !ref_tuple(&g->indices.host, row, s->shape, s->n_dims, bounds, tuple))
            bad = ref_row(&g->indices.host, row);
    if (bad >= 0)
        return bad;
    const dealt d = deal(s);
    for (int64_t shard = 0; shard < s->n_shards; shard++) {
        const int64_t before = next;
        for (bool more = ref_first(outer, shape, row); more; more = ref_next(outer, shape, row)) {
            const bool good = ref_tuple(&g->indices.host, row, s->shape, s->n_dims, bounds, tuple);
            const int64_t of_table = good ? number_of(s->n_divided, s->shape, tuple) : -1;
            if (!good && shard == 0)
                write_number(&g->positions, row, -1);
            if (!good || d.shard[of_table] != shard)
                continue;
            const int64_t rest =
                number_of(s->n_dims - s->n_divided, s->shape + s->n_divided, tuple + s->n_divided);
            write_number(&g->positions, row, next);
            write_number(&g->places, &next, d.local[of_table] * inner + rest);
            next++;
        }
        write_number(&g->counts, &shard, next - before);
    }
    free(d.shard);
    free(d.local);
    return -1;
}

static void place(grouped *g, rng *r, clnd_dtype dtype, int rank, const int64_t *shape,
                  int64_t n_shards)
{
    const int64_t rows = ref_count(rank - 1, shape);
    placed_make(&g->indices, "indices", r, dtype, rank, shape, PLACED_ANY | PLACED_ALIGNED);
    placed_make(&g->positions, "positions", r, CLND_INT64, rank - 1, shape,
                PLACED_STRIDED | PLACED_ALIGNED);
    placed_make(&g->places, "places", r, CLND_INT64, 1, &rows, PLACED_STRIDED | PLACED_ALIGNED);
    placed_make(&g->counts, "counts", r, CLND_INT64, 1, &n_shards, PLACED_STRIDED | PLACED_ALIGNED);
}

static void upload(grouped *g, const device *d)
{
    placed_upload(&g->indices, d);
    placed_upload(&g->positions, d);
    placed_upload(&g->places, d);
    placed_upload(&g->counts, d);
}

static void check_results(const grouped *g, const device *d)
{
    placed_check(&g->positions, d, EQUAL_BITS, NULL);
    placed_check(&g->places, d, EQUAL_BITS, NULL);
    placed_check(&g->counts, d, EQUAL_BITS, NULL);
    placed_check(&g->indices, d, EQUAL_BITS, NULL);
}

static void let_go(grouped *g)
{
    placed_free(&g->indices);
    placed_free(&g->positions);
    placed_free(&g->places);
    placed_free(&g->counts);
}

static clnd_status call(const device *d, const clnd_shards *s, const grouped *g,
                        const clnd_route_options *options, const launch *l)
{
    return clnd_route(d->engine, l->queue, &g->indices.tensor, s, &g->positions.tensor,
                      &g->places.tensor, &g->counts.tensor, options, l->n_wait, l->wait,
                      l->event_out);
}

// Uploads, calls and compares with the loops.
static void play(const device *d, const clnd_shards *s, clnd_bounds bounds, grouped *g)
{
    launch l;
    const clnd_route_options options = {.bounds = bounds};
    upload(g, d);
    const int64_t bad = group(s, device_bounds(d, bounds), g);
    launch_pick(&l, d, case_rng());
    const clnd_status status = call(d, s, g, &options, &l);
    check(status == (bad < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS), "gave %s (%s), row %lld is bad",
          clnd_status_name(status), clnd_last_error(), (long long)bad);
    launch_finish(&l, d, status);
    if (bad >= 0)
        cases_check_bad_row(&g->indices, bad, "route", NULL);
    check_results(g, d);
}

// A table with a few dimensions, divided in either way. The caller frees the offsets.
static clnd_shards pick_shards(rng *r)
{
    clnd_shards s = {.n_shards = 1 + (int32_t)(rng_u64(r) % (rng_u64(r) % 4 ? 9 : 90)),
                     .n_dims = 1 + (int32_t)(rng_u64(r) % 5)};
    s.n_divided = 1 + (int32_t)(rng_u64(r) % (uint64_t)s.n_dims);
    cases_shape(r, s.n_dims, 400, 3, s.shape);
    const int64_t rows = ref_count(s.n_divided, s.shape);
    if (rng_u64(r) % 2) {
        s.block = 1 + (int64_t)(rng_u64(r) % 9);
        return s;
    }
    int64_t *offsets = calloc((size_t)s.n_shards + 1, sizeof *offsets);
    for (int32_t i = 1; i < s.n_shards; i++) {
        const int64_t left = rows - offsets[i - 1];
        offsets[i] = offsets[i - 1] + (int64_t)(rng_u64(r) % (uint64_t)(2 * left / 3 + 1));
    }
    offsets[s.n_shards] = rows;
    s.offsets = offsets;
    return s;
}

Test(route, random, .timeout = 300)
{
    static const clnd_bounds bounds[] = {CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR, CLND_BOUNDS_SKIP,
                                         CLND_BOUNDS_WRAP, CLND_BOUNDS_CLAMP};
    for (int i = 0; i < case_count(800); i++) {
        const device *d = device_with(device_get(), words[i / 2 % 2]);
        case_begin("random", i);
        rng *r = case_rng();
        grouped g;
        int64_t shape[CLND_MAX_RANK];
        clnd_shards s = pick_shards(r);
        const int rank = 1 + (int)(rng_u64(r) % 4);
        const clnd_bounds rule = bounds[rng_u64(r) % 5];
        cases_shape(r, rank - 1, rng_u64(r) % 8 ? 300 : 9000, 5, shape);
        shape[rank - 1] = s.n_dims;
        case_note("%d shards, %s", (int)s.n_shards, s.block ? "blocks" : "offsets");
        place(&g, r, index_dtypes[rng_u64(r) % 7], rank, shape, s.n_shards);
        cases_indices(r, &g.indices, s.shape, s.n_dims, rule, rng_u64(r) % 2 ? 0 : 5);
        play(d, &s, rule, &g);
        let_go(&g);
        free((void *)s.offsets);
    }
}

// So many that every work-item has some.
Test(route, many_rows)
{
    static const int64_t offsets[] = {0, 7, 7, 400, 1000};
    const clnd_shards s = {
        .n_shards = 4, .n_dims = 1, .n_divided = 1, .shape = {1000}, .offsets = offsets};
    for (int i = 0; i < 2; i++) {
        const device *d = device_with(device_get(), words[i]);
        grouped g;
        case_begin("many rows", i);
        const int64_t shape[] = {200003, 1};
        place(&g, case_rng(), CLND_INT32, 2, shape, s.n_shards);
        cases_indices(case_rng(), &g.indices, s.shape, 1, CLND_BOUNDS_SKIP, 1);
        play(d, &s, CLND_BOUNDS_SKIP, &g);
        let_go(&g);
    }
}

// With a report the call is OK, and writes nothing where a row is bad.
Test(route, reported)
{
    const device *d = device_get();
    const clnd_shards s = {.n_shards = 2, .n_dims = 1, .n_divided = 1, .shape = {4}, .block = 1};
    clnd_report_result result;
    grouped g;
    case_begin("reported", 0);
    const int64_t n_shards = 2, rows = 3;
    text_tensor(&g.indices, "indices", case_rng(), CLND_INT32, "3,1: 1 4 0");
    placed_make(&g.positions, "positions", case_rng(), CLND_INT64, 1, &rows, PLACED_ALIGNED);
    placed_make(&g.places, "places", case_rng(), CLND_INT64, 1, &rows, PLACED_ALIGNED);
    placed_make(&g.counts, "counts", case_rng(), CLND_INT64, 1, &n_shards, PLACED_ALIGNED);
    upload(&g, d);
    clnd_route_options options = {.bounds = CLND_BOUNDS_ERROR};
    check_status(clnd_report_create(d->engine, &options.report), CLND_OK);
    check_status(call(d, &s, &g, &options, &(launch){.queue = d->queue}), CLND_OK);
    check_status(clnd_report_wait(options.report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check(result.row == 1 && result.values[0] == 4 && strcmp(result.op, "route") == 0,
          "row %lld, value %lld", (long long)result.row, (long long)result.values[0]);
    check_cl(clFinish(d->queue));
    check_results(&g, d);
    clnd_report_destroy(&options.report);
    let_go(&g);
}

// Refusals ---------------------------------------------------------------------------------------

typedef struct refusal {
    const char *label;
    clnd_shards shards;
    const char *indices;
    clnd_dtype index_dtype, result_dtype;
    int64_t rows, n_counts;
    clnd_status status;
    const char *message;
} refusal;

static const int64_t good[] = {0, 2, 6}, falls[] = {0, 7, 6}, short_of[] = {0, 2, 5};

#define TABLE(shards, dims, divided, size, ...)                                                    \
    {                                                                                              \
        .n_shards = shards, .n_dims = dims, .n_divided = divided, .shape = {size, 2}, __VA_ARGS__  \
    }
#define TWO(...) TABLE(2, 1, 1, 6, __VA_ARGS__)
#define I32      CLND_INT32
#define I64      CLND_INT64
#define GOOD     .offsets = good
#define SHAPE    CLND_INVALID_SHAPE

// clang-format off
static const refusal refusals[] = {
    {"good", TWO(GOOD), "3,1: 5 0 1", I32, I64, 3, 2, CLND_OK, NULL},
    {"no offsets", TWO(.block = 0), "3,1", I32, I64, 3, 2, CLND_NULL_POINTER, "offsets is NULL"},
    {"no shards", TABLE(0, 1, 1, 6, GOOD), "3,1", I32, I64, 3, 0, CLND_INVALID_OPTION,
     "n_shards is 0"},
    {"block", TWO(.block = -4), "3,1", I32, I64, 3, 2, CLND_INVALID_OPTION, "block is -4"},
    {"reserved", TWO(GOOD, .reserved = {0, 1}), "3,1", I32, I64, 3, 2, CLND_INVALID_OPTION,
     "reserved[1]"},
    {"n_dims", TABLE(2, 0, 1, 6, GOOD), "3,1", I32, I64, 3, 2, CLND_INVALID_RANK, "n_dims is 0"},
    {"n_dims too high", TABLE(2, 17, 1, 6, GOOD), "3,1", I32, I64, 3, 2, CLND_INVALID_RANK,
     "n_dims is 17"},
    {"n_divided", TABLE(2, 1, 2, 6, GOOD), "3,1", I32, I64, 3, 2, CLND_INVALID_RANK,
     "n_divided is 2"},
    {"rank 0", TWO(GOOD), ": 1", I32, I64, 1, 2, CLND_INVALID_RANK, "indices has rank 0"},
    {"negative size", TABLE(2, 1, 1, -1, GOOD), "3,1", I32, I64, 3, 2, SHAPE, "-1"},
    {"offsets fall", TWO(.offsets = falls), "3,1", I32, I64, 3, 2, SHAPE,
     "offsets[2] = 6 is below"},
    {"offsets end early", TWO(.offsets = short_of), "3,1", I32, I64, 3, 2, SHAPE, "to 5, not from"},
    {"tuples", TWO(GOOD), "3,2", I32, I64, 3, 2, SHAPE, "hold tuples of 2, n_dims is 1"},
    {"places", TWO(GOOD), "3,1", I32, I64, 2, 2, SHAPE, "places"},
    {"counts", TWO(GOOD), "3,1", I32, I64, 3, 3, SHAPE, "counts"},
    {"index dtype", TWO(GOOD), "3,1", CLND_FLOAT32, I64, 3, 2, CLND_UNSUPPORTED_DTYPE, "float32"},
    {"result dtype", TWO(GOOD), "3,1", I32, I32, 3, 2, CLND_UNSUPPORTED_DTYPE, "allowed is int64"},
    {"too large", TABLE(2, 2, 1, INT64_MAX, .block = 1),
     "3,2", I32, I64, 3, 2, CLND_SIZE_OVERFLOW, ""},
    {"an empty table", {.n_shards = 2, .n_dims = 3, .n_divided = 1, .shape = {0, INT64_MAX, 4},
     .block = 1}, "3,3", I32, I64, 3, 2, CLND_INDEX_OUT_OF_BOUNDS, "indices[0] = [0, 1, 2]"},
    {"bad row", TWO(.block = 2), "3,1: 5 6 1", I32, I64, 3, 2, CLND_INDEX_OUT_OF_BOUNDS,
     "route: indices[1] = [6] does not index into shape [6]"},
};
// clang-format on

Test(route, refusals)
{
    const device *d = device_get();
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *one = &refusals[i];
        const int64_t three = 3;
        const clnd_route_options options = {.bounds = CLND_BOUNDS_ERROR};
        grouped g;
        case_begin("refusals", (int)i);
        case_note("%s", one->label);
        text_tensor(&g.indices, "indices", case_rng(), one->index_dtype, one->indices);
        placed_make(&g.positions, "positions", case_rng(), one->result_dtype, 1, &three,
                    PLACED_ALIGNED);
        placed_make(&g.places, "places", case_rng(), I64, 1, &one->rows, PLACED_ALIGNED);
        placed_make(&g.counts, "counts", case_rng(), I64, 1, &one->n_counts, PLACED_ALIGNED);
        upload(&g, d);
        check_status(call(d, &one->shards, &g, &options, &(launch){.queue = d->queue}),
                     one->status);
        if (one->message)
            check_message(one->message);
        check_cl(clFinish(d->queue));
        if (one->status)
            check_results(&g, d);
        let_go(&g);
    }
}

Test(route, shared_memory_and_null_pointers)
{
    const device *d = device_get();
    const clnd_shards s = {.n_shards = 2, .n_dims = 1, .n_divided = 1, .shape = {6}, .block = 2};
    const int64_t three = 3, two = 2;
    const launch l = {.queue = d->queue};
    grouped g;
    case_begin("shared memory", 0);
    text_tensor(&g.indices, "indices", case_rng(), CLND_INT64, "3,1: 5 0 1");
    placed_make(&g.positions, "positions", case_rng(), I64, 1, &three, PLACED_ALIGNED);
    placed_make(&g.places, "places", case_rng(), I64, 1, &three, PLACED_ALIGNED);
    placed_make(&g.counts, "counts", case_rng(), I64, 1, &two, PLACED_ALIGNED);
    upload(&g, d);
    check_status(call(d, NULL, &g, NULL, &l), CLND_NULL_POINTER);
    check_status(clnd_route(d->engine, d->queue, &g.indices.tensor, &s, &g.positions.tensor,
                            &g.positions.tensor, &g.counts.tensor, NULL, 0, NULL, NULL),
                 CLND_OVERLAP);
    check_status(clnd_route(d->engine, d->queue, &g.indices.tensor, &s, &g.positions.tensor, NULL,
                            &g.counts.tensor, NULL, 0, NULL, NULL),
                 CLND_NULL_POINTER);
    check_results(&g, d);
    let_go(&g);
}
