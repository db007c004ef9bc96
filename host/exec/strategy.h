// SPDX-License-Identifier: Apache-2.0
//
// The ways in which a call uses the device, and the words that force one (docs/testing.md).

#ifndef CLND_EXEC_STRATEGY_H
#define CLND_EXEC_STRATEGY_H

#include <stdbool.h>

#include "clnd/engine.h"

typedef enum clnd_strategy {
    CLND_STRATEGY_AUTO = 0,
    CLND_STRATEGY_LANES = 1, // gather, copy: neighbouring work-items move neighbouring bytes (GPUs)
    CLND_STRATEGY_BLOCKS = 2,   // gather, copy: each work-item moves a block of rows (CPUs)
    CLND_STRATEGY_STORE = 3,    // scatter, UPDATE: plain stores, all rows at once
    CLND_STRATEGY_ATOMIC = 4,   // scatter: atomic operations, all rows at once; where many select
                                // one place, they are combined first
    CLND_STRATEGY_OWNER = 5,    // scatter: each work-item owns a part of the target and applies all
                                // rows to it in row order: no atomics, deterministic
    CLND_STRATEGY_SORT = 6,     // scatter: rows are sorted by the place that they select; rows that
                                // meet are applied in row order: no atomics, deterministic (GPUs)
    CLND_STRATEGY_PRIVATE = 7,  // scatter: copies of a small target are filled, then combined with
                                // it; those of UPDATE hold numbers of rows, so that only the last
                                // row at a place is moved (CPUs)
    CLND_STRATEGY_BUFFER = 8,   // copy: one gapless run, left to OpenCL's own copy. A result of
                                // clnd_<op>_plan only
    CLND_STRATEGY_TILES = 9,    // copy, where units that are neighbours in the target are none in
                                // the source: groups turn tiles round in local memory (GPUs)
    CLND_STRATEGY_BUCKETS = 10, // scatter: rows are divided by the part of the target that they
                                // select, then each work-item applies those of a part in row order:
                                // no atomics, deterministic (CPUs)
} clnd_strategy;

// The word for a strategy; "none" for AUTO.
const char *clnd__strategy_name(clnd_strategy strategy);

// Facts of the engine's device, for a planner that is called next on this thread, and which then
// takes the engine's words.
const clnd_device_facts *clnd__planner_facts(const clnd_engine *engine);

// The words that the next planners on this thread take; NULL: none.
void clnd__strategy_use(const char *words);

// Whether the words hold this one.
bool clnd__strategy_is_listed(const char *word);

// Of the strategies with the bits 1 << strategy, the one that is listed together with `must`: a
// call that cannot take it is refused. Else AUTO.
clnd_strategy clnd__strategy_demanded(unsigned allowed);

#define CLND__MOVEMENTS (1u << CLND_STRATEGY_LANES | 1u << CLND_STRATEGY_BLOCKS)
#define CLND__COPIES    (CLND__MOVEMENTS | 1u << CLND_STRATEGY_TILES)
#define CLND__SCATTERS                                                                             \
    (1u << CLND_STRATEGY_STORE | 1u << CLND_STRATEGY_ATOMIC | 1u << CLND_STRATEGY_OWNER |          \
     1u << CLND_STRATEGY_SORT | 1u << CLND_STRATEGY_PRIVATE | 1u << CLND_STRATEGY_BUCKETS)

#endif
