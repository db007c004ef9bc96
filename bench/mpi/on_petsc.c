// SPDX-License-Identifier: Apache-2.0
//
// PETSc's PetscSF: rows of the table are roots, requests are leaves.

#include <petscsf.h>
#include <stdlib.h>

#include "problem.h"

struct state {
    struct problem *problem;
    bool scatters;
    MPI_Datatype row;
    PetscSF sf;
};

static void *open_petsc(struct problem *problem, bool scatters, bool merges)
{
    struct state *s = take(1, sizeof *s);
    (void)merges;
    need(!PetscInitializeNoArguments(), "PETSc");
    *s = (struct state){.problem = problem, .scatters = scatters};
    MPI_Type_contiguous(WIDTH, MPI_DOUBLE, &s->row);
    MPI_Type_commit(&s->row);
    return s;
}

static void prepare(void *state)
{
    struct state *s = state;
    const struct problem *p = s->problem;
    PetscSFNode *leaves;
    need(!PetscMalloc1(p->asked, &leaves), "PetscMalloc1");
    for (int64_t i = 0; i < p->asked; i++)
        leaves[i] = (PetscSFNode){.rank = (PetscInt)(p->indices[i] / p->mine),
                                  .index = (PetscInt)(p->indices[i] % p->mine)};
    need(!PetscSFCreate(MPI_COMM_WORLD, &s->sf) &&
             !PetscSFSetGraph(s->sf, (PetscInt)p->mine, (PetscInt)p->asked, NULL, PETSC_OWN_POINTER,
                              leaves, PETSC_OWN_POINTER) &&
             !PetscSFSetUp(s->sf),
         "PetscSF");
}

static void run(void *state)
{
    struct state *s = state;
    double *table = s->problem->table, *dense = s->problem->dense;
    if (s->scatters)
        need(!PetscSFReduceBegin(s->sf, s->row, dense, table, MPI_SUM) &&
                 !PetscSFReduceEnd(s->sf, s->row, dense, table, MPI_SUM),
             "PetscSFReduce");
    else
        need(!PetscSFBcastBegin(s->sf, s->row, table, dense, MPI_REPLACE) &&
                 !PetscSFBcastEnd(s->sf, s->row, table, dense, MPI_REPLACE),
             "PetscSFBcast");
}

static void forget(void *state)
{
    struct state *s = state;
    need(!PetscSFDestroy(&s->sf), "PetscSFDestroy");
}

static void once(void *state)
{
    prepare(state);
    run(state);
    forget(state);
}

static void close_petsc(void *state)
{
    struct state *s = state;
    MPI_Type_free(&s->row);
    free(s);
}

const struct way way_petsc = {.name = "PetscSF",
                              .open = open_petsc,
                              .prepare = prepare,
                              .run = run,
                              .forget = forget,
                              .once = once,
                              .close = close_petsc};
