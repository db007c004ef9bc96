// SPDX-License-Identifier: Apache-2.0

#include "host/shape/view.h"

#include <inttypes.h>
#include <stdio.h>

#include "host/base/checked.h"
#include "host/base/error.h"

clnd__shape_text clnd__format_list(int n, const int64_t *values)
{
    clnd__shape_text out = {"["};
    size_t length = 1;
    for (int i = 0; i < n && length < sizeof out.text - 24; ++i)
        length += (size_t)snprintf(out.text + length, sizeof out.text - length, "%s%" PRId64,
                                   i ? ", " : "", values[i]);
    snprintf(out.text + length, sizeof out.text - length, "]");
    return out;
}

clnd_status clnd__check_dtype(const clnd__view *view)
{
    if (!clnd_dtype_is_valid(view->dtype))
        return clnd__fail(CLND_INVALID_DTYPE, "%s has dtype %#" PRIx64 ", which is none of clnd's",
                          view->name, view->dtype);
    return CLND_OK;
}

clnd_status clnd__check_rank(const clnd__view *view)
{
    if (view->rank < 0 || view->rank > CLND_MAX_RANK)
        return clnd__fail(CLND_INVALID_RANK, "%s has rank %d, allowed are 0 to %d", view->name,
                          view->rank, CLND_MAX_RANK);
    return CLND_OK;
}

clnd_status clnd__check_shape(const clnd__view *view)
{
    for (int d = 0; d < view->rank; ++d)
        if (view->shape[d] < 0)
            return clnd__fail(CLND_INVALID_SHAPE,
                              "%s has the negative size %" PRId64 " at dimension %d", view->name,
                              view->shape[d], d);
    return CLND_OK;
}

clnd_status clnd__check_same_dtype(const clnd__view *a, const clnd__view *b)
{
    if (a->dtype == b->dtype)
        return CLND_OK;
    return clnd__fail(CLND_DTYPE_MISMATCH,
                      "%s is %s of size %zu, %s is %s of size %zu; they must be the same", a->name,
                      clnd_dtype_name(a->dtype), clnd_dtype_size(a->dtype), b->name,
                      clnd_dtype_name(b->dtype), clnd_dtype_size(b->dtype));
}

clnd_status clnd__check_expected_shape(const clnd__view *view, const clnd__view *expected)
{
    bool same = view->rank == expected->rank;
    for (int d = 0; same && d < view->rank; ++d)
        same = view->shape[d] == expected->shape[d];
    if (same)
        return CLND_OK;
    return clnd__fail(CLND_INVALID_SHAPE, "%s has shape %s, expected %s", view->name,
                      clnd__format_list(view->rank, view->shape).text,
                      clnd__format_list(expected->rank, expected->shape).text);
}

clnd_status clnd__count(const char *name, int rank, const int64_t *shape, int64_t *count)
{
    *count = 0;
    for (int d = 0; d < rank; ++d)
        if (shape[d] == 0)
            return CLND_OK;
    int64_t product = 1;
    for (int d = 0; d < rank; ++d)
        if (!clnd__multiply(product, shape[d], &product))
            return clnd__fail(CLND_SIZE_OVERFLOW, "%s: the sizes %s multiply to more than 63 bits",
                              name, clnd__format_list(rank, shape).text);
    *count = product;
    return CLND_OK;
}

bool clnd__is_empty(const clnd__view *view)
{
    for (int d = 0; d < view->rank; ++d)
        if (view->shape[d] == 0)
            return true;
    return false;
}

clnd_status clnd__extent(const clnd__view *view, int64_t *begin, int64_t *end)
{
    *begin = *end = 0;
    int64_t count;
    clnd_status status = clnd__count(view->name, view->rank, view->shape, &count);
    if (status || count == 0)
        return status;

    const int64_t size = (int64_t)clnd_dtype_size(view->dtype);
    int64_t low = 0, high = size;
    bool fits = view->offset <= INT64_MAX;
    for (int d = 0; fits && d < view->rank; ++d) {
        int64_t reach;
        if (view->shape[d] == 1)
            continue;
        fits = clnd__multiply(view->shape[d] - 1, view->strides[d], &reach) &&
               clnd__multiply(reach, size, &reach) &&
               (reach < 0 ? clnd__add(low, reach, &low) : clnd__add(high, reach, &high));
    }
    fits = fits && clnd__add(low, (int64_t)view->offset, &low) &&
           clnd__add(high, (int64_t)view->offset, &high);
    if (!fits)
        return clnd__fail(CLND_SIZE_OVERFLOW,
                          "%s of shape %s, strides %s and offset %" PRIu64
                          " reaches beyond 63 bits",
                          view->name, clnd__format_list(view->rank, view->shape).text,
                          clnd__format_list(view->rank, view->strides).text, view->offset);
    if (low < 0)
        return clnd__fail(CLND_BUFFER_TOO_SMALL,
                          "%s of shape %s, strides %s and offset %" PRIu64 " begins %" PRIu64
                          " byte%s before its buffer",
                          view->name, clnd__format_list(view->rank, view->shape).text,
                          clnd__format_list(view->rank, view->strides).text, view->offset,
                          0 - (uint64_t)low, clnd__plural(0 - (uint64_t)low));
    *begin = low;
    *end = high;
    return CLND_OK;
}

