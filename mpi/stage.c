// SPDX-License-Identifier: Apache-2.0
//
// Memory that both MPI and the device can use: buffers that the driver keeps where the host reaches
// them, pinned on GPUs, and the very memory of the device on CPUs.

#include <stdlib.h>

#include "internal.h"

clnd_status clnd__mpi_stage(clnd_engine *engine, int64_t bytes, mpi_stage *stage)
{
    cl_int code = CL_SUCCESS;
    *stage = (mpi_stage){.bytes = (size_t)bytes};
    if (bytes)
        stage->buffer =
            clCreateBuffer(clnd_engine_context(engine), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                           stage->bytes, NULL, &code);
    return clnd__mpi_cl(code, "clCreateBuffer");
}

clnd_status clnd__mpi_map(mpi_stage *stage, cl_command_queue queue, cl_event after)
{
    cl_int code = CL_SUCCESS;
    if (stage->buffer)
        stage->mapped =
            clEnqueueMapBuffer(queue, stage->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                               stage->bytes, after ? 1 : 0, after ? &after : NULL, NULL, &code);
    if (after)
        clReleaseEvent(after);
    if (!stage->buffer || (code == CL_SUCCESS && stage->mapped))
        return CLND_OK;
    stage->mapped = stage->spare = calloc(1, stage->bytes);
    if (!stage->spare)
        MPI_Abort(MPI_COMM_WORLD, CLND_OUT_OF_HOST_MEMORY); // the others would wait for ever
    return clnd__mpi_cl(code, "clEnqueueMapBuffer");
}

clnd_status clnd__mpi_unmap(mpi_stage *stage, cl_command_queue queue, cl_event *done)
{
    if (done)
        *done = NULL;
    if (stage->spare) {
        free(stage->spare);
        stage->spare = stage->mapped = NULL;
        return clnd__mpi_fail(CLND_OPENCL_ERROR, "clEnqueueMapBuffer failed before");
    }
    if (!stage->mapped)
        return CLND_OK;
    const cl_int code = clEnqueueUnmapMemObject(queue, stage->buffer, stage->mapped, 0, NULL, done);
    stage->mapped = NULL;
    return clnd__mpi_cl(code, "clEnqueueUnmapMemObject");
}

void clnd__mpi_stage_free(mpi_stage *stage, cl_command_queue queue)
{
    clnd__mpi_unmap(stage, queue, NULL);
    if (stage->buffer)
        clReleaseMemObject(stage->buffer);
    *stage = (mpi_stage){.buffer = NULL};
}

cl_command_queue clnd__mpi_queue(clnd_engine *engine, cl_command_queue queue)
{
    return queue ? queue : clnd_engine_queue(engine);
}
