// SPDX-License-Identifier: Apache-2.0
//
// Kernels that CPUs compile for the length of a row (CLND_STRATEGY's words rows and stream): every
// length about which they make a difference, one row more and less than they take at once, places
// on a line of the cache and off it.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_FLOAT32, CLND_FLOAT64};
static const int64_t widths[] = {1, 2, 3, 4, 5, 6, 12, 16, 17, 33, 48, 64, 128, 520};
static const int64_t counts[] = {1, 64, 65, 600};
enum { N_DTYPES = 3, N_WIDTHS = 14, N_COUNTS = 4 };

// Tensors of one problem come with their buffers and go with them.
static void upload(problem *p, const device *d)
{
    placed_upload(&p->input, d);
    placed_upload(&p->out, d);
    p->given_input = p->input.tensor;
    p->given_out = p->out.tensor;
    if (p->index_dtype) {
        placed_upload(&p->indices, d);
        p->given_indices = p->indices.tensor;
    }
}

static void play(problem *p, const device *d, const char *strategy)
{
    cases_setenv("CLND_STRATEGY", strategy);
    upload(p, d);
    check_status(problem_plan(p, d, &p->plan), CLND_OK);
    const clnd_status status = problem_call(p, d, &(launch){0});
    check_cl(clFinish(d->queue));
    problem_judge(p, d, status);
    placed_check(&p->input, d, EQUAL_BITS, NULL);
    placed_free(&p->input);
    placed_free(&p->out);
    if (p->index_dtype)
        placed_free(&p->indices);
    free(p->fill);
    cases_setenv("CLND_STRATEGY", "");
}

static void place(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                  const int64_t *shape, bool aligned)
{
    if (aligned)
        placed_guarded(p, name, r, dtype, rank, shape);
    else
        placed_make(p, name, r, dtype, rank, shape, PLACED_ALIGNED);
}

// Index values in [0, extent), one of `odds` of them outside; 0: none.
static void draw_indices(placed *indices, rng *r, clnd_dtype dtype, int64_t extent, uint64_t odds)
{
    int64_t at[CLND_MAX_RANK];
    for (bool more = ref_first(indices->host.rank, indices->host.shape, at); more;
         more = ref_next(indices->host.rank, indices->host.shape, at)) {
        int64_t value = (int64_t)(rng_u64(r) % (uint64_t)extent);
        if (odds && rng_u64(r) % odds == 0)
            value = rng_u64(r) % 2 ? -1 : extent;
        values_write_index(dtype, value, ref_at(&indices->host, at));
    }
}

typedef struct by_rows {
    op_id op;
    clnd_dtype dtype;
    int64_t n, width;
    int k; // coordinates
    clnd_bounds bounds;
    clnd_reduce reduce;
    bool aligned;
    uint64_t odds; // of a bad index value
} by_rows;

static void play_rows(const device *d, const by_rows *c, const char *strategy)
{
    enum { EXTENT = 7 };
    static problem p;
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const int64_t table[] = {EXTENT, EXTENT, EXTENT, c->width};
    const int64_t tuples[] = {c->n, c->k}, dense[] = {c->n, c->width};
    const bool gathers = op_is_gather(c->op);
    rng *r = case_rng();
    memset(&p, 0, sizeof p);
    p.op = c->op;
    p.dtype = c->dtype;
    p.index_dtype = c->n % 2 ? CLND_INT32 : CLND_INT64;
    p.reduce = c->reduce;
    p.bounds = p.given_bounds = c->bounds;
    p.deterministic = p.ordered = true;
    p.rule = EQUAL_BITS;
    p.fill = calloc(1, 16);
    check(p.fill, "out of memory");
    memset(p.fill, 0x5a, clnd_dtype_size(c->dtype));
    place(&p.indices, "indices", r, p.index_dtype, 2, tuples, c->aligned);
    draw_indices(&p.indices, r, p.index_dtype, EXTENT, c->odds);
    place(gathers ? &p.input : &p.out, "table", r, p.dtype, c->k + 1, table + 3 - c->k, c->aligned);
    place(gathers ? &p.out : &p.input, "rows", r, p.dtype, 2, dense, c->aligned);
    placed_fill(&p.input, r, &numbers);
    placed_fill(&p.out, r, &numbers);
    case_note("%s, dtype %s, %d rows of %d, %d coordinates, policy %d, reduce %d, %s, %s",
              op_names[c->op], clnd_dtype_name(c->dtype), (int)c->n, (int)c->width, c->k,
              (int)c->bounds, (int)c->reduce, c->aligned ? "aligned" : "anywhere", strategy);
    play(&p, d, strategy);
}

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
                const by_rows one = {op,        dtypes[t],     counts[c],
                                     widths[w], 1 + turn % 3,  policies[turn / 3 % 4],
                                     reduce,    turn % 4 != 3, turn / 3 % 4 ? 10 : 0};
                case_begin("rows", turn);
                play_rows(d, &one, strategies[turn % n_strategies]);
            }
}

Test(rows, gather, .timeout = 300)
{
    static const char *const texts[] = {"blocks,rows", "blocks,rows,stream"};
    play_all(OP_GATHER_ND, CLND_REDUCE_UPDATE, texts, 2);
}

Test(rows, update, .timeout = 300)
{
    static const char *const texts[] = {"owner,rows", "owner,rows,stream"};
    play_all(OP_SCATTER_ND_INTO, CLND_REDUCE_UPDATE, texts, 2);
}

Test(rows, add, .timeout = 300)
{
    static const char *const texts[] = {"owner,rows"};
    play_all(OP_SCATTER_ND_INTO, CLND_REDUCE_ADD, texts, 1);
}

// The first bad one of some thousand rows is named; of few bad ones, or of none, wherever they lie.
Test(rows, refused, .timeout = 300)
{
    const device *d = device_get();
    for (int turn = 0; turn < 120; turn++) {
        const by_rows one = {turn % 2 ? OP_GATHER_ND : OP_SCATTER_ND_INTO,
                             CLND_INT16,
                             400 * (1 + turn % 7),
                             2,
                             1 + turn % 3,
                             turn % 5 ? CLND_BOUNDS_ERROR : CLND_BOUNDS_WRAP,
                             CLND_REDUCE_ADD,
                             turn % 4 != 3,
                             (uint64_t)(500 << turn % 4)};
        case_begin("refused", turn);
        play_rows(d, &one, turn % 2 ? "blocks,rows" : "owner,rows");
    }
}

// Steps that have kernels of their own, and some that have none; an inner dimension of one, two or
// three elements, as pixels have.
Test(rows, slice, .timeout = 300)
{
    static const int64_t steps[] = {1, -1, 2, 3, 4, -2, 5};
    static const int64_t inners[] = {1, 3, 2};
    enum { N_STEPS = 7, N_INNERS = 3 };
    static const char *const texts[] = {"blocks,rows", "blocks,rows,stream"};
    const device *d = device_get();
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    for (int t = 0; t < N_DTYPES; t++)
        for (int w = 0; w < N_WIDTHS; w++)
            for (int s = 0; s < N_STEPS * N_INNERS; s++) {
                static problem p;
                const int64_t step = steps[s % N_STEPS], inner = inners[s / N_STEPS],
                              width = widths[w];
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
                place(&p.input, "input", r, p.dtype, 3, whole, aligned);
                place(&p.out, "out", r, p.dtype, 3, part, aligned);
                placed_fill(&p.input, r, &numbers);
                play(&p, d, texts[(t + w) % 2]);
            }
}
