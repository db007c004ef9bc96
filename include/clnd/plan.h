// SPDX-License-Identifier: Apache-2.0
//
// Plans and workspaces: what a call would do, and the device memory that it needs for it.
//
// A program need not care: a call takes what it needs from the context, and the engine keeps that
// for the next one. A program that wants no allocation in its inner loop asks clnd_<op>_plan how
// much a call needs, and lends it memory through the op's options.

#ifndef CLND_PLAN_H
#define CLND_PLAN_H

#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

#include "clnd/options.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes [offset, offset + size) of a buffer of the engine's context. What they hold before means
// nothing, what they hold afterwards neither. A call uses them until its event is complete: do not
// lend them to another call meanwhile, unless both are on one in-order queue, and do not touch
// them. After a call that failed with OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY or OPENCL_ERROR
// there is no event: finish its queue first. `offset` is a multiple of 128. They must not overlap a
// tensor of the call.
//
// The strategy SORT works in whatever it is lent, from some 20 KiB on: the less, the more often it
// starts. Without a workspace it takes up to 64 MiB. BUCKETS takes 4 bytes a row plus a little, for
// 4096 rows at least and 4.3 MiB at most, and works in whatever it is lent, from 17412 bytes on.
// For sums of 16 bits that are rounded once it takes 20 bytes a row, up to 64 MiB, if it may. Where
// they sum on a float32 copy of the target, both have that behind the copy. AUTO takes BUCKETS and
// PRIVATE only where there is room for them.
//
// Without a workspace, what calls take and give back is not lost: the engine keeps the largest of
// it, up to 64 MiB, until it is destroyed. A later call that needs no more than that uses it, once
// the commands of the earlier one are done; until then, calls have memory of their own.
typedef struct clnd_workspace {
    cl_mem buffer;
    size_t offset; // bytes
    size_t size;   // bytes
} clnd_workspace;

// What a call would do. Filled in by clnd_<op>_plan. Tensors without a buffer are planned as if
// theirs were large enough and aligned. So a call may still refuse the strategy ATOMIC, where it is
// asked for, with INVALID_OPTION: elements of 8 and 16 bits are updated by the aligned 32-bit word
// around them, which must lie inside the buffer.
typedef struct clnd_plan {
    const char *strategy;     // a name, as "sort"; "none" when there is nothing to do. Static text
    const char *reason;       // why; static text
    uint64_t workspace_bytes; // device memory beside the tensors. With a workspace in the options,
                              // what is used of it; without, what the call would take
    uint64_t reserved[8];
} clnd_plan;

#ifdef __cplusplus
}
#endif

#endif
