// SPDX-License-Identifier: Apache-2.0

#include "opencl.h"

#include <stdio.h>
#include <string.h>

#include "owned.h"

opencl_log opencl;

static struct {
    opencl_function function;
    int number;
    bool host_only;
    cl_int code;
    int variant; // OPENCL_ANY: of the function's codes
    cl_command_queue lost;
    const char *spoiled;
    size_t bytes; // that every buffer says it has; 0: what it has
    bool detached;
} plan;

static int n_calls; // of what can fail, in the program's life

static const struct {
    const char *name;
    cl_int codes[OPENCL_VARIANTS];
} functions[] = {
#define ROW(name, code, other) [OPENCL_##name] = {"cl" #name, {CL_OUT_OF_HOST_MEMORY, code, other}},
    OPENCL_FUNCTIONS(ROW)
#undef ROW
};

const char *opencl_name(opencl_function function)
{
    return functions[function].name;
}

void opencl_begin(void)
{
    opencl = (opencl_log){0};
    plan.function = OPENCL_NONE;
    plan.lost = NULL;
    plan.spoiled = NULL;
    plan.bytes = 0;
    plan.detached = false;
}

void opencl_fail(opencl_function function, int number, bool host_only, cl_int code)
{
    plan.function = function;
    plan.number = number;
    plan.host_only = host_only;
    plan.code = code;
}

void opencl_fail_any(int number, int variant)
{
    plan.function = OPENCL_ANY;
    plan.number = number;
    plan.host_only = false;
    plan.variant = variant;
}

void opencl_lose(cl_command_queue queue)
{
    plan.lost = queue;
}

void opencl_enlarge(size_t bytes)
{
    plan.bytes = bytes;
}

void opencl_detach(void)
{
    plan.detached = true;
}

void opencl_spoil(const char *part)
{
    plan.spoiled = part;
}

static bool fail_with(opencl_function function, cl_int code)
{
    opencl.failed = function;
    opencl.failed_code = code;
    return true;
}

// Whether this call fails: then with opencl.failed_code.
static bool fails(opencl_function function)
{
    n_calls++;
    if (plan.function != function && plan.function != OPENCL_ANY)
        return false;
    if (plan.number-- != 0)
        return false;
    return fail_with(function, plan.function == OPENCL_ANY ? functions[function].codes[plan.variant]
                                                           : plan.code);
}

static bool fails_on(opencl_function function, cl_command_queue queue)
{
    if (plan.lost && queue == plan.lost)
        return fail_with(function, CL_OUT_OF_RESOURCES);
    return fails(function);
}

static cl_int made_event(cl_int code, cl_event *event, const char *maker)
{
    if (code == CL_SUCCESS && event)
        owned_add(OPENCL_EVENT, *event, maker, n_calls);
    return code;
}

// The names are the linker's.
#define WRAPPED(type, name, ...)                                                                   \
    type CL_API_CALL __real_##name(__VA_ARGS__);                                                   \
    type CL_API_CALL __wrap_##name(__VA_ARGS__);                                                   \
    type CL_API_CALL __wrap_##name(__VA_ARGS__)

