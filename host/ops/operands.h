// SPDX-License-Identifier: Apache-2.0
//
// The checks of status.h that every op makes on its tensors, in that order. An op calls them one
// after another, with its own rules about dtypes, ranks and shapes in between.

#ifndef CLND_OPS_OPERANDS_H
#define CLND_OPS_OPERANDS_H

#include "clnd/options.h"
#include "clnd/tensor.h"
#include "host/cl/call.h"
#include "host/shape/view.h"

typedef struct clnd__operand {
    const char *name;
    const clnd_tensor *tensor;
    bool is_output;
    bool is_in_place; // an output whose elements the op reads, too
    clnd__view view;
    clnd__memory memory; // after clnd__check_memory
    int64_t begin, end;  // bytes of the buffer that hold all elements; likewise
} clnd__operand;

// Pointers: an engine, and a wait list if n_wait > 0.
clnd_status clnd__check_call(const clnd_engine *engine, cl_uint n_wait, const cl_event *wait);

// Pointers: no tensor is NULL. Fills in the views.
clnd_status clnd__take_tensors(int n, clnd__operand *operands);

clnd_status clnd__check_dtypes(int n, const clnd__operand *operands);
clnd_status clnd__check_ranks(int n, const clnd__operand *operands);
clnd_status clnd__check_shapes(int n, const clnd__operand *operands);

// The sizes of contiguous tensors of these shapes, in bytes, fit 63 bits.
clnd_status clnd__check_dense_sizes(int n, const clnd__operand *operands);

// Strides, overflow, buffers, overlap.
clnd_status clnd__check_memory(clnd_engine *engine, int n, clnd__operand *operands);

// The same for a plan: a tensor without a buffer stands for one in a buffer of its own that is
// large enough and aligned.
clnd_status clnd__check_planned_memory(clnd_engine *engine, int n, clnd__operand *operands);

// One of these two: the only difference between a call and its plan.
typedef clnd_status clnd__memory_check(clnd_engine *engine, int n, clnd__operand *operands);

// OVERLAP if the byte range of an output overlaps that of another operand. Their memory is known.
clnd_status clnd__check_overlap(const clnd__operand *output, const clnd__operand *other);

// Base address and offset are multiples of the element's size; for complex elements, of a part's.
clnd_status clnd__check_alignment(const clnd__operand *operand);

// Options.
clnd_status clnd__check_reserved(int n, const uint64_t *reserved);

// The view as a tensor without a buffer; zeroes *tensor when `status` is a failure. Returns
// `status`.
clnd_status clnd__give_tensor(clnd_status status, const clnd__view *view, cl_mem buffer,
                              clnd_tensor *tensor);

#define CLND__COUNT_OF(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
