// SPDX-License-Identifier: Apache-2.0
//
// 64-bit arithmetic that says when it overflows. Sizes, strides and offsets are computed with these
// and with nothing else until they are known to fit.

#ifndef CLND_BASE_CHECKED_H
#define CLND_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool clnd__add(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool clnd__multiply(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

#endif
