// SPDX-License-Identifier: Apache-2.0
//
// Memory as an existing program has it: one large buffer, a sub-buffer of it for its particles, and
// structs of which only one member is wanted. clnd takes offsets and strides, so nothing is copied
// beforehand.
//
//     cc sub_buffers.c -o sub_buffers $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120
#include <clnd/clnd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTICLES = 4, PICKED = 2, ARENA = 1 << 16, BEGIN = 1 << 15 };

typedef struct particle {
    int32_t kind;
    float position[3];
} particle;

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "sub_buffers: %s failed. %s\n", what, clnd_last_error());
    exit(EXIT_FAILURE);
}

int main(void)
{
    const particle particles[PARTICLES] = {
        {1, {0, 1, 2}}, {1, {10, 11, 12}}, {2, {20, 21, 22}}, {3, {30, 31, 32}}};
    const int32_t wanted[PICKED] = {3, 1};
    const size_t row = offsetof(particle, position);
    const size_t indices_at = BEGIN - sizeof wanted; // behind something else of the program's
    float picked[3][PICKED];

    clnd_engine *engine;
    need(!clnd_engine_open(NULL, NULL, &engine), "engine");
    cl_command_queue queue = clnd_engine_queue(engine);
    cl_mem arena =
        clCreateBuffer(clnd_engine_context(engine), CL_MEM_READ_WRITE, ARENA, NULL, NULL);
    need(arena != NULL, "the buffer");
    const cl_buffer_region half = {BEGIN, ARENA - BEGIN};
    cl_mem scene = clCreateSubBuffer(arena, 0, CL_BUFFER_CREATE_TYPE_REGION, &half, NULL);
    need(scene != NULL, "the sub-buffer");
    need(!clEnqueueWriteBuffer(queue, scene, CL_TRUE, 0, sizeof particles, particles, 0, NULL,
                               NULL) &&
             !clEnqueueWriteBuffer(queue, arena, CL_TRUE, indices_at, sizeof wanted, wanted, 0,
                                   NULL, NULL),
         "writing");

    // The positions: rows of 3 floats, 4 floats apart, in the sub-buffer.
    clnd_tensor positions, indices, out;
    const int64_t stride = sizeof(particle) / sizeof(float);
    need(!clnd_tensor_strided(scene, row, CLND_FLOAT32, 2, (int64_t[]){PARTICLES, 3},
                              (int64_t[]){stride, 1}, &positions),
         "positions");
    need(!clnd_tensor_dense(arena, indices_at, CLND_INT32, 1, (int64_t[]){PICKED}, &indices),
         "indices");
    // The result: at the beginning of the arena, and transposed, all x before all y.
    need(!clnd_tensor_strided(arena, 0, CLND_FLOAT32, 2, (int64_t[]){PICKED, 3},
                              (int64_t[]){1, PICKED}, &out),
         "out");

    const clnd_gather_options options = {.bounds = CLND_BOUNDS_ERROR};
    need(!clnd_gather(engine, queue, &positions, &indices, &out, &options, 0, NULL, NULL),
         "gather");
    need(!clEnqueueReadBuffer(queue, arena, CL_TRUE, 0, sizeof picked, picked, 0, NULL, NULL),
         "reading");
    for (int i = 0; i < 3; i++)
        printf("%c: %g %g\n", 'x' + i, picked[i][0], picked[i][1]);
    clReleaseMemObject(scene);
    clReleaseMemObject(arena);
    clnd_engine_destroy(&engine);
}
