// SPDX-License-Identifier: Apache-2.0
//
// Where the elements of a view lie.

#ifndef LIB_ELEMENTS_H
#define LIB_ELEMENTS_H

#include "host/shape/view.h"

enum { MAX_ELEMENTS = 512 };

typedef struct elements {
    int count;
    int64_t at[MAX_ELEMENTS]; // bytes, in row-major order
} elements;

elements elements_of(const clnd__view *view);

#endif
