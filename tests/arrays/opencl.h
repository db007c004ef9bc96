// SPDX-License-Identifier: Apache-2.0
//
// Calls of OpenCL by the library, counted and made to fail. The linker gives the library these in
// place of the real ones (--wrap); they do what the real ones do. For one thread.

#ifndef ARRAYS_OPENCL_H
#define ARRAYS_OPENCL_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct opencl_buffer {
    cl_mem_flags flags;
    size_t size;
    void *host;
} opencl_buffer;

typedef struct opencl_transfer {
    size_t offset, size; // of the buffer
    const void *host;    // of a map: what it gave
} opencl_transfer;

enum { OPENCL_MOST = 16 };

typedef struct opencl_log {
    int n_buffers, n_released, n_writes, n_reads, n_maps, n_queues, n_queues_released;
    opencl_buffer buffers[OPENCL_MOST]; // the first of them, likewise below
    opencl_transfer writes[OPENCL_MOST], reads[OPENCL_MOST], maps[OPENCL_MOST];
    // A map looks at the host's memory after the queue has finished and before it maps.
    const void *watched;
    unsigned char seen; // the byte there
} opencl_log;

extern opencl_log opencl;

// What fails, and with which code: call number `number`, from 0; with `host_only` only buffers
// made from host memory count.
typedef enum opencl_call {
    NO_CALL,
    CREATE_BUFFER,
    WRITE_BUFFER,
    READ_BUFFER,
    MAP_BUFFER,
    CREATE_QUEUE,
    FINISH
} opencl_call;

// Clears the log.
void opencl_begin(void);
void opencl_fail(opencl_call call, int number, bool host_only, cl_int code);

#endif
