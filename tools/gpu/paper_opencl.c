// SPDX-License-Identifier: Apache-2.0

#include "paper_opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct _cl_device_id {
    int unused;
};
struct _cl_context {
    int unused;
};
struct _cl_command_queue {
    int unused;
};
struct _cl_event {
    int unused;
};

static struct _cl_device_id device;
static struct _cl_context context;
static struct _cl_command_queue queue;
static struct _cl_event event;
static paper_listener *listener;
static void *listener_data;

static void *make(size_t size)
{
    void *object = calloc(1, size ? size : 1);
    if (!object)
        abort();
    return object;
}

static void *copy_of(const void *bytes, size_t size)
{
    return memcpy(make(size), bytes, size);
}

// What a clGet*Info gives: the value, or zeros of the size that is asked for.
static cl_int give(const void *value, size_t value_size, size_t size, void *out, size_t *out_size)
{
    if (out_size)
        *out_size = value_size;
    if (out) {
        memset(out, 0, size);
        memcpy(out, value, value_size < size ? value_size : size);
    }
    return CL_SUCCESS;
}

static cl_int done(cl_event *out)
{
    if (out)
        *out = &event;
    return CL_SUCCESS;
}

static cl_int tell(const struct paper_command *command, cl_event *out)
{
    if (listener)
        listener(command, listener_data);
    return done(out);
}

cl_device_id paper_device(void)
{
    return &device;
}

cl_context paper_context(void)
{
    return &context;
}

void paper_listen(paper_listener *to, void *user)
{
    listener = to;
    listener_data = user;
}

static struct paper_mem *make_memory(const char *name, size_t size, const void *content)
{
    static int count;
    struct paper_mem *memory = make(sizeof *memory);
    memory->number = ++count;
    snprintf(memory->name, sizeof memory->name, "%s", name);
    memory->size = size;
    memory->content = content ? copy_of(content, size) : NULL;
    return memory;
}

cl_mem paper_buffer(const char *name, size_t size)
{
    return (cl_mem)make_memory(name, size, NULL);
}

// Devices and contexts.

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    (void)room, (void)platforms;
    *count = 0;
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *out,
                         size_t *out_size)
{
    (void)platform, (void)what;
    return give("paper", sizeof "paper", size, out, out_size);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
                      cl_device_id *devices, cl_uint *count)
{
    (void)platform, (void)type, (void)room, (void)devices;
    *count = 0;
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *out,
                       size_t *out_size)
{
    (void)id;
    const cl_bool yes = CL_TRUE;
    const size_t parameters = 4352;
    if (what == CL_DEVICE_ENDIAN_LITTLE || what == CL_DEVICE_COMPILER_AVAILABLE)
        return give(&yes, sizeof yes, size, out, out_size);
    if (what == CL_DEVICE_MAX_PARAMETER_SIZE)
        return give(&parameters, sizeof parameters, size, out, out_size);
    return give("", 1, size, out, out_size);
}

cl_int clRetainDevice(cl_device_id id)
{
    (void)id;
    return CL_SUCCESS;
}

cl_int clReleaseDevice(cl_device_id id)
{
    (void)id;
    return CL_SUCCESS;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *user, cl_int *code)
{
    (void)properties, (void)n, (void)devices, (void)notify, (void)user;
    *code = CL_SUCCESS;
    return &context;
}

cl_int clGetContextInfo(cl_context of, cl_context_info what, size_t size, void *out,
                        size_t *out_size)
{
    (void)of;
    const cl_device_id devices[] = {&device};
    const cl_uint one = 1;
    return what == CL_CONTEXT_NUM_DEVICES ? give(&one, sizeof one, size, out, out_size)
                                          : give(devices, sizeof devices, size, out, out_size);
}

cl_int clRetainContext(cl_context of)
{
    (void)of;
    return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context of)
{
    (void)of;
    return CL_SUCCESS;
}

// Queues and events.

cl_command_queue clCreateCommandQueue(cl_context of, cl_device_id id,
                                      cl_command_queue_properties properties, cl_int *code)
{
    (void)of, (void)id, (void)properties;
    *code = CL_SUCCESS;
    return &queue;
}

