// SPDX-License-Identifier: Apache-2.0

#include "opencl.h"

opencl_log opencl;

static struct {
    opencl_call call;
    int number;
    bool host_only;
    cl_int code;
} plan;

void opencl_begin(void)
{
    opencl = (opencl_log){0};
    plan.call = NO_CALL;
}

void opencl_fail(opencl_call call, int number, bool host_only, cl_int code)
{
    plan.call = call;
    plan.number = number;
    plan.host_only = host_only;
    plan.code = code;
}

static bool fails(opencl_call call)
{
    return plan.call == call && plan.number-- == 0;
}

// The names are the linker's.
#define WRAPPED(type, name, ...)                                                                   \
    type CL_API_CALL __real_##name(__VA_ARGS__);                                                   \
    type CL_API_CALL __wrap_##name(__VA_ARGS__);                                                   \
    type CL_API_CALL __wrap_##name(__VA_ARGS__)

WRAPPED(cl_mem, clCreateBuffer, cl_context context, cl_mem_flags flags, size_t size, void *host,
        cl_int *code)
{
    if ((!plan.host_only || (flags & CL_MEM_USE_HOST_PTR)) && fails(CREATE_BUFFER)) {
        *code = plan.code;
        return NULL;
    }
    if (opencl.n_buffers < OPENCL_MOST)
        opencl.buffers[opencl.n_buffers] = (opencl_buffer){flags, size, host};
    opencl.n_buffers++;
    return __real_clCreateBuffer(context, flags, size, host, code);
}

WRAPPED(cl_int, clReleaseMemObject, cl_mem buffer)
{
    opencl.n_released++;
    return __real_clReleaseMemObject(buffer);
}

static void note(opencl_transfer *list, int *count, size_t offset, size_t size, const void *host)
{
    if (*count < OPENCL_MOST)
        list[*count] = (opencl_transfer){offset, size, host};
    ++*count;
}

WRAPPED(cl_int, clEnqueueWriteBuffer, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
        size_t offset, size_t size, const void *host, cl_uint n_wait, const cl_event *wait,
        cl_event *event)
{
    if (fails(WRITE_BUFFER))
        return plan.code;
    note(opencl.writes, &opencl.n_writes, offset, size, host);
    return __real_clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, host, n_wait, wait,
                                       event);
}

WRAPPED(cl_int, clEnqueueReadBuffer, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
        size_t offset, size_t size, void *host, cl_uint n_wait, const cl_event *wait,
        cl_event *event)
{
    if (fails(READ_BUFFER))
        return plan.code;
    note(opencl.reads, &opencl.n_reads, offset, size, host);
    return __real_clEnqueueReadBuffer(queue, buffer, blocking, offset, size, host, n_wait, wait,
                                      event);
}

cl_int CL_API_CALL __real_clFinish(cl_command_queue queue);

WRAPPED(void *, clEnqueueMapBuffer, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
        cl_map_flags flags, size_t offset, size_t size, cl_uint n_wait, const cl_event *wait,
        cl_event *event, cl_int *code)
{
    if (fails(MAP_BUFFER)) {
        *code = plan.code;
        return NULL;
    }
    if (opencl.watched) {
        __real_clFinish(queue);
        opencl.seen = *(const volatile unsigned char *)opencl.watched;
    }
    void *mapped = __real_clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, n_wait,
                                             wait, event, code);
    note(opencl.maps, &opencl.n_maps, offset, size, mapped);
    return mapped;
}

WRAPPED(cl_command_queue, clCreateCommandQueue, cl_context context, cl_device_id device,
        cl_command_queue_properties properties, cl_int *code)
{
    if (fails(CREATE_QUEUE)) {
        *code = plan.code;
        return NULL;
    }
    opencl.n_queues++;
    return __real_clCreateCommandQueue(context, device, properties, code);
}

WRAPPED(cl_int, clReleaseCommandQueue, cl_command_queue queue)
{
    opencl.n_queues_released++;
    return __real_clReleaseCommandQueue(queue);
}

WRAPPED(cl_int, clFinish, cl_command_queue queue)
{
    const cl_int code = __real_clFinish(queue);
    return fails(FINISH) ? plan.code : code;
}
