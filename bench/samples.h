// SPDX-License-Identifier: Apache-2.0

#ifndef CLND_BENCH_SAMPLES_H
#define CLND_BENCH_SAMPLES_H

#include <stdbool.h>

// Times that were taken, in seconds.
struct samples {
    double *values;
    int count, capacity;
};

struct statistics {
    int n;
    double minimum, median, p95;
};

// False after fail().
bool samples_add(struct samples *samples, double seconds);
void samples_free(struct samples *samples);

// All 0 when there are none. Sorts the samples.
struct statistics samples_statistics(struct samples *samples);

#endif
