// SPDX-License-Identifier: Apache-2.0

#include "host/ops/indexed.h"

#include <string.h>

#include "host/base/error.h"
#include "host/cl/report.h"
#include "host/exec/check.h"
#include "host/exec/gather.h"
#include "host/exec/scatter.h"
#include "host/exec/zeros.h"
#include "host/ops/indices.h"
#include "host/ops/plan.h"
#include "host/ops/reduction.h"

// The check of indices that a call with this policy needs; an empty one if it needs none. Messages
// name the whole shape for a bad tuple, and the bound for a bad single value.
static clnd__index_check make_check(const clnd__policy *policy, const clnd__indexing *indexing,
                                    const clnd__problem *problem, const clnd__operand *indices,
                                    const clnd__operand *data, const char *shape_name)
{
    clnd__index_check check = {.indices = indices->view};
    if (!policy->check)
        return check;
    check.n_location = indices->view.rank - indexing->tuples;
    check.n_coordinates = problem->n_coordinates;
    for (int k = 0; k < problem->n_coordinates; ++k)
        check.extents[k] = problem->coordinates[k].extent;
    check.wrap = policy->adjust == CLND_ADJUST_WRAP;
    check.shape_name = indexing->tuples ? shape_name : NULL;
    check.shape_rank = data->view.rank;
    memcpy(check.shape, data->view.shape, sizeof check.shape);
    return check;
}

enum { PARAMS, GATHER_INDICES, OUT };

static clnd_status check_gather_options(const clnd__gather_op *op)
{
    clnd_status status = clnd__check_bounds(op->bounds, op->fill, false);
    return status ? status : clnd__check_reserved(op->n_reserved, op->reserved);
}

// Checks what must hold between params, indices and, if it is among the `n` operands, out.
static clnd_status relate_gather(clnd__gather_op *op, int n, const clnd__operand *operands,
                                 clnd__view *result)
{
    const clnd__view *params = &operands[PARAMS].view, *indices = &operands[GATHER_INDICES].view;
    const clnd__view *out = n > OUT ? &operands[OUT].view : NULL;
    clnd_status status;
    if ((status = clnd__check_dtypes(n, operands)) ||
        (status = clnd__check_index_dtype(&operands[GATHER_INDICES])) ||
        (out && (status = clnd__check_same_dtype(params, out))) ||
        (status = clnd__check_ranks(n, operands)) ||
        (status = op->indexing->check_ranks(params, indices, &op->place)) ||
        (status = clnd__check_shapes(n, operands)) ||
        (status = op->indexing->dense_shape(params, indices, &op->place, "out", result)))
        return status;
    return out ? clnd__check_expected_shape(out, result) : CLND_OK;
}

clnd_status clnd__gather_shape(clnd__gather_op *op, const clnd_tensor *params,
                               const clnd_tensor *indices, clnd_tensor *out)
{
    clnd__enter(op->name);
    if (!out)
        return clnd__fail(CLND_NULL_POINTER, "out is NULL");
    clnd__operand operands[] = {{.name = "params", .tensor = params},
                                {.name = "indices", .tensor = indices}};
    const int n = CLND__COUNT_OF(operands);
    clnd__view result;
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) == CLND_OK &&
        (status = check_gather_options(op)) == CLND_OK &&
        (status = relate_gather(op, n, operands, &result)) == CLND_OK)
        status = clnd__make_dense(&result);
    return clnd__give_tensor(status, &result, NULL, out);
}

typedef struct gather_work {
    clnd__operand operands[3];
    clnd__problem problem;
    clnd__index_check check;
    clnd__gather_plan gather;
} gather_work;

static clnd_status plan_gather(const clnd__planner *planner, const clnd__gather_op *op,
                               const clnd__policy *policy, gather_work *work)
{
    const clnd__operand *operands = work->operands;
    op->indexing->problem(&operands[PARAMS].view, &operands[GATHER_INDICES].view,
                          &operands[OUT].view, &op->place, &work->problem);
    work->check = make_check(policy, op->indexing, &work->problem, &operands[GATHER_INDICES],
                             &operands[PARAMS], "params shape");
    return clnd__gather_plan_make(planner, work->problem, policy->adjust, policy->fill,
                                  &operands[PARAMS].memory, &operands[GATHER_INDICES].memory,
                                  &operands[OUT].memory, &work->gather);
}

