// SPDX-License-Identifier: Apache-2.0
//
// Picks rows of a table in OpenCL memory. Context, queue and buffers are the program's own; clnd
// adds its work to the queue like any other OpenCL call.
//
//     cc gather_rows.c -o gather_rows $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

static void need_cl(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "gather_rows: %s: OpenCL error %d\n", what, (int)code);
        exit(EXIT_FAILURE);
    }
}

static void need(clnd_status status)
{
    if (status != CLND_OK) {
        fprintf(stderr, "gather_rows: %s: %s\n", clnd_status_name(status), clnd_last_error());
        exit(EXIT_FAILURE);
    }
}

// The first device of the first platform that has one.
static cl_device_id first_device(void)
{
    cl_platform_id platforms[16];
    cl_device_id device = NULL;
    cl_uint count = 0;
    need_cl(clGetPlatformIDs(16, platforms, &count), "platforms");
    for (cl_uint i = 0; i < count && i < 16 && device == NULL; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    need_cl(device == NULL ? CL_DEVICE_NOT_FOUND : CL_SUCCESS, "devices");
    return device;
}

int main(void)
{
    float table[4][3] = {{0, 1, 2}, {10, 11, 12}, {20, 21, 22}, {30, 31, 32}};
    int32_t rows[3] = {2, 0, 2};
    float picked[3][3];
    cl_int code;

    // What any OpenCL program has.
    cl_device_id device = first_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    need_cl(code, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    need_cl(code, "queue");
    const cl_mem_flags copied = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem table_buffer = clCreateBuffer(context, copied, sizeof table, table, &code);
    need_cl(code, "table");
    cl_mem rows_buffer = clCreateBuffer(context, copied, sizeof rows, rows, &code);
    need_cl(code, "rows");
    cl_mem out_buffer = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof picked, NULL, &code);
    need_cl(code, "result");

    // What clnd needs to know: an engine for the device, and the tensors in those buffers. The last
    // dimension of the indices is the length of one index: 1, so each of the three picks a row.
    clnd_engine *engine;
    clnd_tensor params, indices, out;
    need(clnd_engine_create(context, device, NULL, &engine));
    need(clnd_tensor_dense(table_buffer, 0, CLND_FLOAT32, 2, (int64_t[]){4, 3}, &params));
    need(clnd_tensor_dense(rows_buffer, 0, CLND_INT32, 2, (int64_t[]){3, 1}, &indices));
    need(clnd_gather_nd_shape(&params, &indices, NULL, &out)); // [3, 3]
    out.buffer = out_buffer;

    // out[i, :] = table[rows[i], :]
    need(clnd_gather_nd(engine, queue, &params, &indices, &out, NULL, 0, NULL, NULL));

    code = clEnqueueReadBuffer(queue, out_buffer, CL_TRUE, 0, sizeof picked, picked, 0, NULL, NULL);
    need_cl(code, "reading the result");
    for (int i = 0; i < 3; i++)
        printf("row %d: %g %g %g\n", (int)rows[i], picked[i][0], picked[i][1], picked[i][2]);

    clnd_engine_destroy(&engine);
    clReleaseMemObject(out_buffer);
    clReleaseMemObject(rows_buffer);
    clReleaseMemObject(table_buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return EXIT_SUCCESS;
}
