// SPDX-License-Identifier: Apache-2.0

#include "rows_case.h"

#include <stdlib.h>
#include <string.h>

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

void rows_case_play(problem *p, const device *d, const char *strategy)
{
    d = device_with(d, strategy);
    upload(p, d);
    check_status(problem_plan(p, d, &p->plan), CLND_OK);
    if (p->reported)
        check_status(clnd_report_create(d->engine, &p->report), CLND_OK);
    clnd_status status = problem_call(p, d, &(launch){.queue = d->queue});
    check_cl(clFinish(d->queue));
    if (p->reported) {
        check_status(status, CLND_OK);
        status = clnd_report_wait(p->report, &p->result);
    }
    problem_judge(p, d, status);
    placed_check(&p->input, d, EQUAL_BITS, NULL);
    clnd_report_destroy(&p->report);
    placed_free(&p->input);
    placed_free(&p->out);
    if (p->index_dtype)
        placed_free(&p->indices);
    free(p->fill);
}

void rows_case_place(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                     const int64_t *shape, bool aligned)
{
    if (aligned)
        placed_guarded(p, name, r, dtype, rank, shape);
    else
        placed_make(p, name, r, dtype, rank, shape, PLACED_ALIGNED);
}

static void lay(placed *p, const char *name, rng *r, const by_rows *c, clnd_dtype dtype, int rank,
                const int64_t *shape)
{
    if (c->gaps)
        placed_make(p, name, r, dtype, rank, shape, PLACED_ALIGNED | PLACED_STRIDED);
    else
        rows_case_place(p, name, r, dtype, rank, shape, c->aligned);
}

void rows_case_indices(placed *indices, rng *r, clnd_dtype dtype, int64_t extent, uint64_t odds)
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

void rows_case_run(const device *d, const by_rows *c, const char *strategy)
{
    const int64_t extent = c->extent ? c->extent : 7;
    static problem p;
    const bool combines = c->reduce != CLND_REDUCE_UPDATE;
    const values numbers = {.kind = combines ? VALUES_SUM : VALUES_BITS, .limit = 100};
    const int64_t table[] = {extent, extent, extent, extent, c->width};
    const int64_t tuples[] = {c->n, c->k}, dense[] = {c->n, c->width};
    const bool gathers = op_is_gather(c->op);
    rng *r = case_rng();
    memset(&p, 0, sizeof p);
    p.op = c->op;
    p.dtype = c->dtype;
    p.index_dtype = c->index_dtype ? c->index_dtype : c->n % 2 ? CLND_INT32 : CLND_INT64;
    p.reduce = c->reduce;
    p.bounds = p.given_bounds = c->bounds;
    p.deterministic = p.ordered = !c->any_order;
    p.reported = c->reported;
    p.rule = EQUAL_BITS;
    p.fill = calloc(1, 16);
    check(p.fill, "out of memory");
    for (size_t i = 0; i < clnd_dtype_size(c->dtype); i++)
        ((unsigned char *)p.fill)[i] = (unsigned char)(0x5a + i);
    lay(&p.indices, "indices", r, c, p.index_dtype, 2, tuples);
    rows_case_indices(&p.indices, r, p.index_dtype, extent, c->odds);
    lay(gathers ? &p.input : &p.out, "table", r, c, p.dtype, c->k + 1, table + 4 - c->k);
    lay(gathers ? &p.out : &p.input, "rows", r, c, p.dtype, 2, dense);
    placed_fill(&p.input, r, &numbers);
    placed_fill(&p.out, r, &numbers);
    case_note("%s, dtype %s, %d rows of %d, %d coordinates, policy %d, reduce %d, %s, %s",
              op_names[c->op], clnd_dtype_name(c->dtype), (int)c->n, (int)c->width, c->k,
              (int)c->bounds, (int)c->reduce,
              c->gaps      ? "with gaps"
              : c->aligned ? "aligned"
                           : "anywhere",
              strategy);
    rows_case_play(&p, d, strategy);
}
