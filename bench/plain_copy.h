// SPDX-License-Identifier: Apache-2.0
//
// The plain copy that is timed beside each case: on a CPU threads with stores that go past the
// caches, elsewhere clEnqueueCopyBuffer. And the reading of a large buffer between samples, which
// leaves nothing of a case's data in the caches.

#ifndef CLND_BENCH_PLAIN_COPY_H
#define CLND_BENCH_PLAIN_COPY_H

#include "device.h"

struct plain_copy {
    struct device *device;
    size_t size;
    struct buffer from, to;
    struct buffer scratch; // what is read to clear the caches
};

bool plain_copy_create(struct device *device, struct plain_copy *copy);
void plain_copy_free(struct plain_copy *copy);

// Copies once.
bool plain_copy_seconds(struct plain_copy *copy, double *seconds);

// Enqueues the reading of the scratch buffer. *event may be NULL.
bool plain_copy_clear_caches(struct plain_copy *copy, cl_event *event);

// Writes something to memory, so that it is really there.
void plain_copy_fill(struct team *team, void *memory, size_t size);

#endif
