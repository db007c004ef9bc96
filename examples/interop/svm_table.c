// SPDX-License-Identifier: Apache-2.0
//
// Shared virtual memory (OpenCL 2.0): a buffer made on an SVM pointer shares the memory, and such a
// buffer is what clnd takes. The host writes and reads through the pointer; nothing is copied.
//
//     cc svm_table.c -o svm_table $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 200
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 4, WIDTH = 3 };

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "svm_table: %s failed. %s\n", what, clnd_last_error());
    exit(EXIT_FAILURE);
}

int main(void)
{
    int32_t row[2] = {3, 1};
    float more[WIDTH] = {0.5f, 0.25f, 0.125f};
    clnd_tensor target, indices, updates;
    size_t begin = 0, end = 0;

    clnd_engine *engine;
    need(!clnd_engine_open(NULL, NULL, &engine), "engine");
    cl_context context = clnd_engine_context(engine);
    cl_command_queue queue = clnd_engine_queue(engine);
    cl_device_svm_capabilities svm = 0;
    clGetDeviceInfo(clnd_engine_device(engine), CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
    need((svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0, "finding shared virtual memory");

    // The table in shared memory, and a buffer on it.
    need(!clnd_tensor_dense(NULL, 0, CLND_FLOAT32, 2, (int64_t[]){ROWS, WIDTH}, &target) &&
             !clnd_tensor_extent(&target, &begin, &end),
         "target");
    float *table = clSVMAlloc(context, CL_MEM_READ_WRITE, end, 0);
    need(table != NULL, "clSVMAlloc");
    target.buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, end, table, NULL);
    cl_mem which = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof row, row, NULL);
    cl_mem rows = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof more, more, NULL);
    need(target.buffer && which && rows, "a buffer");
    need(!clnd_tensor_dense(which, 0, CLND_INT32, 1, (int64_t[]){2}, &indices), "indices");
    // The same row twice: a stride of 0.
    need(!clnd_tensor_strided(rows, 0, CLND_FLOAT32, 2, (int64_t[]){2, WIDTH}, (int64_t[]){0, 1},
                              &updates),
         "updates");

    // Coarse-grained memory is the host's while it is mapped.
    need(!clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, table, end, 0, NULL, NULL), "mapping");
    for (int i = 0; i < ROWS * WIDTH; i++)
        table[i] = (float)i;
    need(!clEnqueueSVMUnmap(queue, table, 0, NULL, NULL), "unmapping");

    clnd_scatter_options add = {.reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_ERROR};
    need(!clnd_scatter(engine, queue, &indices, &updates, &target, &add, 0, NULL, NULL), "scatter");
    need(!clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, table, end, 0, NULL, NULL), "mapping");
    for (int i = 0; i < ROWS; i++)
        printf("row %d: %g %g %g\n", i, table[3 * i], table[3 * i + 1], table[3 * i + 2]);
    need(!clEnqueueSVMUnmap(queue, table, 0, NULL, NULL) && !clFinish(queue), "unmapping");

    clReleaseMemObject(target.buffer);
    clReleaseMemObject(which);
    clReleaseMemObject(rows);
    clSVMFree(context, table);
    clnd_engine_destroy(&engine);
}
