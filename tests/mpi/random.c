// SPDX-License-Identifier: Apache-2.0
//
// clnd-mpi against libclnd: each rank does its part of random problems, and all of them on one
// device. Under mpirun; rank 0 prints TAP.
//
//     test-mpi [PROBLEMS [SEED]]

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placed.h"
#include "problem.h"
#include "world.h"

// Rows [first, first + rows) of the ranks' indices, or of what they move.
static clnd_tensor operand(const problem *p, bool indices, int64_t first, int64_t rows)
{
    const bool by_tuples = p->op == GATHER_ND || p->op == SCATTER_ND_INTO;
    const size_t row = indices ? p->index_bytes : p->dense_bytes;
    const unsigned char *bytes = (indices ? p->indices : p->dense) + (size_t)first * row;
    int64_t shape[CLND_MAX_RANK] = {rows};
    int32_t rank = 1;
    if (indices && by_tuples)
        shape[rank++] = p->k;
    for (int d = p->k; d < p->rank && (!indices || p->op == SCATTER_ELEMENTS); d++)
        shape[rank++] = p->moved[d];
    return tensor_of(bytes, indices ? p->index_dtype : p->dtype, rank, shape);
}

// Which of two NaNs a sum or product keeps is not promised, and depends on the kernel.
static void compare(const problem *p, const char *what, cl_mem buffer,
                    const unsigned char *expected, size_t bytes)
{
    const bool computes = (p->op == SCATTER_ND_INTO || p->op == SCATTER_ELEMENTS) &&
                          p->options.reduce != CLND_REDUCE_UPDATE;
    const size_t size = clnd_dtype_size(p->dtype);
    unsigned char *got = malloc(bytes + 1);
    if (!got || (bytes && clEnqueueReadBuffer(clnd_engine_queue(engine), buffer, CL_TRUE, 0, bytes,
                                              got, 0, NULL, NULL) != CL_SUCCESS))
        die("a buffer could not be read");
    for (size_t i = 0; i < bytes; i++)
        if (got[i] != expected[i] &&
            !(computes && placed_same_number(p->dtype, EQUAL_NUMBERS, expected + i / size * size,
                                             got + i / size * size)))
            die("byte %zu of %zu of %s is %02x, expected %02x (op %d, reduce %d, bounds %d)", i,
                bytes, what, got[i], expected[i], (int)p->op, (int)p->options.reduce,
                (int)p->options.bounds);
    free(got);
}

// What one device does with the whole table, in place or into what the caller frees.
static unsigned char *expected_of(const problem *p, size_t *bytes)
{
    const bool gathers = p->op == GATHER_ND || p->op == GATHER;
    const int64_t before = problem_total_rows(p, my_rank);
    const int64_t all = problem_total_rows(p, n_ranks), mine = p->rows[my_rank];
    const clnd_mpi_call_options *o = &p->options;
    clnd_tensor table = tensor_of(p->table, p->dtype, p->rank, p->shape);
    clnd_tensor indices = operand(p, true, gathers ? before : 0, gathers ? mine : all);
    clnd_tensor dense = operand(p, false, gathers ? before : 0, gathers ? mine : all);
    if (p->op == GATHER_ND)
        check(clnd_gather_nd(engine, NULL, &table, &indices, &dense,
                             &(clnd_gather_nd_options){.bounds = o->bounds, .fill = o->fill}, 0,
                             NULL, NULL),
              "gather_nd");
    else if (p->op == GATHER)
        check(clnd_gather(engine, NULL, &table, &indices, &dense,
                          &(clnd_gather_options){.bounds = o->bounds, .fill = o->fill}, 0, NULL,
                          NULL),
              "gather");
    else if (p->op == SCATTER_ND_INTO)
        check(clnd_scatter_nd_into(engine, NULL, &indices, &dense, &table,
                                   &(clnd_scatter_nd_options){.bounds = o->bounds,
                                                              .reduce = o->reduce,
                                                              .deterministic = o->deterministic},
                                   0, NULL, NULL),
              "scatter_nd_into");
    else
        check(clnd_scatter_elements(
                  engine, NULL, &indices, &dense, &table,
                  &(clnd_scatter_elements_options){
                      .bounds = o->bounds, .reduce = o->reduce, .deterministic = o->deterministic},
                  0, NULL, NULL),
              "scatter_elements");
    *bytes = gathers ? (size_t)mine * p->dense_bytes : p->table_bytes;
    unsigned char *result = calloc(1, *bytes + 1);
    if (*bytes)
        clEnqueueReadBuffer(clnd_engine_queue(engine), gathers ? dense.buffer : table.buffer,
                            CL_TRUE, 0, *bytes, result, 0, NULL, NULL);
    clReleaseMemObject(table.buffer);
    clReleaseMemObject(indices.buffer);
    clReleaseMemObject(dense.buffer);
    return result;
}

