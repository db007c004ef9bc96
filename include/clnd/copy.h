// SPDX-License-Identifier: Apache-2.0
//
// copy: moves a tensor to another place and layout: dense, transposed, reversed, broadcast.
//
//     target[i...] = source[i...]
//
// Gradient of the source: a copy the other way. Where the source is broadcast (stride 0), the sum
// over the dimensions that repeat: clnd_scatter_nd with CLND_REDUCE_ADD of the gradient of target,
// seen with those dimensions first, and indices of shape [those..., 0] (scatter_nd.h).

#ifndef CLND_COPY_H
#define CLND_COPY_H

#include "clnd/engine.h"
#include "clnd/opencl.h"
#include "clnd/options.h"
#include "clnd/plan.h"
#include "clnd/status.h"
#include "clnd/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clnd_copy_options {
    uint64_t reserved[8]; // zero
} clnd_copy_options;

// Gives the shape of the result.
//
// Computes      *target = a dense tensor without a buffer, of the source's dtype and shape.
// Errors        NULL_POINTER, INVALID_DTYPE, INVALID_RANK, INVALID_SHAPE, SIZE_OVERFLOW. *target is
//               zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_copy_shape(const clnd_tensor *source, clnd_tensor *target);

// Enqueues the copy.
//
// Computes      target[i...] = source[i...]
// Shapes        the same, rank 0 to 16. A source is broadcast by giving it strides of 0.
// Units         offsets in bytes, shapes and strides in elements.
// Types         every dtype, the same for both.
// Index policy  none: there are no indices.
// Buffers       source not CL_MEM_WRITE_ONLY, target not CL_MEM_READ_ONLY.
// Aliasing      target must not share memory with source (compared by the range of bytes from first
//               to last element).
// Errors        NULL_POINTER, INVALID_OPTION, INVALID_DTYPE, DTYPE_MISMATCH, INVALID_RANK,
//               INVALID_SHAPE, INVALID_STRIDES (target), SIZE_OVERFLOW, INVALID_BUFFER,
//               BUFFER_TOO_SMALL, OVERLAP, INVALID_QUEUE, INVALID_EVENT, WAIT_FAILED,
//               OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, BUILD_FAILED, OPENCL_ERROR. On any error
//               `target` is unchanged and *event is NULL.
// Async         enqueued behind `wait`; never waits. `event`, if not NULL, receives an event of the
//               whole call (engine.h), which the caller releases. `queue` may be NULL: the engine's
//               own.
// Threads       Thread-safety: Safe.
// Ownership     everything is borrowed; OpenCL keeps the buffers alive until the work is done.
CLND_API clnd_status clnd_copy(clnd_engine *engine, cl_command_queue queue,
                               const clnd_tensor *source, const clnd_tensor *target,
                               const clnd_copy_options *options, cl_uint n_wait,
                               const cl_event *wait, cl_event *event);

// Tells what clnd_copy would do with these tensors and options. Nothing is enqueued, compiled or
// allocated (plan.h).
//
// Errors        as the call, but for the queue. A tensor may lack its buffer; it then stands for
//               one in a large, aligned buffer of its own. *plan is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_copy_plan(clnd_engine *engine, const clnd_tensor *source,
                                    const clnd_tensor *target, const clnd_copy_options *options,
                                    clnd_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
