// SPDX-License-Identifier: Apache-2.0
//
// Six ways to scatter:
//
//   STORE   all rows at once, plain reads and writes. Right where no two rows meet; and for UPDATE,
//           where one of the rows that meet may win, if a store holds whole elements.
//   ATOMIC  all rows at once, atomic operations. Needs the device's atomics; sums of floats depend
//           on the order. Rows that select hot places are combined first (scatter_hot.h).
//   OWNER   every work-item owns a part of the target and takes all rows in order. Always possible,
//           deterministic, and on CPUs faster than atomics, which cost as much there as ten plain
//           additions.
//   BUCKETS rows are divided by the owner's part first, so that no owner looks at rows of others
//           (scatter_buckets.h).
//   SORT    rows that meet are brought together and applied in order. Possible where work-items can
//           work together, deterministic, and the way on GPUs, where every owner would wait for all
//           the indices.
//   PRIVATE small targets: every work-item or group fills a copy of its own, and the copies are
//           combined in the end (scatter_private.h).

#include "host/exec/scatter.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host/base/dtype.h"
#include "host/base/error.h"
#include "host/exec/lanes.h"
#include "host/exec/rows.h"
#include "host/exec/scatter_atomics.h"
#include "host/exec/scatter_choice.h"

// Sums and products of 16-bit floats that are rounded once: into a float32 copy of the target, and
// back.
static clnd_status plan_wide(int64_t begin, int64_t end, clnd__problem *problem,
                             clnd__scatter_plan *plan)
{
    const int64_t narrow = (int64_t)clnd_dtype_size(problem->dtype);
    const int64_t wide = (int64_t)sizeof(float);
    if (end - begin > INT64_MAX / wide * narrow)
        return clnd__fail(CLND_SIZE_OVERFLOW,
                          "a float32 copy of the target's %" PRId64 " bytes does not fit 63 bits",
                          end - begin);
    const int64_t offset = clnd__workspace_offset(&plan->workspace);
    plan->wide = true;
    plan->widen = (clnd_widen_args){begin, offset, (end - begin) / narrow};
    plan->workspace.bytes = (uint64_t)(plan->widen.count * wide);
    clnd__problem_scale_data(problem, begin, wide, narrow);
    problem->data_offset += offset;
    return CLND_OK;
}

// Sums in one chunk are complete when they are stored and can be rounded then; chunks that follow
// one another need the wide copy. What that takes may as well be spent on one chunk.
static clnd_status plan_sort(const clnd_device_facts *facts, const clnd__scatter_options *options,
                             int64_t begin, int64_t end, size_t alignment, clnd__problem *problem,
                             clnd__scatter_plan *plan)
{
    const int64_t rows = clnd__problem_rows(problem);
    const uint64_t keys = clnd__sort_keys_of(problem).count;
    clnd__sums sums = CLND__SUMS_PLAIN;
    clnd__sort_layout layout;
    uint64_t room = clnd__sort_room(facts, options->workspace);
    plan->behind_wide = 0;
    if (options->deterministic && clnd__scatter_rounds(problem->dtype, options->reduce)) {
        const uint64_t wide = (uint64_t)(end - begin) * 2;
        clnd__sort_lay_out(rows, keys, facts->compute_units,
                           options->workspace ? room : room + wide, &layout);
        sums = layout.chunks == 1 ? CLND__SUMS_ROUNDED : CLND__SUMS_WIDE;
    }
    if (sums == CLND__SUMS_WIDE) {
        const clnd_status status = plan_wide(begin, end, problem, plan);
        if (status)
            return status;
        plan->behind_wide = clnd__sort_align(plan->workspace.bytes);
        if (options->workspace)
            room = room > plan->behind_wide ? room - plan->behind_wide : 0;
    }
    if (sums != CLND__SUMS_ROUNDED)
        clnd__sort_lay_out(rows, keys, facts->compute_units, room, &layout);
    plan->workspace.bytes = plan->behind_wide + layout.bytes;
    clnd__sort_plan_make(facts, problem, options->reduce, options->adjust, alignment, sums, &layout,
                         &plan->sort);
    return CLND_OK;
}

