// SPDX-License-Identifier: Apache-2.0

#include "problem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const op_names[N_OPS] = {
    [OP_GATHER_ND] = "gather_nd",
    [OP_GATHER] = "gather",
    [OP_GATHER_ELEMENTS] = "gather_elements",
    [OP_SCATTER_ND] = "scatter_nd",
    [OP_SCATTER_ND_INTO] = "scatter_nd_into",
    [OP_SCATTER_ELEMENTS] = "scatter_elements",
    [OP_SCATTER] = "scatter",
    [OP_STRIDED_SLICE] = "strided_slice",
    [OP_STRIDED_SLICE_VIEW] = "strided_slice_view",
    [OP_STRIDED_SLICE_ASSIGN] = "strided_slice_assign",
    [OP_STRIDED_SLICE_GRAD] = "strided_slice_grad",
    [OP_COPY] = "copy",
};

// Of the sum of all.
static const int weights[N_OPS] = {4, 3, 3, 3, 6, 4, 4, 3, 1, 3, 2, 2};

bool op_is_gather(op_id op)
{
    return op <= OP_GATHER_ELEMENTS;
}

bool op_is_scatter(op_id op)
{
    return op >= OP_SCATTER_ND && op <= OP_SCATTER;
}

bool op_has_indices(op_id op)
{
    return op <= OP_SCATTER;
}

static op_id draw_op(rng *r)
{
    int sum = 0, op = 0;
    for (int i = 0; i < N_OPS; i++)
        sum += weights[i];
    int at = (int)rng_range(r, 0, sum - 1);
    while (at >= weights[op])
        at -= weights[op++];
    return (op_id)op;
}

op_id problem_op(uint64_t seed, uint64_t number)
{
    rng r = rng_of(seed, "problem", number);
    return draw_op(&r);
}

static void draw_strategy(problem *p, const menu *m, rng *r)
{
    p->way = m->ways[rng_range(r, 0, MENU_WAYS - 1)];
    p->must = rng_chance(r, 25);
    snprintf(p->forced, sizeof p->forced, "%s%s", p->must ? "must," : "", ways[p->way]);
}

static void draw_scatter(problem *p, const menu *m, rng *r)
{
    static const clnd_bounds policies[] = {CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR, CLND_BOUNDS_SKIP,
                                           CLND_BOUNDS_CLAMP, CLND_BOUNDS_WRAP};
    p->bounds = policies[rng_range(r, 0, 4)];
    p->reduce = CLND_REDUCE_UPDATE;
    if (rng_chance(r, 65)) {
        p->dtype = m->dtype;
        p->reduce = m->reduce;
    }
    clnd_reduce usual = p->op == OP_SCATTER_ND ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
    p->default_reduce = p->reduce == usual && rng_chance(r, 50);
    p->deterministic = rng_chance(r, 40);
    p->unique = rng_chance(r, 20);
}

// Rows, elements of a slice, and places that index values select.
static void draw_scale(problem *p, rng *r)
{
    static const int64_t medium[][3] = {{3000, 7, 300}, {30, 900, 20},    {1, 20000, 3},
                                        {300, 100, 60}, {20000, 1, 4000}, {20000, 1, 60}};
    static const int64_t large[][3] = {{30000, 7, 3000}, {30, 9000, 20},    {1, 200000, 3},
                                       {3000, 100, 500}, {40000, 1, 40000}, {20000, 3, 10}};
    int64_t profile = rng_range(r, 0, 5), size = (int64_t)ref_size(p->dtype);
    int percent = (int)rng_range(r, 1, 100);
    p->scale = percent <= 86 ? SCALE_SMALL : percent <= 98 ? SCALE_MEDIUM : SCALE_LARGE;
    p->empty = p->scale != SCALE_SMALL ? 0 : rng_chance(r, 10) ? 35 : 4;
    if (p->scale == SCALE_SMALL) {
        p->rows = 40;
        p->slice = 50;
        p->extent = rng_chance(r, 30) ? 5 : 250; // many duplicates
        return;
    }
    const int64_t *sizes = p->scale == SCALE_MEDIUM ? medium[profile] : large[profile];
    p->rows = sizes[0];
    p->slice = size > 4 ? 1 + sizes[1] * 4 / size : sizes[1];
    p->extent = sizes[2];
}

