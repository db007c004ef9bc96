// SPDX-License-Identifier: Apache-2.0

#define _DEFAULT_SOURCE // madvise

#include "host/base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void *clnd__allocate(size_t size)
{
    return calloc(1, size);
}

void *clnd__allocate_array(size_t size)
{
    enum { LARGEST_TYPE = 128 }; // bytes of OpenCL's long16
    void *memory = NULL;
    const bool is_large = size >= CLND__HUGE_PAGE;
    if (size > PTRDIFF_MAX ||
        posix_memalign(&memory, is_large ? CLND__HUGE_PAGE : LARGEST_TYPE, size > 0 ? size : 1))
        return NULL;
#ifdef MADV_HUGEPAGE
    if (is_large)
        (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
    return memory;
}

void clnd__free(void *memory)
{
    free(memory);
}
