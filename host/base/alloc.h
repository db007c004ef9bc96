// SPDX-License-Identifier: Apache-2.0
//
// The only functions that take host memory, so that a test can make them fail.

#ifndef CLND_BASE_ALLOC_H
#define CLND_BASE_ALLOC_H

#include <stddef.h>

void *clnd__allocate(size_t size); // zeroed; NULL when there is none
void clnd__free(void *memory);

#endif
