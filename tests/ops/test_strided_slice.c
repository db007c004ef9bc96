// SPDX-License-Identifier: Apache-2.0
//
// strided_slice and strided_slice_view: the worked examples of semantics.md 2.3, TensorFlow's and
// NumPy's, and random cases against the reference.

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

// Random cases -----------------------------------------------------------------------------------

static int64_t pick_place(rng *r, int64_t size)
{
    switch (rng_range(r, 0, 9)) {
    case 0:
        return INT64_MIN;
    case 1:
        return INT64_MAX;
    case 2:
        return rng_range(r, -3 * size - 2, 3 * size + 2);
    default:
        return rng_range(r, -size - 1, size + 1);
    }
}

static int64_t pick_stride(rng *r)
{
    static const int64_t far[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, 1000, -1000};
    int choice = (int)rng_range(r, 0, 19);
    if (choice == 0)
        return 0;
    if (choice <= 2)
        return far[rng_range(r, 0, 4)];
    if (choice <= 8)
        return rng_range(r, -4, 4);
    return 1;
}

// Entries for `rank` dimensions of `shape`; bits beyond the entries too, which mean nothing.
static clnd_slice pick_slice(rng *r, int rank, const int64_t *shape)
{
    clnd_slice slice = {.begin_mask = (uint32_t)(rng_u64(r) & rng_u64(r)),
                        .end_mask = (uint32_t)(rng_u64(r) & rng_u64(r)),
                        .shrink_axis_mask =
                            (uint32_t)(rng_u64(r) & rng_u64(r) & rng_u64(r) & rng_u64(r))};
    slice.length = (int)rng_range(r, 0, rank + (rng_chance(r, 30) ? 2 : 0));
    if (rng_chance(r, 20))
        slice.new_axis_mask = (uint32_t)(rng_u64(r) & rng_u64(r));
    if (rng_chance(r, 40))
        slice.ellipsis_mask = (uint32_t)1 << rng_range(r, 0, slice.length);
    if (rng_chance(r, 3))
        slice.ellipsis_mask = (uint32_t)rng_u64(r);
    for (int i = 0; i < slice.length; i++) {
        int64_t size = i < rank ? shape[i] : 3;
        slice.begin[i] = pick_place(r, size);
        slice.end[i] = pick_place(r, size);
        slice.strides[i] = pick_stride(r);
        if (slice.shrink_axis_mask >> i & 1 && rng_chance(r, 85)) { // most integers are good
            slice.begin[i] = rng_range(r, -size, size - 1 > 0 ? size - 1 : 0);
            slice.strides[i] = 1;
        }
    }
    return slice;
}

