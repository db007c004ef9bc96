// SPDX-License-Identifier: Apache-2.0
//
// What a C programmer would write instead of calling clnd, on host memory: a memcpy for each row, a
// serial loop of additions, nested loops over a slice.

#ifndef CLND_BENCH_BASELINE_H
#define CLND_BENCH_BASELINE_H

#include "run.h"

struct baseline {
    struct run *run;
    void *output;     // as large as the op's
    int threads;      // 1 where the loop is serial
    clnd_tensor view; // of slices
};

// False after fail(). baseline_free in any case.
bool baseline_create(struct run *run, struct baseline *baseline);
void baseline_free(struct baseline *baseline);

// Gives the output what it holds before the first call.
void baseline_reset(struct baseline *baseline);

void baseline_call(struct baseline *baseline);

#endif
