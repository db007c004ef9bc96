// SPDX-License-Identifier: Apache-2.0
//
// strided_slice_assign and strided_slice_grad: worked examples, refusals, overlap.

#include <criterion/criterion.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

static const char *const strategies[] = {NULL, "must,lanes", "must,blocks"};
enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

// Examples ---------------------------------------------------------------------------------------

typedef struct example {
    const char *target; // int32
    const char *slice;
    const char *value;
    const char *assigned; // the target after strided_slice_assign; NULL: INVALID_SHAPE
    const char *grad;     // after strided_slice_grad; NULL: INVALID_SHAPE
} example;

#define SIX "2,3: 0 1 2 3 4 5"

// clang-format off
static const example examples[] = {
    // tf.strided_slice's gradient, NumPy's assignments
    {"4: 1 2 3 4", "1:3", "2: 8 9", "4: 1 8 9 4", "4: 0 8 9 0"},
    {"4: 1 2 3 4", "::-1", "4: 5 6 7 8", "4: 8 7 6 5", "4: 8 7 6 5"},
    {"4: 1 2 3 4", "-1:0:-2", "2: 8 9", "4: 1 9 3 8", "4: 0 9 0 8"},
    {"4: 1 2 3 4", "2", ": 7", "4: 1 2 7 4", "4: 0 0 7 0"},
    {"4: 1 2 3 4", "2:2", "0:", "4: 1 2 3 4", "4: 0 0 0 0"},
    {SIX, "", "2,3: 9 8 7 6 5 4", "2,3: 9 8 7 6 5 4", "2,3: 9 8 7 6 5 4"},
    {SIX, "1", "3: 7 8 9", "2,3: 0 1 2 7 8 9", "2,3: 0 0 0 7 8 9"},
    {SIX, "..., ::-2", "2,2: 6 7 8 9", "2,3: 7 1 6 9 4 8", "2,3: 7 0 6 9 0 8"},
    {SIX, ":, newaxis, 1", "2,1: 8 9", "2,3: 0 8 2 3 9 5", "2,3: 0 8 0 0 9 0"},
    {": 5", "...", ": 7", ": 7", ": 7"},
    {": 5", "newaxis", "1: 7", ": 7", ": 7"},
    {"0,3:", "", "0,3:", "0,3:", "0,3:"},
    {"0,3:", "0:9", "0,3:", "0,3:", "0,3:"},
    // what is broadcast, and is no gradient
    {SIX, "", ": 7", "2,3: 7 7 7 7 7 7", NULL},
    {SIX, "", "3: 7 8 9", "2,3: 7 8 9 7 8 9", NULL},
    {SIX, "", "1,3: 7 8 9", "2,3: 7 8 9 7 8 9", NULL},
    {SIX, "", "2,1: 8 9", "2,3: 8 8 8 9 9 9", NULL},
    {SIX, ":, ::-1", "3: 7 8 9", "2,3: 9 8 7 9 8 7", NULL},
    {SIX, "1", "1,1,3: 7 8 9", "2,3: 0 1 2 7 8 9", NULL},
    {SIX, "1, 1", "1: 7", "2,3: 0 1 2 3 7 5", NULL},
    {SIX, "1, 1", "1,1: 7", "2,3: 0 1 2 3 7 5", NULL},
    {SIX, ":, None, 1:", "2,2,1: 6 7 8 9", NULL, NULL},
    {SIX, ":, None, 1:", "2,1,1: 8 9", "2,3: 0 8 8 3 9 9", NULL},
    {SIX, "1:1", ": 7", SIX, NULL},
    {SIX, "1:1", "3: 7 8 9", SIX, NULL},
    {SIX, "1:1", "1,1: 7", SIX, NULL},
    // what fits no slice, and the slice never grows
    {SIX, "", "2: 8 9", NULL, NULL},
    {SIX, "", "2,2: 6 7 8 9", NULL, NULL},
    {SIX, "", "3,2: 0 0 0 0 0 0", NULL, NULL},
    {SIX, "", "2,2,3: 0 0 0 0 0 0 0 0 0 0 0 0", NULL, NULL},
    {SIX, "0:1", "2,3: 0 0 0 0 0 0", NULL, NULL},
    {SIX, "1", "2,3: 0 0 0 0 0 0", NULL, NULL},
    {SIX, "", "0,3:", NULL, NULL},
    {SIX, "1, 1", "2: 8 9", NULL, NULL},
    {SIX, "1, 1", "0:", NULL, NULL},
    // also into an empty slice
    {SIX, "1:1", "2: 8 9", NULL, NULL},
    {SIX, "1:1", "2,3: 0 0 0 0 0 0", NULL, NULL},
    {SIX, "1:1", "2,0:", NULL, NULL},
    {"0,3:", "", "2:  8 9", NULL, NULL},
};
// clang-format on

