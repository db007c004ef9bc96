// SPDX-License-Identifier: Apache-2.0
//
// A scatter: what the strategies ask is answered once, the table is walked for the first that can
// do it and pays, and that one plans and enqueues.

#include "host/exec/scatter.h"

#include <inttypes.h>
#include <string.h>

#include "host/base/dtype.h"
#include "host/base/error.h"
#include "host/base/integers.h"
#include "host/exec/rows.h"
#include "host/exec/strategies/table.h"
#include "host/exec/updates.h"

#define POINT(name) &clnd__scatter_##name,
static const clnd__scatter_strategy *const strategies[] = {CLND__SCATTERS(POINT)};
#undef POINT

enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

// Bytes that a device stores at once, so that no other store comes in between.
enum { WHOLE_STORE = 8 };

static bool any_may_win(const clnd__scatter_case *c)
{
    return c->options.reduce == CLND_REDUCE_UPDATE && !c->options.deterministic &&
           c->element <= WHOLE_STORE &&
           clnd__widest_unit(c->problem, c->alignment) % c->element == 0;
}

static bool has_few_locations(const clnd__scatter_case *c)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    return c->facts->is_cpu && !c->options.unique && c->end - c->begin <= tuning->few_bytes &&
           c->rows > tuning->few_rows_per_element * c->elements / c->row_elements;
}

// Threads that store to few lines take them from one another all the time; and to apply a short row
// takes one thread less than it takes several to put it into a bucket.
static bool is_for_one_owner(const clnd__scatter_case *c)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    const int64_t others = at_least((int64_t)c->facts->compute_units - 1, 1);
    const bool is_short = c->row_elements * c->element <= tuning->one_owner_bytes / others;
    return c->few_locations && (c->options.reduce == CLND_REDUCE_UPDATE || is_short) &&
           clnd__rows_can_compile(c->planner);
}

int64_t clnd__copies_room(const clnd__scatter_case *c)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    const uint64_t share = c->facts->cache / (uint64_t)tuning->copies_cache_share;
    const bool known = share > 0 && share < (uint64_t)tuning->copies_bytes;
    return known ? (int64_t)share : tuning->copies_bytes;
}

// To find the last row of each location takes less time than to apply all rows in order, where they
// cannot be stored at once, than threads take that contend for few lines, and than to move all rows
// of a line and more.
static bool can_find_last_rows(const clnd__scatter_case *c)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    const int64_t locations = c->elements / c->row_elements;
    const int64_t copies = c->facts->compute_units * (int64_t)sizeof(uint32_t);
    clnd__move move;
    if (c->options.reduce != CLND_REDUCE_UPDATE || !clnd__updates_are_even(c, c->problem))
        return false;
    clnd__updates_lower(c, c->problem, false, &move);
    const bool pays =
        !c->any_may_win || c->few_locations || c->row_elements * c->element >= tuning->line_bytes;
    return pays && !c->options.unique && clnd__rows_are_worth_it(c->planner, &move) &&
           c->rows / tuning->last_rows_per_location >= locations &&
           locations <= clnd__copies_room(c) / copies && (uint64_t)(locations * copies) <= c->room;
}

static void answer(const clnd__planner *planner, const clnd__problem *folded,
                   const clnd__scatter_options *options, clnd__scatter_case *c)
{
    const clnd_dtype dtype = folded->dtype;
    c->planner = planner;
    c->facts = planner->facts;
    c->problem = folded;
    c->options = *options;
    c->alignment = c->data->alignment | c->dense->alignment;
    c->room = clnd__workspace_room(options->workspace, 0);
    c->element = (int64_t)clnd_dtype_size(dtype);
    c->elements = (c->end - c->begin) / c->element;
    c->rows = clnd__problem_rows(folded);
    c->row_elements = clnd__problem_slice_size(folded);
    c->options.unique |= c->rows == 1;
    // Half, because a compare-and-swap may fail once for each update of other work-items.
    c->loops_end = c->facts->loop_iterations == 0 ||
                   c->rows <= clnd__most_steps(planner) / 2 / c->row_elements;
    c->is_sum = options->reduce == CLND_REDUCE_ADD || options->reduce == CLND_REDUCE_SUB;
    c->is_float =
        clnd__dtype_kind(dtype) >= clnd__dtype_kind(CLND_FLOAT16) && !clnd__dtype_is_opaque(dtype);
    // Sums of floats depend on the order of the rows, other reductions of them on where a NaN is.
    c->any_order = !options->deterministic || !c->is_float;
    // Where no two rows meet, sums have one update each and are rounded once in any case.
    c->rounds_once = options->deterministic && !c->options.unique && clnd__dtype_is_half(dtype) &&
                     (c->is_sum || options->reduce == CLND_REDUCE_MUL);
    c->any_may_win = any_may_win(c);
    c->few_locations = has_few_locations(c);
    c->one_owner = is_for_one_owner(c);
    c->last_rows = can_find_last_rows(c);
}

