// SPDX-License-Identifier: Apache-2.0
//
// From OpenCL's codes to clnd's statuses.

#ifndef CLND_CL_CL_ERROR_H
#define CLND_CL_CL_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clnd/opencl.h"
#include "clnd/status.h"

// Records that `call` ("clEnqueueNDRangeKernel") gave `code`, and returns the status that fits.
clnd_status clnd__cl_fail(cl_int code, const char *call);

// The same for clCreateBuffer with `size`, on devices whose largest buffer has `largest` bytes.
clnd_status clnd__buffer_fail(cl_int code, size_t size, uint64_t largest);

// Whether `code` means a shortage of memory or resources, so that it says nothing about the
// arguments of the call.
bool clnd__cl_is_shortage(cl_int code);

#endif
