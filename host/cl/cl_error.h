// SPDX-License-Identifier: Apache-2.0
//
// From OpenCL's codes to clnd's statuses.

#ifndef CLND_CL_CL_ERROR_H
#define CLND_CL_CL_ERROR_H

#include <CL/cl.h>

#include "clnd/status.h"

// Records that `call` ("clEnqueueNDRangeKernel") gave `code`, and returns the status that fits.
clnd_status clnd__cl_fail(cl_int code, const char *call);

#endif
