// SPDX-License-Identifier: Apache-2.0

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { TEXT = 640, DEFAULT_STAGING = 256 << 20 };

static _Thread_local char last_error[TEXT];

const char *clnd_mpi_last_error(void)
{
    return last_error;
}

clnd_status clnd__mpi_fail(clnd_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    return status;
}

clnd_status clnd__mpi_code(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code == MPI_SUCCESS)
        return CLND_OK;
    MPI_Error_string(code, text, &length);
    return clnd__mpi_fail(CLND_MPI_ERROR, "%s failed: %.400s", call, text);
}

clnd_status clnd__mpi_cl(cl_int code, const char *call)
{
    if (code == CL_SUCCESS)
        return CLND_OK;
    const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES;
    return clnd__mpi_fail(memory                          ? CLND_OUT_OF_DEVICE_MEMORY
                          : code == CL_OUT_OF_HOST_MEMORY ? CLND_OUT_OF_HOST_MEMORY
                                                          : CLND_OPENCL_ERROR,
                          "%s failed with %d", call, code);
}

clnd_status clnd__mpi_op(clnd_status status)
{
    return status == CLND_OK ? CLND_OK : clnd__mpi_fail(status, "%s", clnd_last_error());
}

clnd_status clnd__mpi_memory(const void *memory, int64_t bytes)
{
    if (memory)
        return CLND_OK;
    return clnd__mpi_fail(CLND_OUT_OF_HOST_MEMORY, "no %lld bytes of host memory",
                          (long long)bytes);
}

// Agreement --------------------------------------------------------------------------------------

// The lowest rank that refuses tells the others why.
static clnd_status adopt(const clnd_mpi *mpi, int rank, clnd_status mine)
{
    struct {
        int32_t status;
        char text[TEXT];
    } told = {(int32_t)mine, ""};
    memcpy(told.text, last_error, sizeof told.text);
    const clnd_status status =
        clnd__mpi_code(MPI_Bcast(&told, sizeof told, MPI_BYTE, rank, mpi->comm), "MPI_Bcast");
    if (status != CLND_OK)
        return status;
    told.text[TEXT - 1] = '\0';
    return clnd__mpi_fail((clnd_status)told.status, "rank %d: %.600s", rank, told.text);
}

clnd_status clnd__mpi_largest(const clnd_mpi *mpi, clnd_status mine, int n, int64_t *numbers)
{
    int64_t given[2 * MPI_MOST_FIELDS + 1];
    memcpy(given, numbers, (size_t)n * sizeof *numbers);
    given[n] = mine == CLND_OK ? 0 : mpi->size - mpi->rank;
    int64_t largest[2 * MPI_MOST_FIELDS + 1];
    const clnd_status status = clnd__mpi_code(
        MPI_Allreduce(given, largest, n + 1, MPI_INT64_T, MPI_MAX, mpi->comm), "MPI_Allreduce");
    if (status != CLND_OK)
        return status;
    memcpy(numbers, largest, (size_t)n * sizeof *numbers);
    return largest[n] ? adopt(mpi, mpi->size - (int)largest[n], mine) : CLND_OK;
}

// Names the first rank that differs from rank 0.
static clnd_status name_difference(const clnd_mpi *mpi, int n, const mpi_field *fields)
{
    int64_t mine[MPI_MOST_FIELDS];
    int64_t *all = calloc((size_t)n * (size_t)mpi->size, sizeof *all);
    clnd_status status = clnd__mpi_memory(all, (int64_t)n * mpi->size * (int64_t)sizeof *all);
    for (int i = 0; i < n; i++)
        mine[i] = fields[i].value;
    status = clnd__mpi_agree(mpi, status, 0, NULL);
    if (status == CLND_OK)
        status = clnd__mpi_code(MPI_Allgather(mine, n, MPI_INT64_T, all, n, MPI_INT64_T, mpi->comm),
                                "MPI_Allgather");
    for (int r = 1; status == CLND_OK && r < mpi->size; r++)
        for (int i = 0; status == CLND_OK && i < n; i++)
            if (all[r * n + i] != all[i])
                status =
                    clnd__mpi_fail(CLND_INVALID_OPTION, "rank %d has %s %lld, rank 0 has %lld", r,
                                   fields[i].name, (long long)all[r * n + i], (long long)all[i]);
    free(all);
    return status;
}

