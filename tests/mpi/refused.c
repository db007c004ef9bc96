// SPDX-License-Identifier: Apache-2.0
//
// Calls of clnd-mpi that are refused: on all ranks, with one text, and with the table as it was.
// Then one that takes more memory than it is given, and goes in rounds. Under mpirun, on two ranks
// or more; rank 0 prints TAP.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "world.h"

static int number;

static void passed(const char *what)
{
    if (!my_rank)
        printf("ok %d - %s\n", ++number, what);
}

// All ranks must have got the same status and the same text.
static void expect(clnd_status got, clnd_status wanted, const char *text)
{
    char mine[700] = "", of_rank_0[700];
    snprintf(mine, sizeof mine, "%s: %s", clnd_status_name(got), clnd_mpi_last_error());
    memcpy(of_rank_0, mine, sizeof mine);
    MPI_Bcast(of_rank_0, sizeof of_rank_0, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (got != wanted || strcmp(mine, of_rank_0) != 0 || !strstr(mine, text))
        die("got '%s', rank 0 '%s', expected %s: '%s'", mine, of_rank_0, clnd_status_name(wanted),
            text);
    passed(text);
}

static clnd_mpi *mpi_with(uint64_t staging)
{
    clnd_mpi *mpi;
    check(clnd_mpi_create(MPI_COMM_WORLD, &(clnd_mpi_options){.staging_bytes = staging}, &mpi),
          "create");
    return mpi;
}

enum { ROWS = 12, COLUMNS = 4 };

typedef struct scene {
    clnd_mpi *mpi;
    clnd_mpi_table *table;
    clnd_tensor part, indices, dense;
    float values[ROWS * COLUMNS];
} scene;

static const clnd_mpi_layout blocks = {.n_dims = 1, .shape = {ROWS}};

static void begin(scene *s, uint64_t staging, const int64_t *indices, int64_t n)
{
    int64_t rows;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        s->values[i] = (float)i;
    s->mpi = mpi_with(staging);
    check(clnd_mpi_rows(s->mpi, &blocks, 1, &rows), "rows");
    s->part = tensor_of(s->values, CLND_FLOAT32, 2, (int64_t[]){rows, COLUMNS});
    check(clnd_mpi_table_create(s->mpi, &blocks, 1, &(clnd_mpi_shard){engine, NULL, s->part},
                                &s->table),
          "table");
    s->indices = tensor_of(indices, CLND_INT64, 2, (int64_t[]){n, 1});
    s->dense = tensor_of(s->values, CLND_FLOAT32, 2, (int64_t[]){n, COLUMNS});
}

// The table must be as it was.
static void end(scene *s)
{
    float now[ROWS * COLUMNS];
    const size_t bytes = (size_t)s->part.shape[0] * COLUMNS * sizeof *now;
    if (bytes)
        clEnqueueReadBuffer(clnd_engine_queue(engine), s->part.buffer, CL_TRUE, 0, bytes, now, 0,
                            NULL, NULL);
    if (memcmp(now, s->values, bytes) != 0)
        die("the table has changed");
    clnd_mpi_table_destroy(&s->table);
    clnd_mpi_destroy(&s->mpi);
    clReleaseMemObject(s->part.buffer);
    clReleaseMemObject(s->indices.buffer);
    clReleaseMemObject(s->dense.buffer);
}

static clnd_status scatter(scene *s, clnd_mpi_call_options options)
{
    return clnd_mpi_scatter_nd_into(s->table, engine, NULL, &s->indices, &s->dense, &options);
}

static clnd_status gather(scene *s, clnd_mpi_call_options options)
{
    return clnd_mpi_gather_nd(s->table, engine, NULL, &s->indices, &s->dense, &options);
}

static void calls(void)
{
    const int64_t good[] = {0, 11, 3}, bad[] = {0, my_rank == 1 ? 12 : 11, 3};
    const bool first = my_rank == 0;
    scene s;
    begin(&s, 0, bad, 3);
    expect(scatter(&s, (clnd_mpi_call_options){.reduce = CLND_REDUCE_ADD}),
           CLND_INDEX_OUT_OF_BOUNDS,
           "rank 1: scatter_nd_into: row 1 of indices, [12], does not index into the table's [12]");
    end(&s);
    begin(&s, 0, good, 3);
    expect(scatter(&s,
                   (clnd_mpi_call_options){.bounds = first ? CLND_BOUNDS_SKIP : CLND_BOUNDS_CLAMP}),
           CLND_INVALID_OPTION, "rank 1 has bounds 4, rank 0 has 2");
    expect(scatter(&s, (clnd_mpi_call_options){.deterministic = first}), CLND_INVALID_OPTION,
           "rank 1 has deterministic 0, rank 0 has 1");
    expect(first ? scatter(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_SKIP})
                 : gather(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_SKIP}),
           CLND_INVALID_OPTION, "rank 1 has an operation with the number 0, rank 0 has 2");
    expect(scatter(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_FILL, .fill = s.values}),
           CLND_INVALID_OPTION, "rank 0: scatter_nd: bounds is FILL");
    expect(gather(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_FILL}), CLND_NULL_POINTER,
           "rank 0: gather_nd: bounds is FILL, and fill is NULL");
    expect(gather(&s, (clnd_mpi_call_options){.reserved = {first ? 0 : 1}}), CLND_INVALID_OPTION,
           "rank 1: gather_nd: reserved[0] is not zero");
    s.dense.shape[1] = first ? COLUMNS : COLUMNS - 1;
    expect(gather(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_ZERO}), CLND_INVALID_SHAPE,
           "rank 1: gather_nd: out does not have the shape of the result");
    s.dense.shape[1] = COLUMNS;
    s.dense.strides[1] = first ? 1 : 2;
    s.dense.shape[0] = s.indices.shape[0] = 1;
    expect(gather(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_ZERO}), CLND_INVALID_STRIDES,
           "rank 1: gather_nd: out is not dense");
    s.dense.strides[1] = 1;
    s.dense.dtype = first ? CLND_FLOAT32 : CLND_INT32;
    expect(gather(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_ZERO}), CLND_DTYPE_MISMATCH,
           "rank 1: gather_nd: out and the table have two dtypes");
    s.dense.dtype = CLND_FLOAT32;
    expect(clnd_mpi_gather_nd(s.table, first ? engine : NULL, NULL, &s.indices, &s.dense, NULL),
           CLND_NULL_POINTER, "rank 1: gather_nd: engine is NULL");
    end(&s);
    begin(&s, 200, good, 3);
    expect(gather(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_ZERO}), CLND_INVALID_OPTION,
           "staging_bytes is 200, but one row of each rank needs ");
    end(&s);
}

