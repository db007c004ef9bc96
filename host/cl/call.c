// SPDX-License-Identifier: Apache-2.0

#include "host/cl/call.h"

#include <stdio.h>
#include <string.h>

#include "host/base/error.h"
#include "host/cl/cl_error.h"
#include "host/cl/engine.h"
#include "host/cl/report.h"
#include "kernels_cl/args.h"

// A wait list with a failed event makes some drivers hang and others continue as if nothing had
// happened, so it is refused. An event that fails later ends the call's event in an error.
static clnd_status check_wait_list(clnd__call *call)
{
    const cl_event *wait = call->wait;
    for (cl_uint i = 0; i < call->n_wait; ++i) {
        if (!wait[i])
            return clnd__fail(CLND_INVALID_EVENT, "wait[%u] is NULL", i);
        cl_context context = NULL;
        cl_int status = CL_COMPLETE;
        cl_int code = clGetEventInfo(wait[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL);
        if (code == CL_SUCCESS)
            code = clGetEventInfo(wait[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                  &status, NULL);
        if (clnd__cl_is_shortage(code))
            return clnd__cl_fail(code, "clGetEventInfo");
        if (code != CL_SUCCESS)
            return clnd__fail_code(CLND_INVALID_EVENT, code, "wait[%u] is no OpenCL event", i);
        if (context != call->engine->context)
            return clnd__fail(CLND_INVALID_EVENT, "wait[%u] is of another context", i);
        if (status < 0)
            return clnd__fail_code(CLND_WAIT_FAILED, status, "wait[%u] has failed with %d", i,
                                   (int)status);
        call->wait_may_fail |= status != CL_COMPLETE;
    }
    return CLND_OK;
}

clnd_status clnd__call_begin(clnd__call *call, clnd_engine *engine, cl_command_queue queue,
                             cl_uint n_wait, const cl_event *wait)
{
    *call = (clnd__call){
        .engine = engine, .queue = queue ? queue : engine->queue, .n_wait = n_wait, .wait = wait};
    if (!call->queue)
        return clnd__fail(CLND_INVALID_QUEUE,
                          "queue is NULL, and the engine has no queue of its own");
    // The engine's own queue needs no check.
    if (call->queue == engine->queue)
        return check_wait_list(call);
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (clnd__cl_is_shortage(code))
        return clnd__cl_fail(code, "clGetCommandQueueInfo");
    if (code != CL_SUCCESS)
        return clnd__fail_code(CLND_INVALID_QUEUE, code, "queue is no OpenCL command queue");
    if (context != engine->context || device != engine->device)
        return clnd__fail(CLND_INVALID_QUEUE, "queue is not of the engine's %s",
                          context != engine->context ? "context" : "device");
    return check_wait_list(call);
}

clnd_status clnd__call_take_gate(clnd__call *call)
{
    clnd_engine *engine = call->engine;
    clnd__mutex_lock(&engine->memory_lock);
    const clnd_status status = clnd__verdict_take(&engine->verdicts, engine->context, &call->gate);
    clnd__mutex_unlock(&engine->memory_lock);
    return status;
}

// Commands may still read the verdict and, if the call has failed, write it.
static void give_gate_back(clnd__call *call, bool good)
{
    clnd_engine *engine = call->engine;
    clnd__mutex_lock(&engine->memory_lock);
    clnd__verdict_return(&engine->verdicts, call->gate, good, call->last);
    clnd__mutex_unlock(&engine->memory_lock);
    call->gate = NULL;
}

clnd_status clnd__call_take_scratch(clnd__call *call, size_t size, clnd__scratch *scratch)
{
    clnd_engine *engine = call->engine;
    clnd__mutex_lock(&engine->memory_lock);
    const cl_int code = clnd__scratch_take(&engine->scratch, engine->context, size, scratch);
    clnd__mutex_unlock(&engine->memory_lock);
    return code == CL_SUCCESS ? CLND_OK
                              : clnd__buffer_fail(code, size, engine->facts.max_allocation);
}

// If a command could not be enqueued, earlier ones may still be running, and no event tells when
// they end.
void clnd__call_return_scratch(clnd__call *call, clnd_status status, clnd__scratch *scratch)
{
    clnd_engine *engine = call->engine;
    if (!scratch->memory)
        return;
    clnd__mutex_lock(&engine->memory_lock);
    clnd__scratch_return(&engine->scratch, *scratch, status == CLND_OK, call->last);
    clnd__mutex_unlock(&engine->memory_lock);
    scratch->memory = NULL;
}

clnd_status clnd__call_await(const clnd__call *call)
{
    if (call->n_wait == 0)
        return CLND_OK;
    const cl_int code = clWaitForEvents(call->n_wait, call->wait);
    if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        return clnd__fail_code(CLND_WAIT_FAILED, code, "an event of wait has failed");
    return code == CL_SUCCESS ? CLND_OK : clnd__cl_fail(code, "clWaitForEvents");
}

clnd_status clnd__call_end(clnd__call *call, clnd_status status, cl_event *event)
{
    if (event)
        *event = NULL;
    // Nothing was enqueued, but the caller wants an event: a marker waits as the call would have.
    if (status == CLND_OK && event && !call->last) {
        const cl_int code =
            clEnqueueMarkerWithWaitList(call->queue, call->n_wait, call->wait, &call->last);
        if (code != CL_SUCCESS)
            status = clnd__cl_fail(code, "clEnqueueMarkerWithWaitList");
    }
    if (call->report)
        clnd__report_leave(call, status == CLND_OK);
    else if (call->gate)
        give_gate_back(call, status == CLND_OK);
    if (status == CLND_OK && event)
        *event = call->last;
    else if (call->last)
        clReleaseEvent(call->last);
    call->last = NULL;
    return status;
}

// The events that the next command waits for.
static cl_uint count_waits(const clnd__call *call)
{
    return call->last ? 1 : call->n_wait;
}

static const cl_event *waits(const clnd__call *call)
{
    return call->last ? &call->last : call->n_wait ? call->wait : NULL;
}

static clnd_status enqueued(clnd__call *call, cl_int code, cl_event event, const char *name)
{
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, name);
    if (call->wait_may_fail) {
        clnd__mutex_lock(&call->engine->memory_lock);
        clnd__event_hold(&call->engine->held, event);
        clnd__mutex_unlock(&call->engine->memory_lock);
    }
    if (call->last)
        clReleaseEvent(call->last);
    call->last = event;
    return CLND_OK;
}

// The kernel that is meant by a name.
static clnd__kernel_id in_call(const clnd__call *call, const clnd__kernel_id *id)
{
    clnd__kernel_id kernel = *id;
    kernel.options.far = call->far;
    kernel.options.first_cache = call->engine->facts.fetches_into_first_cache;
    return kernel;
}

// The runtimes for Intel's CPUs and FPGAs do not know the option.
static bool counts_in_32_bits(const clnd_device_facts *facts)
{
    static const char gpus[] = "Intel(R) OpenCL";
    return !facts->is_cpu && strncmp(facts->platform, gpus, sizeof gpus - 1) == 0;
}

clnd_status clnd__call_reach(clnd__call *call, int n, const cl_mem *buffers)
{
    static const uint64_t near_bytes = UINT64_C(1) << 32;
    if (!counts_in_32_bits(&call->engine->facts))
        return CLND_OK;
    for (int i = 0; i < n; ++i) {
        clnd__memory memory = {0};
        const clnd_status status =
            buffers[i] ? clnd__memory_inspect(buffers[i], NULL, 0, "a buffer", &memory) : CLND_OK;
        if (status)
            return status;
        call->far |= memory.root_offset + memory.size > near_bytes;
    }
    return CLND_OK;
}

clnd_status clnd__call_prepare(clnd__call *call, const clnd__kernel_id *id)
{
    const clnd__kernel_id kernel = in_call(call, id);
    return clnd__kernel_prepare(call->engine, &kernel);
}

// Kernels take a verdict in every call. Where no indices are checked it is the engine's good one.
static clnd_status set_arguments(const clnd__call *call, cl_kernel kernel,
                                 const clnd__launch *launch)
{
    cl_uint n = 0;
    cl_int code = CL_SUCCESS;
    for (; n < (cl_uint)launch->n_buffers && code == CL_SUCCESS; ++n)
        code = clSetKernelArg(kernel, n, sizeof(cl_mem), &launch->buffers[n]);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, n++, launch->args_size, launch->args);
    const cl_mem verdict = launch->gate ? launch->gate
                           : call->gate ? call->gate
                                        : call->engine->good;
    if (code == CL_SUCCESS && !launch->kernel.ungated)
        code = clSetKernelArg(kernel, n, sizeof(cl_mem), &verdict);
    return code == CL_SUCCESS ? CLND_OK : clnd__cl_fail(code, "clSetKernelArg");
}

