// SPDX-License-Identifier: Apache-2.0

#include "host/shape/slice.h"

#include <inttypes.h>
#include <string.h>

#include "host/base/error.h"

enum entry_kind { ENTRY_RANGE, ENTRY_INTEGER, ENTRY_NEW_AXIS, ENTRY_ELLIPSIS };

static bool bit(uint32_t mask, int i)
{
    return (mask >> i) & 1;
}

static enum entry_kind kind_of(const clnd_slice *slice, int i)
{
    if (bit(slice->ellipsis_mask, i))
        return ENTRY_ELLIPSIS;
    if (bit(slice->new_axis_mask, i))
        return ENTRY_NEW_AXIS;
    return bit(slice->shrink_axis_mask, i) ? ENTRY_INTEGER : ENTRY_RANGE;
}

static clnd_status check_entries(const clnd__view *input, const clnd_slice *slice, int *taken)
{
    if (slice->length < 0 || slice->length > CLND_MAX_SLICE_ENTRIES)
        return clnd__fail(CLND_INVALID_SLICE, "the slice has %d entries, allowed are 0 to %d",
                          slice->length, CLND_MAX_SLICE_ENTRIES);
    int ellipses = 0, rank = input->rank;
    *taken = 0;
    for (int i = 0; i < slice->length; ++i) {
        const enum entry_kind kind = kind_of(slice, i);
        ellipses += kind == ENTRY_ELLIPSIS;
        *taken += kind == ENTRY_RANGE || kind == ENTRY_INTEGER;
        rank += (kind == ENTRY_NEW_AXIS) - (kind == ENTRY_INTEGER);
    }
    if (ellipses > 1)
        return clnd__fail(CLND_INVALID_SLICE, "the slice has %d ellipses, at most one is allowed",
                          ellipses);
    if (*taken > input->rank)
        return clnd__fail(CLND_INVALID_SLICE,
                          "the slice takes %d dimension%s, %s of shape %s has %d", *taken,
                          clnd__plural((uint64_t)*taken), input->name,
                          clnd__format_list(input->rank, input->shape).text, input->rank);
    if (rank > CLND_MAX_RANK)
        return clnd__fail(CLND_INVALID_RANK,
                          "the slice would have %d dimensions, at most %d are allowed", rank,
                          CLND_MAX_RANK);
    return CLND_OK;
}

// A position that may count from the end, clamped to [low, high].
static int64_t clamp_place(int64_t place, int64_t size, int64_t low, int64_t high)
{
    if (place < 0)
        place += size;
    return place < low ? low : place > high ? high : place;
}

static void take_range(const clnd_slice *slice, int i, int64_t size, int64_t *begin, int64_t *count)
{
    const int64_t stride = slice->strides[i];
    const bool forward = stride > 0;
    const int64_t low = forward ? 0 : -1, high = forward ? size : size - 1;
    const int64_t first = bit(slice->begin_mask, i) ? (forward ? low : high)
                                                    : clamp_place(slice->begin[i], size, low, high);
    const int64_t end = bit(slice->end_mask, i) ? (forward ? high : low)
                                                : clamp_place(slice->end[i], size, low, high);
    const int64_t length = end - first;
    *begin = first;
    *count = length == 0 || (length > 0) != forward ? 0 : length / stride + (length % stride != 0);
}

static clnd_status take_integer(const clnd__view *input, const clnd_slice *slice, int i,
                                int dimension, int64_t *begin)
{
    const int64_t size = input->shape[dimension];
    const int64_t place = slice->begin[i] + (slice->begin[i] < 0 ? size : 0);
    if (slice->strides[i] < 0)
        return clnd__fail(CLND_INVALID_SLICE,
                          "entry %d takes one element of dimension %d and has stride %" PRId64
                          ", which must be positive",
                          i, dimension, slice->strides[i]);
    if (place < 0 || place >= size)
        return clnd__fail(CLND_INVALID_SLICE,
                          "index %" PRId64
                          " of entry %d is outside dimension %d of %s, which has size %" PRId64,
                          slice->begin[i], i, dimension, input->name, size);
    *begin = place;
    return CLND_OK;
}

static void append(clnd__view *view, int64_t size, int64_t stride)
{
    view->shape[view->rank] = size;
    view->strides[view->rank++] = stride;
}

// Products that matter fit, because the input's extent does. Those of strides that are never used
// may wrap around.
static int64_t wrapping_product(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

// Applies entry `i` to `dimension`; *skip grows by the number of elements before its first one.
static clnd_status take_dimension(const clnd__view *input, const clnd_slice *slice, int i,
                                  int dimension, uint64_t *skip, clnd__view *view)
{
    int64_t begin = 0, count = 1;
    if (slice->strides[i] == 0)
        return clnd__fail(CLND_INVALID_SLICE,
                          "entry %d has stride 0 in dimension %d of %s; 1 takes every element", i,
                          dimension, input->name);
    const bool integer = kind_of(slice, i) == ENTRY_INTEGER;
    if (integer) {
        clnd_status status = take_integer(input, slice, i, dimension, &begin);
        if (status)
            return status;
    } else {
        take_range(slice, i, input->shape[dimension], &begin, &count);
    }
    const int64_t stride = input->strides[dimension];
    *skip += (uint64_t)wrapping_product(begin, stride);
    if (!integer)
        append(view, count, count > 1 ? wrapping_product(stride, slice->strides[i]) : stride);
    return CLND_OK;
}

clnd_status clnd__slice_view(const clnd__view *input, const clnd_slice *slice, const char *name,
                             clnd__view *view)
{
    memset(view, 0, sizeof *view);
    view->name = name;
    view->dtype = input->dtype;

    int taken;
    clnd_status status = check_entries(input, slice, &taken);
    int dimension = 0;
    uint64_t skip = 0;
    bool seen_ellipsis = false;
    for (int i = 0; status == CLND_OK && i <= slice->length; ++i) {
        const bool end = i == slice->length;
        if (end && seen_ellipsis)
            break;
        if (end || kind_of(slice, i) == ENTRY_ELLIPSIS) {
            seen_ellipsis = true;
            for (int rest = input->rank - taken; rest > 0; --rest, ++dimension)
                append(view, input->shape[dimension], input->strides[dimension]);
        } else if (kind_of(slice, i) == ENTRY_NEW_AXIS) {
            append(view, 1, 0);
        } else {
            status = take_dimension(input, slice, i, dimension++, &skip, view);
        }
    }
    if (status) {
        memset(view, 0, sizeof *view);
        return status;
    }
    view->offset = input->offset;
    if (!clnd__is_empty(view))
        view->offset += skip * (uint64_t)clnd_dtype_size(input->dtype);
    return CLND_OK;
}