// The rows of a shard, from the whole table, in the words of the header.
static unsigned char *rows_of_shard(const problem *p, const unsigned char *table, int shard,
                                    int64_t rows)
{
    int total = 0;
    int64_t all = 1;
    for (int i = 0; i < n_ranks; i++)
        total += p->shards[i];
    for (int d = 0; d < p->layout.n_dims; d++)
        all *= p->shape[d];
    const size_t row = all ? p->table_bytes / (size_t)all : 0;
    unsigned char *bytes = calloc(1, row * (size_t)rows + 1);
    int64_t n = 0;
    for (int64_t i = 0; i < all; i++) {
        int owner = 0;
        if (p->layout.kind == CLND_MPI_CYCLIC)
            owner = (int)(i / p->layout.block % total);
        else if (p->layout.kind == CLND_MPI_OFFSETS)
            while (i >= p->offsets[owner + 1])
                owner++;
        else
            while (i >= (owner + 1) * (all / total) +
                            (owner + 1 < all % total ? owner + 1 : all % total))
                owner++;
        if (owner != shard)
            continue;
        if (n >= rows)
            die("shard %d has more than %lld rows", shard, (long long)rows);
        memcpy(bytes + row * (size_t)n++, table + row * (size_t)i, row);
    }
    if (n != rows)
        die("shard %d has %lld rows, not %lld", shard, (long long)n, (long long)rows);
    return bytes;
}

typedef struct parts {
    clnd_mpi *mpi;
    clnd_mpi_table *table;
    clnd_mpi_shard shards[MOST_SHARDS];
    int64_t rows[MOST_SHARDS];
    int first;
} parts;

static void make_parts(const problem *p, parts *t)
{
    const int32_t n = p->shards[my_rank];
    memset(t, 0, sizeof *t);
    for (int i = 0; i < my_rank; i++)
        t->first += p->shards[i];
    check(
        clnd_mpi_create(MPI_COMM_WORLD, &(clnd_mpi_options){.staging_bytes = p->staging}, &t->mpi),
        "create");
    check(clnd_mpi_rows(t->mpi, &p->layout, n, t->rows), "rows");
    for (int k = 0; k < n; k++) {
        int64_t shape[CLND_MAX_RANK] = {t->rows[k]};
        for (int d = p->layout.n_dims; d < p->rank; d++)
            shape[1 + d - p->layout.n_dims] = p->shape[d];
        unsigned char *bytes = rows_of_shard(p, p->table, t->first + k, t->rows[k]);
        t->shards[k] = (clnd_mpi_shard){
            engine, NULL, tensor_of(bytes, p->dtype, 1 + p->rank - p->layout.n_dims, shape)};
        free(bytes);
    }
    check(clnd_mpi_table_create(t->mpi, &p->layout, n, t->shards, &t->table), "table");
}

