// SPDX-License-Identifier: Apache-2.0
//
// Plans say what a call would do without doing it, and workspaces that a caller lends are used as
// far as the plan says and no further.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "device.h"
#include "problem.h"

static clnd_tensor described(clnd_dtype dtype, int rank, const int64_t *shape)
{
    clnd_tensor tensor;
    check_status(clnd_tensor_dense(NULL, 0, dtype, rank, shape, &tensor), CLND_OK);
    return tensor;
}

static void check_plan(const clnd_plan *plan, const char *strategy, uint64_t workspace_bytes)
{
    check(plan_takes(plan, strategy), "strategy %s, expected %s", plan->strategy, strategy);
    check(plan->reason && *plan->reason, "no reason");
    check(plan->workspace_bytes == workspace_bytes, "%llu bytes, expected %llu",
          (unsigned long long)plan->workspace_bytes, (unsigned long long)workspace_bytes);
}

// What a device takes when nothing is forced.
static const char *movement(const device *d)
{
    return d->facts->is_cpu ? "blocks" : "lanes";
}

Test(plan, needs_no_buffers)
{
    const device *d = device_get();
    case_begin("plan", 0);
    const clnd_tensor rows = described(CLND_FLOAT32, 2, (int64_t[]){1000, 8});
    const clnd_tensor tuples = described(CLND_INT32, 2, (int64_t[]){50, 1});
    const clnd_tensor picked = described(CLND_FLOAT32, 2, (int64_t[]){50, 8});
    const clnd_tensor column = described(CLND_FLOAT32, 2, (int64_t[]){1000, 1});
    const clnd_tensor along_rows = described(CLND_INT32, 2, (int64_t[]){1000, 2});
    const clnd_tensor taken = described(CLND_FLOAT32, 2, (int64_t[]){1000, 2});
    const clnd_tensor places = described(CLND_INT32, 1, (int64_t[]){50});
    clnd_slice even;
    clnd_plan plan;
    check_status(clnd_slice_parse(":, ::8", &even), CLND_OK);

    check_status(clnd_gather_nd_plan(d->engine, &rows, &tuples, &picked, NULL, &plan), CLND_OK);
    check_plan(&plan, movement(d), 0);
    check_status(clnd_gather_plan(d->engine, &rows, &places, &picked, NULL, &plan), CLND_OK);
    check_plan(&plan, movement(d), 0);
    const clnd_gather_elements_options along = {.axis = 1};
    check_status(clnd_gather_elements_plan(d->engine, &rows, &along_rows, &taken, &along, &plan),
                 CLND_OK);
    check_plan(&plan, movement(d), 0);
    check_status(clnd_scatter_nd_into_plan(d->engine, &tuples, &picked, &rows, NULL, &plan),
                 CLND_OK);
    check_plan(&plan, "store", 0);
    const clnd_scatter_elements_options update = {.axis = 1};
    check_status(clnd_scatter_elements_plan(d->engine, &along_rows, &taken, &rows, &update, &plan),
                 CLND_OK);
    check_plan(&plan, "store", 0);
    check_status(clnd_strided_slice_plan(d->engine, &rows, &even, &column, NULL, &plan), CLND_OK);
    check_plan(&plan, movement(d), 0);
    check_status(clnd_strided_slice_assign_plan(d->engine, &column, &even, &rows, NULL, &plan),
                 CLND_OK);
    check_plan(&plan, movement(d), 0);
    check_status(clnd_strided_slice_grad_plan(d->engine, &column, &even, &rows, NULL, &plan),
                 CLND_OK);
    check_plan(&plan, movement(d), 0);
    check_status(clnd_copy_plan(d->engine, &rows, &rows, NULL, &plan), CLND_OK);
    check_plan(&plan, "buffer", 0);
}

