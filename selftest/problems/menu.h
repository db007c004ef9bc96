// SPDX-License-Identifier: Apache-2.0
//
// What the problems of one block choose from. Compiling a kernel costs far more than running it on
// a small problem, and options multiply: 15 dtypes, 5 reductions, 3 kinds of indices, several
// strategies. So neighbouring problems share a short menu. Menus take turns: a run of 20000
// problems meets each pair of a dtype and a reduction, and each way many times.

#ifndef DIFFERENTIAL_MENU_H
#define DIFFERENTIAL_MENU_H

#include "clnd/clnd.h"
#include "rng.h"

// Names of strategies, as plans have them.
typedef enum strategy_id {
    BY_NONE, // nothing to do
    BY_LANES,
    BY_BLOCKS,
    BY_TILES,
    BY_BUFFER,
    BY_STORE,
    BY_ATOMIC,
    BY_OWNER,
    BY_OUTER,
    BY_BUCKETS,
    BY_SORT,
    BY_PRIVATE,
    N_STRATEGIES,
} strategy_id;

extern const char *const strategy_names[N_STRATEGIES];

// Fails for a name that is none of these.
strategy_id strategy_of_plan(const clnd_plan *plan);

// The strategy of scatters among `words`; BY_NONE: the planner chooses.
strategy_id strategy_in(const char *words);

// Ways through the planner, as words for an engine.
extern const char *const ways[];
extern const int n_ways;

// Problems in a row that share a menu. With more, as many problems need fewer kernels.
extern uint64_t menu_problems;

enum { MENU_PROBLEMS = 250, MENU_WAYS = 3 };

typedef struct menu {
    int ways[MENU_WAYS]; // numbers
    clnd_dtype dtype;    // of the reduction
    clnd_reduce reduce;
    clnd_dtype index_dtype; // int32, int64, or 0: one of the others
    bool high_ranks;
    bool reports; // which have kernels of their own
} menu;

menu menu_of(uint64_t seed, uint64_t block);

#endif
