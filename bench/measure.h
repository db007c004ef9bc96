// SPDX-License-Identifier: Apache-2.0
//
// How a case is verified and timed: docs/benchmarking.md, "The method".

#ifndef CLND_BENCH_MEASURE_H
#define CLND_BENCH_MEASURE_H

#include "limits.h"
#include "plain_copy.h"
#include "samples.h"

struct measure_options {
    int samples;    // at least, over all rounds
    double seconds; // that sampling takes at least, over all rounds, with the clearing of caches
    double warm_up; // seconds, in each round
    int rounds;
    double until;  // no case begins later, by clock.h; 0: there is no end
    int parts;     // calls of a case, which share all of the above
    bool hot;      // caches stay as they are, and no copy is timed
    bool baseline; // the C loop is timed too
};

// What is timed in turn, sample by sample.
enum variant { VARIANT_DEFAULT, VARIANT_DETERMINISTIC, VARIANT_C, N_VARIANTS };

enum outcome {
    OUTCOME_NONE, // not measured yet
    OUTCOME_GOOD,
    OUTCOME_SKIPPED, // cannot run here; `text` says why
    OUTCOME_WRONG,   // a result is wrong; `text` says which
    OUTCOME_FAILED,  // anything else that went wrong
};

// All that is known of one call.
struct measured {
    enum outcome outcome;
    char text[512];
    char deterministic_text[512]; // why a scatter has no deterministic mode here
    struct samples wall[N_VARIANTS];
    struct samples device[N_VARIANTS]; // by the device's own clock
    struct samples copy;               // plain copies beside it
    struct samples planning;           // KIND_HOST: of a plan alone
    clnd_plan plans[2];                // of the default and the deterministic call
    bool has[N_VARIANTS];
    double engine_s, first_call_s;
    int c_threads;
    struct layout layout;
    struct traffic traffic;
    struct limits limits;
    int64_t distinct_rows;
};

// Measures one round of a call and adds to what is known. Whether all is well is the outcome's to
// say.
void measure_round(struct measured *measured, struct device *device, const struct bench_case *what,
                   const struct measure_options *options, struct plain_copy *copy);

// When all rounds are done: the limits, from the copies that were timed.
void measure_finish(struct measured *measured, const struct device *device,
                    const struct calibration *calibration, const struct bench_case *what);

// The samples that count on this device: device time on GPUs, wall time on CPUs and of small calls.
struct samples *measured_samples(struct measured *measured, const struct device *device,
                                 const struct bench_case *what, enum variant variant);

void measured_free(struct measured *measured);

#endif