Test(plan, of_nothing)
{
    const device *d = device_get();
    case_begin("plan_nothing", 0);
    const clnd_tensor rows = described(CLND_FLOAT32, 2, (int64_t[]){1000, 8});
    const clnd_tensor tuples = described(CLND_INT32, 2, (int64_t[]){0, 1});
    const clnd_tensor picked = described(CLND_FLOAT32, 2, (int64_t[]){0, 8});
    clnd_plan plan;
    check_status(clnd_gather_nd_plan(d->engine, &rows, &tuples, &picked, NULL, &plan), CLND_OK);
    check_plan(&plan, "none", 0);
    check_status(clnd_scatter_nd_plan(d->engine, &tuples, &picked, &rows, NULL, &plan), CLND_OK);
    check_plan(&plan, "none", 0);
    check_status(clnd_copy_plan(d->engine, &picked, &picked, NULL, &plan), CLND_OK);
    check_plan(&plan, "none", 0);
}

Test(plan, refuses_what_the_call_refuses)
{
    const device *d = device_get();
    case_begin("plan_refuses", 0);
    const clnd_tensor rows = described(CLND_FLOAT32, 2, (int64_t[]){1000, 8});
    const clnd_tensor tuples = described(CLND_INT32, 2, (int64_t[]){50, 1});
    const clnd_tensor picked = described(CLND_FLOAT32, 2, (int64_t[]){50, 7});
    clnd_plan plan = {.workspace_bytes = 1};
    check_status(clnd_gather_nd_plan(d->engine, &rows, &tuples, &picked, NULL, &plan),
                 CLND_INVALID_SHAPE);
    check(plan.workspace_bytes == 0 && !plan.reason, "the plan is not zeroed");
    check_status(clnd_gather_nd_plan(NULL, &rows, &tuples, &picked, NULL, &plan),
                 CLND_NULL_POINTER);
    check_message("engine is NULL");
    check_status(clnd_copy_plan(d->engine, &rows, &rows, NULL, NULL), CLND_NULL_POINTER);
    check_message("plan is NULL");
    check_status(clnd_strided_slice_plan(d->engine, &rows, NULL, &rows, NULL, &plan),
                 CLND_NULL_POINTER);
    check_message("slice is NULL");
}

// Which strategy an engine with these words plans; NULL: it refuses the call, and says why.
static void check_forced(const device *d, const char *words, const char *strategy)
{
    const clnd_tensor rows = described(CLND_INT32, 2, (int64_t[]){1000, 8});
    const clnd_tensor tuples = described(CLND_INT32, 2, (int64_t[]){50, 1});
    const clnd_tensor picked = described(CLND_INT32, 2, (int64_t[]){50, 8});
    const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD};
    const clnd_engine_options options = {.strategy = words};
    clnd_engine *engine;
    clnd_plan plan;
    case_note("%s", words ? words : "the environment's");
    check_status(clnd_engine_create(d->context, d->id, &options, &engine), CLND_OK);
    cases_setenv("CLND_STRATEGY", "sort"); // too late
    const clnd_status status =
        clnd_scatter_nd_into_plan(engine, &tuples, &picked, &rows, &add, &plan);
    check_status(status, strategy ? CLND_OK : CLND_INVALID_OPTION);
    if (strategy)
        check_plan(&plan, strategy, 0);
    else
        check_message("strategy store cannot do this scatter: rows may meet");
    clnd_engine_destroy(&engine);
}

Test(plan, obeys_the_words_that_the_engine_was_made_with)
{
    const device *d = device_get();
    case_begin("plan_forced", 0);
    cases_setenv("CLND_STRATEGY", "atomic");
    check_forced(d, NULL, "atomic");
    cases_setenv("CLND_STRATEGY", "atomic");
    check_forced(d, "owner", "owner");
    check_forced(d, "must,owner", "owner");
    check_forced(d, "store,owner", "owner"); // of which one is possible
    check_forced(d, "must,store", NULL);
    check_forced(d, "must,lanes,atomic", "atomic");
    cases_setenv("CLND_STRATEGY", "must,store");
    check_forced(d, NULL, NULL);
    cases_setenv("CLND_STRATEGY", NULL);
}

// Lent workspaces ---------------------------------------------------------------------------------

// A sum of halves that is rounded once, which needs a workspace.
enum { TARGET = 300, ROWS = 200, GUARD = 128, BUFFER_BYTES = 32768 };

