// SPDX-License-Identifier: Apache-2.0

#include "host/cl/host_memory.h"

#include <stdint.h>

#include "host/cl/cl_error.h"

static void *at(size_t address)
{
    return (void *)(uintptr_t)address;
}

size_t clnd__host_memory_place(const clnd__host_memory *memory, size_t address)
{
    return memory->offset + (address - memory->begin);
}

clnd_status clnd__host_memory_open(clnd_engine *engine, bool share, bool written, size_t begin,
                                   size_t size, size_t offset, clnd__host_memory *memory)
{
    const cl_context context = clnd_engine_context(engine);
    const cl_mem_flags access = written ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
    cl_int code;
    *memory = (clnd__host_memory){.begin = begin};
    if (share)
        memory->buffer =
            clCreateBuffer(context, access | CL_MEM_USE_HOST_PTR, size, at(begin), &code);
    memory->shared = memory->buffer != NULL;
    if (memory->shared)
        return CLND_OK;
    // Not every driver can use all memory: constants, files, what other devices have mapped.
    memory->offset = offset;
    memory->buffer = clCreateBuffer(context, access, offset + size, NULL, &code);
    return memory->buffer
               ? CLND_OK
               : clnd__buffer_fail(code, offset + size, clnd_engine_facts(engine)->max_allocation);
}

clnd_status clnd__host_memory_push(const clnd__host_memory *memory, cl_command_queue queue,
                                   size_t begin, size_t end)
{
    if (memory->shared || begin == end)
        return CLND_OK;
    const cl_int code =
        clEnqueueWriteBuffer(queue, memory->buffer, CL_TRUE, clnd__host_memory_place(memory, begin),
                             end - begin, at(begin), 0, NULL, NULL);
    return code == CL_SUCCESS ? CLND_OK : clnd__cl_fail(code, "clEnqueueWriteBuffer");
}

// Mapping makes the device's writes visible at the addresses that the buffer was made from.
static clnd_status map(const clnd__host_memory *memory, cl_command_queue queue, cl_event event,
                       size_t begin, size_t end)
{
    cl_int code;
    void *mapped = clEnqueueMapBuffer(queue, memory->buffer, CL_TRUE, CL_MAP_READ,
                                      clnd__host_memory_place(memory, begin), end - begin, 1,
                                      &event, NULL, &code);
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, "clEnqueueMapBuffer");
    code = clEnqueueUnmapMemObject(queue, memory->buffer, mapped, 0, NULL, NULL);
    return code == CL_SUCCESS ? CLND_OK : clnd__cl_fail(code, "clEnqueueUnmapMemObject");
}

clnd_status clnd__host_memory_pull(const clnd__host_memory *memory, cl_command_queue queue,
                                   cl_event event, size_t begin, size_t end)
{
    if (begin == end)
        return CLND_OK;
    if (memory->shared)
        return map(memory, queue, event, begin, end);
    const cl_int code =
        clEnqueueReadBuffer(queue, memory->buffer, CL_TRUE, clnd__host_memory_place(memory, begin),
                            end - begin, at(begin), 1, &event, NULL);
    return code == CL_SUCCESS ? CLND_OK : clnd__cl_fail(code, "clEnqueueReadBuffer");
}

void clnd__host_memory_close(clnd__host_memory *memory)
{
    if (memory->buffer)
        clReleaseMemObject(memory->buffer);
    memory->buffer = NULL;
}

void clnd__event_release(cl_event event)
{
    if (event)
        clReleaseEvent(event);
}
