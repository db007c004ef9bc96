// SPDX-License-Identifier: Apache-2.0
//
// A random problem: one call of one op, drawn from a seed and a number alone.
//
//     problem_draw   which op, dtypes and options   problem.c, menu.c
//     problem_make   tensors, values, indices       make_*.c
//     problem_break  now and then: one fault        fault.c
//     problem_call   the call                       call.c
//     problem_judge  reference and comparison       judge.c

#ifndef DIFFERENTIAL_PROBLEM_H
#define DIFFERENTIAL_PROBLEM_H

#include <stdio.h>

#include "cases.h"
#include "check.h"
#include "menu.h"

typedef enum op_id {
    OP_GATHER_ND,
    OP_GATHER,
    OP_GATHER_ELEMENTS,
    OP_SCATTER_ND,
    OP_SCATTER_ND_INTO,
    OP_SCATTER_ELEMENTS,
    OP_SCATTER,
    OP_STRIDED_SLICE,
    OP_STRIDED_SLICE_VIEW, // moved by copy
    OP_STRIDED_SLICE_ASSIGN,
    OP_STRIDED_SLICE_GRAD,
    OP_COPY,
    N_OPS,
} op_id;

extern const char *const op_names[N_OPS];

typedef enum scale { SCALE_SMALL, SCALE_MEDIUM, SCALE_LARGE } scale;

typedef struct problem {
    uint64_t seed, number;
    op_id op;
    int way;         // its number
    char forced[80]; // words for the engine
    bool must;       // its strategy, or the call is refused
    clnd_dtype dtype, index_dtype;
    clnd_reduce reduce;  // not DEFAULT
    bool default_reduce; // the call says DEFAULT
    clnd_bounds bounds;
    bool deterministic, unique;
    bool high_rank;
    bool twos; // all sizes are 2: as many axes as can be, of which none goes away
    scale scale;
    int64_t rows, slice, extent; // about so many, or at most
    int empty;                   // of 100 shapes so many have a size 0

    int axis, batch_dims;           // not negative
    int said_axis, said_batch_dims; // as the call says them
    clnd_slice taken;
    ref_slice_status slice_status; // whether the slice can be taken
    unsigned char *fill;
    placed input, indices, out; // data read; index values, if any; data written
    bool ordered;               // the result does not depend on the order of the rows
    equality rule;

    clnd_tensor given_input, given_indices, given_out; // what the call gets
    const char *fault;                                 // what is wrong with it, or NULL
    clnd_status fault_status;
    clnd_bounds given_bounds;
    uint64_t given_reserved;

    clnd_plan plan;
    placed workspace;
    clnd_workspace lent; // or no buffer
    bool done;           // the call succeeded
    bool reported;       // it has a report
    clnd_report *report; // then the one of all problems of the engine, else NULL
    clnd_report_result result;
} problem;

bool op_is_gather(op_id op);
bool op_is_scatter(op_id op);
bool op_has_indices(op_id op);

// The op of a problem, without drawing the rest.
op_id problem_op(uint64_t seed, uint64_t number);

// Draws all but the tensors. The generator goes on with what follows.
void problem_draw(problem *p, uint64_t seed, uint64_t number, rng *r);

void problem_make(problem *p, const device *d, rng *r);
void problem_make_gather(problem *p, rng *r);
void problem_make_scatter(problem *p, const device *d, rng *r);
void problem_make_slice(problem *p, rng *r);

// `rank` sizes: random ones of a product of at most `most`, or, at larger scales, about that.
void problem_sizes(const problem *p, rng *r, int rank, int64_t most, int64_t *shape);

// Spoils one thing in what the call gets, or nothing.
void problem_break(problem *p, rng *r);

clnd_status problem_call(const problem *p, const device *d, const launch *l);

// What the call would do.
clnd_status problem_plan(const problem *p, const device *d, clnd_plan *plan);

// Compares status, message and all buffers with what the reference makes of the problem.
void problem_judge(problem *p, const device *d, clnd_status status);

// Fails unless plan and call come to the same: but for the values of indices, which a plan does not
// see, and for buffers, which it does not need.
void problem_compare_plan(const problem *p, clnd_status planned, clnd_status status);

// Draws, makes, describes if asked to, plans, calls, judges, frees. `forced`, unless NULL, stands
// in the place of the problem's own words.
void problem_run(problem *p, const device *d, uint64_t seed, uint64_t number, const char *forced,
                 bool describe);

// Destroys the report that the problems share. Before their engine goes.
void problem_end(void);

// Lines that begin with "# ".
void problem_describe(const problem *p, FILE *file);

#endif
