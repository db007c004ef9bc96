// SPDX-License-Identifier: Apache-2.0
//
// Which sums of floats the device's own atomics make: the kernels' own code is compiled for the
// device, and has to add up there.

#ifndef CLND_CL_ATOMIC_PROBE_H
#define CLND_CL_ATOMIC_PROBE_H

#include "clnd/dtype.h"
#include "host/cl/device.h"

// The CLND_ATOMIC_* of args.h for a language.
int clnd__atomic_way(clnd_atomics_language language);

// Whether updates made in this way (CLND_ATOMIC_*), `pack` elements at a time, add up on the
// device. A device that refuses any step does not add; only shortage of host memory is a failure.
clnd_status clnd__atomic_probe(cl_context context, cl_device_id device, int way, clnd_dtype dtype,
                               int pack, bool *adds);

// Replaces the claims in facts->float_atomics by what adds up: in the claimed language, else in
// OpenCL's if that is claimed too.
clnd_status clnd__float_atomics_probe(cl_context context, cl_device_id device,
                                      clnd_device_facts *facts);

#endif
