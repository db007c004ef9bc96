// SPDX-License-Identifier: Apache-2.0
//
// The benchmark's own cases: docs/benchmarking.md, "The cases".

#ifndef CLND_BENCH_CASES_H
#define CLND_BENCH_CASES_H

#include <stdbool.h>

#include "case.h"

enum bench_size { SIZE_CPU, SIZE_GPU, SIZE_TINY, N_SIZES, SIZE_AUTO = N_SIZES };

const char *size_name(enum bench_size size);

// A list of cases that grows.
struct case_list {
    int count;
    struct bench_case *cases;
};

// Takes over what the case owns. False after fail(); then the case is freed.
bool case_list_add(struct case_list *list, const struct bench_case *what);
void case_list_free(struct case_list *list);

// Adds the built-in cases at a size, with the Spatter files of `folder`, and, where `sweeps` says
// so, the points of the sweeps. Of the sums with other seeds than 0, data differ. False after
// fail().
bool cases_builtin(enum bench_size size, const char *folder, uint64_t seed, bool sweeps,
                   struct case_list *list);

#endif
