// SPDX-License-Identifier: Apache-2.0
//
// owner: every work-item owns a part of the target, or of its columns, and applies all rows of its
// part in order. Always possible, and deterministic. On CPUs it is faster than atomics, which cost
// as much there as ten plain additions. Few locations get one owner.

#include "host/base/integers.h"
#include "host/exec/strategies/table.h"
#include "host/exec/updates.h"

// Where the driver ends loops early, a launch takes few rows.
static const char *why_not(const clnd__scatter_case *c)
{
    const clnd__loop_tuning *tuning = &c->planner->tuning->loops;
    const int64_t columns = at_most(c->row_elements, tuning->launch_rows);
    const int64_t rows = clnd__most_steps(c->planner) / columns;
    return c->rows / tuning->launches <= rows
               ? NULL
               : "cannot do this scatter: the driver ends loops early, and there are too many rows";
}

static const char *pays(const clnd__scatter_case *c)
{
    if (c->few_locations && c->options.reduce == CLND_REDUCE_UPDATE)
        return "few locations: threads would contend for their cache lines";
    if (c->one_owner)
        return "few locations, in order: threads would gain little";
    if (c->facts->is_cpu)
        return "a CPU: atomics cost more than they save";
    return c->any_order ? "the device has no atomics for it" : "the order of the rows matters";
}

static void plan(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    const clnd__problem problem = c->rounds_once ? clnd__wide_plan(c, plan) : *c->problem;
    const int64_t per_unit = c->facts->is_cpu ? 1 : c->planner->tuning->gpu.owners_per_unit;
    clnd__updates_plan(c, &problem, c->one_owner ? 1 : c->facts->compute_units * per_unit, plan);
}

const clnd__scatter_strategy clnd__scatter_owner = {
    .name = "owner",
    .divides_loops = true,
    .why_not = why_not,
    .pays = pays,
    .plan = plan,
    .prepare = clnd__updates_prepare,
    .enqueue = clnd__updates_enqueue_in_order,
};
