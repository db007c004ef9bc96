// SPDX-License-Identifier: Apache-2.0
//
// A check of indices: which rows there are, which values are good, and the message for a bad one.
// It holds no pointers into a call, because a report uses it after the call has ended.

#ifndef CLND_SHAPE_INDEX_CHECK_H
#define CLND_SHAPE_INDEX_CHECK_H

#include "host/shape/view.h"

typedef struct clnd__index_check {
    clnd__view indices;
    int n_location;    // the leading dimensions that number the rows: all, or all but the last
    int n_coordinates; // values a row, along the last dimension if that is not among the above
    int64_t extents[CLND_MAX_RANK];
    bool wrap; // negative values count from the end
    const char
        *shape_name; // what tuples index into, such as "params shape"; NULL for single values
    int shape_rank;
    int64_t shape[CLND_MAX_RANK];
} clnd__index_check;

// Without values there is nothing to check.
bool clnd__index_check_is_empty(const clnd__index_check *check);

// The dimensions along which rows differ, and the number of these rows. Rows that repeat along a
// broadcast dimension are checked once: the first bad one has index 0 there.
int clnd__index_check_dimensions(const clnd__index_check *check, int dimensions[CLND_MAX_RANK],
                                 int64_t *rows);

// The position of row number `row` of those: n_location numbers.
void clnd__index_check_locate(const clnd__index_check *check, int64_t row,
                              int64_t location[CLND_MAX_RANK]);

// "indices[1] = [5, 0] does not index into params shape [2, 2]"; for single values
// "indices[1] = 7 is not in [0, 3)".
void clnd__index_check_describe(const clnd__index_check *check, const int64_t *location,
                                const int64_t *values, char *text, size_t size);

#endif