static clnd_slice parse(const char *text)
{
    clnd_slice slice;
    check_status(clnd_slice_parse(text, &slice), CLND_OK);
    return slice;
}

// The call, with its event checked against the status.
static clnd_status run(const device *d, bool grad, const clnd_tensor *target,
                       const clnd_slice *slice, const clnd_tensor *value)
{
    launch l;
    launch_pick(&l, d, case_rng());
    clnd_status status = grad ? clnd_strided_slice_grad(d->engine, l.queue, value, slice, target,
                                                        NULL, l.n_wait, l.wait, l.event_out)
                              : clnd_strided_slice_assign(d->engine, l.queue, value, slice, target,
                                                          NULL, l.n_wait, l.wait, l.event_out);
    launch_finish(&l, d, status);
    return status;
}

Test(strided_slice_assign, worked_examples)
{
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof examples / sizeof *examples) * 2 * N_STRATEGIES; i++) {
        const example *e = &examples[i / (2 * N_STRATEGIES)];
        bool grad = i % 2;
        const char *result = grad ? e->grad : e->assigned;
        placed target, value;
        case_begin("strided_slice_assign worked examples", i);
        case_note("%s [%s] of %s", grad ? "grad" : "assign", e->slice, e->target);
        clnd_slice slice = parse(e->slice);
        text_tensor(&target, "target", case_rng(), CLND_INT32, e->target);
        text_tensor(&value, "value", case_rng(), CLND_INT32, e->value);
        placed_upload(&target, d);
        placed_upload(&value, d);
        if (!grad) {
            clnd_tensor seen, view;
            check_status(
                clnd_strided_slice_assign_shape(&value.tensor, &slice, &target.tensor, &seen),
                result ? CLND_OK : CLND_INVALID_SHAPE);
            check_status(clnd_strided_slice_view(&target.tensor, &slice, &view), CLND_OK);
            if (result)
                check(seen.rank == view.rank && seen.buffer == value.tensor.buffer &&
                          memcmp(seen.shape, view.shape, (size_t)view.rank * sizeof *view.shape) ==
                              0,
                      "what broadcast says");
            else
                check(seen.rank == 0 && seen.dtype == 0 && !seen.buffer, "*broadcast not zeroed");
        }
        check_status(run(device_with(d, strategies[i / 2 % N_STRATEGIES]), grad, &target.tensor,
                         &slice, &value.tensor),
                     result ? CLND_OK : CLND_INVALID_SHAPE);
        if (result)
            text_elements(&target, result);
        placed_check(&target, d, EQUAL_BITS, NULL);
        placed_check(&value, d, EQUAL_BITS, NULL);
        placed_free(&target);
        placed_free(&value);
    }
}

// The value as seen through the slice: offset and dtype stay, what repeats has stride 0.
Test(strided_slice_assign, broadcast_view)
{
    clnd_tensor target, value, seen;
    case_begin("strided_slice_assign broadcast", 0);
    check_status(clnd_tensor_dense(NULL, 0, CLND_FLOAT32, 3, (int64_t[]){5, 4, 3}, &target),
                 CLND_OK);
    check_status(clnd_tensor_dense(NULL, 24, CLND_FLOAT32, 3, (int64_t[]){1, 2, 1}, &value),
                 CLND_OK);
    value.strides[1] = -7;
    clnd_slice slice = parse("1::2, 1:3");
    check_status(clnd_strided_slice_assign_shape(&value, &slice, &target, &seen), CLND_OK);
    check(seen.rank == 3 && seen.shape[0] == 2 && seen.shape[1] == 2 && seen.shape[2] == 3,
          "shape");
    check(seen.strides[0] == 0 && seen.strides[1] == -7 && seen.strides[2] == 0, "strides");
    check(seen.offset == 24 && seen.dtype == CLND_FLOAT32, "offset and dtype");
}

