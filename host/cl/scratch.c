// SPDX-License-Identifier: Apache-2.0

#include "host/cl/scratch.h"

void clnd__spare_scratch_close(clnd__spare_scratch *spare)
{
    if (spare->scratch.memory)
        clReleaseMemObject(spare->scratch.memory);
    if (spare->used)
        clReleaseEvent(spare->used);
    *spare = (clnd__spare_scratch){.limit = spare->limit};
}

// A command that has failed has ended too. Spare memory whose event has no status is left alone.
static bool is_free(const clnd__spare_scratch *spare)
{
    cl_int state = CL_COMPLETE, code = CL_SUCCESS;
    if (spare->used)
        code = clGetEventInfo(spare->used, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                              NULL);
    return code == CL_SUCCESS && state <= CL_COMPLETE;
}

cl_int clnd__scratch_take(clnd__spare_scratch *spare, cl_context context, size_t size,
                          clnd__scratch *scratch)
{
    if (spare->scratch.memory && spare->scratch.size >= size && is_free(spare)) {
        *scratch = spare->scratch;
        spare->scratch.memory = NULL;
        clnd__spare_scratch_close(spare);
        return CL_SUCCESS;
    }
    cl_int code;
    *scratch = (clnd__scratch){clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &code), size};
    return code;
}

void clnd__scratch_return(clnd__spare_scratch *spare, clnd__scratch scratch, bool known,
                          cl_event used)
{
    const uint64_t limit = spare->limit ? spare->limit : CLND__SPARE_SCRATCH;
    if (!known || scratch.size > limit || scratch.size < spare->scratch.size ||
        (used && clRetainEvent(used) != CL_SUCCESS)) {
        clReleaseMemObject(scratch.memory);
        return;
    }
    clnd__spare_scratch_close(spare);
    spare->scratch = scratch;
    spare->used = used;
}
