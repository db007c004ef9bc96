// SPDX-License-Identifier: Apache-2.0

#include "attack.h"

#include <stdlib.h>
#include <string.h>

static int64_t join(int64_t *shape, int rank, int n, const int64_t *part)
{
    memcpy(shape + rank, part, (size_t)n * sizeof *shape);
    return rank + n;
}

// The shape of what params give, or of updates.
static int dense_shape(const attack *a, int64_t *shape)
{
    const int tuple = (int)a->index_shape[a->index_rank - (a->index_rank > 0)];
    int64_t rank = 0;
    switch (a->op) {
    case OP_GATHER:
        rank = join(shape, 0, a->axis, a->shape);
        rank =
            join(shape, (int)rank, a->index_rank - a->batch_dims, a->index_shape + a->batch_dims);
        return (int)join(shape, (int)rank, a->rank - a->axis - 1, a->shape + a->axis + 1);
    case OP_GATHER_ELEMENTS:
    case OP_SCATTER_ELEMENTS:
        return (int)join(shape, 0, a->index_rank, a->index_shape);
    default:
        rank = join(shape, 0, a->index_rank - 1, a->index_shape);
        return (int)join(shape, (int)rank, a->rank - a->batch_dims - tuple,
                         a->shape + a->batch_dims + tuple);
    }
}

static void fill_indices(placed *indices, const attack *a)
{
    int64_t at[CLND_MAX_RANK];
    int next = 0;
    for (bool more = ref_first(indices->host.rank, indices->host.shape, at); more;
         more = ref_next(indices->host.rank, indices->host.shape, at)) {
        values_write_index(a->index_dtype, a->values[next], ref_at(&indices->host, at));
        next = (next + 1) % a->n_values;
    }
}

void attack_make(problem *p, const attack *a)
{
    const values numbers = {.kind = VALUES_SUM, .limit = 1000};
    static const int64_t zero = 0;
    int64_t shape[CLND_MAX_RANK];
    attack with_values = *a;
    if (!a->values) {
        with_values.values = &zero;
        with_values.n_values = 1;
    }
    const bool gathers = op_is_gather(a->op);
    const int rank = dense_shape(a, shape);
    rng *r = case_rng();
    memset(p, 0, sizeof *p);
    p->op = a->op;
    p->dtype = CLND_INT32;
    p->index_dtype = a->index_dtype ? a->index_dtype : CLND_INT32;
    with_values.index_dtype = p->index_dtype;
    p->reduce = a->reduce                ? a->reduce
                : a->op == OP_SCATTER_ND ? CLND_REDUCE_ADD
                                         : CLND_REDUCE_UPDATE;
    p->axis = p->said_axis = a->axis;
    p->batch_dims = p->said_batch_dims = a->batch_dims;
    p->bounds = p->given_bounds = CLND_BOUNDS_ERROR;
    p->rule = EQUAL_BITS;
    p->ordered = gathers;
    p->fill = malloc(sizeof(int32_t));
    check(p->fill, "out of memory");
    memcpy(p->fill, &(int32_t){-77}, sizeof(int32_t));
    placed_guarded(&p->indices, "indices", r, p->index_dtype, a->index_rank, a->index_shape);
    fill_indices(&p->indices, &with_values);
    if (gathers) {
        placed_guarded(&p->input, "params", r, p->dtype, a->rank, a->shape);
        placed_guarded(&p->out, "out", r, p->dtype, rank, shape);
    } else {
        placed_guarded(&p->input, "updates", r, p->dtype, rank, shape);
        placed_guarded(&p->out, "target", r, p->dtype, a->rank, a->shape);
        placed_fill(&p->out, r, &numbers);
    }
    placed_fill(&p->input, r, &numbers);
    placed_upload(&p->input, a->d);
    placed_upload(&p->indices, a->d);
    placed_upload(&p->out, a->d);
    p->given_input = p->input.tensor;
    p->given_indices = p->indices.tensor;
    p->given_out = p->out.tensor;
}

static void attack_free(problem *p)
{
    placed_free(&p->input);
    placed_free(&p->indices);
    placed_free(&p->out);
    free(p->fill);
    if (p->report)
        clnd_report_destroy(&p->report);
}

static void check_inputs(const problem *p, const device *d)
{
    placed_check(&p->input, d, EQUAL_BITS, NULL);
    placed_check(&p->indices, d, EQUAL_BITS, NULL);
}

void attack_play(const attack *a, clnd_bounds bounds, const char *strategy, bool report)
{
    static problem p;
    attack_make(&p, a);
    p.bounds = p.given_bounds = bounds;
    case_note("%s, index dtype %s, policy %d, words %s%s", op_names[a->op],
              clnd_dtype_name(p.index_dtype), (int)bounds, strategy, report ? ", report" : "");
    const device *d = device_with(a->d, strategy);
    if (report)
        check_status(clnd_report_create(a->d->engine, &p.report), CLND_OK);
    check_status(problem_plan(&p, d, &p.plan), CLND_OK);
    clnd_status status = problem_call(&p, d, &(launch){.queue = d->queue});
    check_cl(clFinish(a->d->queue));
    if (report) {
        check_status(status, CLND_OK);
        status = clnd_report_wait(p.report, &p.result);
    }
    problem_judge(&p, a->d, status);
    check_inputs(&p, a->d);
    attack_free(&p);
}

void attack_everywhere(const attack *a)
{
    static const char *const none[] = {"", NULL};
    static const char *const moves[] = {"blocks", "lanes", NULL};
    static const char *const updates[] = {"", "store,lanes", "owner", "buckets", "sort", NULL};
    static const char *const sums[] = {"",     "atomic,lanes", "owner", "buckets",
                                       "sort", "private",      NULL};
    const bool gathers = op_is_gather(a->op);
    const bool is_sum = a->reduce || a->op == OP_SCATTER_ND;
    const char *const *strategies = a->forces_none ? none
                                    : gathers      ? moves
                                    : is_sum       ? sums
                                                   : updates;
    for (int bounds = CLND_BOUNDS_ERROR; bounds <= CLND_BOUNDS_WRAP; bounds++) {
        if (!gathers && bounds == CLND_BOUNDS_FILL)
            continue;
        for (const char *const *s = strategies; *s; s++)
            attack_play(a, (clnd_bounds)bounds, *s, false);
    }
    attack_play(a, CLND_BOUNDS_ERROR, "", true);
    attack_play(a, CLND_BOUNDS_WRAP, "", true);
}

void attack_refused(problem *p, const device *d, clnd_status status, const char *piece)
{
    static char somewhere;
    clnd_plan plan;
    launch l = {.event = (cl_event)(void *)&somewhere};
    l.event_out = &l.event;
    check_status(problem_plan(p, d, &plan), status);
    check_status(problem_call(p, d, &l), status);
    check(l.event == NULL, "*event is not NULL");
    check_message(piece);
    check_cl(clFinish(d->queue));
    placed_check(&p->out, d, EQUAL_BITS, NULL);
    check_inputs(p, d);
    attack_free(p);
}
