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

// A way through the planner. The problem asks for it by CLND_STRATEGY or by its options.
typedef struct way {
    clnd_strategy strategy; // of scatters; AUTO: the planner's choice
    const char *word;       // the same for CLND_STRATEGY, or NULL
    clnd_strategy movement; // LANES, BLOCKS or AUTO
} way;

extern const way ways[];
extern const int n_ways;

// "store,lanes"
void way_text(const way *w, char text[64]);

// Problems in a row that share a menu. With more, as many problems need fewer kernels.
extern uint64_t menu_problems;

enum { MENU_PROBLEMS = 250, MENU_WAYS = 3 };

typedef struct menu {
    const way *ways[MENU_WAYS];
    clnd_dtype dtype; // of the reduction
    clnd_reduce reduce;
    clnd_dtype index_dtype; // int32, int64, or 0: one of the others
    bool high_ranks;
    bool reports; // which have kernels of their own
} menu;

menu menu_of(uint64_t seed, uint64_t block);

#endif
