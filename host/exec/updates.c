// SPDX-License-Identifier: Apache-2.0

#include "host/exec/updates.h"

#include "host/base/integers.h"
#include "host/exec/lanes.h"
#include "host/exec/rows.h"

void clnd__updates_lower(const clnd__scatter_case *c, const clnd__problem *problem, bool by_bytes,
                         clnd__move *move)
{
    const bool update = c->options.reduce == CLND_REDUCE_UPDATE;
    const int64_t unit = by_bytes ? 1 : clnd__widest_unit(problem, c->alignment);
    clnd__lower(problem, update ? unit : c->element, move);
    move->args.adjust = c->options.adjust;
}

void clnd__updates_set_options(const clnd__scatter_case *c, int sums, clnd__move *move)
{
    clnd__kernel_options *options = &move->kernel.options;
    if (c->options.reduce == CLND_REDUCE_UPDATE) {
        options->reduce = CLND_REDUCE_UPDATE;
        options->unit = (int16_t)move->unit;
    } else {
        clnd__set_reduction(c->facts, c->problem->dtype, c->options.reduce, options);
        options->wide = (int16_t)sums;
    }
}

bool clnd__updates_go_past_caches(const clnd__scatter_case *c, const clnd__move *move,
                                  bool in_order)
{
    const int64_t row = move->args.columns * move->unit;
    const bool few_meet = !in_order || move->args.rows <= (c->end - c->begin) / row ||
                          clnd__is_asked(c->planner, "stream");
    return few_meet && c->options.reduce == CLND_REDUCE_UPDATE && // others are read first
           clnd__each_row_goes_past_caches(c->planner, move);
}

static void name_kernel(const clnd__scatter_case *c, bool owners, bool wide, clnd__move *move)
{
    const char *function = owners ? "scatter_owner" : "scatter";
    const bool update = c->options.reduce == CLND_REDUCE_UPDATE, lanes = move->local > 1;
    clnd__updates_set_options(c, wide ? CLND_SUMS_WIDE : CLND_SUMS_PLAIN, move);
    if (update && lanes && clnd__lanes_suit(c->planner, move)) {
        clnd__lanes_plan(c->planner, "scatter_lanes", move);
    } else if (update && !lanes && clnd__rows_suit(c->planner, move)) {
        move->args.stream = clnd__updates_go_past_caches(c, move, owners);
        clnd__rows_set_kernel(c->planner, move, "scatter", function);
    } else {
        if (!update && !lanes)
            clnd__rows_set_updates(c->planner, wide ? (int64_t)sizeof(float) : move->unit, move);
        clnd__move_set_kernel(move, "scatter", function);
    }
}

static clnd__move *own(clnd__scatter_plan *plan)
{
    return (clnd__move *)&plan->own;
}

static void lower(const clnd__scatter_case *c, const clnd__problem *problem, bool blocks,
                  clnd__move *move)
{
    clnd__updates_lower(c, problem, false, move);
    if (blocks && clnd__rows_suit(c->planner, move))
        clnd__updates_lower(c, problem, true, move);
}

void clnd__updates_plan(const clnd__scatter_case *c, const clnd__problem *problem, int64_t owners,
                        clnd__scatter_plan *plan)
{
    clnd__move *move = own(plan);
    lower(c, problem, owners > 0 || !clnd__takes_lanes(c->planner), move);
    if (owners > 0)
        clnd__spread_owners(c->planner, problem, owners, move);
    else
        clnd__spread(c->planner, move);
    name_kernel(c, owners > 0, plan->wide, move);
    plan->only = plan->wide || (owners > 0 && move->args.rows_per_item < c->rows) ? NULL : move;
}

void clnd__updates_plan_blocks(const clnd__scatter_case *c, const clnd__problem *problem,
                               int64_t rows, clnd__scatter_plan *plan)
{
    clnd__move *move = own(plan);
    lower(c, problem, true, move);
    clnd__spread_blocks(c->planner, move);
    move->args.rows_per_item = divide_up(move->args.rows_per_item, rows) * rows;
    move->global[1] = (size_t)divide_up(move->args.rows, move->args.rows_per_item);
    name_kernel(c, false, false, move);
    plan->only = move->rest.size > 0 ? NULL : move;
}

