// SPDX-License-Identifier: Apache-2.0
//
// Loaded before Oclgrind's library. Oclgrind 21.10 takes memory that clEnqueueFillBuffer has filled
// for uninitialised, and would report each kernel that reads it; what clEnqueueWriteBuffer has
// written it knows. So a fill is a write here.

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer,
                                                    const void *pattern, size_t pattern_size,
                                                    size_t offset, size_t size, cl_uint n_wait,
                                                    const cl_event *wait, cl_event *event)
{
    if (!pattern || pattern_size == 0 || size % pattern_size != 0 || offset % pattern_size != 0)
        return CL_INVALID_VALUE;
    // The write may run at any later time, so what it reads is never freed.
    char *all = malloc(size ? size : 1);
    if (!all)
        return CL_OUT_OF_HOST_MEMORY;
    for (size_t at = 0; at < size; at += pattern_size)
        memcpy(all + at, pattern, pattern_size);
    return clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, size, all, n_wait, wait, event);
}
