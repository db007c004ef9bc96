// SPDX-License-Identifier: Apache-2.0
//
// Device memory that calls need beside their tensors. It is kept for the next call, because fresh
// memory from the system can cost more than the call itself.

#ifndef CLND_CL_SCRATCH_H
#define CLND_CL_SCRATCH_H

#include <stdbool.h>

#include "clnd/opencl.h"
#include "clnd/status.h"

// The most bytes that an engine keeps between calls, where its options do not say.
#define CLND__SPARE_SCRATCH ((size_t)64 << 20)

// Bytes from which on memory lies on huge pages: address translation of CPUs covers less with pages
// of 4 KiB as well. Measured (docs/measurements.md).
#define CLND__HUGE_SCRATCH ((size_t)16 << 20)

typedef struct clnd__scratch {
    cl_mem memory; // owned; NULL: none
    size_t size;   // bytes
} clnd__scratch;

typedef struct clnd__spare_scratch {
    clnd__scratch scratch;
    uint64_t limit;  // the most bytes that are kept; 0: CLND__SPARE_SCRATCH
    bool huge_pages; // for large memory: the device is a CPU
    cl_event used;   // owned; complete when no command uses it any more; NULL: none does
} clnd__spare_scratch;

// At least `size` bytes with undefined content. The caller holds the lock that guards the spare
// memory. Returns CL_SUCCESS or what clCreateBuffer gives.
cl_int clnd__scratch_take(clnd__spare_scratch *spare, cl_context context, size_t size,
                          clnd__scratch *scratch);

// Gives it back. No command uses it once `used`, which is retained, is complete (NULL: none does).
// If not `known`, commands may use it for an unknown time. The larger of it and the spare memory is
// kept, up to the limit.
void clnd__scratch_return(clnd__spare_scratch *spare, clnd__scratch scratch, bool known,
                          cl_event used);

void clnd__spare_scratch_close(clnd__spare_scratch *spare);

#endif
