// SPDX-License-Identifier: Apache-2.0
//
// Slices of views: TensorFlow's worked examples, and the ends of the number range.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "elements.h"
#include "host/shape/slice.h"

// Worked examples: numbers separated by commas, "0..5" counts. `result` NULL is an error, and
// `flat` its message.
typedef struct example {
    const char *shape, *begin, *end, *strides, *masks, *result, *flat;
} example;

// tf.strided_slice's own results, in the order of the table that they were taken from.
static const example examples[] = {
    {"10", "2", "8", "3", "", "2", "2,5"},
    {"10", "8", "2", "-3", "", "2", "8,5"},
    {"10", "0", "0", "1", "bm3 em3", "10", "0,1,2,3,4,5,6,7,8,9"},
    {"10", "0", "0", "-1", "bm1 em1", "10", "9,8,7,6,5,4,3,2,1,0"},
    {"5", "-100", "100", "1", "", "5", "0,1,2,3,4"},
    {"5", "100", "-100", "-1", "", "5", "4,3,2,1,0"},
    {"5", "-100", "0", "-1", "em1", "0", ""},
    {"5", "4", "-1", "-1", "", "0", ""},
    {"5", "4", "-6", "-1", "", "5", "4,3,2,1,0"},
    {"5", "3", "3", "1", "", "0", ""},
    {"5", "4", "1", "1", "", "0", ""},
    {"5", "-1", "0", "1", "sh1", "", "4"},
    {"5", "5", "6", "1", "sh1", NULL,
     "index 5 of entry 0 is outside dimension 0 of input, which has size 5"},
    {"5", "-6", "0", "1", "sh1", NULL,
     "index -6 of entry 0 is outside dimension 0 of input, which has size 5"},
    {"5", "2", "0", "-1", "sh1", NULL,
     "entry 0 takes one element of dimension 0 and has stride -1, which must be positive"},
    {"5", "2", "0", "7", "sh1", "", "2"},
    {"5", "2", "3", "0", "", NULL,
     "entry 0 has stride 0 in dimension 0 of input; 1 takes every element"},
    {"5", "2", "0", "1", "bm1 em1 sh1", "", "2"},
    {"5", "7", "0", "1", "bm1 em1 sh1", NULL,
     "index 7 of entry 0 is outside dimension 0 of input, which has size 5"},
    {"0", "0", "0", "1", "bm1 em1", "0", ""},
    {"0", "0", "1", "1", "sh1", NULL,
     "index 0 of entry 0 is outside dimension 0 of input, which has size 0"},
    {"0", "0", "0", "-1", "bm1 em1", "0", ""},
    {"3,4", "1,0", "2,4", "1,1", "sh1", "4", "4,5,6,7"},
    {"3,4", "0,1", "0,3", "1,1", "bm1 em1 sh2", "3", "1,5,9"},
    {"2,3,4", "0,2", "0,3", "1,1", "el1 sh2", "2,3", "2,6,10,14,18,22"},
    {"2,3,4", "1,0", "2,0", "1,1", "el2 sh1", "3,4", "12..23"},
    {"2,3,4", "1", "2", "1", "sh1", "3,4", "12..23"},
    {"2,3,4", "", "", "", "", "2,3,4", "0..23"},
    {"2,3,4", "0,0,0,0", "0,0,0,0", "1,1,1,1", "bm15 em15", NULL,
     "the slice takes 4 dimensions, input of shape [2, 3, 4] has 3"},
    {"2,3", "0,0,0", "0,0,0", "1,1,1", "na7", "1,1,1,2,3", "0,1,2,3,4,5"},
    {"2,3", "0,0,0,0", "0,0,2,0", "1,1,1,1", "el2 na9", "1,2,2,1", "0,1,3,4"},
    {"2,3", "0,0,1", "0,0,2", "1,1,1", "el1 na2", "2,1,1", "1,4"},
    {"2,3,4", "0,0,0", "0,0,0", "1,1,1", "el3", NULL,
     "the slice has 2 ellipses, at most one is allowed"},
    {"2,3", "1,0", "2,0", "1,1", "na1 sh1", "1,0,3", ""},
    {"2,3", "1,0", "2,0", "1,1", "el1 na1 sh1", "2,0", ""},
    {"", "0", "0", "1", "na1", "1", "0"},
    {"", "0", "0", "1", "el1", "", "0"},
    {"", "", "", "", "", "", "0"},
    {"", "0", "1", "1", "sh1", NULL, "the slice takes 1 dimension, input of shape [] has 0"},
    {"", "0", "0", "1", "", NULL, "the slice takes 1 dimension, input of shape [] has 0"},
    {"3,4", "0,0,0", "0,0,0", "1,1,1", "el2", "0,0", ""},
    {"3,4", "1,0,2", "2,0,3", "1,1,1", "el2 sh5", "", "6"},
    {"3,4,5", "-1,0,0", "0,0,-1", "1,1,-2", "el2 sh1", "4,0", ""},
    {"4", "0", "4", "MAX", "", "1", "0"},
    {"4", "3", "MIN", "MIN", "", "1", "3"},
    {"4", "MIN", "MAX", "1", "", "4", "0,1,2,3"},
    {"7", "1", "6", "2", "", "3", "1,3,5"},
    {"7", "6", "0", "-4", "", "2", "6,2"},
    {"2,3", "5,0", "6,2", "1,1", "", "0,2", ""},
    {"2,3,4", "0,0,0", "0,0,0", "1,-1,2", "bm7 em7", "2,3,2", "8,10,4,6,0,2,20,22,16,18,12,14"},
    {"2,0,3", "0,0", "0,0", "1,1", "bm3 em3", "2,0,3", ""},
    {"2,3,4,5", "1,0,2", "2,0,3", "1,1,1", "el2 na8", "1,3,4,1",
     "62,67,72,77,82,87,92,97,102,107,112,117"},
    {"2,3", "0,0", "0,0", "0,1", "el1", "2,0", ""},
    {"2,3", "0,0", "0,0", "0,1", "bm2 em2 na1", "1,2,3", "0,1,2,3,4,5"},
    {"1", "-2", "5", "1", "", "1", "0"},
};

