// SPDX-License-Identifier: Apache-2.0
//
// Voxelisation: how many points of a cloud lie in each cell of a grid, and their mean height. The
// cloud is a dome of points; the corners of the grid stay empty.
//
//     cc voxels.c -o voxels $(pkg-config --cflags --libs clnd OpenCL) -lm

#define CL_TARGET_OPENCL_VERSION 120
#include <clnd/clnd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 40, POINTS = SIDE * SIDE, GRID = 8, LEVELS = 2 };

static void need(clnd_status status)
{
    if (status == CLND_OK)
        return;
    fprintf(stderr, "voxels: %s\n", clnd_last_error());
    exit(EXIT_FAILURE);
}

int main(void)
{
    static float height[POINTS], sum[LEVELS][GRID][GRID];
    static int32_t voxel[POINTS][3], count[LEVELS][GRID][GRID];
    const int32_t one = 1;

    // Points at x, y from -1 to 1 and the height of a dome; outside of it below the ground.
    for (int i = 0; i < POINTS; i++) {
        const float x = ((float)(i % SIDE) + 0.5f) / (SIDE / 2) - 1;
        const float y = ((float)(i / SIDE) + 0.5f) / (SIDE / 2) - 1;
        const float z2 = 1 - x * x - y * y;
        height[i] = z2 > 0 ? sqrtf(z2) : -1;
        voxel[i][0] = (int32_t)floorf(height[i] * (float)LEVELS);
        voxel[i][1] = (int32_t)floorf((y + 1) / 2 * (float)GRID);
        voxel[i][2] = (int32_t)floorf((x + 1) / 2 * (float)GRID);
    }

    clnd_engine *engine;
    clnd_array voxels, heights, sums, ones, counts;
    const int64_t grid[3] = {LEVELS, GRID, GRID}, points[2] = {POINTS, 3};
    need(clnd_engine_open(NULL, NULL, &engine));
    need(clnd_array_dense(voxel, CLND_INT32, 2, points, &voxels));
    need(clnd_array_dense(height, CLND_FLOAT32, 1, points, &heights));
    need(clnd_array_dense(sum, CLND_FLOAT32, 3, grid, &sums));
    need(clnd_array_dense(count, CLND_INT32, 3, grid, &counts));
    need(clnd_array_dense(&one, CLND_INT32, 1, points, &ones));
    ones.strides[0] = 0; // the same 1 for every point

    // sum[voxel[i]] += height[i], count[voxel[i]] += 1; points below the ground are skipped.
    const clnd_scatter_nd_options add = {.bounds = CLND_BOUNDS_SKIP, .deterministic = true};
    need(clnd_host_scatter_nd(engine, &voxels, &heights, &sums, &add));
    need(clnd_host_scatter_nd(engine, &voxels, &ones, &counts, &add));

    for (int z = LEVELS - 1; z >= 0; z--) {
        printf("level %d: points, and mean height in the row through the middle\n", z);
        for (int y = 0; y < GRID; y++) {
            for (int x = 0; x < GRID; x++)
                printf("%3d", (int)count[z][y][x]);
            printf("\n");
        }
        for (int x = 0; x < GRID; x++)
            printf(" %.2f", count[z][3][x] ? sum[z][3][x] / (float)count[z][3][x] : 0);
        printf("\n");
    }
    clnd_engine_destroy(&engine);
}
