// SPDX-License-Identifier: Apache-2.0

#include "host/exec/gather.h"

#include <string.h>

#include "host/base/alloc.h"
#include "host/base/error.h"
#include "host/exec/lanes.h"
#include "host/exec/rows.h"

static size_t least_common_multiple(size_t a, size_t b)
{
    size_t x = a, y = b;
    while (y) {
        const size_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

// A pattern of whole elements and whole units, on the device.
static clnd_status make_fill(clnd_engine *engine, clnd__gather_plan *plan)
{
    const size_t element_size = plan->fill_element_size;
    const size_t size = least_common_multiple(element_size, (size_t)plan->move.unit);
    unsigned char *pattern = clnd__allocate(size);
    if (!pattern)
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a fill value of %zu bytes", size);
    for (size_t at = 0; at < size; at += element_size)
        memcpy(pattern + at, plan->fill_element, element_size);
    clnd_status status = clnd__buffer_create(engine, size, pattern, &plan->fill);
    clnd__free(pattern);
    plan->buffers[2] = plan->fill;
    plan->move.args.fill_units = (clnd_i64)size / plan->move.unit;
    return status;
}

static void plan_kernel(const clnd_device_facts *facts, clnd_strategy strategy, clnd__move *move)
{
    const bool lanes = strategy == CLND_STRATEGY_LANES;
    if (lanes && clnd__lanes_suit(move)) {
        clnd__lanes_plan(facts, "gather_lanes", move);
        return;
    }
    if (lanes)
        clnd__spread_lanes(facts, move);
    else
        clnd__spread_blocks(facts, move);
    if (!lanes && clnd__rows_suit(facts, move))
        clnd__rows_set_kernel(facts, move, "gather_rows", "gather_rows");
    else
        clnd__move_set_kernel(move, "gather", "gather", "-cl-std=CL1.2 -DUNIT=%d", (int)move->unit);
}

clnd_status clnd__gather_plan_make(const clnd_device_facts *facts, clnd__problem problem,
                                   int adjust, const void *fill, clnd_strategy strategy,
                                   const clnd__memory *data, const clnd__memory *indices,
                                   const clnd__memory *dense, clnd__gather_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    clnd_status status = clnd__choose_movement(facts, strategy, &plan->choice);
    if (status)
        return status;
    plan->nothing = clnd__problem_rows(&problem) == 0 || clnd__problem_slice_size(&problem) == 0;
    if (plan->nothing)
        return CLND_OK;

    clnd__problem_fold(&problem);
    clnd__move *move = &plan->move;
    clnd__lower(&problem, clnd__widest_unit(&problem, data->alignment | dense->alignment), move);
    move->args.adjust = adjust;
    plan_kernel(facts, plan->choice.strategy, move);
    plan->fill_element = fill;
    plan->fill_element_size = clnd_dtype_size(problem.dtype);
    // A buffer that the kernel will not look at is bound to one that exists.
    plan->buffers[0] = data->buffer ? data->buffer : dense->buffer;
    plan->buffers[1] = indices->buffer ? indices->buffer : dense->buffer;
    plan->buffers[2] = dense->buffer;
    plan->buffers[3] = dense->buffer;
    return CLND_OK;
}

clnd_status clnd__gather_prepare(clnd__call *call, clnd__gather_plan *plan)
{
    if (plan->nothing)
        return CLND_OK;
    clnd_status status = clnd__call_prepare(call, &plan->move.kernel);
    if (status == CLND_OK && plan->fill_element)
        status = make_fill(call->engine, plan);
    return status;
}

clnd_status clnd__gather_enqueue(clnd__call *call, const clnd__gather_plan *plan)
{
    return plan->nothing ? CLND_OK : clnd__move_enqueue(call, &plan->move, 4, plan->buffers);
}

void clnd__gather_release(clnd__gather_plan *plan)
{
    clnd__buffer_release(plan->fill);
    plan->fill = NULL;
}
