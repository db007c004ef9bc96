// SPDX-License-Identifier: Apache-2.0
//
// A table of eight rows that no rank holds whole: every rank looks rows up and adds to some.
//
//     mpirun -n 3 build/mpi/clnd-mpi-example

#include <clnd/mpi.h>
#include <stdio.h>

enum { ROWS = 8, COLUMNS = 2, ASKED = 3 };

static int failed(const char *what)
{
    fprintf(stderr, "%s: %s %s\n", what, clnd_last_error(), clnd_mpi_last_error());
    return 1;
}

static cl_mem new_buffer(clnd_engine *engine, size_t bytes, const void *contents)
{
    cl_mem buffer =
        clCreateBuffer(clnd_engine_context(engine), CL_MEM_READ_WRITE, bytes, NULL, NULL);
    clEnqueueWriteBuffer(clnd_engine_queue(engine), buffer, CL_TRUE, 0, bytes, contents, 0, NULL,
                         NULL);
    return buffer;
}

// One rank after the other, so that lines do not mix.
static void print(int rank, int size, int64_t rows, const int64_t *asked, const float *got)
{
    for (int r = 0; r < size; r++) {
        if (r == rank) {
            printf("rank %d holds %lld rows; it asks for", rank, (long long)rows);
            for (int i = 0; i < ASKED; i++)
                printf(" %lld", (long long)asked[i]);
            printf(" and gets");
            for (int i = 0; i < ASKED; i++)
                printf(" (%g, %g)", (double)got[2 * i], (double)got[2 * i + 1]);
            printf("\n");
            fflush(stdout);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    const clnd_mpi_layout layout = {.n_dims = 1, .shape = {ROWS}}; // blocks of rows
    const clnd_mpi_call_options add = {.reduce = CLND_REDUCE_ADD, .deterministic = true};
    float zeros[ROWS * COLUMNS] = {0}, ones[ASKED * COLUMNS] = {1, 1, 1, 1, 1, 1}, got[6];
    int rank, size, level;
    clnd_engine *engine;
    clnd_mpi *mpi;
    clnd_mpi_table *table;
    clnd_tensor part, indices, rows;
    int64_t mine;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (clnd_engine_open(NULL, NULL, &engine) || clnd_mpi_create(MPI_COMM_WORLD, NULL, &mpi))
        return failed("open");

    // This rank's part of the table, of zeros, and three rows that it asks for.
    if (clnd_mpi_rows(mpi, &layout, 1, &mine))
        return failed("rows");
    const int64_t asked[ASKED] = {rank, 7, (rank + 5) % ROWS};
    clnd_tensor_dense(new_buffer(engine, sizeof zeros, zeros), 0, CLND_FLOAT32, 2,
                      (int64_t[]){mine, COLUMNS}, &part);
    clnd_tensor_dense(new_buffer(engine, sizeof asked, asked), 0, CLND_INT64, 2,
                      (int64_t[]){ASKED, 1}, &indices);
    clnd_tensor_dense(new_buffer(engine, sizeof ones, ones), 0, CLND_FLOAT32, 2,
                      (int64_t[]){ASKED, COLUMNS}, &rows);
    if (clnd_mpi_table_create(mpi, &layout, 1, &(clnd_mpi_shard){engine, NULL, part}, &table))
        return failed("table");

    // Every rank adds ones to its three rows, then looks at them.
    if (clnd_mpi_scatter_nd_into(table, engine, NULL, &indices, &rows, &add) ||
        clnd_mpi_gather_nd(table, engine, NULL, &indices, &rows, NULL))
        return failed("call");
    clEnqueueReadBuffer(clnd_engine_queue(engine), rows.buffer, CL_TRUE, 0, sizeof got, got, 0,
                        NULL, NULL);
    print(rank, size, mine, asked, got);

    clnd_mpi_table_destroy(&table);
    clnd_mpi_destroy(&mpi);
    clReleaseMemObject(part.buffer);
    clReleaseMemObject(indices.buffer);
    clReleaseMemObject(rows.buffer);
    clnd_engine_destroy(&engine);
    MPI_Finalize();
    return 0;
}
