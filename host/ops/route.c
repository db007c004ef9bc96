// SPDX-License-Identifier: Apache-2.0

#include "clnd/route.h"

#include <inttypes.h>
#include <string.h>

#include "host/base/error.h"
#include "host/cl/report.h"
#include "host/exec/check.h"
#include "host/exec/route.h"
#include "host/ops/indices.h"
#include "host/ops/operands.h"
#include "host/shape/nd.h"

enum { INDICES, POSITIONS, PLACES, COUNTS, N_OPERANDS };

static clnd_status check_options(const clnd_shards *shards, const clnd_route_options *options)
{
    if (!shards)
        return clnd__fail(CLND_NULL_POINTER, "shards is NULL");
    if (shards->block == 0 && !shards->offsets)
        return clnd__fail(CLND_NULL_POINTER, "shards->offsets is NULL");
    clnd_status status;
    if ((status = clnd__check_bounds(options->bounds, NULL, true)) ||
        (status = clnd__check_reserved(CLND__COUNT_OF(options->reserved), options->reserved)) ||
        (status = clnd__check_reserved(CLND__COUNT_OF(shards->reserved), shards->reserved)))
        return status;
    if (shards->n_shards < 1)
        return clnd__fail(CLND_INVALID_OPTION, "n_shards is %" PRId32 ", at least 1 is needed",
                          shards->n_shards);
    if (shards->block < 0)
        return clnd__fail(CLND_INVALID_OPTION, "block is %" PRId64 ", at least 0 is needed",
                          shards->block);
    return CLND_OK;
}

static clnd_status check_ranks(const clnd_shards *shards, const clnd__operand *operands)
{
    const int rank = operands[INDICES].view.rank;
    if (shards->n_dims < 1 || shards->n_dims > CLND_MAX_RANK)
        return clnd__fail(CLND_INVALID_RANK, "n_dims is %" PRId32 ", allowed are 1 to %d",
                          shards->n_dims, CLND_MAX_RANK);
    if (shards->n_divided < 1 || shards->n_divided > shards->n_dims)
        return clnd__fail(CLND_INVALID_RANK,
                          "n_divided is %" PRId32 ", allowed are 1 to %" PRId32 " (n_dims)",
                          shards->n_divided, shards->n_dims);
    if (rank < 1)
        return clnd__fail(CLND_INVALID_RANK, "indices has rank 0, at least 1 is needed");
    return CLND_OK;
}

// Of the table, whose elements count as bytes, and of its rows.
static clnd_status check_table(const clnd_shards *shards, clnd__view *table)
{
    int64_t rows;
    clnd_status status =
        clnd__dense_view("shards", CLND_UINT8, shards->n_dims, shards->shape, table);
    if (status || (status = clnd__count("shards", shards->n_divided, shards->shape, &rows)) ||
        shards->block > 0)
        return status;
    const int64_t *offsets = shards->offsets, n = shards->n_shards;
    if (offsets[0] != 0 || offsets[n] != rows)
        return clnd__fail(CLND_INVALID_SHAPE,
                          "offsets go from %" PRId64 " to %" PRId64 ", not from 0 to %" PRId64
                          " (rows)",
                          offsets[0], offsets[n], rows);
    for (int64_t s = 0; s < n; ++s)
        if (offsets[s + 1] < offsets[s])
            return clnd__fail(CLND_INVALID_SHAPE,
                              "offsets[%" PRId64 "] = %" PRId64 " is below offsets[%" PRId64
                              "] = %" PRId64,
                              s + 1, offsets[s + 1], s, offsets[s]);
    return CLND_OK;
}

static clnd_status check_result(const clnd__operand *operand, int rank, const int64_t *shape)
{
    const clnd__view *view = &operand->view;
    if (view->dtype != CLND_INT64)
        return clnd__fail(CLND_UNSUPPORTED_DTYPE, "%s has dtype %s, allowed is int64",
                          operand->name, clnd_dtype_name(view->dtype));
    clnd__view expected = {.name = operand->name, .dtype = CLND_INT64, .rank = rank};
    memcpy(expected.shape, shape, (size_t)rank * sizeof *shape);
    return clnd__check_expected_shape(view, &expected);
}

static clnd_status check_shapes(const clnd_shards *shards, const clnd__operand *operands)
{
    const clnd__view *indices = &operands[INDICES].view;
    const int outer = indices->rank - 1;
    int64_t rows, n_shards = shards->n_shards;
    if (indices->shape[outer] != shards->n_dims)
        return clnd__fail(CLND_INVALID_SHAPE,
                          "indices of shape %s hold tuples of %" PRId64 ", n_dims is %" PRId32,
                          clnd__format_list(indices->rank, indices->shape).text,
                          indices->shape[outer], shards->n_dims);
    clnd_status status = clnd__count("indices", outer, indices->shape, &rows);
    if (status || (status = check_result(&operands[POSITIONS], outer, indices->shape)) ||
        (status = check_result(&operands[PLACES], 1, &rows)))
        return status;
    return check_result(&operands[COUNTS], 1, &n_shards);
}

