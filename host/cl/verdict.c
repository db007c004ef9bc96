// SPDX-License-Identifier: Apache-2.0

#include "host/cl/verdict.h"

#include "host/cl/cl_error.h"
#include "kernels_cl/args.h"

clnd_status clnd__verdict_take(clnd__verdict_pool *pool, cl_context context, cl_mem *verdict)
{
    if (pool->n_spare > 0) {
        *verdict = pool->spare[--pool->n_spare];
        return CLND_OK;
    }
    clnd_verdict good = {.row = CLND_NO_BAD_ROW, .launch = CLND_NO_BAD_ROW};
    cl_int code;
    *verdict = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof good, &good, &code);
    return *verdict ? CLND_OK : clnd__cl_fail(code, "clCreateBuffer");
}

void clnd__verdict_return(clnd__verdict_pool *pool, cl_mem verdict, bool good)
{
    if (!verdict)
        return;
    if (good && pool->n_spare < CLND__SPARE_VERDICTS)
        pool->spare[pool->n_spare++] = verdict;
    else
        clReleaseMemObject(verdict);
}

void clnd__verdict_pool_close(clnd__verdict_pool *pool)
{
    while (pool->n_spare > 0)
        clReleaseMemObject(pool->spare[--pool->n_spare]);
}
