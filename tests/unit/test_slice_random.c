// SPDX-License-Identifier: Apache-2.0
//
// Slices of views against a model that walks over the places of a dimension one by one instead of
// computing where the slice lies.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "elements.h"
#include "host/shape/slice.h"

// The model. A dimension is walked from its first place in the direction of the stride; what
// begin and end say is compared with each place as it is, never clamped.
typedef struct taken {
    bool is_new;
    bool is_dropped;
    int count;
    int64_t places[64];
} taken;

typedef struct model {
    clnd_status status;
    char message[256];
    int rank; // axes, dropped ones and new ones included
    taken axes[64];
} model;

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? ~(uint64_t)value + 1 : (uint64_t)value;
}

static bool has(uint32_t mask, int i)
{
    return (mask & UINT32_C(1) << i) != 0;
}

static void walk_range(const clnd_slice *slice, int i, int64_t size, taken *axis)
{
    const bool forward = slice->strides[i] > 0;
    int64_t begin = slice->begin[i], end = slice->end[i];
    begin += begin < 0 ? size : 0;
    end += end < 0 ? size : 0;
    uint64_t to_next = 0;
    bool begun = has(slice->begin_mask, i);
    for (int64_t step = 0; step < size; ++step) {
        const int64_t place = forward ? step : size - 1 - step;
        if (!has(slice->end_mask, i) && (forward ? place >= end : place <= end))
            return;
        begun = begun || (forward ? place >= begin : place <= begin);
        if (!begun)
            continue;
        if (to_next == 0) {
            axis->places[axis->count++] = place;
            to_next = magnitude(slice->strides[i]);
        }
        --to_next;
    }
}

static void all_places(int64_t size, taken *axis)
{
    for (int64_t place = 0; place < size; ++place)
        axis->places[axis->count++] = place;
}

// Takes entry `i` of dimension `d`; false with a message when it cannot.
static bool model_entry(const clnd__view *input, const clnd_slice *slice, int i, int d, model *m)
{
    taken *axis = &m->axes[m->rank++];
    const int64_t size = input->shape[d];
    const int64_t begin = slice->begin[i], stride = slice->strides[i];
    m->status = CLND_INVALID_SLICE;
    if (stride == 0) {
        snprintf(m->message, sizeof m->message,
                 "entry %d has stride 0 in dimension %d of input; 1 takes every element", i, d);
        return false;
    }
    if (!has(slice->shrink_axis_mask, i)) {
        walk_range(slice, i, size, axis);
        m->status = CLND_OK;
        return true;
    }
    if (stride < 0) {
        snprintf(m->message, sizeof m->message,
                 "entry %d takes one element of dimension %d and has stride %" PRId64
                 ", which must be positive",
                 i, d, stride);
        return false;
    }
    axis->is_dropped = true;
    for (int64_t place = 0; place < size; ++place)
        if (place == begin || place - size == begin)
            axis->places[axis->count++] = place;
    if (axis->count == 0) {
        snprintf(m->message, sizeof m->message,
                 "index %" PRId64 " of entry %d is outside dimension %d of input, which has size "
                 "%" PRId64,
                 begin, i, d, size);
        return false;
    }
    m->status = CLND_OK;
    return true;
}

static int axes_left(const model *m)
{
    int left = 0;
    for (int a = 0; a < m->rank; ++a)
        left += !m->axes[a].is_dropped;
    return left;
}

static int rank_of_slice(const clnd__view *input, const clnd_slice *slice)
{
    int left = input->rank;
    for (int i = 0; i < slice->length; ++i)
        if (!has(slice->ellipsis_mask, i) && has(slice->new_axis_mask, i))
            ++left;
        else if (!has(slice->ellipsis_mask, i) && has(slice->shrink_axis_mask, i))
            --left;
    return left;
}

static void model_slice(const clnd__view *input, const clnd_slice *slice, model *m)
{
    int ellipses = 0, taking = 0, d = 0;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < slice->length; ++i) {
        if (has(slice->ellipsis_mask, i))
            ++ellipses;
        else if (!has(slice->new_axis_mask, i))
            ++taking;
    }
    m->status = CLND_INVALID_SLICE;
    if (ellipses > 1) {
        snprintf(m->message, sizeof m->message, "the slice has %d ellipses, at most one", ellipses);
        return;
    }
    if (taking > input->rank) {
        snprintf(m->message, sizeof m->message, "the slice takes %d dimension%s, input of shape",
                 taking, taking == 1 ? "" : "s");
        return;
    }
    const int left = rank_of_slice(input, slice);
    if (left > CLND_MAX_RANK) {
        m->status = CLND_INVALID_RANK;
        snprintf(m->message, sizeof m->message,
                 "the slice would have %d dimensions, at most 16 are allowed", left);
        return;
    }
    m->status = CLND_OK;
    for (int i = 0; i < slice->length + (ellipses == 0); ++i) {
        if (i == slice->length || has(slice->ellipsis_mask, i)) {
            for (int rest = input->rank - taking; rest > 0; --rest)
                all_places(input->shape[d++], &m->axes[m->rank++]);
        } else if (has(slice->new_axis_mask, i)) {
            m->axes[m->rank++] = (taken){.is_new = true, .count = 1};
        } else if (!model_entry(input, slice, i, d++, m)) {
            return;
        }
    }
}