cl_int clGetCommandQueueInfo(cl_command_queue of, cl_command_queue_info what, size_t size,
                             void *out, size_t *out_size)
{
    (void)of;
    const cl_context own_context = &context;
    const cl_device_id own_device = &device;
    if (what == CL_QUEUE_CONTEXT)
        return give(&own_context, sizeof own_context, size, out, out_size);
    if (what == CL_QUEUE_DEVICE)
        return give(&own_device, sizeof own_device, size, out, out_size);
    return give("", 1, size, out, out_size);
}

cl_int clReleaseCommandQueue(cl_command_queue of)
{
    (void)of;
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue of)
{
    (void)of;
    return CL_SUCCESS;
}

cl_int clFlush(cl_command_queue of)
{
    (void)of;
    return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint n, const cl_event *events)
{
    (void)n, (void)events;
    return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event of, cl_event_info what, size_t size, void *out, size_t *out_size)
{
    (void)of;
    const cl_int complete = CL_COMPLETE;
    const cl_context own_context = &context;
    return what == CL_EVENT_CONTEXT ? give(&own_context, sizeof own_context, size, out, out_size)
                                    : give(&complete, sizeof complete, size, out, out_size);
}

cl_int clRetainEvent(cl_event of)
{
    (void)of;
    return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event of)
{
    (void)of;
    return CL_SUCCESS;
}

// Memory.

cl_mem clCreateBuffer(cl_context of, cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    (void)of;
    if (code)
        *code = CL_SUCCESS;
    return (cl_mem)make_memory("workspace", size, flags & CL_MEM_COPY_HOST_PTR ? host : NULL);
}

cl_int clGetMemObjectInfo(cl_mem of, cl_mem_info what, size_t size, void *out, size_t *out_size)
{
    const struct paper_mem *memory = (const struct paper_mem *)of;
    const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    const cl_context own_context = &context;
    const cl_mem_flags flags = CL_MEM_READ_WRITE;
    switch (what) {
    case CL_MEM_TYPE:
        return give(&type, sizeof type, size, out, out_size);
    case CL_MEM_CONTEXT:
        return give(&own_context, sizeof own_context, size, out, out_size);
    case CL_MEM_SIZE:
        return give(&memory->size, sizeof memory->size, size, out, out_size);
    case CL_MEM_FLAGS:
        return give(&flags, sizeof flags, size, out, out_size);
    default:
        return give("", 1, size, out, out_size);
    }
}

cl_int clReleaseMemObject(cl_mem of)
{
    (void)of;
    return CL_SUCCESS;
}

cl_int clSetMemObjectDestructorCallback(cl_mem of, void(CL_CALLBACK *notify)(cl_mem, void *),
                                        void *user)
{
    (void)of, (void)notify, (void)user;
    return CL_SUCCESS;
}

// What is read looks like a verdict that names no bad row.
cl_int clEnqueueReadBuffer(cl_command_queue to, cl_mem from, cl_bool wait, size_t offset,
                           size_t size, void *out, cl_uint n, const cl_event *events, cl_event *end)
{
    (void)to, (void)from, (void)wait, (void)offset, (void)n, (void)events;
    memset(out, 0xff, size);
    return done(end);
}

cl_int clEnqueueWriteBuffer(cl_command_queue to, cl_mem target, cl_bool wait, size_t offset,
                            size_t size, const void *from, cl_uint n, const cl_event *events,
                            cl_event *end)
{
    (void)to, (void)wait, (void)from, (void)n, (void)events;
    const struct paper_command command = {.what = "write",
                                          .target = (const struct paper_mem *)target,
                                          .target_offset = offset,
                                          .bytes = size};
    return tell(&command, end);
}

cl_int clEnqueueFillBuffer(cl_command_queue to, cl_mem target, const void *pattern,
                           size_t pattern_size, size_t offset, size_t size, cl_uint n,
                           const cl_event *events, cl_event *end)
{
    (void)to, (void)n, (void)events;
    const struct paper_command command = {.what = "fill",
                                          .target = (const struct paper_mem *)target,
                                          .target_offset = offset,
                                          .bytes = size,
                                          .pattern = pattern,
                                          .pattern_size = pattern_size};
    return tell(&command, end);
}

