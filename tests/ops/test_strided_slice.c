// SPDX-License-Identifier: Apache-2.0
//
// strided_slice and strided_slice_view: the worked examples of semantics.md 2.3, TensorFlow's and
// NumPy's.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

// Worked examples --------------------------------------------------------------------------------

typedef struct example {
    int number;        // of the table in semantics.md 2.3
    const char *shape; // of an int32 input that counts 0, 1, 2, ...
    const char *begin, *end, *strides;
    uint32_t masks[5];  // begin, end, ellipsis, new axis, shrink axis
    const char *result; // NULL: refused
} example;

// clang-format off
static const example worked_examples[] = {
    {1, "10", "2", "8", "3", {0, 0, 0, 0, 0}, "2: 2 5"},
    {2, "10", "8", "2", "-3", {0, 0, 0, 0, 0}, "2: 8 5"},
    {3, "10", "0", "0", "1", {3, 3, 0, 0, 0}, "10: 0 1 2 3 4 5 6 7 8 9"},
    {4, "10", "0", "0", "-1", {1, 1, 0, 0, 0}, "10: 9 8 7 6 5 4 3 2 1 0"},
    {5, "5", "-100", "100", "1", {0, 0, 0, 0, 0}, "5: 0 1 2 3 4"},
    {6, "5", "100", "-100", "-1", {0, 0, 0, 0, 0}, "5: 4 3 2 1 0"},
    {7, "5", "-100", "0", "-1", {0, 1, 0, 0, 0}, "0:"},
    {8, "5", "4", "-1", "-1", {0, 0, 0, 0, 0}, "0:"},
    {9, "5", "4", "-6", "-1", {0, 0, 0, 0, 0}, "5: 4 3 2 1 0"},
    {10, "5", "3", "3", "1", {0, 0, 0, 0, 0}, "0:"},
    {11, "5", "4", "1", "1", {0, 0, 0, 0, 0}, "0:"},
    {12, "5", "-1", "0", "1", {0, 0, 0, 0, 1}, ": 4"},
    {13, "5", "5", "6", "1", {0, 0, 0, 0, 1}, NULL},
    {14, "5", "-6", "0", "1", {0, 0, 0, 0, 1}, NULL},
    {15, "5", "2", "0", "-1", {0, 0, 0, 0, 1}, NULL},
    {16, "5", "2", "0", "7", {0, 0, 0, 0, 1}, ": 2"},
    {17, "5", "2", "3", "0", {0, 0, 0, 0, 0}, NULL},
    {18, "5", "2", "0", "1", {1, 1, 0, 0, 1}, ": 2"},
    {19, "5", "7", "0", "1", {1, 1, 0, 0, 1}, NULL},
    {20, "0", "0", "0", "1", {1, 1, 0, 0, 0}, "0:"},
    {21, "0", "0", "1", "1", {0, 0, 0, 0, 1}, NULL},
    {22, "0", "0", "0", "-1", {1, 1, 0, 0, 0}, "0:"},
    {23, "3,4", "1,0", "2,4", "1,1", {0, 0, 0, 0, 1}, "4: 4 5 6 7"},
    {24, "3,4", "0,1", "0,3", "1,1", {1, 1, 0, 0, 2}, "3: 1 5 9"},
    {25, "2,3,4", "0,2", "0,3", "1,1", {0, 0, 1, 0, 2}, "2,3: 2 6 10 14 18 22"},
    {26, "2,3,4", "1,0", "2,0", "1,1", {0, 0, 2, 0, 1}, "3,4: 12 13 14 15 16 17 18 19 20 21 22 23"},
    {27, "2,3,4", "1", "2", "1", {0, 0, 0, 0, 1}, "3,4: 12 13 14 15 16 17 18 19 20 21 22 23"},
    {28, "2,3,4", "", "", "", {0, 0, 0, 0, 0},
     "2,3,4: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23"},
    {29, "2,3,4", "0,0,0,0", "0,0,0,0", "1,1,1,1", {15, 15, 0, 0, 0}, NULL},
    {30, "2,3", "0,0,0", "0,0,0", "1,1,1", {0, 0, 0, 7, 0}, "1,1,1,2,3: 0 1 2 3 4 5"},
    {31, "2,3", "0,0,0,0", "0,0,2,0", "1,1,1,1", {0, 0, 2, 9, 0}, "1,2,2,1: 0 1 3 4"},
    {32, "2,3", "0,0,1", "0,0,2", "1,1,1", {0, 0, 1, 2, 0}, "2,1,1: 1 4"},
    {33, "2,3,4", "0,0,0", "0,0,0", "1,1,1", {0, 0, 3, 0, 0}, NULL},
    {34, "2,3", "1,0", "2,0", "1,1", {0, 0, 0, 1, 1}, "1,0,3:"},
    {35, "2,3", "1,0", "2,0", "1,1", {0, 0, 1, 1, 1}, "2,0:"},
    {36, "", "0", "0", "1", {0, 0, 0, 1, 0}, "1: 0"},
    {37, "", "0", "0", "1", {0, 0, 1, 0, 0}, ": 0"},
    {38, "", "", "", "", {0, 0, 0, 0, 0}, ": 0"},
    {39, "", "0", "1", "1", {0, 0, 0, 0, 1}, NULL},
    {40, "", "0", "0", "1", {0, 0, 0, 0, 0}, NULL},
    {41, "3,4", "0,0,0", "0,0,0", "1,1,1", {0, 0, 2, 0, 0}, "0,0:"},
    {42, "3,4", "1,0,2", "2,0,3", "1,1,1", {0, 0, 2, 0, 5}, ": 6"},
    {43, "3,4,5", "-1,0,0", "0,0,-1", "1,1,-2", {0, 0, 2, 0, 1}, "4,0:"},
    {44, "4", "0", "4", "MAX", {0, 0, 0, 0, 0}, "1: 0"},
    {45, "4", "3", "MIN", "MIN", {0, 0, 0, 0, 0}, "1: 3"},
    {46, "4", "MIN", "MAX", "1", {0, 0, 0, 0, 0}, "4: 0 1 2 3"},
    {47, "7", "1", "6", "2", {0, 0, 0, 0, 0}, "3: 1 3 5"},
    {48, "7", "6", "0", "-4", {0, 0, 0, 0, 0}, "2: 6 2"},
    {49, "2,3", "5,0", "6,2", "1,1", {0, 0, 0, 0, 0}, "0,2:"},
    {50, "2,3,4", "0,0,0", "0,0,0", "1,-1,2", {7, 7, 0, 0, 0},
     "2,3,2: 8 10 4 6 0 2 20 22 16 18 12 14"},
    {51, "2,0,3", "0,0", "0,0", "1,1", {3, 3, 0, 0, 0}, "2,0,3:"},
    {52, "2,3,4,5", "1,0,2", "2,0,3", "1,1,1", {0, 0, 2, 8, 0},
     "1,3,4,1: 62 67 72 77 82 87 92 97 102 107 112 117"},
    {53, "2,3", "0,0", "0,0", "0,1", {0, 0, 1, 0, 0}, "2,0:"},
    {54, "2,3", "0,0", "0,0", "0,1", {2, 2, 0, 1, 0}, "1,2,3: 0 1 2 3 4 5"},
    {55, "1", "-2", "5", "1", {0, 0, 0, 0, 0}, "1: 0"},
};
// clang-format on

