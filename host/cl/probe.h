// SPDX-License-Identifier: Apache-2.0
//
// Probes: a kernel is compiled for the device and has to give the right result there. What a driver
// says of itself has been found wrong.

#ifndef CLND_CL_PROBE_H
#define CLND_CL_PROBE_H

#include "clnd/dtype.h"
#include "host/cl/device.h"
#include "host/cl/kernel_options.h"

// Bytes of each of a probe's two buffers.
enum { CLND__PROBE_BYTES = 64 };

// Compiles kernels_cl/`name`.cl and runs its kernel of that name with `items` work-items on a
// buffer that begins as `data`, and on one of `update`; `data` is then what it has become. With
// `share` the buffers are this memory itself.
// `ran`: whether the device took every step. Only shortage of host memory is a failure.
clnd_status clnd__probe(cl_context context, cl_device_id device, const char *name,
                        const clnd__kernel_options *options, size_t items, bool share, void *data,
                        void *update, bool *ran);

// The CLND_ATOMIC_* of args.h for a language.
int clnd__atomic_way(clnd_atomics_language language);

// Whether updates made in this way (CLND_ATOMIC_*), `pack` elements at a time, add up on the
// device.
clnd_status clnd__atomic_probe(cl_context context, cl_device_id device, int way, clnd_dtype dtype,
                               int pack, bool *adds);

// Replaces the claims in facts->float_atomics by what adds up: in the claimed language, else in
// OpenCL's if that is claimed too.
clnd_status clnd__float_atomics_probe(cl_context context, cl_device_id device,
                                      clnd_device_facts *facts);

// Sets facts->loop_iterations.
clnd_status clnd__loop_probe(cl_context context, cl_device_id device, clnd_device_facts *facts);

// Takes facts->unified_memory back if kernels and the host do not see what the other one has
// written to the host's memory. Not asked of CPUs.
clnd_status clnd__memory_probe(cl_context context, cl_device_id device, clnd_device_facts *facts);

#endif
