// SPDX-License-Identifier: Apache-2.0
//
// A histogram and its picture: prints a script for gnuplot, with the data in it.
//
//     cc histogram_plot.c -o histogram_plot $(pkg-config --cflags --libs clnd OpenCL)
//     ./histogram_plot | gnuplot > histogram.svg

#define CL_TARGET_OPENCL_VERSION 120
#include <clnd/clnd.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 1 << 16, DICE = 4, BINS = 6 * DICE + 1 };

static void need(clnd_status status)
{
    if (status == CLND_OK)
        return;
    fprintf(stderr, "histogram_plot: %s\n", clnd_last_error());
    exit(EXIT_FAILURE);
}

int main(void)
{
    static int32_t sample[SAMPLES], bin[BINS];
    const int32_t one = 1;
    uint32_t state = 1;

    // Throws of four dice.
    for (int i = 0; i < SAMPLES; i++)
        for (int die = 0; die < DICE; die++) {
            state = state * 1664525u + 1013904223u; // a generator of Numerical Recipes
            sample[i] += 1 + (int32_t)((state >> 16) % 6);
        }

    clnd_engine *engine;
    clnd_array samples, ones, bins;
    need(clnd_engine_open(NULL, NULL, &engine));
    need(clnd_array_dense(sample, CLND_INT32, 2, (int64_t[]){SAMPLES, 1}, &samples));
    need(clnd_array_dense(&one, CLND_INT32, 1, (int64_t[]){SAMPLES}, &ones));
    ones.strides[0] = 0; // the same 1 for every sample
    need(clnd_array_dense(bin, CLND_INT32, 1, (int64_t[]){BINS}, &bins));

    // bin[sample[i]] += 1
    const clnd_scatter_nd_options count = {.bounds = CLND_BOUNDS_SKIP};
    need(clnd_host_scatter_nd(engine, &samples, &ones, &bins, &count));
    clnd_engine_destroy(&engine);

    puts("set terminal svg size 560,320 background 'white'\n"
         "set style fill solid\nset boxwidth 0.8\nset grid ytics\nset yrange [0:*]\n"
         "set xlabel 'sum of four dice'\nset ylabel 'throws of 65536'\n"
         "plot [3:25] '-' with boxes notitle linecolor rgb '#3465a4'");
    for (int i = DICE; i < BINS; i++)
        printf("%d %d\n", i, (int)bin[i]);
    puts("e");
}