static int read_list(const char *text, int64_t *list)
{
    int n = 0;
    while (*text) {
        char *end;
        if (strncmp(text, "MIN", 3) == 0 || strncmp(text, "MAX", 3) == 0) {
            list[n++] = text[1] == 'I' ? INT64_MIN : INT64_MAX;
            text += 3;
        } else {
            list[n++] = strtoll(text, &end, 10);
            check(end != text, "no number at \"%s\"", text);
            text = end;
        }
        text += *text == ',';
    }
    return n;
}

static clnd_slice make_slice(const example *e)
{
    clnd_slice slice = {.begin_mask = e->masks[0],
                        .end_mask = e->masks[1],
                        .ellipsis_mask = e->masks[2],
                        .new_axis_mask = e->masks[3],
                        .shrink_axis_mask = e->masks[4]};
    slice.length = read_list(e->begin, slice.begin);
    check(read_list(e->end, slice.end) == slice.length, "end's length");
    check(read_list(e->strides, slice.strides) == slice.length, "strides' length");
    return slice;
}

// The text "2,3" or "2,3:" as a tensor that counts.
static void make_input(placed *p, rng *r, const char *shape)
{
    text_tensor(p, "input", r, CLND_INT32, shape);
}

static void check_shape(const clnd_tensor *tensor, const placed *expected)
{
    char lists[2][512];
    check(tensor->rank == expected->tensor.rank &&
              memcmp(tensor->shape, expected->tensor.shape,
                     (size_t)tensor->rank * sizeof(int64_t)) == 0,
          "shape %s, expected %s", placed_list(tensor->rank, tensor->shape, lists[0]),
          placed_list(expected->tensor.rank, expected->tensor.shape, lists[1]));
}

