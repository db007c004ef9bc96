// SPDX-License-Identifier: Apache-2.0

#include "host/cl/verdict.h"

#include "host/cl/cl_error.h"
#include "kernels_cl/args.h"

static cl_mem remove_oldest(clnd__verdict_pool *pool)
{
    const clnd__spare_verdict oldest = pool->spare[pool->first];
    if (oldest.used)
        clReleaseEvent(oldest.used);
    pool->first = (pool->first + 1) % CLND__SPARE_VERDICTS;
    --pool->n_spare;
    return oldest.memory;
}

// The oldest spare verdict if it is free, otherwise NULL. A command that has failed has ended too.
// A verdict whose event has no status is given up.
static cl_mem take_spare(clnd__verdict_pool *pool)
{
    if (pool->n_spare == 0)
        return NULL;
    const cl_event used = pool->spare[pool->first].used;
    cl_int state = CL_COMPLETE, code = CL_SUCCESS;
    if (used)
        code = clGetEventInfo(used, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (code == CL_SUCCESS)
        return state <= CL_COMPLETE ? remove_oldest(pool) : NULL;
    clReleaseMemObject(remove_oldest(pool));
    return NULL;
}

clnd_status clnd__verdict_take(clnd__verdict_pool *pool, cl_context context, cl_mem *verdict)
{
    if ((*verdict = take_spare(pool)))
        return CLND_OK;
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
    while (pool->n_spare > 0)
        clReleaseMemObject(remove_oldest(pool));
}
