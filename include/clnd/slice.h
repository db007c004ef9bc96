// SPDX-License-Identifier: Apache-2.0
//
// Slices: what `foo[1, 2:4, None, ..., :-3:-1, :]` says, as TensorFlow's StridedSlice encodes it.
//
// A slice is a list of entries, and five masks whose bit i speaks of entry i. The first that holds
// decides what an entry is:
//
//   ellipsis_mask     `...`: takes all dimensions that no other entry takes, maybe none
//   new_axis_mask     `newaxis`: a new dimension of size 1; takes no dimension
//   shrink_axis_mask  an integer: takes the element begin[i] of its dimension, which is
//                     dropped; negative values count from the end; outside the dimension is an
//                     error. end[i] and the other masks are ignored, strides[i] must be positive
//                     and is ignored
//   otherwise         a range: from begin[i] up to but not including end[i] in steps of strides[i].
//                     Negative values count from the end, once; then both are clamped to the
//                     dimension. begin_mask and end_mask replace them by the first and last place
//                     in the direction of the stride. A stride may be negative; 0 is an error,
//                     so strides have to be set: 1 for every element
//
// Without an ellipsis one is added at the end. Bits beyond `length` are ignored. Errors are errors
// also when the result or the tensor is empty. The rules are TensorFlow's (tf.strided_slice), in 64
// bits.

#ifndef CLND_SLICE_H
#define CLND_SLICE_H

#include "clnd/export.h"
#include "clnd/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CLND_MAX_SLICE_ENTRIES 32

typedef struct clnd_slice {
    int32_t length;                          // entries, 0 to CLND_MAX_SLICE_ENTRIES
    int64_t begin[CLND_MAX_SLICE_ENTRIES];   // elements
    int64_t end[CLND_MAX_SLICE_ENTRIES];     // elements
    int64_t strides[CLND_MAX_SLICE_ENTRIES]; // elements; 0 is an error
    uint32_t begin_mask;
    uint32_t end_mask;
    uint32_t ellipsis_mask;
    uint32_t new_axis_mask;
    uint32_t shrink_axis_mask;
} clnd_slice;

// Reads a slice from text in Python's form: items separated by commas, blanks ignored. An item is
// an integer, `begin:end`, `begin:end:stride` with any part left out, `...`, `newaxis` or `None`. A
// comma may follow the last item. Empty text takes everything. Numbers are decimal and fit 64 bits.
//
// Errors        NULL_POINTER; INVALID_SLICE names the item and what is wrong with it, also two
//               ellipses and more than 32 items. A stride of 0 is read and refused when the slice
//               is taken. *slice is zeroed on failure.
// Threads       Thread-safety: Safe. Host only.
CLND_API clnd_status clnd_slice_parse(const char *text, clnd_slice *slice);

#ifdef __cplusplus
}
#endif

#endif
