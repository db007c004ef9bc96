// SPDX-License-Identifier: Apache-2.0
//
// SORT: the scatter of GPUs that must have the serial loop's result. Rows are sorted by the place
// in data that they select, so that rows that meet become neighbours and keep their order; then
// each run of them is applied by one lane a column. Nothing waits for the device.
//
// The rows are taken in chunks, in order, so that the workspace has a bound:
//
//     keys    of a chunk's rows; bad rows get none                 1 launch
//     passes  of a radix sort, 8 bits each at most                 3 launches, the first 2
//     apply   the only one that writes to data                     1 launch

#ifndef CLND_EXEC_SCATTER_SORT_H
#define CLND_EXEC_SCATTER_SORT_H

#include "clnd/plan.h"
#include "host/exec/move.h"
#include "host/exec/scatter_sums.h"

// Of the workspace: its first byte lies on such an address.
enum { CLND__SORT_ALIGNMENT = 128 };

// Up to the next multiple of that.
static inline uint64_t clnd__sort_align(uint64_t bytes)
{
    return (bytes + CLND__SORT_ALIGNMENT - 1) / CLND__SORT_ALIGNMENT * CLND__SORT_ALIGNMENT;
}

// The bytes of data at which rows can begin: origin + key * step, keys from 0 to count - 1.
typedef struct clnd__sort_keys {
    int64_t origin;
    int64_t step;
    uint64_t count;
} clnd__sort_keys;

typedef struct clnd__sort_layout {
    int64_t chunk;  // rows, at most
    int64_t chunks; // to go through
    int key_bytes;  // 4 or 8
    int passes;
    int digit_bits;
    int64_t block;  // keys a work-group takes: whole tiles
    int64_t blocks; // of a whole chunk
    // Places in the workspace, in bytes. Passes go to and fro between two; a single pass needs one
    // place for rows.
    uint64_t keys[2];
    uint64_t rows[2];
    uint64_t counts;
    uint64_t totals;
    uint64_t kept;
    uint64_t bytes; // of the workspace
} clnd__sort_layout;

// Whether the device can do this: work-groups of CLND_LANES, and 16 KiB of local memory.
bool clnd__sort_is_possible(const clnd_device_facts *facts);

// The keys of a folded problem.
clnd__sort_keys clnd__sort_keys_of(const clnd__problem *folded);

// Bytes that the workspace may have: what is lent, or what a call takes when nothing is.
uint64_t clnd__sort_room(const clnd_device_facts *facts, const clnd_workspace *lent);

// Lays out a workspace of at most `limit` bytes for so many rows and keys; if that is less than the
// least possible, the least possible.
void clnd__sort_lay_out(int64_t rows, uint64_t keys, uint32_t compute_units, uint64_t limit,
                        clnd__sort_layout *layout);

typedef struct clnd__sort_plan {
    clnd__sort_layout layout;
    clnd__kernel_id keys, count, scan, place;
    int64_t step_shift;
    int64_t step_inverse;
    // Of all rows of the problem: what finds the keys, and what applies sorted rows.
    clnd_move_args select;
    clnd__move apply;
} clnd__sort_plan;

// Plans the scatter of a folded problem. `alignment` is that of all buffers; `layout` was made for
// the problem's rows and keys.
void clnd__sort_plan_make(const clnd_device_facts *facts, const clnd__problem *folded,
                          clnd_reduce reduce, int adjust, size_t alignment, clnd__sums sums,
                          const clnd__sort_layout *layout, clnd__sort_plan *plan);

// Compiles the kernels.
clnd_status clnd__sort_prepare(clnd__call *call, const clnd__sort_plan *plan);

// Enqueues the sort of the chunk that begins with row `first`. What is sorted then lies in
// layout.keys[n] and rows[n] with n = clnd__sort_result.
clnd_status clnd__sort_chunk(clnd__call *call, const clnd__sort_plan *plan, int64_t first,
                             cl_mem indices, cl_mem workspace, uint64_t offset);

static inline int clnd__sort_result(const clnd__sort_layout *layout)
{
    return layout->passes % 2;
}

// Enqueues all chunks on data, indices and dense. The workspace is layout.bytes from `offset` on.
clnd_status clnd__sort_enqueue(clnd__call *call, const clnd__sort_plan *plan,
                               const cl_mem buffers[3], cl_mem workspace, uint64_t offset);

#endif