clnd_status clnd__mpi_agree(const clnd_mpi *mpi, clnd_status mine, int n, const mpi_field *fields)
{
    int64_t ends[2 * MPI_MOST_FIELDS]; // the largest value, and the complement of the smallest
    for (int i = 0; i < n; i++) {
        ends[2 * i] = fields[i].value;
        ends[2 * i + 1] = ~fields[i].value;
    }
    const clnd_status status = clnd__mpi_largest(mpi, mine, 2 * n, ends);
    for (int i = 0; status == CLND_OK && i < n; i++)
        if (ends[2 * i] != ~ends[2 * i + 1])
            return name_difference(mpi, n, fields);
    return status;
}

// The communicator -------------------------------------------------------------------------------

static clnd_status check_library(void)
{
    int begun = 0, ended = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&begun);
    if (!begun)
        return clnd__mpi_fail(CLND_INVALID_OPTION, "mpi: MPI is not initialised");
    MPI_Finalized(&ended);
    if (ended)
        return clnd__mpi_fail(CLND_INVALID_OPTION, "mpi: MPI is finalised");
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_FUNNELED)
        return clnd__mpi_fail(CLND_INVALID_OPTION, "mpi: MPI has the thread level SINGLE; OpenCL "
                                                   "drivers need MPI_THREAD_FUNNELED or more");
    return CLND_OK;
}

static clnd_status check_options(const clnd_mpi_options *options)
{
    for (int i = 0; options && i < 8; i++)
        if (options->reserved[i])
            return clnd__mpi_fail(CLND_INVALID_OPTION, "mpi: reserved[%d] is not zero", i);
    if (options && options->staging_bytes > INT64_MAX)
        return clnd__mpi_fail(CLND_INVALID_OPTION, "mpi: staging_bytes is beyond 63 bits");
    return CLND_OK;
}

clnd_status clnd_mpi_create(MPI_Comm comm, const clnd_mpi_options *options, clnd_mpi **mpi)
{
    if (mpi)
        *mpi = NULL;
    clnd_status status = check_library();
    if (status != CLND_OK)
        return status;
    if (comm == MPI_COMM_NULL)
        return clnd__mpi_fail(CLND_INVALID_OPTION, "mpi: the communicator is MPI_COMM_NULL");
    clnd_mpi *made = calloc(1, sizeof *made);
    status = clnd__mpi_memory(made, sizeof *made);
    if (status == CLND_OK)
        status = check_options(options);
    if (!mpi)
        status = clnd__mpi_fail(CLND_NULL_POINTER, "mpi: the pointer to the result is NULL");
    clnd_mpi own = {.staging = options && status == CLND_OK && options->staging_bytes
                                   ? (int64_t)options->staging_bytes
                                   : DEFAULT_STAGING};
    clnd_status mpi_status = clnd__mpi_code(MPI_Comm_dup(comm, &own.comm), "MPI_Comm_dup");
    if (mpi_status != CLND_OK) {
        free(made);
        return mpi_status;
    }
    MPI_Comm_set_errhandler(own.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(own.comm, &own.rank);
    MPI_Comm_size(own.comm, &own.size);
    status = clnd__mpi_agree(&own, status, 1, &(mpi_field){"staging_bytes", own.staging});
    if (status != CLND_OK) {
        MPI_Comm_free(&own.comm);
        free(made);
        return status;
    }
    *made = own;
    *mpi = made;
    return CLND_OK;
}

void clnd_mpi_destroy(clnd_mpi **mpi)
{
    if (!mpi || !*mpi)
        return;
    MPI_Comm_free(&(*mpi)->comm);
    free(*mpi);
    *mpi = NULL;
}
