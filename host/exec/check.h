// SPDX-License-Identifier: Apache-2.0
//
// Executor of the check of indices: are all of them inside their dimensions, and if not, which row
// is the first in row-major order that is not.

#ifndef CLND_EXEC_CHECK_H
#define CLND_EXEC_CHECK_H

#include "host/cl/call.h"
#include "host/shape/view.h"

typedef struct clnd__index_check {
    const clnd__view *indices;
    int n_location;    // the leading dimensions that number the rows: all, or all but the last
    int n_coordinates; // values a row, along the last dimension if that is not among the above
    int64_t extents[CLND_MAX_RANK];
    bool wrap; // negative values count from the end
} clnd__index_check;

typedef struct clnd__bad_row {
    bool found;
    int64_t location[CLND_MAX_RANK]; // n_location numbers
    int64_t values[CLND_MAX_RANK];   // n_coordinates numbers, as they stand in the indices
} clnd__bad_row;

// Waits for the result.
clnd_status clnd__check_indices(clnd__call *call, const clnd__index_check *check,
                                const clnd__memory *indices, clnd__bad_row *bad);

#endif
