// SPDX-License-Identifier: Apache-2.0
//
// NumPy's text of floats, private to print.c. Values travel as doubles, which hold those of every
// float dtype; the dtype says how many digits tell a value from its neighbours.
//
// A column is the common format of the elements shown. It looks at all of them twice:
//     column = FLOAT_COLUMN(dtype, plus); float_column_scan(each); float_column_measure(each);
//     float_column_close(); float_column_format(each)

#ifndef CLND_CLI_PRINT_FLOAT_H
#define CLND_CLI_PRINT_FLOAT_H

#include <stdbool.h>

#include "clnd/dtype.h"

// Size that holds every text with its NUL: no number beyond 1e16 or below 1e-4 is positional.
#define FLOAT_TEXT_SIZE 96

struct float_column {
    clnd_dtype dtype; // FLOAT16, BFLOAT16, FLOAT32 or FLOAT64
    bool plus;        // the imaginary part: numbers that are not negative carry a +
    double largest;   // of the finite magnitudes other than 0
    double smallest;
    bool any_finite;
    bool any_not_finite;
    bool any_negative_infinity;
    int left;     // widest part before the point, with its sign
    int right;    // widest part after the point
    int exponent; // most digits of an exponent
};

#define FLOAT_COLUMN(dtype_, plus_) ((struct float_column){.dtype = (dtype_), .plus = (plus_)})

void float_column_scan(struct float_column *column, double value);
void float_column_measure(struct float_column *column, double value);
void float_column_close(struct float_column *column);

// An element, padded with blanks on both sides to the width of the column.
void float_column_format(const struct float_column *column, double value,
                         char text[FLOAT_TEXT_SIZE]);

// A scalar, as str() of one: all digits. `is_part`: of a complex number, where 1.0 is just 1.
void float_scalar_format(clnd_dtype dtype, double value, bool is_part, bool plus,
                         char text[FLOAT_TEXT_SIZE]);

#endif
