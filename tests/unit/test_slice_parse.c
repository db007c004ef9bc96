// SPDX-License-Identifier: Apache-2.0
//
// Slices read from text.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "clnd/slice.h"

typedef struct words {
    size_t length;
    char text[4096];
} words;

__attribute__((format(printf, 2, 3))) static void say(words *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->length +=
        (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, arguments);
    va_end(arguments);
}

// An entry in one way of writing: "=3", "2:4:1" with "_" for what a mask replaces, "...", "new".
static void describe_entry(const clnd_slice *slice, int i, words *w)
{
    const uint32_t one = UINT32_C(1) << i;
    const bool ellipsis = slice->ellipsis_mask & one, new_axis = slice->new_axis_mask & one;
    const bool shrink = slice->shrink_axis_mask & one;
    say(w, i ? " " : "");
    if (ellipsis || new_axis || shrink)
        check(ellipsis + new_axis + shrink == 1 && !((slice->begin_mask | slice->end_mask) & one) &&
                  slice->strides[i] == 1 && slice->end[i] == 0 && (shrink || slice->begin[i] == 0),
              "entry %d is several things at once", i);
    if (ellipsis)
        say(w, "...");
    else if (new_axis)
        say(w, "new");
    else if (shrink)
        say(w, "=%" PRId64, slice->begin[i]);
    else {
        if (slice->begin_mask & one)
            say(w, "_:");
        else
            say(w, "%" PRId64 ":", slice->begin[i]);
        if (slice->end_mask & one)
            say(w, "_:");
        else
            say(w, "%" PRId64 ":", slice->end[i]);
        say(w, "%" PRId64, slice->strides[i]);
        check((!(slice->begin_mask & one) || slice->begin[i] == 0) &&
                  (!(slice->end_mask & one) || slice->end[i] == 0),
              "entry %d has a number under a mask", i);
    }
}

static void describe(const clnd_slice *slice, words *w)
{
    w->length = 0;
    w->text[0] = '\0';
    for (int i = 0; i < slice->length; ++i)
        describe_entry(slice, i, w);
    const uint32_t beyond = slice->length == 32 ? 0 : ~UINT32_C(0) << slice->length;
    check(((slice->begin_mask | slice->end_mask | slice->ellipsis_mask | slice->new_axis_mask |
            slice->shrink_axis_mask) &
           beyond) == 0,
          "a mask speaks of entries that are not there");
    for (int i = slice->length; i < CLND_MAX_SLICE_ENTRIES; ++i)
        check(!slice->begin[i] && !slice->end[i] && !slice->strides[i], "entry %d is set", i);
}

static void check_text(const char *text, const char *expected)
{
    static words got;
    clnd_slice slice;
    memset(&slice, 0x55, sizeof slice);
    check_status(clnd_slice_parse(text, &slice), CLND_OK);
    describe(&slice, &got);
    check(strcmp(got.text, expected) == 0, "\"%s\" is read as \"%s\", expected \"%s\"", text,
          got.text, expected);
}

static const char *const good[][2] = {
    {"", ""},
    {" \t ", ""},
    {"0", "=0"},
    {"5", "=5"},
    {"-5", "=-5"},
    {"+5", "=5"},
    {"007", "=7"},
    {"-0", "=0"},
    {":", "_:_:1"},
    {"::", "_:_:1"},
    {"2:", "2:_:1"},
    {":2", "_:2:1"},
    {"2::", "2:_:1"},
    {":2:", "_:2:1"},
    {"::2", "_:_:2"},
    {"::-1", "_:_:-1"},
    {"::0", "_:_:0"},
    {"1:2", "1:2:1"},
    {"1:2:", "1:2:1"},
    {"1:2:3", "1:2:3"},
    {":2:3", "_:2:3"},
    {"1::3", "1:_:3"},
    {"-1:-2:-3", "-1:-2:-3"},
    {"...", "..."},
    {"newaxis", "new"},
    {"None", "new"},
    {"1, 2:4, newaxis, ..., :-3:-1, :", "=1 2:4:1 new ... _:-3:-1 _:_:1"},
    {"1,2:4,newaxis,...,:-3:-1,:", "=1 2:4:1 new ... _:-3:-1 _:_:1"},
    {"\t1\t,\t2 : 4 : -1 ,None\t,... ", "=1 2:4:-1 new ..."},
    {"1,", "=1"},
    {"1 , ", "=1"},
    {"...,", "..."},
    {":,", "_:_:1"},
    {"None,None,None", "new new new"},
    {"9223372036854775807", "=9223372036854775807"},
    {"-9223372036854775808", "=-9223372036854775808"},
    {"-9223372036854775808:9223372036854775807:-9223372036854775808",
     "-9223372036854775808:9223372036854775807:-9223372036854775808"},
    {"00000000000000000000000000000001", "=1"},
};

