// SPDX-License-Identifier: Apache-2.0
//
// Executor of the check of indices: are all of them inside their dimensions, and if not, which row
// is the first in row-major order that is not.

#ifndef CLND_EXEC_CHECK_H
#define CLND_EXEC_CHECK_H

#include "host/cl/call.h"
#include "host/shape/index_check.h"

// Checks and waits for the result. A bad row gives INDEX_OUT_OF_BOUNDS and its message.
clnd_status clnd__check_wait(clnd__call *call, const clnd__index_check *check,
                             const clnd__memory *indices);

// Enqueues the check of a call that has joined a report, which gets the verdict.
clnd_status clnd__check_enqueue(clnd__call *call, const clnd__index_check *check,
                                const clnd__memory *indices);

#endif
