// SPDX-License-Identifier: Apache-2.0
//
// The caller's memory as a device sees it during a call: a buffer that is this memory, or one with
// a copy of it. Addresses are numbers, because arrays are compared by them.

#ifndef CLND_CL_HOST_MEMORY_H
#define CLND_CL_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "clnd/engine.h"
#include "clnd/opencl.h"

typedef struct clnd__host_memory {
    cl_mem buffer;
    size_t begin;  // address on the host
    size_t offset; // of that byte in the buffer
    bool shared;   // the buffer is the host's memory
} clnd__host_memory;

// Makes a buffer for `size` bytes from the address `begin` on. With `share` it is this memory
// itself, if the driver can do that; else a new one, in which the bytes begin at `offset`.
// `written`: the device writes there. Close it even after a failure.
clnd_status clnd__host_memory_open(clnd_engine *engine, bool share, bool written, size_t begin,
                                   size_t size, size_t offset, clnd__host_memory *memory);

// The offset in the buffer of the byte at an address.
size_t clnd__host_memory_place(const clnd__host_memory *memory, size_t address);

// Gives the bytes between two addresses to the device, and waits until that is done.
clnd_status clnd__host_memory_push(const clnd__host_memory *memory, cl_command_queue queue,
                                   size_t begin, size_t end);

// Gives them back to the host once `event`, of the command that wrote them, is complete, and waits
// for that. Work that the driver has left to do ends with the queue's other commands.
clnd_status clnd__host_memory_pull(const clnd__host_memory *memory, cl_command_queue queue,
                                   cl_event event, size_t begin, size_t end);

void clnd__host_memory_close(clnd__host_memory *memory);

// Releases an op's event, which may be NULL.
void clnd__event_release(cl_event event);

#endif
