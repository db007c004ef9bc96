// SPDX-License-Identifier: Apache-2.0
//
// What the tests of gather, gather_elements and scatter_elements have in common.

#ifndef OPS_AXIS_CASE_H
#define OPS_AXIS_CASE_H

#include "cases.h"
#include "check.h"

// Fills indices with values for a dimension of this size, `bad` of 100 outside it. Under WRAP many
// of the good ones count from the end.
void axis_indices(rng *r, placed *indices, int64_t extent, clnd_bounds bounds, int bad);

// `axis` of `rank` dimensions, or the negative number that means the same.
int32_t axis_spelled(rng *r, int axis, int rank);

// Fails unless the last error is "op: indices[0,1] = 7 is not in [0, 3)" for value number `row`
// of indices; under WRAP the interval begins at -3.
void axis_check_bad_value(const placed *indices, int64_t row, const char *op, int64_t extent,
                          clnd_bounds bounds);

#endif
