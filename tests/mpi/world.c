// SPDX-License-Identifier: Apache-2.0

#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int my_rank, n_ranks, at_problem;
clnd_engine *engine;

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("# rank %d, problem %d: ", my_rank, at_problem);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void check(clnd_status status, const char *what)
{
    if (status != CLND_OK)
        die("%s: %s: %s, %s", what, clnd_status_name(status), clnd_last_error(),
            clnd_mpi_last_error());
}

cl_mem make_buffer(const void *bytes, size_t size)
{
    cl_int code;
    cl_mem buffer =
        clCreateBuffer(clnd_engine_context(engine), CL_MEM_READ_WRITE, size + 1, NULL, &code);
    if (code != CL_SUCCESS)
        die("no buffer of %zu bytes", size);
    if (size && clEnqueueWriteBuffer(clnd_engine_queue(engine), buffer, CL_TRUE, 0, size, bytes, 0,
                                     NULL, NULL) != CL_SUCCESS)
        die("a buffer could not be written");
    return buffer;
}

clnd_tensor tensor_of(const void *bytes, clnd_dtype dtype, int32_t rank, const int64_t *shape)
{
    clnd_tensor tensor;
    int64_t count;
    check(clnd_tensor_dense(NULL, 0, dtype, rank, shape, &tensor), "a tensor");
    check(clnd_tensor_count(&tensor, &count), "a tensor");
    tensor.buffer = make_buffer(bytes, (size_t)count * clnd_dtype_size(dtype));
    return tensor;
}

void world_begin(int *argc, char ***argv)
{
    int level;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    check(clnd_engine_open(NULL, NULL, &engine), "no device");
}

void world_end(void)
{
    clnd_engine_destroy(&engine);
    MPI_Finalize();
}
