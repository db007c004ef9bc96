// SPDX-License-Identifier: Apache-2.0

#include <assert.h>
#include <stdlib.h>

#include "device.h"
#include "failure.h"

static bool map(struct device *device, struct buffer *buffer, cl_map_flags flags)
{
    cl_int code;
    buffer->view = clEnqueueMapBuffer(device->queue, buffer->memory, CL_TRUE, flags, 0,
                                      buffer->size, 0, NULL, NULL, &code);
    buffer->mapped = buffer->view != NULL;
    return buffer->mapped || fail_cl("clEnqueueMapBuffer", code);
}

static bool unmap(struct device *device, struct buffer *buffer)
{
    if (!buffer->mapped)
        return true;
    cl_int code =
        clEnqueueUnmapMemObject(device->queue, buffer->memory, buffer->view, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFinish(device->queue);
    buffer->mapped = false;
    buffer->view = NULL;
    return code == CL_SUCCESS || fail_cl("clEnqueueUnmapMemObject", code);
}

bool buffer_create(struct device *device, size_t size, struct buffer *buffer)
{
    cl_int code;
    *buffer = (struct buffer){.size = size};
    if (size == 0)
        return true;
    const bool cpu = device->facts->is_cpu;
    if (cpu && !(buffer->pages = pages_take(size, device->pages)))
        return fail_memory("a buffer", (double)size);
    buffer->memory =
        clCreateBuffer(device->context, CL_MEM_READ_WRITE | (cpu ? CL_MEM_USE_HOST_PTR : 0), size,
                       buffer->pages, &code);
    if (!buffer->memory)
        return fail_cl("clCreateBuffer", code);
    if (cpu) {
        const bool good = map(device, buffer, CL_MAP_READ | CL_MAP_WRITE);
        assert(!good || buffer->view == buffer->pages);
        return good;
    }
    buffer->view = malloc(size);
    return buffer->view || fail_memory("a host copy", (double)size);
}

bool buffer_send(struct device *device, struct buffer *buffer)
{
    if (buffer->mapped)
        return unmap(device, buffer) && map(device, buffer, CL_MAP_READ);
    if (!buffer->memory)
        return true;
    const cl_int code = clEnqueueWriteBuffer(device->queue, buffer->memory, CL_TRUE, 0,
                                             buffer->size, buffer->view, 0, NULL, NULL);
    return code == CL_SUCCESS || fail_cl("clEnqueueWriteBuffer", code);
}

bool buffer_fetch(struct device *device, struct buffer *buffer)
{
    if (!buffer->memory)
        return true;
    if (device->facts->is_cpu)
        return unmap(device, buffer) && map(device, buffer, CL_MAP_READ);
    const cl_int code = clEnqueueReadBuffer(device->queue, buffer->memory, CL_TRUE, 0, buffer->size,
                                            buffer->view, 0, NULL, NULL);
    return code == CL_SUCCESS || fail_cl("clEnqueueReadBuffer", code);
}

bool buffer_hide(struct device *device, struct buffer *buffer)
{
    return unmap(device, buffer);
}

bool buffer_open(struct device *device, struct buffer *buffer)
{
    if (!buffer->memory || !device->facts->is_cpu)
        return true;
    return unmap(device, buffer) && map(device, buffer, CL_MAP_READ | CL_MAP_WRITE);
}

void buffer_free(struct device *device, struct buffer *buffer)
{
    if (device->facts && device->facts->is_cpu)
        unmap(device, buffer);
    else
        free(buffer->view);
    if (buffer->memory)
        clReleaseMemObject(buffer->memory);
    pages_give(buffer->pages);
    *buffer = (struct buffer){0};
}