static const char *why_not(const clnd__scatter_strategy *strategy, const clnd__scatter_case *c)
{
    if (!c->loops_end && !strategy->divides_loops)
        return "cannot do this scatter: the driver would end its loops early";
    return strategy->why_not(c);
}

// Why a strategy is tried. In the last turn any is, where those that pay want a larger workspace.
typedef enum turn { ASKED, PAYS, FITS, N_TURNS } turn;

static const char *why_try(const clnd__scatter_strategy *strategy, const clnd__scatter_case *c,
                           turn t)
{
    if (t == ASKED)
        return clnd__is_asked(c->planner, strategy->name) ? "asked for by name" : NULL;
    return t == PAYS ? strategy->pays(c) : "others need more than the workspace that is lent";
}

typedef struct walk {
    const char *refused, *obstacle; // the last strategy that cannot do the case, and why
    uint64_t least; // bytes of a workspace, of plans that want more than is lent; UINT64_MAX: none
} walk;

static bool lacks_room(const walk *w)
{
    return w->least < UINT64_MAX;
}

// Tries the strategies of a turn until the plan of one fits what is lent. False: none does.
static bool plan_turn(const clnd__scatter_case *c, turn t, walk *w, clnd__scatter_plan *plan)
{
    for (int i = 0; i < N_STRATEGIES; ++i) {
        const char *reason = why_try(strategies[i], c, t);
        const char *obstacle = reason ? why_not(strategies[i], c) : NULL;
        if (obstacle) {
            w->refused = strategies[i]->name;
            w->obstacle = obstacle;
        }
        if (!reason || obstacle)
            continue;
        memset(plan, 0, offsetof(clnd__scatter_plan, own)); // the strategy sets its own
        plan->strategy = strategies[i];
        plan->reason = reason;
        plan->workspace.lent = c->options.workspace;
        strategies[i]->plan(c, plan);
        if (plan->workspace.bytes <= c->room)
            return true;
        if (plan->workspace.bytes < w->least)
            w->least = plan->workspace.bytes;
    }
    return false;
}

static clnd_status choose(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    walk w = {.least = UINT64_MAX};
    if (c->rounds_once && c->elements > INT64_MAX / (int64_t)sizeof(float))
        return clnd__fail(CLND_SIZE_OVERFLOW,
                          "a float32 copy of the target's %" PRId64 " bytes does not fit 63 bits",
                          c->end - c->begin);
    if (plan_turn(c, ASKED, &w, plan))
        return CLND_OK;
    const bool must = clnd__is_asked(c->planner, "must") && (w.refused || lacks_room(&w));
    if (!must && (plan_turn(c, PAYS, &w, plan) || (lacks_room(&w) && plan_turn(c, FITS, &w, plan))))
        return CLND_OK;
    if (lacks_room(&w))
        return clnd__fail(CLND_BUFFER_TOO_SMALL,
                          "the workspace has size %" PRIu64 ", this call needs %" PRIu64, c->room,
                          w.least);
    if (must)
        return clnd__fail(CLND_INVALID_OPTION, "strategy %s %s", w.refused, w.obstacle);
    return clnd__fail(CLND_UNSUPPORTED_DEVICE,
                      "the driver ends loops early, and %" PRId64 " rows are too many for it",
                      c->rows);
}

static bool has_nothing_to_do(const clnd__problem *problem)
{
    bool nothing = clnd__problem_rows(problem) == 0 || clnd__problem_slice_size(problem) == 0;
    for (int k = 0; k < problem->n_coordinates; ++k)
        nothing |= problem->coordinates[k].extent == 0; // every row is bad
    return nothing;
}

// Rows whose order does not matter go in that in which they lie, if they are even in updates then.
static void fold(const clnd__scatter_options *options, clnd__problem *problem)
{
    clnd__problem sorted = *problem;
    int64_t step;
    clnd__problem_sort_rows(&sorted);
    clnd__problem_fold(&sorted);
    if (!options->deterministic && clnd__problem_rows_are_even(&sorted, &step))
        *problem = sorted;
    else
        clnd__problem_fold(problem);
}

