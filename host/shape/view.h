// SPDX-License-Identifier: Apache-2.0
//
// Views: tensors without their buffers, which is all that shapes and folding need. Checks come in
// the order that status.h promises. Each message has the tensor's name, what is wrong, and the
// bound.

#ifndef CLND_SHAPE_VIEW_H
#define CLND_SHAPE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clnd/dtype.h"
#include "clnd/status.h"

typedef struct clnd__view {
    const char *name; // of the operand in messages: "params", "indices", ...
    clnd_dtype dtype;
    int rank;
    int64_t shape[CLND_MAX_RANK];
    int64_t strides[CLND_MAX_RANK]; // elements
    uint64_t offset;                // bytes
} clnd__view;

clnd_status clnd__check_dtype(const clnd__view *view);
clnd_status clnd__check_rank(const clnd__view *view);
clnd_status clnd__check_shape(const clnd__view *view); // sizes >= 0
clnd_status clnd__check_output_strides(const clnd__view *view);

// Both have the same dtype, or the same shape.
clnd_status clnd__check_same_dtype(const clnd__view *a, const clnd__view *b);
clnd_status clnd__check_expected_shape(const clnd__view *view, const clnd__view *expected);

// Product of sizes: 0 when one of them is 0, SIZE_OVERFLOW when it does not fit.
clnd_status clnd__count(const char *name, int rank, const int64_t *shape, int64_t *count);

// First byte of the lowest and byte behind the highest element; both 0 without elements.
clnd_status clnd__extent(const clnd__view *view, int64_t *begin, int64_t *end);

// `source` broadcast to the shape of `target` by NumPy's rules: dimensions that repeat have stride
// 0, and extra leading ones, which must be 1, go. INVALID_SHAPE if that is impossible.
clnd_status clnd__broadcast_view(const clnd__view *source, const clnd__view *target,
                                 clnd__view *seen);

// Sets row-major strides and offset 0. SIZE_OVERFLOW when the bytes do not fit.
clnd_status clnd__make_dense(clnd__view *view);

// A dense view from the caller's arguments, all of which are checked. `shape` may be NULL when
// `rank` is 0.
clnd_status clnd__dense_view(const char *name, clnd_dtype dtype, int rank, const int64_t *shape,
                             clnd__view *view);

// Bytes from one element to the next along `axis`; 0 if there is no next. Only for tensors whose
// extent is known to fit.
int64_t clnd__stride_bytes(const clnd__view *view, int axis);

bool clnd__is_empty(const clnd__view *view);

// Text of a shape, "[2, 3]", for messages.
typedef struct clnd__shape_text {
    char text[24 * CLND_MAX_RANK];
} clnd__shape_text;
clnd__shape_text clnd__format_list(int n, const int64_t *values);

#endif
