// SPDX-License-Identifier: Apache-2.0
//
// Executor of the check of indices: are all of them inside their dimensions, and if not, which row
// is the first in row-major order that is not.

#ifndef CLND_EXEC_CHECK_H
#define CLND_EXEC_CHECK_H

#include "host/cl/call.h"
#include "host/exec/move.h"
#include "host/shape/index_check.h"
#include "kernels_cl/args.h"

// What checks the indices.
typedef enum clnd__checker {
    CLND__CHECK_APART,  // launches of its own, before all others
    CLND__CHECK_WITHIN, // the call's only kernel
    CLND__CHECK_FIRST,  // the call's first kernel, whose output may be anything if a row is bad
} clnd__checker;

typedef struct clnd__gate {
    const clnd__index_check *check;
    cl_mem indices;
    clnd__checker checker;
    // The verdict on its way to the host. `read` is owned; NULL: it is not.
    cl_event read;
    clnd_verdict verdict;
} clnd__gate;

// Makes the check the gate of what the call prepares and launches from here on. An empty check is
// none. `only` is the one kernel that the call will launch behind the check, NULL if there are more
// or none: where that is one work-item, it checks the indices itself, which spares a launch.
// `first`: the arguments of a kernel that looks at all rows before anything is written that a
// refused call must leave alone, NULL if there is none. It can say as well whether they are good,
// and then is to be launched ahead of clnd__check_enqueue. `op` is static; `report` may be NULL.
clnd_status clnd__check_join(clnd__call *call, const clnd__index_check *check,
                             const clnd__memory *indices, clnd_report *report, const char *op,
                             clnd__move *only, clnd_move_args *first, clnd__gate *gate);

// Waits for the caller's events, before anything is enqueued, if the call will wait for the check.
clnd_status clnd__check_await(clnd__call *call, const clnd__gate *gate);

// Enqueues the check, if it is apart. The verdict goes to the call's report, or else on its way to
// the host: then clnd__check_finish must follow, whatever comes between.
clnd_status clnd__check_enqueue(clnd__call *call, clnd__gate *gate);

// Waits for the verdict, where it comes to the host, but not for what is enqueued behind the check.
// A bad row gives INDEX_OUT_OF_BOUNDS and its message; otherwise the result is `status`, which says
// how the call went meanwhile.
clnd_status clnd__check_finish(clnd__call *call, clnd__gate *gate, clnd_status status);

#endif
