// SPDX-License-Identifier: Apache-2.0
//
// Warm-up: kernels compiled before they are needed.
//
// An engine compiles a kernel when a call needs it for the first time: some hundred milliseconds,
// or a few when the driver has it on disk. A program that must not stop there names what it is
// going to call.

#ifndef CLND_PREPARE_H
#define CLND_PREPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "clnd/dtype.h"
#include "clnd/engine.h"
#include "clnd/export.h"
#include "clnd/options.h"
#include "clnd/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum clnd_op {
    CLND_OP_GATHER_ND = 1,
    CLND_OP_GATHER = 2,
    CLND_OP_GATHER_ELEMENTS = 3,
    CLND_OP_SCATTER_ND = 4,
    CLND_OP_SCATTER_ND_INTO = 5,
    CLND_OP_SCATTER_ELEMENTS = 6,
    CLND_OP_STRIDED_SLICE = 7,
    CLND_OP_STRIDED_SLICE_ASSIGN = 8,
    CLND_OP_STRIDED_SLICE_GRAD = 9,
    CLND_OP_COPY = 10,
    CLND_OP_SCATTER = 11,
} clnd_op;

// A kind of calls. Fields that an op has no use for are not looked at.
typedef struct clnd_preparation {
    clnd_op op;
    clnd_dtype dtype;       // of the elements
    clnd_dtype index_dtype; // 0: int32
    clnd_reduce reduce;     // scatters; DEFAULT is what the op's header says
    clnd_bounds bounds;     // ops with indices
    bool deterministic;     // scatters
    uint64_t reserved[4];   // zero
} clnd_preparation;

// Compiles the kernels of `n` kinds of calls, by making such calls on a few elements, and waits.
// Later calls of these kinds with dense tensors find what they need. Other layouts, and tensors of
// many dimensions that do not fold into few, may still compile a kernel. So may the first call of
// 512 rows or 16 KiB and more, which has a kernel for such rows: on CPUs for their length,
// elsewhere for rows without gaps, for slices, or for places beyond 2 GiB; and the first one on
// buffers of more than 4 GiB on Intel's GPUs.
//
// Errors        NULL_POINTER, INVALID_OPTION (unknown op, reserved field set), and what the op says
//               of dtypes, reductions and policies; OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY,
//               BUILD_FAILED, OPENCL_ERROR. The message begins with the op's name. What came before
//               the failing kind is prepared.
// Async         blocks; some seconds at most. Uses a queue of its own. May run on another thread
//               while calls are made.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_engine_prepare(clnd_engine *engine, int32_t n,
                                         const clnd_preparation *kinds);

#ifdef __cplusplus
}
#endif

#endif