static void walk_model(const model *m, const clnd__view *input, int a, int d, int64_t at,
                       elements *out)
{
    if (a == m->rank) {
        out->at[out->count++] = at;
        return;
    }
    const taken *axis = &m->axes[a];
    const int64_t step =
        axis->is_new ? 0 : input->strides[d] * (int64_t)clnd_dtype_size(input->dtype);
    for (int i = 0; i < axis->count; ++i)
        walk_model(m, input, a + 1, d + !axis->is_new, at + axis->places[i] * step, out);
}

static int64_t random_place(rng *r, int64_t size)
{
    static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, INT64_MAX - 1,
                                  INT32_MIN, INT32_MAX,     1000,      -1000};
    if (rng_chance(r, 10))
        return far[rng_range(r, 0, 7)];
    return rng_range(r, -size - 2, size + 2);
}

static void random_input(rng *r, clnd__view *input)
{
    static const clnd_dtype dtypes[] = {CLND_INT8, CLND_FLOAT32, CLND_OPAQUE(3)};
    const bool high = rng_chance(r, 5);
    *input = (clnd__view){.name = "input", .dtype = dtypes[rng_range(r, 0, 2)]};
    input->rank = (int)rng_range(r, high ? 6 : 0, high ? CLND_MAX_RANK : 4);
    input->offset = (uint64_t)rng_range(r, 0, 1000);
    int64_t count = 1;
    for (int d = 0; d < input->rank; ++d) {
        input->shape[d] = rng_range(r, rng_chance(r, 3) ? 0 : 1, high ? 2 : 7);
        if (count * input->shape[d] > MAX_ELEMENTS)
            input->shape[d] = 1;
        count *= input->shape[d] ? input->shape[d] : 1;
        input->strides[d] = rng_range(r, -100, 100);
    }
}

static uint32_t random_mask(rng *r, int percent)
{
    uint32_t mask = 0;
    for (int i = 0; i < 32; ++i)
        mask |= (uint32_t)rng_chance(r, percent) << i;
    return mask;
}

static void random_slice(rng *r, const clnd__view *input, clnd_slice *slice)
{
    memset(slice, 0, sizeof *slice);
    const int most = input->rank + 2 + (rng_chance(r, 5) ? 10 : 0);
    slice->length = (int)rng_range(r, 0, most);
    slice->begin_mask = random_mask(r, 20);
    slice->end_mask = random_mask(r, 20);
    slice->new_axis_mask = random_mask(r, slice->length > input->rank + 2 ? 60 : 15);
    slice->shrink_axis_mask = random_mask(r, 15);
    if (rng_chance(r, 40))
        slice->ellipsis_mask = UINT32_C(1) << rng_range(r, 0, slice->length);
    if (rng_chance(r, 3))
        slice->ellipsis_mask = random_mask(r, 10);
    for (int i = 0; i < slice->length; ++i) {
        const int64_t size = rng_chance(r, 50) ? 7 : 2;
        slice->begin[i] = random_place(r, size);
        slice->end[i] = random_place(r, size);
        slice->strides[i] = rng_chance(r, 4) ? random_place(r, 7) : rng_range(r, 1, 3);
        if (rng_chance(r, 35) && !has(slice->shrink_axis_mask, i) && slice->strides[i] > 0)
            slice->strides[i] = -slice->strides[i];
        if (has(slice->shrink_axis_mask, i) && rng_chance(r, 80) && i < input->rank)
            slice->begin[i] = rng_range(r, -input->shape[i], input->shape[i]);
    }
}

static void note_slice(const clnd__view *input, const clnd_slice *slice)
{
    const int n = slice->length < 8 ? slice->length : 8;
    case_note("%s from %s to %s by %s masks bm%x em%x el%x na%x sh%x length %d",
              clnd__format_list(input->rank, input->shape).text,
              clnd__format_list(n, slice->begin).text, clnd__format_list(n, slice->end).text,
              clnd__format_list(n, slice->strides).text, slice->begin_mask, slice->end_mask,
              slice->ellipsis_mask, slice->new_axis_mask, slice->shrink_axis_mask, slice->length);
}

// Returns whether the slice could be taken.
static bool check_random(rng *r)
{
    static model expected;
    clnd__view input, view;
    clnd_slice slice;
    random_input(r, &input);
    random_slice(r, &input, &slice);
    note_slice(&input, &slice);
    model_slice(&input, &slice, &expected);
    check_status(clnd__slice_view(&input, &slice, "slice", &view), expected.status);
    if (expected.status) {
        check_message(expected.message);
        return false;
    }
    int d = 0;
    check(view.rank == axes_left(&expected), "rank %d, expected %d", view.rank,
          axes_left(&expected));
    for (int a = 0; a < expected.rank; ++a) {
        if (expected.axes[a].is_dropped)
            continue;
        check(view.shape[d] == expected.axes[a].count, "size %" PRId64 " at %d, expected %d",
              view.shape[d], d, expected.axes[a].count);
        ++d;
    }
    elements wanted = {0};
    walk_model(&expected, &input, 0, 0, (int64_t)input.offset, &wanted);
    const elements got = elements_of(&view);
    check(got.count == wanted.count &&
              memcmp(got.at, wanted.at, (size_t)got.count * sizeof *got.at) == 0,
          "%d elements at other places than the model's %d", got.count, wanted.count);
    if (got.count == 0)
        check(view.offset == input.offset, "an empty slice has another offset than the input");
    return true;
}

Test(slice, random_specs_match_a_walk)
{
    const int count = case_count(250000);
    int taken_slices = 0;
    for (int i = 0; i < count; ++i) {
        case_begin("slice random", i);
        taken_slices += check_random(case_rng());
    }
    check(taken_slices > count / 2, "only %d of %d slices could be taken", taken_slices, count);
}
