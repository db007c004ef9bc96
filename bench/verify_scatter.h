// SPDX-License-Identifier: Apache-2.0

#ifndef CLND_BENCH_VERIFY_SCATTER_H
#define CLND_BENCH_VERIFY_SCATTER_H

#include "verify.h"

// Checks rows [begin, end) of a scatter's target and returns the first that is wrong, or `end`.
int64_t verify_scatter(const struct verifier *verifier, const unsigned char *result,
                       enum verify_mode mode, int64_t begin, int64_t end);

#endif
