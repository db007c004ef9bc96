// SPDX-License-Identifier: Apache-2.0

#include "values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"

const clnd_dtype values_number_dtypes[] = {
    CLND_BOOL,    CLND_INT8,      CLND_INT16,      CLND_INT32,
    CLND_INT64,   CLND_UINT8,     CLND_UINT16,     CLND_UINT32,
    CLND_UINT64,  CLND_FLOAT16,   CLND_BFLOAT16,   CLND_FLOAT32,
    CLND_FLOAT64, CLND_COMPLEX64, CLND_COMPLEX128, 0};

const clnd_dtype values_all_dtypes[] = {CLND_BOOL,
                                        CLND_INT8,
                                        CLND_INT16,
                                        CLND_INT32,
                                        CLND_INT64,
                                        CLND_UINT8,
                                        CLND_UINT16,
                                        CLND_UINT32,
                                        CLND_UINT64,
                                        CLND_FLOAT16,
                                        CLND_BFLOAT16,
                                        CLND_FLOAT32,
                                        CLND_FLOAT64,
                                        CLND_COMPLEX64,
                                        CLND_COMPLEX128,
                                        CLND_OPAQUE(1),
                                        CLND_OPAQUE(2),
                                        CLND_OPAQUE(3),
                                        CLND_OPAQUE(4),
                                        CLND_OPAQUE(5),
                                        CLND_OPAQUE(7),
                                        CLND_OPAQUE(8),
                                        CLND_OPAQUE(12),
                                        CLND_OPAQUE(16),
                                        CLND_OPAQUE(20),
                                        CLND_OPAQUE(24),
                                        CLND_OPAQUE(32),
                                        CLND_OPAQUE(33),
                                        CLND_OPAQUE(64),
                                        CLND_OPAQUE(100),
                                        0};

const clnd_dtype values_index_dtypes[] = {CLND_INT8,  CLND_INT16,  CLND_INT32,  CLND_INT64,
                                          CLND_UINT8, CLND_UINT16, CLND_UINT32, 0};

clnd_dtype values_pick(const clnd_dtype *list, rng *r)
{
    int count = 0;
    while (list[count])
        count++;
    return list[rng_range(r, 0, count - 1)];
}

bool values_is_float(clnd_dtype dtype)
{
    return dtype == CLND_FLOAT16 || dtype == CLND_BFLOAT16 || dtype == CLND_FLOAT32 ||
           dtype == CLND_FLOAT64;
}

bool values_is_complex(clnd_dtype dtype)
{
    return dtype == CLND_COMPLEX64 || dtype == CLND_COMPLEX128;
}

bool values_is_double(clnd_dtype dtype)
{
    return dtype == CLND_FLOAT64 || dtype == CLND_COMPLEX128;
}

bool values_is_opaque(clnd_dtype dtype)
{
    return (dtype & 0xff) == 16;
}

bool values_can_reduce(clnd_dtype dtype, clnd_reduce reduce)
{
    switch (reduce) {
    case CLND_REDUCE_UPDATE:
        return true;
    case CLND_REDUCE_SUB:
        return !values_is_opaque(dtype) && dtype != CLND_BOOL;
    case CLND_REDUCE_MIN:
    case CLND_REDUCE_MAX:
        return !values_is_opaque(dtype) && !values_is_complex(dtype);
    default:
        return !values_is_opaque(dtype);
    }
}

// Bits of a float with `exponent_bits` and `fraction_bits`: often one of the special numbers.
static uint64_t special_bits(rng *r, int exponent_bits, int fraction_bits)
{
    uint64_t sign = rng_u64(r) & 1;
    uint64_t all = ((uint64_t)1 << exponent_bits) - 1;
    uint64_t fraction = rng_u64(r) & (((uint64_t)1 << fraction_bits) - 1);
    uint64_t quiet = (uint64_t)1 << (fraction_bits - 1);
    uint64_t exponent = 0;
    switch (rng_range(r, 0, 6)) {
    case 0: // zero
        fraction = 0;
        break;
    case 1: // infinity
        exponent = all;
        fraction = 0;
        break;
    case 2: // quiet NaN
        exponent = all;
        fraction |= quiet;
        break;
    case 3: // signalling NaN
        exponent = all;
        fraction = (fraction & (quiet - 1)) | 1;
        break;
    case 4: // subnormal
        break;
    case 5: // the largest
        exponent = all - 1;
        break;
    default:
        exponent = rng_u64(r) & all;
        break;
    }
    return (sign << exponent_bits | exponent) << fraction_bits | fraction;
}

static uint64_t float_bits(clnd_dtype dtype, rng *r)
{
    switch (dtype) {
    case CLND_FLOAT16:
        return special_bits(r, 5, 10);
    case CLND_BFLOAT16:
        return special_bits(r, 8, 7);
    case CLND_FLOAT32:
    case CLND_COMPLEX64:
        return special_bits(r, 8, 23);
    default:
        return special_bits(r, 11, 52);
    }
}

