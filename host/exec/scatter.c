// SPDX-License-Identifier: Apache-2.0
//
// Three ways to scatter:
//
//   STORE   all rows at once, plain reads and writes. Right where no two rows meet; and for UPDATE,
//   where
//           one of the rows that meet may win, if a store holds whole elements.
//   ATOMIC  all rows at once, atomic operations. Needs the device's atomics; sums of floats depend
//   on
//           the order.
//   OWNER   every work-item owns a part of the target and takes all rows in order. Always possible,
//           deterministic, and on CPUs the fastest, where atomics cost as much as ten plain
//           additions.

#include "host/exec/scatter.h"

#include <stdio.h>
#include <string.h>

#include "host/base/dtype.h"
#include "host/base/error.h"

// Bytes that a device stores at once, so that no other store can come in between.
enum { WHOLE_STORE = 8 };

enum { ATOMIC_WORD = 4 };

static unsigned bit_of(clnd_strategy strategy)
{
    return 1u << strategy;
}

static bool order_matters(clnd_dtype dtype)
{
    switch (dtype) {
    case CLND_FLOAT16:
    case CLND_BFLOAT16:
    case CLND_FLOAT32:
    case CLND_FLOAT64:
    case CLND_COMPLEX64:
    case CLND_COMPLEX128:
        return true;
    default:
        return false;
    }
}

// Whether the words around all elements of [begin, end) lie inside the buffer, on word boundaries.
static bool words_inside(const clnd__memory *data, int64_t end)
{
    const uint64_t last = ((uint64_t)end + ATOMIC_WORD - 1) / ATOMIC_WORD * ATOMIC_WORD;
    return data->alignment % ATOMIC_WORD == 0 && last <= data->size;
}

static bool is_aligned(const clnd__problem *problem, const clnd__memory *data, int64_t size)
{
    uint64_t all = (uint64_t)problem->data_offset | data->alignment;
    for (int i = 0; i < problem->n_outer; ++i)
        all |= (uint64_t)problem->outer[i].data;
    for (int i = 0; i < problem->n_slice; ++i)
        all |= (uint64_t)problem->slice[i].data;
    for (int k = 0; k < problem->n_coordinates; ++k)
        all |= (uint64_t)problem->coordinates[k].stride;
    return all % (uint64_t)size == 0;
}

static bool has_atomics(const clnd_device_facts *facts, const clnd__problem *problem,
                        clnd_reduce reduce, const clnd__memory *data, int64_t end)
{
    const int64_t size = (int64_t)clnd_dtype_size(problem->dtype);
    if (clnd__dtype_is_opaque(problem->dtype) || reduce == CLND_REDUCE_UPDATE)
        return false;
    if (clnd__dtype_is_complex(problem->dtype)) {
        if (reduce == CLND_REDUCE_MUL) // both parts at once
            return size == 8 && facts->int64_atomics && is_aligned(problem, data, 8);
        return size == 8 || facts->int64_atomics;
    }
    if (size < ATOMIC_WORD)
        return words_inside(data, end);
    return size == ATOMIC_WORD || facts->int64_atomics;
}

static unsigned possible_strategies(const clnd_device_facts *facts, const clnd__problem *problem,
                                    const clnd__scatter_options *options, const clnd__memory *data,
                                    const clnd__memory *dense, int64_t end)
{
    unsigned possible = bit_of(CLND_STRATEGY_OWNER);
    const int64_t size = (int64_t)clnd_dtype_size(problem->dtype);
    if (options->unique)
        possible |= bit_of(CLND_STRATEGY_STORE);
    if (options->reduce == CLND_REDUCE_UPDATE && !options->deterministic && size <= WHOLE_STORE &&
        clnd__widest_unit(problem, data->alignment | dense->alignment) % size == 0)
        possible |= bit_of(CLND_STRATEGY_STORE);
    if ((!options->deterministic || !order_matters(problem->dtype)) &&
        has_atomics(facts, problem, options->reduce, data, end))
        possible |= bit_of(CLND_STRATEGY_ATOMIC);
    return possible;
}

