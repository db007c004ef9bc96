// SPDX-License-Identifier: Apache-2.0
//
// The end of every op that has indices: from a problem to the enqueued work. Everything that can be
// refused is refused before the first byte of an output changes.

#ifndef CLND_OPS_INDEXED_H
#define CLND_OPS_INDEXED_H

#include "host/exec/scatter.h"
#include "host/ops/indices.h"
#include "host/shape/problem.h"

// What the check of the indices looks at, and how a bad row is told (indices.h).
typedef struct clnd__index_rule {
    clnd__index_check check;
    const char *shape_name;
    const clnd__view *shape;
} clnd__index_rule;

clnd_status clnd__run_gather(clnd__call *call, const clnd__problem *problem, clnd_strategy strategy,
                             const clnd__policy *policy, clnd__index_rule *rule,
                             const clnd__operand *params, const clnd__operand *indices,
                             const clnd__operand *out);

// `zero_first` fills the target with zeros before the first update.
clnd_status clnd__run_scatter(clnd__call *call, const clnd__problem *problem,
                              const clnd__scatter_options *options, const clnd__policy *policy,
                              clnd__index_rule *rule, bool zero_first, const clnd__operand *target,
                              const clnd__operand *indices, const clnd__operand *updates);

#endif
