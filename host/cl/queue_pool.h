// SPDX-License-Identifier: Apache-2.0
//
// In-order queues of an engine for calls that wait for their own work. Each is lent to one call at
// a time, so that calls of several threads do not wait for one another. They are kept for later
// calls, because some drivers start a thread for every queue.

#ifndef CLND_CL_QUEUE_POOL_H
#define CLND_CL_QUEUE_POOL_H

#include "clnd/engine.h"
#include "clnd/opencl.h"
#include "host/base/mutex.h"

// Queues kept for later calls. If more are needed at once, they are created and released.
enum { CLND__IDLE_QUEUES = 16 };

typedef struct clnd__queue_pool {
    clnd__mutex lock;
    cl_command_queue idle[CLND__IDLE_QUEUES];
    int n_idle;
} clnd__queue_pool;

clnd_status clnd__queue_pool_open(clnd__queue_pool *pool);
void clnd__queue_pool_close(clnd__queue_pool *pool);

// Lends an empty queue. Give it back with clnd__queue_return.
clnd_status clnd__queue_borrow(clnd_engine *engine, cl_command_queue *queue);

// Waits until the queue's commands have ended, and takes it back. `status` is that of the call so
// far; returns the final one. After a failure of OpenCL the queue may be lost, and is not lent
// again.
clnd_status clnd__queue_return(clnd_engine *engine, cl_command_queue queue, clnd_status status);

#endif