clnd_status clnd__scatter_plan_make(const clnd__planner *planner, clnd__problem problem,
                                    const clnd__scatter_options *options, const clnd__memory *data,
                                    int64_t begin, int64_t end, const clnd__memory *indices,
                                    const clnd__memory *dense, clnd__scatter_plan *plan)
{
    memset(plan, 0, offsetof(clnd__scatter_plan, own));
    if (has_nothing_to_do(&problem))
        return CLND_OK;
    fold(options, &problem);
    clnd__scatter_case c = {.data = data, .dense = dense, .begin = begin, .end = end};
    answer(planner, &problem, options, &c);
    const clnd_status status = choose(&c, plan);
    plan->dtype = problem.dtype;
    plan->target = data->buffer;
    plan->indices = indices->buffer ? indices->buffer : dense->buffer;
    plan->dense = dense->buffer;
    return status;
}

uint64_t clnd__wide_bytes(const clnd__scatter_case *c)
{
    return (uint64_t)c->elements * sizeof(float);
}

clnd__problem clnd__wide_problem(const clnd__scatter_case *c)
{
    clnd__problem problem = *c->problem;
    clnd__problem_scale_data(&problem, c->begin, (int64_t)sizeof(float), c->element);
    return problem;
}

clnd__problem clnd__wide_plan(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    clnd__problem problem = clnd__wide_problem(c);
    const int64_t offset = clnd__workspace_offset(&plan->workspace);
    plan->workspace.bytes = clnd__wide_bytes(c);
    plan->wide = true;
    plan->widen = (clnd_widen_args){c->begin, offset, c->elements};
    problem.data_offset += offset;
    return problem;
}

static clnd__kernel_id widening(const clnd__scatter_plan *plan, const char *function)
{
    return (clnd__kernel_id){.source = "widen",
                             .function = function,
                             .options.dtype = (int16_t)clnd__dtype_kind(plan->dtype)};
}

static clnd_status prepare_wide(clnd__call *call, const clnd__scatter_plan *plan)
{
    if (!plan->wide)
        return CLND_OK;
    const clnd__kernel_id widen = widening(plan, "widen"), narrow = widening(plan, "narrow");
    const clnd_status status = clnd__call_prepare(call, &widen);
    return status ? status : clnd__call_prepare(call, &narrow);
}

static clnd_status enqueue_wide(clnd__call *call, const clnd__scatter_plan *plan,
                                const char *function)
{
    if (!plan->wide)
        return CLND_OK;
    const clnd__planner planner = clnd__planner_of(call->engine);
    const size_t local = clnd__has_lanes(&planner) ? CLND_LANES : 1;
    const int64_t most = at_most(clnd__most_steps(&planner), INT64_MAX / CLND_LANES);
    const size_t groups = (size_t)at_least(planner.tuning->gpu.convert_groups,
                                           divide_up(plan->widen.count, most * (int64_t)local));
    const clnd__launch launch = {.kernel = widening(plan, function),
                                 .n_buffers = 2,
                                 .buffers = {plan->target, plan->workspace.buffer},
                                 .args = &plan->widen,
                                 .args_size = sizeof plan->widen,
                                 .global = {groups * local, 1},
                                 .local = local};
    return clnd__call_launch(call, &launch);
}

static clnd_status take_workspace(clnd__call *call, clnd__workspace *workspace)
{
    if (workspace->lent)
        workspace->buffer = workspace->lent->buffer;
    if (workspace->lent || workspace->bytes == 0)
        return CLND_OK;
    const clnd_status status =
        clnd__call_take_scratch(call, (size_t)workspace->bytes, &workspace->owned);
    workspace->buffer = workspace->owned.memory;
    return status;
}

clnd_status clnd__scatter_prepare(clnd__call *call, clnd__scatter_plan *plan)
{
    if (!plan->strategy)
        return CLND_OK;
    clnd_status status = take_workspace(call, &plan->workspace);
    const cl_mem buffers[] = {plan->target, plan->indices, plan->dense, plan->workspace.buffer};
    if (status == CLND_OK)
        status = clnd__call_reach(call, 4, buffers);
    if (status == CLND_OK)
        status = plan->strategy->prepare(call, plan);
    return status ? status : prepare_wide(call, plan);
}

clnd_status clnd__scatter_enqueue_first(clnd__call *call, clnd__scatter_plan *plan)
{
    plan->begun = true;
    return plan->strategy->enqueue_first(call, plan);
}

clnd_status clnd__scatter_enqueue(clnd__call *call, clnd__scatter_plan *plan)
{
    if (!plan->strategy)
        return CLND_OK;
    clnd_status status = enqueue_wide(call, plan, "widen");
    if (status == CLND_OK)
        status =
            plan->strategy->enqueue(call, plan, plan->wide ? plan->workspace.buffer : plan->target);
    return status ? status : enqueue_wide(call, plan, "narrow");
}

void clnd__scatter_finish(clnd__call *call, clnd_status status, clnd__scatter_plan *plan)
{
    clnd__call_return_scratch(call, status, &plan->workspace.owned);
}
