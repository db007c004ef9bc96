// SPDX-License-Identifier: Apache-2.0
//
// gather_nd: collects slices of a tensor that tuples of indices select (TensorFlow's GatherNd).
//
//     out[b..., i..., s...] =
//         params[b..., indices[b..., i..., 0], ..., indices[b..., i..., K-1], s...]
//
// with B = batch_dims leading dimensions b that params and indices share, and K = the size of the
// last dimension of indices, the length of a tuple.
//
// Gradient of params, with g the gradient of out:
//
//     B = 0         clnd_scatter_nd of g with the same indices, params' shape and CLND_REDUCE_ADD
//     B > 0, K = 1  zeros, then clnd_scatter_elements with ADD along axis B: params' gradient is
//                   [b..., n, s...], and indices and g are seen as [b..., i, s...], with the
//                   dimensions i as one and strides of 0 along s in indices
//     otherwise     zeros, then clnd_scatter_nd_into with ADD for each batch row; or one for all,
//                   of g with indices in which the batch coordinates stand before each tuple
//
// Scatter under the policy of the gather, and under SKIP for ZERO and FILL: bad rows have no
// gradient. `deterministic` makes its sums the same in every run.

#ifndef CLND_GATHER_ND_H
#define CLND_GATHER_ND_H

#include "clnd/engine.h"
#include "clnd/opencl.h"
#include "clnd/options.h"
#include "clnd/plan.h"
#include "clnd/report.h"
#include "clnd/status.h"
#include "clnd/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clnd_gather_nd_options {
    int32_t batch_dims;   // B: leading dimensions that params and indices share; default 0
    clnd_bounds bounds;   // what a bad index does
    const void *fill;     // CLND_BOUNDS_FILL: one element of params' dtype in host memory, read
                          // before the call returns; otherwise not looked at
    clnd_report *report;  // where bad indices are told, so that the call never waits; NULL: none
    uint64_t reserved[8]; // zero
} clnd_gather_nd_options;

// Gives the shape of the result.
//
// Computes      *out = a dense tensor without a buffer, of params' dtype and of the shape
//               indices.shape[:-1] + params.shape[B + K:].
// Shapes        as clnd_gather_nd. Only dtype, rank and shape of the tensors are looked at.
// Errors        NULL_POINTER, INVALID_OPTION, INVALID_DTYPE, UNSUPPORTED_DTYPE, INVALID_RANK,
//               INVALID_SHAPE, INVALID_AXIS, SIZE_OVERFLOW, as clnd_gather_nd. *out is zeroed on
//               failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_gather_nd_shape(const clnd_tensor *params, const clnd_tensor *indices,
                                          const clnd_gather_nd_options *options, clnd_tensor *out);

// Enqueues the gather.
//
// Computes      out[b..., i..., s...] = params[b..., indices[b..., i..., :], s...]
// Shapes        params: rank 0 to 16. indices: rank 1 to 16; its last dimension is K, 0 to
//               rank(params) - B. The first B sizes of both agree; B < rank(indices), B <=
//               rank(params). out: indices.shape[:-1] + params.shape[B + K:], rank at most 16.
//               Rank-1 indices are one tuple. K = 0: every row is the whole of params (of its batch
//               row).
// Units         offsets in bytes, shapes and strides in elements, index values in elements.
// Types         params and out: every dtype, the same. indices: int8 to int64, uint8 to uint32.
// Index policy  options->bounds. Indices are checked also when the result is empty because a slice
//               is. Duplicate indices are no special case.
// Buffers       params and indices not CL_MEM_WRITE_ONLY, out not CL_MEM_READ_ONLY.
// Aliasing      out must not share memory with params or indices (compared by the range of bytes
//               from first to last element). params and indices may overlap.
// Errors        NULL_POINTER   engine, a tensor, or `wait` with n_wait > 0; FILL without `fill`
//               INVALID_OPTION unknown bounds, reserved field set, report of another
//                              context or device
//               INVALID_DTYPE, DTYPE_MISMATCH (params, out), UNSUPPORTED_DTYPE (indices)
//               INVALID_RANK, INVALID_SHAPE (sizes, K, shape of out), INVALID_AXIS (batch_dims)
//               INVALID_STRIDES (out), SIZE_OVERFLOW
//               INVALID_BUFFER, BUFFER_TOO_SMALL, MISALIGNED (indices), OVERLAP
//               INVALID_QUEUE  of another context or device; NULL, but the engine has none
//               INVALID_EVENT, WAIT_FAILED   an event of `wait`
//               INDEX_OUT_OF_BOUNDS   policies ERROR and WRAP; names the first bad row. With a
//                              report, the report says so instead
//               OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, BUILD_FAILED, OPENCL_ERROR
//               On INDEX_OUT_OF_BOUNDS, and where OpenCL fails meanwhile, the elements of `out` are
//               unspecified; on any other error they are unchanged. *event is NULL.
// Async         enqueued behind `wait`; returns at once under ZERO, FILL and CLAMP, and with a
//               report (report.h). Without one, ERROR and WRAP wait for `wait` and the check of the
//               indices, which on a CPU is a part of the gather; do not let `wait` hold a user
//               event that only this thread completes. The indices must stay as they are until the
//               call has returned; with a report, until it is complete. `event`, if not NULL,
//               receives an event of the whole call (engine.h), which the caller releases. In-order
//               and out-of-order queues. `queue` may be NULL: the engine's own.
// Threads       Thread-safety: Safe.
// Ownership     everything is borrowed; OpenCL keeps the buffers alive until the work is done.
CLND_API clnd_status clnd_gather_nd(clnd_engine *engine, cl_command_queue queue,
                                    const clnd_tensor *params, const clnd_tensor *indices,
                                    const clnd_tensor *out, const clnd_gather_nd_options *options,
                                    cl_uint n_wait, const cl_event *wait, cl_event *event);

// Tells what clnd_gather_nd would do with these tensors and options. Nothing is enqueued, compiled
// or allocated (plan.h).
//
// Errors        as the call, but for the queue. A tensor may lack its buffer; it then stands for
//               one in a large, aligned buffer of its own. *plan is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_gather_nd_plan(clnd_engine *engine, const clnd_tensor *params,
                                         const clnd_tensor *indices, const clnd_tensor *out,
                                         const clnd_gather_nd_options *options, clnd_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
