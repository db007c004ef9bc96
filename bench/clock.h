// SPDX-License-Identifier: Apache-2.0

#ifndef CLND_BENCH_CLOCK_H
#define CLND_BENCH_CLOCK_H

#include <time.h>

// Seconds since some moment; never goes back.
static inline double clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