static void plan_buckets(const clnd_device_facts *facts, const clnd__scatter_options *options,
                         clnd__sums sums, size_t alignment, const clnd__problem *problem,
                         clnd__scatter_plan *plan)
{
    plan->behind_wide = clnd__sort_align(plan->workspace.bytes);
    clnd__buckets_plan_make(facts, problem, options->reduce, options->adjust, sums, alignment,
                            clnd__workspace_room(options->workspace, plan->behind_wide),
                            clnd__workspace_offset(&plan->workspace) + (int64_t)plan->behind_wide,
                            &plan->buckets);
    plan->workspace.bytes = plan->behind_wide + plan->buckets.bytes;
}

static void spread(const clnd_device_facts *facts, const clnd__problem *problem,
                   clnd_strategy strategy, clnd__move *move)
{
    clnd__choice movement;
    clnd__choose_movement(facts, CLND_STRATEGY_AUTO, &movement); // AUTO is always possible
    if (strategy == CLND_STRATEGY_OWNER)
        clnd__spread_owners(facts, problem, move);
    else if (movement.strategy == CLND_STRATEGY_LANES)
        clnd__spread_lanes(facts, move);
    else
        clnd__spread_blocks(facts, move);
}

// `alone`: an owner has no others beside it.
static void plan_update(const clnd_device_facts *facts, const clnd__problem *problem, int adjust,
                        bool alone, const clnd__memory *data, const clnd__memory *dense,
                        clnd__scatter_plan *plan)
{
    const bool owner = plan->choice.strategy == CLND_STRATEGY_OWNER && !alone;
    clnd__move *move = &plan->move;
    clnd__lower(problem, clnd__widest_unit(problem, data->alignment | dense->alignment), move);
    move->args.adjust = adjust;
    if (alone)
        clnd__spread_not(move);
    else
        spread(facts, problem, plan->choice.strategy, move);
    if ((owner || move->local == 1) && clnd__rows_suit(facts, move))
        clnd__rows_set_kernel(facts, move, "scatter_rows",
                              owner ? "scatter_rows_owner" : "scatter_rows");
    else if (!owner && move->local > 1 && clnd__lanes_suit(move))
        clnd__lanes_plan(facts, "scatter_lanes", move);
    else
        clnd__move_set_kernel(move, "scatter_update",
                              owner ? "scatter_update_owner" : "scatter_update",
                              "-cl-std=CL1.2 -DUNIT=%d", (int)move->unit);
}

static void plan_reduce(const clnd_device_facts *facts, const clnd__problem *problem,
                        clnd_reduce reduce, int adjust, bool alone, const clnd__memory *data,
                        const clnd__memory *dense, clnd__scatter_plan *plan)
{
    const bool owner = plan->choice.strategy == CLND_STRATEGY_OWNER && !alone;
    clnd__move *move = &plan->move;
    clnd__atomics atomics = {CLND_ATOMIC_NONE, 1};
    if (plan->choice.strategy == CLND_STRATEGY_ATOMIC)
        atomics = clnd__atomics_lower(facts, problem, reduce, data, dense, move);
    else
        clnd__lower(problem, (int64_t)clnd_dtype_size(problem->dtype), move);
    move->args.adjust = adjust;
    if (alone)
        clnd__spread_not(move);
    else
        spread(facts, problem, plan->choice.strategy, move);
    char rows[64] = "", pack[24] = "";
    if (atomics.pack > 1)
        snprintf(pack, sizeof pack, " -DPACK=%d", atomics.pack);
    if (atomics.way == CLND_ATOMIC_NONE && move->local == 1)
        clnd__rows_update_options(facts, move, plan->wide ? (int64_t)sizeof(float) : move->unit,
                                  rows);
    clnd__move_set_kernel(move, "scatter_reduce", owner ? "scatter_reduce_owner" : "scatter_reduce",
                          "-cl-std=%s -DDTYPE=%d -DREDUCE=%d -DATOMIC=%d -DWIDE=%d%s%s%s%s",
                          atomics.way == CLND_ATOMIC_OPENCL ? "CL3.0" : "CL1.2",
                          clnd__dtype_kind(problem->dtype), (int)reduce, atomics.way, plan->wide,
                          clnd__soft_option(facts, problem->dtype), pack, rows,
                          alone ? " -DALONE=1" : "");
}

// The kernels that make the wide copy and bring it back.
static void set_convert_kernel(const clnd__scatter_plan *plan, const char *function,
                               clnd__kernel_id *kernel)
{
    *kernel = (clnd__kernel_id){.source = "widen", .function = function};
    snprintf(kernel->options, sizeof kernel->options, "-cl-std=CL1.2 -DDTYPE=%d",
             clnd__dtype_kind(plan->dtype));
}

