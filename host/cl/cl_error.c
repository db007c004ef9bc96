// SPDX-License-Identifier: Apache-2.0

#include "host/cl/cl_error.h"

#include <inttypes.h>

#include "host/base/error.h"

clnd_status clnd__cl_fail(cl_int code, const char *call)
{
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
        return clnd__fail_code(CLND_OUT_OF_HOST_MEMORY, code, "%s: out of host memory", call);
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_BUFFER_SIZE:
        return clnd__fail_code(CLND_OUT_OF_DEVICE_MEMORY, code,
                               "%s: out of device memory or resources (OpenCL error %d)", call,
                               code);
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
        return clnd__fail_code(
            CLND_OPENCL_ERROR, code,
            "%s: an event that the call waits for ended in an error (OpenCL error %d)", call, code);
    default:
        return clnd__fail_code(CLND_OPENCL_ERROR, code, "%s failed with OpenCL error %d", call,
                               code);
    }
}

clnd_status clnd__buffer_fail(cl_int code, size_t size, uint64_t largest)
{
    if (code != CL_INVALID_BUFFER_SIZE || size <= largest)
        return clnd__cl_fail(code, "clCreateBuffer");
    return clnd__fail_code(CLND_OUT_OF_DEVICE_MEMORY, code,
                           "a buffer of %zu bytes is needed, the device's largest has %" PRIu64
                           " (CL_DEVICE_MAX_MEM_ALLOC_SIZE)",
                           size, largest);
}

bool clnd__cl_is_shortage(cl_int code)
{
    return code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES;
}