void problem_draw(problem *p, uint64_t seed, uint64_t number, rng *r)
{
    static const clnd_bounds policies[] = {CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR,
                                           CLND_BOUNDS_ZERO,    CLND_BOUNDS_FILL,
                                           CLND_BOUNDS_CLAMP,   CLND_BOUNDS_WRAP};
    menu m = menu_of(seed, number / menu_problems);
    *r = rng_of(seed, "problem", number);
    memset(p, 0, sizeof *p);
    p->seed = seed;
    p->number = number;
    p->op = draw_op(r);
    draw_strategy(p, &m, r);
    p->dtype = values_pick(values_all_dtypes, r);
    do
        p->index_dtype = m.index_dtype ? m.index_dtype : values_pick(values_index_dtypes, r);
    while (!m.index_dtype && (p->index_dtype == CLND_INT32 || p->index_dtype == CLND_INT64));
    p->bounds = policies[rng_range(r, 0, 5)];
    if (op_is_scatter(p->op))
        draw_scatter(p, &m, r);
    draw_scale(p, r);
    p->high_rank = m.high_ranks && p->scale == SCALE_SMALL && rng_chance(r, 40);
    p->twos = p->high_rank && !op_is_scatter(p->op) && rng_chance(r, 15);
    p->reported = m.reports && op_has_indices(p->op) && rng_chance(r, 60);
    p->rule = EQUAL_BITS;
}

void problem_sizes(const problem *p, rng *r, int rank, int64_t most, int64_t *shape)
{
    for (int d = 0; d < rank && p->twos; d++)
        shape[d] = 2;
    if (p->twos)
        return;
    if (p->scale == SCALE_SMALL)
        cases_shape(r, rank, most, p->empty, shape);
    else
        cases_large_shape(r, rank, most, shape);
}

void problem_make(problem *p, const device *d, rng *r)
{
    if (op_is_gather(p->op))
        problem_make_gather(p, r);
    else if (op_is_scatter(p->op))
        problem_make_scatter(p, d, r);
    else
        problem_make_slice(p, r);
}

// Describing -------------------------------------------------------------------------------------

static const char *dtype_text(clnd_dtype dtype, char text[32])
{
    if (values_is_opaque(dtype))
        snprintf(text, 32, "opaque(%zu)", ref_size(dtype));
    else
        snprintf(text, 32, "%s", clnd_dtype_name(dtype));
    return text;
}

static void describe_tensor(const placed *p, FILE *file)
{
    char name[32], shape[512], strides[512];
    if (!p->name)
        return;
    fprintf(file, "#   %-8s %s %s, strides %s, at byte %zu of %zu\n", p->name,
            dtype_text(p->host.dtype, name), placed_list(p->host.rank, p->host.shape, shape),
            placed_list(p->host.rank, p->host.strides, strides), p->host.offset, p->bytes);
}

static void describe_indices(const ref_array *indices, FILE *file)
{
    int64_t at[CLND_MAX_RANK], count = 0;
    fprintf(file, "#   values  ");
    for (bool more = ref_first(indices->rank, indices->shape, at); more;
         more = ref_next(indices->rank, indices->shape, at)) {
        if (count++ == 64) {
            fprintf(file, " ...");
            break;
        }
        fprintf(file, " %" PRId64, ref_index_at(indices, at));
    }
    fprintf(file, "\n");
}