static void free_parts(const problem *p, parts *t)
{
    for (int k = 0; k < p->shards[my_rank]; k++)
        clReleaseMemObject(t->shards[k].tensor.buffer);
    clnd_mpi_table_destroy(&t->table);
    clnd_mpi_destroy(&t->mpi);
}

static void compare_shards(const problem *p, const parts *t, const unsigned char *whole)
{
    for (int k = 0; k < p->shards[my_rank]; k++) {
        int64_t count;
        unsigned char *bytes = rows_of_shard(p, whole, t->first + k, t->rows[k]);
        check(clnd_tensor_count(&t->shards[k].tensor, &count), "a shard");
        compare(p, "a shard", t->shards[k].tensor.buffer, bytes,
                (size_t)count * clnd_dtype_size(p->dtype));
        free(bytes);
    }
}

static clnd_status call(const problem *p, const parts *t, const clnd_tensor *indices,
                        const clnd_tensor *dense)
{
    static clnd_status (*const ops[])(const clnd_mpi_table *, clnd_engine *, cl_command_queue,
                                      const clnd_tensor *, const clnd_tensor *,
                                      const clnd_mpi_call_options *) = {
        clnd_mpi_gather_nd, clnd_mpi_gather, clnd_mpi_scatter_nd_into, clnd_mpi_scatter_elements};
    clnd_mpi_plan *plan;
    if (!p->runs)
        return ops[p->op](t->table, engine, NULL, indices, dense, &p->options);
    clnd_status status = clnd_mpi_plan_create(t->table, (clnd_mpi_op)p->op, engine, NULL, indices,
                                              &p->options, &plan);
    for (int run = 0; status == CLND_OK && run < p->runs; run++)
        status = clnd_mpi_plan_run(plan, dense);
    clnd_mpi_plan_destroy(&plan);
    return status;
}

static void run_problem(const problem *p)
{
    const int64_t before = problem_total_rows(p, my_rank);
    const bool refuses =
        p->options.bounds == CLND_BOUNDS_ERROR || p->options.bounds == CLND_BOUNDS_WRAP;
    const bool gathers = p->op == GATHER_ND || p->op == GATHER;
    parts t;
    make_parts(p, &t);
    clnd_tensor indices = operand(p, true, before, p->rows[my_rank]);
    clnd_tensor dense = operand(p, false, before, p->rows[my_rank]);
    const clnd_status status = call(p, &t, &indices, &dense);
    if (refuses && p->first_bad_rank >= 0) {
        char where[80];
        snprintf(where, sizeof where, "rank %d: ", (int)p->first_bad_rank);
        if (status != CLND_INDEX_OUT_OF_BOUNDS ||
            strncmp(clnd_mpi_last_error(), where, strlen(where)) != 0)
            die("%s, '%s', expected a bad row of %s", clnd_status_name(status),
                clnd_mpi_last_error(), where);
        snprintf(where, sizeof where, ": row %lld of", (long long)p->first_bad_row);
        if (!strstr(clnd_mpi_last_error(), where))
            die("'%s' does not name row %lld", clnd_mpi_last_error(), (long long)p->first_bad_row);
        compare_shards(p, &t, p->table);
    } else {
        size_t bytes;
        check(status, "the call");
        unsigned char *expected = expected_of(p, &bytes);
        if (gathers)
            compare(p, "out", dense.buffer, expected, bytes);
        compare_shards(p, &t, gathers ? p->table : expected);
        free(expected);
    }
    clReleaseMemObject(indices.buffer);
    clReleaseMemObject(dense.buffer);
    free_parts(p, &t);
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 200;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 22;
    world_begin(&argc, &argv);
    for (int number = 0; number < count; number++) {
        problem p;
        problem_make(&p, seed, number, n_ranks);
        at_problem = number;
        run_problem(&p);
        problem_free(&p);
    }
    if (!my_rank)
        printf("1..1\nok 1 - %d problems on %d ranks\n", count, n_ranks);
    world_end();
    return 0;
}