Test(strided_slice_assign, refused)
{
    const device *d = device_get();
    for (int i = 0; i < 8; i++) {
        static const char *const slices[] = {"2", "-3", "0, 0, 0", "::0"};
        placed target, value;
        case_begin("strided_slice_assign refused", i);
        text_tensor(&target, "target", case_rng(), CLND_INT32, SIX);
        text_tensor(&value, "value", case_rng(), CLND_INT32, ": 7");
        placed_upload(&target, d);
        placed_upload(&value, d);
        clnd_slice slice = parse(slices[i / 2]), all = parse("");
        check_status(run(d, i % 2, &target.tensor, &slice, &value.tensor), CLND_INVALID_SLICE);
        value.tensor.dtype = CLND_FLOAT32;
        check_status(run(d, i % 2, &target.tensor, &all, &value.tensor), CLND_DTYPE_MISMATCH);
        value.tensor.dtype = CLND_INT32;
        check_status(run(d, i % 2, &target.tensor, NULL, &value.tensor), CLND_NULL_POINTER);
        target.tensor.strides[0] = 0; // also where the slice itself is sound
        slice = parse("0");
        check_status(run(d, i % 2, &target.tensor, &slice, &value.tensor),
                     i % 2 ? CLND_INVALID_SHAPE : CLND_INVALID_STRIDES);
        placed_check(&target, d, EQUAL_BITS, NULL);
        placed_free(&target);
        placed_free(&value);
    }
}

// assign: only the slice may not overlap the value; grad: nothing of dx may.
Test(strided_slice_assign, overlap)
{
    static const struct {
        const char *slice;
        int value; // the two elements from here on
        clnd_status assign, grad;
        const char *after;
    } rows[] = {
        {"4:", 0, CLND_OK, CLND_OVERLAP, "6: 0 1 2 3 0 1"},
        {"4:", 2, CLND_OK, CLND_OVERLAP, "6: 0 1 2 3 2 3"},
        {"4:", 3, CLND_OVERLAP, CLND_OVERLAP, NULL},
        {"0:2", 1, CLND_OVERLAP, CLND_OVERLAP, NULL},
        {"1::-1", 2, CLND_OK, CLND_OVERLAP, "6: 3 2 2 3 4 5"},
        {"::5", 2, CLND_OVERLAP, CLND_OVERLAP, NULL}, // by the range of bytes
        {"::5", 6, CLND_OK, CLND_OK, NULL},
        {"4:", 6, CLND_OK, CLND_OK, NULL},
    };
    const device *d = device_get();
    for (int i = 0; i < 2 * (int)(sizeof rows / sizeof *rows); i++) {
        placed all;
        bool grad = i % 2;
        case_begin("strided_slice_assign overlap", i);
        text_tensor(&all, "all", case_rng(), CLND_INT32, "8: 0 1 2 3 4 5 6 7");
        placed_upload(&all, d);
        clnd_tensor target = all.tensor, value = all.tensor;
        target.shape[0] = 6;
        value.shape[0] = 2;
        value.offset = (size_t)rows[i / 2].value * 4;
        clnd_slice slice = parse(rows[i / 2].slice);
        clnd_status expected = grad ? rows[i / 2].grad : rows[i / 2].assign;
        check_status(run(d, grad, &target, &slice, &value), expected);
        if (expected == CLND_OK) {
            ref_array to = all.host, from = all.host;
            to.shape[0] = 6;
            from.shape[0] = 2;
            from.offset = value.offset;
            (grad ? ref_strided_slice_grad(&from, &slice, &to)
                  : ref_strided_slice_assign(&to, &slice, &from));
            if (rows[i / 2].after) {
                all.host.shape[0] = 6;
                text_elements(&all, rows[i / 2].after);
            }
        }
        placed_check(&all, d, EQUAL_BITS, NULL);
        placed_free(&all);
    }
}
