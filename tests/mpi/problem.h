// SPDX-License-Identifier: Apache-2.0
//
// Random problems for clnd-mpi: the same on all ranks, each of which knows all of it.

#ifndef TESTS_MPI_PROBLEM_H
#define TESTS_MPI_PROBLEM_H

#include <clnd/mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_RANKS = 8, MOST_SHARDS = 3 };

typedef enum op { GATHER_ND, GATHER, SCATTER_ND_INTO, SCATTER_ELEMENTS, N_OPS } op;

typedef struct problem {
    op op;
    clnd_mpi_layout layout;
    int64_t offsets[MOST_RANKS * MOST_SHARDS + 1];
    int32_t shards[MOST_RANKS];
    clnd_dtype dtype, index_dtype;
    int32_t rank; // of the table
    int64_t shape[CLND_MAX_RANK];
    int64_t moved[CLND_MAX_RANK]; // of `shape`, what a row of indices moves
    int32_t k;                    // values of a tuple
    int64_t rows[MOST_RANKS];
    clnd_mpi_call_options options;
    int runs; // of a plan; 0: a call
    uint64_t staging;
    unsigned char fill[16];
    unsigned char *table, *indices, *dense; // dense: updates; of all ranks, one behind the other
    size_t table_bytes, index_bytes, dense_bytes; // of the table, of one tuple, of what it moves
    int64_t first_bad_rank, first_bad_row;        // -1: all are good
} problem;

// Some forty problems in a row have the same dtypes and reduction, so that fewer kernels
// are compiled.
void problem_make(problem *p, uint64_t seed, int number, int ranks);
void problem_free(problem *p);
int64_t problem_total_rows(const problem *p, int ranks); // of the ranks before `ranks`

#endif
