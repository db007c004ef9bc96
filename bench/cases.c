// SPDX-License-Identifier: Apache-2.0

#include "cases.h"

#include <stdlib.h>
#include <string.h>

const struct bench_case bench_cases[] = {
    {"gather rows of 4 B", BENCH_GATHER, 1 << 25, 1, 1 << 22, NULL},
    {"gather rows of 64 B", BENCH_GATHER, 1 << 21, 16, 1 << 18, NULL},
    {"gather rows of 512 B", BENCH_GATHER, 1 << 18, 128, 1 << 15, NULL},
    {"gather rows of 4 KiB", BENCH_GATHER, 1 << 15, 1024, 1 << 12, NULL},
    {"scatter-add rows of 4 B", BENCH_SCATTER_ADD, 1 << 22, 1, 1 << 22, NULL},
    {"scatter-add rows of 128 B", BENCH_SCATTER_ADD, 1 << 18, 32, 1 << 18, NULL},
    {"scatter-add rows of 512 B", BENCH_SCATTER_ADD, 1 << 17, 128, 1 << 16, NULL},
    {"slice crop", BENCH_SLICE, 32, 4, 0, ":, 16:240, 16:240"},
    {"slice reverse", BENCH_SLICE, 32, 4, 0, ":, :, ::-1"},
    {"slice every second", BENCH_SLICE, 32, 4, 0, ":, ::2, ::2"},
};

const int n_bench_cases = sizeof bench_cases / sizeof *bench_cases;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// Small whole numbers, so that sums are exact in any order.
static float value_at(int64_t i)
{
    return (float)(i % 7);
}

static cl_mem make_buffer(clnd_engine *engine, size_t size, const void *content)
{
    cl_mem buffer =
        clCreateBuffer(clnd_engine_context(engine), CL_MEM_READ_WRITE, size, NULL, NULL);
    if (buffer && content)
        clEnqueueWriteBuffer(clnd_engine_queue(engine), buffer, CL_TRUE, 0, size, content, 0, NULL,
                             NULL);
    return buffer;
}

static clnd_status describe(struct bench_run *run)
{
    const struct bench_case *what = run->what;
    const int64_t image[] = {what->rows, 256, 256, what->width};
    const int64_t matrix[] = {what->rows, what->width};
    const int64_t rows[] = {what->picks, 1};
    const int rank = what->op == BENCH_SLICE ? 4 : 2;
    clnd_status status = clnd_tensor_dense(
        NULL, 0, CLND_FLOAT32, rank, what->op == BENCH_SLICE ? image : matrix, &run->table_tensor);
    if (status == CLND_OK)
        status = clnd_tensor_dense(NULL, 0, CLND_INT32, 2, rows, &run->index_tensor);
    if (status == CLND_OK && what->op == BENCH_SLICE) {
        status = clnd_slice_parse(what->slice, &run->slice);
        if (status == CLND_OK)
            status = clnd_strided_slice_shape(&run->table_tensor, &run->slice, &run->dense_tensor);
    } else if (status == CLND_OK) {
        status =
            clnd_gather_nd_shape(&run->table_tensor, &run->index_tensor, NULL, &run->dense_tensor);
    }
    if (status == CLND_OK)
        status = clnd_tensor_count(&run->table_tensor, &run->table_count);
    return status ? status : clnd_tensor_count(&run->dense_tensor, &run->dense_count);
}

