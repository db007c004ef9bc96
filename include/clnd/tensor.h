// SPDX-License-Identifier: Apache-2.0
//
// Tensors: descriptions of N-dimensional arrays in the caller's cl_mem buffers.
//
// A clnd_tensor owns nothing and is passed by const pointer; clnd neither keeps it nor its arrays
// after a call returns. The element at (i_0, ..., i_{rank-1}) is the bytes that begin at
//
//     offset + (i_0 * strides[0] + ... + i_{rank-1} * strides[rank-1]) * element size
//
// bytes into `buffer`. Inputs may have zero (broadcast) and negative strides. In outputs no two
// elements may share memory: taken from the smallest, each stride must step over all that the
// smaller ones reach, as in every dense, transposed, padded or reversed array. Otherwise
// CLND_INVALID_STRIDES. Bytes between and around the elements of an output keep their values.
//
// A buffer that an op reads must not be CL_MEM_WRITE_ONLY, one that it writes not
// CL_MEM_READ_ONLY: inputs are read, outputs written, and targets of scatters both. Otherwise
// CLND_INVALID_BUFFER. A sub-buffer has the flags of the buffer that it is a part of.
//
// Which tensors share memory is judged by bytes of a buffer, sub-buffers counted from the beginning
// of the whole, and by address between buffers on the caller's memory (CL_MEM_USE_HOST_PTR). OpenCL
// does not tell of other buffers that share memory, such as imported ones: keep them apart.
//
// A tensor with a size 0 in its shape has no elements; its buffer is not looked at and may be NULL
// (OpenCL has no empty buffers). A tensor of rank 0 is one element.

#ifndef CLND_TENSOR_H
#define CLND_TENSOR_H

#include "clnd/dtype.h"
#include "clnd/export.h"
#include "clnd/opencl.h"
#include "clnd/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clnd_tensor {
    cl_mem buffer;                  // borrowed
    size_t offset;                  // bytes from the start of `buffer` to element (0, ..., 0)
    clnd_dtype dtype;               // CLND_FLOAT32, ...
    int32_t rank;                   // 0 to CLND_MAX_RANK
    int64_t shape[CLND_MAX_RANK];   // elements; the first `rank` entries count
    int64_t strides[CLND_MAX_RANK]; // elements; the first `rank` entries count
} clnd_tensor;

// Describes a dense (row-major, contiguous) tensor.
//
// Computes      *tensor = {buffer, offset, dtype, rank, shape, row-major strides}.
// Shapes        rank 0 to CLND_MAX_RANK, sizes >= 0; `shape` may be NULL when rank is 0.
// Units         offset in bytes, shape in elements.
// Types         every dtype.
// Errors        NULL_POINTER, INVALID_DTYPE, INVALID_RANK, INVALID_SHAPE (negative size),
//               SIZE_OVERFLOW (bytes beyond 63 bits). *tensor is zeroed on failure.
// Async         host only; `buffer` may be NULL, to be set later, and is not looked at.
// Threads       Thread-safety: Safe.
// Ownership     `buffer` is borrowed.
CLND_API clnd_status clnd_tensor_dense(cl_mem buffer, size_t offset, clnd_dtype dtype, int32_t rank,
                                       const int64_t *shape, clnd_tensor *tensor);

// The same with strides of the caller's: broadcast, padded, reversed, a part of something larger.
//
// Computes      *tensor = {buffer, offset, dtype, rank, shape, strides}.
// Units         offset in bytes, of the element (0, ..., 0); shape and strides in elements, where
//               NumPy's `strides` are in bytes.
// Errors        as clnd_tensor_dense; NULL_POINTER also for `strides` when rank is not 0. Where the
//               elements lie is checked when the tensor is used, or by clnd_tensor_extent.
// Everything else as clnd_tensor_dense.
CLND_API clnd_status clnd_tensor_strided(cl_mem buffer, size_t offset, clnd_dtype dtype,
                                         int32_t rank, const int64_t *shape, const int64_t *strides,
                                         clnd_tensor *tensor);

// Describes the same elements with the dimensions in another order, as numpy.transpose does. Moves
// nothing: clnd_copy of it does.
//
// Computes      dimension d of *permuted is dimension axes[d] of `tensor`: its size and its stride.
// Shapes        `axes` has rank entries and names each dimension once; negative ones count from the
//               end. NULL reverses the dimensions.
// Errors        NULL_POINTER, INVALID_RANK, INVALID_AXIS (outside, or named twice). *permuted is
//               zeroed on failure.
// Threads       Thread-safety: Safe. Host only. `permuted` may be `tensor` itself.
CLND_API clnd_status clnd_tensor_permute(const clnd_tensor *tensor, const int32_t *axes,
                                         clnd_tensor *permuted);

// Counts the elements of a tensor: the product of its shape, 1 for rank 0.
//
// Errors        NULL_POINTER, INVALID_RANK, INVALID_SHAPE, SIZE_OVERFLOW. *count is 0 on failure.
// Threads       Thread-safety: Safe. Host only.
CLND_API clnd_status clnd_tensor_count(const clnd_tensor *tensor, int64_t *count);

// Gives the range of bytes, counted from the start of the buffer, in which all elements lie:
// [*begin, *end). Both are 0 for a tensor without elements. A buffer of *end bytes is large enough.
//
// Errors        NULL_POINTER, INVALID_DTYPE, INVALID_RANK, INVALID_SHAPE, SIZE_OVERFLOW, and
//               BUFFER_TOO_SMALL when negative strides reach below byte 0. Both are 0 on failure.
// Threads       Thread-safety: Safe. Host only.
CLND_API clnd_status clnd_tensor_extent(const clnd_tensor *tensor, size_t *begin, size_t *end);

// Checks a tensor as every op does before it uses it: all of clnd_tensor_extent's rules, and that
// the buffer is a cl_mem buffer whose size holds that range.
//
// Errors        those of clnd_tensor_extent, INVALID_BUFFER, BUFFER_TOO_SMALL; OUT_OF_HOST_MEMORY,
//               OUT_OF_DEVICE_MEMORY when the runtime cannot answer.
// Threads       Thread-safety: Safe. Asks the OpenCL runtime for the buffer's size; waits
//               for nothing.
CLND_API clnd_status clnd_tensor_check(const clnd_tensor *tensor);

#ifdef __cplusplus
}
#endif

#endif
