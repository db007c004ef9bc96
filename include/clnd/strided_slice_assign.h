// SPDX-License-Identifier: Apache-2.0
//
// Writing into slices: strided_slice_assign (TensorFlow's StridedSliceAssign, NumPy's
// `a[slice] = v`) and strided_slice_grad (TensorFlow's StridedSliceGrad). slice.h has the rules.
//
// Gradients of strided_slice_assign, with g that of the result: of the old tensor, g with a zero
// assigned to the slice; of the value, clnd_strided_slice of g. Where the value was broadcast, it
// is the sum over the dimensions that repeat: clnd_scatter_nd with CLND_REDUCE_ADD of
// clnd_strided_slice_view of g, seen with those dimensions first, and indices of shape
// [those..., 0]. The gradient of dy in strided_slice_grad is clnd_strided_slice of that of dx.

#ifndef CLND_STRIDED_SLICE_ASSIGN_H
#define CLND_STRIDED_SLICE_ASSIGN_H

#include "clnd/engine.h"
#include "clnd/opencl.h"
#include "clnd/options.h"
#include "clnd/plan.h"
#include "clnd/slice.h"
#include "clnd/status.h"
#include "clnd/strided_slice.h"
#include "clnd/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// Checks whether a value can be assigned to a slice of a tensor.
//
// Computes      *broadcast = `value` as seen through the slice's shape: value's buffer, offset and
//               dtype, with strides of 0 along the dimensions that repeat.
// Shapes        value is broadcast as NumPy does: its dimensions count from the last, each has the
//               slice's size or 1, missing ones repeat, and extra leading ones must be 1. The slice
//               never grows.
// Errors        those of clnd_strided_slice_shape; DTYPE_MISMATCH; INVALID_SHAPE when the value
//               does not broadcast, also into an empty slice. *broadcast is zeroed on failure.
// Async         host only; no buffer is looked at.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_strided_slice_assign_shape(const clnd_tensor *value,
                                                     const clnd_slice *slice,
                                                     const clnd_tensor *target,
                                                     clnd_tensor *broadcast);

// Enqueues an assignment, in place.
//
// Computes      target[slice] = value
// Shapes        as clnd_strided_slice_assign_shape.
// Units         offsets in bytes, shapes and strides in elements.
// Types         target and value: every dtype, the same.
// Index policy  none: ranges clamp, integers must be inside, all of it known on the host.
// Buffers       value not CL_MEM_WRITE_ONLY, target not CL_MEM_READ_ONLY.
// Aliasing      the slice of target must not share memory with value (compared by the range of
//               bytes from first to last element).
// Errors        those of clnd_strided_slice_assign_shape, and INVALID_STRIDES (target),
//               INVALID_BUFFER, BUFFER_TOO_SMALL, OVERLAP, INVALID_OPTION, INVALID_QUEUE,
//               INVALID_EVENT, WAIT_FAILED, OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY,
//               BUILD_FAILED, OPENCL_ERROR.
//               On any error the target is unchanged and *event is NULL.
// Async         enqueued behind `wait`; never waits. `event`, if not NULL, receives an event of the
//               whole call (engine.h), which the caller releases. `queue` may be NULL: the engine's
//               own.
// Threads       Thread-safety: Safe. Two calls on one target need an order (a queue or events).
// Ownership     everything is borrowed; OpenCL keeps the buffers alive until the work is done.
CLND_API clnd_status clnd_strided_slice_assign(clnd_engine *engine, cl_command_queue queue,
                                               const clnd_tensor *value, const clnd_slice *slice,
                                               const clnd_tensor *target,
                                               const clnd_strided_slice_options *options,
                                               cl_uint n_wait, const cl_event *wait,
                                               cl_event *event);

// Enqueues the gradient of strided_slice: zeros, and dy in the slice.
//
// Computes      dx = zeros; dx[slice] = dy
// Shapes        dy has exactly the slice's shape (clnd_strided_slice_shape of dx): no broadcasting.
// Aliasing      dx, all of which is written, must not share memory with dy.
// Everything else as clnd_strided_slice_assign with target = dx and value = dy. dx is filled only
// when all checks have passed; only a device that takes the fill and then refuses the copy
// (OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, OPENCL_ERROR) leaves it zero.
CLND_API clnd_status clnd_strided_slice_grad(clnd_engine *engine, cl_command_queue queue,
                                             const clnd_tensor *dy, const clnd_slice *slice,
                                             const clnd_tensor *dx,
                                             const clnd_strided_slice_options *options,
                                             cl_uint n_wait, const cl_event *wait, cl_event *event);

// Tells what clnd_strided_slice_assign and clnd_strided_slice_grad would do with these tensors and
// options. Nothing is enqueued, compiled or allocated (plan.h).
//
// Errors        as the calls, but for the queue. A tensor may lack its buffer; it then stands for
//               one in a large, aligned buffer of its own. *plan is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_strided_slice_assign_plan(clnd_engine *engine, const clnd_tensor *value,
                                                    const clnd_slice *slice,
                                                    const clnd_tensor *target,
                                                    const clnd_strided_slice_options *options,
                                                    clnd_plan *plan);
CLND_API clnd_status clnd_strided_slice_grad_plan(clnd_engine *engine, const clnd_tensor *dy,
                                                  const clnd_slice *slice, const clnd_tensor *dx,
                                                  const clnd_strided_slice_options *options,
                                                  clnd_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
