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

// float16 as programs without hardware for it compute with it.
ALWAYS_INLINE float half_widen(uint16_t bits)
{
    const uint32_t shifted = (uint32_t)(bits & 0x7fff) << 13;
    const uint32_t scale = UINT32_C(0x77800000); // 2^112
    const uint32_t infinity = UINT32_C(0x0f800000), sign = (uint32_t)(bits & 0x8000) << 16;
    float value, factor;
    uint32_t result;
    memcpy(&value, &shifted, sizeof value);
    memcpy(&factor, &scale, sizeof factor);
    value *= factor;
    memcpy(&result, &value, sizeof result);
    result |= sign | (shifted >= infinity ? UINT32_C(0x7f800000) : 0);
    memcpy(&value, &result, sizeof value);
    return value;
}

// To nearest, ties to even.
ALWAYS_INLINE uint16_t half_narrow(float value)
{
    const uint32_t infinity = UINT32_C(0x7f800000), too_large = UINT32_C(0x47800000); // 2^16
    const uint32_t normal = UINT32_C(0x38800000), half = UINT32_C(0x3f000000);        // 2^-14, 0.5
    uint32_t bits, tiny_bits;
    float tiny;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits & UINT32_C(0x80000000);
    bits ^= sign;
    // A subnormal result is rounded by an addition that shifts its last bit to the float's own.
    memcpy(&tiny, &bits, sizeof tiny);
    tiny += 0.5f;
    memcpy(&tiny_bits, &tiny, sizeof tiny_bits);
    const uint32_t rounded = (bits + UINT32_C(0xc8000fff) + (bits >> 13 & 1)) >> 13;
    const uint32_t result = bits > infinity     ? 0x7e00
                            : bits >= too_large ? 0x7c00
                            : bits < normal     ? tiny_bits - half
                                                : rounded;
    return (uint16_t)(result | sign >> 16);
}

ALWAYS_INLINE void add_floats(float *to, const float *from, int64_t n)
{
    for (int64_t j = 0; j < n; ++j)
        to[j] += from[j];
}

ALWAYS_INLINE void add_doubles(double *to, const double *from, int64_t n)
{
    for (int64_t j = 0; j < n; ++j)
        to[j] += from[j];
}

ALWAYS_INLINE void add_words(uint32_t *to, const uint32_t *from, int64_t n)
{
    for (int64_t j = 0; j < n; ++j)
        to[j] += from[j];
}

ALWAYS_INLINE void add_long_words(uint64_t *to, const uint64_t *from, int64_t n)
{
    for (int64_t j = 0; j < n; ++j)
        to[j] += from[j];
}

ALWAYS_INLINE void add_halves(uint16_t *to, const uint16_t *from, int64_t n)
{
    for (int64_t j = 0; j < n; ++j)
        to[j] = half_narrow(half_widen(to[j]) + half_widen(from[j]));
}

// *to (reduce)= *from for `n` elements of `size` bytes.
ALWAYS_INLINE void combine(clnd_dtype dtype, clnd_reduce reduce, size_t size, void *to,
                           const void *from, int64_t n)
{
    if (reduce == CLND_REDUCE_UPDATE)
        memcpy(to, from, (size_t)n * size);
    else if (reduce == CLND_REDUCE_ADD && dtype == CLND_FLOAT32)
        add_floats(to, from, n);
    else if (reduce == CLND_REDUCE_ADD && dtype == CLND_FLOAT64)
        add_doubles(to, from, n);
    else if (reduce == CLND_REDUCE_ADD && (dtype == CLND_INT32 || dtype == CLND_UINT32))
        add_words(to, from, n);
    else if (reduce == CLND_REDUCE_ADD && (dtype == CLND_INT64 || dtype == CLND_UINT64))
        add_long_words(to, from, n);
    else if (reduce == CLND_REDUCE_ADD && dtype == CLND_FLOAT16)
        add_halves(to, from, n);
    else
        for (int64_t j = 0; j < n; ++j)
            ref_reduce(dtype, reduce, (unsigned char *)to + (size_t)j * size,
                       (const unsigned char *)from + (size_t)j * size);
}

#endif
