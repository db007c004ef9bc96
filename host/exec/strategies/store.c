// SPDX-License-Identifier: Apache-2.0
//
// store: all rows at once, plain loads and stores. Right where no two rows meet; and for UPDATE,
// where any of the rows that meet may win, if a store holds whole elements.

#include "host/exec/strategies/table.h"
#include "host/exec/updates.h"

static const char *why_not(const clnd__scatter_case *c)
{
    return c->options.unique || c->any_may_win
               ? NULL
               : "cannot do this scatter: rows may meet in elements that are not stored whole";
}

static const char *pays(const clnd__scatter_case *c)
{
    if (c->few_locations || c->last_rows) // threads would contend for their lines, or move more
        return NULL;
    return c->options.unique ? "no two rows meet" : "an update is one whole store";
}

static void plan(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    clnd__updates_plan(c, c->problem, 0, plan);
}

const clnd__scatter_strategy clnd__scatter_store = {
    .name = "store",
    .divides_loops = true,
    .why_not = why_not,
    .pays = pays,
    .plan = plan,
    .prepare = clnd__updates_prepare,
    .enqueue = clnd__updates_enqueue,
};
