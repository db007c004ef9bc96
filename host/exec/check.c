// SPDX-License-Identifier: Apache-2.0

#include "host/exec/check.h"

#include <string.h>

#include "host/base/dtype.h"
#include "host/base/error.h"
#include "host/cl/report.h"
#include "host/exec/move.h"
#include "host/exec/rows.h"

// Of as many coordinates as kernels are compiled for (kernels_cl/check.cl).
enum { MANY_COORDINATES = 3 };

enum { MIN_ROWS = 2048, ITEMS_PER_UNIT = 8, GPU_ITEMS_PER_UNIT = 2048 };

static void set_axes(const clnd__index_check *check, int n, const int *dimensions,
                     clnd_move_args *args)
{
    for (int i = 0; i < n; ++i) {
        const int64_t size = check->indices.shape[dimensions[i]];
        const int64_t stride = clnd__stride_bytes(&check->indices, dimensions[i]);
        clnd_axis_args *outside = args->n_outer > 0 ? &args->axes[args->n_outer - 1] : NULL;
        if (outside && outside->index == stride * size) {
            outside->size *= size;
            outside->index = stride;
        } else {
            args->axes[args->n_outer++] = (clnd_axis_args){.size = size, .index = stride};
        }
    }
}

// All of the check as one move; a launch takes a part of its rows.
static void lower(const clnd__index_check *check, clnd__move *move, int64_t *rows)
{
    int dimensions[CLND_MAX_RANK];
    const int n = clnd__index_check_dimensions(check, dimensions, rows);
    const clnd__view *indices = &check->indices;
    memset(move, 0, sizeof *move);
    move->unit = 1;
    move->kernel.ungated = true;
    clnd_move_args *args = &move->args;
    args->n_coordinates = check->n_coordinates;
    args->index_offset = (clnd_i64)indices->offset;
    args->index_kind = clnd__dtype_kind(indices->dtype);
    args->adjust = check->wrap ? CLND_ADJUST_WRAP : CLND_ADJUST_NONE;
    if (check->n_location < indices->rank)
        args->index_step = clnd__stride_bytes(indices, indices->rank - 1);
    set_axes(check, n, dimensions, args);
    for (int k = 0; k < check->n_coordinates; ++k)
        args->coordinates[k].extent = check->extents[k];
}

// Whether neighbouring work-items look at neighbouring rows; otherwise each at many of its own.
static bool has_groups(const clnd_device_facts *facts)
{
    return !facts->is_cpu && facts->max_work_group_size >= CLND_LANES;
}

static void set_kernel(const clnd_device_facts *facts, const char *function, clnd__move *move)
{
    const int64_t n = move->args.n_coordinates;
    const bool many =
        !has_groups(facts) && clnd__rows_compile(facts, move) && n <= MANY_COORDINATES;
    clnd__move_set_kernel(move, "check", function, "-cl-std=CL1.2 -DCOORDINATES=%d",
                          many ? (int)n : 0);
}

static void spread(const clnd_device_facts *facts, clnd__move *move)
{
    clnd_move_args *args = &move->args;
    const int64_t rows = args->rows - args->first_row;
    const bool groups = has_groups(facts);
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

static clnd_status launch_check(clnd__call *call, clnd__move *move, int64_t rows,
                                const cl_mem buffers[2])
{
    clnd_move_args *args = &move->args;
    clnd_status status = CLND_OK;
    for (args->rows = 0; args->rows < rows && status == CLND_OK;) {
        args->first_row = args->rows;
        args->rows = rows - args->rows > CLND_CHECK_ROWS ? args->rows + CLND_CHECK_ROWS : rows;
        spread(clnd_engine_facts(call->engine), move);
        set_kernel(clnd_engine_facts(call->engine), "check", move);
        status = clnd__move_enqueue(call, move, 2, buffers);
    }
    return status;
}

static clnd_status launch_read_bad_row(clnd__call *call, clnd__move *move, const cl_mem buffers[2])
{
    move->global[0] = 1;
    move->local = 1;
    set_kernel(clnd_engine_facts(call->engine), "read_bad_row", move);
    return clnd__move_enqueue(call, move, 2, buffers);
}

// A verdict in engine's memory, read and, where it is bad, turned into the call's failure.
static clnd_status check_into(clnd__call *call, const clnd__index_check *check, cl_mem indices,
                              cl_mem memory, clnd_verdict *verdict)
{
    clnd__move move;
    int64_t rows;
    const cl_mem buffers[2] = {indices, memory};
    lower(check, &move, &rows);
    clnd_status status = launch_check(call, &move, rows, buffers);
    if (status == CLND_OK)
        status = clnd__call_read(call, memory, 0, offsetof(clnd_verdict, values), verdict);
    if (status || verdict->row == CLND_NO_BAD_ROW)
        return status;
    if ((status = launch_read_bad_row(call, &move, buffers)) ||
        (status = clnd__call_read(call, memory, 0, sizeof *verdict, verdict)))
        return status;
    char text[CLND__ERROR_TEXT];
    int64_t location[CLND_MAX_RANK];
    clnd__index_check_locate(check, verdict->launch * CLND_CHECK_ROWS + verdict->row, location);
    clnd__index_check_describe(check, location, verdict->values, text, sizeof text);
    return clnd__fail(CLND_INDEX_OUT_OF_BOUNDS, "%s", text);
}

clnd_status clnd__check_wait(clnd__call *call, const clnd__index_check *check,
                             const clnd__memory *indices)
{
    if (clnd__index_check_is_empty(check))
        return CLND_OK;
    cl_mem memory;
    clnd_verdict verdict = {.row = 0};
    clnd_status status = clnd__call_await(call);
    if (status || (status = clnd__verdict_borrow(call->engine, &memory)))
        return status;
    status = check_into(call, check, indices->buffer, memory, &verdict);
    clnd__verdict_give_back(call->engine, memory, status == CLND_OK);
    return status;
}

clnd_status clnd__check_enqueue(clnd__call *call, const clnd__index_check *check,
                                const clnd__memory *indices)
{
    if (clnd__index_check_is_empty(check))
        return CLND_OK;
    clnd__move move;
    int64_t rows;
    const cl_mem buffers[2] = {indices->buffer, call->gate};
    lower(check, &move, &rows);
    clnd_status status = launch_check(call, &move, rows, buffers);
    if (status == CLND_OK)
        status = launch_read_bad_row(call, &move, buffers);
    return status ? status : clnd__report_checked(call);
}
