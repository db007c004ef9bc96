// SPDX-License-Identifier: Apache-2.0

#include "host/cl/probe.h"

#include "host/cl/cl_error.h"
#include "host/cl/program.h"

// The first call that failed.
typedef struct failure {
    cl_int code;
    const char *call;
} failure;

// Whether a call succeeded.
static bool good(cl_int code, const char *call, failure *failed)
{
    if (code != CL_SUCCESS)
        *failed = (failure){code, call};
    return code == CL_SUCCESS;
}

static bool launch(cl_command_queue queue, cl_kernel kernel, size_t items, cl_mem data,
                   cl_mem update, failure *failed)
{
    const size_t local = 1;
    return good(clSetKernelArg(kernel, 0, sizeof data, &data), "clSetKernelArg", failed) &&
           good(clSetKernelArg(kernel, 1, sizeof update, &update), "clSetKernelArg", failed) &&
           good(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL),
                "clEnqueueNDRangeKernel", failed);
}

// What the kernel has made of `data`. Mapping a buffer that is `data` itself brings it there.
static bool fetch(cl_command_queue queue, cl_mem results, bool share, void *data, failure *failed)
{
    const size_t size = CLND__PROBE_BYTES;
    if (!share)
        return good(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, size, data, 0, NULL, NULL),
                    "clEnqueueReadBuffer", failed);
    cl_int code;
    void *mapped =
        clEnqueueMapBuffer(queue, results, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &code);
    return good(code, "clEnqueueMapBuffer", failed) &&
           good(clEnqueueUnmapMemObject(queue, results, mapped, 0, NULL, NULL),
                "clEnqueueUnmapMemObject", failed) &&
           good(clFinish(queue), "clFinish", failed);
}

// Gives `data` to the device, runs the kernel, and gets it back.
static void run(cl_context context, cl_device_id device, cl_kernel kernel, size_t items, bool share,
                void *data, void *update, failure *failed)
{
    const cl_mem_flags flags =
        CL_MEM_READ_WRITE | (share ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR);
    cl_int codes[3];
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &codes[0]);
    cl_mem results = clCreateBuffer(context, flags, CLND__PROBE_BYTES, data, &codes[1]);
    cl_mem updates = clCreateBuffer(context, flags, CLND__PROBE_BYTES, update, &codes[2]);
    if (good(codes[0], "clCreateCommandQueue", failed) &&
        good(codes[1], "clCreateBuffer", failed) && good(codes[2], "clCreateBuffer", failed) &&
        launch(queue, kernel, items, results, updates, failed))
        fetch(queue, results, share, data, failed);
    if (updates)
        clReleaseMemObject(updates);
    if (results)
        clReleaseMemObject(results);
    if (queue)
        clReleaseCommandQueue(queue);
}

clnd_status clnd__probe(cl_context context, cl_device_id device, const char *name,
                        const clnd__kernel_options *options, size_t items, bool share, void *data,
                        void *update, bool *ran)
{
    char text[CLND__OPTIONS_TEXT];
    failure failed = {CL_SUCCESS, NULL};
    cl_program program;
    *ran = false;
    const clnd_status status = clnd__program_create(context, name, &program);
    if (status)
        return status;
    clnd__kernel_options_print(options, text);
    if (good(clnd__program_build(program, device, text, NULL), "clBuildProgram", &failed)) {
        cl_int code;
        cl_kernel kernel = clCreateKernel(program, name, &code);
        if (good(code, "clCreateKernel", &failed)) {
            run(context, device, kernel, items, share, data, update, &failed);
            clReleaseKernel(kernel);
        }
    }
    clReleaseProgram(program);
    *ran = failed.code == CL_SUCCESS;
    return failed.code == CL_OUT_OF_HOST_MEMORY ? clnd__cl_fail(failed.code, failed.call) : CLND_OK;
}