static clnd_status run_gather(clnd__call *call, const clnd__gather_op *op, gather_work *work)
{
    clnd__gate gate;
    clnd_move_args *first = work->gather.checks ? &work->gather.move.args : NULL;
    clnd_status status =
        clnd__check_join(call, &work->check, &work->operands[GATHER_INDICES].memory, op->report,
                         op->name, NULL, first, &gate);
    if (status)
        return status;
    status = clnd__gather_prepare(call, &work->gather);
    if (status == CLND_OK)
        status = clnd__check_await(call, &gate);
    if (status == CLND_OK && gate.checker == CLND__CHECK_FIRST)
        status = clnd__gather_enqueue(call, &work->gather);
    if (status == CLND_OK)
        status = clnd__check_enqueue(call, &gate);
    if (status == CLND_OK && gate.checker != CLND__CHECK_FIRST)
        status = clnd__gather_enqueue(call, &work->gather);
    status = clnd__check_finish(call, &gate, status);
    clnd__gather_release(&work->gather);
    return status;
}

// Takes the tensors, checks everything but queue and events, and plans.
static clnd_status open_gather(clnd__gather_op *op, clnd_engine *engine, const clnd_tensor *params,
                               const clnd_tensor *indices, const clnd_tensor *out,
                               clnd__memory_check *check_memory, gather_work *work)
{
    *work = (gather_work){.operands = {{.name = "params", .tensor = params},
                                       {.name = "indices", .tensor = indices},
                                       {.name = "out", .tensor = out, .is_output = true}}};
    clnd__operand *operands = work->operands;
    const int n = CLND__COUNT_OF(work->operands);
    clnd__policy policy;
    clnd__view result;
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) || (status = check_gather_options(op)) ||
        (status = clnd__policy_choose(engine, op->bounds, op->fill, false, &policy)) ||
        (status = relate_gather(op, n, operands, &result)) ||
        (status = check_memory(engine, n, operands)) ||
        (status = clnd__check_alignment(&operands[GATHER_INDICES])) ||
        (status = clnd__report_suits(op->report, engine)))
        return status;
    const clnd__planner planner = clnd__planner_of(engine);
    return plan_gather(&planner, op, &policy, work);
}

clnd_status clnd__gather(clnd__gather_op *op, clnd_engine *engine, cl_command_queue queue,
                         const clnd_tensor *params, const clnd_tensor *indices,
                         const clnd_tensor *out, cl_uint n_wait, const cl_event *wait,
                         cl_event *event)
{
    clnd__enter(op->name);
    if (event)
        *event = NULL;
    gather_work work;
    clnd__call call;
    clnd_status status;
    if ((status = clnd__check_call(engine, n_wait, wait)) ||
        (status = open_gather(op, engine, params, indices, out, clnd__check_memory, &work)) ||
        (status = clnd__call_begin(&call, engine, queue, n_wait, wait)))
        return status;
    return clnd__call_end(&call, run_gather(&call, op, &work), event);
}

clnd_status clnd__gather_plan_op(clnd__gather_op *op, clnd_engine *engine,
                                 const clnd_tensor *params, const clnd_tensor *indices,
                                 const clnd_tensor *out, clnd_plan *plan)
{
    clnd__enter(op->name);
    gather_work work;
    clnd_status status;
    if ((status = clnd__check_plan_call(engine, plan)) ||
        (status = open_gather(op, engine, params, indices, out, clnd__check_planned_memory, &work)))
        return status;
    clnd__give_plan(work.gather.strategy ? work.gather.strategy->name : NULL, work.gather.reason, 0,
                    plan);
    return CLND_OK;
}

enum { INDICES, UPDATES, TARGET };

