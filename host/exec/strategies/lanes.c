// SPDX-License-Identifier: Apache-2.0
//
// lanes: neighbouring work-items of a group move neighbouring bytes, so that their accesses are
// coalesced.

#include "host/exec/lanes.h"

#include "host/exec/rows.h"
#include "host/exec/strategies/table.h"

static const char *why_not(const clnd__gather_case *c)
{
    return clnd__has_lanes(c->planner) ? NULL : "needs work-groups of 64";
}

static const char *pays(const clnd__gather_case *c)
{
    return c->planner->facts->is_cpu ? NULL : "not a CPU: neighbours move neighbouring bytes";
}

static void plan(const clnd__gather_case *c, clnd__gather_plan *plan)
{
    clnd__move *move = &plan->move;
    clnd__problem rows = *c->problem;
    clnd__lower(&rows, c->unit, move);
    if (rows.n_coordinates == 0 && clnd__rows_are_worth_it(c->planner, move)) {
        plan->n_buffers = 2;
        clnd__lanes_plan_copy(c->planner, c->alignment, move);
        return;
    }
    plan->n_buffers = 4;
    if (rows.n_coordinates == 0) {
        clnd__problem_split_rows(&rows, c->unit);
        clnd__lower(&rows, c->unit, move);
    }
    move->args.adjust = c->adjust;
    if (clnd__lanes_suit(c->planner, move)) {
        clnd__lanes_plan(c->planner, "gather_lanes", move);
        move->kernel.options.fill = c->fills;
        return;
    }
    clnd__spread_lanes(c->planner, move);
    move->kernel.options.unit = (int16_t)move->unit;
    clnd__move_set_kernel(move, "gather", "gather");
}

const clnd__gather_strategy clnd__gather_lanes = {"lanes", why_not, pays, plan};
