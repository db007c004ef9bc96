// SPDX-License-Identifier: Apache-2.0
//
// Loaded before Oclgrind's library. Oclgrind 21.10 takes memory for uninitialised that
// clEnqueueFillBuffer has filled, or that a buffer was made on, and would report each kernel that
// reads it; what clEnqueueWriteBuffer has written it knows. So a fill is a write here. Where
// OCLGRIND_COPIES is set no buffer is made on the host's memory, and the command copies arrays, as
// with drivers that cannot use it.

#define _GNU_SOURCE              // RTLD_NEXT
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

CL_API_ENTRY cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                               void *host, cl_int *code)
{
    cl_mem(CL_API_CALL * create)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    *(void **)&create = dlsym(RTLD_NEXT, "clCreateBuffer");
    if (!(flags & CL_MEM_USE_HOST_PTR) || !getenv("OCLGRIND_COPIES"))
        return create(context, flags, size, host, code);
    if (code)
        *code = CL_INVALID_HOST_PTR;
    return NULL;
}

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
