// SPDX-License-Identifier: Apache-2.0
//
// What the C loops have in common. All of it is inlined into places where sizes are constants, so
// that the compiler makes of it what it would make of a loop written for that size.

#ifndef CLND_BENCH_BASELINE_INLINE_H
#define CLND_BENCH_BASELINE_INLINE_H

#include <stdint.h>
#include <string.h>

#include "clnd/dtype.h"
#include "clnd/options.h"
#include "ref.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// baseline_half.c: float16, by the CPU's conversions where it has them.
void add_halves(uint16_t *to, const uint16_t *from, int64_t n);

// Index values are never negative here, so that signed and unsigned ones read alike.
ALWAYS_INLINE int64_t index_at(const void *indices, size_t size, int64_t i)
{
    switch (size) {
    case 1:
        return ((const uint8_t *)indices)[i];
    case 2:
        return ((const uint16_t *)indices)[i];
    case 4:
        return ((const uint32_t *)indices)[i];
    default:
        return ((const int64_t *)indices)[i];
    }
}

#define LOOP(name, type, expression)                                                               \
    ALWAYS_INLINE void name(type *to, const type *from, int64_t n)                                 \
    {                                                                                              \
        for (int64_t j = 0; j < n; ++j)                                                            \
            to[j] = (type)(expression);                                                            \
    }

LOOP(add_floats, float, to[j] + from[j])
LOOP(add_doubles, double, to[j] + from[j])
LOOP(add_bytes, uint8_t, to[j] + from[j])
LOOP(add_words, uint32_t, to[j] + from[j])
LOOP(add_long_words, uint64_t, to[j] + from[j])
LOOP(multiply_bytes, uint8_t, to[j] * from[j])
LOOP(least_of_bytes, uint8_t, from[j] < to[j] ? from[j] : to[j])
LOOP(greatest_of_shorts, int16_t, from[j] > to[j] ? from[j] : to[j])
#undef LOOP

// *to (reduce)= *from for `n` elements of `size` bytes.
ALWAYS_INLINE void combine(clnd_dtype dtype, clnd_reduce reduce, size_t size, void *to,
                           const void *from, int64_t n)
{
    if (reduce == CLND_REDUCE_UPDATE)
        memcpy(to, from, (size_t)n * size);
    else if (reduce == CLND_REDUCE_ADD && dtype == CLND_FLOAT32)
        add_floats(to, from, n);
    else if (reduce == CLND_REDUCE_ADD && dtype == CLND_COMPLEX64)
        add_floats(to, from, 2 * n);
    else if (reduce == CLND_REDUCE_ADD && dtype == CLND_FLOAT64)
        add_doubles(to, from, n);
    else if (reduce == CLND_REDUCE_ADD && (dtype == CLND_INT32 || dtype == CLND_UINT32))
        add_words(to, from, n);
    else if (reduce == CLND_REDUCE_ADD && (dtype == CLND_INT64 || dtype == CLND_UINT64))
        add_long_words(to, from, n);
    else if (reduce == CLND_REDUCE_ADD && dtype == CLND_FLOAT16)
        add_halves(to, from, n);
    else if (reduce == CLND_REDUCE_ADD && (dtype == CLND_INT8 || dtype == CLND_UINT8))
        add_bytes(to, from, n);
    else if (reduce == CLND_REDUCE_MUL && dtype == CLND_UINT8)
        multiply_bytes(to, from, n);
    else if (reduce == CLND_REDUCE_MIN && dtype == CLND_UINT8)
        least_of_bytes(to, from, n);
    else if (reduce == CLND_REDUCE_MAX && dtype == CLND_INT16)
        greatest_of_shorts(to, from, n);
    else
        for (int64_t j = 0; j < n; ++j)
            ref_reduce(dtype, reduce, (unsigned char *)to + (size_t)j * size,
                       (const unsigned char *)from + (size_t)j * size);
}

#endif
