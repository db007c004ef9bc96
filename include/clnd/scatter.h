// SPDX-License-Identifier: Apache-2.0
//
// scatter: combines slices of updates with those that index values select along one axis, in place:
// the counterpart of gather (torch's index_copy_ and index_add_, NumPy's `a[:, i] = u` and
// numpy.add.at), with leading batch dimensions.
//
//     for every row i of indices, in any order:
//         target[b..., p..., indices[b..., i...], s...] (reduce)= updates[b..., p..., i..., s...]
//
// with B = batch_dims dimensions b that all three share, the dimensions p of target before `axis`,
// and the dimensions s behind it.
//
// Gradients: the table in scatter_nd.h, with clnd_gather and clnd_scatter of the same indices, axis
// and batch_dims for gather and scatter. What it says about what clnd's calls do not make (MUL with
// duplicates, the comparison for MIN and MAX) holds here too.

#ifndef CLND_SCATTER_H
#define CLND_SCATTER_H

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

typedef struct clnd_scatter_options {
    int32_t axis;        // of target; negative: from its end; 0: the number of batch dims
    int32_t batch_dims;  // B; negative: from the rank of indices; default 0
    clnd_reduce reduce;  // DEFAULT: UPDATE
    clnd_bounds bounds;  // what a bad index does; FILL is refused
    bool deterministic;  // the serial loop's result in row-major order of indices, bit for bit
    bool unique_indices; // a promise that no element is addressed twice, which saves the atomics.
                         // When it is broken those elements hold some wrong value; nothing else
    const clnd_workspace *workspace; // memory to use (plan.h); NULL: taken for the time of the call
    clnd_report *report;  // where bad indices are told, so that the call never waits; NULL: none
    uint64_t reserved[8]; // zero
} clnd_scatter_options;

// Checks the shapes of a scatter.
//
// Computes      OK when the shapes go together as clnd_scatter says.
// Shapes        as below. Only dtype, rank and shape of the tensors are looked at. (The result's
//               shape is the target's.)
// Errors        NULL_POINTER, INVALID_OPTION, INVALID_DTYPE, DTYPE_MISMATCH, UNSUPPORTED_DTYPE,
//               INVALID_RANK, INVALID_SHAPE, INVALID_AXIS, SIZE_OVERFLOW.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_scatter_check(const clnd_tensor *indices, const clnd_tensor *updates,
                                        const clnd_tensor *target,
                                        const clnd_scatter_options *options);

// Enqueues the scatter.
//
// Computes      the loop above, by default with UPDATE.
// Shapes        target: rank 1 to 16. indices: rank 0 to 16; rank 0 drops the axis of updates. B <
//               rank(target), B <= rank(indices), B <= axis; the first B sizes of both agree.
//               updates: target.shape[:axis] + indices.shape[B:] + target.shape[axis + 1:],
//               rank at most 16; nothing is broadcast, but updates may have strides of 0.
// Units         offsets in bytes, shapes and strides in elements, index values in elements.
// Types         as clnd_scatter_nd_into.
// Index policy  as clnd_scatter_nd_into; a bad value is told as
//               "indices[0,1] = 7 is not in [0, 3)".
// Buffers       indices and updates not CL_MEM_WRITE_ONLY, target CL_MEM_READ_WRITE.
// Aliasing      target must not share memory with indices or updates (compared by the range of
//               bytes from first to last element). indices and updates may overlap.
// Errors        as clnd_scatter_nd_into; INVALID_AXIS for axis and batch_dims. On any
//               error the target is unchanged and *event is NULL.
// Async         as clnd_gather_nd: without a report, ERROR and WRAP wait for the check; on a CPU
//               that may be the first kernel of the scatter, which reads all rows.
// Threads       Thread-safety: Safe. Two calls on one target need an order (a queue or events).
// Ownership     everything is borrowed; OpenCL keeps the buffers alive until the work is done.
// Cost          `deterministic` ADD, SUB and MUL of 16-bit floats need device memory for the time
//               of the call: twice the bytes that the target spans, or 20 bytes a row, up to 64
//               MiB. Other calls may take memory too: up to 64 MiB where rows are sorted or a small
//               target is copied, 4.3 MiB where rows are divided among the threads of a CPU. Where
//               a device has memory of its own, rows are sorted in up to a 16th of it.
//               clnd_scatter_plan tells how much, and options->workspace lends it.
CLND_API clnd_status clnd_scatter(clnd_engine *engine, cl_command_queue queue,
                                  const clnd_tensor *indices, const clnd_tensor *updates,
                                  const clnd_tensor *target, const clnd_scatter_options *options,
                                  cl_uint n_wait, const cl_event *wait, cl_event *event);

// Tells what clnd_scatter would do with these tensors and options. Nothing is
// enqueued, compiled or allocated (plan.h).
//
// Errors        as the call, but for the queue. A tensor may lack its buffer; it then stands for
//               one in a large, aligned buffer of its own. *plan is zeroed on failure.
// Async         host only.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_scatter_plan(clnd_engine *engine, const clnd_tensor *indices,
                                       const clnd_tensor *updates, const clnd_tensor *target,
                                       const clnd_scatter_options *options, clnd_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