static clnd_status check_scatter_options(const clnd__scatter_op *op)
{
    clnd_status status = clnd__check_bounds(op->bounds, NULL, true);
    if (status || (status = clnd__check_reduce(op->reduce)))
        return status;
    return clnd__check_reserved(op->n_reserved, op->reserved);
}

static clnd_status relate_scatter(clnd__scatter_op *op, int n, const clnd__operand *operands)
{
    const clnd__view *indices = &operands[INDICES].view, *updates = &operands[UPDATES].view;
    const clnd__view *target = &operands[TARGET].view;
    clnd__view expected;
    clnd_status status;
    if (op->reduce == CLND_REDUCE_DEFAULT)
        op->reduce = op->default_reduce;
    if ((status = clnd__check_dtypes(n, operands)) ||
        (status = clnd__check_index_dtype(&operands[INDICES])) ||
        (status = clnd__check_same_dtype(updates, target)) ||
        (status = clnd__check_reduce_dtype(op->reduce, target)) ||
        (status = clnd__check_ranks(n, operands)) ||
        (status = op->indexing->check_ranks(target, indices, &op->place)) ||
        (status = clnd__check_shapes(n, operands)) ||
        (status = op->indexing->dense_shape(target, indices, &op->place, "updates", &expected)))
        return status;
    return clnd__check_expected_shape(updates, &expected);
}

clnd_status clnd__scatter_check(clnd__scatter_op *op, const clnd_tensor *indices,
                                const clnd_tensor *updates, const clnd_tensor *target)
{
    clnd__enter(op->name);
    clnd__operand operands[] = {{.name = "indices", .tensor = indices},
                                {.name = "updates", .tensor = updates},
                                {.name = op->target_name, .tensor = target}};
    const int n = CLND__COUNT_OF(operands);
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) || (status = check_scatter_options(op)) ||
        (status = relate_scatter(op, n, operands)))
        return status;
    return clnd__check_dense_sizes(n, operands);
}

typedef struct scatter_work {
    clnd__operand operands[3];
    clnd__problem problem;
    clnd__index_check check;
    clnd__zeros_plan zeros;
    clnd__scatter_plan scatter;
} scatter_work;

// Whether the elements fill all bytes from the first to the last.
static bool is_contiguous(const clnd__operand *operand)
{
    int64_t count;
    return clnd__count(operand->name, operand->view.rank, operand->view.shape, &count) == CLND_OK &&
           count == (operand->end - operand->begin) / (int64_t)clnd_dtype_size(operand->view.dtype);
}

static clnd_status plan_scatter(const clnd__planner *planner, const clnd__scatter_op *op,
                                const clnd__policy *policy, scatter_work *work)
{
    const clnd__operand *operands = work->operands;
    const clnd__operand *target = &operands[TARGET];
    const clnd__scatter_options options = {.reduce = op->reduce,
                                           .adjust = policy->adjust,
                                           .deterministic = op->deterministic,
                                           .unique = op->unique_indices,
                                           .zeros = op->zero_first && is_contiguous(target),
                                           .workspace = op->workspace};
    op->indexing->problem(&target->view, &operands[INDICES].view, &operands[UPDATES].view,
                          &op->place, &work->problem);
    work->check =
        make_check(policy, op->indexing, &work->problem, &operands[INDICES], target, "shape");
    const bool gated = !clnd__index_check_is_empty(&work->check);
    work->zeros.way = CLND__ZEROS_NOTHING;
    const clnd_status status = clnd__scatter_plan_make(
        planner, work->problem, &options, &target->memory, target->begin, target->end,
        &operands[INDICES].memory, &operands[UPDATES].memory, &work->scatter);
    if (status == CLND_OK && op->zero_first && !work->scatter.zeroes)
        clnd__zeros_plan_make(planner, &target->view, &target->memory, gated, &work->zeros);
    return status;
}

