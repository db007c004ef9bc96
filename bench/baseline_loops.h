// SPDX-License-Identifier: Apache-2.0
//
// The loops of the C baseline. Each does its rows [begin, end); the context is a struct baseline.

#ifndef CLND_BENCH_BASELINE_LOOPS_H
#define CLND_BENCH_BASELINE_LOOPS_H

#include "baseline.h"

void loop_gather(void *context, int64_t begin, int64_t end);
void loop_scatter(void *context, int64_t begin, int64_t end);

// Rows along the last axis of the indices.
int64_t loop_elements_rows(const struct run *run);
void loop_gather_elements(void *context, int64_t begin, int64_t end);
void loop_scatter_elements(void *context, int64_t begin, int64_t end);

// Rows along the last axis of the slice, or what is contiguous there.
int64_t loop_slice_rows(const clnd_tensor *view);
void loop_slice(void *context, int64_t begin, int64_t end);

#endif
