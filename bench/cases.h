// SPDX-License-Identifier: Apache-2.0
//
// Cases of the benchmark: what is computed, by clnd and by a plain C loop of one thread.

#ifndef CLND_BENCH_CASES_H
#define CLND_BENCH_CASES_H

#include "clnd/clnd.h"

enum { MAX_TENSORS = 3 };

struct bench_case {
    const char *name;
    enum { BENCH_GATHER, BENCH_SCATTER_ADD, BENCH_SLICE } op;
    int64_t rows;      // of the table
    int64_t width;     // float32 elements a row
    int64_t picks;     // rows of indices
    const char *slice; // of a tensor of shape [rows, 256, 256, width]
};

extern const struct bench_case bench_cases[];
extern const int n_bench_cases;

// A case with its data. The tensors of clnd and the plain arrays hold the same values.
struct bench_run {
    const struct bench_case *what;
    clnd_engine *engine;
    float *table, *dense, *result; // result: what clnd wrote, read back
    int32_t *indices;
    cl_mem buffers[MAX_TENSORS];
    clnd_tensor table_tensor, index_tensor, dense_tensor;
    clnd_slice slice;
    int64_t dense_count;
    int64_t table_count;
};

// False when there is no memory for it.
int bench_open(struct bench_run *run, clnd_engine *engine, const struct bench_case *what);
clnd_status bench_clnd(struct bench_run *run);
void bench_plain(struct bench_run *run);

// Runs both from the same data and compares all bytes of the result.
int bench_verify(struct bench_run *run);
void bench_close(struct bench_run *run);

#endif
