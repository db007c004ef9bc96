// SPDX-License-Identifier: Apache-2.0
//
// outer: rows with different indices along an outer axis that data has, too, such as a batch, meet
// nowhere. Each work-item takes all rows of some of these indices, in order. For CPUs: nothing is
// divided or sorted first, and a work-item stays in its part of the target.

#include <stdlib.h>

#include "host/base/integers.h"
#include "host/exec/strategies/table.h"
#include "host/exec/updates.h"

// The greatest divisor of `size` up to `most`.
static int64_t divisor(int64_t size, int64_t most)
{
    while (size % most)
        --most;
    return most;
}

// Brings the axis to the front, but leaves so much of it where it is that work-items write to cache
// lines of their own. Rows that meet have the same index along it, so their order stays as it is.
static bool bring_to_front(const clnd__scatter_case *c, int i, int64_t items,
                           clnd__problem *problem)
{
    clnd__axis *axis = &problem->outer[i];
    const int64_t least = divide_up(c->planner->tuning->cpu.outer_run_bytes, llabs(axis->data));
    if (problem->n_outer == CLND_MAX_RANK || axis->size < 2 * least)
        return false;
    const int64_t parts = divisor(axis->size, at_most(items, axis->size / least));
    const int64_t each = axis->size / parts;
    const clnd__axis first = {parts, each * axis->data, each * axis->dense, each * axis->index};
    axis->size = each;
    for (int k = problem->n_outer++; k > 0; --k)
        problem->outer[k] = problem->outer[k - 1];
    problem->outer[0] = first;
    return parts > 1;
}

// Has the problem's first axis be one of which work-items take some indices each; returns how many
// there are, or 0.
static int64_t divide(const clnd__scatter_case *c, clnd__problem *problem)
{
    int i = 0;
    while (i < problem->n_outer && problem->outer[i].data == 0)
        ++i;
    const int64_t items = c->facts->compute_units;
    if (i == problem->n_outer || (i > 0 && !bring_to_front(c, i, items, problem)))
        return 0;
    return problem->outer[0].size;
}

static const char *why_not(const clnd__scatter_case *c)
{
    clnd__problem problem = *c->problem;
    return c->facts->is_cpu && !c->rounds_once && divide(c, &problem) > 0
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
    clnd__problem problem = *c->problem;
    return c->facts->is_cpu && divide(c, &problem) >= c->facts->compute_units &&
                   !copies_are_better(c)
               ? "a CPU: rows with different outer indices never meet"
               : NULL;
}

static void plan(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    clnd__problem problem = *c->problem;
    const int64_t indices = divide(c, &problem);
    clnd__updates_plan_blocks(c, &problem, c->rows / indices, plan);
}

const clnd__scatter_strategy clnd__scatter_outer = {
    .name = "outer",
    .why_not = why_not,
    .pays = pays,
    .plan = plan,
    .prepare = clnd__updates_prepare,
    .enqueue = clnd__updates_enqueue,
};
