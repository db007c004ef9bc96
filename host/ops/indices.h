// SPDX-License-Identifier: Apache-2.0
//
// Index policies, for every op that has indices.

#ifndef CLND_OPS_INDICES_H
#define CLND_OPS_INDICES_H

#include "clnd/options.h"
#include "host/ops/operands.h"

// How a policy is carried out.
typedef struct clnd__policy {
    bool check;       // a bad row refuses the call
    int adjust;       // CLND_ADJUST_*, what the kernels do with values outside
    const void *fill; // NULL: zeros
} clnd__policy;

// `fill` is that of the options; scatters pass NULL and `is_scatter`.
clnd_status clnd__policy_choose(const clnd_engine *engine, clnd_bounds bounds, const void *fill,
                                bool is_scatter, clnd__policy *policy);

// The options' own check, which needs no engine.
clnd_status clnd__check_bounds(clnd_bounds bounds, const void *fill, bool is_scatter);

// That of indices; their alignment is clnd__check_alignment's.
clnd_status clnd__check_index_dtype(const clnd__operand *indices);

#endif