Test(slice_parse, texts_and_their_slices)
{
    for (int i = 0; i < (int)(sizeof good / sizeof *good); ++i) {
        case_begin("slice text", i);
        check_text(good[i][0], good[i][1]);
    }
}

#define NO_ITEM   "expected an integer, a range, '...', 'newaxis' or 'None'"
#define NO_END    "expected a comma or the end"
#define NO_DIGIT  "a digit must follow the sign"
#define TOO_LARGE "the number is beyond 64 bits"

// The text, the item that the message quotes, its number, the column, and what is wrong there.
typedef struct bad_row {
    const char *text, *item;
    int number, column;
    const char *what;
} bad_row;

static const bad_row bad[] = {
    {",", "", 0, 1, NO_ITEM},
    {"1,,2", "", 1, 3, NO_ITEM},
    {", 1", "", 0, 1, NO_ITEM},
    {"1,2,,", "", 2, 5, NO_ITEM},
    {"x", "x", 0, 1, NO_ITEM},
    {"0,none", "none", 1, 3, NO_ITEM},
    {"..", "..", 0, 1, NO_ITEM},
    {".", ".", 0, 1, NO_ITEM},
    {". . .", ". . .", 0, 1, NO_ITEM},
    {"[1]", "[1]", 0, 1, NO_ITEM},
    {"\n", "", 0, 1, NO_ITEM},
    {"\xc3\xa9", "\xc3\xa9", 0, 1, NO_ITEM},
    {"newaxi", "newaxi", 0, 1, NO_ITEM},
    {"-", "-", 0, 2, NO_DIGIT},
    {"+", "+", 0, 2, NO_DIGIT},
    {"1,- 1", "- 1", 1, 4, NO_DIGIT},
    {"--1", "--1", 0, 2, NO_DIGIT},
    {"1:-", "1:-", 0, 4, NO_DIGIT},
    {"1:2:+", "1:2:+", 0, 6, NO_DIGIT},
    {"1 2", "1 2", 0, 3, NO_END},
    {"0, 1.5 , 3", "1.5", 1, 5, NO_END},
    {"0x10", "0x10", 0, 2, NO_END},
    {"1e3", "1e3", 0, 2, NO_END},
    {"1:2:3:4", "1:2:3:4", 0, 6, NO_END},
    {":::", ":::", 0, 3, NO_END},
    {"....", "....", 0, 4, NO_END},
    {"...:", "...:", 0, 4, NO_END},
    {"newaxisx", "newaxisx", 0, 8, NO_END},
    {"None None", "None None", 0, 6, NO_END},
    {"None:", "None:", 0, 5, NO_END},
    {"1;2", "1;2", 0, 2, NO_END},
    {"1\n", "1", 0, 2, NO_END},
    {"1\x7f", "1", 0, 2, NO_END},
    {" 1:x\t,", "1:x", 0, 4, NO_END},
    {"1 234567890123456789012345678901234567890", "1 23456789012345678901234567890123456789", 0, 3,
     NO_END},
    {"..., 0, ...", "...", 2, 9, "a second ellipsis, one is allowed"},
    {"9223372036854775808", "9223372036854775808", 0, 1, TOO_LARGE},
    {"-9223372036854775809", "-9223372036854775809", 0, 1, TOO_LARGE},
    {"0, 1:99999999999999999999", "1:99999999999999999999", 1, 6, TOO_LARGE},
    {"0, 1:2:-92233720368547758080", "1:2:-92233720368547758080", 1, 8, TOO_LARGE},
    {"18446744073709551617", "18446744073709551617", 0, 1, TOO_LARGE},
};

static void check_refused(const char *text, const char *message)
{
    clnd_slice slice, zeros;
    char expected[256];
    memset(&slice, 0x55, sizeof slice);
    memset(&zeros, 0, sizeof zeros);
    check_status(clnd_slice_parse(text, &slice), CLND_INVALID_SLICE);
    snprintf(expected, sizeof expected, "slice_parse: %s", message);
    check(strcmp(clnd_last_error(), expected) == 0, "the message is \"%s\", expected \"%s\"",
          clnd_last_error(), expected);
    check(memcmp(&slice, &zeros, sizeof slice) == 0, "the slice is not zeroed");
}

