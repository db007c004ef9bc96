// SPDX-License-Identifier: Apache-2.0

#include "host/cl/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "host/base/error.h"

clnd_status clnd__log_open(clnd__log *log, const clnd_engine_options *options)
{
    log->callback = options ? options->log : NULL;
    log->user = options ? options->log_user : NULL;
    if (!clnd__mutex_init(&log->lock))
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a lock");
    return CLND_OK;
}

void clnd__log_close(clnd__log *log)
{
    clnd__mutex_destroy(&log->lock);
}

void clnd__log_text(clnd__log *log, const char *text)
{
    if (!log->callback)
        return;
    clnd__mutex_lock(&log->lock);
    log->callback(text, log->user);
    clnd__mutex_unlock(&log->lock);
}

void clnd__log_write(clnd__log *log, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    clnd__log_text(log, text);
}
