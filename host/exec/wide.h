// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of 16-bit floats that are rounded once, where a strategy cannot keep all
// updates of an element together: into a float32 copy of the target, at the beginning of the
// workspace, and back.

#ifndef CLND_EXEC_WIDE_H
#define CLND_EXEC_WIDE_H

#include "host/exec/scatter.h"

// Bytes of the copy; 0 where it cannot be addressed.
uint64_t clnd__wide_bytes(const clnd__scatter_case *c);

// The problem on such a copy whose byte 0 is the target's first.
clnd__problem clnd__wide_problem(const clnd__scatter_case *c);

// Has the plan work on a copy. The workspace is then the copy alone; what else is needed follows.
// SIZE_OVERFLOW where it cannot be addressed.
clnd_status clnd__wide_plan(const clnd__scatter_case *c, clnd__problem *problem,
                            clnd__scatter_plan *plan);

// Do nothing for a plan without a copy. The functions are widen and narrow.
clnd_status clnd__wide_prepare(clnd__call *call, const clnd__scatter_plan *plan);
clnd_status clnd__wide_enqueue(clnd__call *call, const clnd__scatter_plan *plan,
                               const char *function);

#endif