clnd_status clnd__make_dense(clnd__view *view)
{
    int64_t count, bytes;
    clnd_status status = clnd__count(view->name, view->rank, view->shape, &count);
    if (status)
        return status;
    if (!clnd__multiply(count, (int64_t)clnd_dtype_size(view->dtype), &bytes))
        return clnd__fail(CLND_SIZE_OVERFLOW, "%s of shape %s has more than 63 bits of bytes",
                          view->name, clnd__format_list(view->rank, view->shape).text);
    view->offset = 0;
    int64_t stride = 1;
    for (int d = view->rank - 1; d >= 0; --d) {
        view->strides[d] = stride;
        // Beside a size of 0 the other sizes may have any value; such strides are never used.
        if (view->shape[d] > 0 && !clnd__multiply(stride, view->shape[d], &stride))
            stride = 1;
    }
    return CLND_OK;
}

clnd_status clnd__dense_view(const char *name, clnd_dtype dtype, int rank, const int64_t *shape,
                             clnd__view *view)
{
    *view = (clnd__view){.name = name, .dtype = dtype, .rank = rank};
    if (rank > 0 && !shape)
        return clnd__fail(CLND_NULL_POINTER, "shape is NULL");
    clnd_status status = clnd__check_dtype(view);
    if (status || (status = clnd__check_rank(view)))
        return status;
    for (int d = 0; d < rank; ++d)
        view->shape[d] = shape[d];
    status = clnd__check_shape(view);
    return status ? status : clnd__make_dense(view);
}

clnd_status clnd__broadcast_view(const clnd__view *source, const clnd__view *target,
                                 clnd__view *seen)
{
    const int extra = source->rank - target->rank;
    bool fits = true;
    for (int d = 0; d < extra; ++d)
        fits = fits && source->shape[d] == 1;
    *seen = *source;
    seen->rank = target->rank;
    for (int d = 0; d < target->rank; ++d) {
        const int from = d + extra;
        const int64_t size = from < 0 ? 1 : source->shape[from];
        fits = fits && (size == 1 || size == target->shape[d]);
        seen->shape[d] = target->shape[d];
        seen->strides[d] = size == 1 ? 0 : source->strides[from];
    }
    if (fits)
        return CLND_OK;
    return clnd__fail(CLND_INVALID_SHAPE, "%s of shape %s cannot be broadcast into shape %s",
                      source->name, clnd__format_list(source->rank, source->shape).text,
                      clnd__format_list(target->rank, target->shape).text);
}

int64_t clnd__stride_bytes(const clnd__view *view, int axis)
{
    if (view->shape[axis] <= 1 || clnd__is_empty(view))
        return 0;
    return view->strides[axis] * (int64_t)clnd_dtype_size(view->dtype);
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

// Visits the dimensions from the smallest stride up: each stride must step over everything that the
// smaller ones reach. That is sufficient for distinct elements, and every usual layout satisfies
// it.
clnd_status clnd__check_output_strides(const clnd__view *view)
{
    if (clnd__is_empty(view))
        return CLND_OK;
    bool done[CLND_MAX_RANK] = {false};
    uint64_t reach = 0; // elements from the first to the last that the smaller strides reach
    for (int step = 0; step < view->rank; ++step) {
        int next = -1;
        for (int d = 0; d < view->rank; ++d)
            if (!done[d] && view->shape[d] > 1 &&
                (next < 0 || magnitude(view->strides[d]) < magnitude(view->strides[next])))
                next = d;
        if (next < 0)
            return CLND_OK;
        done[next] = true;
        const uint64_t stride = magnitude(view->strides[next]);
        if (stride <= reach)
            return clnd__fail(CLND_INVALID_STRIDES,
                              "%s of shape %s and strides %s is written, but elements share memory "
                              "along dimension %d",
                              view->name, clnd__format_list(view->rank, view->shape).text,
                              clnd__format_list(view->rank, view->strides).text, next);
        const uint64_t steps = (uint64_t)view->shape[next] - 1;
        if (steps > (UINT64_MAX - reach) / stride)
            return CLND_OK; // the extent overflows, and is reported as overflow
        reach += steps * stride;
    }
    return CLND_OK;
}
