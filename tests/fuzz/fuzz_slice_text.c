// SPDX-License-Identifier: Apache-2.0
//
// clnd_slice_parse against a reader that takes the text apart at its commas and colons.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clnd/slice.h"
#include "clnd/status.h"
#include "fuzz.h"

const char *fuzz_prepare(void)
{
    return NULL;
}

// Cuts blanks off both ends of a string, in place.
static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        text[--length] = '\0';
    return text;
}

// Cuts the text at the next `end`. Returns what is behind it, or NULL.
static char *cut(char *text, char end)
{
    char *stop = strchr(text, end);
    if (!stop)
        return NULL;
    *stop = '\0';
    return stop + 1;
}

// A number or nothing.
static bool model_part(char *text, bool *present, int64_t *value)
{
    text = trim(text);
    *present = *text != '\0';
    *value = 0;
    if (!*present)
        return true;
    const char *digits = text + (*text == '+' || *text == '-');
    if (!*digits || digits[strspn(digits, "0123456789")])
        return false;
    errno = 0;
    *value = strtoll(text, NULL, 10);
    return errno == 0;
}

static bool model_item(char *text, int i, clnd_slice *slice)
{
    const uint32_t bit = UINT32_C(1) << i;
    text = trim(text);
    slice->strides[i] = 1;
    if (strcmp(text, "...") == 0) {
        if (slice->ellipsis_mask)
            return false;
        slice->ellipsis_mask |= bit;
        return true;
    }
    if (strcmp(text, "newaxis") == 0 || strcmp(text, "None") == 0) {
        slice->new_axis_mask |= bit;
        return true;
    }
    bool present;
    char *end = cut(text, ':'), *stride = end ? cut(end, ':') : NULL;
    if (!model_part(text, &present, &slice->begin[i]) || (!end && !present))
        return false;
    if (!end)
        slice->shrink_axis_mask |= bit;
    else if (!present)
        slice->begin_mask |= bit;
    if (end && !model_part(end, &present, &slice->end[i]))
        return false;
    if (end && !present)
        slice->end_mask |= bit;
    if (stride && !model_part(stride, &present, &slice->strides[i]))
        return false;
    if (stride && !present)
        slice->strides[i] = 1;
    return true;
}

static bool model(char *text, clnd_slice *slice)
{
    memset(slice, 0, sizeof *slice);
    if (!*trim(text))
        return true;
    for (char *next; text; text = next) {
        next = cut(text, ',');
        if (!next && slice->length && !*trim(text))
            return true; // behind a last comma
        if (slice->length == CLND_MAX_SLICE_ENTRIES || !model_item(text, slice->length, slice))
            return false;
        ++slice->length;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const clnd_slice zeros;
    fuzz_input in = fuzz_begin(data, size);
    char *text = fuzz_text(&in, 0), *copy = strdup(text);
    clnd_slice slice, expected;
    memset(&slice, 0xa5, sizeof slice);
    const clnd_status status = clnd_slice_parse(text, &slice);
    const bool is_good = model(copy, &expected);
    fuzz_check(is_good == (status == CLND_OK), "%s: \"%s\": %s", clnd_status_name(status), text,
               clnd_last_error());
    if (status) {
        fuzz_check(status == CLND_INVALID_SLICE, "%s", clnd_status_name(status));
        fuzz_check_line(clnd_last_error());
        expected = zeros;
    }
    fuzz_check(slice.length == expected.length, "%d items", slice.length);
    for (int i = 0; i < CLND_MAX_SLICE_ENTRIES; ++i)
        fuzz_check(slice.begin[i] == expected.begin[i] && slice.end[i] == expected.end[i] &&
                       slice.strides[i] == expected.strides[i],
                   "item %d of \"%s\"", i, text);
    fuzz_check(slice.begin_mask == expected.begin_mask && slice.end_mask == expected.end_mask &&
                   slice.ellipsis_mask == expected.ellipsis_mask &&
                   slice.new_axis_mask == expected.new_axis_mask &&
                   slice.shrink_axis_mask == expected.shrink_axis_mask,
               "masks of \"%s\"", text);
    free(copy);
    free(text);
    return 0;
}
