// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of the planner. It does not overflow if the arguments are sizes.

#ifndef CLND_BASE_INTEGERS_H
#define CLND_BASE_INTEGERS_H

#include <stdint.h>

static inline int64_t at_least(int64_t value, int64_t bound)
{
    return value > bound ? value : bound;
}

static inline int64_t at_most(int64_t value, int64_t bound)
{
    return value < bound ? value : bound;
}

static inline int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

// The least n, up to 63, with 2^n >= count.
static inline int64_t log2_up(uint64_t count)
{
    int64_t bits = 0;
    while (bits < 63 && UINT64_C(1) << bits < count)
        ++bits;
    return bits;
}

static inline uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
