// SPDX-License-Identifier: Apache-2.0
//
// A call: the commands that one op enqueues, in order, on any kind of queue. The first waits for
// the caller's events, each further one for the one before it.

#ifndef CLND_CL_CALL_H
#define CLND_CL_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "clnd/engine.h"
#include "clnd/opencl.h"
#include "clnd/report.h"
#include "host/cl/program.h"
#include "host/cl/scratch.h"

typedef struct clnd__call {
    clnd_engine *engine;
    cl_command_queue queue;
    cl_uint n_wait;
    const cl_event *wait;
    bool wait_may_fail;  // an event of `wait` was not complete when the call began
    cl_event last;       // of the newest command; owned
    clnd_report *report; // that the call has joined, with its entry there; NULL: none
    struct clnd__report_entry *entry;
    bool far;    // its kernels are compiled for buffers of more than 4 GiB (clnd__call_reach)
    cl_mem gate; // a verdict: kernels do nothing if it is bad (-DGATED=1); NULL: nothing to check
} clnd__call;

// Checks the wait list, and checks and resolves the queue (NULL: the engine's own). Enqueues
// nothing.
clnd_status clnd__call_begin(clnd__call *call, clnd_engine *engine, cl_command_queue queue,
                             cl_uint n_wait, const cl_event *wait);

// Gives a call without a report one of the engine's verdicts as its gate.
clnd_status clnd__call_take_gate(clnd__call *call);

// Device memory of `size` bytes for the commands of a call. Give it back when they are enqueued,
// with the status of enqueuing them.
clnd_status clnd__call_take_scratch(clnd__call *call, size_t size, clnd__scratch *scratch);
void clnd__call_return_scratch(clnd__call *call, clnd_status status, clnd__scratch *scratch);

// Waits for the caller's events, so that a failing one fails the call. Not every driver reports
// that when a read waits for it.
clnd_status clnd__call_await(const clnd__call *call);

// Ends a call; `status` is that of its work. Returns the status of the call. On success *event, if
// `event` is not NULL, is an event of the whole call, even if nothing was enqueued.
clnd_status clnd__call_end(clnd__call *call, clnd_status status, cl_event *event);

// Tells the call, before it prepares anything, which buffers its kernels get. Kernels for Intel's
// GPUs count bytes of a buffer in 32 bits unless they are compiled for larger ones. NULL: none.
clnd_status clnd__call_reach(clnd__call *call, int n, const cl_mem *buffers);

// Compiles the kernel that the call would launch by this name. A call prepares all its kernels
// before it enqueues the first command, so that it is refused as a whole if one does not compile.
clnd_status clnd__call_prepare(clnd__call *call, const clnd__kernel_id *id);

enum { CLND__MAX_BUFFERS = 6 };

typedef struct clnd__launch {
    clnd__kernel_id kernel;
    cl_mem gate;   // what it obeys in place of the call's verdict; NULL: that
    int n_buffers; // the kernel's first arguments; the struct follows, and the gate if there is one
    cl_mem buffers[CLND__MAX_BUFFERS];
    const void *args;
    size_t args_size;
    size_t global[2];
    size_t local; // along the first dimension; 1 along the second
} clnd__launch;

clnd_status clnd__call_launch(clnd__call *call, const clnd__launch *launch);
clnd_status clnd__call_copy(clnd__call *call, cl_mem source, size_t source_offset, cl_mem target,
                            size_t target_offset, size_t size);
// `offset` and `size` are multiples of `pattern_size`, a power of two up to 16.
clnd_status clnd__call_fill(clnd__call *call, const void *pattern, size_t pattern_size,
                            cl_mem buffer, size_t offset, size_t size);
// Waits for what has been enqueued and reads.
clnd_status clnd__call_read(clnd__call *call, cl_mem buffer, size_t offset, size_t size,
                            void *host);
// Enqueues a read behind what has been enqueued so far; later commands do not wait for it. Wait for
// *read with clnd__call_wait before `host` ends.
clnd_status clnd__call_read_aside(const clnd__call *call, cl_mem buffer, size_t offset, size_t size,
                                  void *host, cl_event *read);
// Waits for such a read and releases its event. If waiting for the event fails, it finishes the
// queue, because the commands that depend on the verdict are already enqueued. Even after a failure
// nothing is written to `host` any more.
clnd_status clnd__call_wait(const clnd__call *call, cl_event *read);

// Device memory for the time of a call. `content` may be NULL. Release it when the commands that
// use it are enqueued; OpenCL keeps it until they are done.
clnd_status clnd__buffer_create(clnd_engine *engine, size_t size, const void *content,
                                cl_mem *buffer);
void clnd__buffer_release(cl_mem buffer);

// A caller's buffer, and what validation and planning need to know about it.
typedef struct clnd__memory {
    cl_mem buffer;        // borrowed; NULL for a tensor without elements
    size_t size;          // bytes
    cl_mem root;          // the buffer itself, or the parent of a sub-buffer
    size_t root_offset;   // bytes of the root before it
    uintptr_t host;       // address of the caller's memory that it was made on; 0: OpenCL's own
    size_t alignment;     // bytes, a power of two: byte 0 lies on such an address
    bool reached_by_host; // it may lie in memory that the host can access
} clnd__memory;

// INVALID_BUFFER with `name` when `buffer` is NULL, is no buffer, is not of `context` (NULL: any),
// or was made with one of the flags `refused`: CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY.
clnd_status clnd__memory_inspect(cl_mem buffer, cl_context context, cl_mem_flags refused,
                                 const char *name, clnd__memory *memory);

#endif
