// SPDX-License-Identifier: Apache-2.0

#include "host/cl/scratch.h"

#include "host/base/alloc.h"

void clnd__spare_scratch_close(clnd__spare_scratch *spare)
{
    if (spare->scratch.memory)
        clReleaseMemObject(spare->scratch.memory);
    if (spare->used)
        clReleaseEvent(spare->used);
    *spare = (clnd__spare_scratch){.limit = spare->limit, .huge_pages = spare->huge_pages};
}

// A command that has failed has ended too. Spare memory whose event has no status is left alone.
static bool is_free(const clnd__spare_scratch *spare)
{
    cl_int state = CL_COMPLETE, code = CL_SUCCESS;
    if (spare->used)
        code = clGetEventInfo(spare->used, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                              NULL);
    return code == CL_SUCCESS && state <= CL_COMPLETE;
}

static void CL_CALLBACK free_memory(cl_mem buffer, void *memory)
{
    (void)buffer;
    clnd__free(memory);
}

// OpenCL frees the memory when it deletes the buffer, after the last command that uses it.
static cl_mem create_on(void *memory, cl_context context, size_t size)
{
    cl_int code;
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, memory, &code);
    if (!buffer || clSetMemObjectDestructorCallback(buffer, free_memory, memory) == CL_SUCCESS)
        return buffer;
    clReleaseMemObject(buffer);
    return NULL;
}

// Drivers of CPUs take their buffers from malloc, where most systems have pages of 4 KiB.
static cl_mem create_on_huge_pages(cl_context context, size_t size)
{
    void *memory = size >= CLND__HUGE_SCRATCH ? clnd__allocate_array(size) : NULL;
    cl_mem buffer = memory ? create_on(memory, context, size) : NULL;
    if (!buffer)
        clnd__free(memory);
    return buffer;
}

cl_int clnd__scratch_take(clnd__spare_scratch *spare, cl_context context, size_t size,
                          clnd__scratch *scratch)
{
    if (spare->scratch.memory && spare->scratch.size >= size && is_free(spare)) {
        *scratch = spare->scratch;
        spare->scratch.memory = NULL;
        clnd__spare_scratch_close(spare);
        return CL_SUCCESS;
    }
    cl_int code = CL_SUCCESS;
    cl_mem memory = spare->huge_pages ? create_on_huge_pages(context, size) : NULL;
    if (!memory)
        memory = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &code);
    *scratch = (clnd__scratch){memory, size};
    return code;
}

void clnd__scratch_return(clnd__spare_scratch *spare, clnd__scratch scratch, bool known,
                          cl_event used)
{
    const uint64_t limit = spare->limit ? spare->limit : CLND__SPARE_SCRATCH;
    if (!known || scratch.size > limit || scratch.size < spare->scratch.size ||
        (used && clRetainEvent(used) != CL_SUCCESS)) {
        clReleaseMemObject(scratch.memory);
        return;
    }
    clnd__spare_scratch_close(spare);
    spare->scratch = scratch;
    spare->used = used;
}
