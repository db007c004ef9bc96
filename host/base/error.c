// SPDX-License-Identifier: Apache-2.0

#include "host/base/error.h"

#include <stdarg.h>
#include <stdio.h>

// Nothing is allocated, because running out of memory needs a message too.
static CLND__THREAD_LOCAL struct {
    const char *function;
    int32_t code;
    char text[CLND__ERROR_TEXT];
} last;

void clnd__enter(const char *name)
{
    last.function = name;
}

static void record(int32_t code, const char *format, va_list arguments)
{
    const char *function = last.function ? last.function : "clnd";
    int prefix = snprintf(last.text, sizeof last.text, "%s: ", function);
    if (prefix < 0)
        prefix = 0;
    vsnprintf(last.text + prefix, sizeof last.text - (size_t)prefix, format, arguments);
    last.code = code;
}

clnd_status clnd__fail(clnd_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(0, format, arguments);
    va_end(arguments);
    return status;
}

clnd_status clnd__fail_code(clnd_status status, int32_t code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(code, format, arguments);
    va_end(arguments);
    return status;
}

const char *clnd_last_error(void)
{
    return last.text;
}

int32_t clnd_last_error_code(void)
{
    return last.code;
}
