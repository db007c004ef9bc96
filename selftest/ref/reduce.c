// SPDX-License-Identifier: Apache-2.0
//
// The arithmetic of the reductions, element by element, from the words of options.h.

#include "ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float half_to_float(uint16_t bits)
{
    float sign = bits & 0x8000 ? -1.0f : 1.0f;
    int exponent = bits >> 10 & 0x1f;
    int fraction = bits & 0x3ff;
    if (exponent == 0x1f)
        return fraction ? from_bits((uint32_t)(bits & 0x8000) << 16 | 0x7fc00000u)
                        : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexpf((float)fraction, -24);
    return sign * ldexpf((float)(fraction + 1024), exponent - 25);
}

static uint16_t half_from_float(float value)
{
    unsigned sign = to_bits(value) >> 16 & 0x8000u;
    float magnitude = fabsf(value);
    if (isnan(value))
        return (uint16_t)(sign | 0x7e00u);
    if (magnitude >= 65520.0f) // halfway to the number after the largest one
        return (uint16_t)(sign | 0x7c00u);
    int exponent = -14; // of the spacing of halves around `magnitude`: 2^(exponent - 10)
    while (magnitude >= ldexpf(1.0f, exponent + 1))
        exponent++;
    // nearbyint rounds to nearest even; the scaling is exact
    unsigned steps = (unsigned)nearbyintf(ldexpf(magnitude, 10 - exponent));
    return (uint16_t)(sign | (((unsigned)(exponent + 14) << 10) + steps));
}

static uint16_t bfloat16_from_float(float value)
{
    uint32_t bits = to_bits(value);
    if (isnan(value))
        return (uint16_t)(bits >> 16 | 0x40);
    uint32_t low = bits & 0xffff;
    uint32_t high = bits >> 16;
    if (low > 0x8000 || (low == 0x8000 && (high & 1)))
        high++;
    return (uint16_t)high;
}

float ref_widen(clnd_dtype dtype, uint16_t bits)
{
    return dtype == CLND_FLOAT16 ? half_to_float(bits) : from_bits((uint32_t)bits << 16);
}

uint16_t ref_narrow(clnd_dtype dtype, float value)
{
    return dtype == CLND_FLOAT16 ? half_from_float(value) : bfloat16_from_float(value);
}

