// SPDX-License-Identifier: Apache-2.0
//
// Sums of float16, each rounded.

#include "baseline_inline.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#define HAS_F16C 1
#else
#define HAS_F16C 0
#endif

// As programs without hardware for it compute with float16.
static inline float half_widen(uint16_t bits)
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
static inline uint16_t half_narrow(float value)
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

static void add_plain(uint16_t *to, const uint16_t *from, int64_t n)
{
    for (int64_t j = 0; j < n; ++j)
        to[j] = half_narrow(half_widen(to[j]) + half_widen(from[j]));
}

#if HAS_F16C
__attribute__((target("avx,f16c"))) static void add_f16c(uint16_t *to, const uint16_t *from,
                                                         int64_t n)
{
    enum { LANES = 8 };
    int64_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(to + j));
        const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + j));
        const __m256 sum = _mm256_add_ps(_mm256_cvtph_ps(a), _mm256_cvtph_ps(b));
        _mm_storeu_si128((__m128i *)(void *)(to + j), _mm256_cvtps_ph(sum, 0));
    }
    add_plain(to + j, from + j, n - j);
}

// Not __builtin_cpu_supports("f16c"), which clang knows only since version 19.
// The answer is kept: cpuid takes longer than a row, and on virtual machines tens of microseconds.
static bool has_f16c(void)
{
    enum { UNKNOWN, YES, NO };
    static _Atomic int known = UNKNOWN;
    if (known == UNKNOWN) {
        unsigned a, b, c, d;
        const bool has =
            __builtin_cpu_supports("avx") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
        known = has ? YES : NO;
    }
    return known == YES;
}
#endif

void add_halves(uint16_t *to, const uint16_t *from, int64_t n)
{
#if HAS_F16C
    if (has_f16c()) {
        add_f16c(to, from, n);
        return;
    }
#endif
    add_plain(to, from, n);
}
