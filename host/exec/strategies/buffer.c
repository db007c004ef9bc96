// SPDX-License-Identifier: Apache-2.0
//
// buffer: a copy of one contiguous run is left to OpenCL's own copy.

#include "host/exec/rows.h"
#include "host/exec/strategies/table.h"

static const char *why_not(const clnd__gather_case *c)
{
    size_t size;
    return clnd__problem_is_one_run(c->problem, &size) ? NULL
                                                       : "needs one contiguous run in both tensors";
}

// Drivers of CPUs copy with one thread. Where rows cannot be compiled for, kernels are no faster.
static const char *pays(const clnd__gather_case *c)
{
    size_t size;
    const bool threads = clnd__rows_can_compile(c->planner) &&
                         clnd__problem_is_one_run(c->problem, &size) &&
                         size >= (size_t)c->planner->tuning->cpu.copy_bytes;
    return threads ? NULL : "one contiguous run in both tensors";
}

static void plan(const clnd__gather_case *c, clnd__gather_plan *plan)
{
    clnd__lower(c->problem, c->unit, &plan->move);
}

const clnd__gather_strategy clnd__gather_buffer = {"buffer", why_not, pays, plan};