static clnd_status run_scatter(clnd__call *call, const clnd__scatter_op *op, scatter_work *work)
{
    clnd__gate gate;
    clnd__move *only = work->zeros.way == CLND__ZEROS_NOTHING ? work->scatter.only : NULL;
    clnd_status status = clnd__check_join(call, &work->check, &work->operands[INDICES].memory,
                                          op->report, op->name, only, work->scatter.first, &gate);
    if (status == CLND_OK)
        status = clnd__scatter_prepare(call, &work->scatter);
    if (status == CLND_OK)
        status = clnd__zeros_prepare(call, &work->zeros);
    if (status == CLND_OK)
        status = clnd__check_await(call, &gate);
    if (status == CLND_OK && gate.checker == CLND__CHECK_FIRST)
        status = clnd__scatter_enqueue_first(call, &work->scatter);
    if (status == CLND_OK)
        status = clnd__check_enqueue(call, &gate);
    if (status == CLND_OK)
        status = clnd__zeros_enqueue(call, &work->zeros);
    if (status == CLND_OK)
        status = clnd__scatter_enqueue(call, &work->scatter);
    status = clnd__check_finish(call, &gate, status);
    clnd__scatter_finish(call, status, &work->scatter);
    return status;
}

// Takes the tensors, checks everything but queue and events, and plans.
static clnd_status open_scatter(clnd__scatter_op *op, clnd_engine *engine,
                                const clnd_tensor *indices, const clnd_tensor *updates,
                                const clnd_tensor *target, clnd__memory_check *check_memory,
                                scatter_work *work)
{
    *work = (scatter_work){
        .operands = {
            {.name = "indices", .tensor = indices},
            {.name = "updates", .tensor = updates},
            {.name = op->target_name, .tensor = target, .is_output = true, .is_in_place = true}}};
    clnd__operand *operands = work->operands;
    const int n = CLND__COUNT_OF(work->operands);
    clnd__policy policy;
    clnd_status status;
    if ((status = clnd__take_tensors(n, operands)) || (status = check_scatter_options(op)) ||
        (status = clnd__policy_choose(engine, op->bounds, NULL, true, &policy)) ||
        (status = relate_scatter(op, n, operands)) ||
        (status = check_memory(engine, n, operands)) ||
        (status = clnd__check_workspace(engine, op->workspace, n, operands)) ||
        (status = clnd__check_alignment(&operands[INDICES])) ||
        (status = clnd__check_reduce_memory(op->reduce, &operands[UPDATES], &operands[TARGET])) ||
        (status = clnd__report_suits(op->report, engine)))
        return status;
    const clnd__planner planner = clnd__planner_of(engine);
    return plan_scatter(&planner, op, &policy, work);
}

clnd_status clnd__scatter(clnd__scatter_op *op, clnd_engine *engine, cl_command_queue queue,
                          const clnd_tensor *indices, const clnd_tensor *updates,
                          const clnd_tensor *target, cl_uint n_wait, const cl_event *wait,
                          cl_event *event)
{
    clnd__enter(op->name);
    if (event)
        *event = NULL;
    scatter_work work;
    clnd__call call;
    clnd_status status;
    if ((status = clnd__check_call(engine, n_wait, wait)) ||
        (status = open_scatter(op, engine, indices, updates, target, clnd__check_memory, &work)) ||
        (status = clnd__call_begin(&call, engine, queue, n_wait, wait)))
        return status;
    return clnd__call_end(&call, run_scatter(&call, op, &work), event);
}

clnd_status clnd__scatter_plan_op(clnd__scatter_op *op, clnd_engine *engine,
                                  const clnd_tensor *indices, const clnd_tensor *updates,
                                  const clnd_tensor *target, clnd_plan *plan)
{
    clnd__enter(op->name);
    scatter_work work;
    clnd_status status;
    if ((status = clnd__check_plan_call(engine, plan)) ||
        (status =
             open_scatter(op, engine, indices, updates, target, clnd__check_planned_memory, &work)))
        return status;
    clnd__give_plan(work.scatter.strategy ? work.scatter.strategy->name : NULL, work.scatter.reason,
                    work.scatter.workspace.bytes, plan);
    return CLND_OK;
}