// A function that only gives a code.
#define PLAIN(name, arguments, ...)                                                                \
    WRAPPED(cl_int, cl##name, __VA_ARGS__)                                                         \
    {                                                                                              \
        return fails(OPENCL_##name) ? opencl.failed_code : __real_cl##name arguments;              \
    }

// A function that makes an object.
#define MAKER(type, name, kind, arguments, ...)                                                    \
    WRAPPED(type, cl##name, __VA_ARGS__)                                                           \
    {                                                                                              \
        if (fails(OPENCL_##name)) {                                                                \
            *code = opencl.failed_code;                                                            \
            return NULL;                                                                           \
        }                                                                                          \
        type made = __real_cl##name arguments;                                                     \
        if (made)                                                                                  \
            owned_add(kind, made, "cl" #name, n_calls);                                            \
        return made;                                                                               \
    }

#define RETAIN(name, kind, type)                                                                   \
    WRAPPED(cl_int, cl##name, type object)                                                         \
    {                                                                                              \
        if (fails(OPENCL_##name))                                                                  \
            return opencl.failed_code;                                                             \
        owned_add(kind, object, "cl" #name, n_calls);                                              \
        return __real_cl##name(object);                                                            \
    }

#define RELEASE(name, kind, type, noted)                                                           \
    WRAPPED(cl_int, clRelease##name, type object)                                                  \
    {                                                                                              \
        noted;                                                                                     \
        owned_remove(kind, object);                                                                \
        return __real_clRelease##name(object);                                                     \
    }

// Platforms, devices, contexts, queues ------------------------------------------------------------

PLAIN(GetPlatformIDs, (n, platforms, count), cl_uint n, cl_platform_id *platforms, cl_uint *count)
PLAIN(GetPlatformInfo, (platform, what, size, value, used), cl_platform_id platform,
      cl_platform_info what, size_t size, void *value, size_t *used)
PLAIN(GetDeviceIDs, (platform, type, n, devices, count), cl_platform_id platform,
      cl_device_type type, cl_uint n, cl_device_id *devices, cl_uint *count)
PLAIN(GetDeviceInfo, (device, what, size, value, used), cl_device_id device, cl_device_info what,
      size_t size, void *value, size_t *used)
PLAIN(GetContextInfo, (context, what, size, value, used), cl_context context, cl_context_info what,
      size_t size, void *value, size_t *used)
PLAIN(GetCommandQueueInfo, (queue, what, size, value, used), cl_command_queue queue,
      cl_command_queue_info what, size_t size, void *value, size_t *used)

typedef void(CL_CALLBACK *context_notify)(const char *, const void *, size_t, void *);
MAKER(cl_context, CreateContext, OPENCL_CONTEXT, (properties, n, devices, notify, user, code),
      const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
      context_notify notify, void *user, cl_int *code)
RETAIN(RetainContext, OPENCL_CONTEXT, cl_context)
RELEASE(Context, OPENCL_CONTEXT, cl_context, (void)0)
RETAIN(RetainDevice, OPENCL_DEVICE, cl_device_id)
RELEASE(Device, OPENCL_DEVICE, cl_device_id, (void)0)

WRAPPED(cl_command_queue, clCreateCommandQueue, cl_context context, cl_device_id device,
        cl_command_queue_properties properties, cl_int *code)
{
    if (fails(OPENCL_CreateCommandQueue)) {
        *code = opencl.failed_code;
        return NULL;
    }
    opencl.n_queues++;
    cl_command_queue queue = __real_clCreateCommandQueue(context, device, properties, code);
    if (queue)
        owned_add(OPENCL_QUEUE, queue, "clCreateCommandQueue", n_calls);
    return queue;
}

RELEASE(CommandQueue, OPENCL_QUEUE, cl_command_queue, opencl.n_queues_released++)

PLAIN(Flush, (queue), cl_command_queue queue)

// The queue finishes anyway, so that what it works on may be freed.
WRAPPED(cl_int, clFinish, cl_command_queue queue)
{
    const cl_int code = __real_clFinish(queue);
    return fails_on(OPENCL_Finish, queue) ? opencl.failed_code : code;
}

// Programs and kernels ----------------------------------------------------------------------------

typedef void(CL_CALLBACK *program_notify)(cl_program, void *);
MAKER(cl_program, CreateProgramWithSource, OPENCL_PROGRAM, (context, n, texts, lengths, code),
      cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *code)
RELEASE(Program, OPENCL_PROGRAM, cl_program, (void)0)
PLAIN(GetProgramBuildInfo, (program, device, what, size, value, used), cl_program program,
      cl_device_id device, cl_program_build_info what, size_t size, void *value, size_t *used)

WRAPPED(cl_int, clBuildProgram, cl_program program, cl_uint n, const cl_device_id *devices,
        const char *options, program_notify notify, void *user)
{
    if (fails(OPENCL_BuildProgram))
        return opencl.failed_code;
    char spoiled[512];
    if (plan.spoiled && strstr(options, plan.spoiled)) {
        snprintf(spoiled, sizeof spoiled, "%s -D__kernel=spoiled_by_the_test", options);
        options = spoiled;
    }
    return __real_clBuildProgram(program, n, devices, options, notify, user);
}

MAKER(cl_kernel, CreateKernel, OPENCL_KERNEL, (program, name, code), cl_program program,
      const char *name, cl_int *code)
RELEASE(Kernel, OPENCL_KERNEL, cl_kernel, (void)0)
PLAIN(SetKernelArg, (kernel, n, size, value), cl_kernel kernel, cl_uint n, size_t size,
      const void *value)

// Memory ------------------------------------------------------------------------------------------

WRAPPED(cl_mem, clCreateBuffer, cl_context context, cl_mem_flags flags, size_t size, void *host,
        cl_int *code)
{
    if ((!plan.host_only || (flags & CL_MEM_USE_HOST_PTR)) && fails(OPENCL_CreateBuffer)) {
        *code = opencl.failed_code;
        return NULL;
    }
    if (opencl.n_buffers < OPENCL_MOST)
        opencl.buffers[opencl.n_buffers] = (opencl_buffer){flags, size, host};
    opencl.n_buffers++;
    if (plan.detached && (flags & CL_MEM_USE_HOST_PTR))
        flags ^= CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    cl_mem buffer = __real_clCreateBuffer(context, flags, size, host, code);
    if (buffer)
        owned_add(OPENCL_MEMORY, buffer, "clCreateBuffer", n_calls);
    return buffer;
}

RELEASE(MemObject, OPENCL_MEMORY, cl_mem, opencl.n_released++)
typedef void(CL_CALLBACK *memory_notify)(cl_mem, void *);
PLAIN(SetMemObjectDestructorCallback, (buffer, notify, user), cl_mem buffer, memory_notify notify,
      void *user)

WRAPPED(cl_int, clGetMemObjectInfo, cl_mem buffer, cl_mem_info what, size_t size, void *value,
        size_t *used)
{
    if (fails(OPENCL_GetMemObjectInfo))
        return opencl.failed_code;
    const cl_int code = __real_clGetMemObjectInfo(buffer, what, size, value, used);
    if (code == CL_SUCCESS && what == CL_MEM_SIZE && plan.bytes)
        *(size_t *)value = plan.bytes;
    return code;
}

// Commands ----------------------------------------------------------------------------------------

#define COMMAND(name, arguments, ...)                                                              \
    WRAPPED(cl_int, clEnqueue##name, cl_command_queue queue, __VA_ARGS__, cl_uint n_wait,          \
            const cl_event *wait, cl_event *event)                                                 \
    {                                                                                              \
        if (fails_on(OPENCL_Enqueue##name, queue))                                                 \
            return opencl.failed_code;                                                             \
        return made_event(__real_clEnqueue##name arguments, event, "clEnqueue" #name);             \
    }

COMMAND(NDRangeKernel, (queue, kernel, n, offset, global, local, n_wait, wait, event),
        cl_kernel kernel, cl_uint n, const size_t *offset, const size_t *global,
        const size_t *local)
COMMAND(CopyBuffer, (queue, source, target, from, to, size, n_wait, wait, event), cl_mem source,
        cl_mem target, size_t from, size_t to, size_t size)
COMMAND(FillBuffer, (queue, buffer, pattern, width, offset, size, n_wait, wait, event),
        cl_mem buffer, const void *pattern, size_t width, size_t offset, size_t size)
COMMAND(UnmapMemObject, (queue, buffer, mapped, n_wait, wait, event), cl_mem buffer, void *mapped)

WRAPPED(cl_int, clEnqueueMarkerWithWaitList, cl_command_queue queue, cl_uint n_wait,
        const cl_event *wait, cl_event *event)
{
    if (fails_on(OPENCL_EnqueueMarkerWithWaitList, queue))
        return opencl.failed_code;
    return made_event(__real_clEnqueueMarkerWithWaitList(queue, n_wait, wait, event), event,
                      "clEnqueueMarkerWithWaitList");
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
    if (fails_on(OPENCL_EnqueueWriteBuffer, queue))
        return opencl.failed_code;
    note(opencl.writes, &opencl.n_writes, offset, size, host);
    return made_event(__real_clEnqueueWriteBuffer(queue, buffer, blocking, offset, size, host,
                                                  n_wait, wait, event),
                      event, "clEnqueueWriteBuffer");
}

WRAPPED(cl_int, clEnqueueReadBuffer, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
        size_t offset, size_t size, void *host, cl_uint n_wait, const cl_event *wait,
        cl_event *event)
{
    if (fails_on(OPENCL_EnqueueReadBuffer, queue))
        return opencl.failed_code;
    note(opencl.reads, &opencl.n_reads, offset, size, host);
    return made_event(__real_clEnqueueReadBuffer(queue, buffer, blocking, offset, size, host,
                                                 n_wait, wait, event),
                      event, "clEnqueueReadBuffer");
}

WRAPPED(void *, clEnqueueMapBuffer, cl_command_queue queue, cl_mem buffer, cl_bool blocking,
        cl_map_flags flags, size_t offset, size_t size, cl_uint n_wait, const cl_event *wait,
        cl_event *event, cl_int *code)
{
    if (fails_on(OPENCL_EnqueueMapBuffer, queue)) {
        *code = opencl.failed_code;
        return NULL;
    }
    if (opencl.watched) {
        __real_clFinish(queue);
        opencl.seen = *(const volatile unsigned char *)opencl.watched;
    }
    void *mapped = __real_clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, n_wait,
                                             wait, event, code);
    made_event(*code, event, "clEnqueueMapBuffer");
    note(opencl.maps, &opencl.n_maps, offset, size, mapped);
    return mapped;
}

// Events ------------------------------------------------------------------------------------------

PLAIN(WaitForEvents, (n, events), cl_uint n, const cl_event *events)
PLAIN(GetEventInfo, (event, what, size, value, used), cl_event event, cl_event_info what,
      size_t size, void *value, size_t *used)
RETAIN(RetainEvent, OPENCL_EVENT, cl_event)
RELEASE(Event, OPENCL_EVENT, cl_event, (void)0)

// The library makes none. It counts where a test makes one while the library is at work.
WRAPPED(cl_event, clCreateUserEvent, cl_context context, cl_int *code)
{
    cl_event event = __real_clCreateUserEvent(context, code);
    if (event)
        owned_add(OPENCL_EVENT, event, "clCreateUserEvent", n_calls);
    return event;
}
