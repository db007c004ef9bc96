// SPDX-License-Identifier: Apache-2.0
//
// What the scatter tests have in common.

#ifndef OPS_SCATTER_CASE_H
#define OPS_SCATTER_CASE_H

#include "cases.h"
#include "check.h"

typedef struct scatter_case {
    clnd_dtype dtype;
    clnd_dtype index_dtype;
    clnd_reduce reduce;
    clnd_bounds bounds;
    const char *strategy; // words for the engine, or NULL
    bool deterministic;
    bool in_order;      // the environment makes it so
    bool into;          // scatter_nd_into, else scatter_nd
    int64_t rows;       // at most
    int64_t slice;      // elements, at most
    int64_t extent;     // of the indexed dimensions together, at most
    int n_dims[3];      // outer, index and slice dimensions; -1: at random
    int empty;          // of 100 shapes so many have a size 0
    unsigned placement; // of updates and target
    bool unique;        // no two rows are equal, and the call is told so
    int64_t sorted;     // so many rows at a time select ascending places; 0: in any order
    bool large;         // about as many as `rows`, `slice` and `extent` say
    int bad;            // of 100 rows so many are bad; 0: at random
    size_t workspace;   // bytes lent to the call; 0: none
} scatter_case;

extern const scatter_case scatter_small;

// Whether the contract defines the reduction for the dtype.
bool scatter_is_defined(clnd_dtype dtype, clnd_reduce reduce);

// Draws whether the call is deterministic and into a target; and its policy, where the number of
// bad rows is left to chance.
void scatter_draw_options(scatter_case *c, rng *r);

// Whether the headers leave it open that the strategy refuses this case.
bool scatter_may_refuse(const device *d, const scatter_case *c, const placed *updates,
                        const placed *target);

// Whether the case asks for the serial loop's result: by name, or by a strategy that has no other.
bool scatter_is_ordered(const scatter_case *c);

// Values for which the result is known to the bit, and how to compare it.
values scatter_values(const device *d, const scatter_case *c, bool ordered, equality *rule);

// Whether indices share memory, so that rows cannot be told apart.
bool scatter_is_broadcast(const placed *p);

// Runs a random case of this kind and compares with the reference. A strategy that cannot do it may
// be refused with INVALID_OPTION where the headers allow that; returns whether it was done.
bool scatter_run(const device *d, const scatter_case *c);

#endif
