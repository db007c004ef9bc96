// SPDX-License-Identifier: Apache-2.0
//
// strided_slice: takes a slice of a tensor (TensorFlow's StridedSlice, NumPy's basic indexing).
// slice.h has the rules. strided_slice_view does it without moving anything.
//
// Gradient of the input: clnd_strided_slice_grad (strided_slice_assign.h), for a view too. To add
// it to a gradient that is there: clnd_scatter_nd_into with CLND_REDUCE_ADD into
// clnd_strided_slice_view of that, with indices of shape [1, 0] and the gradient of out seen as
// [1] + its shape.

#ifndef CLND_STRIDED_SLICE_H
#define CLND_STRIDED_SLICE_H

#include "clnd/engine.h"
#include "clnd/opencl.h"
#include "clnd/options.h"
#include "clnd/plan.h"
#include "clnd/slice.h"
#include "clnd/status.h"
#include "clnd/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clnd_strided_slice_options {
    uint64_t reserved[8]; // zero
} clnd_strided_slice_options;

// Gives the shape of the result.
//
// Computes      *out = a dense tensor without a buffer, of the input's dtype and the slice's shape.
// Shapes        input and result: rank 0 to 16. Only dtype, rank and shape are looked at.
// Errors        NULL_POINTER, INVALID_DTYPE, INVALID_RANK (input or result), INVALID_SHAPE,
//               SIZE_OVERFLOW; INVALID_SLICE: length outside 0 to 32, two ellipses, more entries
//               than dimensions, stride 0, an integer outside its dimension, an integer with a
//               stride that is not positive. *out is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_strided_slice_shape(const clnd_tensor *input, const clnd_slice *slice,
                                              clnd_tensor *out);

// Describes the slice as a tensor on the input's own buffer: nothing is moved.
//
// Computes      *view = {input's buffer, new offset, input's dtype, slice's shape, new strides}.
//               New axes have stride 0. The view of an empty slice has the input's offset.
// Errors        as clnd_strided_slice_shape. *view is zeroed on failure.
// Async         host only; the buffer is not looked at and may be NULL.
// Threads       Thread-safety: Safe.
// Ownership     the view borrows the input's buffer.
CLND_API clnd_status clnd_strided_slice_view(const clnd_tensor *input, const clnd_slice *slice,
                                             clnd_tensor *view);

// Enqueues the copy of a slice.
//
// Computes      out = input[slice]
// Shapes        out has exactly the slice's shape (clnd_strided_slice_shape).
// Units         offsets in bytes, shapes and strides in elements.
// Types         input and out: every dtype, the same.
// Index policy  none: ranges clamp, integers must be inside, all of it known on the host.
// Buffers       input not CL_MEM_WRITE_ONLY, out not CL_MEM_READ_ONLY.
// Aliasing      out must not share memory with the input (compared by the range of bytes from first
//               to last element of out and of the slice).
// Errors        those of clnd_strided_slice_shape, and DTYPE_MISMATCH, INVALID_STRIDES (out),
//               INVALID_BUFFER, BUFFER_TOO_SMALL, OVERLAP, INVALID_OPTION, INVALID_QUEUE,
//               INVALID_EVENT, WAIT_FAILED, OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY,
//               BUILD_FAILED, OPENCL_ERROR.
//               On any error `out` is unchanged and *event is NULL.
// Async         enqueued behind `wait`; never waits. `event`, if not NULL, receives an event of the
//               whole call (engine.h), which the caller releases. `queue` may be NULL: the engine's
//               own.
// Threads       Thread-safety: Safe.
// Ownership     everything is borrowed; OpenCL keeps the buffers alive until the work is done.
CLND_API clnd_status clnd_strided_slice(clnd_engine *engine, cl_command_queue queue,
                                        const clnd_tensor *input, const clnd_slice *slice,
                                        const clnd_tensor *out,
                                        const clnd_strided_slice_options *options, cl_uint n_wait,
                                        const cl_event *wait, cl_event *event);

// Tells what clnd_strided_slice would do with these tensors and options. Nothing is enqueued,
// compiled or allocated (plan.h).
//
// Errors        as the call, but for the queue. A tensor may lack its buffer; it then stands for
//               one in a large, aligned buffer of its own. *plan is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_strided_slice_plan(clnd_engine *engine, const clnd_tensor *input,
                                             const clnd_slice *slice, const clnd_tensor *out,
                                             const clnd_strided_slice_options *options,
                                             clnd_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
