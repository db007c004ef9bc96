// SPDX-License-Identifier: Apache-2.0

#include "host/base/alloc.h"

#include <stdlib.h>

void *clnd__allocate(size_t size)
{
    return calloc(1, size);
}

void clnd__free(void *memory)
{
    free(memory);
}
