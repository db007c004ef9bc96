// SPDX-License-Identifier: Apache-2.0
//
// Picks rows of a plain C array, then adds numbers to chosen places of another. clnd finds a device
// and sees to everything that OpenCL needs.
//
//     cc host_arrays.c -o host_arrays $(pkg-config --cflags --libs clnd OpenCL)

#define CL_TARGET_OPENCL_VERSION 120
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

static void need(clnd_status status)
{
    if (status == CLND_OK)
        return;
    fprintf(stderr, "%s: %s\n", clnd_status_name(status), clnd_last_error());
    exit(EXIT_FAILURE);
}

int main(void)
{
    const float table[4][3] = {{0, 1, 2}, {10, 11, 12}, {20, 21, 22}, {30, 31, 32}};
    const int32_t rows[3] = {2, 0, 2};
    float picked[3][3];

    clnd_engine *engine;
    need(clnd_engine_open(NULL, NULL, &engine)); // $CLND_DEVICE, else a GPU, else any device

    // The last dimension of the indices is the length of one index: 1, so that each picks a row.
    clnd_array params, indices, out;
    need(clnd_array_dense(table, CLND_FLOAT32, 2, (int64_t[]){4, 3}, &params));
    need(clnd_array_dense(rows, CLND_INT32, 2, (int64_t[]){3, 1}, &indices));
    need(clnd_array_dense(picked, CLND_FLOAT32, 2, (int64_t[]){3, 3}, &out));

    // picked[i, :] = table[rows[i], :]; a bad row is an error
    const clnd_gather_nd_options strict = {.bounds = CLND_BOUNDS_ERROR};
    need(clnd_host_gather_nd(engine, &params, &indices, &out, &strict));
    for (int i = 0; i < 3; i++)
        printf("row %d: %g %g %g\n", (int)rows[i], picked[i][0], picked[i][1], picked[i][2]);

    // votes[rows[i]] += weights[i], in place
    const int32_t weights[3] = {5, 7, 100};
    int32_t votes[4] = {1, 1, 1, 1};
    clnd_array updates, target;
    const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_ERROR};
    need(clnd_array_dense(weights, CLND_INT32, 1, (int64_t[]){3}, &updates));
    need(clnd_array_dense(votes, CLND_INT32, 1, (int64_t[]){4}, &target));
    need(clnd_host_scatter_nd_into(engine, &indices, &updates, &target, &add));
    printf("votes: %d %d %d %d\n", (int)votes[0], (int)votes[1], (int)votes[2], (int)votes[3]);

    clnd_engine_destroy(&engine);
    return EXIT_SUCCESS;
}
