// SPDX-License-Identifier: Apache-2.0
//
// Pattern files of the Spatter benchmark, read as they are (docs/benchmarking.md, "Spatter").

#ifndef CLND_BENCH_SPATTER_H
#define CLND_BENCH_SPATTER_H

#include "cases.h"

enum spatter_kernels { SPATTER_GATHERS = 1, SPATTER_SCATTERS = 2, SPATTER_ALL = 3 };

// Makes one case of a file, with a part for each of its gathers or scatters. The parts' sizes are
// cut so that a file fits on the machine. False after fail().
bool spatter_read(const char *path, enum spatter_kernels kernels, enum bench_size size,
                  struct bench_case *what);

#endif
