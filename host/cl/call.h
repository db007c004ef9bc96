// SPDX-License-Identifier: Apache-2.0
//
// A call: the commands that one op enqueues, in order, on any kind of queue. The first waits for
// the caller's events, each further one for the one before it.

#ifndef CLND_CL_CALL_H
#define CLND_CL_CALL_H

#include <CL/cl.h>

#include "clnd/engine.h"
#include "clnd/report.h"
#include "host/cl/program.h"
#include "host/cl/scratch.h"

typedef struct clnd__call {
    clnd_engine *engine;
    cl_command_queue queue;
    cl_uint n_wait;
    const cl_event *wait;
    cl_event last;       // of the newest command; owned
    clnd_report *report; // that the call has joined, and its entry there; NULL: none
    struct clnd__report_entry *entry;
    cl_mem gate; // a verdict: kernels do nothing if it is bad (-DGATED=1); NULL: nothing to check
} clnd__call;

// Checks the wait list, and checks and resolves the queue (NULL: the engine's own). Enqueues
// nothing.
clnd_status clnd__call_begin(clnd__call *call, clnd_engine *engine, cl_command_queue queue,
                             cl_uint n_wait, const cl_event *wait);

// Gives a call without a report a verdict of the engine's as its gate.
clnd_status clnd__call_take_gate(clnd__call *call);

// Device memory of `size` bytes for the commands of a call. Give it back when they are enqueued,
// with the status that this went with.
clnd_status clnd__call_take_scratch(clnd__call *call, size_t size, clnd__scratch *scratch);
void clnd__call_return_scratch(clnd__call *call, clnd_status status, clnd__scratch *scratch);

// Waits for the caller's events, so that a failing one fails the call: not every driver says so
// when a read waits for it.
clnd_status clnd__call_await(const clnd__call *call);

// Ends a call whose work went as `status` says, and returns how the call went. On success *event,
// where asked for, becomes an event of the whole call, also when nothing was enqueued.
clnd_status clnd__call_end(clnd__call *call, clnd_status status, cl_event *event);

// Compiles the kernel that the call would launch by this name. A call does this with all its
// kernels before its first command is enqueued, so that one which cannot be carried out is refused
// as a whole.
clnd_status clnd__call_prepare(clnd__call *call, const clnd__kernel_id *id);

enum { CLND__MAX_BUFFERS = 5 };

typedef struct clnd__launch {
    clnd__kernel_id kernel;
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
// Enqueues the read of what has been enqueued so far, beside what comes next. *read is to be waited
// for by clnd__call_wait before `host` goes.
clnd_status clnd__call_read_aside(const clnd__call *call, cl_mem buffer, size_t offset, size_t size,
                                  void *host, cl_event *read);
// Waits for such a read, in one way or another, because commands that it was read for are under way
// already. Releases its event. Also where that fails, nothing is written any more.
clnd_status clnd__call_wait(const clnd__call *call, cl_event *read);

// Device memory for the time of a call. `content` may be NULL. Release it when the commands that
// use it are enqueued; OpenCL keeps it until they are done.
clnd_status clnd__buffer_create(clnd_engine *engine, size_t size, const void *content,
                                cl_mem *buffer);
void clnd__buffer_release(cl_mem buffer);

// A caller's buffer, and what validation and planning need to know of it. Two buffers share memory
// only if `root` is the same.
typedef struct clnd__memory {
    cl_mem buffer;        // borrowed; NULL for a tensor without elements
    size_t size;          // bytes
    cl_mem root;          // the buffer itself, or the one that it is a part of
    size_t root_offset;   // bytes of the root before it
    size_t alignment;     // bytes, a power of two: byte 0 lies on such an address
    bool reached_by_host; // it may lie in memory that the host works on as well
} clnd__memory;

// INVALID_BUFFER with `name` when `buffer` is NULL, is no buffer, or is not of `context` (NULL:
// any).
clnd_status clnd__memory_inspect(cl_mem buffer, cl_context context, const char *name,
                                 clnd__memory *memory);

#endif
