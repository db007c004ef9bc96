// SPDX-License-Identifier: Apache-2.0
//
// What the device can do at best, found once a run by kernels of the benchmark's own.

#ifndef CLND_BENCH_CALIBRATE_H
#define CLND_BENCH_CALIBRATE_H

#include "plain_copy.h"

struct calibration {
    char date[32];           // when it was made
    double empty_s;          // an empty kernel, by the clock that the cases are timed by
    double launch_s;         // launch and finish of an empty kernel
    double copy_GBps;        // the best copy kernel, bytes read and written
    double copy_buffer_GBps; // clEnqueueCopyBuffer, bytes read and written
    double plain_copy_GBps;  // plain_copy_seconds, bytes read and written
    double plain_copy_bytes; // that it copies
    double read_G;           // random granules read, 1e9 a second
    double write_G;          // random granules written to, 1e9 a second
    double add_rows_G;       // atomic additions to neighbouring words, 1e9 a second
    double add_random_G;     // to random granules
    double add_one_G;        // to one word
};

// The highest number of a granule in the memory that random accesses go to.
unsigned calibrate_mask(const struct device *device);

// False after fail().
bool calibrate(struct device *device, struct plain_copy *copy, struct calibration *calibration);

#endif
