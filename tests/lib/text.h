// SPDX-License-Identifier: Apache-2.0
//
// Tensors written as text, for tables of worked examples: "2,3: 0 1 2 3 4 5" is a shape and its
// elements in row-major order, ": 7" a scalar, "0,3:" an empty tensor, and "2,3" without a colon
// counts 0, 1, 2, ... Floats are read as strtod reads them ("nan", "-0", "inf"), complex numbers
// as two floats with a comma between them, bool as 0 or 1.

#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include "placed.h"

// Makes a dense tensor that fills its buffer.
void text_tensor(placed *p, const char *name, rng *r, clnd_dtype dtype, const char *text);

// The same with random elements; `text` ends after the shape.
void text_space(placed *p, const char *name, rng *r, clnd_dtype dtype, const char *text);

// Writes the elements of `text`, which has the shape of `p`, into p's image.
void text_elements(placed *p, const char *text);

#endif