static bool run_random(const device *d, int highest_rank, int64_t most, clnd_strategy strategy,
                       clnd_dtype dtype, int empty)
{
    rng *r = case_rng();
    char lists[5][512];
    int64_t shape[CLND_MAX_RANK];
    int rank = (int)rng_range(r, 0, highest_rank);
    placed input, out;
    if (most > 10000)
        cases_large_shape(r, rank, most, shape);
    else
        cases_shape(r, rank, most, empty, shape);
    clnd_slice slice = pick_slice(r, rank, shape);
    case_note("dtype %llx strategy %d input %s begin %s end %s strides %s masks %x %x %x %x %x",
              (unsigned long long)dtype, (int)strategy, placed_list(rank, shape, lists[0]),
              placed_list(slice.length, slice.begin, lists[1]),
              placed_list(slice.length, slice.end, lists[2]),
              placed_list(slice.length, slice.strides, lists[3]), slice.begin_mask, slice.end_mask,
              slice.ellipsis_mask, slice.new_axis_mask, slice.shrink_axis_mask);
    placed_make(&input, "input", r, dtype, rank, shape, PLACED_ANY);

    ref_slice taken;
    clnd_tensor result;
    ref_slice_status expected = ref_slice_take(rank, shape, &slice, &taken);
    if (expected != REF_SLICE_OK) {
        clnd_status status = clnd_strided_slice_shape(&input.tensor, &slice, &result);
        bool high = rank + slice.length > CLND_MAX_RANK; // with both faults, either is reported
        bool fits = (status == CLND_INVALID_SLICE && expected == REF_SLICE_INVALID) ||
                    (status == CLND_INVALID_RANK && (expected == REF_SLICE_TOO_HIGH || high));
        check(fits, "gave %s (%s), the reference %d", clnd_status_name(status), clnd_last_error(),
              (int)expected);
        placed_free(&input);
        return false;
    }
    values bits = {.kind = VALUES_BITS};
    check_status(clnd_strided_slice_shape(&input.tensor, &slice, &result), CLND_OK);
    check(result.rank == taken.rank &&
              memcmp(result.shape, taken.shape, (size_t)taken.rank * sizeof(int64_t)) == 0,
          "shape %s, expected %s", placed_list(result.rank, result.shape, lists[0]),
          placed_list(taken.rank, taken.shape, lists[1]));
    placed_make(&out, "out", r, dtype, taken.rank, taken.shape, PLACED_STRIDED);
    ref_slice_free(&taken);
    placed_fill(&input, r, &bits);
    placed_upload(&input, d);
    placed_upload(&out, d);

    launch l;
    launch_pick(&l, d, r);
    clnd_status status;
    if (rng_chance(r, 30)) { // as a view, moved by copy
        clnd_tensor view;
        clnd_copy_options options = {.strategy = strategy};
        check_status(clnd_strided_slice_view(&input.tensor, &slice, &view), CLND_OK);
        status = clnd_copy(d->engine, l.queue, &view, &out.tensor, &options, l.n_wait, l.wait,
                           l.event_out);
    } else {
        clnd_strided_slice_options options = {.strategy = strategy};
        status = clnd_strided_slice(d->engine, l.queue, &input.tensor, &slice, &out.tensor,
                                    &options, l.n_wait, l.wait, l.event_out);
    }
    check_status(status, CLND_OK);
    launch_finish(&l, d, status);
    check(ref_strided_slice(&input.host, &slice, &out.host) == REF_SLICE_OK, "the reference");
    placed_check(&out, d, EQUAL_BITS, NULL);
    placed_check(&input, d, EQUAL_BITS, NULL);
    placed_free(&input);
    placed_free(&out);
    return true;
}

static const clnd_strategy strategies[] = {CLND_STRATEGY_AUTO, CLND_STRATEGY_LANES,
                                           CLND_STRATEGY_BLOCKS};

Test(strided_slice, every_dtype)
{
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_all_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(18); i++) {
            case_begin("strided_slice every dtype", number++);
            run_random(d, 4, 400, strategies[i % 3], *dtype, 4);
        }
    }
}

Test(strided_slice, ranks_masks_and_empties)
{
    const device *d = device_get();
    int taken = 0, refused = 0;
    for (int i = 0; i < case_count(1500); i++) {
        case_begin("strided_slice masks", i);
        if (run_random(d, i % 5 ? 5 : 16, 300, strategies[i % 3], CLND_INT16, i % 3 ? 5 : 30))
            taken++;
        else
            refused++;
    }
    cr_assert(taken > refused / 4 && refused > 10, "%d taken, %d refused", taken, refused);
}

Test(strided_slice, large)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT32, CLND_COMPLEX128, CLND_OPAQUE(3)};
    const device *d = device_get();
    device_need_long_loops(d);
    for (int i = 0; i < case_count(80); i++) {
        case_begin("strided_slice large", i);
        run_random(d, 3, 60000, strategies[i % 3], dtypes[i % 4], 0);
    }
}

Test(strided_slice, strategy_from_environment)
{
    static const char *const names[] = {"lanes", "blocks", "store", "atomic", "owner", ""};
    const device *d = device_get();
    for (int i = 0; i < case_count(60); i++) {
        case_begin("strided_slice environment", i);
        cases_setenv("CLND_STRATEGY", names[i % 6]);
        run_random(d, 4, 2000, CLND_STRATEGY_AUTO, CLND_FLOAT32, 4);
    }
    cases_setenv("CLND_STRATEGY", NULL);
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
