// SPDX-License-Identifier: Apache-2.0
//
// Arrays: descriptions of N-dimensional arrays in the program's own memory, for the calls of
// host.h.
//
// A clnd_array owns nothing and is passed by const pointer; clnd neither keeps it nor its memory
// after a call returns. The element at (i_0, ..., i_{rank-1}) is the bytes that begin at
//
//     (i_0 * strides[0] + ... + i_{rank-1} * strides[rank-1]) * element size
//
// bytes behind `data`. With negative strides the memory begins before `data`. What tensor.h says of
// the strides of inputs and outputs, of empty tensors and of rank 0 holds here too; `data` of an
// array without elements is not looked at and may be NULL.

#ifndef CLND_ARRAY_H
#define CLND_ARRAY_H

#include "clnd/dtype.h"
#include "clnd/export.h"
#include "clnd/status.h"
#include "clnd/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clnd_array {
    void *data;                     // borrowed: element (0, ..., 0); only read where it is an input
    clnd_dtype dtype;               // CLND_FLOAT32, ...
    int32_t rank;                   // 0 to CLND_MAX_RANK
    int64_t shape[CLND_MAX_RANK];   // elements; the first `rank` entries count
    int64_t strides[CLND_MAX_RANK]; // elements; the first `rank` entries count
} clnd_array;

// Describes a dense (row-major, contiguous) array, such as `float table[4][3]`.
//
// Computes      *array = {data, dtype, rank, shape, row-major strides}.
// Shapes        rank 0 to CLND_MAX_RANK, sizes >= 0; `shape` may be NULL when rank is 0.
// Units         shape in elements.
// Types         every dtype.
// Errors        NULL_POINTER, INVALID_DTYPE, INVALID_RANK, INVALID_SHAPE (negative size),
//               SIZE_OVERFLOW (bytes beyond 63 bits). *array is zeroed on failure.
// Threads       Thread-safety: Safe. Host only; `data` may be NULL, to be set later, and is not
//               looked at.
// Ownership     `data` is borrowed. It is const so that constant inputs need no cast; the memory of
//               an output must be writable.
CLND_API clnd_status clnd_array_dense(const void *data, clnd_dtype dtype, int32_t rank,
                                      const int64_t *shape, clnd_array *array);

// Counts the elements of an array: the product of its shape, 1 for rank 0.
//
// Errors        NULL_POINTER, INVALID_RANK, INVALID_SHAPE, SIZE_OVERFLOW. *count is 0 on failure.
// Threads       Thread-safety: Safe. Host only.
CLND_API clnd_status clnd_array_count(const clnd_array *array, int64_t *count);

// Gives an array's dtype, shape and strides as a tensor without a buffer, which is what the
// clnd_<op>_shape functions look at. The shape of a result, by way of example:
//
//     clnd_array_tensor(&params, &p);
//     clnd_array_tensor(&indices, &i);
//     clnd_gather_nd_shape(&p, &i, NULL, &o);
//     clnd_array_dense(memory, o.dtype, o.rank, o.shape, &out);
//
// Errors        NULL_POINTER; *tensor is zeroed then. All else is left to the function that looks
//               at the tensor.
// Threads       Thread-safety: Safe. Host only.
CLND_API clnd_status clnd_array_tensor(const clnd_array *array, clnd_tensor *tensor);

#ifdef __cplusplus
}
#endif

#endif
