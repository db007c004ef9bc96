// SPDX-License-Identifier: Apache-2.0
//
// Parts of a target among which the rows are divided before they are applied, so that no thread
// looks at rows of others.

#ifndef CLND_EXEC_PARTS_H
#define CLND_EXEC_PARTS_H

#include "host/exec/scatter.h"

typedef struct clnd__parts {
    int64_t first; // byte of data at which the first part begins: a cache line does
    int64_t bytes; // of each: a power of two
    int64_t count;
    int64_t step; // all rows of the target begin at multiples of so many bytes
} clnd__parts;

// More parts than threads, and small enough for their caches where that is possible. `problem` is
// the case's, or that on the wide copy.
clnd__parts clnd__parts_of(const clnd__scatter_case *c, const clnd__problem *problem);

// Lowers the problem to what is applied: updates in the widest units, reductions by the element.
void clnd__parts_lower(const clnd__scatter_case *c, const clnd__problem *problem, clnd__move *move);

// Whether rows of the problem can be divided.
bool clnd__parts_can_divide(const clnd__scatter_case *c, const clnd__problem *problem);

// Whether they are so many that it pays.
bool clnd__parts_pay(const clnd__scatter_case *c, const clnd__problem *problem);

#endif