clnd_status clnd__updates_prepare(clnd__call *call, clnd__scatter_plan *plan)
{
    return clnd__call_prepare(call, &own(plan)->kernel);
}

clnd_status clnd__updates_enqueue(clnd__call *call, clnd__scatter_plan *plan, cl_mem data)
{
    return clnd__move_enqueue(call, own(plan), 3,
                              (const cl_mem[]){data, plan->indices, plan->dense});
}

clnd_status clnd__updates_enqueue_in_order(clnd__call *call, clnd__scatter_plan *plan, cl_mem data)
{
    const clnd__move *all = own(plan);
    clnd_status status = CLND_OK;
    for (int64_t first = 0; first < all->args.rows && status == CLND_OK;) {
        clnd__move move = *all;
        clnd__move_take_chunk(&move.args, first, all->args.rows_per_item);
        status =
            clnd__move_enqueue(call, &move, 3, (const cl_mem[]){data, plan->indices, plan->dense});
        first = move.args.rows;
    }
    return status;
}

// What an entry has room for beside the row's number.
#define MOST_LOCATIONS (INT64_C(1) << (32 - CLND_BUCKET_ROW_BITS))

// The greatest power of two, up to `most`, that all rows of the target begin at multiples of.
static int64_t location_step(const clnd__problem *problem, int64_t most)
{
    uint64_t all = (uint64_t)most | (uint64_t)problem->data_offset;
    for (int i = 0; i < problem->n_outer; ++i)
        all |= (uint64_t)problem->outer[i].data;
    for (int k = 0; k < problem->n_coordinates; ++k)
        all |= (uint64_t)problem->coordinates[k].stride;
    return (int64_t)(all & (0 - all));
}

clnd__parts clnd__parts_of(const clnd__scatter_case *c, const clnd__problem *problem)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    int64_t first, last;
    clnd__problem_row_range(problem, &first, &last);
    first -= first % tuning->line_bytes;
    const int64_t span = last - first + 1;
    const int64_t threads = (int64_t)c->facts->compute_units * tuning->parts_per_unit;
    const int64_t most =
        at_most(at_least(threads, divide_up(span, tuning->part_bytes)), CLND_BUCKET_PARTS);
    int64_t bytes = tuning->line_bytes;
    while (bytes < divide_up(span, most))
        bytes *= 2;
    return (clnd__parts){first, bytes, divide_up(span, bytes),
                         location_step(problem, tuning->line_bytes)};
}

bool clnd__updates_are_even(const clnd__scatter_case *c, const clnd__problem *problem)
{
    int64_t step;
    if (!clnd__rows_can_compile(c->planner) || problem->n_coordinates == 0 ||
        !clnd__problem_rows_are_even(problem, &step))
        return false;
    clnd__move move;
    clnd__updates_lower(c, problem, false, &move);
    return c->options.reduce == CLND_REDUCE_UPDATE ? clnd__rows_are_contiguous(&move)
                                                   : move.args.n_slice == 1;
}

bool clnd__parts_can_divide(const clnd__scatter_case *c, const clnd__problem *problem)
{
    if (!clnd__updates_are_even(c, problem))
        return false;
    const clnd__parts parts = clnd__parts_of(c, problem);
    return parts.bytes / parts.step <= MOST_LOCATIONS;
}

// Whether updates are column-major, and their rows long. Rows that follow one another share lines
// then, so that these are read fewest times if rows stay in their order.
static bool are_long_columns(const clnd__scatter_case *c)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    const clnd__problem *problem = c->problem;
    const int64_t least = at_least(tuning->column_major_elements, c->facts->compute_units);
    return c->row_elements >= least && problem->n_slice > 0 &&
           problem->slice[problem->n_slice - 1].dense >= tuning->line_bytes;
}

// Owners look at all rows, which takes each of them some 1 ns a row. Divided, a thread also knows
// its rows ahead of time and can ask for what they need.
bool clnd__parts_pay(const clnd__scatter_case *c, const clnd__problem *problem)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    const int64_t row = c->row_elements * c->element;
    return c->facts->compute_units > 1 && c->rows >= tuning->divide_rows && !are_long_columns(c) &&
           c->rows >= tuning->divide_bytes / (row + tuning->divide_row_bytes) &&
           clnd__parts_of(c, problem).count > 1;
}
