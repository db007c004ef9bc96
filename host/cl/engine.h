// SPDX-License-Identifier: Apache-2.0
//
// What an engine holds. host/cl is the only layer that calls OpenCL.

#ifndef CLND_CL_ENGINE_H
#define CLND_CL_ENGINE_H

#include "clnd/engine.h"
#include "host/base/mutex.h"
#include "host/cl/held_events.h"
#include "host/cl/program.h"
#include "host/cl/queue_pool.h"
#include "host/cl/scratch.h"
#include "host/cl/verdict.h"

enum { CLND__WORDS = 256 }; // bytes, with the ending NUL

struct clnd_engine {
    cl_context context;     // retained
    cl_device_id device;    // retained
    cl_command_queue queue; // owned; NULL when the caller brought context and device
    clnd_device_facts facts;
    clnd__program_cache programs;
    clnd__mutex memory_lock;     // guards `verdicts`, `scratch` and `held`
    clnd__verdict_pool verdicts; // for calls that wait for their check
    cl_mem good;                 // the verdict of calls without a check: nobody writes to it
    clnd__spare_scratch scratch;
    clnd__held_events held;
    clnd__queue_pool queues;
    clnd__log log;
    clnd_bounds bounds;      // what DEFAULT means
    char words[CLND__WORDS]; // that force strategies
};

// What CLND_BOUNDS_DEFAULT means: another policy.
clnd_bounds clnd__engine_bounds(const clnd_engine *engine);

// The words that force strategies, separated by commas; "": none.
const char *clnd__engine_words(const clnd_engine *engine);

// Has calls of this thread take these words in the place of those of any engine; NULL: no longer.
// Borrowed.
void clnd__engine_replace_words(const char *words);

#endif
