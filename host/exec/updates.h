// SPDX-License-Identifier: Apache-2.0
//
// What strategies share that apply updates where they belong: the kernel that takes all rows at
// once, or has owners take the rows of their part in order; and the parts of a target among which
// rows are divided first, so that no thread looks at rows of others.

#ifndef CLND_EXEC_UPDATES_H
#define CLND_EXEC_UPDATES_H

#include "host/exec/scatter.h"

// Lowers the problem, the case's or that on the wide copy: updates move in the widest units, or by
// the byte to kernels for contiguous rows of any length; reductions by the element.
void clnd__updates_lower(const clnd__scatter_case *c, const clnd__problem *problem, bool by_bytes,
                         clnd__move *move);

// Sets the options of a kernel that applies them; `sums` is CLND_SUMS_*.
void clnd__updates_set_options(const clnd__scatter_case *c, int sums, clnd__move *move);

// Plans a strategy that is that kernel alone. `owners`: at most so many; 0: all rows at once.
void clnd__updates_plan(const clnd__scatter_case *c, const clnd__problem *problem, int64_t owners,
                        clnd__scatter_plan *plan);
// The same by blocks, which hold `rows` rows or a multiple of that, all at once.
void clnd__updates_plan_blocks(const clnd__scatter_case *c, const clnd__problem *problem,
                               int64_t rows, clnd__scatter_plan *plan);

clnd_status clnd__updates_prepare(clnd__call *call, clnd__scatter_plan *plan);
clnd_status clnd__updates_enqueue(clnd__call *call, clnd__scatter_plan *plan, cl_mem data);
// Of owners: one launch after the other for as many rows as their loops may take.
clnd_status clnd__updates_enqueue_in_order(clnd__call *call, clnd__scatter_plan *plan, cl_mem data);

typedef struct clnd__parts {
    int64_t first; // byte of data at which the first part begins: a cache line does
    int64_t bytes; // of each: a power of two
    int64_t count;
    int64_t step; // all rows of the target begin at multiples of so many bytes
} clnd__parts;

// More parts than threads, and small enough for their caches where that is possible. `problem` is
// the case's, or that on the wide copy.
clnd__parts clnd__parts_of(const clnd__scatter_case *c, const clnd__problem *problem);

// Whether the device has kernels that locate many rows first and apply them later, and they suit
// the problem: rows lie at equal distances in the updates; those that move are contiguous, others
// lie along one axis.
bool clnd__updates_are_even(const clnd__scatter_case *c, const clnd__problem *problem);

// Whether rows of the problem can be divided.
bool clnd__parts_can_divide(const clnd__scatter_case *c, const clnd__problem *problem);

// Whether they are so many that it pays.
bool clnd__parts_pay(const clnd__scatter_case *c, const clnd__problem *problem);

// Whether rows of updates, each stored by itself, go past the caches. In order they do only where
// few select the same location: to store a line again waits until memory has it.
bool clnd__updates_go_past_caches(const clnd__scatter_case *c, const clnd__move *move,
                                  bool in_order);

#endif