Test(slice_parse_errors, malformed_text_is_invalid_slice)
{
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); ++i) {
        const bad_row *row = &bad[i];
        char message[256];
        case_begin("malformed slice", i);
        case_note("\"%s\"", row->text);
        snprintf(message, sizeof message, "item %d of the slice, \"%s\": column %d: %s",
                 row->number, row->item, row->column, row->what);
        check_refused(row->text, message);
    }
}

static void repeat(int count, const char *item, const char *between, words *w)
{
    w->length = 0;
    for (int i = 0; i < count; ++i)
        say(w, "%s%s", i ? between : "", item);
}

Test(slice_parse, thirty_two_items)
{
    static words text, expected;
    repeat(32, "-7", ",", &text);
    repeat(32, "=-7", " ", &expected);
    check_text(text.text, expected.text);
    say(&text, ", ");
    check_text(text.text, expected.text);
    repeat(32, "1:2:3", ", ", &text);
    repeat(32, "1:2:3", " ", &expected);
    check_text(text.text, expected.text);
    repeat(32, ":", ", ", &text);
    repeat(32, "_:_:1", " ", &expected);
    check_text(text.text, expected.text);
}

Test(slice_parse_errors, thirty_three_items_are_invalid_slice)
{
    static words text;
    repeat(33, ":", ",", &text);
    check_refused(text.text, "the slice has more than 32 items");
    repeat(33, "None", ",", &text);
    check_refused(text.text, "the slice has more than 32 items");
    repeat(500, "1", ",", &text);
    check_refused(text.text, "the slice has more than 32 items");
}

Test(slice_parse_errors, null_is_null_pointer)
{
    clnd_slice slice = {.length = 3};
    check_status(clnd_slice_parse("1", NULL), CLND_NULL_POINTER);
    check_message("slice_parse: slice is NULL");
    check_status(clnd_slice_parse(NULL, &slice), CLND_NULL_POINTER);
    check_message("slice_parse: text is NULL");
    check(slice.length == 0, "the slice is not zeroed");
}

static void blanks(rng *r, words *text)
{
    while (rng_chance(r, 20))
        say(text, rng_chance(r, 70) ? " " : "\t");
}

static int64_t random_number(rng *r)
{
    return rng_chance(r, 80) ? rng_range(r, -20, 20) : rng_range(r, INT64_MIN, INT64_MAX);
}

// A part of a range, or nothing; `nothing` is what that reads as.
static void random_part(rng *r, const char *nothing, words *text, words *expected)
{
    const int64_t value = random_number(r);
    blanks(r, text);
    if (rng_chance(r, 60)) {
        say(text, "%s%" PRId64, value >= 0 && rng_chance(r, 10) ? "+" : "", value);
        say(expected, "%" PRId64, value);
    } else {
        say(expected, "%s", nothing);
    }
    blanks(r, text);
}

static void random_item(rng *r, bool *ellipsis, words *text, words *expected)
{
    const int64_t kind = rng_range(r, 0, 9);
    blanks(r, text);
    if (kind == 0 && !*ellipsis) {
        *ellipsis = true;
        say(text, "...");
        say(expected, "...");
    } else if (kind == 1) {
        say(text, rng_chance(r, 50) ? "None" : "newaxis");
        say(expected, "new");
    } else if (kind < 5) {
        const int64_t value = random_number(r);
        say(text, "%" PRId64, value);
        say(expected, "=%" PRId64, value);
    } else {
        random_part(r, "_", text, expected);
        say(text, ":");
        say(expected, ":");
        random_part(r, "_", text, expected);
        say(expected, ":");
        if (rng_chance(r, 50)) {
            say(text, ":");
            random_part(r, "1", text, expected);
        } else {
            say(expected, "1");
        }
    }
    blanks(r, text);
}

Test(slice_parse, random_texts)
{
    static words text, expected;
    for (int i = 0; i < case_count(50000); ++i) {
        case_begin("random slice text", i);
        rng *r = case_rng();
        bool ellipsis = false;
        const int n = (int)rng_range(r, 1, rng_chance(r, 10) ? 32 : 4);
        text.length = expected.length = 0;
        for (int item = 0; item < n; ++item) {
            say(&text, item ? "," : "");
            say(&expected, item ? " " : "");
            random_item(r, &ellipsis, &text, &expected);
        }
        if (rng_chance(r, 10))
            say(&text, ",");
        check_text(text.text, expected.text);
    }
}
