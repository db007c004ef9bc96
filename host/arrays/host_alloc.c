// SPDX-License-Identifier: Apache-2.0

#include "clnd/host.h"
#include "host/base/alloc.h"
#include "host/base/error.h"

void *clnd_host_alloc(size_t size)
{
    clnd__enter("host_alloc");
    void *memory = clnd__allocate_array(size);
    if (!memory)
        (void)clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for %zu bytes", size);
    return memory;
}

void clnd_host_free(void *memory)
{
    clnd__free(memory);
}
