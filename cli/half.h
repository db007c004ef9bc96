// SPDX-License-Identifier: Apache-2.0
//
// The two 16-bit float formats, which C11 has no types for. Pure functions. Thread-safety: Safe.

#ifndef CLND_CLI_HALF_H
#define CLND_CLI_HALF_H

#include <stdint.h>

// IEEE 754 binary16. From a double: rounded once, to nearest, ties to even; what is too large
// becomes infinity, a NaN stays one.
double half_to_double(uint16_t bits);
uint16_t half_from_double(double value);

// bfloat16: the upper half of a binary32. The same rules.
double bfloat16_to_double(uint16_t bits);
uint16_t bfloat16_from_double(double value);

#endif
