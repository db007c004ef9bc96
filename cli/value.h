// SPDX-License-Identifier: Apache-2.0
//
// The text of one element, as an option gives it, to its bytes. Thread-safety: Safe.

#ifndef CLND_CLI_VALUE_H
#define CLND_CLI_VALUE_H

#include <stdbool.h>

#include "npy.h"

// Reads all of `text` as a value of `type` into `element`, which has the size of the dtype.
//   bool           true, false, 1, 0
//   integers       decimal, with a sign or not; exactly and in range
//   floats         what strtod reads, with nan, inf and hexadecimal forms, but no blanks;
//                  rounded to the dtype, to nearest, ties to even; too large is infinity
//   complex        Python's form: 1.5-2j, 3j, 7, also in parentheses
//   byte strings   the bytes of the text, padded with zeros, never cut
//   unicode        the same from UTF-8
//   void           has no text: refused; CLND_BFLOAT16 (npy.h) is a float
// On failure `element` is unspecified and `error` (TEXT_ERROR_SIZE bytes) says why in one line.
bool value_parse(const struct npy_type *type, const char *text, void *element, char *error);

#endif