// The slice itself, then its view moved by copy: both must give `result`.
static void check_slice(const device *d, placed *input, const clnd_slice *slice, const char *result)
{
    placed out;
    clnd_tensor shape, view;
    text_space(&out, "out", case_rng(), CLND_INT32, result);
    check_status(clnd_strided_slice_shape(&input->tensor, slice, &shape), CLND_OK);
    check_shape(&shape, &out);
    check_status(clnd_strided_slice_view(&input->tensor, slice, &view), CLND_OK);
    check_shape(&view, &out);
    placed_upload(&out, d);
    check_status(clnd_strided_slice(d->engine, NULL, &input->tensor, slice, &out.tensor, NULL, 0,
                                    NULL, NULL),
                 CLND_OK);
    text_elements(&out, result);
    placed_check(&out, d, EQUAL_BITS, NULL);
    memset(out.host.data, 0x77, out.bytes);
    placed_upload(&out, d);
    check_status(clnd_copy(d->engine, NULL, &view, &out.tensor, NULL, 0, NULL, NULL), CLND_OK);
    text_elements(&out, result);
    placed_check(&out, d, EQUAL_BITS, NULL);
    placed_free(&out);
}

static void check_refused(const device *d, placed *input, const clnd_slice *slice)
{
    placed out;
    clnd_tensor shape, view;
    cl_event event = NULL;
    text_space(&out, "out", case_rng(), CLND_INT32, "4");
    placed_upload(&out, d);
    memset(&shape, 1, sizeof shape);
    memset(&view, 1, sizeof view);
    check_status(clnd_strided_slice_shape(&input->tensor, slice, &shape), CLND_INVALID_SLICE);
    check(shape.rank == 0 && shape.dtype == 0 && shape.buffer == NULL, "*out is not zeroed");
    check_status(clnd_strided_slice_view(&input->tensor, slice, &view), CLND_INVALID_SLICE);
    check(view.rank == 0 && view.dtype == 0 && view.buffer == NULL, "*view is not zeroed");
    check_status(clnd_strided_slice(d->engine, NULL, &input->tensor, slice, &out.tensor, NULL, 0,
                                    NULL, &event),
                 CLND_INVALID_SLICE);
    check(event == NULL, "*event is not NULL");
    placed_check(&out, d, EQUAL_BITS, NULL);
    placed_free(&out);
}

Test(strided_slice, worked_examples)
{
    const device *d = device_get();
    for (size_t i = 0; i < sizeof worked_examples / sizeof *worked_examples; i++) {
        const example *e = &worked_examples[i];
        placed input;
        case_begin("strided_slice worked examples", e->number);
        clnd_slice slice = make_slice(e);
        make_input(&input, case_rng(), e->shape);
        placed_upload(&input, d);
        if (e->result)
            check_slice(d, &input, &slice, e->result);
        else
            check_refused(d, &input, &slice);
        placed_free(&input);
    }
}

