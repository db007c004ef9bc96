// SPDX-License-Identifier: Apache-2.0
//
// outer: rows with different indices along an outer axis that data has, too, such as a batch, meet
// nowhere. Each work-item takes all rows of some of these indices, in order. For CPUs: nothing is
// divided or sorted first, and a work-item stays in its part of the target.

#include <stdlib.h>

#include "host/base/integers.h"
#include "host/exec/strategies/table.h"
#include "host/exec/updates.h"

// The first axis that data has, too.
static int axis_of(const clnd__problem *problem)
{
    int i = 0;
    while (i < problem->n_outer && problem->outer[i].data == 0)
        ++i;
    return i;
}

// How many indices along axis i a work-item takes at a time: it writes to cache lines of its own,
// and what they select from stays near, if that pays. 0: the axis is too short, or one too many.
static int64_t indices_of_piece(const clnd__scatter_case *c, int i)
{
    const clnd__axis *axis = &c->problem->outer[i];
    const int64_t least = divide_up(c->planner->tuning->cpu.outer_run_bytes, llabs(axis->data));
    const int64_t items = c->facts->compute_units;
    const int64_t near = clnd__problem_near_steps(c->problem, i);
    if (c->problem->n_outer + c->problem->n_slice >= CLND_MAX_RANK || axis->size / least < items)
        return 0;
    // As many pieces for each work-item, so that little is left of the axis.
    const int64_t rounds = near > 0 ? divide_up(divide_up(axis->size, near), items) : 1;
    return axis->size / (rounds * items);
}

// How many indices, or pieces of an axis behind the first one, there are of which each work-item
// takes some; 0: there is no such axis.
static int64_t count_pieces(const clnd__scatter_case *c)
{
    const int i = axis_of(c->problem);
    if (i == c->problem->n_outer)
        return 0;
    const int64_t each = i > 0 ? indices_of_piece(c, i) : 1;
    return each > 0 ? c->problem->outer[i].size / each : 0;
}

static const char *why_not(const clnd__scatter_case *c)
{
    return c->facts->is_cpu && !c->rounds_once && count_pieces(c) > 0
               ? NULL
               : "cannot do this scatter: it is for CPUs, rows with an outer axis that the target "
                 "has, too, and sums that need not be rounded once";
}

// Work-items that divide an axis behind the first one read pieces of all indices and updates, those
// that fill copies of a small target read them in order.
static bool copies_are_better(const clnd__scatter_case *c)
{
    const clnd__scatter_strategy *copies = &clnd__scatter_private;
    return c->problem->outer[0].data == 0 && !copies->why_not(c) && copies->pays(c);
}

static const char *pays(const clnd__scatter_case *c)
{
    return c->facts->is_cpu && count_pieces(c) >= c->facts->compute_units && !copies_are_better(c)
               ? "a CPU: rows with different outer indices never meet"
               : NULL;
}

// A work-item has whole pieces, so what is left of the axis, less than a piece, is one's alone.
static void plan(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    const int i = axis_of(c->problem);
    clnd__problem problem = *c->problem;
    if (i > 0) // rows that meet have the same index along it, so their order stays as it is
        clnd__problem_divide(&problem, &problem.outer[i], indices_of_piece(c, i), 0);
    clnd__updates_plan_blocks(c, &problem, clnd__problem_rows(&problem) / problem.outer[0].size,
                              plan);
}

const clnd__scatter_strategy clnd__scatter_outer = {
    .name = "outer",
    .why_not = why_not,
    .pays = pays,
    .plan = plan,
    .prepare = clnd__updates_prepare,
    .enqueue = clnd__updates_enqueue,
};
