// SPDX-License-Identifier: Apache-2.0
//
// Plans and workspaces: what a call would do, and the device memory that it needs for it.
//
// A program need not care: a call takes what it needs from the context, and the engine keeps that
// for the next one. A program that wants no allocation in its inner loop asks clnd_<op>_plan how
// much a call needs, and lends it memory through the op's options.

#ifndef CLND_PLAN_H
#define CLND_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "clnd/opencl.h"
#include "clnd/options.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes [offset, offset + size) of a buffer of the engine's context. What they hold before means
// nothing, what they hold afterwards neither. A call uses them until its event is complete: do not
// lend them to another call meanwhile, unless both are on one in-order queue, and do not touch
// them. After a call that failed with OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY or OPENCL_ERROR
// there is no event: finish its queue first. `offset` is a multiple of 128. The buffer is
// CL_MEM_READ_WRITE, as OpenCL's buffers are by default. They must not overlap a tensor of the
// call.
//
// A call works in what it is lent, mostly slower in less, if there is a way to: the plan of that
// very call, with the workspace in its options, tells what it would do. Where there is none, both
// the call and its plan are refused with BUFFER_TOO_SMALL, whose text says how much is needed at
// least. Deterministic ADD, SUB and MUL of 16-bit floats cannot do without; what else cannot are
// large scatters where the driver ends loops early (clnd_device_facts.loop_iterations).
//
// Without a workspace, what calls take and give back is not lost: the engine keeps the largest of
// it, up to 64 MiB or clnd_engine_options.keep_bytes, until it is destroyed. A later call that
// needs no more than that uses it, once the commands of the earlier one are done; until then, calls
// have memory of their own.
typedef struct clnd_workspace {
    cl_mem buffer;
    size_t offset; // bytes
    size_t size;   // bytes
} clnd_workspace;

// What a call would do. Filled in by clnd_<op>_plan. Tensors without a buffer are planned as if
// theirs were large enough and aligned. A plan is for reading: names and reasons may be others in
// any later version.
typedef struct clnd_plan {
    const char *strategy;     // a name, as "sort"; "none" when there is nothing to do. Static text
    const char *reason;       // why; static text
    uint64_t workspace_bytes; // device memory beside the tensors. With a workspace in the options,
                              // what is used of it; without, what the call would take
    uint64_t reserved[8];     // set to zero, as those of clnd_device_facts
} clnd_plan;

#ifdef __cplusplus
}
#endif

#endif
