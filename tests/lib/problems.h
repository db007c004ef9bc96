// SPDX-License-Identifier: Apache-2.0
//
// Problems made at random, and what they move, element by element.

#ifndef LIB_PROBLEMS_H
#define LIB_PROBLEMS_H

#include "host/shape/problem.h"
#include "rng.h"

enum { MAX_ROWS = 64, MAX_SLICE = 64 };

// Two places that correspond, in bytes.
typedef struct pair {
    int64_t data;
    int64_t dense;
} pair;

void sort_pairs(int n, pair *pairs);

// A problem with elements, at most MAX_ROWS rows of MAX_SLICE: operands that are dense, transposed,
// padded, reversed, broadcast; now and then all of rank 16.
void random_problem(rng *r, clnd__problem *problem);

// A byte of data at which a row can begin. Needs extents > 0.
int64_t random_place(rng *r, const clnd__problem *problem);

// Row number `row`: where its tuple lies, and its elements sorted. Returns how many.
int problem_row(const clnd__problem *problem, int64_t row, int64_t *index, pair *pairs);

// "o6(0,12,4) s3(4,4) k5*12 @0,0,0": outer axes with strides into data, dense and indices, slice
// axes, coordinates, offsets. Static storage.
const char *problem_text(const clnd__problem *problem);

#endif