int bench_open(struct bench_run *run, clnd_engine *engine, const struct bench_case *what)
{
    memset(run, 0, sizeof *run);
    run->what = what;
    run->engine = engine;
    if (describe(run))
        return 0;
    const size_t table_size = (size_t)run->table_count * sizeof(float);
    const size_t dense_size = (size_t)run->dense_count * sizeof(float);
    const size_t index_size = (size_t)(what->picks ? what->picks : 1) * sizeof(int32_t);
    run->table = malloc(table_size);
    run->dense = malloc(dense_size);
    run->result = malloc(table_size > dense_size ? table_size : dense_size);
    run->indices = malloc(index_size);
    if (!run->table || !run->dense || !run->result || !run->indices)
        return 0;
    uint64_t state = 88172645463325252;
    for (int64_t i = 0; i < run->table_count; ++i)
        run->table[i] = value_at(i);
    for (int64_t i = 0; i < run->dense_count; ++i)
        run->dense[i] = value_at(i + 3);
    for (int64_t i = 0; i < what->picks; ++i)
        run->indices[i] = (int32_t)(next_random(&state) % (uint64_t)what->rows);
    run->buffers[0] = make_buffer(engine, table_size, run->table);
    run->buffers[1] = make_buffer(engine, index_size, run->indices);
    run->buffers[2] = make_buffer(engine, dense_size, run->dense);
    run->table_tensor.buffer = run->buffers[0];
    run->index_tensor.buffer = run->buffers[1];
    run->dense_tensor.buffer = run->buffers[2];
    return run->buffers[0] && run->buffers[1] && run->buffers[2];
}

clnd_status bench_clnd(struct bench_run *run)
{
    const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD};
    clnd_status status;
    switch (run->what->op) {
    case BENCH_GATHER:
        status = clnd_gather_nd(run->engine, NULL, &run->table_tensor, &run->index_tensor,
                                &run->dense_tensor, NULL, 0, NULL, NULL);
        break;
    case BENCH_SCATTER_ADD:
        status = clnd_scatter_nd_into(run->engine, NULL, &run->index_tensor, &run->dense_tensor,
                                      &run->table_tensor, &add, 0, NULL, NULL);
        break;
    default:
        status = clnd_strided_slice(run->engine, NULL, &run->table_tensor, &run->slice,
                                    &run->dense_tensor, NULL, 0, NULL, NULL);
        break;
    }
    if (status == CLND_OK && clFinish(clnd_engine_queue(run->engine)) != CL_SUCCESS)
        status = CLND_OPENCL_ERROR;
    return status;
}

// The slice's elements through the strides of its view.
static void plain_slice(struct bench_run *run)
{
    clnd_tensor view;
    if (clnd_strided_slice_view(&run->table_tensor, &run->slice, &view))
        return;
    const float *source = run->table + view.offset / sizeof(float);
    float *target = run->dense;
    for (int64_t a = 0; a < view.shape[0]; ++a)
        for (int64_t b = 0; b < view.shape[1]; ++b)
            for (int64_t c = 0; c < view.shape[2]; ++c)
                for (int64_t d = 0; d < view.shape[3]; ++d)
                    *target++ = source[a * view.strides[0] + b * view.strides[1] +
                                       c * view.strides[2] + d * view.strides[3]];
}

void bench_plain(struct bench_run *run)
{
    const int64_t width = run->what->width;
    if (run->what->op == BENCH_SLICE) {
        plain_slice(run);
        return;
    }
    for (int64_t i = 0; i < run->what->picks; ++i) {
        float *row = run->table + run->indices[i] * width;
        float *dense = run->dense + i * width;
        if (run->what->op == BENCH_GATHER)
            memcpy(dense, row, (size_t)width * sizeof *row);
        else
            for (int64_t j = 0; j < width; ++j)
                row[j] += dense[j];
    }
}

int bench_verify(struct bench_run *run)
{
    const int in_place = run->what->op == BENCH_SCATTER_ADD;
    const float *expected = in_place ? run->table : run->dense;
    const size_t size = (size_t)(in_place ? run->table_count : run->dense_count) * sizeof *expected;
    if (bench_clnd(run))
        return 0;
    bench_plain(run);
    return clEnqueueReadBuffer(clnd_engine_queue(run->engine), run->buffers[in_place ? 0 : 2],
                               CL_TRUE, 0, size, run->result, 0, NULL, NULL) == CL_SUCCESS &&
           memcmp(run->result, expected, size) == 0;
}

void bench_close(struct bench_run *run)
{
    for (int i = 0; i < MAX_TENSORS; ++i)
        if (run->buffers[i])
            clReleaseMemObject(run->buffers[i]);
    free(run->table);
    free(run->dense);
    free(run->result);
    free(run->indices);
}