clnd_status clnd__call_launch(clnd__call *call, const clnd__launch *launch)
{
    clnd__kernel kernel;
    const clnd__kernel_id id = in_call(call, &launch->kernel);
    clnd_status status = clnd__kernel_borrow(call->engine, &id, &kernel);
    if (status)
        return status;
    status = set_arguments(call, kernel.object, launch);
    if (status == CLND_OK) {
        const size_t local[2] = {launch->local, 1};
        cl_event event = NULL;
        const cl_int code =
            clEnqueueNDRangeKernel(call->queue, kernel.object, 2, NULL, launch->global, local,
                                   count_waits(call), waits(call), &event);
        status = enqueued(call, code, event, "clEnqueueNDRangeKernel");
    }
    clnd__kernel_return(call->engine, &kernel);
    return status;
}

clnd_status clnd__call_copy(clnd__call *call, cl_mem source, size_t source_offset, cl_mem target,
                            size_t target_offset, size_t size)
{
    cl_event event = NULL;
    const cl_int code =
        clEnqueueCopyBuffer(call->queue, source, target, source_offset, target_offset, size,
                            count_waits(call), waits(call), &event);
    return enqueued(call, code, event, "clEnqueueCopyBuffer");
}

clnd_status clnd__call_fill(clnd__call *call, const void *pattern, size_t pattern_size,
                            cl_mem buffer, size_t offset, size_t size)
{
    cl_event event = NULL;
    const cl_int code = clEnqueueFillBuffer(call->queue, buffer, pattern, pattern_size, offset,
                                            size, count_waits(call), waits(call), &event);
    return enqueued(call, code, event, "clEnqueueFillBuffer");
}