clnd_status clnd__scatter_plan_make(const clnd_device_facts *facts, clnd__problem problem,
                                    const clnd__scatter_options *wanted, const clnd__memory *data,
                                    int64_t begin, int64_t end, const clnd__memory *indices,
                                    const clnd__memory *dense, clnd__scatter_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    clnd__scatter_options options = *wanted;
    const int64_t rows = clnd__problem_rows(&problem);
    plan->nothing = rows == 0 || clnd__problem_slice_size(&problem) == 0;
    for (int k = 0; k < problem.n_coordinates; ++k)
        plan->nothing |= problem.coordinates[k].extent == 0; // every row is bad
    if (plan->nothing)
        return CLND_OK;
    options.unique |= rows == 1;

    clnd__problem_fold(&problem);
    plan->workspace.lent = options.workspace;
    const bool private =
        clnd__private_plan_make(facts, &problem, options.reduce, options.adjust,
                                options.deterministic, data->alignment | dense->alignment,
                                clnd__workspace_offset(&plan->workspace), &plan->private);
    const clnd__scatter_case scatter = {facts, &problem, &options, data,
                                        dense, begin,    end,      private ? &plan->private : NULL};
    clnd_status status = clnd__scatter_choose(&scatter, &plan->choice);
    if (status)
        return status;
    plan->dtype = problem.dtype;
    plan->target = data->buffer;
    plan->indices = indices->buffer ? indices->buffer : dense->buffer;
    plan->dense = dense->buffer;
    if (plan->choice.strategy == CLND_STRATEGY_SORT)
        return plan_sort(facts, &options, begin, end, data->alignment | dense->alignment, &problem,
                         plan);
    if (plan->choice.strategy == CLND_STRATEGY_PRIVATE) {
        plan->workspace.bytes = plan->private.workspace_bytes;
        return CLND_OK;
    }
    const clnd__sums sums = clnd__scatter_sums(&scatter, plan->choice.strategy);
    if (sums == CLND__SUMS_WIDE && (status = plan_wide(begin, end, &problem, plan)))
        return status;
    if (plan->choice.strategy == CLND_STRATEGY_BUCKETS) {
        plan_buckets(facts, &options, sums, data->alignment | dense->alignment, &problem, plan);
        return CLND_OK;
    }
    const bool alone =
        plan->choice.strategy == CLND_STRATEGY_OWNER && clnd__scatter_is_for_one_thread(&scatter);
    if (options.reduce == CLND_REDUCE_UPDATE)
        plan_update(facts, &problem, options.adjust, alone, data, dense, plan);
    else
        plan_reduce(facts, &problem, options.reduce, options.adjust, alone, data, dense, plan);
    if (plan->choice.strategy == CLND_STRATEGY_ATOMIC)
        clnd__hot_plan_make(facts, clnd__hot_way_of(&scatter), &plan->move, &plan->workspace,
                            &plan->hot);
    return CLND_OK;
}

bool clnd__scatter_zero_first(clnd__scatter_plan *plan, int64_t begin, int64_t end)
{
    return !plan->nothing && !plan->wide && plan->choice.strategy == CLND_STRATEGY_BUCKETS &&
           clnd__buckets_zero_first(&plan->buckets, begin, end);
}

// Atomic operations are for many work-items, so no kernel with them looks at its indices itself: of
// those that would, Intel's compiler (IGC 1.0.12504) aborts at 42.
clnd__move *clnd__scatter_only_move(clnd__scatter_plan *plan)
{
    const clnd_strategy strategy = plan->choice.strategy;
    const bool plain = strategy == CLND_STRATEGY_STORE || strategy == CLND_STRATEGY_OWNER;
    return plan->nothing || plan->wide || !plain ? NULL : &plan->move;
}

// On a device that shares its memory with the host, it makes no difference to the host that it
// then waits for more than the indices; it would where the work is elsewhere, so work-groups are
// left to the check.
clnd__kernel_id *clnd__scatter_first_kernel(clnd__scatter_plan *plan)
{
    if (plan->nothing)
        return NULL;
    if (plan->choice.strategy == CLND_STRATEGY_BUCKETS && clnd__buckets_are_whole(&plan->buckets))
        return &plan->buckets.divide;
    if (plan->choice.strategy == CLND_STRATEGY_PRIVATE && plan->private.fill.local == 1 &&
        plan->private.fill.args.rows <= CLND_CHECK_ROWS)
        return &plan->private.fill.kernel;
    return NULL;
}

