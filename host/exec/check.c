// SPDX-License-Identifier: Apache-2.0

#include "host/exec/check.h"

#include <string.h>

#include "host/base/dtype.h"
#include "host/exec/move.h"

// Rows a launch: they are numbered in 32 bits, because not every device has 64-bit atomics.
#define MAX_ROWS (INT64_C(1) << 31)

enum { MIN_ROWS = 2048, ITEMS_PER_UNIT = 8, GPU_ITEMS_PER_UNIT = 2048 };

// The dimensions along which the rows differ. Rows that repeat along a broadcast dimension are
// checked once: the first bad one has coordinate 0 there.
static int moving_dimensions(const clnd__index_check *check, int *dimensions, int64_t *rows)
{
    int n = 0;
    *rows = 1;
    for (int d = 0; d < check->n_location; ++d) {
        const int64_t size = check->indices->shape[d];
        if (size == 0 || (size > 1 && check->indices->strides[d] != 0)) {
            dimensions[n++] = d;
            *rows *= size;
        }
    }
    return n;
}

static void set_axes(const clnd__index_check *check, int n, const int *dimensions,
                     clnd_move_args *args)
{
    for (int i = 0; i < n; ++i) {
        const int64_t size = check->indices->shape[dimensions[i]];
        const int64_t stride = clnd__stride_bytes(check->indices, dimensions[i]);
        clnd_axis_args *outside = args->n_outer > 0 ? &args->axes[args->n_outer - 1] : NULL;
        if (outside && outside->index == stride * size) {
            outside->size *= size;
            outside->index = stride;
        } else {
            args->axes[args->n_outer++] = (clnd_axis_args){.size = size, .index = stride};
        }
    }
}

static void spread(const clnd_device_facts *facts, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    const int64_t rows = args->rows - args->first_row;
    const bool groups = !facts->is_cpu && facts->max_work_group_size >= CLND_LANES;
    const int64_t local = groups ? CLND_LANES : 1;
    const int64_t items =
        (int64_t)facts->compute_units * (groups ? GPU_ITEMS_PER_UNIT : ITEMS_PER_UNIT);
    args->rows_per_item = (rows + items - 1) / items;
    if (!groups && args->rows_per_item < MIN_ROWS)
        args->rows_per_item = MIN_ROWS;
    const int64_t needed = (rows + args->rows_per_item - 1) / args->rows_per_item;
    move->global[0] = (size_t)((needed + local - 1) / local * local);
    move->global[1] = 1;
    move->local = (size_t)local;
}

static clnd_status check_rows(clnd__call *call, clnd__move *move, cl_mem indices,
                              uint32_t *first_bad)
{
    *first_bad = CLND_NO_BAD_ROW;
    cl_mem buffers[2] = {indices, NULL};
    clnd_status status =
        clnd__buffer_create(call->engine, sizeof *first_bad, first_bad, &buffers[1]);
    if (status)
        return status;
    spread(clnd_engine_facts(call->engine), move);
    clnd__move_set_kernel(move, "check", "check", "-cl-std=CL1.2");
    if ((status = clnd__move_enqueue(call, move, 2, buffers)) == CLND_OK)
        status = clnd__call_read(call, buffers[1], 0, sizeof *first_bad, first_bad);
    clnd__buffer_release(buffers[1]);
    return status;
}

static int64_t widen_index(clnd_dtype dtype, const void *value)
{
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
    } bits;
    memcpy(&bits, value, clnd_dtype_size(dtype));
    switch (dtype) {
    case CLND_INT8:
        return bits.i8;
    case CLND_INT16:
        return bits.i16;
    case CLND_INT32:
        return bits.i32;
    case CLND_UINT8:
        return bits.u8;
    case CLND_UINT16:
        return bits.u16;
    case CLND_UINT32:
        return bits.u32;
    default:
        return bits.i64;
    }
}

// Where the row lies, and which values stand there.
static clnd_status describe(clnd__call *call, const clnd__index_check *check, int n,
                            const int *dimensions, int64_t row, cl_mem buffer, clnd__bad_row *bad)
{
    const clnd__view *indices = check->indices;
    int64_t at = (int64_t)indices->offset;
    bad->found = true;
    for (int i = n - 1; i >= 0; --i) {
        const int d = dimensions[i];
        bad->location[d] = row % indices->shape[d];
        row /= indices->shape[d];
        at += bad->location[d] * clnd__stride_bytes(indices, d);
    }
    const int64_t step =
        check->n_location < indices->rank ? clnd__stride_bytes(indices, indices->rank - 1) : 0;
    for (int k = 0; k < check->n_coordinates; ++k) {
        unsigned char value[8];
        clnd_status status = clnd__call_read(call, buffer, (size_t)(at + k * step),
                                             clnd_dtype_size(indices->dtype), value);
        if (status)
            return status;
        bad->values[k] = widen_index(indices->dtype, value);
    }
    return CLND_OK;
}

clnd_status clnd__check_indices(clnd__call *call, const clnd__index_check *check,
                                const clnd__memory *indices, clnd__bad_row *bad)
{
    memset(bad, 0, sizeof *bad);
    if (check->n_coordinates == 0 || clnd__is_empty(check->indices))
        return CLND_OK;
    int dimensions[CLND_MAX_RANK];
    int64_t rows;
    const int n = moving_dimensions(check, dimensions, &rows);

    clnd__move move = {.unit = 1};
    clnd_move_args *args = &move.args;
    args->n_coordinates = check->n_coordinates;
    args->index_offset = (clnd_i64)check->indices->offset;
    args->index_kind = clnd__dtype_kind(check->indices->dtype);
    args->adjust = check->wrap ? CLND_ADJUST_WRAP : CLND_ADJUST_NONE;
    if (check->n_location < check->indices->rank)
        args->index_step = clnd__stride_bytes(check->indices, check->indices->rank - 1);
    set_axes(check, n, dimensions, args);
    for (int k = 0; k < check->n_coordinates; ++k)
        args->coordinates[k].extent = check->extents[k];

    for (; args->first_row < rows; args->first_row = args->rows) {
        args->rows = rows - args->first_row > MAX_ROWS ? args->first_row + MAX_ROWS : rows;
        uint32_t first_bad;
        clnd_status status = check_rows(call, &move, indices->buffer, &first_bad);
        if (status)
            return status;
        if (first_bad != CLND_NO_BAD_ROW)
            return describe(call, check, n, dimensions, args->first_row + (int64_t)first_bad,
                            indices->buffer, bad);
    }
    return CLND_OK;
}
