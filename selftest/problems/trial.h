// SPDX-License-Identifier: Apache-2.0
//
// Problems one after the other, in a program that goes on behind one that comes out wrong. It has
// check_fail and check_skip from here.

#ifndef DIFFERENTIAL_TRIAL_H
#define DIFFERENTIAL_TRIAL_H

#include "problem.h"

typedef enum trial_end {
    TRIAL_RIGHT,
    TRIAL_WRONG,
    TRIAL_SKIPPED, // only of other work
} trial_end;

// The problem that runs or was the last to run. A wrong one keeps its tensors.
extern problem trial_problem;

// Runs it, as problem_run does.
trial_end trial_run(const device *d, uint64_t seed, uint64_t number, const char *forced,
                    bool describe);

// Other work that may use `check`.
trial_end trial_work(void (*work)(void *), void *what);

// Why the last one was wrong or skipped. Static storage.
const char *trial_reason(void);

// A driver that crashes takes the process with it. `last_words` gets the signal, among them SIGALRM
// for one that hangs, and may write(); then the process ends by the signal.
void trial_on_crash(void (*last_words)(int number));

// Seconds of a clock that only goes forward.
double trial_seconds(void);

#endif
