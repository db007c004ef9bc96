// SPDX-License-Identifier: Apache-2.0
//
// BUCKETS: the scatter of CPUs for many short rows. An OWNER looks at the indices of all rows, so
// more threads do not make that part of its work any shorter; here each index is looked at once:
//
//     rows   are put into buckets, one for each part of the target      1 launch
//     apply  a work-item applies the bucket of a part, in row order     1 launch
//
// Where 16-bit sums are rounded once, it sorts the bucket first, so that each element meets all of
// its rows in turn.
//
// The rows are taken in chunks, in order, so that the workspace has a bound. Parts are more than
// the threads, and small enough for their caches where that is possible.

#ifndef CLND_EXEC_SCATTER_BUCKETS_H
#define CLND_EXEC_SCATTER_BUCKETS_H

#include "host/exec/move.h"
#include "host/exec/scatter_sums.h"

typedef struct clnd__bucket_plan {
    clnd_bucket_args args; // of the first chunk, but move.rows is the problem's
    int64_t chunk;         // rows, at most: whole blocks
    clnd__kernel_id divide;
    clnd__kernel_id apply;
    uint64_t bytes; // of the workspace
    bool may_zero;  // no row begins in one part and ends in another, and parts begin with words
} clnd__bucket_plan;

// Whether rows of the folded problem can be put into buckets on this device.
bool clnd__buckets_are_possible(const clnd_device_facts *facts, const clnd__problem *folded,
                                clnd_reduce reduce, size_t alignment);

// Why buckets serve a CPU better than owners, or NULL; the workspace has `room` bytes for them.
const char *clnd__buckets_advantage(const clnd_device_facts *facts, const clnd__problem *folded,
                                    uint64_t room);

// Whether the sums can be CLND__SUMS_ROUNDED in that room.
bool clnd__buckets_can_round(const clnd_device_facts *facts, const clnd__problem *folded,
                             uint64_t room);

// Plans the scatter of a problem for which that is possible. `alignment` is that of all buffers;
// what is theirs of the workspace begins at byte `offset` of its buffer and has `room` bytes, of
// which they take plan->bytes: more only if that is less than the least possible.
void clnd__buckets_plan_make(const clnd_device_facts *facts, const clnd__problem *folded,
                             clnd_reduce reduce, int adjust, clnd__sums sums, size_t alignment,
                             uint64_t room, int64_t offset, clnd__bucket_plan *plan);

// Has a target whose elements fill bytes [begin, end) of data begin as zeros. False: its kernels
// cannot do that.
bool clnd__buckets_zero_first(clnd__bucket_plan *plan, int64_t begin, int64_t end);

// Compiles the kernels.
clnd_status clnd__buckets_prepare(clnd__call *call, const clnd__bucket_plan *plan);

// Whether all rows are one chunk.
bool clnd__buckets_are_whole(const clnd__bucket_plan *plan);

// Divides the first chunk, which writes to the workspace only.
clnd_status clnd__buckets_enqueue_first(clnd__call *call, const clnd__bucket_plan *plan,
                                        cl_mem indices, cl_mem workspace);

// Enqueues all chunks on data, indices and dense. `begun`: the first one has been divided.
clnd_status clnd__buckets_enqueue(clnd__call *call, const clnd__bucket_plan *plan, bool begun,
                                  const cl_mem buffers[3], cl_mem workspace);

#endif
