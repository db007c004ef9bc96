// SPDX-License-Identifier: Apache-2.0
//
// Arrays as text, the way NumPy's print shows them with its default options: shortest digits that
// give the value back, at most 8 after the point; one format for all elements shown; lines of 75
// characters; more than 1000 elements summarised to 3 at each end of a dimension.
//
// The text is that of NumPy 2.4, character for character, but for this: what is no printable text
// (text.h) is escaped in a unicode scalar too, which NumPy prints raw, so that no file can talk to
// the terminal; unassigned code points are not escaped.
//
// bfloat16, which NumPy does not have, prints like a float32 with the digits that a bfloat16 needs.

#ifndef CLND_CLI_PRINT_H
#define CLND_CLI_PRINT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clnd/dtype.h"

struct print_view {
    clnd_dtype dtype;
    char kind; // S, U or V (npy.h): tells opaque dtypes apart; not looked at for the others
    int rank;
    const int64_t *shape;
    const int64_t *strides; // in elements; NULL: dense, C order
    const void *data;       // of any alignment
};

// Prints the array and a line end. False: writing to `out` failed (or had failed before); what
// `out` has buffered can still fail, so the caller flushes and looks. Thread-safety: Safe.
bool print_array(FILE *out, const struct print_view *view);

#endif
