// SPDX-License-Identifier: Apache-2.0

#ifndef CLND_EXEC_SCATTER_SUMS_H
#define CLND_EXEC_SCATTER_SUMS_H

// How sums and products of 16-bit floats are made; those of others are plain.
typedef enum clnd__sums {
    CLND__SUMS_PLAIN = 0,   // as the dtype has it, rounded after each update
    CLND__SUMS_WIDE = 1,    // data is a float32 copy, updates are 16-bit
    CLND__SUMS_ROUNDED = 2, // in float32, rounded once: needs all rows in one chunk
} clnd__sums;

#endif