// What must hold before the buffers are looked at.
static clnd_status relate(const clnd_shards *shards, const clnd__operand *operands,
                          clnd__view *table)
{
    clnd_status status;
    if ((status = clnd__check_dtypes(N_OPERANDS, operands)) ||
        (status = clnd__check_index_dtype(&operands[INDICES])) ||
        (status = clnd__check_ranks(N_OPERANDS, operands)) ||
        (status = check_ranks(shards, operands)) ||
        (status = clnd__check_shapes(N_OPERANDS, operands)) ||
        (status = check_table(shards, table)))
        return status;
    return check_shapes(shards, operands);
}

static clnd_status check_alignments(const clnd__operand *operands)
{
    clnd_status status = CLND_OK;
    for (int i = 0; i < N_OPERANDS && status == CLND_OK; ++i)
        status = clnd__check_alignment(&operands[i]);
    return status;
}

typedef struct route_work {
    clnd__operand operands[N_OPERANDS];
    clnd__index_check check;
    clnd__route_plan route;
} route_work;

static clnd_status plan_route(const clnd__planner *planner, const clnd_shards *shards,
                              const clnd__policy *policy, const clnd__view *table, route_work *work)
{
    const clnd__operand *operands = work->operands;
    const clnd__operand *places = &operands[PLACES], *counts = &operands[COUNTS];
    const clnd__view *indices = &operands[INDICES].view;
    clnd__problem problem;
    clnd__nd_problem(table, indices, &operands[POSITIONS].view, 0, shards->n_dims, &problem);
    work->check = (clnd__index_check){.indices = *indices};
    if (policy->check) {
        work->check.n_location = indices->rank - 1;
        work->check.n_coordinates = shards->n_dims;
        work->check.wrap = policy->adjust == CLND_ADJUST_WRAP;
        work->check.shape_name = "shape";
        work->check.shape_rank = shards->n_dims;
        memcpy(work->check.extents, table->shape, sizeof work->check.extents);
        memcpy(work->check.shape, table->shape, sizeof work->check.shape);
    }
    return clnd__route_plan_make(planner, problem, policy->adjust, shards,
                                 operands[INDICES].memory.buffer, operands[POSITIONS].memory.buffer,
                                 (clnd__route_result){&places->view, places->memory.buffer},
                                 (clnd__route_result){&counts->view, counts->memory.buffer},
                                 &work->route);
}

static clnd_status open_route(clnd_engine *engine, const clnd_shards *shards,
                              const clnd_route_options *options, route_work *work)
{
    clnd__operand *operands = work->operands;
    clnd__policy policy;
    clnd__view table;
    clnd_status status;
    if ((status = clnd__take_tensors(N_OPERANDS, operands)) ||
        (status = check_options(shards, options)) ||
        (status = clnd__policy_choose(engine, options->bounds, NULL, true, &policy)) ||
        (status = relate(shards, operands, &table)) ||
        (status = clnd__check_memory(engine, N_OPERANDS, operands)) ||
        (status = check_alignments(operands)) ||
        (status = clnd__report_suits(options->report, engine)))
        return status;
    const clnd__planner planner = clnd__planner_of(engine);
    return plan_route(&planner, shards, &policy, &table, work);
}

static clnd_status run_route(clnd__call *call, clnd_report *report, route_work *work)
{
    clnd__gate gate;
    clnd_status status = clnd__check_join(call, &work->check, &work->operands[INDICES].memory,
                                          report, "route", NULL, NULL, &gate);
    if (status)
        return status;
    status = clnd__route_prepare(call, &work->route);
    if (status == CLND_OK)
        status = clnd__check_await(call, &gate);
    if (status == CLND_OK)
        status = clnd__check_enqueue(call, &gate);
    if (status == CLND_OK)
        status = clnd__route_enqueue(call, &work->route);
    status = clnd__check_finish(call, &gate, status);
    clnd__route_finish(call, status, &work->route);
    return status;
}

clnd_status clnd_route(clnd_engine *engine, cl_command_queue queue, const clnd_tensor *indices,
                       const clnd_shards *shards, const clnd_tensor *positions,
                       const clnd_tensor *places, const clnd_tensor *counts,
                       const clnd_route_options *options, cl_uint n_wait, const cl_event *wait,
                       cl_event *event)
{
    static const clnd_route_options defaults;
    clnd__enter("route");
    if (event)
        *event = NULL;
    if (!options)
        options = &defaults;
    route_work work = {.operands = {{.name = "indices", .tensor = indices},
                                    {.name = "positions", .tensor = positions, .is_output = true},
                                    {.name = "places", .tensor = places, .is_output = true},
                                    {.name = "counts", .tensor = counts, .is_output = true}}};
    clnd__call call;
    clnd_status status;
    if ((status = clnd__check_call(engine, n_wait, wait)) ||
        (status = open_route(engine, shards, options, &work)) ||
        (status = clnd__call_begin(&call, engine, queue, n_wait, wait)))
        return status;
    return clnd__call_end(&call, run_route(&call, options->report, &work), event);
}
