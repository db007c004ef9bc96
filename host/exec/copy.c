// SPDX-License-Identifier: Apache-2.0

#include "host/exec/copy.h"

#include <string.h>

#include "host/base/error.h"
#include "host/exec/lanes.h"
#include "host/exec/rows.h"

// Whether the threads of a CPU together copy so much faster than OpenCL's own copy, for which
// drivers take one of them. Not on llvmpipe, whose loops end after 65535 turns.
static bool threads_are_faster(const clnd_device_facts *facts, size_t size)
{
    enum { THREADS_FROM = 1 << 20 };
    return clnd__rows_can_compile(facts) && size >= THREADS_FROM;
}

// Folds with all axes in the slice.
static void fold_copy(clnd__problem *problem)
{
    clnd__problem_rows_to_slice(problem);
    clnd__problem_fold(problem);
}

// Leaves in the slice of a folded copy only the innermost axis: all others are rows, which spread.
static void split_rows(clnd__problem *problem)
{
    const int n = problem->n_slice;
    if (n < 2)
        return;
    const clnd__axis inner = problem->slice[n - 1];
    problem->n_slice = 0;
    for (int i = 0; i < n - 1; ++i)
        clnd__problem_add_outer(problem, problem->slice[i].size, problem->slice[i].data,
                                problem->slice[i].dense, 0);
    clnd__problem_add_slice(problem, inner.size, inner.data, inner.dense);
}

// One gapless run in both, and how many bytes it has.
static bool is_one_run(const clnd__problem *folded, size_t *size)
{
    const int64_t element = (int64_t)clnd_dtype_size(folded->dtype);
    const clnd__axis *axis = &folded->slice[0];
    if (folded->n_slice > 1 ||
        (folded->n_slice > 0 && (axis->data != element || axis->dense != element)))
        return false;
    *size = (size_t)(folded->n_slice > 0 ? axis->size * element : element);
    return true;
}

static void spread(const clnd_device_facts *facts, clnd_strategy strategy, const char *source,
                   const char *function, clnd__move *move)
{
    if (strategy == CLND_STRATEGY_LANES)
        clnd__spread_lanes(facts, move);
    else
        clnd__spread_blocks(facts, move);
    clnd__move_set_kernel(move, source, function, "-cl-std=CL1.2 -DUNIT=%d", (int)move->unit);
}

// Tiles, where the device has room for them and `move`, all of whose axes are slice axes, asks for
// them.
static clnd_status choose_tiles(const clnd_device_facts *facts, clnd_strategy wanted,
                                const clnd__move *move, clnd__choice *choice)
{
    bool pays;
    const int64_t bytes = clnd__tiles_bytes(move, &pays);
    const bool groups = facts->max_work_group_size >= CLND_LANES;
    const bool possible = groups && bytes > 0 && (uint64_t)bytes <= facts->local_memory;
    if (wanted == CLND_STRATEGY_TILES) {
        if (!groups)
            return clnd__fail(CLND_INVALID_OPTION,
                              "strategy TILES needs work-groups of %d, the device has at most %llu",
                              CLND_LANES, (unsigned long long)facts->max_work_group_size);
        if (bytes == 0)
            return clnd__fail(CLND_INVALID_OPTION,
                              "strategy TILES needs an innermost dimension of the target that is "
                              "not that of the source");
        if (!possible)
            return clnd__fail(
                CLND_INVALID_OPTION,
                "strategy TILES needs %lld bytes of local memory, the device has %llu",
                (long long)bytes, (unsigned long long)facts->local_memory);
        *choice = (clnd__choice){CLND_STRATEGY_TILES, "asked for by name"};
    } else if (wanted == CLND_STRATEGY_AUTO && possible && clnd__strategy_is_listed("tiles")) {
        *choice = (clnd__choice){CLND_STRATEGY_TILES, "asked for by name"};
    } else if (wanted == CLND_STRATEGY_AUTO && possible && pays && !facts->is_cpu &&
               choice->strategy == CLND_STRATEGY_LANES && !clnd__strategy_is_listed("lanes")) {
        *choice = (clnd__choice){CLND_STRATEGY_TILES,
                                 "not a CPU: neighbours in the target are none in the source"};
    }
    return CLND_OK;
}

