// SPDX-License-Identifier: Apache-2.0
//
// scatter_nd and scatter_nd_into: combine slices of updates with the places of a tensor that tuples
// of indices select (TensorFlow's ScatterNd and TensorScatterUpdate/Add/Sub/Min/Max, ONNX's
// ScatterND).
//
//     for every row i of indices, in any order:
//         target[indices[i..., 0], ..., indices[i..., K-1], s...] (reduce)= updates[i..., s...]
//
// with K = the size of the last dimension of indices. Rank-1 indices are one tuple. With K = 0
// every row addresses the whole target. Both go beyond TensorFlow, which refuses them.
//
// Gradients, with g the gradient of the result and gather = clnd_gather_nd with the same indices
// (and policy: ZERO where the scatter drops rows):
//
//     reduce   of updates                          of the old target
//     ADD      gather(g)                           g
//     SUB      -gather(g)                          g
//     UPDATE   gather(g), if indices are unique    g, with zeros scattered by UPDATE
//     MUL      gather(g) * gather(old target),     g, with the updates scattered by MUL
//              if indices are unique
//     MIN,MAX  gather(g) where updates equal       g where the old target equals the result,
//              gather(result), else 0              else 0; ties share
//
// Whole tensors are combined by K = 0: indices of shape [1, 0] (which have no buffer) and updates
// of shape [1] + target's make `target (reduce)= updates`. Zeros, SUB are a negation, MUL a
// product; indices of shape [n, 0] combine n tensors, ADD is their sum.
// UPDATE with duplicates, `deterministic`: only the last row of a place has a gradient. Scatter the
// numbers of the rows, likewise, into integers of shape target.shape[:K] that are -1: they are the
// indices with which clnd_scatter_nd under SKIP brings g, as it is, into rows of updates.
// Not made of clnd's calls alone: MUL with duplicates (a division by the update, or the product of
// the others), and the comparison for MIN and MAX. There clnd gives gather(g), gather(result), and
// by ADD of ones the number of ties.

#ifndef CLND_SCATTER_ND_H
#define CLND_SCATTER_ND_H

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

typedef struct clnd_scatter_nd_options {
    clnd_reduce reduce;  // DEFAULT: ADD for scatter_nd, UPDATE for scatter_nd_into
    clnd_bounds bounds;  // what a bad index does; FILL is refused
    bool deterministic;  // the result is that of a serial loop over the rows, bit for bit; with
                         // UPDATE the last row wins; 16-bit floats are rounded once
    bool unique_indices; // a promise that no two good rows are equal, which saves the atomics. When
                         // it is broken the places in question hold some wrong value; nothing else
    const clnd_workspace *workspace; // memory to use (plan.h); NULL: taken for the time of the call
    clnd_report *report;  // where bad indices are told, so that the call never waits; NULL: none
    uint64_t reserved[8]; // zero
} clnd_scatter_nd_options;

// Checks the shapes of a scatter.
//
// Computes      OK when updates.shape == indices.shape[:-1] + target.shape[K:], K <= rank(target).
// Shapes        as below. Only dtype, rank and shape of the tensors are looked at. (The result's
//               shape is the target's, which cannot be computed from the others.)
// Errors        NULL_POINTER, INVALID_OPTION, INVALID_DTYPE, DTYPE_MISMATCH, UNSUPPORTED_DTYPE,
//               INVALID_RANK, INVALID_SHAPE, SIZE_OVERFLOW.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_scatter_nd_check(const clnd_tensor *indices, const clnd_tensor *updates,
                                           const clnd_tensor *target,
                                           const clnd_scatter_nd_options *options);

// Enqueues a scatter into a zero-filled output.
//
// Computes      out = zeros; then the loop above, by default with ADD. The zeros take part: the MAX
//               of 0 and -3 is 0.
// Everything else as clnd_scatter_nd_into with target = out. It is filled only when all checks have
// passed; only a device that takes the fill and then refuses the scatter (OUT_OF_HOST_MEMORY,
// OUT_OF_DEVICE_MEMORY, OPENCL_ERROR) leaves it zero.
CLND_API clnd_status clnd_scatter_nd(clnd_engine *engine, cl_command_queue queue,
                                     const clnd_tensor *indices, const clnd_tensor *updates,
                                     const clnd_tensor *out, const clnd_scatter_nd_options *options,
                                     cl_uint n_wait, const cl_event *wait, cl_event *event);

