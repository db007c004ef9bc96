// SPDX-License-Identifier: Apache-2.0

#include "samples.h"

#include <stdlib.h>

#include "failure.h"

bool samples_add(struct samples *samples, double seconds)
{
    if (samples->count == samples->capacity) {
        const int capacity = samples->capacity ? 2 * samples->capacity : 64;
        double *values = realloc(samples->values, (size_t)capacity * sizeof *values);
        if (!values)
            return fail_memory("samples", (double)capacity * sizeof *values);
        samples->values = values;
        samples->capacity = capacity;
    }
    samples->values[samples->count++] = seconds;
    return true;
}

void samples_free(struct samples *samples)
{
    free(samples->values);
    *samples = (struct samples){0};
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct statistics samples_statistics(struct samples *samples)
{
    const int n = samples->count;
    if (n == 0)
        return (struct statistics){0};
    qsort(samples->values, (size_t)n, sizeof *samples->values, ascending);
    const double *values = samples->values;
    return (struct statistics){
        .n = n,
        .minimum = values[0],
        .median = (values[(n - 1) / 2] + values[n / 2]) / 2,
        .p95 = values[(n * 95 + 99) / 100 - 1],
    };
}
