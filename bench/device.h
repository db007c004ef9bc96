// SPDX-License-Identifier: Apache-2.0
//
// The device that is measured: a queue that takes times, buffers with a view for the host, and the
// benchmark's own kernels.

#ifndef CLND_BENCH_DEVICE_H
#define CLND_BENCH_DEVICE_H

#include <CL/cl.h>
#include <stdbool.h>

#include "clnd/clnd.h"
#include "pages.h"
#include "team.h"

enum bench_kernel {
    KERNEL_EMPTY,
    KERNEL_READ,         // reads a buffer, for cold caches
    KERNEL_COPY_BLOCKS,  // copies, a block for each work-item
    KERNEL_COPY_LANES,   // copies, neighbours side by side
    KERNEL_RANDOM_READ,  // one word of a random granule at a time
    KERNEL_RANDOM_WRITE, // the same
    KERNEL_ADD_ROWS,     // atomic additions, neighbours side by side
    KERNEL_ADD_RANDOM,   // to random granules
    KERNEL_ADD_ONE,      // all to one word
    N_KERNELS,
};

struct device {
    clnd_engine *engine;
    cl_context context;
    cl_device_id id;
    cl_command_queue queue; // in order, with profiling
    const clnd_device_facts *facts;
    cl_program program;
    cl_kernel kernels[N_KERNELS];
    double last_level_cache; // bytes; 0 when the device does not say
    int granule;             // bytes that memory moves at least
    struct team *team;       // as many threads as the device, where the device is the CPU
    enum pages pages;        // of buffers on a CPU, and of what the C loops write
    bool tiny;               // everything small, for the smoke test
};

// Opens what `spec` names, as clnd_engine_open does. False after fail(); device_close is needed in
// any case. `threads` 0 means as many as the device has on a CPU, or as the machine has.
bool device_open(struct device *device, const char *spec, int threads, enum pages pages, bool tiny);
void device_close(struct device *device);

// Runs a kernel on `buffers` (NULL: none) with a number, in groups of `local`. *event may be NULL.
bool device_launch(struct device *device, enum bench_kernel kernel, cl_mem first, cl_mem second,
                   cl_uint number, size_t global, size_t local, cl_event *event);

// Waits for an event and releases it; gives when it started and ended on the device's own clock, in
// seconds. Either may be NULL.
bool device_finish(cl_event event, double *started, double *ended);

// Memory of the device with a view for the host. On a CPU both are the same pages, otherwise the
// view is host memory of its own.
struct buffer {
    cl_mem memory;
    void *view;
    void *pages; // that OpenCL was given, on a CPU
    size_t size;
    bool mapped;
};

// Allocates both; the view is there to be written. A size of 0 gives neither and is no failure.
bool buffer_create(struct device *device, size_t size, struct buffer *buffer);

// Sends what the view holds to the device. The view stays readable.
bool buffer_send(struct device *device, struct buffer *buffer);

// Brings the view up to date. It is there to be read until the device writes the buffer again.
bool buffer_fetch(struct device *device, struct buffer *buffer);

// Takes the view away while the device writes the buffer.
bool buffer_hide(struct device *device, struct buffer *buffer);

// Makes the view writable again, with what it held.
bool buffer_open(struct device *device, struct buffer *buffer);

void buffer_free(struct device *device, struct buffer *buffer);

#endif
