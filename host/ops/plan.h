// SPDX-License-Identifier: Apache-2.0
//
// What clnd_<op>_plan returns.

#ifndef CLND_OPS_PLAN_H
#define CLND_OPS_PLAN_H

#include "clnd/plan.h"
#include "host/ops/operands.h"

// Pointers: engine and plan are not NULL. Zeroes *plan.
clnd_status clnd__check_plan_call(const clnd_engine *engine, clnd_plan *plan);

// `strategy` is NULL when there is nothing to do.
void clnd__give_plan(const char *strategy, const char *reason, uint64_t workspace_bytes,
                     clnd_plan *plan);

// Checks the workspace of the options, which may be NULL: its buffer, its range, and that it
// overlaps no operand.
clnd_status clnd__check_workspace(clnd_engine *engine, const clnd_workspace *workspace, int n,
                                  const clnd__operand *operands);

#endif