typedef struct sums {
    placed indices, updates, target;
    clnd_scatter_nd_options options;
} sums;

static void make_sums(sums *s, const device *d)
{
    const values halves = {.kind = VALUES_PLAIN};
    placed_make(&s->indices, "indices", case_rng(), CLND_INT32, 2, (int64_t[]){ROWS, 1},
                PLACED_ALIGNED);
    placed_make(&s->updates, "updates", case_rng(), CLND_FLOAT16, 1, (int64_t[]){ROWS},
                PLACED_ALIGNED);
    placed_make(&s->target, "target", case_rng(), CLND_FLOAT16, 1, (int64_t[]){TARGET},
                PLACED_ALIGNED);
    cases_indices(case_rng(), &s->indices, (int64_t[]){TARGET}, 1, CLND_BOUNDS_ERROR, 0);
    placed_fill(&s->updates, case_rng(), &halves);
    placed_fill(&s->target, case_rng(), &halves);
    placed_upload(&s->indices, d);
    placed_upload(&s->updates, d);
    placed_upload(&s->target, d);
    s->options = (clnd_scatter_nd_options){.reduce = CLND_REDUCE_ADD, .deterministic = true};
}

static void free_sums(sums *s)
{
    placed_free(&s->indices);
    placed_free(&s->updates);
    placed_free(&s->target);
}

static clnd_status run_sums(const sums *s, const device *d)
{
    const clnd_status status =
        clnd_scatter_nd_into(d->engine, NULL, &s->indices.tensor, &s->updates.tensor,
                             &s->target.tensor, &s->options, 0, NULL, NULL);
    check_cl(clFinish(d->queue));
    return status;
}

static cl_mem new_workspace(const device *d, unsigned char *content)
{
    cl_int code;
    for (int i = 0; i < BUFFER_BYTES; ++i)
        content[i] = (unsigned char)rng_range(case_rng(), 0, 255);
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_COPY_HOST_PTR, BUFFER_BYTES, content, &code);
    check_cl(code);
    return buffer;
}

Test(workspace, is_used_as_far_as_the_plan_says)
{
    const device *d = device_get();
    unsigned char before[BUFFER_BYTES], after[BUFFER_BYTES];
    case_begin("workspace", 0);
    sums s;
    clnd_plan plan;
    make_sums(&s, d);
    check_status(clnd_scatter_nd_into_plan(d->engine, &s.indices.tensor, &s.updates.tensor,
                                           &s.target.tensor, &s.options, &plan),
                 CLND_OK);
    check(plan.workspace_bytes > 0 && plan.workspace_bytes <= BUFFER_BYTES - 2 * GUARD,
          "workspace of %llu bytes", (unsigned long long)plan.workspace_bytes);
    clnd_workspace workspace = {new_workspace(d, before), GUARD, (size_t)plan.workspace_bytes};
    s.options.workspace = &workspace;
    check_status(run_sums(&s, d), CLND_OK);
    ref_scatter_nd_into(&s.indices.host, &s.updates.host, &s.target.host,
                        &(ref_scatter_options){.reduce = CLND_REDUCE_ADD,
                                               .bounds = CLND_BOUNDS_ERROR,
                                               .round_once = true});
    placed_check(&s.target, d, EQUAL_BITS, NULL);

    const size_t end = workspace.offset + workspace.size;
    check_cl(clEnqueueReadBuffer(d->queue, workspace.buffer, CL_TRUE, 0, BUFFER_BYTES, after, 0,
                                 NULL, NULL));
    check(memcmp(before, after, GUARD) == 0, "bytes before the workspace have changed");
    check(memcmp(before + end, after + end, BUFFER_BYTES - end) == 0,
          "bytes behind the workspace have changed");
    check(memcmp(before + GUARD, after + GUARD, workspace.size) != 0, "it was not used");
    check_cl(clReleaseMemObject(workspace.buffer));
    free_sums(&s);
}

