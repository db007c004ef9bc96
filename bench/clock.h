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

// The time of day in UTC, as 2026-11-23T06:40:00Z.
static inline void clock_date(char text[32])
{
    const time_t now = time(NULL);
    struct tm calendar;
    text[0] = '\0';
    if (gmtime_r(&now, &calendar))
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &calendar);
}

#endif
