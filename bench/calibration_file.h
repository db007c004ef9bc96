// SPDX-License-Identifier: Apache-2.0
//
// A calibration as JSON, and the file that keeps those of earlier runs:
// $XDG_CACHE_HOME/clnd/calibration.json, or ~/.cache/clnd/calibration.json.

#ifndef CLND_BENCH_CALIBRATION_FILE_H
#define CLND_BENCH_CALIBRATION_FILE_H

#include <jansson.h>

#include "calibrate.h"

// An object with the figures, but not the date. NULL without memory.
json_t *calibration_json(const struct calibration *calibration);

// The calibration that was kept for this device, driver, machine and way to measure. False if there
// is none, or none that is whole.
bool calibration_find(const struct device *device, struct calibration *calibration);

// Keeps it in place of the one before. What cannot be written is not kept, which is no failure.
void calibration_keep(const struct device *device, const struct calibration *calibration);

#endif
