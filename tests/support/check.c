// SPDX-License-Identifier: Apache-2.0

#include "check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    const char *test;
    int number;
    rng rng;
    char note[512];
    char text[4096];
} current = {.test = "test"};

void case_begin(const char *test, int number)
{
    current.test = test;
    current.number = number;
    current.rng = rng_for(test, number);
    current.note[0] = '\0';
}

void case_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(current.note, sizeof current.note, format, arguments);
    va_end(arguments);
}

rng *case_rng(void)
{
    return &current.rng;
}

int case_count(int count)
{
    const char *text = getenv("CLND_TEST_CASES");
    long times = text && *text ? strtol(text, NULL, 10) : 1;
    return times > 0 && times < 100000 ? (int)(count * times) : count;
}

const char *case_text(const char *format, ...)
{
    va_list arguments;
    int used = snprintf(current.text, sizeof current.text,
                        "%s case %d (CLND_TEST_SEED=%" PRIu64 "): %s: ", current.test,
                        current.number, rng_base_seed(), current.note);
    if (used < 0 || (size_t)used >= sizeof current.text)
        used = 0;
    va_start(arguments, format);
    vsnprintf(current.text + used, sizeof current.text - (size_t)used, format, arguments);
    va_end(arguments);
    return current.text;
}
