// SPDX-License-Identifier: Apache-2.0

#include <clnd/mpi.h>
#include <stdlib.h>

#include "failure.h"
#include "problem.h"

static clnd_engine *engine;
static clnd_mpi *mpi;

struct state {
    struct problem *problem;
    bool scatters;
    clnd_mpi_call_options options;
    clnd_mpi_table *table;
    clnd_mpi_plan *plan;
    clnd_tensor shard, indices, dense;
};

static void must(clnd_status status)
{
    need(status == CLND_OK || fail("%s; %s", clnd_mpi_last_error(), clnd_last_error()), "clnd");
}

static clnd_tensor tensor(clnd_dtype dtype, int64_t rows, int64_t width, void *values)
{
    cl_int code;
    clnd_tensor made;
    const size_t bytes = (size_t)(rows * width) * clnd_dtype_size(dtype);
    cl_mem buffer = clCreateBuffer(clnd_engine_context(engine),
                                   CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, values, &code);
    need(buffer != NULL || fail_cl("clCreateBuffer", code), "a buffer");
    must(clnd_tensor_dense(buffer, 0, dtype, 2, (int64_t[]){rows, width}, &made));
    return made;
}

static void *open_clnd(struct problem *p, bool scatters, bool merges)
{
    struct state *s = take(1, sizeof *s);
    const clnd_mpi_layout layout = {.n_dims = 1, .shape = {p->rows}};
    if (!engine) {
        must(clnd_engine_open(NULL, NULL, &engine));
        must(clnd_mpi_create(MPI_COMM_WORLD, NULL, &mpi));
    }
    *s = (struct state){.problem = p, .scatters = scatters};
    s->options.reduce = scatters ? CLND_REDUCE_ADD : CLND_REDUCE_DEFAULT;
    s->options.merge_duplicates = merges;
    s->shard = tensor(CLND_FLOAT64, p->mine, WIDTH, p->table);
    s->indices = tensor(CLND_INT64, p->asked, 1, p->indices);
    s->dense = tensor(CLND_FLOAT64, p->asked, WIDTH, p->dense);
    must(clnd_mpi_table_create(mpi, &layout, 1, &(clnd_mpi_shard){engine, NULL, s->shard},
                               &s->table));
    return s;
}

static void prepare(void *state)
{
    struct state *s = state;
    must(clnd_mpi_plan_create(s->table, s->scatters ? CLND_MPI_SCATTER_ND_INTO : CLND_MPI_GATHER_ND,
                              engine, NULL, &s->indices, &s->options, &s->plan));
}

static void run(void *state)
{
    struct state *s = state;
    must(clnd_mpi_plan_run(s->plan, &s->dense));
}

static void forget(void *state)
{
    struct state *s = state;
    clnd_mpi_plan_destroy(&s->plan);
}

static void once(void *state)
{
    struct state *s = state;
    must(s->scatters
             ? clnd_mpi_scatter_nd_into(s->table, engine, NULL, &s->indices, &s->dense, &s->options)
             : clnd_mpi_gather_nd(s->table, engine, NULL, &s->indices, &s->dense, &s->options));
}

static void fetch(const clnd_tensor *tensor, int64_t rows, double *values)
{
    const int code = clEnqueueReadBuffer(clnd_engine_queue(engine), tensor->buffer, CL_TRUE, 0,
                                         (size_t)rows * ROW_BYTES, values, 0, NULL, NULL);
    need(code == CL_SUCCESS || fail_cl("clEnqueueReadBuffer", code), "reading");
}

static void close_clnd(void *state)
{
    struct state *s = state;
    fetch(&s->shard, s->problem->mine, s->problem->table);
    fetch(&s->dense, s->problem->asked, s->problem->dense);
    clnd_mpi_table_destroy(&s->table);
    clReleaseMemObject(s->shard.buffer);
    clReleaseMemObject(s->indices.buffer);
    clReleaseMemObject(s->dense.buffer);
    free(s);
}

const struct way way_clnd = {.name = "clnd",
                             .can_merge = true,
                             .open = open_clnd,
                             .prepare = prepare,
                             .run = run,
                             .forget = forget,
                             .once = once,
                             .close = close_clnd};
