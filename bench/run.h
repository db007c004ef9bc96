// SPDX-License-Identifier: Apache-2.0
//
// A case that is set up on the device, ready to be called.

#ifndef CLND_BENCH_RUN_H
#define CLND_BENCH_RUN_H

#include <CL/cl.h>

#include "call.h"
#include "contents.h"
#include "device.h"
#include "layout.h"

struct run {
    const struct bench_case *what;
    struct device *device;
    clnd_engine *engine; // of this case alone, so that its first call is one
    double engine_s;     // what the engine took to make
    struct operands operands;
    struct layout layout;
    uint32_t *row; // of each row of dense: the row of data. NULL for OP_SLICE
    struct buffer data, indices, dense;
    struct contents data_contents; // what data holds before the first call
};

// Sets all up, the output too. False after fail(); run_close in any case.
bool run_open(struct run *run, struct device *device, const struct bench_case *what);
void run_close(struct run *run);

// An engine for the case on the device's context. False after fail().
bool run_engine(const struct device *device, const struct bench_case *what, clnd_engine **engine);

// The buffer that the op writes.
struct buffer *run_output(struct run *run);

// Gives the output what it holds before the first call.
bool run_reset(struct run *run);

// Calls, and waits until all is done. False after fail().
bool run_call(struct run *run, bool deterministic);

#endif
