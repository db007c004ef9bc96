// SPDX-License-Identifier: Apache-2.0
//
// A whole run: all cases, round after round.

#ifndef CLND_BENCH_SESSION_H
#define CLND_BENCH_SESSION_H

#include <jansson.h>

#include "cases.h"
#include "measure.h"

struct session {
    struct device *device;
    struct measure_options options;
    enum bench_size size;
    uint64_t seed;
    bool takes_kept; // a calibration of an earlier run will do
};

// Measures the cases. *good is whether no result was wrong and nothing failed; each failure was
// named on standard error. NULL after fail() when there is nothing to report.
json_t *session_run(const struct session *session, const struct case_list *cases, bool *good);

#endif