static int read_numbers(const char *text, int64_t *values)
{
    int n = 0;
    while (*text) {
        char *end = (char *)(uintptr_t)text + 3;
        int64_t value = strncmp(text, "MIN", 3) == 0 ? INT64_MIN : INT64_MAX;
        if (*text != 'M')
            value = strtoll(text, &end, 10);
        int64_t last = value;
        if (strncmp(end, "..", 2) == 0)
            last = strtoll(end + 2, &end, 10);
        for (; value < last; ++value)
            values[n++] = value;
        values[n++] = last;
        text = end + (*end == ',');
    }
    return n;
}

static uint32_t read_mask(const char *masks, const char *name)
{
    const char *at = strstr(masks, name);
    return at ? (uint32_t)strtoul(at + 2, NULL, 10) : 0;
}

static clnd_slice read_slice(const example *e)
{
    clnd_slice slice = {.begin_mask = read_mask(e->masks, "bm"),
                        .end_mask = read_mask(e->masks, "em"),
                        .ellipsis_mask = read_mask(e->masks, "el"),
                        .new_axis_mask = read_mask(e->masks, "na"),
                        .shrink_axis_mask = read_mask(e->masks, "sh")};
    slice.length = read_numbers(e->begin, slice.begin);
    read_numbers(e->end, slice.end);
    read_numbers(e->strides, slice.strides);
    return slice;
}

static void check_example(const example *e)
{
    clnd__view input = {.name = "input", .dtype = CLND_INT8}, view;
    input.rank = read_numbers(e->shape, input.shape);
    check_status(clnd__make_dense(&input), CLND_OK);
    const clnd_slice slice = read_slice(e);
    if (!e->result) {
        check_status(clnd__slice_view(&input, &slice, "slice", &view), CLND_INVALID_SLICE);
        check_message(e->flat);
        return;
    }
    check_status(clnd__slice_view(&input, &slice, "slice", &view), CLND_OK);
    int64_t shape[CLND_MAX_RANK], flat[MAX_ELEMENTS];
    const int rank = read_numbers(e->result, shape);
    const int count = read_numbers(e->flat, flat);
    check(view.rank == rank && memcmp(view.shape, shape, (size_t)rank * sizeof *shape) == 0,
          "shape is %s, expected [%s]", clnd__format_list(view.rank, view.shape).text, e->result);
    check(strcmp(view.name, "slice") == 0 && view.dtype == CLND_INT8, "name or dtype");
    const elements got = elements_of(&view);
    check(got.count == count, "%d elements, expected %d", got.count, count);
    for (int i = 0; i < count; ++i)
        check(got.at[i] == flat[i], "element %d is number %" PRId64 ", expected %" PRId64, i,
              got.at[i], flat[i]);
}

Test(slice, tensorflow_examples)
{
    const int count = (int)(sizeof examples / sizeof *examples);
    check(count == 55, "there are 55 examples");
    for (int i = 0; i < count; ++i) {
        case_begin("slice example", i + 1);
        case_note("[%s] from %s to %s by %s %s", examples[i].shape, examples[i].begin,
                  examples[i].end, examples[i].strides, examples[i].masks);
        check_example(&examples[i]);
    }
}

