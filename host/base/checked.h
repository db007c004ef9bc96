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
    if (b < 0 ? a < INT64_MIN - b : a > INT64_MAX - b)
        return false;
    *sum = a + b;
    return true;
}

static inline bool clnd__multiply(int64_t a, int64_t b, int64_t *product)
{
    // A division costs more than the rest of a fold, and mostly there is no need of one.
    const bool small = a == (int32_t)a && b == (int32_t)b;
    if (!small && (a > 0 ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
                         : (b > 0 ? a < INT64_MIN / b : a != 0 && b < INT64_MAX / a)))
        return false;
    *product = a * b;
    return true;
}

#endif
