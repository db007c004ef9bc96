// SPDX-License-Identifier: Apache-2.0

#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate.h"
#include "failure.h"
#include "kernels.h"

static const char *const kernel_names[N_KERNELS] = {
    [KERNEL_EMPTY] = "bench_empty",
    [KERNEL_READ] = "bench_read",
    [KERNEL_COPY_BLOCKS] = "bench_copy_blocks",
    [KERNEL_COPY_LANES] = "bench_copy_lanes",
    [KERNEL_RANDOM_READ] = "bench_random_read",
    [KERNEL_RANDOM_WRITE] = "bench_random_write",
    [KERNEL_ADD_ROWS] = "bench_add_rows",
    [KERNEL_ADD_RANDOM] = "bench_add_random",
    [KERNEL_ADD_ONE] = "bench_add_one",
};

// 64 bytes, what DRAM behind caches moves; AMD's GPUs have lines of 128.
static int granule_of(const clnd_device_facts *facts)
{
    return !facts->is_cpu && strstr(facts->platform, "AMD") ? 128 : 64;
}

static int count_threads(const clnd_device_facts *facts)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const int threads = online > 0 ? (int)online : 1;
    return facts->is_cpu && (int)facts->compute_units < threads ? (int)facts->compute_units
                                                                : threads;
}

// With stores that go past the caches where the compiler has them.
static bool build(struct device *device)
{
    const char *source = kernels_source;
    cl_int code;
    for (int nontemporal = 1; nontemporal >= 0; --nontemporal) {
        char options[160];
        snprintf(options, sizeof options, "-DNONTEMPORAL=%d -DGRANULE_WORDS=%du -DMASK=%uu",
                 nontemporal, device->granule / 4, calibrate_mask(device));
        device->program = clCreateProgramWithSource(device->context, 1, &source, NULL, &code);
        if (!device->program)
            return fail_cl("clCreateProgramWithSource", code);
        code = clBuildProgram(device->program, 1, &device->id, options, NULL, NULL);
        if (code == CL_BUILD_PROGRAM_FAILURE) // as host/cl/program.h says
            code = clBuildProgram(device->program, 1, &device->id, options, NULL, NULL);
        if (code == CL_SUCCESS)
            return true;
        clReleaseProgram(device->program);
        device->program = NULL;
    }
    return fail_cl("clBuildProgram of the benchmark's own kernels", code);
}

bool device_open(struct device *device, const char *spec, int threads, enum pages pages, bool tiny)
{
    *device = (struct device){.pages = pages, .tiny = tiny};
    if (clnd_engine_open(spec, NULL, &device->engine))
        return fail_clnd();
    device->context = clnd_engine_context(device->engine);
    device->id = clnd_engine_device(device->engine);
    device->facts = clnd_engine_facts(device->engine);
    device->granule = granule_of(device->facts);
    cl_ulong cache = 0;
    clGetDeviceInfo(device->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache, NULL);
    device->last_level_cache = (double)cache;
    cl_int code;
    device->queue =
        clCreateCommandQueue(device->context, device->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (!device->queue)
        return fail_cl("clCreateCommandQueue", code);
    if (!build(device))
        return false;
    for (int i = 0; i < N_KERNELS; ++i) {
        device->kernels[i] = clCreateKernel(device->program, kernel_names[i], &code);
        if (!device->kernels[i])
            return fail_cl("clCreateKernel", code);
    }
    device->team = team_create(threads ? threads : count_threads(device->facts));
    return device->team || fail_memory("threads", 0);
}

void device_close(struct device *device)
{
    team_destroy(device->team);
    for (int i = 0; i < N_KERNELS; ++i)
        if (device->kernels[i])
            clReleaseKernel(device->kernels[i]);
    if (device->program)
        clReleaseProgram(device->program);
    if (device->queue)
        clReleaseCommandQueue(device->queue);
    clnd_engine_destroy(&device->engine);
}

bool device_launch(struct device *device, enum bench_kernel kernel, cl_mem first, cl_mem second,
                   cl_uint number, size_t global, size_t local, cl_event *event)
{
    cl_kernel object = device->kernels[kernel];
    cl_int code = clSetKernelArg(object, 0, sizeof first, &first);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(object, 1, sizeof second, &second);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(object, 2, sizeof number, &number);
    if (code == CL_SUCCESS)
        code =
            clEnqueueNDRangeKernel(device->queue, object, 1, NULL, &global, &local, 0, NULL, event);
    return code == CL_SUCCESS || fail_cl(kernel_names[kernel], code);
}

bool device_finish(cl_event event, double *started, double *ended)
{
    cl_ulong start = 0, end = 0;
    cl_int code = clWaitForEvents(1, &event);
    if (code == CL_SUCCESS && started)
        code =
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (code == CL_SUCCESS && ended)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(event);
    if (started)
        *started = 1e-9 * (double)start;
    if (ended)
        *ended = 1e-9 * (double)end;
    return code == CL_SUCCESS || fail_cl("waiting for an event", code);
}
