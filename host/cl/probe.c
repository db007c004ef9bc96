// SPDX-License-Identifier: Apache-2.0

#include "host/cl/probe.h"

#include "host/cl/cl_error.h"
#include "host/cl/program.h"

static cl_int launch(cl_command_queue queue, cl_kernel kernel, size_t items, cl_mem data,
                     cl_mem update)
{
    const size_t local = 1;
    cl_int code = clSetKernelArg(kernel, 0, sizeof data, &data);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, 1, sizeof update, &update);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &local, 0, NULL, NULL);
    return code;
}

// What the kernel has made of `data`. Mapping a buffer that is `data` itself brings it there.
static cl_int fetch(cl_command_queue queue, cl_mem results, bool share, void *data)
{
    const size_t size = CLND__PROBE_BYTES;
    if (!share)
        return clEnqueueReadBuffer(queue, results, CL_TRUE, 0, size, data, 0, NULL, NULL);
    cl_int code;
    void *mapped =
        clEnqueueMapBuffer(queue, results, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueUnmapMemObject(queue, results, mapped, 0, NULL, NULL);
    return code == CL_SUCCESS ? clFinish(queue) : code;
}

// Gives `data` to the device, runs the kernel, and gets it back.
static cl_int run(cl_context context, cl_device_id device, cl_kernel kernel, size_t items,
                  bool share, void *data, void *update)
{
    const cl_mem_flags flags =
        CL_MEM_READ_WRITE | (share ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR);
    cl_int codes[3];
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &codes[0]);
    cl_mem results = clCreateBuffer(context, flags, CLND__PROBE_BYTES, data, &codes[1]);
    cl_mem updates = clCreateBuffer(context, flags, CLND__PROBE_BYTES, update, &codes[2]);
    cl_int code = codes[0] ? codes[0] : codes[1] ? codes[1] : codes[2];
    if (code == CL_SUCCESS)
        code = launch(queue, kernel, items, results, updates);
    if (code == CL_SUCCESS)
        code = fetch(queue, results, share, data);
    if (updates)
        clReleaseMemObject(updates);
    if (results)
        clReleaseMemObject(results);
    if (queue)
        clReleaseCommandQueue(queue);
    return code;
}

clnd_status clnd__probe(cl_context context, cl_device_id device, const char *name,
                        const clnd__kernel_options *options, size_t items, bool share, void *data,
                        void *update, bool *ran)
{
    char text[CLND__OPTIONS_TEXT];
    cl_kernel kernel = NULL;
    cl_program program;
    *ran = false;
    const clnd_status status = clnd__program_create(context, name, &program);
    if (status)
        return status;
    clnd__kernel_options_print(options, text);
    cl_int code = clnd__program_build(program, device, text, NULL);
    if (code == CL_SUCCESS)
        kernel = clCreateKernel(program, name, &code);
    if (kernel) {
        code = run(context, device, kernel, items, share, data, update);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
    *ran = code == CL_SUCCESS;
    return code == CL_OUT_OF_HOST_MEMORY ? clnd__cl_fail(code, "a probe of the device") : CLND_OK;
}
