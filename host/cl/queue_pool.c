// SPDX-License-Identifier: Apache-2.0

#include "host/cl/queue_pool.h"

#include "host/base/error.h"
#include "host/cl/cl_error.h"
#include "host/cl/engine.h"

clnd_status clnd__queue_pool_open(clnd__queue_pool *pool)
{
    pool->n_idle = 0;
    if (!clnd__mutex_init(&pool->lock))
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a lock");
    return CLND_OK;
}

void clnd__queue_pool_close(clnd__queue_pool *pool)
{
    while (pool->n_idle > 0)
        clReleaseCommandQueue(pool->idle[--pool->n_idle]);
    clnd__mutex_destroy(&pool->lock);
}

clnd_status clnd__queue_borrow(clnd_engine *engine, cl_command_queue *queue)
{
    clnd__queue_pool *pool = &engine->queues;
    clnd__mutex_lock(&pool->lock);
    *queue = pool->n_idle > 0 ? pool->idle[--pool->n_idle] : NULL;
    clnd__mutex_unlock(&pool->lock);
    if (*queue)
        return CLND_OK;
    cl_int code;
    *queue = clCreateCommandQueue(engine->context, engine->device, 0, &code);
    return *queue ? CLND_OK : clnd__cl_fail(code, "clCreateCommandQueue");
}

// A queue that failed once may go on failing.
static bool may_be_lost(clnd_status status)
{
    return status == CLND_OPENCL_ERROR || status == CLND_OUT_OF_DEVICE_MEMORY ||
           status == CLND_OUT_OF_HOST_MEMORY;
}

clnd_status clnd__queue_return(clnd_engine *engine, cl_command_queue queue, clnd_status status)
{
    clnd__queue_pool *pool = &engine->queues;
    const cl_int code = clFinish(queue);
    bool keep = code == CL_SUCCESS && !may_be_lost(status);
    clnd__mutex_lock(&pool->lock);
    keep = keep && pool->n_idle < CLND__IDLE_QUEUES;
    if (keep)
        pool->idle[pool->n_idle++] = queue;
    clnd__mutex_unlock(&pool->lock);
    if (!keep)
        clReleaseCommandQueue(queue);
    return status || code == CL_SUCCESS ? status : clnd__cl_fail(code, "clFinish");
}
