// SPDX-License-Identifier: Apache-2.0
//
// What a bad index does. On a CPU the default is an error that names the first bad row, as in
// TensorFlow; under CLND_BOUNDS_ZERO the call goes on, with zeros in that row. Nothing outside the
// tensors is read or written either way.
//
//     cc bad_index.c -o bad_index $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <clnd/clnd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

// Gathers the elements at (1, 1) and (5, 0) of a 2 x 2 matrix.
static clnd_status gather(clnd_engine *engine, cl_mem buffers[3], clnd_bounds bounds)
{
    const clnd_gather_nd_options options = {.bounds = bounds};
    clnd_tensor params, indices, out;
    clnd_status status;
    status = clnd_tensor_dense(buffers[0], 0, CLND_INT32, 2, (int64_t[]){2, 2}, &params);
    if (status == CLND_OK)
        status = clnd_tensor_dense(buffers[1], 0, CLND_INT32, 2, (int64_t[]){2, 2}, &indices);
    if (status == CLND_OK)
        status = clnd_tensor_dense(buffers[2], 0, CLND_INT32, 1, (int64_t[]){2}, &out);
    if (status == CLND_OK) // no queue: the engine's own
        status = clnd_gather_nd(engine, NULL, &params, &indices, &out, &options, 0, NULL, NULL);
    return status;
}

// Prints the status, and the error's text or what is in the output.
static bool show(const char *policy, clnd_status status, clnd_engine *engine, cl_mem out)
{
    int32_t values[2];
    printf("%s: %s\n", policy, clnd_status_name(status));
    if (status != CLND_OK) {
        printf("    %s\n", clnd_last_error());
        return true;
    }
    if (clEnqueueReadBuffer(clnd_engine_queue(engine), out, CL_TRUE, 0, sizeof values, values, 0,
                            NULL, NULL) != CL_SUCCESS)
        return false;
    printf("    output: %d %d\n", (int)values[0], (int)values[1]);
    return true;
}

int main(void)
{
    int32_t matrix[4] = {1, 2, 3, 4};
    int32_t places[4] = {1, 1, 5, 0};
    int32_t before[2] = {-1, -1};
    int32_t *contents[3] = {matrix, places, before};
    const size_t sizes[3] = {sizeof matrix, sizeof places, sizeof before};
    cl_mem buffers[3] = {NULL};
    bool done = false;

    // An engine with a context and a queue of its own.
    clnd_engine *engine;
    clnd_status status = clnd_engine_open("cpu", NULL, &engine);
    if (status != CLND_OK) {
        fprintf(stderr, "bad_index: %s: %s\n", clnd_status_name(status), clnd_last_error());
        return EXIT_FAILURE;
    }
    for (int i = 0; i < 3; i++) {
        buffers[i] = clCreateBuffer(clnd_engine_context(engine), CL_MEM_COPY_HOST_PTR, sizes[i],
                                    contents[i], NULL);
        if (buffers[i] == NULL)
            goto end;
    }

    status = gather(engine, buffers, CLND_BOUNDS_DEFAULT);
    if (!show("default", status, engine, buffers[2]))
        goto end;
    status = gather(engine, buffers, CLND_BOUNDS_ZERO);
    if (!show("zero", status, engine, buffers[2]))
        goto end;
    done = true;

end:
    if (!done)
        fputs("bad_index: an OpenCL call failed\n", stderr);
    for (int i = 0; i < 3; i++)
        if (buffers[i] != NULL)
            clReleaseMemObject(buffers[i]);
    clnd_engine_destroy(&engine);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
