// SPDX-License-Identifier: Apache-2.0
//
// Plain C loops and MPI_Alltoallv: what one would write without a library.

#include <stdlib.h>
#include <string.h>

#include "problem.h"

struct state {
    struct problem *problem;
    bool scatters;
    MPI_Datatype row;
    int *to, *to_at, *from, *from_at; // rows for and from each rank, of requests
    int64_t *order;                   // order[i]: where request i travels
    int64_t *places;                  // in this rank's block, that others ask for
    double *near, *far;               // rows that travel: of the rank that asks, of the owner
    int64_t served;
};

static void *open_mpi(struct problem *problem, bool scatters, bool merges)
{
    struct state *s = take(1, sizeof *s);
    (void)merges;
    *s = (struct state){.problem = problem, .scatters = scatters};
    MPI_Type_contiguous(WIDTH, MPI_DOUBLE, &s->row);
    MPI_Type_commit(&s->row);
    return s;
}

static int64_t prefix(int n, const int *counts, int *begin)
{
    int total = 0;
    for (int r = 0; r < n; r++) {
        begin[r] = total;
        total += counts[r];
    }
    return total;
}

static void prepare(void *state)
{
    struct state *s = state;
    const struct problem *p = s->problem;
    const int ranks = p->ranks;
    int64_t *asked = take(p->asked, sizeof *asked);
    s->to = take(4 * ranks, sizeof *s->to);
    s->to_at = s->to + ranks;
    s->from = s->to_at + ranks;
    s->from_at = s->from + ranks;
    s->order = take(p->asked, sizeof *s->order);
    for (int64_t i = 0; i < p->asked; i++)
        s->to[p->indices[i] / p->mine]++;
    prefix(ranks, s->to, s->to_at);
    for (int64_t i = 0; i < p->asked; i++) {
        s->order[i] = s->to_at[p->indices[i] / p->mine]++;
        asked[s->order[i]] = p->indices[i] % p->mine;
    }
    prefix(ranks, s->to, s->to_at);
    MPI_Alltoall(s->to, 1, MPI_INT, s->from, 1, MPI_INT, MPI_COMM_WORLD);
    s->served = prefix(ranks, s->from, s->from_at);
    s->places = take(s->served, sizeof *s->places);
    MPI_Alltoallv(asked, s->to, s->to_at, MPI_INT64_T, s->places, s->from, s->from_at, MPI_INT64_T,
                  MPI_COMM_WORLD);
    s->near = take(p->asked, ROW_BYTES);
    s->far = take(s->served, ROW_BYTES);
    free(asked);
}

static void gather(struct state *s)
{
    const struct problem *p = s->problem;
    for (int64_t i = 0; i < s->served; i++)
        memcpy(s->far + i * WIDTH, p->table + s->places[i] * WIDTH, ROW_BYTES);
    MPI_Alltoallv(s->far, s->from, s->from_at, s->row, s->near, s->to, s->to_at, s->row,
                  MPI_COMM_WORLD);
    for (int64_t i = 0; i < p->asked; i++)
        memcpy(p->dense + i * WIDTH, s->near + s->order[i] * WIDTH, ROW_BYTES);
}

static void scatter(struct state *s)
{
    const struct problem *p = s->problem;
    for (int64_t i = 0; i < p->asked; i++)
        memcpy(s->near + s->order[i] * WIDTH, p->dense + i * WIDTH, ROW_BYTES);
    MPI_Alltoallv(s->near, s->to, s->to_at, s->row, s->far, s->from, s->from_at, s->row,
                  MPI_COMM_WORLD);
    for (int64_t i = 0; i < s->served; i++)
        for (int j = 0; j < WIDTH; j++)
            p->table[s->places[i] * WIDTH + j] += s->far[i * WIDTH + j];
}

static void run(void *state)
{
    struct state *s = state;
    if (s->scatters)
        scatter(s);
    else
        gather(s);
}

static void forget(void *state)
{
    struct state *s = state;
    free(s->to);
    free(s->order);
    free(s->places);
    free(s->near);
    free(s->far);
}

static void once(void *state)
{
    prepare(state);
    run(state);
    forget(state);
}

static void close_mpi(void *state)
{
    struct state *s = state;
    MPI_Type_free(&s->row);
    free(s);
}

const struct way way_mpi = {.name = "C loops",
                            .open = open_mpi,
                            .prepare = prepare,
                            .run = run,
                            .forget = forget,
                            .once = once,
                            .close = close_mpi};
