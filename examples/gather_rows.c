// SPDX-License-Identifier: Apache-2.0
//
// Picks rows of a table in OpenCL memory. Context, queue and buffers are the program's own; clnd
// adds its work to the queue like any other OpenCL call.
//
//     cc gather_rows.c -o gather_rows $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "gather_rows: %s failed. %s\n", what, clnd_last_error());
    exit(EXIT_FAILURE);
}

int main(void)
{
    float table[4][3] = {{0, 1, 2}, {10, 11, 12}, {20, 21, 22}, {30, 31, 32}}, picked[3][3];
    int32_t rows[3] = {2, 0, 2};

    // What any OpenCL program has: here the first device of the first platform that has one.
    cl_platform_id platforms[16];
    cl_device_id device = NULL;
    cl_uint count = 0;
    clGetPlatformIDs(16, platforms, &count);
    for (cl_uint i = 0; i < count && i < 16 && !device; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    need(device != NULL, "finding a device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof table, table, NULL);
    cl_mem which = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof rows, rows, NULL);
    cl_mem result = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof picked, NULL, NULL);
    need(context && queue && in && which && result, "making context, queue and buffers");

    // What clnd needs to know. The last dimension of the indices is the length of one index: 1, so
    // each of the three picks a row.
    clnd_engine *engine;
    clnd_tensor params, indices, out;
    need(clnd_engine_create(context, device, NULL, &engine) == CLND_OK, "engine");
    need(!clnd_tensor_dense(in, 0, CLND_FLOAT32, 2, (int64_t[]){4, 3}, &params), "params");
    need(!clnd_tensor_dense(which, 0, CLND_INT32, 2, (int64_t[]){3, 1}, &indices), "indices");
    need(!clnd_gather_nd_shape(&params, &indices, NULL, &out), "shape"); // [3, 3]
    out.buffer = result;

    // out[i, :] = table[rows[i], :]; a bad row is an error
    const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR};
    need(!clnd_gather_nd(engine, queue, &params, &indices, &out, &options, 0, NULL, NULL),
         "gather");

    clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof picked, picked, 0, NULL, NULL);
    for (int i = 0; i < 3; i++)
        printf("row %d: %g %g %g\n", (int)rows[i], picked[i][0], picked[i][1], picked[i][2]);

    clnd_engine_destroy(&engine);
    clReleaseMemObject(in);
    clReleaseMemObject(which);
    clReleaseMemObject(result);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return EXIT_SUCCESS;
}