void problem_describe(const problem *p, FILE *file)
{
    static const char *const policies[] = {"DEFAULT", "ERROR", "ZERO", "FILL", "CLAMP", "WRAP"};
    static const char *const reductions[] = {"", "update", "add", "sub", "mul", "min", "max"};
    fprintf(file, "# problem %" PRIu64 ": %s, CLND_STRATEGY=%s", p->number, op_names[p->op],
            p->forced);
    if (op_has_indices(p->op))
        fprintf(file, ", bounds %s", policies[p->bounds]);
    if (op_is_scatter(p->op))
        fprintf(file, ", reduce %s%s%s%s", reductions[p->reduce],
                p->default_reduce ? " by default" : "", p->deterministic ? ", deterministic" : "",
                p->unique ? ", unique" : "");
    if (p->op == OP_GATHER || p->op == OP_GATHER_ELEMENTS || p->op == OP_SCATTER_ELEMENTS ||
        p->op == OP_SCATTER)
        fprintf(file, ", axis %d", p->said_axis);
    if (p->op == OP_GATHER || p->op == OP_GATHER_ND || p->op == OP_SCATTER)
        fprintf(file, ", batch_dims %d", p->said_batch_dims);
    if (p->reported)
        fprintf(file, ", with a report");
    fprintf(file, "%s%s\n", p->fault ? ", spoilt: " : "", p->fault ? p->fault : "");
    describe_tensor(&p->input, file);
    describe_tensor(&p->indices, file);
    if (p->indices.name && p->indices.host.data)
        describe_indices(&p->indices.host, file);
    describe_tensor(&p->out, file);
    if (p->lent.buffer)
        fprintf(file, "#   workspace of %zu bytes at %zu\n", p->lent.size, p->lent.offset);
    if (op_has_indices(p->op) || p->op == OP_COPY)
        return;
    char lists[3][512];
    fprintf(file,
            "#   slice    begin %s, end %s, strides %s, masks: begin %x, end %x, ellipsis %x, "
            "new axis %x, shrink axis %x\n",
            placed_list(p->taken.length, p->taken.begin, lists[0]),
            placed_list(p->taken.length, p->taken.end, lists[1]),
            placed_list(p->taken.length, p->taken.strides, lists[2]), p->taken.begin_mask,
            p->taken.end_mask, p->taken.ellipsis_mask, p->taken.new_axis_mask,
            p->taken.shrink_axis_mask);
}

// Running ----------------------------------------------------------------------------------------

static void upload(placed *p, const device *d, launch *l, int *late, rng *r)
{
    if (*late < 2 && rng_chance(r, 12)) {
        cl_event event = placed_upload_late(p, d);
        if (event) {
            launch_wait_for(l, event);
            ++*late;
        }
    } else {
        placed_upload(p, d);
    }
}

// Lends a workspace as large as the plan wants, or larger, or smaller, with which some strategies
// make do. Bytes that the plan does not use are guards.
static void lend_workspace(problem *p, const device *d, rng *r)
{
    enum { STEP = 128 };
    int64_t first = STEP * rng_range(r, 0, 2), extra = rng_chance(r, 30) ? rng_range(r, 1, 99) : 0;
    int64_t wanted = (int64_t)p->plan.workspace_bytes, size = wanted + extra;
    if (wanted && rng_chance(r, 40))
        size = rng_chance(r, 30) ? wanted - 1 : rng_chance(r, 30) ? 0 : rng_range(r, 1, wanted);
    int64_t whole = first + size + rng_range(r, 1, 200);
    placed_from(&p->workspace, "workspace", r, CLND_UINT8, 1, &whole, NULL);
    placed_upload(&p->workspace, d);
    p->lent = (clnd_workspace){p->workspace.tensor.buffer, (size_t)first, (size_t)size};
}

static void check_workspace(problem *p, const device *d)
{
    unsigned char *bytes = placed_read(&p->workspace, d);
    memcpy(p->workspace.host.data + p->lent.offset, bytes + p->lent.offset,
           (size_t)p->plan.workspace_bytes);
    free(bytes);
    placed_check(&p->workspace, d, EQUAL_BITS, NULL);
    placed_free(&p->workspace);
}

// Of all problems in a row that have the same engine; it forgets the one before.
static struct {
    const clnd_engine *engine;
    clnd_report *report;
} shared;

void problem_end(void)
{
    clnd_report_destroy(&shared.report);
}

