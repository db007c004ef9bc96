// SPDX-License-Identifier: Apache-2.0

#define _DEFAULT_SOURCE // madvise

#include "host/base/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <malloc.h>
#else
#include <sys/mman.h>
#endif

// What begins at multiples of `alignment` is freed by a function of its own on Windows. So all is
// taken that way there.
static void *take(size_t alignment, size_t size)
{
#ifdef _WIN32
    return _aligned_malloc(size, alignment);
#else
    void *memory = NULL;
    return posix_memalign(&memory, alignment, size) ? NULL : memory;
#endif
}

void *clnd__allocate(size_t size)
{
#ifdef _WIN32
    void *memory = take(2 * sizeof(void *), size); // as malloc aligns
    return memory ? memset(memory, 0, size) : NULL;
#else
    return calloc(1, size);
#endif
}

void *clnd__allocate_array(size_t size)
{
    enum { LARGEST_TYPE = 128 }; // bytes of OpenCL's long16
    const bool is_large = size >= CLND__HUGE_PAGE;
    if (size > PTRDIFF_MAX)
        return NULL;
    void *memory = take(is_large ? CLND__HUGE_PAGE : LARGEST_TYPE, size > 0 ? size : 1);
#ifdef MADV_HUGEPAGE
    if (memory && is_large)
        (void)madvise(memory, size, MADV_HUGEPAGE);
#endif
    return memory;
}

void clnd__free(void *memory)
{
#ifdef _WIN32
    _aligned_free(memory);
#else
    free(memory);
#endif
}
