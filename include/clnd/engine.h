// SPDX-License-Identifier: Apache-2.0
//
// Engines: one device of one OpenCL context, with what is known about it and the kernels that were
// compiled for it.
//
// One engine serves any number of queues and threads. Kernels are compiled when first needed (some
// hundred milliseconds each; drivers keep them on disk for the next process; prepare.h does it
// ahead). An engine must not be used in a process that was forked after it was made; OpenCL
// contexts do not survive a fork.
//
// The event that a call gives is that of its last command. It is complete when the whole call is,
// but its profiling times are those of that one command. To time the call, put a marker in front:
//
//     clEnqueueMarkerWithWaitList(queue, n_wait, wait, &front);
//     clnd_scatter_nd(engine, queue, &indices, &updates, &out, &options, 1, &front, &event);
//
// It lasts from CL_PROFILING_COMMAND_END of `front` to that of `event`, on in-order and
// out-of-order queues. If the queue is idle, that includes what the host does until the first
// command is enqueued: a call that compiles kernels is no measure.

#ifndef CLND_ENGINE_H
#define CLND_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clnd/export.h"
#include "clnd/opencl.h"
#include "clnd/options.h"
#include "clnd/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Thread-safety: Safe.
typedef struct clnd_engine clnd_engine;

// Gets one message, a line or more: the compiler's text where a kernel does not compile, features
// that the device claims and a probe refuses, faults of the driver that were worked around. An
// engine's messages come one at a time, from the threads that call clnd, while they hold its locks:
// a callback must not call clnd. `message` is valid until it returns.
typedef void clnd_log_callback(const char *message, void *user);

// For clnd_engine_options.keep_bytes: nothing.
#define CLND_KEEP_NOTHING 1

// NULL and a zero-initialised struct both mean the defaults.
typedef struct clnd_engine_options {
    clnd_bounds bounds; // what CLND_BOUNDS_DEFAULT means in calls with this engine; DEFAULT: ERROR
                        // on CPU devices, ZERO on all others. Not FILL
    clnd_log_callback *log; // NULL: no messages
    void *log_user;         // handed to `log`
    uint64_t keep_bytes;    // device memory that calls needed and that is kept for later ones
                            // (plan.h), at most; 0: 64 MiB; CLND_KEEP_NOTHING
    const char *strategy;   // for tests and the benchmark: words that force a way to use the
                            // device, separated by commas. NULL: the environment variable
                            // CLND_STRATEGY, as it is when the engine is made. Copied; at most 255
                            // characters
    uint64_t reserved[8];   // zero
} clnd_engine_options;

// How a device is told to add to floats in global memory by itself.
typedef enum clnd_atomics_language {
    CLND_ATOMICS_NONE = 0,   // it cannot, or nobody knows how
    CLND_ATOMICS_OPENCL = 1, // cl_ext_float_atomics
    CLND_ATOMICS_PTX = 2,    // NVIDIA's instructions
    CLND_ATOMICS_AMD = 3,    // built-in functions of AMD's compiler
} clnd_atomics_language;

// Sums that a device makes by itself in global memory, for atomic scatters. All others are
// loops of compare-and-swap.
typedef struct clnd_float_atomics {
    clnd_atomics_language language;
    bool float32;
    bool float64;
    bool float16;        // two neighbours at once; in OpenCL's language one
    bool bfloat16;       // two neighbours at once
    bool float32_packs;  // two and four neighbours at once
    bool float16_packs;  // four and eight neighbours at once
    bool bfloat16_packs; // four and eight neighbours at once
    bool reserved[5];
} clnd_float_atomics;

// What an engine knows of its device. Arithmetic features are not believed but tried: a small
// program that uses the feature was compiled for the device, and those of float_atomics ran there
// and gave the right sum. So is unified_memory of devices that are no CPUs.
typedef struct clnd_device_facts {
    char name[128];                   // CL_DEVICE_NAME
    char platform[128];               // CL_PLATFORM_NAME
    char driver[128];                 // CL_DRIVER_VERSION
    char opencl_c[64];                // CL_DEVICE_OPENCL_C_VERSION
    bool is_cpu;                      // CL_DEVICE_TYPE_CPU: decides CLND_BOUNDS_DEFAULT
    bool fp64;                        // arithmetic on doubles
    bool fp16;                        // arithmetic on halves (clnd itself needs only their storage)
    bool int64_atomics;               // 64-bit compare-and-swap in global memory
    clnd_float_atomics float_atomics; // what it adds by itself
    uint32_t compute_units;           // CL_DEVICE_MAX_COMPUTE_UNITS
    uint64_t max_work_group_size;     // work-items
    uint64_t local_memory;            // bytes a work-group
    uint64_t global_memory;           // bytes
    uint64_t cache;                   // bytes of the largest cache before it; 0: none, or unknown
    uint64_t max_allocation;          // bytes a buffer
    uint64_t max_parameter_size;      // bytes of arguments a kernel
    uint32_t address_bits;            // 32 or 64
    bool out_of_order_queues;         // CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
    bool unified_memory;              // host arrays can be the device's buffers
    bool fetches_into_first_cache;    // a CPU that has rows sooner if they are prefetched into the
                                      // first cache at once: AMD's from family 26 on (Zen 5)
    uint64_t loop_iterations;         // that the driver lets a work-item make in its loops, all of
                                      // them together; 0: any number. Plans stay below it
    uint64_t reserved[15];            // set to zero. A later version may give them meanings, of
                                      // which 0 is "unknown"; the struct stays as large as it is
} clnd_device_facts;