// In the place of MPI's own, which clnd-mpi would call.
static bool mpi_fails;

int MPI_Alltoallv(const void *sent, const int *counts, const int *displacements, MPI_Datatype type,
                  void *received, const int *other_counts, const int *other_displacements,
                  MPI_Datatype other_type, MPI_Comm comm)
{
    return mpi_fails ? MPI_ERR_OTHER
                     : PMPI_Alltoallv(sent, counts, displacements, type, received, other_counts,
                                      other_displacements, other_type, comm);
}

static void failing_mpi(void)
{
    const int64_t good[] = {0, 11, 3};
    clnd_mpi *none;
    scene s;
    begin(&s, 0, good, 3);
    mpi_fails = true;
    expect(gather(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_ZERO}), CLND_MPI_ERROR,
           "MPI_Alltoallv failed: ");
    expect(scatter(&s, (clnd_mpi_call_options){.bounds = CLND_BOUNDS_SKIP}), CLND_MPI_ERROR,
           "MPI_Alltoallv failed: ");
    mpi_fails = false;
    check(scatter(&s, (clnd_mpi_call_options){.reduce = CLND_REDUCE_MAX}), "the next call");
    end(&s);
    expect(clnd_mpi_create(MPI_COMM_NULL, NULL, &none), CLND_INVALID_OPTION, "MPI_COMM_NULL");
}

static void plans(void)
{
    const int64_t good[] = {0, 11, 3}, bad[] = {0, my_rank == 1 ? 12 : 11, 3};
    const clnd_mpi_call_options skip = {.bounds = CLND_BOUNDS_SKIP};
    clnd_mpi_plan *one, *two, *none;
    scene s;
    begin(&s, 0, bad, 3);
    expect(clnd_mpi_plan_create(s.table, CLND_MPI_GATHER_ND, engine, NULL, &s.indices, NULL, &none),
           CLND_INDEX_OUT_OF_BOUNDS, "rank 1: gather_nd: row 1 of indices, [12]");
    expect(clnd_mpi_plan_create(s.table, my_rank ? (clnd_mpi_op)7 : CLND_MPI_GATHER, engine, NULL,
                                &s.indices, NULL, &none),
           CLND_INVALID_OPTION, "rank 1: plan: unknown op 7");
    end(&s);
    begin(&s, 0, good, 3);
    check(clnd_mpi_plan_create(s.table, CLND_MPI_GATHER_ND, engine, NULL, &s.indices, &skip, &one),
          "a plan");
    check(clnd_mpi_plan_create(s.table, CLND_MPI_SCATTER_ND_INTO, engine, NULL, &s.indices, &skip,
                               &two),
          "a plan");
    expect(clnd_mpi_plan_run(my_rank ? two : one, &s.dense), CLND_INVALID_OPTION,
           "rank 1 has a plan with the number 2, rank 0 has 1");
    expect(clnd_mpi_plan_run(two, my_rank ? NULL : &s.dense), CLND_NULL_POINTER,
           "rank 1: scatter_nd_into: updates is NULL");
    s.dense.shape[0] -= my_rank == 1;
    expect(clnd_mpi_plan_run(one, &s.dense), CLND_INVALID_SHAPE,
           "rank 1: gather_nd: out does not have the shape of the result");
    clnd_mpi_plan_destroy(&one);
    clnd_mpi_plan_destroy(&two);
    end(&s);
}