static clnd_strategy automatic(const clnd_device_facts *facts, unsigned possible)
{
    if (possible & bit_of(CLND_STRATEGY_STORE))
        return CLND_STRATEGY_STORE;
    if (!facts->is_cpu && (possible & bit_of(CLND_STRATEGY_ATOMIC)))
        return CLND_STRATEGY_ATOMIC;
    return CLND_STRATEGY_OWNER;
}

static clnd_status pick(const clnd_device_facts *facts, unsigned possible, clnd_strategy wanted,
                        clnd_strategy *picked)
{
    *picked = clnd__pick_strategy(wanted, possible, automatic(facts, possible));
    if (possible & bit_of(*picked))
        return CLND_OK;
    return clnd__fail(
        CLND_INVALID_OPTION, "strategy %s cannot do this scatter: %s",
        *picked == CLND_STRATEGY_STORE ? "STORE" : "ATOMIC",
        *picked == CLND_STRATEGY_STORE
            ? "rows may meet in elements that are not stored whole"
            : "the device has no atomics for it, or its result would depend on the order");
}

// Whether results need more bits than the dtype has.
static bool rounds(clnd_dtype dtype, clnd_reduce reduce)
{
    return clnd__dtype_is_half(dtype) &&
           (reduce == CLND_REDUCE_ADD || reduce == CLND_REDUCE_SUB || reduce == CLND_REDUCE_MUL);
}

// Sums and products of 16-bit floats that are rounded once: into a float32 copy of the target, and
// back.
static clnd_status plan_wide(clnd_engine *engine, int64_t begin, int64_t end,
                             clnd__problem *problem, clnd__scatter_plan *plan)
{
    const int64_t narrow = (int64_t)clnd_dtype_size(problem->dtype);
    const int64_t wide = (int64_t)sizeof(float);
    plan->widen = (clnd_widen_args){begin, (end - begin) / narrow};
    plan->target = plan->buffers[0];
    clnd__problem_scale_data(problem, begin, wide, narrow);
    clnd_status status =
        clnd__buffer_create(engine, (size_t)(plan->widen.count * wide), NULL, &plan->wide);
    plan->buffers[0] = plan->wide;
    return status;
}

static void spread(const clnd_device_facts *facts, const clnd__problem *problem,
                   clnd_strategy strategy, clnd__move *move)
{
    clnd_strategy movement = CLND_STRATEGY_BLOCKS;
    clnd__pick_movement(facts, CLND_STRATEGY_AUTO, &movement); // AUTO is always possible
    if (strategy == CLND_STRATEGY_OWNER)
        clnd__spread_owners(facts, problem, move);
    else if (movement == CLND_STRATEGY_LANES)
        clnd__spread_lanes(facts, move);
    else
        clnd__spread_blocks(facts, move);
}

static void plan_update(const clnd_device_facts *facts, const clnd__problem *problem,
                        const clnd__memory *data, const clnd__memory *dense,
                        clnd__scatter_plan *plan)
{
    const bool owner = plan->strategy == CLND_STRATEGY_OWNER;
    clnd__move *move = &plan->move;
    clnd__lower(problem, clnd__widest_unit(problem, data->alignment | dense->alignment), move);
    spread(facts, problem, plan->strategy, move);
    clnd__move_set_kernel(move, "scatter_update", owner ? "scatter_update_owner" : "scatter_update",
                          "-cl-std=CL1.2 -DUNIT=%d", (int)move->unit);
}

static void plan_reduce(const clnd_device_facts *facts, const clnd__problem *problem,
                        clnd_reduce reduce, clnd__scatter_plan *plan)
{
    const bool owner = plan->strategy == CLND_STRATEGY_OWNER;
    const bool atomic = plan->strategy == CLND_STRATEGY_ATOMIC;
    const bool float_atomics = atomic && facts->float_atomics;
    clnd__move *move = &plan->move;
    clnd__lower(problem, (int64_t)clnd_dtype_size(problem->dtype), move);
    spread(facts, problem, plan->strategy, move);
    clnd__move_set_kernel(move, "scatter_reduce", owner ? "scatter_reduce_owner" : "scatter_reduce",
                          "-cl-std=%s -DDTYPE=%d -DREDUCE=%d -DATOMIC=%d -DWIDE=%d%s",
                          float_atomics ? "CL3.0" : "CL1.2", clnd__dtype_kind(problem->dtype),
                          (int)reduce, atomic, plan->wide != NULL,
                          float_atomics ? " -DFLOAT_ATOMICS=1" : "");
}

