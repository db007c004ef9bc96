// SPDX-License-Identifier: Apache-2.0
//
// Element values.

#ifndef SUPPORT_VALUES_H
#define SUPPORT_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "clnd/dtype.h"
#include "clnd/options.h"
#include "rng.h"

typedef enum values_kind {
    VALUES_BITS,    // any bits: NaNs with payloads, both zeros, infinities, subnormals, extremes
    VALUES_ANY,     // numbers of all sizes and the special ones, for arithmetic in a fixed order
    VALUES_PLAIN,   // the same without the special ones
    VALUES_SUM,     // whole numbers up to `limit`: sums are exact in any order
    VALUES_PRODUCT, // +-1, +-2, complex also +-i, +-2i: products are exact in any order
} values_kind;

typedef struct values {
    values_kind kind;
    int64_t limit;   // VALUES_SUM
    bool subnormals; // VALUES_ANY: also subnormal floats
} values;

void values_write(const values *v, clnd_dtype dtype, rng *r, unsigned char *element);

// Lists of dtypes, each ended by 0.
extern const clnd_dtype values_all_dtypes[];    // with some opaque sizes
extern const clnd_dtype values_number_dtypes[]; // all but the opaque ones
extern const clnd_dtype values_index_dtypes[];
clnd_dtype values_pick(const clnd_dtype *list, rng *r);

bool values_is_float(clnd_dtype dtype); // of 16, 32 or 64 bits
bool values_is_complex(clnd_dtype dtype);
bool values_is_double(clnd_dtype dtype); // float64, complex128
bool values_is_opaque(clnd_dtype dtype);

// Whether the contract defines the reduction for the dtype.
bool values_can_reduce(clnd_dtype dtype, clnd_reduce reduce);

// Smallest and largest value of an index dtype.
void values_index_limits(clnd_dtype dtype, int64_t *low, int64_t *high);
void values_write_index(clnd_dtype dtype, int64_t value, unsigned char *element);

#endif
