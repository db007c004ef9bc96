// SPDX-License-Identifier: Apache-2.0
//
// Pieces of random cases: shapes, index values, and the text that a bad row must give.

#ifndef SUPPORT_CASES_H
#define SUPPORT_CASES_H

#include "placed.h"

// `rank` sizes whose product is at most `most`, now and then (in `empty` of 100 shapes) with a 0.
void cases_shape(rng *r, int rank, int64_t most, int empty, int64_t *shape);

// `rank` sizes whose product is about `about`: large cases.
void cases_large_shape(rng *r, int rank, int64_t about, int64_t *shape);

// Fills indices with tuples for dimensions of these sizes. Of 100 rows `bad` have a value outside
// its dimension: just outside, far away, the smallest or largest of the dtype, or negative. Under
// WRAP many of the good ones count from the end.
void cases_indices(rng *r, placed *indices, const int64_t *extents, int depth, clnd_bounds bounds,
                   int bad);

// The same with single values for a dimension of this size.
void cases_axis_indices(rng *r, placed *indices, int64_t extent, clnd_bounds bounds, int bad);

// `axis` of `rank` dimensions, or the negative number that means the same.
int cases_spelled_axis(rng *r, int axis, int rank);

// Fails unless the last error names `row` of indices as `op` must: "op: indices[1,0] = [5, 0] ",
// followed by `ending` unless that is NULL.
void cases_check_bad_row(const placed *indices, int64_t row, const char *op, const char *ending);

// The same for a single index value, number `row` of indices: "op: indices[0,1] = 7 is not in
// [0, 3)" in a dimension of size 3; under WRAP the interval begins at -3.
void cases_check_bad_value(const placed *indices, int64_t row, const char *op, int64_t extent,
                           clnd_bounds bounds);

// Sets or, with NULL, unsets an environment variable of this process.
void cases_setenv(const char *name, const char *value);

#endif