// NaN wins over everything; -0 is below +0.
static double larger(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return signbit(a) ? b : a;
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    if (a == b)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

float ref_reduce_float(clnd_reduce reduce, float element, float update)
{
    switch (reduce) {
    case CLND_REDUCE_ADD:
        return element + update;
    case CLND_REDUCE_SUB:
        return element - update;
    case CLND_REDUCE_MUL:
        return element * update;
    case CLND_REDUCE_MIN:
        return (float)smaller(element, update);
    case CLND_REDUCE_MAX:
        return (float)larger(element, update);
    default:
        abort();
    }
}

static double reduce_double(clnd_reduce reduce, double element, double update)
{
    switch (reduce) {
    case CLND_REDUCE_ADD:
        return element + update;
    case CLND_REDUCE_SUB:
        return element - update;
    case CLND_REDUCE_MUL:
        return element * update;
    case CLND_REDUCE_MIN:
        return smaller(element, update);
    case CLND_REDUCE_MAX:
        return larger(element, update);
    default:
        abort();
    }
}

static void reduce_integer(clnd_dtype dtype, clnd_reduce reduce, unsigned char *element,
                           const unsigned char *update)
{
    size_t size = ref_size(dtype);
    bool is_signed =
        dtype == CLND_INT8 || dtype == CLND_INT16 || dtype == CLND_INT32 || dtype == CLND_INT64;
    uint64_t a = 0, b = 0; // little-endian hosts only, as the library
    memcpy(&a, element, size);
    memcpy(&b, update, size);
    // With the sign bit flipped, two's complement numbers stand in the order of unsigned ones.
    uint64_t flip = is_signed ? (uint64_t)1 << (8 * size - 1) : 0;
    uint64_t result = 0;
    switch (reduce) {
    case CLND_REDUCE_ADD:
        result = a + b;
        break;
    case CLND_REDUCE_SUB:
        result = a - b;
        break;
    case CLND_REDUCE_MUL:
        result = a * b;
        break;
    case CLND_REDUCE_MIN:
        result = (a ^ flip) < (b ^ flip) ? a : b;
        break;
    case CLND_REDUCE_MAX:
        result = (a ^ flip) > (b ^ flip) ? a : b;
        break;
    default:
        abort();
    }
    memcpy(element, &result, size);
}

static void reduce_bool(clnd_reduce reduce, unsigned char *element, const unsigned char *update)
{
    bool a = *element != 0, b = *update != 0;
    if (reduce == CLND_REDUCE_ADD || reduce == CLND_REDUCE_MAX)
        *element = a || b;
    else if (reduce == CLND_REDUCE_MUL || reduce == CLND_REDUCE_MIN)
        *element = a && b;
    else
        abort();
}

static void reduce_complex64(clnd_reduce reduce, unsigned char *element,
                             const unsigned char *update)
{
    float a[2], b[2], result[2];
    memcpy(a, element, sizeof a);
    memcpy(b, update, sizeof b);
    if (reduce == CLND_REDUCE_MUL) {
        result[0] = a[0] * b[0] - a[1] * b[1];
        result[1] = a[0] * b[1] + a[1] * b[0];
    } else {
        result[0] = ref_reduce_float(reduce, a[0], b[0]);
        result[1] = ref_reduce_float(reduce, a[1], b[1]);
    }
    memcpy(element, result, sizeof result);
}

static void reduce_complex128(clnd_reduce reduce, unsigned char *element,
                              const unsigned char *update)
{
    double a[2], b[2], result[2];
    memcpy(a, element, sizeof a);
    memcpy(b, update, sizeof b);
    if (reduce == CLND_REDUCE_MUL) {
        result[0] = a[0] * b[0] - a[1] * b[1];
        result[1] = a[0] * b[1] + a[1] * b[0];
    } else {
        result[0] = reduce_double(reduce, a[0], b[0]);
        result[1] = reduce_double(reduce, a[1], b[1]);
    }
    memcpy(element, result, sizeof result);
}

void ref_reduce(clnd_dtype dtype, clnd_reduce reduce, unsigned char *element,
                const unsigned char *update)
{
    uint16_t a16, b16;
    float a32, b32;
    double a64, b64;
    if (reduce == CLND_REDUCE_UPDATE) {
        memcpy(element, update, ref_size(dtype));
        return;
    }
    switch (dtype) {
    case CLND_BOOL:
        reduce_bool(reduce, element, update);
        break;
    case CLND_FLOAT16:
    case CLND_BFLOAT16:
        memcpy(&a16, element, sizeof a16);
        memcpy(&b16, update, sizeof b16);
        a32 = ref_reduce_float(reduce, ref_widen(dtype, a16), ref_widen(dtype, b16));
        a16 = ref_narrow(dtype, a32);
        memcpy(element, &a16, sizeof a16);
        break;
    case CLND_FLOAT32:
        memcpy(&a32, element, sizeof a32);
        memcpy(&b32, update, sizeof b32);
        a32 = ref_reduce_float(reduce, a32, b32);
        memcpy(element, &a32, sizeof a32);
        break;
    case CLND_FLOAT64:
        memcpy(&a64, element, sizeof a64);
        memcpy(&b64, update, sizeof b64);
        a64 = reduce_double(reduce, a64, b64);
        memcpy(element, &a64, sizeof a64);
        break;
    case CLND_COMPLEX64:
        reduce_complex64(reduce, element, update);
        break;
    case CLND_COMPLEX128:
        reduce_complex128(reduce, element, update);
        break;
    default:
        reduce_integer(dtype, reduce, element, update);
        break;
    }
}
