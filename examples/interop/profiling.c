// SPDX-License-Identifier: Apache-2.0
//
// How long a call takes on the device. A call may be several commands, and its event is that of the
// last; so a marker in front of it gives the beginning.
//
//     cc profiling.c -o profiling $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1 << 16, WIDTH = 16 };

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "profiling: %s failed. %s\n", what, clnd_last_error());
    exit(EXIT_FAILURE);
}

static cl_ulong end_of(cl_event event)
{
    cl_ulong nanoseconds = 0;
    need(!clWaitForEvents(1, &event), "waiting");
    need(!clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof nanoseconds, &nanoseconds,
                                  NULL),
         "profiling");
    clReleaseEvent(event);
    return nanoseconds;
}

int main(void)
{
    clnd_engine *engine;
    clnd_tensor indices, updates, sums;
    const size_t size = sizeof(float) * ROWS * WIDTH;
    const int32_t zero = 0;

    need(!clnd_engine_open(NULL, NULL, &engine), "engine");
    cl_context context = clnd_engine_context(engine);
    cl_command_queue queue =
        clCreateCommandQueue(context, clnd_engine_device(engine), CL_QUEUE_PROFILING_ENABLE, NULL);
    cl_mem where = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int32_t) * ROWS, NULL, NULL);
    cl_mem rows = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, NULL);
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, NULL);
    need(queue && where && rows && out, "making queue and buffers");
    need(!clnd_tensor_dense(where, 0, CLND_INT32, 1, (int64_t[]){ROWS}, &indices), "indices");
    need(!clnd_tensor_dense(rows, 0, CLND_FLOAT32, 2, (int64_t[]){ROWS, WIDTH}, &updates), "rows");
    need(!clnd_tensor_dense(out, 0, CLND_FLOAT32, 2, (int64_t[]){ROWS, WIDTH}, &sums), "sums");
    need(!clEnqueueFillBuffer(queue, where, &zero, sizeof zero, 0, sizeof(int32_t) * ROWS, 0, NULL,
                              NULL) &&
             !clEnqueueFillBuffer(queue, rows, &zero, sizeof zero, 0, size, 0, NULL, NULL) &&
             !clEnqueueFillBuffer(queue, out, &zero, sizeof zero, 0, size, 0, NULL, NULL),
         "filling");

    clnd_scatter_options add = {.reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_SKIP};
    for (int run = 0; run < 3; run++) { // the first also compiles
        cl_event front, event;
        need(!clEnqueueMarkerWithWaitList(queue, 0, NULL, &front), "marker");
        need(!clnd_scatter(engine, queue, &indices, &updates, &sums, &add, 1, &front, &event),
             "scatter");
        const cl_ulong begin = end_of(front), end = end_of(event);
        if (run > 0)
            printf("scatter of %zu KiB: %.2f ms\n", size / 1024, (double)(end - begin) * 1e-6);
    }

    clReleaseMemObject(where);
    clReleaseMemObject(rows);
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
    clnd_engine_destroy(&engine);
}