cl_int clEnqueueCopyBuffer(cl_command_queue to, cl_mem from, cl_mem target, size_t from_offset,
                           size_t target_offset, size_t size, cl_uint n, const cl_event *events,
                           cl_event *end)
{
    (void)to, (void)n, (void)events;
    const struct paper_command command = {.what = "copy",
                                          .target = (const struct paper_mem *)target,
                                          .source = (const struct paper_mem *)from,
                                          .target_offset = target_offset,
                                          .source_offset = from_offset,
                                          .bytes = size};
    return tell(&command, end);
}

void *clEnqueueMapBuffer(cl_command_queue to, cl_mem of, cl_bool wait, cl_map_flags flags,
                         size_t offset, size_t size, cl_uint n, const cl_event *events,
                         cl_event *end, cl_int *code)
{
    (void)to, (void)wait, (void)flags, (void)offset, (void)n, (void)events;
    struct paper_mem *memory = (struct paper_mem *)of;
    if (!memory->content)
        memory->content = make(size);
    memset(memory->content, 0xff, size);
    *code = done(end);
    return memory->content;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue to, cl_mem of, void *mapped, cl_uint n,
                               const cl_event *events, cl_event *end)
{
    (void)to, (void)of, (void)mapped, (void)n, (void)events;
    return done(end);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue to, cl_uint n, const cl_event *events,
                                   cl_event *end)
{
    (void)to, (void)n, (void)events;
    return done(end);
}

// Programs and kernels.

cl_program clCreateProgramWithSource(cl_context of, cl_uint n, const char **texts,
                                     const size_t *lengths, cl_int *code)
{
    (void)of;
    struct paper_program *program = make(sizeof *program);
    const size_t length = lengths ? lengths[n - 1] : strlen(texts[n - 1]);
    char *text = make(length + 1);
    memcpy(text, texts[n - 1], length);
    program->text = text;
    *code = CL_SUCCESS;
    return (cl_program)program;
}

cl_int clBuildProgram(cl_program of, cl_uint n, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    (void)n, (void)devices, (void)notify, (void)user;
    ((struct paper_program *)of)->options = copy_of(options, strlen(options) + 1);
    return CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program of, cl_device_id id, cl_program_build_info what,
                             size_t size, void *out, size_t *out_size)
{
    (void)of, (void)id, (void)what;
    return give("", 1, size, out, out_size);
}

cl_int clReleaseProgram(cl_program of)
{
    (void)of;
    return CL_SUCCESS;
}

cl_kernel clCreateKernel(cl_program of, const char *name, cl_int *code)
{
    struct paper_kernel *kernel = make(sizeof *kernel);
    kernel->program = (const struct paper_program *)of;
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    *code = CL_SUCCESS;
    return (cl_kernel)kernel;
}

cl_int clSetKernelArg(cl_kernel of, cl_uint at, size_t size, const void *value)
{
    struct paper_kernel *kernel = (struct paper_kernel *)of;
    if (at >= PAPER_ARGUMENTS)
        return CL_INVALID_ARG_INDEX;
    kernel->arguments[at] = (struct paper_argument){size, copy_of(value, size)};
    if ((int)at >= kernel->n_arguments)
        kernel->n_arguments = (int)at + 1;
    return CL_SUCCESS;
}

cl_int clReleaseKernel(cl_kernel of)
{
    (void)of;
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue to, cl_kernel of, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n, const cl_event *events, cl_event *end)
{
    (void)to, (void)offset, (void)n, (void)events;
    struct paper_command command = {.what = "launch",
                                    .kernel = (const struct paper_kernel *)of,
                                    .global = {1, 1},
                                    .local = {1, 1}};
    for (cl_uint i = 0; i < dimensions && i < 2; ++i) {
        command.global[i] = global[i];
        command.local[i] = local ? local[i] : 1;
    }
    return tell(&command, end);
}
