// SPDX-License-Identifier: Apache-2.0
//
// Device memory for the verdicts of checks (clnd_verdict in kernels_cl/args.h). A verdict that
// found nothing is unchanged, so its memory serves another check once no command reads it any more.

#ifndef CLND_CL_VERDICT_H
#define CLND_CL_VERDICT_H

#include <stdbool.h>

#include "clnd/opencl.h"
#include "clnd/status.h"

enum { CLND__SPARE_VERDICTS = 16 };

typedef struct clnd__spare_verdict {
    cl_mem memory;
    cl_event used; // owned; complete when no command uses it any more; NULL: none does
} clnd__spare_verdict;

typedef struct clnd__verdict_pool {
    int first; // the spares are a ring, the oldest first
    int n_spare;
    clnd__spare_verdict spare[CLND__SPARE_VERDICTS];
} clnd__verdict_pool;

// A verdict that says that every row is good. The caller holds the lock that guards the pool.
clnd_status clnd__verdict_take(clnd__verdict_pool *pool, cl_context context, cl_mem *verdict);

// Gives it back. `good`: it still says that every row is good, and no command uses it once `used`,
// which is retained, is complete. Both pointers may be NULL.
void clnd__verdict_return(clnd__verdict_pool *pool, cl_mem verdict, bool good, cl_event used);

void clnd__verdict_pool_close(clnd__verdict_pool *pool);

#endif
