// SPDX-License-Identifier: Apache-2.0
//
// Which sums of floats a device makes by itself: found by compiling kernels' own code for it, and
// by what that adds up to on the device.

#ifndef CLND_CL_ATOMIC_PROBE_H
#define CLND_CL_ATOMIC_PROBE_H

#include "clnd/dtype.h"
#include "host/cl/device.h"

// The CLND_ATOMIC_* of args.h for a language.
int clnd__atomic_way(clnd_atomics_language language);

// Whether updates that are made in this way (CLND_ATOMIC_*), `pack` elements at a time, add up on
// the device. A device that refuses any of it does not add; only shortage of host memory fails.
clnd_status clnd__atomic_probe(cl_context context, cl_device_id device, int way, clnd_dtype dtype,
                               int pack, bool *adds);

// Replaces what facts->float_atomics claims by what adds up: in the language that is claimed, else
// in OpenCL's where that is claimed, too.
clnd_status clnd__float_atomics_probe(cl_context context, cl_device_id device,
                                      clnd_device_facts *facts);

#endif
