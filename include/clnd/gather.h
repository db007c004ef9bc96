// SPDX-License-Identifier: Apache-2.0
//
// gather: collects slices along one axis (TensorFlow's GatherV2, ONNX's Gather, numpy.take), with
// leading batch dimensions. TensorFlow's batch_gather is axis = batch_dims = rank(indices) - 1.
//
//     out[b..., p..., i..., s...] = params[b..., p..., indices[b..., i...], s...]
//
// with B = batch_dims dimensions b that params and indices share, the dimensions p of params before
// `axis`, and the dimensions s behind it.
//
// Gradient of params, with g the gradient of out:
//
//     B = 0    clnd_scatter_nd with CLND_REDUCE_ADD, of indices as indices.shape + [1] and g with
//              the dimensions i in front of p, into params' gradient with the axis in front of p:
//              the same memory, described in another order
//     any B    zeros, then clnd_scatter_elements with ADD along the axis: indices and g are seen as
//              [b..., p..., i, s...], with the dimensions i as one and strides of 0 along p and s
//              in indices
//
// Scatter under the policy of the gather, and under SKIP for ZERO and FILL: bad rows have no
// gradient.

#ifndef CLND_GATHER_H
#define CLND_GATHER_H

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

typedef struct clnd_gather_options {
    int32_t axis; // of params; negative: from its end; 0, the default: the number of batch dims
    int32_t batch_dims;   // B; negative: from the rank of indices; default 0
    clnd_bounds bounds;   // what a bad index does
    const void *fill;     // CLND_BOUNDS_FILL: one element of params' dtype in host memory, read
                          // before the call returns; otherwise not looked at
    clnd_report *report;  // where bad indices are told, so that the call never waits; NULL: none
    uint64_t reserved[8]; // zero
} clnd_gather_options;

// Gives the shape of the result.
//
// Computes      *out = a dense tensor without a buffer, of params' dtype and of the shape
//               params.shape[:axis] + indices.shape[B:] + params.shape[axis + 1:].
// Shapes        as clnd_gather. Only dtype, rank and shape of the tensors are looked at.
// Errors        NULL_POINTER, INVALID_OPTION, INVALID_DTYPE, UNSUPPORTED_DTYPE, INVALID_RANK,
//               INVALID_SHAPE, INVALID_AXIS, SIZE_OVERFLOW, as clnd_gather. *out is zeroed on
//               failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_gather_shape(const clnd_tensor *params, const clnd_tensor *indices,
                                       const clnd_gather_options *options, clnd_tensor *out);

// Enqueues the gather.
//
// Computes      out[b..., p..., i..., s...] = params[b..., p..., indices[b..., i...], s...]
// Shapes        params: rank 1 to 16. indices: rank 0 to 16; rank 0 drops the axis. B <
//               rank(params), B <= rank(indices), B <= axis; the first B sizes of both agree. out:
//               as clnd_gather_shape says, rank at most 16.
// Units         offsets in bytes, shapes and strides in elements, index values in elements.
// Types         params and out: every dtype, the same. indices: int8 to int64, uint8 to uint32.
// Index policy  options->bounds. A bad value is told as "indices[0,1] = 7 is not in [0, 3)".
//               Indices are checked also when the result is empty because a slice is.
// Buffers       params and indices not CL_MEM_WRITE_ONLY, out not CL_MEM_READ_ONLY.
// Aliasing      out must not share memory with params or indices (compared by the range of bytes
//               from first to last element). params and indices may overlap.
// Errors        as clnd_gather_nd; INVALID_AXIS for axis and batch_dims. What is in `out` after
//               an error, and *event: as there.
// Async         as clnd_gather_nd: without a report, ERROR and WRAP wait for the check.
// Threads       Thread-safety: Safe.
// Ownership     everything is borrowed; OpenCL keeps the buffers alive until the work is done.
CLND_API clnd_status clnd_gather(clnd_engine *engine, cl_command_queue queue,
                                 const clnd_tensor *params, const clnd_tensor *indices,
                                 const clnd_tensor *out, const clnd_gather_options *options,
                                 cl_uint n_wait, const cl_event *wait, cl_event *event);

// Tells what clnd_gather would do with these tensors and options. Nothing is enqueued, compiled or
// allocated (plan.h).
//
// Errors        as the call, but for the queue. A tensor may lack its buffer; it then stands for
//               one in a large, aligned buffer of its own. *plan is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_gather_plan(clnd_engine *engine, const clnd_tensor *params,
                                      const clnd_tensor *indices, const clnd_tensor *out,
                                      const clnd_gather_options *options, clnd_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
