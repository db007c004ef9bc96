// SPDX-License-Identifier: Apache-2.0
//
// Linear regression on embedded words with CLBlast, forward and backward, on one in-order queue:
//
//     rows             = table[tokens]         clnd_gather
//     scores           = rows * weights        CLBlastSgemv
//     slopes           = errors * weights^T    CLBlastSger, of sum(errors * scores) for each row
//     grad[tokens[i]] += slopes[i]             clnd_scatter: a word that occurs twice adds up
//
//     cc clblast_embedding.c -o clblast_embedding $(pkg-config --cflags --libs clnd clblast OpenCL)

#define CL_TARGET_OPENCL_VERSION 120
#include <clblast_c.h>
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 4, WIDTH = 3, LENGTH = 3 };

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "clblast_embedding: %s failed. %s\n", what, clnd_last_error());
    exit(EXIT_FAILURE);
}

// A dense tensor of `size` bytes in a new buffer.
static clnd_tensor tensor(clnd_engine *engine, clnd_dtype dtype, int32_t rank, const int64_t *shape,
                          void *values, size_t size)
{
    clnd_tensor made;
    cl_mem buffer =
        clCreateBuffer(clnd_engine_context(engine), CL_MEM_COPY_HOST_PTR, size, values, NULL);
    need(buffer != NULL, "a buffer");
    need(!clnd_tensor_dense(buffer, 0, dtype, rank, shape, &made), "a tensor");
    return made;
}

int main(void)
{
    float words[WORDS][WIDTH] = {{0, 1, 2}, {10, 11, 12}, {20, 21, 22}, {30, 31, 32}};
    float linear[WIDTH] = {1, 0, -1}, apart[LENGTH] = {1, 2, 3}, zeros[WORDS][WIDTH] = {{0}};
    int32_t text[LENGTH] = {2, 0, 2};
    const int64_t all[2] = {WORDS, WIDTH}, used[2] = {LENGTH, WIDTH};
    const size_t size = sizeof(float[LENGTH][WIDTH]);
    clnd_engine *engine;
    need(!clnd_engine_open(NULL, NULL, &engine), "engine");
    cl_command_queue queue = clnd_engine_queue(engine);
    clnd_tensor t[] = {tensor(engine, CLND_FLOAT32, 2, all, words, sizeof words),
                       tensor(engine, CLND_INT32, 1, used, text, sizeof text),
                       tensor(engine, CLND_FLOAT32, 2, used, zeros, size),
                       tensor(engine, CLND_FLOAT32, 1, all + 1, linear, sizeof linear),
                       tensor(engine, CLND_FLOAT32, 1, used, apart, sizeof apart),
                       tensor(engine, CLND_FLOAT32, 1, used, zeros, sizeof apart),
                       tensor(engine, CLND_FLOAT32, 2, used, zeros, size),
                       tensor(engine, CLND_FLOAT32, 2, all, zeros, sizeof zeros)};
    const clnd_tensor *table = &t[0], *tokens = &t[1], *rows = &t[2], *grad = &t[7];
    cl_mem weights = t[3].buffer, errors = t[4].buffer, scores = t[5].buffer, slopes = t[6].buffer;

    const clnd_scatter_options add = {.reduce = CLND_REDUCE_ADD};
    need(!clnd_gather(engine, queue, table, tokens, rows, NULL, 0, NULL, NULL), "gather");
    need(!CLBlastSgemv(CLBlastLayoutRowMajor, CLBlastTransposeNo, LENGTH, WIDTH, 1, rows->buffer, 0,
                       WIDTH, weights, 0, 1, 0, scores, 0, 1, &queue, NULL),
         "scores");
    need(!CLBlastSger(CLBlastLayoutRowMajor, LENGTH, WIDTH, 1, errors, 0, 1, weights, 0, 1, slopes,
                      0, WIDTH, &queue, NULL),
         "slopes");
    need(!clnd_scatter(engine, queue, tokens, &t[6], grad, &add, 0, NULL, NULL), "scatter");
    need(!clEnqueueReadBuffer(queue, scores, CL_TRUE, 0, sizeof apart, apart, 0, NULL, NULL) &&
             !clEnqueueReadBuffer(queue, grad->buffer, CL_TRUE, 0, sizeof words, words, 0, NULL,
                                  NULL),
         "reading");
    printf("scores: %g %g %g\n", apart[0], apart[1], apart[2]);
    for (int i = 0; i < WORDS; i++)
        printf("gradient of word %d: %g %g %g\n", i, words[i][0], words[i][1], words[i][2]);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        clReleaseMemObject(t[i].buffer);
    clnd_engine_destroy(&engine);
}
