// SPDX-License-Identifier: Apache-2.0

#include "host/cl/verdict.h"

#include "host/cl/cl_error.h"
#include "kernels_cl/args.h"

// Whether the oldest spare one is free, or as good as: a command that has failed is over too.
static bool oldest_is_free(clnd__verdict_pool *pool)
{
    clnd__spare_verdict *oldest = &pool->spare[pool->first];
    cl_int state = CL_COMPLETE;
    if (pool->n_spare == 0 ||
        (oldest->used && (clGetEventInfo(oldest->used, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                         sizeof state, &state, NULL) != CL_SUCCESS ||
                          state > CL_COMPLETE)))
        return false;
    if (oldest->used)
        clReleaseEvent(oldest->used);
    oldest->used = NULL;
    return true;
}

static cl_mem remove_oldest(clnd__verdict_pool *pool)
{
    const cl_mem memory = pool->spare[pool->first].memory;
    pool->first = (pool->first + 1) % CLND__SPARE_VERDICTS;
    --pool->n_spare;
    return memory;
}

clnd_status clnd__verdict_take(clnd__verdict_pool *pool, cl_context context, cl_mem *verdict)
{
    if (oldest_is_free(pool)) {
        *verdict = remove_oldest(pool);
        return CLND_OK;
    }
    clnd_verdict good = {.row = CLND_NO_BAD_ROW, .launch = CLND_NO_BAD_ROW};
    cl_int code;
    *verdict = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof good, &good, &code);
    return *verdict ? CLND_OK : clnd__cl_fail(code, "clCreateBuffer");
}

void clnd__verdict_return(clnd__verdict_pool *pool, cl_mem verdict, bool good, cl_event used)
{
    if (!verdict)
        return;
    if (!good || pool->n_spare == CLND__SPARE_VERDICTS ||
        (used && clRetainEvent(used) != CL_SUCCESS)) {
        clReleaseMemObject(verdict);
        return;
    }
    const int place = (pool->first + pool->n_spare++) % CLND__SPARE_VERDICTS;
    pool->spare[place] = (clnd__spare_verdict){verdict, used};
}

void clnd__verdict_pool_close(clnd__verdict_pool *pool)
{
    while (pool->n_spare > 0) {
        if (pool->spare[pool->first].used)
            clReleaseEvent(pool->spare[pool->first].used);
        clReleaseMemObject(remove_oldest(pool));
    }
}