// The kernels that make the wide copy and bring it back.
static void set_convert_kernel(const clnd__scatter_plan *plan, const char *function,
                               clnd__kernel_id *kernel)
{
    kernel->source = "widen";
    kernel->function = function;
    snprintf(kernel->options, sizeof kernel->options, "-cl-std=CL1.2 -DDTYPE=%d",
             clnd__dtype_kind(plan->dtype));
}

static clnd_status prepare(clnd_engine *engine, const clnd__scatter_plan *plan)
{
    clnd_status status = clnd__kernel_prepare(engine, &plan->move.kernel);
    static const char *const functions[] = {"widen", "narrow"};
    for (int i = 0; plan->wide && status == CLND_OK && i < 2; ++i) {
        clnd__kernel_id kernel;
        set_convert_kernel(plan, functions[i], &kernel);
        status = clnd__kernel_prepare(engine, &kernel);
    }
    return status;
}

clnd_status clnd__scatter_plan_make(clnd_engine *engine, clnd__problem problem,
                                    const clnd__scatter_options *wanted, const clnd__memory *data,
                                    int64_t begin, int64_t end, const clnd__memory *indices,
                                    const clnd__memory *dense, clnd__scatter_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    const clnd_device_facts *facts = clnd_engine_facts(engine);
    clnd__scatter_options options = *wanted;
    const int64_t rows = clnd__problem_rows(&problem);
    plan->nothing = rows == 0 || clnd__problem_slice_size(&problem) == 0;
    for (int k = 0; k < problem.n_coordinates; ++k)
        plan->nothing |= problem.coordinates[k].extent == 0; // every row is bad
    if (plan->nothing)
        return CLND_OK;
    options.unique |= rows == 1;

    clnd__problem_fold(&problem);
    const unsigned possible = possible_strategies(facts, &problem, &options, data, dense, end);
    clnd_status status = pick(facts, possible, options.strategy, &plan->strategy);
    if (status)
        return status;
    plan->dtype = problem.dtype;
    plan->buffers[0] = data->buffer;
    plan->buffers[1] = indices->buffer ? indices->buffer : dense->buffer;
    plan->buffers[2] = dense->buffer;
    if (plan->strategy == CLND_STRATEGY_OWNER && options.deterministic && !options.unique &&
        rounds(problem.dtype, options.reduce)) {
        status = plan_wide(engine, begin, end, &problem, plan);
        if (status)
            return status;
    }

    if (options.reduce == CLND_REDUCE_UPDATE)
        plan_update(facts, &problem, data, dense, plan);
    else
        plan_reduce(facts, &problem, options.reduce, plan);
    plan->move.args.adjust = options.adjust;
    return prepare(engine, plan);
}

static clnd_status convert(clnd__call *call, const clnd__scatter_plan *plan, const char *function)
{
    enum { CONVERT_GROUPS = 64 };
    const bool groups = clnd_engine_facts(call->engine)->max_work_group_size >= CLND_LANES;
    const size_t local = groups ? CLND_LANES : 1;
    clnd__launch launch = {.n_buffers = 2,
                           .buffers = {plan->target, plan->wide},
                           .args = &plan->widen,
                           .args_size = sizeof plan->widen,
                           .global = {CONVERT_GROUPS * local, 1},
                           .local = local};
    set_convert_kernel(plan, function, &launch.kernel);
    return clnd__call_launch(call, &launch);
}

clnd_status clnd__scatter_enqueue(clnd__call *call, const clnd__scatter_plan *plan)
{
    clnd_status status = CLND_OK;
    if (plan->nothing)
        return CLND_OK;
    if (plan->wide)
        status = convert(call, plan, "widen");
    if (status == CLND_OK)
        status = clnd__move_enqueue(call, &plan->move, 3, plan->buffers);
    if (status == CLND_OK && plan->wide)
        status = convert(call, plan, "narrow");
    return status;
}

void clnd__scatter_release(clnd__scatter_plan *plan)
{
    clnd__buffer_release(plan->wide);
    plan->wide = NULL;
}
