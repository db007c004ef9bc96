// SPDX-License-Identifier: Apache-2.0
//
// Host memory and locks that the library takes, counted and made to fail, by way of the linker.

#ifndef INTERPOSED_MEMORY_H
#define INTERPOSED_MEMORY_H

#include <stdbool.h>

// Makes allocation number `number`, from 0, fail; negative: none. Making a lock counts as one.
void memory_fail(int number);

// Whether that allocation has been asked for since.
bool memory_has_failed(void);

// Blocks and locks that are taken and not given back.
int memory_count(void);

#endif
