// SPDX-License-Identifier: Apache-2.0
//
// Which strategy a scatter takes, and why.

#ifndef CLND_EXEC_SCATTER_CHOICE_H
#define CLND_EXEC_SCATTER_CHOICE_H

#include "host/exec/scatter.h"

// What the choice depends on: a folded problem, and a target whose elements lie in [begin, end)
// bytes of its buffer.
typedef struct clnd__scatter_case {
    const clnd_device_facts *facts;
    const clnd__problem *problem;
    const clnd__scatter_options *options;
    const clnd__memory *data;
    const clnd__memory *dense;
    int64_t begin;
    int64_t end;
    const clnd__private_plan *private; // NULL: copies cannot do it
} clnd__scatter_case;

// Whether results need more bits than the dtype has: sums and products of 16-bit floats.
bool clnd__scatter_rounds(clnd_dtype dtype, clnd_reduce reduce);

// Whether updates are of so few places that one thread makes them faster than several do.
bool clnd__scatter_is_for_one_thread(const clnd__scatter_case *scatter);

// How OWNER and BUCKETS make their sums. SORT finds out when it lays out its workspace.
clnd__sums clnd__scatter_sums(const clnd__scatter_case *scatter, clnd_strategy strategy);

// INVALID_OPTION when the options ask for a strategy that cannot do it.
clnd_status clnd__scatter_choose(const clnd__scatter_case *scatter, clnd__choice *choice);

#endif
