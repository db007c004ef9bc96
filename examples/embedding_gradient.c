// SPDX-License-Identifier: Apache-2.0
//
// The gradient of an embedding lookup: gather_nd forward, scatter_nd with ADD backward. The rows of
// a table that a text uses are pulled towards the rows of a goal:
//
//     looked_up = gather_nd(table, tokens)
//     loss      = sum((looked_up - goal)^2) / 2
//     gradient  = scatter_nd(tokens, looked_up - goal), added up where a token repeats
//
// The gradient is then compared with the slopes of the loss, measured by changing one element of
// the table at a time. All numbers are small multiples of 1/2, so nothing is rounded.
//
//     cc embedding_gradient.c -o embedding_gradient $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 4, WIDTH = 3, LENGTH = 5 };

static void need_cl(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "embedding_gradient: %s: OpenCL error %d\n", what, (int)code);
        exit(EXIT_FAILURE);
    }
}

static void need(clnd_status status)
{
    if (status != CLND_OK) {
        fprintf(stderr, "embedding_gradient: %s: %s\n", clnd_status_name(status),
                clnd_last_error());
        exit(EXIT_FAILURE);
    }
}

// A dense tensor in a new buffer.
static clnd_tensor tensor_of(clnd_engine *engine, clnd_dtype dtype, int64_t rows, int64_t columns)
{
    clnd_tensor tensor;
    cl_int code;
    need(clnd_tensor_dense(NULL, 0, dtype, 2, (int64_t[]){rows, columns}, &tensor));
    const size_t size = (size_t)(rows * columns) * clnd_dtype_size(dtype);
    tensor.buffer =
        clCreateBuffer(clnd_engine_context(engine), CL_MEM_READ_WRITE, size, NULL, &code);
    need_cl(code, "buffer");
    return tensor;
}

static void put(clnd_engine *engine, const clnd_tensor *tensor, size_t size, const void *values)
{
    need_cl(clEnqueueWriteBuffer(clnd_engine_queue(engine), tensor->buffer, CL_TRUE, 0, size,
                                 values, 0, NULL, NULL),
            "writing");
}

static void get(clnd_engine *engine, const clnd_tensor *tensor, size_t size, void *values)
{
    need_cl(clEnqueueReadBuffer(clnd_engine_queue(engine), tensor->buffer, CL_TRUE, 0, size, values,
                                0, NULL, NULL),
            "reading");
}

// The program's tensors, and where the text should be pulled to.
typedef struct lesson {
    clnd_engine *engine;
    clnd_tensor table, tokens, looked_up, gradient;
    const float (*goal)[WIDTH];
} lesson;

// Forward: looks the text up and gives the loss and its slope for every element that was looked up.
static float forward(const lesson *l, float table[WORDS][WIDTH], float slope[LENGTH][WIDTH])
{
    float loss = 0;
    put(l->engine, &l->table, sizeof(float[WORDS][WIDTH]), table);
    need(
        clnd_gather_nd(l->engine, NULL, &l->table, &l->tokens, &l->looked_up, NULL, 0, NULL, NULL));
    get(l->engine, &l->looked_up, sizeof(float[LENGTH][WIDTH]), slope);
    for (int i = 0; i < LENGTH; i++)
        for (int j = 0; j < WIDTH; j++) {
            slope[i][j] -= l->goal[i][j];
            loss += slope[i][j] * slope[i][j] / 2;
        }
    return loss;
}

// Backward: every row of slopes is added to the gradient of the word that it came from. With
// `deterministic` the sums are the same in every run, also on GPUs.
static void backward(const lesson *l, float slope[LENGTH][WIDTH], float gradient[WORDS][WIDTH])
{
    const clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_ADD, .deterministic = true};
    put(l->engine, &l->looked_up, sizeof(float[LENGTH][WIDTH]), slope);
    need(clnd_scatter_nd(l->engine, NULL, &l->tokens, &l->looked_up, &l->gradient, &options, 0,
                         NULL, NULL));
    get(l->engine, &l->gradient, sizeof(float[WORDS][WIDTH]), gradient);
}

// How much the loss changes with one element of the table.
static float measured(const lesson *l, float table[WORDS][WIDTH], int word, int column)
{
    float slope[LENGTH][WIDTH];
    const float before = table[word][column], step = 0.5f;
    table[word][column] = before + step;
    const float above = forward(l, table, slope);
    table[word][column] = before - step;
    const float below = forward(l, table, slope);
    table[word][column] = before;
    return (above - below) / (2 * step);
}

int main(void)
{
    float table[WORDS][WIDTH] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}};
    const int32_t text[LENGTH] = {2, 0, 2, 3, 2}; // word 1 does not occur, word 2 three times
    const float goal[LENGTH][WIDTH] = {{6, 6, 6}, {1, 1, 1}, {5, 5, 5}, {9, 9, 9}, {8, 8, 8}};
    float slope[LENGTH][WIDTH], gradient[WORDS][WIDTH], worst = 0;

    lesson l = {.goal = goal};
    need(clnd_engine_open(NULL, NULL, &l.engine));
    l.table = tensor_of(l.engine, CLND_FLOAT32, WORDS, WIDTH);
    l.tokens = tensor_of(l.engine, CLND_INT32, LENGTH, 1);
    l.looked_up = tensor_of(l.engine, CLND_FLOAT32, LENGTH, WIDTH);
    l.gradient = tensor_of(l.engine, CLND_FLOAT32, WORDS, WIDTH);
    put(l.engine, &l.tokens, sizeof text, text);

    printf("loss %g\n", forward(&l, table, slope));
    backward(&l, slope, gradient);
    for (int word = 0; word < WORDS; word++) {
        printf("gradient of word %d:", word);
        for (int j = 0; j < WIDTH; j++) {
            const float difference = gradient[word][j] - measured(&l, table, word, j);
            if (difference > worst || -difference > worst)
                worst = difference > 0 ? difference : -difference;
            printf(" %g", gradient[word][j]);
        }
        printf("\n");
    }
    printf("largest difference to the measured slopes: %g\n", worst);

    clReleaseMemObject(l.table.buffer);
    clReleaseMemObject(l.tokens.buffer);
    clReleaseMemObject(l.looked_up.buffer);
    clReleaseMemObject(l.gradient.buffer);
    clnd_engine_destroy(&l.engine);
    return worst == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
