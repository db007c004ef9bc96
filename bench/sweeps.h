// SPDX-License-Identifier: Apache-2.0
//
// Series of cases for the pictures: each is a free case with one thing varied.

#ifndef CLND_BENCH_SWEEPS_H
#define CLND_BENCH_SWEEPS_H

#include "cases.h"

// The names of the sweeps (bench_case.sweep).
#define SWEEP_GATHER     "gather-strategies"
#define SWEEP_SCATTER    "scatter-strategies"
#define SWEEP_DUPLICATES "duplicates"

bool sweeps_add(enum bench_size size, uint64_t seed, struct case_list *list);

#endif