// Sizes that no walk gets through.
typedef struct huge {
    int64_t size, begin, end, stride, first, count;
} huge;

Test(slice, huge_dimensions)
{
    static const huge table[] = {
        {INT64_MAX, INT64_MIN, INT64_MAX, 1, 0, INT64_MAX},
        {INT64_MAX, INT64_MIN, INT64_MAX, 2, 0, INT64_C(1) << 62},
        {INT64_MAX, INT64_MAX, INT64_MIN, -1, INT64_MAX - 1, INT64_MAX},
        {INT64_MAX, INT64_MAX, INT64_MIN, -2, INT64_MAX - 1, INT64_C(1) << 62},
        {INT64_MAX, 0, INT64_MAX, INT64_MAX, 0, 1},
        {INT64_MAX, 0, INT64_MAX, INT64_MAX - 1, 0, 2},
        {INT64_MAX, -1, INT64_MIN, INT64_MIN, INT64_MAX - 1, 1},
        {INT64_MAX, -1, INT64_MIN, INT64_MIN + 2, INT64_MAX - 1, 2},
        {INT64_MAX, -1, INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, 1},
        {INT64_C(1) << 40, -5, -1, 3, (INT64_C(1) << 40) - 5, 2},
    };
    for (int i = 0; i < (int)(sizeof table / sizeof *table); ++i) {
        const huge *h = &table[i];
        case_begin("slice huge", i);
        clnd__view view, input = {.name = "input", .dtype = CLND_INT8, .rank = 1};
        input.shape[0] = h->size;
        input.strides[0] = 1;
        clnd_slice slice = {.length = 1};
        slice.begin[0] = h->begin;
        slice.end[0] = h->end;
        slice.strides[0] = h->stride;
        check_status(clnd__slice_view(&input, &slice, "slice", &view), CLND_OK);
        check(view.rank == 1 && view.shape[0] == h->count,
              "%" PRId64 " elements, expected %" PRId64, view.shape[0], h->count);
        check(view.offset == (uint64_t)h->first, "begins at %" PRIu64, view.offset);
        if (h->count > 1)
            check(view.strides[0] == h->stride, "stride %" PRId64, view.strides[0]);
    }
}

Test(slice_errors, length_outside_its_range_is_invalid_slice)
{
    clnd__view view, input = {.name = "input", .dtype = CLND_INT8};
    clnd_slice slice = {.length = 33, .new_axis_mask = UINT32_MAX};
    check_status(clnd__slice_view(&input, &slice, "slice", &view), CLND_INVALID_SLICE);
    check_message("the slice has 33 entries, allowed are 0 to 32");
    slice.length = -1;
    check_status(clnd__slice_view(&input, &slice, "slice", &view), CLND_INVALID_SLICE);
    check_message("the slice has -1 entries, allowed are 0 to 32");
}

Test(slice_errors, seventeen_dimensions_are_invalid_rank)
{
    clnd__view view, input = {.name = "input", .dtype = CLND_INT8};
    clnd_slice slice = {.length = 16, .new_axis_mask = UINT32_MAX};
    check_status(clnd__slice_view(&input, &slice, "slice", &view), CLND_OK);
    check(view.rank == 16, "rank %d", view.rank);
    slice.length = 17;
    check_status(clnd__slice_view(&input, &slice, "slice", &view), CLND_INVALID_RANK);
    check_message("the slice would have 17 dimensions, at most 16 are allowed");
    check(view.rank == 0 && view.name == NULL, "the view is not zeroed");
}

// All 32 entries can count: 16 dimensions dropped, 16 new ones made; and bit 31 is a bit.
Test(slice, thirty_two_entries)
{
    clnd__view view, input = {.name = "input", .dtype = CLND_INT8, .rank = 16};
    clnd_slice slice = {.length = 32, .new_axis_mask = 0xaaaaaaaau, .shrink_axis_mask = ~0u};
    for (int d = 0; d < 16; ++d)
        input.shape[d] = 2;
    check_status(clnd__make_dense(&input), CLND_OK);
    for (int i = 0; i < 32; ++i) {
        slice.begin[i] = i % 4 == 0;
        slice.strides[i] = 1;
    }
    check_status(clnd__slice_view(&input, &slice, "slice", &view), CLND_OK);
    check(view.rank == 16 && view.offset == 0xaaaa, "rank %d offset %" PRIu64, view.rank,
          view.offset);
}
