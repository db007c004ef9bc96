// SPDX-License-Identifier: Apache-2.0

#include "check.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    char name[256];
    rng rng;
    char note[1024];
    char text[4096];
} current = {.name = "test"};

void case_enter(const char *name, rng r)
{
    snprintf(current.name, sizeof current.name, "%s", name);
    current.rng = r;
    current.note[0] = '\0';
}

void case_begin(const char *test, int number)
{
    char name[256];
    snprintf(name, sizeof name, "%s case %d (CLND_TEST_SEED=%" PRIu64 ")", test, number,
             rng_base_seed());
    case_enter(name, rng_for(test, number));
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

static double case_times(void)
{
    const char *text = getenv("CLND_TEST_CASES");
    const double times = text && *text ? strtod(text, NULL) : 1;
    return times > 0 && times < 100000 ? times : 1;
}

int case_count(int count)
{
    const double times = case_times();
    if (count * times >= INT_MAX)
        return count;
    return count * times > 1 ? (int)(count * times) : 1;
}

int case_turns(int count)
{
    return case_count(count) > count ? case_count(count) : count;
}

bool case_is_taken(int number)
{
    // Spread, so that what is left out has nothing to do with how loops are nested.
    const uint32_t spread = (uint32_t)number * UINT32_C(2654435769);
    return spread < case_times() * UINT32_MAX || number == 0;
}

bool case_are_all(void)
{
    return case_times() >= 1;
}

const char *case_text(const char *format, ...)
{
    va_list arguments;
    int used = snprintf(current.text, sizeof current.text, "%s: %s%s", current.name, current.note,
                        current.note[0] ? ": " : "");
    if (used < 0 || (size_t)used >= sizeof current.text)
        used = 0;
    va_start(arguments, format);
    vsnprintf(current.text + used, sizeof current.text - (size_t)used, format, arguments);
    va_end(arguments);
    return current.text;
}
