// SPDX-License-Identifier: Apache-2.0
//
// The C of README.md: each block is the body of a function here.

#include <criterion/criterion.h>

#include "check.h"
#include "device.h"

static void run_on_buffers(cl_context context, cl_device_id device, cl_command_queue queue,
                           cl_mem table_buffer, cl_mem rows_buffer, cl_mem out_buffer)
{
#define BLOCK 1
#include "readme.h"
#undef BLOCK
    clnd_engine_destroy(&engine);
}

static cl_mem make_buffer(const device *d, size_t size, void *content)
{
    cl_int code;
    const cl_mem buffer = clCreateBuffer(d->context, CL_MEM_COPY_HOST_PTR, size, content, &code);
    check_cl(code);
    return buffer;
}

static void check_picked(float picked[3][3])
{
    static const int rows[3] = {2, 0, 2};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            check(picked[i][j] == (float)(10 * rows[i] + j), "picked[%d][%d] is %g", i, j,
                  (double)picked[i][j]);
}

Test(readme, on_buffers)
{
    const device *d = device_get();
    case_begin("on buffers", 0);
    float table[4][3] = {{0, 1, 2}, {10, 11, 12}, {20, 21, 22}, {30, 31, 32}}, picked[3][3] = {{0}};
    int32_t rows[3] = {2, 0, 2};
    const cl_mem buffers[] = {make_buffer(d, sizeof table, table),
                              make_buffer(d, sizeof rows, rows),
                              make_buffer(d, sizeof picked, picked)};
    run_on_buffers(d->context, d->id, d->queue, buffers[0], buffers[1], buffers[2]);
    check_cl(clEnqueueReadBuffer(d->queue, buffers[2], CL_TRUE, 0, sizeof picked, picked, 0, NULL,
                                 NULL));
    check_picked(picked);
    for (int i = 0; i < 3; i++)
        check_cl(clReleaseMemObject(buffers[i]));
}

Test(readme, on_arrays)
{
    device_get(); // skips where there is none
    case_begin("on arrays", 0);
#define BLOCK 2
#include "readme.h"
#undef BLOCK
    check_picked(picked);
    clnd_engine_destroy(&engine);
}

Test(readme, on_huge_pages)
{
    const device *d = device_get();
    const cl_context context = d->context;
    const size_t size = (size_t)4 << 20;
    const float last = 7;
    float copy = 0;
    cl_int code;
    case_begin("on huge pages", 0);
#define BLOCK 3
#include "readme.h"
#undef BLOCK
    check_cl(code);
    const size_t place = size - sizeof last;
    check_cl(clEnqueueWriteBuffer(d->queue, table_buffer, CL_TRUE, place, sizeof last, &last, 0,
                                  NULL, NULL));
    clEnqueueMapBuffer(d->queue, table_buffer, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL, &code);
    check_cl(code);
    copy = table[size / sizeof copy - 1];
    check(copy == last, "the array has %g", (double)copy);
    check_cl(clEnqueueUnmapMemObject(d->queue, table_buffer, table, 0, NULL, NULL));
    check_cl(clFinish(d->queue));
    check_cl(clReleaseMemObject(table_buffer));
    clnd_host_free(table);
}
