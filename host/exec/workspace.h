// SPDX-License-Identifier: Apache-2.0
//
// Device memory that a call needs beside its tensors: lent by the caller, or taken for its time.

#ifndef CLND_EXEC_WORKSPACE_H
#define CLND_EXEC_WORKSPACE_H

#include "clnd/plan.h"
#include "host/cl/call.h"

// Bytes; the least CL_DEVICE_MEM_BASE_ADDR_ALIGN, so that every vector type is aligned.
enum { CLND__WORKSPACE_ALIGNMENT = 128 };

typedef struct clnd__workspace {
    const clnd_workspace *lent; // checked; NULL: none
    uint64_t bytes;             // that the plan needs; no more than is lent
    cl_mem buffer;              // once the call has taken it
    clnd__scratch owned;
} clnd__workspace;

// Byte of the buffer at which the workspace begins, known before it is taken.
static inline int64_t clnd__workspace_offset(const clnd__workspace *workspace)
{
    return workspace->lent ? (int64_t)workspace->lent->offset : 0;
}

// Bytes that a plan may use behind the first `taken`: of what is lent, or as many as it likes.
static inline uint64_t clnd__workspace_room(const clnd_workspace *lent, uint64_t taken)
{
    return !lent ? UINT64_MAX : lent->size > taken ? lent->size - taken : 0;
}

// Up to the next address at which a part of a workspace may begin: that of the workspace itself.
static inline uint64_t clnd__workspace_align(uint64_t bytes)
{
    return (bytes + CLND__WORKSPACE_ALIGNMENT - 1) / CLND__WORKSPACE_ALIGNMENT *
           CLND__WORKSPACE_ALIGNMENT;
}

#endif
