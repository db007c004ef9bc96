// SPDX-License-Identifier: Apache-2.0

#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clnd/status.h"
#include "text.h"

static char text[1024];

bool fail(const char *format, ...)
{
    char raw[sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    text_escape(text, sizeof text, raw, strlen(raw));
    return false;
}

bool fail_clnd(void)
{
    return fail("%s", clnd_last_error());
}

bool fail_cl(const char *name, int code)
{
    return fail("%s gave OpenCL error %d", name, code);
}

bool fail_json(const char *path, const json_error_t *error)
{
    if (error->line < 0) // it could not be opened
        return fail("%s", error->text);
    return fail("%s: line %d: %s", path, error->line, error->text);
}

bool fail_memory(const char *what, double bytes)
{
    return fail("no host memory for %s: %.0f bytes", what, bytes);
}

const char *failure_text(void)
{
    return text;
}