Test(workspace, must_be_sound)
{
    const device *d = device_get();
    unsigned char content[BUFFER_BYTES];
    case_begin("workspace_refused", 0);
    sums s;
    make_sums(&s, d);
    cl_int code;
    cl_mem buffer = new_workspace(d, content);
    cl_mem only[2]; // read, or written
    for (int i = 0; i < 2; i++) {
        only[i] = clCreateBuffer(d->context, i ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY, BUFFER_BYTES,
                                 NULL, &code);
        check_cl(code);
    }
    const struct {
        const char *what;
        clnd_workspace workspace;
        clnd_status status;
        const char *message;
    } refused[] = {
        {"one byte short",
         {buffer, 0, 4 * TARGET - 1},
         CLND_BUFFER_TOO_SMALL,
         "the workspace has size 1199, this call needs 1200"},
        {"read-only",
         {only[0], 0, BUFFER_BYTES},
         CLND_INVALID_BUFFER,
         "the workspace is written, but its buffer is CL_MEM_READ_ONLY"},
        {"write-only",
         {only[1], 0, BUFFER_BYTES},
         CLND_INVALID_BUFFER,
         "the workspace is read, but its buffer is CL_MEM_WRITE_ONLY"},
        {"no buffer",
         {NULL, 0, 0},
         CLND_INVALID_BUFFER,
         "the workspace has size 0, its buffer is NULL; options->workspace is NULL where"},
        {"beyond the buffer",
         {buffer, GUARD, BUFFER_BYTES - GUARD + 1},
         CLND_BUFFER_TOO_SMALL,
         "offset 128 and size 32641, its buffer has size 32768"},
        {"offset beyond the buffer",
         {buffer, BUFFER_BYTES + GUARD, 0},
         CLND_BUFFER_TOO_SMALL,
         "offset 32896"},
        {"size that wraps around",
         {buffer, GUARD, SIZE_MAX - 64},
         CLND_BUFFER_TOO_SMALL,
         "its buffer has size 32768"},
        {"crooked offset", {buffer, 64, 4 * TARGET}, CLND_MISALIGNED, "a multiple of 128"},
        {"over the target",
         {s.target.tensor.buffer, 0, s.target.bytes},
         CLND_OVERLAP,
         "the workspace in bytes"},
        {"over the indices",
         {s.indices.tensor.buffer, 0, s.indices.bytes},
         CLND_OVERLAP,
         "and indices in bytes"},
    };
    for (int i = 0; i < (int)(sizeof refused / sizeof *refused); i++) {
        case_note("%s", refused[i].what);
        s.options.workspace = &refused[i].workspace;
        check_status(run_sums(&s, d), refused[i].status);
        check_message(refused[i].message);
        placed_check(&s.target, d, EQUAL_BITS, NULL);
    }
    check_cl(clReleaseMemObject(buffer));
    check_cl(clReleaseMemObject(only[0]));
    check_cl(clReleaseMemObject(only[1]));
    free_sums(&s);
}

// Sums that are rounded once are brought together, or made in a float32 copy of the target. Where
// neither has room, the message names the smaller of both.
Test(workspace, of_few_rounded_sums_is_smaller_than_the_target)
{
    enum { FEW = 500, MANY = 100000 };
    static const char *const forced[] = {"must,buckets", "must,sort"};
    const device *d = device_get();
    const clnd_tensor tuples = described(CLND_INT32, 2, (int64_t[]){FEW, 1});
    const clnd_tensor updates = described(CLND_FLOAT16, 1, (int64_t[]){FEW});
    const clnd_tensor target = described(CLND_FLOAT16, 1, (int64_t[]){MANY});
    cl_int code;
    clnd_plan plan;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, 4 * MANY, NULL, &code);
    check_cl(code);
    for (int i = 0; i < 2; i++) {
        case_begin(forced[i], 0);
        clnd_workspace lent = {buffer, 0, 0};
        const clnd_scatter_nd_options options = {
            .reduce = CLND_REDUCE_ADD, .deterministic = true, .workspace = &lent};
        clnd_engine *engine = device_with(d, forced[i])->engine;
        clnd_status status =
            clnd_scatter_nd_into_plan(engine, &tuples, &updates, &target, &options, &plan);
        if (status == CLND_INVALID_OPTION)
            continue; // the device cannot do it so
        check_status(status, CLND_BUFFER_TOO_SMALL);
        const size_t least = strtoul(strstr(clnd_last_error(), "needs ") + 6, NULL, 10);
        check(least < 4 * MANY, "a copy of the target would take less than %zu", least);
        lent.size = least - 1;
        check_status(clnd_scatter_nd_into_plan(engine, &tuples, &updates, &target, &options, &plan),
                     CLND_BUFFER_TOO_SMALL);
        lent.size = least;
        check_status(clnd_scatter_nd_into_plan(engine, &tuples, &updates, &target, &options, &plan),
                     CLND_OK);
    }
    check_cl(clReleaseMemObject(buffer));
}