// Makes an engine for a device of the caller's context.
//
// Errors        NULL_POINTER, INVALID_OPTION (unknown or impossible `bounds`, `strategy` too
//               long, reserved field set), NO_DEVICE
//               (`device` is not in `context`), UNSUPPORTED_DEVICE (no compiler, big-endian, or
//               under 1024 bytes of kernel arguments), OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY,
//               OPENCL_ERROR. *engine is NULL on failure.
// Async         compiles the probes (drivers cache them), and where the device claims sums of
//               floats, or is a GPU that claims unified memory, or the driver is one by Mesa, runs
//               them in a queue of their own, and waits for it.
// Threads       Thread-safety: Safe.
// Ownership     `context` and `device` are retained until the engine is destroyed; the caller may
//               release its own references at once. Destroy the engine with clnd_engine_destroy.
CLND_API clnd_status clnd_engine_create(cl_context context, cl_device_id device,
                                        const clnd_engine_options *options, clnd_engine **engine);

// Picks a device by text, and makes a context, an in-order queue and an engine for it.
//
// `spec` is "gpu", "cpu", "accelerator", "P:D" (platform and device number as `clnd devices` lists
// them), or a part of the device's or its platform's name, in any case. NULL or "" means the
// environment variable CLND_DEVICE when it is set and not empty, else the first GPU, else the first
// device of any type.
//
// Errors        NULL_POINTER (`engine`), NO_DEVICE (none, or none that `spec` names),
//               and those of clnd_engine_create. *engine is NULL on failure.
// Threads       Thread-safety: Safe.
// Ownership     the engine owns context and queue; destroy it with clnd_engine_destroy.
CLND_API clnd_status clnd_engine_open(const char *spec, const clnd_engine_options *options,
                                      clnd_engine **engine);

// Releases an engine and sets *engine to NULL; a pointer to NULL is fine, and so is NULL. Work that
// was enqueued with it goes on: OpenCL keeps what it needs. No other thread may use the engine
// then.
CLND_API void clnd_engine_destroy(clnd_engine **engine);

// The engine's context, device and own queue (NULL when the engine was made by clnd_engine_create).
// Borrowed: retain them to keep them beyond the engine. NULL for a NULL engine. Thread-safety:
// Safe.
CLND_API cl_context clnd_engine_context(const clnd_engine *engine);
CLND_API cl_device_id clnd_engine_device(const clnd_engine *engine);
CLND_API cl_command_queue clnd_engine_queue(const clnd_engine *engine);

// Facts of the engine's device. They live as long as the engine; NULL for a NULL engine.
// Thread-safety: Safe.
CLND_API const clnd_device_facts *clnd_engine_facts(const clnd_engine *engine);

// Copies the compiler's log of the engine's last failed build into `text` (at most `size` bytes
// with the ending NUL, cut if longer; `text` may be NULL when `size` is 0) and returns the size
// that the whole log needs; 0 for a NULL engine, 1 when no build has failed. Thread-safety: Safe.
CLND_API size_t clnd_engine_build_log(clnd_engine *engine, char *text, size_t size);

// Counts the OpenCL devices of all platforms. No device at all is no error: *count is 0.
// Errors: NULL_POINTER, OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, OPENCL_ERROR; *count is 0 then.
// Thread-safety: Safe.
CLND_API clnd_status clnd_device_count(int32_t *count);

// Describes device number `index` (0 to count - 1): "P:D" for clnd_engine_open in `spec` (at least
// 24 bytes), and the facts that need no compiler: fp64, fp16 and the atomics are what the device
// claims; an engine's facts are what was tried. Errors: NULL_POINTER, NO_DEVICE (no such index),
// OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, OPENCL_ERROR. Thread-safety: Safe.
CLND_API clnd_status clnd_device_describe(int32_t index, char spec[24], clnd_device_facts *facts);

#ifdef __cplusplus
}
#endif

#endif
