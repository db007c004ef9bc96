// SPDX-License-Identifier: Apache-2.0

#include "host/exec/check.h"

#include <string.h>

#include "host/base/dtype.h"
#include "host/base/error.h"
#include "host/base/integers.h"
#include "host/cl/report.h"
#include "host/exec/lanes.h"
#include "host/exec/move.h"
#include "host/exec/rows.h"

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

static void set_kernel(const clnd__planner *planner, const char *function, clnd__move *move)
{
    const bool lanes = clnd__takes_lanes(planner);
    const bool many = !lanes && clnd__rows_compile(planner, move);
    move->kernel.options = (clnd__kernel_options){0};
    if (many)
        clnd__rows_set_coordinates(planner, move);
    if (lanes && move->local > 1)
        clnd__lanes_set_rows(planner, move);
    clnd__move_set_kernel(move, "check", function);
}

static void spread(const clnd__planner *planner, clnd__move *move)
{
    const clnd__tuning *tuning = planner->tuning;
    clnd_move_args *args = &move->args;
    const int64_t rows = args->rows - args->first_row;
    // Neighbouring work-items look at neighbouring rows; otherwise each at many of its own.
    const bool groups = clnd__takes_lanes(planner);
    const int64_t local = groups ? CLND_LANES : 1;
    const int64_t items =
        (int64_t)planner->facts->compute_units *
        (groups ? tuning->gpu.check_items_per_unit : tuning->cpu.check_items_per_unit);
    args->rows_per_item =
        at_most(at_least(divide_up(rows, items), groups ? 1 : tuning->cpu.check_rows),
                clnd__most_steps(planner));
    move->global[0] = (size_t)(divide_up(divide_up(rows, args->rows_per_item), local) * local);
    move->global[1] = 1;
    move->local = (size_t)local;
}

static clnd_status launch_check(clnd__call *call, clnd__move *move, int64_t rows,
                                const cl_mem buffers[2])
{
    const clnd__planner planner = clnd__planner_of(call->engine);
    clnd_move_args *args = &move->args;
    clnd_status status = CLND_OK;
    for (args->rows = 0; args->rows < rows && status == CLND_OK;) {
        args->first_row = args->rows;
        args->rows = rows - args->rows > CLND_CHECK_ROWS ? args->rows + CLND_CHECK_ROWS : rows;
        spread(&planner, move);
        set_kernel(&planner, "check", move);
        status = clnd__move_enqueue(call, move, 2, buffers);
    }
    return status;
}

static clnd_status launch_read_bad_row(clnd__call *call, clnd__move *move, const cl_mem buffers[2])
{
    move->global[0] = 1;
    move->global[1] = 1;
    move->local = 1;
    const clnd__planner planner = clnd__planner_of(call->engine);
    set_kernel(&planner, "read_bad_row", move);
    return clnd__move_enqueue(call, move, 2, buffers);
}

static bool may_check_itself(const clnd__call *call, const clnd__move *move)
{
    const clnd__planner planner = clnd__planner_of(call->engine);
    return move->global[0] == 1 && move->global[1] == 1 && move->args.n_coordinates > 0 &&
           move->args.rows <= planner.tuning->cpu.check_within_rows;
}

clnd_status clnd__check_join(clnd__call *call, const clnd__index_check *check,
                             const clnd__memory *indices, clnd_report *report, const char *op,
                             clnd__move *only, clnd_move_args *first, clnd__gate *gate)
{
    *gate = (clnd__gate){.check = check, .indices = indices->buffer};
    const clnd_status status = clnd__call_reach(call, 1, &indices->buffer);
    if (status)
        return status;
    if (report)
        return clnd__report_join(call, report, op, check);
    if (clnd__index_check_is_empty(check))
        return CLND_OK;
    if (only && may_check_itself(call, only)) {
        gate->checker = CLND__CHECK_WITHIN;
        only->args.gate = CLND_GATE_DECIDED;
    } else if (first) {
        gate->checker = CLND__CHECK_FIRST;
        first->gate = CLND_GATE_FOUND;
    }
    return clnd__call_take_gate(call);
}

static clnd_status read_verdict(const clnd__call *call, clnd__gate *gate)
{
    return clnd__call_read_aside(call, call->gate, 0, offsetof(clnd_verdict, values),
                                 &gate->verdict, &gate->read);
}

clnd_status clnd__check_await(clnd__call *call, const clnd__gate *gate)
{
    if (clnd__index_check_is_empty(gate->check) || call->report)
        return CLND_OK;
    return clnd__call_await(call);
}

clnd_status clnd__check_enqueue(clnd__call *call, clnd__gate *gate)
{
    if (clnd__index_check_is_empty(gate->check) || gate->checker == CLND__CHECK_WITHIN)
        return CLND_OK;
    if (gate->checker == CLND__CHECK_FIRST)
        return read_verdict(call, gate);
    clnd__move move;
    int64_t rows;
    const cl_mem buffers[2] = {gate->indices, call->gate};
    lower(gate->check, &move, &rows);
    clnd_status status = launch_check(call, &move, rows, buffers);
    if (status)
        return status;
    if (!call->report)
        return read_verdict(call, gate);
    status = launch_read_bad_row(call, &move, buffers);
    return status ? status : clnd__report_checked(call);
}

// The failure of a call whose verdict is bad. A kernel that has checked on its way leaves it to the
// check to find the row.
static clnd_status fail(clnd__call *call, clnd__gate *gate)
{
    clnd__move move;
    int64_t rows;
    clnd_verdict *verdict = &gate->verdict;
    const cl_mem buffers[2] = {gate->indices, call->gate};
    lower(gate->check, &move, &rows);
    clnd_status status = CLND_OK;
    if (gate->checker != CLND__CHECK_APART)
        status = launch_check(call, &move, rows, buffers);
    if (status || (status = launch_read_bad_row(call, &move, buffers)) ||
        (status = clnd__call_read(call, call->gate, 0, sizeof *verdict, verdict)))
        return status;
    if (verdict->row == CLND_NO_BAD_ROW)
        return clnd__fail(CLND_INDEX_OUT_OF_BOUNDS,
                          "indices had a value out of bounds, but were changed during the call");
    char text[CLND__ERROR_TEXT];
    int64_t location[CLND_MAX_RANK];
    clnd__index_check_locate(gate->check, verdict->launch * CLND_CHECK_ROWS + verdict->row,
                             location);
    clnd__index_check_describe(gate->check, location, verdict->values, text, sizeof text);
    return clnd__fail(CLND_INDEX_OUT_OF_BOUNDS, "%s", text);
}

clnd_status clnd__check_finish(clnd__call *call, clnd__gate *gate, clnd_status status)
{
    clnd_status verdict = CLND_OK;
    if (gate->checker == CLND__CHECK_WITHIN && status == CLND_OK &&
        (verdict = read_verdict(call, gate)))
        verdict = read_verdict(call, gate); // once more: the kernel has been at work
    if (verdict || !gate->read)
        return verdict ? verdict : status;
    verdict = clnd__call_wait(call, &gate->read);
    if (verdict)
        return verdict;
    return gate->verdict.launch == CLND_NO_BAD_ROW ? status : fail(call, gate);
}
