// SPDX-License-Identifier: Apache-2.0
//
// The engine's messages to whoever asked for them.

#ifndef CLND_CL_LOG_H
#define CLND_CL_LOG_H

#include "clnd/engine.h"
#include "host/base/compiler.h"
#include "host/base/mutex.h"

typedef struct clnd__log {
    clnd__mutex lock; // one message at a time
    clnd_log_callback *callback;
    void *user;
} clnd__log;

// `options` may be NULL.
clnd_status clnd__log_open(clnd__log *log, const clnd_engine_options *options);
void clnd__log_close(clnd__log *log);

// One message; of the formatted ones at most 511 characters.
void clnd__log_text(clnd__log *log, const char *text);
CLND__PRINTF(2, 3) void clnd__log_write(clnd__log *log, const char *format, ...);

#endif
