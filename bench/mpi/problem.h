// SPDX-License-Identifier: Apache-2.0
//
// One problem and the ways to do it: a table in blocks of rows over the ranks; each rank asks for
// rows, or adds to them.

#ifndef CLND_BENCH_MPI_PROBLEM_H
#define CLND_BENCH_MPI_PROBLEM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

// PetscSF adds rows of float64 alone, so all ways do.
enum { WIDTH = 32, ROW_BYTES = WIDTH * sizeof(double) };

struct problem {
    int rank, ranks;
    int64_t rows;        // of the whole table
    int64_t mine, first; // this rank's block
    int64_t asked;       // by each rank
    uint32_t *drawn;     // what all ranks ask for
    int64_t *indices;    // what this one asks for
    double *table, *dense;
};

struct traffic {
    int64_t served;   // by this rank, of its block
    int64_t distinct; // rows of other ranks that this one asks for
};

// One way. Whatever fails ends the program.
struct way {
    const char *name;
    bool can_merge;
    // Takes the problem's data as they are.
    void *(*open)(struct problem *problem, bool scatters, bool merges);
    void (*prepare)(void *state); // from the indices what does not depend on rows
    void (*run)(void *state);
    void (*forget)(void *state);
    void (*once)(void *state);  // all three
    void (*close)(void *state); // results are in the problem's memory then
};

extern const struct way way_clnd, way_mpi;
#ifdef BENCH_PETSC
extern const struct way way_petsc;
#endif

// Ends the program on all ranks, with the text, unless all is good.
void need(bool good, const char *what);
void *take(int64_t count, size_t size);

// `rows` is divided evenly among the ranks.
void problem_create(struct problem *problem, int64_t rows, int64_t asked, const char *distribution);
void problem_free(struct problem *problem);
struct traffic problem_traffic(const struct problem *problem);

// Table and dense rows as they are before a call, and whether they are right after it.
void problem_fill(struct problem *problem, bool scatters);
bool problem_holds(const struct problem *problem, bool scatters);

#endif