// A double to the parts of an element; numbers only.
static void write_part(clnd_dtype dtype, double value, unsigned char *part)
{
    float f32 = (float)value;
    uint16_t f16;
    switch (dtype) {
    case CLND_FLOAT16:
    case CLND_BFLOAT16:
        f16 = ref_narrow(dtype, f32);
        memcpy(part, &f16, sizeof f16);
        break;
    case CLND_FLOAT32:
    case CLND_COMPLEX64:
        memcpy(part, &f32, sizeof f32);
        break;
    default:
        memcpy(part, &value, sizeof value);
        break;
    }
}

static double any_number(clnd_dtype dtype, const values *v, rng *r)
{
    double sign = rng_chance(r, 50) ? -1.0 : 1.0;
    if (v->kind == VALUES_PLAIN || rng_chance(r, 96)) {
        double fraction = 1.0 + ldexp((double)(rng_u64(r) >> 11), -53);
        return sign * ldexp(fraction, (int)rng_range(r, -6, 6));
    }
    switch (rng_range(r, 0, 4)) {
    case 0:
        return sign * 0.0;
    case 1:
        return sign * INFINITY;
    case 2:
        return NAN;
    case 3:
        if (v->subnormals) // of float16, of bfloat16 and float32, of float64
            return sign * ldexp(1.0, dtype == CLND_FLOAT16                               ? -20
                                     : dtype == CLND_FLOAT64 || dtype == CLND_COMPLEX128 ? -1070
                                                                                         : -130);
        return sign;
    default: // near the end of the range: two of them overflow
        return sign * ldexp(1.0, dtype == CLND_FLOAT16                               ? 15
                                 : dtype == CLND_FLOAT64 || dtype == CLND_COMPLEX128 ? 1023
                                                                                     : 127);
    }
}

static void write_float(const values *v, clnd_dtype dtype, rng *r, unsigned char *part,
                        size_t part_size)
{
    if (v->kind == VALUES_BITS) {
        uint64_t bits = rng_chance(r, 30) ? float_bits(dtype, r) : rng_u64(r);
        memcpy(part, &bits, part_size);
        return;
    }
    if (v->kind == VALUES_ANY || v->kind == VALUES_PLAIN) {
        write_part(dtype, any_number(dtype, v, r), part);
        return;
    }
    double value = (double)rng_range(r, -v->limit, v->limit);
    if (v->kind == VALUES_PRODUCT)
        value = (rng_chance(r, 15) ? 2.0 : 1.0) * (rng_chance(r, 50) ? 1.0 : -1.0);
    write_part(dtype, value, part);
}

static void write_integer(const values *v, rng *r, unsigned char *element, size_t size)
{
    uint64_t bits = rng_u64(r);
    int choice = (int)rng_range(r, 0, 9);
    if (choice == 0)
        bits = (uint64_t)1 << (8 * size - 1); // smallest signed
    else if (choice == 1)
        bits = ((uint64_t)1 << (8 * size - 1)) - 1; // largest signed
    else if (choice == 2)
        bits = rng_chance(r, 50) ? 0 : UINT64_MAX;
    else if (choice < 6 && v->kind == VALUES_PRODUCT)
        bits = (uint64_t)rng_range(r, -3, 3);
    memcpy(element, &bits, size);
}

void values_write(const values *v, clnd_dtype dtype, rng *r, unsigned char *element)
{
    size_t size = ref_size(dtype);
    if (dtype == CLND_BOOL) {
        *element = rng_chance(r, 5) ? (unsigned char)rng_u64(r) : (unsigned char)(rng_u64(r) & 1);
    } else if (values_is_float(dtype)) {
        write_float(v, dtype, r, element, size);
    } else if (values_is_complex(dtype) && v->kind == VALUES_PRODUCT) {
        bool imaginary = rng_chance(r, 50);
        double value = (rng_chance(r, 3) ? 2.0 : 1.0) * (rng_chance(r, 50) ? 1.0 : -1.0);
        write_part(dtype, imaginary ? 0.0 : value, element);
        write_part(dtype, imaginary ? value : 0.0, element + size / 2);
    } else if (values_is_complex(dtype)) {
        write_float(v, dtype, r, element, size / 2);
        write_float(v, dtype, r, element + size / 2, size / 2);
    } else if (values_is_opaque(dtype)) {
        for (size_t i = 0; i < size; i++)
            element[i] = (unsigned char)rng_u64(r);
    } else {
        write_integer(v, r, element, size);
    }
}

void values_index_limits(clnd_dtype dtype, int64_t *low, int64_t *high)
{
    int bits = (int)(8 * ref_size(dtype));
    bool is_unsigned = dtype == CLND_UINT8 || dtype == CLND_UINT16 || dtype == CLND_UINT32;
    if (bits == 64) {
        *low = INT64_MIN;
        *high = INT64_MAX;
        return;
    }
    *low = is_unsigned ? 0 : -((int64_t)1 << (bits - 1));
    *high = ((int64_t)1 << (is_unsigned ? bits : bits - 1)) - 1;
}

void values_write_index(clnd_dtype dtype, int64_t value, unsigned char *element)
{
    memcpy(element, &value, ref_size(dtype)); // little-endian hosts only, as the library
}
