// SPDX-License-Identifier: Apache-2.0

#include "host/exec/updates.h"

#include "host/base/dtype.h"
#include "host/exec/lanes.h"
#include "host/exec/rows.h"

static void spread(const clnd__scatter_case *c, const clnd__problem *problem, int64_t owners,
                   clnd__move *move)
{
    if (owners > 0)
        clnd__spread_owners(c->planner, problem, owners, move);
    else
        clnd__spread(c->planner, move);
}

static void plan_update(const clnd__scatter_case *c, int64_t owners, clnd__move *move)
{
    clnd__lower(c->problem, clnd__widest_unit(c->problem, c->alignment), move);
    move->args.adjust = c->options.adjust;
    spread(c, c->problem, owners, move);
    move->kernel.options.reduce = CLND_REDUCE_UPDATE;
    if (move->local == 1 && clnd__rows_suit(c->planner, move)) {
        clnd__rows_set_kernel(c->planner, move, owners ? "scatter" : "scatter_rows",
                              owners ? "scatter_owner" : "scatter_rows");
    } else if (move->local > 1 && clnd__lanes_suit(c->planner, move)) {
        clnd__lanes_plan(c->planner, "scatter_lanes", move);
    } else {
        move->kernel.options.unit = (int16_t)move->unit;
        clnd__move_set_kernel(move, "scatter", owners ? "scatter_owner" : "scatter");
    }
}

static void plan_reduce(const clnd__scatter_case *c, const clnd__problem *problem, int64_t owners,
                        bool wide, clnd__move *move)
{
    clnd__lower(problem, c->element, move);
    move->args.adjust = c->options.adjust;
    spread(c, problem, owners, move);
    clnd__set_reduction(c->facts, problem->dtype, c->options.reduce, &move->kernel.options);
    move->kernel.options.wide = wide ? CLND_SUMS_WIDE : CLND_SUMS_PLAIN;
    if (move->local == 1)
        clnd__rows_set_updates(c->planner, wide ? (int64_t)sizeof(float) : move->unit, move);
    clnd__move_set_kernel(move, "scatter", owners ? "scatter_owner" : "scatter");
}

static clnd__move *own(clnd__scatter_plan *plan)
{
    return (clnd__move *)&plan->own;
}

void clnd__updates_plan(const clnd__scatter_case *c, const clnd__problem *problem, int64_t owners,
                        clnd__scatter_plan *plan)
{
    if (c->options.reduce == CLND_REDUCE_UPDATE)
        plan_update(c, owners, own(plan));
    else
        plan_reduce(c, problem, owners, plan->wide, own(plan));
    plan->only = plan->wide ? NULL : own(plan);
}

clnd_status clnd__updates_prepare(clnd__call *call, clnd__scatter_plan *plan)
{
    return clnd__move_prepare(call, own(plan));
}

clnd_status clnd__updates_enqueue(clnd__call *call, clnd__scatter_plan *plan, cl_mem data)
{
    return clnd__move_enqueue(call, own(plan), 3,
                              (const cl_mem[]){data, plan->indices, plan->dense});
}
