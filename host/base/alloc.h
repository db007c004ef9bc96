// SPDX-License-Identifier: Apache-2.0
//
// The only functions that take host memory, so that a test can make them fail.

#ifndef CLND_BASE_ALLOC_H
#define CLND_BASE_ALLOC_H

#include <stddef.h>

// Bytes of a huge page on x86-64, and on AArch64 with pages of 4 KiB.
#define CLND__HUGE_PAGE ((size_t)2 << 20)

void *clnd__allocate(size_t size); // zeroed; NULL when there is none

// For arrays and buffers: not zeroed; NULL when there is none. Aligned to 128 bytes; from
// CLND__HUGE_PAGE on to that, and the system is asked for huge pages.
void *clnd__allocate_array(size_t size);

void clnd__free(void *memory);

#endif