static clnd_report *new_report(const device *d)
{
    if (shared.engine != d->engine)
        problem_end();
    shared.engine = d->engine;
    if (!shared.report)
        check_status(clnd_report_create(d->engine, &shared.report), CLND_OK);
    check_status(clnd_report_reset(shared.report), CLND_OK);
    return shared.report;
}

// What a call with a report has come to; until then it returned OK also for bad rows.
static clnd_status ask_report(problem *p, clnd_status status, rng *r)
{
    bool done;
    check(status != CLND_INDEX_OUT_OF_BOUNDS, "the call with a report waited");
    if (rng_chance(r, 20))
        clnd_report_poll(p->report, &done, NULL);
    clnd_status found = clnd_report_wait(p->report, &p->result);
    check(found == p->result.status, "the result is %s, the wait %s",
          clnd_status_name(p->result.status), clnd_status_name(found));
    check(found == CLND_OK || (status == CLND_OK && p->result.call == 0 &&
                               strcmp(p->result.op, op_names[p->op]) == 0),
          "%s: call %" PRIu64 " of %s", clnd_status_name(status), p->result.call,
          p->result.op ? p->result.op : "none");
    return status ? status : found;
}

void problem_compare_plan(const problem *p, clnd_status planned, clnd_status status)
{
    bool unseen = planned == CLND_OK && status == CLND_INDEX_OUT_OF_BOUNDS;
    bool no_buffer = p->fault && p->fault_status == CLND_INVALID_BUFFER;
    check(planned == status || unseen || no_buffer, "the plan is %s, the call %s",
          clnd_status_name(planned), clnd_status_name(status));
    check(p->plan.workspace_bytes <= p->lent.size || !p->lent.buffer,
          "the plan needs %" PRIu64 " bytes of %zu", p->plan.workspace_bytes, p->lent.size);
    check(planned != CLND_OK || (p->plan.reason && *p->plan.reason), "the plan has no reason");
}

void problem_run(problem *p, const device *d, uint64_t seed, uint64_t number, const char *forced,
                 bool describe)
{
    char name[128], block[32] = "";
    rng r;
    launch l;
    int late = 0;
    if (menu_problems != MENU_PROBLEMS)
        snprintf(block, sizeof block, " --block %" PRIu64, menu_problems);
    snprintf(name, sizeof name, "--seed %" PRIu64 "%s --only %" PRIu64, seed, block, number);
    problem_draw(p, seed, number, &r);
    if (forced) {
        snprintf(p->forced, sizeof p->forced, "%s", forced);
        p->must = device_lists(forced, "must");
    }
    case_enter(name, r);
    problem_make(p, d, &r);
    launch_pick(&l, device_with(d, p->forced), &r);
    upload(&p->input, d, &l, &late, &r);
    if (op_has_indices(p->op))
        upload(&p->indices, d, &l, &late, &r);
    upload(&p->out, d, &l, &late, &r);
    problem_break(p, &r);
    if (describe)
        problem_describe(p, stdout);
    const device *with = device_with(d, p->forced);
    clnd_status planned = problem_plan(p, with, &p->plan);
    if (planned == CLND_OK && op_is_scatter(p->op) && rng_chance(&r, 40)) {
        lend_workspace(p, d, &r);
        planned = problem_plan(p, with, &p->plan);
    }
    if (p->reported)
        p->report = new_report(d);
    clnd_status status = problem_call(p, with, &l);
    launch_finish(&l, d, status);
    check_cl(clFinish(d->other)); // a refused call did not wait
    if (p->report)
        status = ask_report(p, status, &r);
    problem_compare_plan(p, planned, status);
    p->done = status == CLND_OK;
    problem_judge(p, d, status);
    placed_check(&p->input, d, EQUAL_BITS, NULL);
    if (op_has_indices(p->op)) {
        placed_check(&p->indices, d, EQUAL_BITS, NULL);
        placed_free(&p->indices);
    }
    if (p->lent.buffer)
        check_workspace(p, d);
    placed_free(&p->input);
    placed_free(&p->out);
    free(p->fill);
    p->fill = NULL;
}