// tf.strided_slice's and tf.Tensor.__getitem__'s examples, and NumPy's, as text.
static const struct {
    const char *input; // int32
    const char *slice;
    const char *result; // NULL: refused
} spelled_examples[] = {
    {"3,2,3: 1 1 1 2 2 2 3 3 3 4 4 4 5 5 5 6 6 6", "1:2, 0:1, 0:3", "1,1,3: 3 3 3"},
    {"3,2,3: 1 1 1 2 2 2 3 3 3 4 4 4 5 5 5 6 6 6", "1:2, 0:2, 0:3", "1,2,3: 3 3 3 4 4 4"},
    {"3,2,3: 1 1 1 2 2 2 3 3 3 4 4 4 5 5 5 6 6 6", "1:2, -1:-3:-1, 0:3", "1,2,3: 4 4 4 3 3 3"},
    {"3,2,3: 1 1 1 2 2 2 3 3 3 4 4 4 5 5 5 6 6 6", "1, -1::-1, :", "2,3: 4 4 4 3 3 3"},
    {"3,3: 1 2 3 4 5 6 7 8 9", "::2, ::-1", "2,3: 3 2 1 9 8 7"},
    {"3,3: 1 2 3 4 5 6 7 8 9", ":, newaxis", "3,1,3: 1 2 3 4 5 6 7 8 9"},
    {"3,3: 1 2 3 4 5 6 7 8 9", "newaxis, ...", "1,3,3: 1 2 3 4 5 6 7 8 9"},
    {"3,3: 1 2 3 4 5 6 7 8 9", "..., None", "3,3,1: 1 2 3 4 5 6 7 8 9"},
    {"3,3: 1 2 3 4 5 6 7 8 9", "..., 1", "3: 2 5 8"},
    {"3,3: 1 2 3 4 5 6 7 8 9", "-1, -1", ": 9"},
    {"3,3: 1 2 3 4 5 6 7 8 9", "-1, -4", NULL},
    {"3,3: 1 2 3 4 5 6 7 8 9", "0, 0, 0", NULL},
    {"3,3: 1 2 3 4 5 6 7 8 9", "::0", NULL},
    {"4", "", "4: 0 1 2 3"},
    {"4", ":-3:-1", "2: 3 2"},
    {"4", "-3:,", "3: 1 2 3"},
    {": 5", "...", ": 5"},
    {": 5", "None, None", "1,1: 5"},
    {": 5", "0", NULL},
    {"2,3,4", "1, ..., newaxis, 0", "3,1: 12 16 20"},
};

Test(strided_slice, spelled_examples)
{
    const device *d = device_get();
    for (size_t i = 0; i < sizeof spelled_examples / sizeof *spelled_examples; i++) {
        placed input;
        clnd_slice slice;
        case_begin("strided_slice spelled examples", (int)i);
        case_note("[%s] of %s", spelled_examples[i].slice, spelled_examples[i].input);
        check_status(clnd_slice_parse(spelled_examples[i].slice, &slice), CLND_OK);
        make_input(&input, case_rng(), spelled_examples[i].input);
        placed_upload(&input, d);
        if (spelled_examples[i].result)
            check_slice(d, &input, &slice, spelled_examples[i].result);
        else
            check_refused(d, &input, &slice);
        placed_free(&input);
    }
}

// A view of an empty slice keeps the offset; new axes have stride 0; nothing is looked at.
Test(strided_slice_view, offset_and_strides)
{
    clnd_tensor input, view;
    clnd_slice slice;
    case_begin("strided_slice_view", 0);
    check_status(clnd_tensor_dense(NULL, 24, CLND_FLOAT32, 2, (int64_t[]){5, 4}, &input), CLND_OK);
    check_status(clnd_slice_parse("1::2, newaxis, -1", &slice), CLND_OK);
    check_status(clnd_strided_slice_view(&input, &slice, &view), CLND_OK);
    check(view.rank == 2 && view.shape[0] == 2 && view.shape[1] == 1, "shape");
    check(view.strides[0] == 8 && view.strides[1] == 0, "strides");
    check(view.offset == 24 + 4 * (1 * 4 + 3) && view.dtype == CLND_FLOAT32, "offset %zu",
          view.offset);
    check_status(clnd_slice_parse("3:3, ::-1", &slice), CLND_OK);
    check_status(clnd_strided_slice_view(&input, &slice, &view), CLND_OK);
    check(view.offset == 24 && view.shape[0] == 0 && view.shape[1] == 4, "empty: offset %zu",
          view.offset);
}

// The gradient that the header gives: a copy into a view of a zero-filled tensor.
Test(strided_slice_view, can_be_written)
{
    const device *d = device_get();
    placed input, value;
    clnd_slice slice;
    clnd_tensor view;
    case_begin("strided_slice_view written", 0);
    text_tensor(&input, "input", case_rng(), CLND_INT32, "2,3: 0 0 0 0 0 0");
    text_tensor(&value, "value", case_rng(), CLND_INT32, "2,1,2: 1 2 3 4");
    placed_upload(&input, d);
    placed_upload(&value, d);
    check_status(clnd_slice_parse(":, newaxis, ::-2", &slice), CLND_OK);
    check_status(clnd_strided_slice_view(&input.tensor, &slice, &view), CLND_OK);
    check_status(clnd_copy(d->engine, NULL, &value.tensor, &view, NULL, 0, NULL, NULL), CLND_OK);
    text_elements(&input, ": 2 0 1 4 0 3");
    placed_check(&input, d, EQUAL_BITS, NULL);
    placed_free(&input);
    placed_free(&value);
}
