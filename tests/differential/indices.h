// SPDX-License-Identifier: Apache-2.0
//
// Index values of problems.

#ifndef DIFFERENTIAL_INDICES_H
#define DIFFERENTIAL_INDICES_H

#include "problem.h"

// Of 100 rows so many are to be bad.
int indices_bad(const problem *p, rng *r);

// `axis` of `rank` dimensions, or the negative number that means the same.
int indices_spelled_axis(rng *r, int axis, int rank);

// Fills indices with single values for a dimension of this size, `bad` of 100 outside it. Under
// WRAP many of the good ones count from the end.
void indices_fill(rng *r, placed *indices, int64_t extent, clnd_bounds bounds, int bad);

// Whether indices share memory, so that rows cannot be told apart.
bool indices_are_broadcast(const placed *indices);

// Makes good rows differ; a few may be bad where that does not make them equal. False: there are
// not enough places.
bool indices_make_unique_tuples(const problem *p, rng *r, const int64_t *extents, int depth);
bool indices_make_unique_values(const problem *p, rng *r, int axis, int64_t extent);

#endif
