// SPDX-License-Identifier: Apache-2.0
//
// What a call moves at least, and how fast the device could do it: docs/benchmarking.md, "The
// limit".

#ifndef CLND_BENCH_LIMITS_H
#define CLND_BENCH_LIMITS_H

#include "calibrate.h"
#include "run.h"

struct traffic {
    double payload;     // bytes that the user asked to have moved
    double moved;       // bytes, when nothing stays in a cache from one row to the next
    double cold;        // bytes, when a perfect cache starts empty
    double working_set; // bytes of memory that the call touches
    double spans;       // granules that rows touch, each counted as often as a row touches it
    double granules;    // granules that are touched at all
};

// False after fail().
bool traffic_measure(const struct run *run, struct traffic *traffic);

struct limits {
    double moved_s, cold_s; // least seconds for either way of counting
};

// What the limits depend on beside the traffic and the device.
struct limit_facts {
    const struct bench_case *what;
    const struct layout *layout;
    const char *strategy; // that the call takes
    double copy_GBps;     // bytes read and written by a copy, as it went beside the case
};

void limits_find(const struct limit_facts *facts, const struct traffic *traffic,
                 const struct device *device, const struct calibration *calibration,
                 struct limits *limits);

#endif