// Enqueues a scatter into an existing tensor, in place.
//
// Computes      the loop above, by default with UPDATE.
// Shapes        indices: rank 1 to 16, last dimension K, 0 to rank(target). updates:
//               indices.shape[:-1] + target.shape[K:], rank at most 16. Empty slices and no
//               rows are fine: nothing happens.
// Units         offsets in bytes, shapes and strides in elements, index values in elements.
// Types         updates and target: the same dtype. UPDATE: every dtype. ADD, SUB, MUL, MIN, MAX:
//               all but opaque elements; SUB: not bool; MIN, MAX: not complex. indices: int8 to
//               int64, uint8 to uint32. Devices without fp64 compute float64 and complex128 in
//               integers, to the same bits. 64-bit reductions on a device without 64-bit atomics
//               do without them.
// Index policy  options->bounds; under ERROR and WRAP nothing is written unless every row is good.
//               Indices are checked also when a slice is empty. Duplicates accumulate, in any
//               order: sums of floats may differ in the last bits from run to run. UPDATE with
//               duplicates leaves in each element the value of one of the rows, whole; elements of
//               one slice may come from different rows. With `deterministic` both are as the serial
//               loop leaves them.
// Buffers       indices and updates not CL_MEM_WRITE_ONLY, target CL_MEM_READ_WRITE.
// Aliasing      target must not share memory with indices or updates (compared by the range of
//               bytes from first to last element). indices and updates may overlap.
// Errors        NULL_POINTER   engine, a tensor, or `wait` with n_wait > 0
//               INVALID_OPTION unknown or impossible bounds or reduce; reserved field
//                              set; report of another context or device
//               INVALID_DTYPE, DTYPE_MISMATCH, UNSUPPORTED_DTYPE
//               INVALID_RANK, INVALID_SHAPE, INVALID_STRIDES (target), SIZE_OVERFLOW
//               INVALID_BUFFER, OVERLAP (tensors, workspace)
//               BUFFER_TOO_SMALL a tensor or the workspace reaches outside its buffer, or the call
//                              needs a larger workspace than it is lent (plan.h)
//               MISALIGNED     indices; for reductions also updates and target; workspace
//               INVALID_QUEUE  of another context or device; NULL, but the engine has none
//               INVALID_EVENT, WAIT_FAILED   an event of `wait`
//               INDEX_OUT_OF_BOUNDS  policies ERROR and WRAP; names the first bad row. With a
//                              report, the report says so instead
//               OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, BUILD_FAILED, OPENCL_ERROR
//               On any error the target is unchanged and *event is NULL.
// Async         as clnd_gather_nd: without a report, ERROR and WRAP wait for the check; on a CPU
//               that may be the first kernel of the scatter, which reads all rows.
// Threads       Thread-safety: Safe. Two calls on one target need an order (a queue or events).
// Ownership     everything is borrowed; OpenCL keeps the buffers alive until the work is done.
// Cost          `deterministic` ADD, SUB and MUL of 16-bit floats need device memory for the time
//               of the call: twice the bytes that the target spans, or 20 bytes a row, up to 64
//               MiB. Other calls may take memory too: up to 64 MiB where rows are sorted or a small
//               target is copied, 4.3 MiB where rows are divided among the threads of a CPU. Where
//               a device has memory of its own, rows are sorted in up to a 16th of it.
//               clnd_scatter_nd_into_plan tells how much, and options->workspace lends it.
CLND_API clnd_status clnd_scatter_nd_into(clnd_engine *engine, cl_command_queue queue,
                                          const clnd_tensor *indices, const clnd_tensor *updates,
                                          const clnd_tensor *target,
                                          const clnd_scatter_nd_options *options, cl_uint n_wait,
                                          const cl_event *wait, cl_event *event);

// Tells what clnd_scatter_nd and clnd_scatter_nd_into would do with these tensors and options.
// Nothing is enqueued, compiled or allocated (plan.h).
//
// Errors        as the calls, but for the queue. A tensor may lack its buffer; it then stands for
//               one in a large, aligned buffer of its own. *plan is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_scatter_nd_plan(clnd_engine *engine, const clnd_tensor *indices,
                                          const clnd_tensor *updates, const clnd_tensor *out,
                                          const clnd_scatter_nd_options *options, clnd_plan *plan);
CLND_API clnd_status clnd_scatter_nd_into_plan(clnd_engine *engine, const clnd_tensor *indices,
                                               const clnd_tensor *updates,
                                               const clnd_tensor *target,
                                               const clnd_scatter_nd_options *options,
                                               clnd_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
