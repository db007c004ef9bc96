// SPDX-License-Identifier: Apache-2.0
//
// strided_slice and strided_slice_view: examples of slices as text, and views. The table of
// semantics.md 2.3 is in tests/golden.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

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
