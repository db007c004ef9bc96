// SPDX-License-Identifier: Apache-2.0
//
// Kernels that CPUs compile for the length of a row (the words rows and stream): every
// length about which they make a difference, one row more and less than they take at once, places
// on a line of the cache and off it.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "rows_case.h"

static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_FLOAT32, CLND_FLOAT64};
static const int64_t widths[] = {1, 2, 3, 4, 5, 6, 12, 16, 17, 33, 48, 64, 128, 520};
static const int64_t counts[] = {1, 64, 65, 600};
enum { N_DTYPES = 3, N_WIDTHS = 14, N_COUNTS = 4 };

// Lengths, counts, policies and places take turns, so that all pairs of them meet.
static void play_all(op_id op, clnd_reduce reduce, const char *const *strategies, int n_strategies)
{
    static const clnd_bounds policies[] = {CLND_BOUNDS_ERROR, CLND_BOUNDS_ZERO, CLND_BOUNDS_CLAMP,
                                           CLND_BOUNDS_SKIP};
    const device *d = device_get();
    for (int t = 0; t < N_DTYPES; t++)
        for (int w = 0; w < N_WIDTHS; w++)
            for (int c = 0; c < N_COUNTS; c++) {
                const int turn = t + 3 * w + 5 * c;
                // Long rows of bytes that begin inside a cache line, at every level.
                const bool shifted = t == 0 && w == N_WIDTHS - 1 && turn % 4 == 3;
                if (!shifted && !case_is_taken((t * N_WIDTHS + w) * N_COUNTS + c))
                    continue;
                const by_rows one = {op,
                                     dtypes[t],
                                     counts[c],
                                     widths[w],
                                     1 + turn % 3,
                                     policies[turn / 3 % 4],
                                     reduce,
                                     turn % 4 != 3,
                                     turn / 3 % 4 ? 10 : 0,
                                     0,
                                     false,
                                     false,
                                     false,
                                     0};
                case_begin("rows", turn);
                rows_case_run(d, &one, strategies[turn % n_strategies]);
            }
}

Test(rows, gather, .timeout = 300)
{
    static const char *const texts[] = {"blocks,rows", "blocks,rows,stream", "blocks,rows,long"};
    play_all(OP_GATHER_ND, CLND_REDUCE_UPDATE, texts, 3);
}

Test(rows, update, .timeout = 300)
{
    static const char *const texts[] = {"owner,rows", "private,rows", "owner,rows,stream",
                                        "private,rows,stream"};
    play_all(OP_SCATTER_ND_INTO, CLND_REDUCE_UPDATE, texts, 4);
}

// Many updates of one row, then of the next one, some of them bad: the last one stays. Of few
// locations by one owner, of many by several; or only the last rows move.
Test(rows, update_again, .timeout = 300)
{
    static const char *const texts[] = {"owner,rows", "owner,rows,stream", "private,rows"};
    enum { N_TABLES = 3, AGAIN = 29 };
    static const int64_t tables[N_TABLES][2] = {{40, 16}, {40, 600}, {3000, 50}};
    const values bits = {.kind = VALUES_BITS};
    const device *d = device_get();
    for (int i = 0; i < N_TABLES * 3; i++) {
        const int64_t *table = tables[i % N_TABLES], n = table[0] * AGAIN;
        const int64_t tuples[] = {n}, updates[] = {n, table[1]};
        static problem p;
        rng *r = case_rng();
        case_begin("update again", i);
        memset(&p, 0, sizeof p);
        p.op = OP_SCATTER;
        p.dtype = CLND_FLOAT32;
        p.index_dtype = CLND_INT32;
        p.reduce = CLND_REDUCE_UPDATE;
        p.bounds = p.given_bounds = CLND_BOUNDS_SKIP;
        p.deterministic = p.ordered = true;
        p.rule = EQUAL_BITS;
        rows_case_place(&p.indices, "indices", r, p.index_dtype, 1, tuples, true);
        for (int64_t row = 0; row < n; row++)
            *(int32_t *)ref_at(&p.indices.host, &row) =
                (int32_t)(row % 200 == 100 ? table[0] : row / AGAIN);
        rows_case_place(&p.out, "table", r, p.dtype, 2, table, true);
        rows_case_place(&p.input, "rows", r, p.dtype, 2, updates, true);
        placed_fill(&p.input, r, &bits);
        placed_fill(&p.out, r, &bits);
        rows_case_play(&p, d, texts[i / N_TABLES]);
    }
}

Test(rows, add, .timeout = 300)
{
    static const char *const texts[] = {"owner,rows", "owner,rows,long"};
    play_all(OP_SCATTER_ND_INTO, CLND_REDUCE_ADD, texts, 2);
}

