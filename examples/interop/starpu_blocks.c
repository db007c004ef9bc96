// SPDX-License-Identifier: Apache-2.0
//
// Tasks of a cluster with StarPU: a table in blocks, which StarPU keeps on the ranks that own them.
// Rows that are looked up in one block are added to the next one:
//
//     rows[b]               = block[b][places]     clnd_gather, where block b lies
//     block[b + 1][places] += rows[b]              clnd_scatter_nd_into, where block b + 1 lies
//
// The tasks name their data alone. StarPU finds that each needs the one before, and moves rows
// between ranks and devices.
//
//     cc starpu_blocks.c -o starpu_blocks $(pkg-config --cflags --libs clnd starpumpi-1.3 OpenCL)
//     mpirun -n 2 ./starpu_blocks

#define CL_TARGET_OPENCL_VERSION 120
#include <clnd/clnd.h>
#include <starpu_mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 4, ROWS = 2, WIDTH = 2, PLACES = 3 };

static clnd_engine *engines[STARPU_NMAXWORKERS]; // by number of the device

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "starpu_blocks: %s failed. %s\n", what, clnd_last_error());
    exit(EXIT_FAILURE);
}

static int my_device(void)
{
    return starpu_worker_get_devid((int)starpu_worker_get_id_check());
}

static void open_engine(void *unused)
{
    cl_context context;
    cl_device_id device;
    (void)unused;
    starpu_opencl_get_context(my_device(), &context);
    starpu_opencl_get_device(my_device(), &device);
    need(!clnd_engine_create(context, device, NULL, &engines[my_device()]), "engine");
}

static void close_engine(void *unused)
{
    (void)unused;
    clnd_engine_destroy(&engines[my_device()]);
}

static clnd_tensor rows_of(void *data)
{
    const int64_t shape[2] = {STARPU_MATRIX_GET_NY(data), STARPU_MATRIX_GET_NX(data)};
    clnd_tensor made;
    need(!clnd_tensor_dense((cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(data),
                            STARPU_MATRIX_GET_OFFSET(data), CLND_FLOAT32, 2, shape, &made),
         "rows");
    return made;
}

static clnd_tensor places_of(void *data)
{
    const int64_t shape[2] = {STARPU_VECTOR_GET_NX(data), 1};
    clnd_tensor made;
    need(!clnd_tensor_dense((cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(data),
                            STARPU_VECTOR_GET_OFFSET(data), CLND_INT32, 2, shape, &made),
         "places");
    return made;
}

// A task's body enqueues on the queue of its worker; StarPU waits for what is in it.
static void gather(void *data[], void *unused)
{
    const clnd_tensor block = rows_of(data[0]), places = places_of(data[1]);
    const clnd_tensor rows = rows_of(data[2]);
    cl_command_queue queue;
    (void)unused;
    starpu_opencl_get_queue(my_device(), &queue);
    need(!clnd_gather_nd(engines[my_device()], queue, &block, &places, &rows, NULL, 0, NULL, NULL),
         "gather");
}

static void scatter(void *data[], void *unused)
{
    const clnd_tensor block = rows_of(data[0]), places = places_of(data[1]);
    const clnd_tensor rows = rows_of(data[2]);
    const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD};
    cl_command_queue queue;
    (void)unused;
    starpu_opencl_get_queue(my_device(), &queue);
    need(!clnd_scatter_nd_into(engines[my_device()], queue, &places, &rows, &block, &add, 0, NULL,
                               NULL),
         "scatter");
}

static struct starpu_codelet gathers = {.opencl_funcs = {gather},
                                        .opencl_flags = {STARPU_OPENCL_ASYNC},
                                        .nbuffers = 3,
                                        .modes = {STARPU_R, STARPU_R, STARPU_W}};
static struct starpu_codelet scatters = {.opencl_funcs = {scatter},
                                         .opencl_flags = {STARPU_OPENCL_ASYNC},
                                         .nbuffers = 3,
                                         .modes = {STARPU_RW, STARPU_R, STARPU_R}};

// Data of rank `owner`, of whose memory it is; without memory StarPU finds some.
static starpu_data_handle_t matrix(int me, int owner, int tag, float *values, unsigned rows)
{
    starpu_data_handle_t made;
    starpu_matrix_data_register(&made, me == owner && values ? STARPU_MAIN_RAM : -1,
                                (uintptr_t)values, WIDTH, WIDTH, rows, sizeof(float));
    starpu_mpi_data_register(made, tag, owner);
    return made;
}

// On rank 0, which the block comes to for that.
static void print(int me, int owner, int b, starpu_data_handle_t block)
{
    starpu_mpi_get_data_on_node(MPI_COMM_WORLD, block, 0);
    if (me)
        return;
    starpu_data_acquire(block, STARPU_R);
    const float *row = starpu_data_get_local_ptr(block);
    printf("block %d, on rank %d: %g %g, %g %g\n", b, owner, row[0], row[1], row[2], row[3]);
    starpu_data_release(block);
}

int main(int argc, char **argv)
{
    float table[BLOCKS][ROWS][WIDTH] = {{{1, 2}, {3, 4}}};
    int32_t list[PLACES] = {0, 1, 1};
    starpu_data_handle_t block[BLOCKS], rows[BLOCKS], places;
    int me, ranks;

    setenv("STARPU_OPENCL_ON_CPUS", "1", 0); // StarPU leaves those to its own workers otherwise
    need(!starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, NULL), "StarPU");
    need(starpu_opencl_worker_get_count() > 0, "finding an OpenCL device");
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    starpu_execute_on_each_worker(open_engine, NULL, STARPU_OPENCL);

    for (int b = 0; b < BLOCKS; b++) {
        block[b] = matrix(me, b % ranks, b, table[b][0], ROWS);
        rows[b] = matrix(me, b % ranks, BLOCKS + b, NULL, PLACES);
    }
    starpu_vector_data_register(&places, me == 0 ? STARPU_MAIN_RAM : -1, (uintptr_t)list, PLACES,
                                sizeof *list);
    starpu_mpi_data_register(places, 2 * BLOCKS, 0);

    for (int b = 0; b + 1 < BLOCKS; b++) {
        starpu_mpi_task_insert(MPI_COMM_WORLD, &gathers, STARPU_R, block[b], STARPU_R, places,
                               STARPU_W, rows[b], 0);
        starpu_mpi_task_insert(MPI_COMM_WORLD, &scatters, STARPU_RW, block[b + 1], STARPU_R, places,
                               STARPU_R, rows[b], 0);
    }
    for (int b = 0; b < BLOCKS; b++)
        print(me, b % ranks, b, block[b]);

    for (int b = 0; b < BLOCKS; b++) {
        starpu_data_unregister(rows[b]);
        starpu_data_unregister(block[b]);
    }
    starpu_data_unregister(places);
    starpu_execute_on_each_worker(close_engine, NULL, STARPU_OPENCL);
    starpu_mpi_shutdown();
}
