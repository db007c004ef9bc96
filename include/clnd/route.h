// SPDX-License-Identifier: Apache-2.0
//
// route: groups rows of indices by the shard that owns what they select, for tables that are
// divided among devices or machines (TorchRec's block_bucketize_sparse_features). Within a shard
// rows keep their order. clnd-mpi is built on it; other transports can be.
//
//     for every row i of indices, in row-major order:
//         row, rest    = the numbers of table[indices[i..., 0], ..., indices[i..., K-1]]: among the
//                        divided dimensions and among the others, both row-major
//         shard, local = who owns `row`, and its number there
//         positions[i] = how many rows go to lower shards, and of this one's before row i
//         places[positions[i]] = local * (elements in the other dimensions) + rest
//     counts[shard]    = how many rows go there
//
// So the counts[s] places behind those of lower shards are what to ask of shard s, whose part of
// the table is a tensor of its rows. clnd_gather_nd with `positions` as indices puts in place what
// comes back in this order; clnd_scatter_nd with the same indices and UPDATE brings updates into
// it.

#ifndef CLND_ROUTE_H
#define CLND_ROUTE_H

#include "clnd/engine.h"
#include "clnd/opencl.h"
#include "clnd/options.h"
#include "clnd/report.h"
#include "clnd/status.h"
#include "clnd/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// How a table is divided. Its rows are counted over the first n_divided dimensions, row-major.
typedef struct clnd_shards {
    int32_t n_shards;             // 1 or more
    int32_t n_dims;               // dimensions that index values select: K
    int32_t n_divided;            // the first ones of them; 1 to n_dims
    int64_t shape[CLND_MAX_RANK]; // their sizes; the first n_dims entries count
    int64_t block;                // above 0: blocks of so many rows are dealt to the shards in turn
    const int64_t *offsets;       // with block = 0: shard s owns rows offsets[s] to
                                  // offsets[s + 1] - 1. n_shards + 1 numbers in host memory, from 0
                                  // to the number of rows, none below the one before; read during
                                  // the call
    uint64_t reserved[4];         // zero
} clnd_shards;

typedef struct clnd_route_options {
    clnd_bounds bounds; // what a bad row does; FILL is refused. SKIP: it goes nowhere, its position
                        // is -1
    clnd_report *report;  // where bad rows are told, so that the call never waits; NULL: none
    uint64_t reserved[8]; // zero
} clnd_route_options;

// Enqueues the grouping.
//
// Computes      the loop above. The last elements of places are left as they are if rows are bad.
// Shapes        indices: rank 1 or more, the last dimension K = shards->n_dims. positions:
//               indices.shape[:-1]. places: [N], N the number of rows. counts: [n_shards].
// Units         offsets in bytes, shapes and strides in elements, index values in elements.
// Types         indices: as clnd_gather_nd. The results are INT64.
// Index policy  as clnd_scatter_nd_into: DEFAULT is ERROR on CPUs and SKIP elsewhere. A bad row is
//               told as "indices[1] = [5, 0] does not index into shape [2, 2]".
// Buffers       indices not CL_MEM_WRITE_ONLY, the results CL_MEM_READ_WRITE or WRITE_ONLY.
// Aliasing      no result may share memory with indices or with another result.
// Errors        NULL_POINTER, INVALID_OPTION (bounds; reserved fields; n_shards or block out of
//               range), INVALID_DTYPE, UNSUPPORTED_DTYPE, INVALID_RANK (indices, n_dims,
//               n_divided), INVALID_SHAPE (shapes; offsets that do not cover the rows),
//               INVALID_STRIDES, SIZE_OVERFLOW, INVALID_BUFFER, BUFFER_TOO_SMALL, MISALIGNED,
//               OVERLAP, INVALID_QUEUE, INVALID_EVENT, WAIT_FAILED, UNSUPPORTED_DEVICE (a driver
//               that ends loops early, and too many rows or shards for it), INDEX_OUT_OF_BOUNDS,
//               OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, BUILD_FAILED, OPENCL_ERROR. On any error
//               the results are unchanged and *event is NULL.
// Async         as clnd_scatter_nd_into: without a report, ERROR and WRAP wait for the check.
// Threads       Thread-safety: Safe.
// Ownership     everything is borrowed; OpenCL keeps the buffers alive until the work is done.
// Cost          indices are read twice, or three times with a check; device memory for the time of
//               the call: 8 bytes for each shard and work-item, no more than for the rows and 64
//               MiB, or 8 bytes a shard.
CLND_API clnd_status clnd_route(clnd_engine *engine, cl_command_queue queue,
                                const clnd_tensor *indices, const clnd_shards *shards,
                                const clnd_tensor *positions, const clnd_tensor *places,
                                const clnd_tensor *counts, const clnd_route_options *options,
                                cl_uint n_wait, const cl_event *wait, cl_event *event);

#ifdef __cplusplus
}
#endif

#endif