clnd_status clnd__call_read(clnd__call *call, cl_mem buffer, size_t offset, size_t size, void *host)
{
    cl_event event = NULL;
    const cl_int code = clEnqueueReadBuffer(call->queue, buffer, CL_TRUE, offset, size, host,
                                            count_waits(call), waits(call), &event);
    return enqueued(call, code, event, "clEnqueueReadBuffer");
}

clnd_status clnd__call_read_aside(const clnd__call *call, cl_mem buffer, size_t offset, size_t size,
                                  void *host, cl_event *read)
{
    const cl_int code = clEnqueueReadBuffer(call->queue, buffer, CL_FALSE, offset, size, host,
                                            count_waits(call), waits(call), read);
    return code == CL_SUCCESS ? CLND_OK : clnd__cl_fail(code, "clEnqueueReadBuffer");
}

clnd_status clnd__call_wait(const clnd__call *call, cl_event *read)
{
    cl_int code = clWaitForEvents(1, read), state = CL_QUEUED;
    if (code != CL_SUCCESS && clFinish(call->queue) == CL_SUCCESS &&
        clGetEventInfo(*read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) ==
            CL_SUCCESS &&
        state == CL_COMPLETE)
        code = CL_SUCCESS;
    clReleaseEvent(*read);
    *read = NULL;
    return code == CL_SUCCESS ? CLND_OK : clnd__cl_fail(code, "clWaitForEvents");
}