// Sums of whole vectors, the last of which may overlap the one before it unless rows meet the same
// location one after the other, and of rows too short for one. Numbers of elements up to 16 are
// compiled in: few of them at every level.
Test(rows, add_vectors, .timeout = 300)
{
    static const clnd_dtype kinds[] = {CLND_UINT8,   CLND_UINT64,  CLND_INT32,     CLND_INT16,
                                       CLND_FLOAT32, CLND_FLOAT64, CLND_COMPLEX64, CLND_COMPLEX128};
    const device *d = device_get();
    if (!device_has_buckets(d))
        cr_skip_test("buckets are for CPUs that get kernels for rows");
    for (int t = 0; t < 8; t++)
        for (int64_t width = 1; width <= 40; width++) {
            const bool at_every_level = width == 1 + 2 * t || (width == 33 && t % 4 == 0);
            if (!at_every_level && !case_is_taken(t * 40 + (int)width))
                continue;
            by_rows one = {.op = OP_SCATTER_ND_INTO,
                           .dtype = kinds[t],
                           .n = 65,
                           .width = width,
                           .k = 1,
                           .bounds = CLND_BOUNDS_ERROR,
                           .reduce = t % 2 ? CLND_REDUCE_SUB : CLND_REDUCE_ADD,
                           .aligned = width % 4 != 3};
            case_begin("rows add vectors", t * 40 + (int)width);
            one.extent = 70;
            rows_case_run(d, &one, "must,buckets,rows");
            one.extent = 2;
            rows_case_run(d, &one, "must,buckets,rows");
        }
}

// Sums where zeros come first.
Test(rows, add_to_zeros, .timeout = 300)
{
    static const char *const texts[] = {"owner,rows", "owner,rows,stream"};
    play_all(OP_SCATTER_ND, CLND_REDUCE_ADD, texts, 2);
}

// Updates where zeros come first: only the last row of each location is moved.
Test(rows, update_zeros, .timeout = 300)
{
    static const char *const texts[] = {"private,rows", "private,rows,stream"};
    play_all(OP_SCATTER_ND, CLND_REDUCE_UPDATE, texts, 2);
}

// Targets that no cache of a core keeps, of whose rows those that come next are prefetched.
Test(rows, store_far, .timeout = 300)
{
    static const char *const texts[] = {"must,store,rows", "must,store,rows,stream"};
    static const int64_t some[] = {1, 17, 33, 64, 333};
    const device *d = device_get();
    for (int i = 0; i < case_count(5 * 4 * 6); i++) {
        const int64_t row = some[i % 5] * (int64_t)clnd_dtype_size(dtypes[i % 3]);
        const by_rows one = {.op = OP_SCATTER_ND_INTO,
                             .dtype = dtypes[i % 3],
                             .n = counts[i / 5 % N_COUNTS],
                             .width = some[i % 5],
                             .k = 1,
                             .bounds = i % 4 ? CLND_BOUNDS_SKIP : CLND_BOUNDS_ERROR,
                             .reduce = CLND_REDUCE_UPDATE,
                             .aligned = i % 4 != 3,
                             .odds = i % 4 ? 10 : 0,
                             .index_dtype = i % 7 == 6 ? CLND_UINT32 : 0,
                             .any_order = true,
                             .extent = 300000 / row};
        case_begin("store far", i);
        rows_case_run(d, &one, texts[i % 2]);
    }
}

// Rows are prefetched in one way on some CPUs and in another on others. This is the way that the
// device at hand does not take, which no other test plays.
Test(rows, as_other_cpus_prefetch, .timeout = 300)
{
    static const struct {
        op_id op;
        clnd_reduce reduce;
        const char *words;
    } played[] = {{OP_GATHER_ND, CLND_REDUCE_UPDATE, "blocks,rows"},
                  {OP_GATHER_ND, CLND_REDUCE_UPDATE, "blocks,rows,stream"},
                  {OP_SCATTER_ND_INTO, CLND_REDUCE_UPDATE, "must,store,rows"},
                  {OP_SCATTER_ND_INTO, CLND_REDUCE_ADD, "must,buckets,rows"}};
    static const int64_t some[] = {25, 9, 300};
    const device *d = device_get();
    clnd_device_facts *facts = (clnd_device_facts *)d->facts;
    facts->fetches_into_first_cache = !facts->fetches_into_first_cache;
    for (int i = 0; i < 4 * 2 * 3 * 2; i++) {
        // All ways at every level, with bad rows and without.
        if ((i >= 8 && !case_is_taken(i)) || (i % 4 == 3 && !device_has_buckets(d)))
            continue;
        const by_rows one = {.op = played[i % 4].op,
                             .dtype = CLND_FLOAT32,
                             .n = (i % 4 == 3 ? 9000 : 600) + i % 3, // some hundred in each bucket
                             .width = some[i / 8 % 3],
                             .k = 1,
                             .bounds = i / 4 % 2 ? CLND_BOUNDS_SKIP : CLND_BOUNDS_ERROR,
                             .reduce = played[i % 4].reduce,
                             .aligned = i / 4 % 3 != 2,
                             .odds = i / 4 % 2 ? 100 : 0,
                             .any_order = i % 4 == 2,
                             .extent = 75000 / some[i / 8 % 3]};
        case_begin("the other cache", i);
        rows_case_run(d, &one, played[i % 4].words);
    }
}