clnd_status clnd__copy_plan_make(const clnd_device_facts *facts, clnd__problem problem,
                                 clnd_strategy strategy, const clnd__memory *data,
                                 const clnd__memory *dense, clnd__copy_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    const bool forced = strategy != CLND_STRATEGY_AUTO;
    clnd_status status = clnd__choose_movement(
        facts, strategy == CLND_STRATEGY_TILES ? CLND_STRATEGY_AUTO : strategy, &plan->choice);
    if (status || clnd__problem_rows(&problem) == 0 || clnd__problem_slice_size(&problem) == 0)
        return status;

    fold_copy(&problem);
    if (!forced && is_one_run(&problem, &plan->size) && !threads_are_faster(facts, plan->size)) {
        plan->way = CLND__COPY_BUFFER;
        plan->choice = (clnd__choice){CLND_STRATEGY_BUFFER, "one gapless run in both tensors"};
        plan->source_offset = (size_t)problem.data_offset;
        plan->target_offset = (size_t)problem.dense_offset;
        plan->buffers[0] = data->buffer;
        plan->buffers[1] = dense->buffer;
        return CLND_OK;
    }
    const size_t alignment = data->alignment | dense->alignment;
    const int64_t unit = clnd__widest_unit(&problem, alignment);
    clnd__lower(&problem, unit, &plan->move);
    if ((status = choose_tiles(facts, strategy, &plan->move, &plan->choice)))
        return status;
    plan->way = CLND__COPY_KERNEL;
    plan->buffers[0] = data->buffer;
    plan->buffers[1] = dense->buffer;
    plan->n_buffers = 2;
    if (plan->choice.strategy == CLND_STRATEGY_TILES) {
        clnd__tiles_plan(facts, &plan->move);
        return CLND_OK;
    }
    if (plan->choice.strategy == CLND_STRATEGY_LANES && clnd__lanes_suit_copy(&plan->move)) {
        clnd__lanes_plan_copy(facts, alignment, &plan->move);
        return CLND_OK;
    }
    split_rows(&problem);
    clnd__lower(&problem, unit, &plan->move);
    if (plan->choice.strategy == CLND_STRATEGY_BLOCKS && clnd__rows_suit_copy(facts, &plan->move)) {
        clnd__spread_blocks(facts, &plan->move);
        clnd__rows_set_kernel(facts, &plan->move, "copy_rows", "copy_rows");
        return CLND_OK;
    }
    plan->n_buffers = 4; // without coordinates the kernel looks at neither indices nor fill
    plan->buffers[1] = data->buffer;
    plan->buffers[2] = data->buffer;
    plan->buffers[3] = dense->buffer;
    spread(facts, plan->choice.strategy, "gather", "gather", &plan->move);
    return CLND_OK;
}

clnd_status clnd__zero_plan_make(const clnd_device_facts *facts, const clnd__view *dense,
                                 const clnd__memory *memory, bool gated, clnd__copy_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    clnd_status status = clnd__choose_movement(facts, CLND_STRATEGY_AUTO, &plan->choice);
    if (status || clnd__is_empty(dense))
        return status;

    clnd__problem problem;
    clnd__problem_begin(&problem, dense, dense, NULL);
    for (int d = 0; d < dense->rank; ++d)
        clnd__problem_add_slice(&problem, dense->shape[d], clnd__stride_bytes(dense, d),
                                clnd__stride_bytes(dense, d));
    fold_copy(&problem);
    if (!gated && is_one_run(&problem, &plan->size) && !threads_are_faster(facts, plan->size)) {
        plan->way = CLND__COPY_BUFFER;
        plan->target_offset = (size_t)problem.dense_offset;
        plan->buffers[1] = memory->buffer;
        return CLND_OK;
    }
    plan->way = CLND__COPY_KERNEL;
    split_rows(&problem);
    clnd__lower(&problem, clnd__widest_unit(&problem, memory->alignment), &plan->move);
    plan->n_buffers = 1;
    plan->buffers[0] = memory->buffer;
    spread(facts, plan->choice.strategy, "fill", "fill_zeros", &plan->move);
    return CLND_OK;
}

clnd_status clnd__copy_prepare(clnd__call *call, const clnd__copy_plan *plan)
{
    if (plan->way != CLND__COPY_KERNEL)
        return CLND_OK;
    return clnd__call_prepare(call, &plan->move.kernel);
}

const clnd__choice *clnd__copy_choice(const clnd__copy_plan *plan)
{
    return plan->way == CLND__COPY_NOTHING ? NULL : &plan->choice;
}

static clnd_status fill_run(clnd__call *call, const clnd__copy_plan *plan)
{
    static const unsigned char zeros[16];
    size_t pattern = sizeof zeros;
    while ((plan->target_offset | plan->size) % pattern)
        pattern /= 2;
    return clnd__call_fill(call, zeros, pattern, plan->buffers[1], plan->target_offset, plan->size);
}

clnd_status clnd__copy_enqueue(clnd__call *call, const clnd__copy_plan *plan)
{
    switch (plan->way) {
    case CLND__COPY_NOTHING:
        return CLND_OK;
    case CLND__COPY_BUFFER:
        if (!plan->buffers[0])
            return fill_run(call, plan);
        return clnd__call_copy(call, plan->buffers[0], plan->source_offset, plan->buffers[1],
                               plan->target_offset, plan->size);
    case CLND__COPY_KERNEL:
        break;
    }
    return clnd__move_enqueue(call, &plan->move, plan->n_buffers, plan->buffers);
}
