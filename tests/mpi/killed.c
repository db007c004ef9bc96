// SPDX-License-Identifier: Apache-2.0
//
// A rank that is killed while others are in calls must end these with an error, not leave them
// waiting. Under mpirun, whose status is then not 0.

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "world.h"

enum { ROWS = 4096, BYTES = 64, CALLS = 100000 };

int main(int argc, char **argv)
{
    static unsigned char zeros[ROWS * BYTES];
    static int64_t indices[ROWS];
    const clnd_mpi_layout layout = {.n_dims = 1, .shape = {ROWS}};
    clnd_mpi *mpi;
    clnd_mpi_table *table;
    int64_t rows;
    world_begin(&argc, &argv);
    check(clnd_mpi_create(MPI_COMM_WORLD, NULL, &mpi), "create");
    check(clnd_mpi_rows(mpi, &layout, 1, &rows), "rows");
    for (int i = 0; i < ROWS; i++)
        indices[i] = i;
    clnd_tensor part = tensor_of(zeros, CLND_UINT8, 2, (int64_t[]){rows, BYTES});
    clnd_tensor places = tensor_of(indices, CLND_INT64, 2, (int64_t[]){ROWS, 1});
    clnd_tensor out = tensor_of(zeros, CLND_UINT8, 2, (int64_t[]){ROWS, BYTES});
    check(clnd_mpi_table_create(mpi, &layout, 1, &(clnd_mpi_shard){engine, NULL, part}, &table),
          "table");
    printf("# calls begin\n");
    fflush(stdout);
    for (int call = 0; call < CALLS; call++) {
        if (call == 10 && my_rank == n_ranks - 1)
            kill(getpid(), SIGKILL);
        check(clnd_mpi_gather_nd(table, engine, NULL, &places, &out, NULL), "gather");
    }
    return 0; // the test fails: nobody was killed
}