clnd_status clnd__scatter_prepare(clnd__call *call, clnd__scatter_plan *plan)
{
    if (plan->nothing)
        return CLND_OK;
    clnd_status status;
    if (plan->choice.strategy == CLND_STRATEGY_SORT)
        status = clnd__sort_prepare(call, &plan->sort);
    else if (plan->choice.strategy == CLND_STRATEGY_PRIVATE)
        status = clnd__private_prepare(call, &plan->private);
    else if (plan->choice.strategy == CLND_STRATEGY_BUCKETS)
        status = clnd__buckets_prepare(call, &plan->buckets);
    else
        status =
            clnd__hot_is_used(&plan->hot) ? CLND_OK : clnd__call_prepare(call, &plan->move.kernel);
    if (status == CLND_OK)
        status = clnd__hot_prepare(call, &plan->hot);
    static const char *const functions[] = {"widen", "narrow"};
    for (int i = 0; plan->wide && status == CLND_OK && i < 2; ++i) {
        clnd__kernel_id kernel;
        set_convert_kernel(plan, functions[i], &kernel);
        status = clnd__call_prepare(call, &kernel);
    }
    return status ? status : clnd__workspace_take(call, &plan->workspace);
}

static clnd_status convert(clnd__call *call, const clnd__scatter_plan *plan, const char *function)
{
    enum { CONVERT_GROUPS = 64 };
    const bool groups = clnd_engine_facts(call->engine)->max_work_group_size >= CLND_LANES;
    const size_t local = groups ? CLND_LANES : 1;
    clnd__launch launch = {.n_buffers = 2,
                           .buffers = {plan->target, plan->workspace.buffer},
                           .args = &plan->widen,
                           .args_size = sizeof plan->widen,
                           .global = {CONVERT_GROUPS * local, 1},
                           .local = local};
    set_convert_kernel(plan, function, &launch.kernel);
    return clnd__call_launch(call, &launch);
}

clnd_status clnd__scatter_enqueue_first(clnd__call *call, clnd__scatter_plan *plan)
{
    plan->begun = true;
    if (plan->choice.strategy == CLND_STRATEGY_BUCKETS)
        return clnd__buckets_enqueue_first(call, &plan->buckets, plan->indices,
                                           plan->workspace.buffer);
    return clnd__private_enqueue_fill(call, &plan->private, plan->indices, plan->dense,
                                      plan->workspace.buffer);
}

clnd_status clnd__scatter_enqueue(clnd__call *call, clnd__scatter_plan *plan)
{
    if (plan->nothing)
        return CLND_OK;
    if (plan->choice.strategy == CLND_STRATEGY_PRIVATE) {
        const clnd_status filled = plan->begun ? CLND_OK : clnd__scatter_enqueue_first(call, plan);
        return filled ? filled
                      : clnd__private_enqueue_merge(call, &plan->private, plan->target, plan->dense,
                                                    plan->workspace.buffer);
    }
    const cl_mem data = plan->wide ? plan->workspace.buffer : plan->target;
    const cl_mem buffers[] = {data, plan->indices, plan->dense};
    clnd_status status = plan->wide ? convert(call, plan, "widen") : CLND_OK;
    if (status == CLND_OK && plan->choice.strategy == CLND_STRATEGY_SORT)
        status = clnd__sort_enqueue(call, &plan->sort, buffers, plan->workspace.buffer,
                                    (uint64_t)clnd__workspace_offset(&plan->workspace) +
                                        plan->behind_wide);
    else if (status == CLND_OK && plan->choice.strategy == CLND_STRATEGY_BUCKETS)
        status = clnd__buckets_enqueue(call, &plan->buckets, plan->begun, buffers,
                                       plan->workspace.buffer);
    else if (status == CLND_OK && clnd__hot_is_used(&plan->hot))
        status = clnd__hot_enqueue(call, &plan->hot, &plan->move, buffers, plan->workspace.buffer);
    else if (status == CLND_OK)
        status = clnd__move_enqueue(call, &plan->move, 3, buffers);
    if (status == CLND_OK && plan->wide)
        status = convert(call, plan, "narrow");
    return status;
}

void clnd__scatter_finish(clnd__call *call, clnd_status status, clnd__scatter_plan *plan)
{
    clnd__workspace_return(call, status, &plan->workspace);
}