clnd_status clnd__buffer_create(clnd_engine *engine, size_t size, const void *content,
                                cl_mem *buffer)
{
    cl_int code;
    union {
        const void *constant;
        void *plain; // OpenCL's parameter is not const, but it only reads
    } host = {content};
    *buffer = clCreateBuffer(engine->context, content ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE,
                             size, host.plain, &code);
    return *buffer ? CLND_OK : clnd__buffer_fail(code, size, engine->facts.max_allocation);
}

void clnd__buffer_release(cl_mem buffer)
{
    if (buffer)
        clReleaseMemObject(buffer);
}

// A buffer made from host memory begins where that begins, a sub-buffer at its origin (some devices
// take any); all others begin on the device's base alignment.
static size_t alignment_of(void *host, size_t root_offset)
{
    enum { BASE = 128 }; // bytes; the least CL_DEVICE_MEM_BASE_ADDR_ALIGN (long16)
    const uintptr_t address = (uintptr_t)host | root_offset;
    size_t alignment = BASE;
    while (address % alignment)
        alignment /= 2;
    return alignment;
}

// Kernels that read or write a buffer against its flags are undefined.
static clnd_status check_access(cl_mem_flags flags, cl_mem_flags refused, const char *name)
{
    if (flags & refused & CL_MEM_READ_ONLY)
        return clnd__fail(CLND_INVALID_BUFFER, "%s is written, but its buffer is CL_MEM_READ_ONLY",
                          name);
    if (flags & refused & CL_MEM_WRITE_ONLY)
        return clnd__fail(CLND_INVALID_BUFFER, "%s is read, but its buffer is CL_MEM_WRITE_ONLY",
                          name);
    return CLND_OK;
}

clnd_status clnd__memory_inspect(cl_mem buffer, cl_context context, cl_mem_flags refused,
                                 const char *name, clnd__memory *memory)
{
    if (!buffer)
        return clnd__fail(CLND_INVALID_BUFFER, "%s has elements, but its buffer is NULL", name);
    cl_mem_object_type type = 0;
    cl_context own = NULL;
    cl_mem parent = NULL;
    void *host = NULL;
    cl_mem_flags flags = 0;
    *memory = (clnd__memory){.buffer = buffer};
    const struct {
        cl_mem_info what;
        size_t size;
        void *value;
    } queries[] = {
        {CL_MEM_TYPE, sizeof type, &type},
        {CL_MEM_CONTEXT, sizeof own, &own},
        {CL_MEM_SIZE, sizeof memory->size, &memory->size},
        {CL_MEM_HOST_PTR, sizeof host, &host},
        {CL_MEM_FLAGS, sizeof flags, &flags},
        {CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent},
        {CL_MEM_OFFSET, sizeof memory->root_offset, &memory->root_offset},
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; ++i) {
        const cl_int code =
            clGetMemObjectInfo(buffer, queries[i].what, queries[i].size, queries[i].value, NULL);
        if (clnd__cl_is_shortage(code))
            return clnd__cl_fail(code, "clGetMemObjectInfo");
        if (code != CL_SUCCESS)
            return clnd__fail_code(CLND_INVALID_BUFFER, code, "the buffer of %s is no cl_mem",
                                   name);
    }
    if (type != CL_MEM_OBJECT_BUFFER)
        return clnd__fail(CLND_INVALID_BUFFER, "the cl_mem of %s is no buffer", name);
    if (context && own != context)
        return clnd__fail(CLND_INVALID_BUFFER, "the buffer of %s is of another context", name);
    memory->root = parent ? parent : buffer;
    memory->host = flags & CL_MEM_USE_HOST_PTR ? (uintptr_t)host : 0;
    memory->alignment = alignment_of(host, memory->root_offset);
    memory->reached_by_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) != 0;
    return check_access(flags, refused, name);
}