// Random scatters with workspaces of any size -----------------------------------------------------

// Plans and calls the scatter with so many bytes, and judges. The target begins anew.
static clnd_status lend_and_judge(problem *p, const device *d, cl_mem buffer, size_t bytes)
{
    launch l;
    case_note("%s of %s, reduction %d, %zu bytes", p->forced, clnd_dtype_name(p->dtype),
              (int)p->reduce, bytes);
    p->lent = (clnd_workspace){buffer, 0, bytes};
    placed_upload(&p->out, d);
    const clnd_status planned = problem_plan(p, d, &p->plan);
    launch_pick(&l, d, case_rng());
    const clnd_status status = problem_call(p, d, &l);
    launch_finish(&l, d, status);
    problem_compare_plan(p, planned, status);
    problem_judge(p, d, status);
    return planned;
}

static void lend_all_sizes(problem *p, const device *d)
{
    cl_int code;
    if (problem_plan(p, d, &p->plan) != CLND_OK)
        return; // the strategy that must be taken cannot do it
    const size_t wanted = (size_t)p->plan.workspace_bytes;
    const size_t sizes[] = {0, 1, wanted / 2, wanted - 1, wanted, wanted + 1};
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, wanted + 1, NULL, &code);
    check_cl(code);
    for (int i = 0; i < 6; i++)
        if (sizes[i] <= wanted + 1)
            check(lend_and_judge(p, d, buffer, sizes[i]) == CLND_OK || sizes[i] < wanted,
                  "what the plan wanted is too small");
    if (lend_and_judge(p, d, buffer, 0) == CLND_BUFFER_TOO_SMALL) {
        const size_t least = strtoul(strstr(clnd_last_error(), "needs ") + 6, NULL, 10);
        check(least <= wanted && lend_and_judge(p, d, buffer, least) == CLND_OK &&
                  lend_and_judge(p, d, buffer, least - 1) == CLND_BUFFER_TOO_SMALL,
              "the least is not %zu", least);
    }
    check_cl(clReleaseMemObject(buffer));
}

// Ways that use workspaces, and none.
static const char *const lent_ways[] = {"",          "buckets", "private", "sort",        "owner",
                                        "must,sort", "atomic",  "lanes",   "must,buckets"};

Test(workspace, of_any_size_for_random_scatters)
{
    static problem p;
    const device *d = device_get();
    const int count = case_count(600);
    rng r;
    for (uint64_t number = 0, done = 0; done < (uint64_t)count; number++) {
        if (!op_is_scatter(problem_op(1, number)))
            continue;
        problem_draw(&p, 1, number, &r);
        case_begin("workspaces", (int)number);
        const char *way = lent_ways[done++ % (sizeof lent_ways / sizeof *lent_ways)];
        snprintf(p.forced, sizeof p.forced, "%s", way);
        p.must = device_lists(way, "must");
        problem_make(&p, d, &r);
        placed_upload(&p.input, d);
        placed_upload(&p.indices, d);
        placed_upload(&p.out, d);
        p.given_input = p.input.tensor;
        p.given_indices = p.indices.tensor;
        p.given_out = p.out.tensor;
        p.given_bounds = p.bounds;
        lend_all_sizes(&p, device_with(d, p.forced));
        placed_free(&p.input);
        placed_free(&p.indices);
        placed_free(&p.out);
        memset(&p, 0, sizeof p);
    }
}
