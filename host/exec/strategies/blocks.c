// SPDX-License-Identifier: Apache-2.0
//
// blocks: each work-item moves a block of rows, or of columns where rows are few.

#include "host/exec/rows.h"
#include "host/exec/strategies/table.h"

static const char *why_not(const clnd__gather_case *c)
{
    (void)c;
    return NULL;
}

static const char *pays(const clnd__gather_case *c)
{
    return c->planner->facts->is_cpu ? "a CPU: each thread moves whole rows"
                                     : "work-groups are too small for lanes";
}

static void plan(const clnd__gather_case *c, clnd__gather_plan *plan)
{
    clnd__move *move = &plan->move;
    clnd__problem rows = *c->problem;
    if (rows.n_coordinates == 0)
        clnd__problem_split_rows(&rows);
    clnd__lower(&rows, c->unit, move);
    const bool suits = clnd__rows_suit(c->planner, move);
    if (suits) // which may be of any length
        clnd__lower(&rows, 1, move);
    move->args.adjust = c->adjust;
    clnd__spread_blocks(c->planner, move);
    plan->n_buffers = 4;
    // A device that shares its memory with the host can just as well wait for more than the
    // indices.
    plan->checks = c->planner->facts->is_cpu && move->args.rows <= CLND_CHECK_ROWS;
    if (clnd__rows_suit_copy(c->planner, move)) {
        plan->n_buffers = 2;
        clnd__rows_set_kernel(c->planner, move, "copy_rows", "copy_rows");
    } else if (suits) {
        clnd__rows_set_kernel(c->planner, move, "gather_rows", "gather_rows");
    } else {
        move->kernel.options.unit = (int16_t)move->unit;
        clnd__move_set_kernel(move, "gather", "gather");
    }
}

const clnd__gather_strategy clnd__gather_blocks = {"blocks", why_not, pays, plan};