// What these kernels must leave to others: gaps in either tensor, and tuples of four values.
Test(rows, gaps, .timeout = 300)
{
    static const op_id ops[] = {OP_GATHER_ND, OP_SCATTER_ND_INTO, OP_SCATTER_ND_INTO};
    static const clnd_reduce reductions[] = {CLND_REDUCE_UPDATE, CLND_REDUCE_UPDATE,
                                             CLND_REDUCE_ADD};
    static const int64_t some[] = {2, 3, 4, 33};
    enum { TIMES = 8 }; // gaps fall anywhere, or nowhere
    const device *d = device_get();
    for (int i = 0; i < case_count(3 * 2 * 4 * TIMES); i++) {
        const int op = i % 3, k = i / 3 % 2 ? 4 : 1, w = i / 6 % 4;
        const by_rows one = {.op = ops[op],
                             .dtype = CLND_FLOAT32,
                             .n = 600 + i % 2,
                             .width = some[w],
                             .k = k,
                             .bounds = CLND_BOUNDS_SKIP,
                             .reduce = reductions[op],
                             .aligned = true,
                             .odds = 10,
                             .gaps = k == 1 || w % 2};
        case_begin("gaps", i);
        rows_case_run(d, &one, op ? "owner,rows" : "blocks,rows");
    }
}

// The first bad one of some thousand rows is named; of few bad ones, or of none, wherever they lie.
Test(rows, refused, .timeout = 300)
{
    const device *d = device_get();
    for (int turn = 0; turn < case_count(120); turn++) {
        const by_rows one = {turn % 2 ? OP_GATHER_ND : OP_SCATTER_ND_INTO,
                             CLND_INT16,
                             400 * (1 + turn % 7),
                             2,
                             1 + turn % 3,
                             turn % 5 ? CLND_BOUNDS_ERROR : CLND_BOUNDS_WRAP,
                             CLND_REDUCE_ADD,
                             turn % 4 != 3,
                             (uint64_t)(500 << turn % 4),
                             0,
                             false,
                             false,
                             turn % 4 == 3,
                             0};
        case_begin("refused", turn);
        rows_case_run(d, &one, turn % 2 ? "blocks,rows" : "owner,rows");
    }
}

// Steps that have kernels of their own, and some that have none; an inner dimension of one, two or
// three elements, as pixels have. Not left to chance are pixels of bytes in reverse, which are
// shuffled as no other rows are, and rows of units in each step, also into every second one.
Test(rows, slice, .timeout = 300)
{
    static const int64_t steps[] = {1, -1, 2, -2, 3, -3, 4, -4, 5, -5};
    static const int64_t inners[] = {1, 3, 2};
    enum { N_STEPS = 10, N_INNERS = 3 };
    static const char *const texts[] = {"blocks,rows", "blocks,rows,stream"};
    const device *d = device_get();
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    for (int t = 0; t < N_DTYPES; t++)
        for (int w = 0; w < N_WIDTHS; w++)
            for (int s = 0; s < N_STEPS * N_INNERS; s++) {
                static problem p;
                const int64_t step = steps[s % N_STEPS], inner = inners[s / N_STEPS],
                              width = widths[w];
                const bool flips_pixels =
                    step == -1 && inner == 3 && width >= 33 && w % 2 && t == 0;
                const bool has_gaps = width == 64;
                const bool picks_units = inner == 1 && t == 0 && (width == 520 || has_gaps);
                if (!flips_pixels && !picks_units &&
                    !case_is_taken((t * N_WIDTHS + w) * N_STEPS * N_INNERS + s))
                    continue;
                const int64_t reach = (width - 1) * llabs(step) + 1;
                const int64_t whole[] = {3, reach, inner}, part[] = {3, width, inner};
                const bool aligned = (t + w + s) % 4 != 3;
                rng *r = case_rng();
                memset(&p, 0, sizeof p);
                p.op = OP_STRIDED_SLICE;
                p.dtype = dtypes[t];
                p.rule = EQUAL_BITS;
                p.taken =
                    (clnd_slice){.length = 2, .begin_mask = 3, .end_mask = 3, .strides = {1, step}};
                case_begin("slice", s);
                case_note("dtype %s, %d of step %d, inner %d", clnd_dtype_name(p.dtype), (int)width,
                          (int)step, (int)inner);
                rows_case_place(&p.input, "input", r, p.dtype, 3, whole, aligned);
                if (s % 5 == 2)
                    placed_make(&p.out, "out", r, p.dtype, 3, part,
                                PLACED_ALIGNED | PLACED_STRIDED);
                else
                    rows_case_place(&p.out, "out", r, p.dtype, 3,
                                    (int64_t[]){3, width, inner + has_gaps}, aligned);
                p.out.host.shape[2] = p.out.tensor.shape[2] = inner;
                placed_fill(&p.input, r, &numbers);
                rows_case_play(&p, d, texts[(t + w) % 2]);
            }
}