static void rounded_once(void)
{
    const int64_t rows = my_rank ? 0 : 2;
    uint16_t zeros[400] = {0};
    int64_t indices[100] = {0};
    clnd_mpi *mpi = mpi_with(8000);
    clnd_mpi_table *table;
    const clnd_mpi_layout layout = {.kind = CLND_MPI_CYCLIC, .block = 2, .n_dims = 1, .shape = {2}};
    clnd_tensor part = tensor_of(zeros, CLND_FLOAT16, 2, (int64_t[]){rows, 4});
    clnd_tensor places = tensor_of(indices, CLND_INT64, 2, (int64_t[]){100, 1});
    clnd_tensor updates = tensor_of(zeros, CLND_FLOAT16, 2, (int64_t[]){100, 4});
    check(clnd_mpi_table_create(mpi, &layout, 1, &(clnd_mpi_shard){engine, NULL, part}, &table),
          "table");
    expect(clnd_mpi_scatter_nd_into(
               table, engine, NULL, &places, &updates,
               &(clnd_mpi_call_options){.reduce = CLND_REDUCE_ADD, .deterministic = true}),
           CLND_BUFFER_TOO_SMALL,
           "sums of 16-bit floats that are rounded once must fit into one round");
    clnd_mpi_table_destroy(&table);
    clnd_mpi_destroy(&mpi);
}

static void layouts(void)
{
    const bool first = my_rank == 0;
    clnd_mpi *mpi = mpi_with(0);
    int64_t rows[2], offsets[2 * 64] = {0};
    clnd_mpi_layout l = {.kind = CLND_MPI_OFFSETS, .n_dims = 1, .shape = {9}, .offsets = offsets};
    expect(clnd_mpi_rows(mpi, &l, 1, rows), CLND_INVALID_SHAPE, "but the table has 9 rows");
    offsets[1] = 5;
    offsets[n_ranks] = 4;
    expect(clnd_mpi_rows(mpi, &l, 1, rows), CLND_INVALID_SHAPE, " is below offsets[");
    offsets[0] = 1;
    expect(clnd_mpi_rows(mpi, &l, 1, rows), CLND_INVALID_SHAPE, "offsets[0] is 1, not 0");
    offsets[0] = 0;
    for (int i = 1; i <= n_ranks; i++)
        offsets[i] = i == n_ranks ? 9 : first ? 1 : 2;
    expect(clnd_mpi_rows(mpi, &l, 1, rows), CLND_INVALID_OPTION, "offsets with the digest");
    expect(clnd_mpi_rows(mpi, &l, 0, rows), CLND_INVALID_SHAPE, "no rank has a shard");
    l = (clnd_mpi_layout){.n_dims = 1, .shape = {first ? 9 : 8}};
    expect(clnd_mpi_rows(mpi, &l, 1, rows), CLND_INVALID_OPTION,
           "rank 1 has a size 8, rank 0 has 9");
    l = (clnd_mpi_layout){.kind = CLND_MPI_CYCLIC, .n_dims = 1, .shape = {9}};
    expect(clnd_mpi_rows(mpi, &l, 1, rows), CLND_INVALID_OPTION, "blocks of 0 rows");
    l = (clnd_mpi_layout){.n_dims = first ? 1 : 17, .shape = {9}};
    expect(clnd_mpi_rows(mpi, &l, 1, rows), CLND_INVALID_RANK, "rank 1: table: n_dims is 17");
    l = (clnd_mpi_layout){.n_dims = 2, .shape = {INT64_MAX, 2}};
    expect(clnd_mpi_rows(mpi, &l, 1, rows), CLND_SIZE_OVERFLOW, "more than 2^63 - 1 rows");
    l = (clnd_mpi_layout){.n_dims = 1, .shape = {first ? 9 : -1}};
    expect(clnd_mpi_rows(mpi, &l, 1, rows), CLND_INVALID_SHAPE, "rank 1: table: shape[0] is -1");
    clnd_mpi_destroy(&mpi);
    expect(
        clnd_mpi_create(MPI_COMM_WORLD, &(clnd_mpi_options){.staging_bytes = first ? 5 : 6}, &mpi),
        CLND_INVALID_OPTION, "rank 1 has staging_bytes 6, rank 0 has 5");
}

