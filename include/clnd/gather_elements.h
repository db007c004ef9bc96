// SPDX-License-Identifier: Apache-2.0
//
// gather_elements: picks single elements along one axis (ONNX's GatherElements,
// numpy.take_along_axis, torch.gather).
//
//     out[i...] = params[i_0, ..., indices[i...], ..., i_{r-1}]    with the index value at `axis`
//
// Gradient of params: zeros, then clnd_scatter_elements of the gradient of out, with the same
// indices and axis and CLND_REDUCE_ADD. Scatter under the policy of the gather, and under SKIP for
// ZERO and FILL: bad rows have no gradient.

#ifndef CLND_GATHER_ELEMENTS_H
#define CLND_GATHER_ELEMENTS_H

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

typedef struct clnd_gather_elements_options {
    int32_t axis;         // negative: from the end; default 0
    clnd_bounds bounds;   // what a bad index does
    const void *fill;     // CLND_BOUNDS_FILL: one element of params' dtype in host memory, read
                          // before the call returns; otherwise not looked at
    clnd_report *report;  // where bad indices are told, so that the call never waits; NULL: none
    uint64_t reserved[8]; // zero
} clnd_gather_elements_options;

// Gives the shape of the result.
//
// Computes      *out = a dense tensor without a buffer, of params' dtype and indices' shape.
// Shapes        as clnd_gather_elements. Only dtype, rank and shape of the tensors are looked at.
// Errors        NULL_POINTER, INVALID_OPTION, INVALID_DTYPE, UNSUPPORTED_DTYPE, INVALID_RANK,
//               INVALID_SHAPE, INVALID_AXIS, SIZE_OVERFLOW. *out is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_gather_elements_shape(const clnd_tensor *params,
                                                const clnd_tensor *indices,
                                                const clnd_gather_elements_options *options,
                                                clnd_tensor *out);

// Enqueues the gather.
//
// Computes      out[i...] = params[i..., with indices[i...] in the place of i_axis]
// Shapes        params and indices: the same rank, 1 to 16; outside the axis no size of indices is
//               larger than that of params (smaller ones leave the rest of params alone; nothing is
//               broadcast, but indices may have strides of 0). out: indices' shape.
// Units         offsets in bytes, shapes and strides in elements, index values in elements.
// Types         params and out: every dtype, the same. indices: int8 to int64, uint8 to uint32.
// Index policy  options->bounds. A bad value is told as "indices[0,1] = 7 is not in [0, 3)".
// Buffers       params and indices not CL_MEM_WRITE_ONLY, out not CL_MEM_READ_ONLY.
// Aliasing      out must not share memory with params or indices (compared by the range of bytes
//               from first to last element). params and indices may overlap.
// Errors        as clnd_gather_nd; INVALID_AXIS for axis. What is in `out` after an error, and
//               *event: as there.
// Async         as clnd_gather_nd: without a report, ERROR and WRAP wait for the check.
// Threads       Thread-safety: Safe.
// Ownership     everything is borrowed; OpenCL keeps the buffers alive until the work is done.
CLND_API clnd_status clnd_gather_elements(clnd_engine *engine, cl_command_queue queue,
                                          const clnd_tensor *params, const clnd_tensor *indices,
                                          const clnd_tensor *out,
                                          const clnd_gather_elements_options *options,
                                          cl_uint n_wait, const cl_event *wait, cl_event *event);

// Tells what clnd_gather_elements would do with these tensors and options. Nothing is enqueued,
// compiled or allocated (plan.h).
//
// Errors        as the call, but for the queue. A tensor may lack its buffer; it then stands for
//               one in a large, aligned buffer of its own. *plan is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_gather_elements_plan(clnd_engine *engine, const clnd_tensor *params,
                                               const clnd_tensor *indices, const clnd_tensor *out,
                                               const clnd_gather_elements_options *options,
                                               clnd_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
