// SPDX-License-Identifier: Apache-2.0
//
// Updates that are applied where they belong, by one kernel: all rows at once, or by owners, each
// of which takes the rows of its part in order.

#ifndef CLND_EXEC_UPDATES_H
#define CLND_EXEC_UPDATES_H

#include "host/exec/scatter.h"

// Plans that kernel. `owners`: at most so many; 0: all rows at once. `problem` is the case's, or
// that on the wide copy.
void clnd__updates_plan(const clnd__scatter_case *c, const clnd__problem *problem, int64_t owners,
                        clnd__scatter_plan *plan);

// A strategy that is nothing but such a kernel.
clnd_status clnd__updates_prepare(clnd__call *call, clnd__scatter_plan *plan);
clnd_status clnd__updates_enqueue(clnd__call *call, clnd__scatter_plan *plan, cl_mem data);

#endif