static void tables(void)
{
    const bool first = my_rank == 0;
    const float zeros[ROWS * COLUMNS] = {0};
    clnd_mpi *mpi = mpi_with(0);
    clnd_mpi_table *table;
    int64_t rows;
    check(clnd_mpi_rows(mpi, &blocks, 1, &rows), "rows");
    clnd_tensor part = tensor_of(zeros, CLND_FLOAT32, 2, (int64_t[]){rows, COLUMNS});
    clnd_mpi_shard shard = {engine, NULL, part};
    shard.tensor.shape[1] -= !first;
    shard.tensor.strides[0] -= !first;
    expect(clnd_mpi_table_create(mpi, &blocks, 1, &shard, &table), CLND_INVALID_OPTION,
           "rank 1 has a row's size 3, rank 0 has 4");
    shard.tensor = part;
    shard.tensor.shape[0] -= !first;
    expect(clnd_mpi_table_create(mpi, &blocks, 1, &shard, &table), CLND_INVALID_SHAPE,
           "the layout gives it");
    shard.tensor = part;
    shard.tensor.strides[0] += !first;
    expect(clnd_mpi_table_create(mpi, &blocks, 1, &shard, &table), CLND_INVALID_STRIDES,
           "rank 1: table: shard 0 is not dense");
    shard = (clnd_mpi_shard){first ? engine : NULL, NULL, part};
    expect(clnd_mpi_table_create(mpi, &blocks, 1, &shard, &table), CLND_NULL_POINTER,
           "rank 1: table: shard 0 has no engine");
    expect(clnd_mpi_table_create(mpi, &blocks, 1, first ? &shard : NULL, &table), CLND_NULL_POINTER,
           "rank 1: table: shards is NULL");
    clReleaseMemObject(part.buffer);
    clnd_mpi_destroy(&mpi);
}

// 32 MiB of rows through 2 MiB: what the process has at most grows by little more.
static void bounded_memory(void)
{
    enum { N = 1 << 16, BYTES = 512, STAGING = 2 << 20, SLACK = 4 << 20 };
    clnd_mpi *mpi = mpi_with(STAGING);
    clnd_mpi_table *table;
    int64_t rows, *indices = calloc(N, sizeof *indices);
    unsigned char *zeros = calloc(N, BYTES);
    const clnd_mpi_layout layout = {.n_dims = 1, .shape = {N}};
    struct rusage before, after;
    check(clnd_mpi_rows(mpi, &layout, 1, &rows), "rows");
    for (int i = 0; i < N; i++)
        indices[i] = (int64_t)i * 40503 % N;
    clnd_tensor part = tensor_of(zeros, CLND_UINT8, 2, (int64_t[]){rows, BYTES});
    clnd_tensor places = tensor_of(indices, CLND_INT64, 2, (int64_t[]){N, 1});
    clnd_tensor out = tensor_of(zeros, CLND_UINT8, 2, (int64_t[]){N, BYTES});
    check(clnd_mpi_table_create(mpi, &layout, 1, &(clnd_mpi_shard){engine, NULL, part}, &table),
          "table");
    for (int turn = 0; turn < 2; turn++) { // the first compiles and connects
        getrusage(RUSAGE_SELF, &before);
        check(clnd_mpi_gather_nd(table, engine, NULL, &places, &out, NULL), "gather");
        getrusage(RUSAGE_SELF, &after);
    }
    const long long grown = (after.ru_maxrss - before.ru_maxrss) * 1024LL;
    if (grown > STAGING + SLACK)
        die("memory grew by %lld bytes", grown);
    passed("memory stays within staging_bytes");
    clnd_mpi_table_destroy(&table);
    clnd_mpi_destroy(&mpi);
    free(indices);
    free(zeros);
}

int main(int argc, char **argv)
{
    world_begin(&argc, &argv);
    calls();
    plans();
    failing_mpi();
    rounded_once();
    layouts();
    tables();
    bounded_memory();
    if (!my_rank)
        printf("1..%d\n", number);
    world_end();
    return 0;
}
