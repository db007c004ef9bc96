// SPDX-License-Identifier: Apache-2.0
//
// clnd-bench: times operations of clnd on a device beside plain C loops of one thread.
//
//     clnd-bench [DEVICE]
//
// Each case is verified before it is timed. Both are timed in turn, from call to completion, so
// that what else the machine does hits both; the medians of 21 runs and their ratio are printed.

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cases.h"

enum { RUNS = 21 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, RUNS, sizeof *times, compare);
    return times[RUNS / 2];
}

static int time_case(clnd_engine *engine, const struct bench_case *what)
{
    static struct bench_run run;
    double ours[RUNS], plain[RUNS];
    int good = bench_open(&run, engine, what);
    if (!good)
        fprintf(stderr, "clnd-bench: %s: no memory for it\n", what->name);
    else if (!(good = bench_verify(&run)))
        fprintf(stderr, "clnd-bench: %s: wrong result, or %s\n", what->name, clnd_last_error());
    for (int i = 0; i < RUNS && good; ++i) {
        const double start = now();
        good = bench_clnd(&run) == CLND_OK;
        const double middle = now();
        bench_plain(&run);
        ours[i] = middle - start;
        plain[i] = now() - middle;
    }
    if (good) {
        const double seconds = median(ours), loop = median(plain);
        const double bytes = (double)run.dense_count * sizeof(float);
        printf("%-28s %9.3f ms %8.2f GB/s   C loop %9.3f ms   ratio %5.2f\n", what->name,
               seconds * 1e3, bytes / seconds * 1e-9, loop * 1e3, loop / seconds);
        fflush(stdout);
    }
    bench_close(&run);
    return good;
}

int main(int argc, char **argv)
{
    clnd_engine *engine;
    if (clnd_engine_open(argc > 1 ? argv[1] : NULL, &engine)) {
        fprintf(stderr, "clnd-bench: %s\n", clnd_last_error());
        return 1;
    }
    const clnd_device_facts *facts = clnd_engine_facts(engine);
    printf("clnd %s on %s, driver %s; GB/s count the gathered, added or sliced bytes once\n",
           clnd_version(), facts->name, facts->driver);
    int good = 1;
    for (int i = 0; i < n_bench_cases; ++i)
        good &= time_case(engine, &bench_cases[i]);
    clnd_engine_destroy(&engine);
    return good ? 0 : 1;
}
