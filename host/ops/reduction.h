// SPDX-License-Identifier: Apache-2.0
//
// What reductions require of dtypes and buffers, for every op that scatters.

#ifndef CLND_OPS_REDUCTION_H
#define CLND_OPS_REDUCTION_H

#include "host/ops/operands.h"

clnd_status clnd__check_reduce(clnd_reduce reduce);
clnd_status clnd__check_reduce_dtype(clnd_reduce reduce, const clnd__view *target);

// Checks the alignment of both operands.
clnd_status clnd__check_reduce_memory(clnd_reduce reduce, const clnd__operand *updates,
                                      const clnd__operand *target);

#endif
