// SPDX-License-Identifier: Apache-2.0
//
// What a plan is made from besides the problem. A plan is a pure function of these, so it can be
// made for a device that is not there.

#ifndef CLND_EXEC_PLANNER_H
#define CLND_EXEC_PLANNER_H

#include <stdbool.h>

#include "clnd/engine.h"
#include "host/exec/tuning.h"

typedef struct clnd__planner {
    const clnd_device_facts *facts;
    const clnd__tuning *tuning;
    const char *words; // that force strategies, separated by commas (docs/testing.md)
} clnd__planner;

// With the default tuning. `words` may be NULL.
clnd__planner clnd__planner_make(const clnd_device_facts *facts, const char *words);

// An engine's.
clnd__planner clnd__planner_of(const clnd_engine *engine);

// Whether `word` is one of the words.
bool clnd__is_asked(const clnd__planner *planner, const char *word);

// How many columns a work-item may go through, and how many rows: so many that none of its loops
// ends early (facts->loop_iterations), or any number.
int64_t clnd__most_steps(const clnd__planner *planner);

// Whether the device has work-groups of CLND_LANES, and whether plans use them: on CPUs only where
// that is asked for.
bool clnd__has_lanes(const clnd__planner *planner);
bool clnd__takes_lanes(const clnd__planner *planner);

#endif
