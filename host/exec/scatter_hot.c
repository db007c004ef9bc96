// SPDX-License-Identifier: Apache-2.0

#include "host/exec/scatter_hot.h"

#include "host/base/dtype.h"
#include "host/exec/scatter_atomics.h"
#include "host/exec/scatter_choice.h"
#include "host/exec/scatter_private.h"

// Local memory that the kernels take, with what a compiler may add.
enum { LOCAL_MEMORY = 8192 };

// The decision alone.
enum { WORKSPACE = sizeof(clnd_u32) };

// Below this the sample, a launch of one work-group, is no small part of the call: it looks at one
// row of 16 then. That it costs some 10 us, and 16384 atomic operations on one address no less, is
// what others report of GPUs (docs/design.md).
enum { LEAST_ROWS = 16 * CLND_HOT_SAMPLE };

// Rows are sorted by 64-bit words that hold the byte that they select and a number in the block.
#define LARGEST_END (INT64_MAX >> CLND_HOT_ROW_BITS)

// Rows are combined an element at a time, which would undo what updates gain that take several at
// once. Few axes only: at a kernel for many, Intel's compiler (IGC 1.0.12504) aborts.
static bool is_combined_by_elements(const clnd__scatter_case *scatter)
{
    clnd__move move;
    clnd__atomics_lower(scatter->facts, scatter->problem, scatter->options->reduce, scatter->data,
                        scatter->dense, &move);
    return move.unit == (int64_t)clnd_dtype_size(scatter->problem->dtype) &&
           clnd__move_is_small(&move);
}

static bool is_possible(const clnd__scatter_case *scatter)
{
    const clnd_device_facts *facts = scatter->facts;
    const clnd_dtype dtype = scatter->problem->dtype;
    const clnd_workspace *lent = scatter->options->workspace;
    clnd__choice movement;
    clnd__choose_movement(facts, CLND_STRATEGY_AUTO, &movement); // AUTO is always possible
    return movement.strategy == CLND_STRATEGY_LANES && facts->local_memory >= LOCAL_MEMORY &&
           clnd__private_gathers(dtype, scatter->options->reduce) && scatter->end <= LARGEST_END &&
           (!lent || lent->size >= WORKSPACE) && is_combined_by_elements(scatter);
}

clnd__hot_way clnd__hot_way_of(const clnd__scatter_case *scatter)
{
    if (!is_possible(scatter))
        return CLND__HOT_IMPOSSIBLE;
    if (clnd__strategy_is_listed("plain"))
        return CLND__HOT_NEVER;
    if (clnd__strategy_is_listed("aggregate"))
        return CLND__HOT_ALWAYS;
    if (clnd__strategy_is_listed("sample") || clnd__problem_rows(scatter->problem) >= LEAST_ROWS)
        return CLND__HOT_ASKED;
    return CLND__HOT_NEVER;
}

void clnd__hot_plan_make(const clnd_device_facts *facts, clnd__hot_way way, const clnd__move *move,
                         clnd__workspace *workspace, clnd__hot_plan *plan)
{
    *plan = (clnd__hot_plan){.way = way, .decision = clnd__workspace_offset(workspace)};
    if (way == CLND__HOT_IMPOSSIBLE)
        return;
    // CPUs come here only when they are told to.
    plan->may_follow = way == CLND__HOT_NEVER && !facts->is_cpu;
    plan->scatter = move->kernel;
    plan->scatter.source = "scatter_hot";
    plan->scatter.function = "scatter_hot";
    clnd__move sample = *move;
    clnd__move_set_kernel(&sample, "scatter_sample", "sample_rows", "-cl-std=CL1.2");
    plan->sample = sample.kernel;
    plan->sample.gate = CLND__GATE_IGNORED; // it writes to the workspace only
    if (clnd__hot_is_used(plan))
        workspace->bytes = WORKSPACE;
}

clnd_status clnd__hot_prepare(clnd__call *call, const clnd__hot_plan *plan)
{
    if (!clnd__hot_is_used(plan) && !plan->may_follow)
        return CLND_OK;
    const clnd_status status = clnd__call_prepare(call, &plan->sample);
    return status ? status : clnd__call_prepare(call, &plan->scatter);
}

static clnd_hot_args args_of(const clnd__hot_plan *plan, const clnd__move *move)
{
    // Always: one row is enough.
    const int64_t share = plan->way == CLND__HOT_ALWAYS ? CLND_HOT_SAMPLE : CLND_HOT_SHARE;
    return (clnd_hot_args){.move = move->args, .share = share, .decision = plan->decision};
}

clnd_status clnd__hot_sample(clnd__call *call, const clnd__hot_plan *plan, const clnd__move *move,
                             cl_mem indices, cl_mem workspace)
{
    const clnd_hot_args args = args_of(plan, move);
    const clnd__launch launch = {.kernel = plan->sample,
                                 .n_buffers = 2,
                                 .buffers = {indices, workspace},
                                 .args = &args,
                                 .args_size = sizeof args,
                                 .global = {CLND_LANES, 1},
                                 .local = CLND_LANES};
    return clnd__call_launch(call, &launch);
}

clnd_status clnd__hot_enqueue(clnd__call *call, const clnd__hot_plan *plan, const clnd__move *move,
                              const cl_mem buffers[3], cl_mem workspace)
{
    const clnd_status status = clnd__hot_sample(call, plan, move, buffers[1], workspace);
    if (status)
        return status;
    const clnd_hot_args args = args_of(plan, move);
    const clnd__launch launch = {.kernel = plan->scatter,
                                 .n_buffers = 4,
                                 .buffers = {buffers[0], buffers[1], buffers[2], workspace},
                                 .args = &args,
                                 .args_size = sizeof args,
                                 .global = {move->global[0], move->global[1]},
                                 .local = move->local};
    return clnd__call_launch(call, &launch);
}
