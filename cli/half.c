// SPDX-License-Identifier: Apache-2.0

#include "half.h"

#include <math.h>

// A 16-bit format: one sign bit, then the exponent, then the fraction.
struct format {
    int fraction_bits;
    int lowest_exponent; // of a normal number; a subnormal number has the same quantum
};

static const struct format half = {10, -14};
static const struct format bfloat16 = {7, -126};

static uint16_t infinity_of(const struct format *format)
{
    return (uint16_t)(0x7fffu >> format->fraction_bits << format->fraction_bits);
}

static double decode(const struct format *format, uint16_t bits)
{
    unsigned magnitude = bits & 0x7fffu;
    unsigned fraction = magnitude & ((1u << format->fraction_bits) - 1);
    int exponent = (int)(magnitude >> format->fraction_bits);
    double value;
    if (magnitude >= infinity_of(format)) {
        value = fraction == 0 ? (double)INFINITY : (double)NAN;
    } else if (exponent == 0) {
        value = ldexp(fraction, format->lowest_exponent - format->fraction_bits);
    } else {
        value = ldexp(fraction + (1u << format->fraction_bits),
                      exponent - 1 + format->lowest_exponent - format->fraction_bits);
    }
    return copysign(value, (bits & 0x8000u) != 0 ? -1.0 : 1.0);
}

static uint16_t encode(const struct format *format, double value)
{
    uint16_t sign = signbit(value) ? 0x8000u : 0;
    uint16_t infinity = infinity_of(format);
    if (isnan(value)) {
        return (uint16_t)(sign | infinity | 1u << (format->fraction_bits - 1));
    }
    if (isinf(value)) {
        return (uint16_t)(sign | infinity);
    }
    if (value == 0) {
        return sign;
    }
    int exponent;
    frexp(value, &exponent); // value = m * 2^exponent with m in [0.5, 1)
    exponent--;
    if (exponent > 1 - format->lowest_exponent) {
        return (uint16_t)(sign | infinity);
    }
    if (exponent < format->lowest_exponent) {
        exponent = format->lowest_exponent;
    }
    // Both steps are exact but nearbyint, so there is one rounding. A normal number's leading bit
    // carries into the exponent field and makes it one larger, as the format wants; so does a
    // fraction that rounds up to the next power of two, up to infinity.
    double quanta = nearbyint(ldexp(fabs(value), format->fraction_bits - exponent));
    unsigned field = (unsigned)(exponent - format->lowest_exponent) << format->fraction_bits;
    return (uint16_t)(sign | (field + (unsigned)quanta));
}

double half_to_double(uint16_t bits)
{
    return decode(&half, bits);
}

uint16_t half_from_double(double value)
{
    return encode(&half, value);
}

double bfloat16_to_double(uint16_t bits)
{
    return decode(&bfloat16, bits);
}

uint16_t bfloat16_from_double(double value)
{
    return encode(&bfloat16, value);
}
