// SPDX-License-Identifier: Apache-2.0
//
// Devices: what they report, and what probes find.

#ifndef CLND_CL_DEVICE_H
#define CLND_CL_DEVICE_H

#include "clnd/engine.h"
#include "clnd/opencl.h"

// Position of a device in the order of clnd_device_describe.
typedef struct clnd__device_place {
    cl_device_id id;
    cl_device_type type;
    uint32_t platform;
    uint32_t number; // within the platform
} clnd__device_place;

// Lists all devices of all platforms. *places is taken with clnd__allocate; NULL when there are
// none.
clnd_status clnd__devices_list(clnd__device_place **places, uint32_t *count);

// Retains both for an owner to be, or neither.
clnd_status clnd__device_hold(cl_context context, cl_device_id device, cl_context *own_context,
                              cl_device_id *own_device);
// Releases them; both may be NULL.
void clnd__device_let_go(cl_context own_context, cl_device_id own_device);

// Reads the device's facts. Features are as it claims.
clnd_status clnd__device_read(cl_device_id device, clnd_device_facts *facts);

// Replaces claims by what compiles, and those of atomic sums by what adds up.
clnd_status clnd__device_probe(cl_context context, cl_device_id device, clnd_device_facts *facts);

#endif
