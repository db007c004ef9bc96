// SPDX-License-Identifier: Apache-2.0
//
// Index values of problems.

#ifndef DIFFERENTIAL_INDICES_H
#define DIFFERENTIAL_INDICES_H

#include "problem.h"

// Of 100 rows so many are to be bad.
int indices_bad(const problem *p, rng *r);

// Whether indices share memory, so that rows cannot be told apart.
bool indices_are_broadcast(const placed *indices);

// Makes good rows differ; a few may be bad where that does not make them equal. False: there are
// not enough places.
bool indices_make_unique_tuples(const problem *p, rng *r, const int64_t *extents, int depth);
bool indices_make_unique_values(const problem *p, rng *r, int axis, int64_t extent);

#endif
