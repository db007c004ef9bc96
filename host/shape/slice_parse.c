// SPDX-License-Identifier: Apache-2.0
//
// Reads slices such as "1, 2:4, newaxis, ..., :-3:-1, :".

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "clnd/slice.h"
#include "host/base/checked.h"
#include "host/base/error.h"

// Of an item, a message quotes this many bytes at most, up to the first control character.
#define QUOTE_LENGTH 40

struct reader {
    const char *text, *at;
    const char *begin; // of the item being read
    int item;          // its number, from 0
};

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

static clnd_status fail(const struct reader *reader, const char *at, const char *what)
{
    const char *end = reader->begin;
    while (*end != ',' && !is_control(*end) && end - reader->begin < QUOTE_LENGTH)
        ++end;
    while (end > reader->begin && end[-1] == ' ')
        --end;
    return clnd__fail(CLND_INVALID_SLICE, "item %d of the slice, \"%.*s\": column %td: %s",
                      reader->item, (int)(end - reader->begin), reader->begin,
                      at - reader->text + 1, what);
}

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t')
        ++reader->at;
}

static bool accept(struct reader *reader, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    skip_blanks(reader);
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Adds digits with their sign, so that INT64_MIN needs no special case.
static clnd_status read_integer(struct reader *reader, bool *present, int64_t *value)
{
    const char *start = reader->at;
    const bool negative = *start == '-';
    const char *digit = start + (*start == '-' || *start == '+');
    *present = is_digit(*digit);
    *value = 0;
    if (!*present) {
        return digit == start ? CLND_OK : fail(reader, digit, "a digit must follow the sign");
    }
    for (; is_digit(*digit); ++digit) {
        const int d = *digit - '0';
        if (!clnd__multiply(*value, 10, value) || !clnd__add(*value, negative ? -d : d, value))
            return fail(reader, start, "the number is beyond 64 bits");
    }
    reader->at = digit;
    skip_blanks(reader);
    return CLND_OK;
}

// One part of a range; a part that is left out sets its bit in `mask`.
static clnd_status read_part(struct reader *reader, int64_t *value, uint32_t *mask)
{
    bool present;
    clnd_status status = read_integer(reader, &present, value);
    if (status == CLND_OK && !present)
        *mask |= UINT32_C(1) << reader->item;
    return status;
}

static clnd_status read_range(struct reader *reader, clnd_slice *slice)
{
    const int i = reader->item;
    uint32_t default_stride = 0;
    clnd_status status = read_part(reader, &slice->begin[i], &slice->begin_mask);
    if (status)
        return status;
    if (!accept(reader, ":")) {
        if (slice->begin_mask >> i & 1)
            return fail(reader, reader->at,
                        "expected an integer, a range, '...', 'newaxis' or 'None'");
        slice->shrink_axis_mask |= UINT32_C(1) << i;
        return CLND_OK;
    }
    status = read_part(reader, &slice->end[i], &slice->end_mask);
    if (status == CLND_OK && accept(reader, ":")) {
        status = read_part(reader, &slice->strides[i], &default_stride);
        if (default_stride)
            slice->strides[i] = 1;
    }
    return status;
}

static clnd_status read_item(struct reader *reader, clnd_slice *slice)
{
    const int i = reader->item;
    if (i == CLND_MAX_SLICE_ENTRIES)
        return clnd__fail(CLND_INVALID_SLICE, "the slice has more than %d items",
                          CLND_MAX_SLICE_ENTRIES);
    slice->length = i + 1;
    slice->strides[i] = 1;
    if (accept(reader, "...")) {
        if (slice->ellipsis_mask)
            return fail(reader, reader->begin, "a second ellipsis, one is allowed");
        slice->ellipsis_mask |= UINT32_C(1) << i;
    } else if (accept(reader, "newaxis") || accept(reader, "None")) {
        slice->new_axis_mask |= UINT32_C(1) << i;
    } else {
        return read_range(reader, slice);
    }
    return CLND_OK;
}

static clnd_status read_slice(const char *text, clnd_slice *slice)
{
    struct reader reader = {.text = text, .at = text};
    skip_blanks(&reader);
    while (*reader.at) {
        reader.begin = reader.at;
        clnd_status status = read_item(&reader, slice);
        if (status)
            return status;
        if (*reader.at && !accept(&reader, ","))
            return fail(&reader, reader.at, "expected a comma or the end");
        ++reader.item;
    }
    return CLND_OK;
}

clnd_status clnd_slice_parse(const char *text, clnd_slice *slice)
{
    clnd__enter("slice_parse");
    if (!slice)
        return clnd__fail(CLND_NULL_POINTER, "slice is NULL");
    memset(slice, 0, sizeof *slice);
    if (!text)
        return clnd__fail(CLND_NULL_POINTER, "text is NULL");
    clnd_status status = read_slice(text, slice);
    if (status)
        memset(slice, 0, sizeof *slice);
    return status;
}
