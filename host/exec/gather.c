// SPDX-License-Identifier: Apache-2.0

#include "host/exec/gather.h"

#include <string.h>

#include "host/base/alloc.h"
#include "host/base/error.h"
#include "host/base/integers.h"
#include "host/exec/strategies/table.h"

#define POINT(name) &clnd__gather_##name,
static const clnd__gather_strategy *const strategies[] = {CLND__GATHERS(POINT)};
#undef POINT

enum { N_STRATEGIES = sizeof strategies / sizeof *strategies };

static clnd_status choose(const clnd__gather_case *c, clnd__gather_plan *plan)
{
    const char *refused = NULL, *why_not = NULL;
    for (int i = 0; i < N_STRATEGIES; ++i) {
        if (!clnd__is_asked(c->planner, strategies[i]->name))
            continue;
        plan->strategy = strategies[i];
        plan->reason = "asked for by name";
        refused = strategies[i]->name;
        if (!(why_not = strategies[i]->why_not(c)))
            return CLND_OK;
    }
    if (refused && clnd__is_asked(c->planner, "must"))
        return clnd__fail(CLND_INVALID_OPTION, "strategy %s %s", refused, why_not);
    for (int i = 0; i < N_STRATEGIES; ++i) {
        plan->strategy = strategies[i];
        plan->reason = strategies[i]->pays(c);
        if (plan->reason && !strategies[i]->why_not(c))
            return CLND_OK;
    }
    return clnd__fail(CLND_INTERNAL, "no strategy for a gather");
}

clnd_status clnd__gather_plan_make(const clnd__planner *planner, clnd__problem problem, int adjust,
                                   const void *fill, const clnd__memory *data,
                                   const clnd__memory *indices, const clnd__memory *dense,
                                   clnd__gather_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    if (clnd__problem_rows(&problem) == 0 || clnd__problem_slice_size(&problem) == 0)
        return CLND_OK;
    if (problem.n_coordinates == 0)
        clnd__problem_rows_to_slice(&problem);
    else
        clnd__problem_sort_rows(&problem);
    clnd__problem_fold(&problem);
    const size_t alignment = data->alignment | dense->alignment;
    const clnd__gather_case c = {.planner = planner,
                                 .problem = &problem,
                                 .adjust = adjust,
                                 .fills = fill != NULL,
                                 .alignment = alignment,
                                 .unit = clnd__widest_unit(&problem, alignment)};
    const clnd_status status = choose(&c, plan);
    if (status)
        return status;
    plan->strategy->plan(&c, plan);
    plan->fill_element = fill;
    plan->fill_element_size = clnd_dtype_size(problem.dtype);
    // A buffer that the kernel will not look at is bound to one that exists.
    plan->data = data->buffer ? data->buffer : dense->buffer;
    plan->indices = indices && indices->buffer ? indices->buffer : plan->data;
    plan->dense = dense->buffer;
    return CLND_OK;
}

// A pattern of whole elements and whole pieces, on the device.
static clnd_status make_fill(clnd_engine *engine, clnd__gather_plan *plan)
{
    const size_t element_size = plan->fill_element_size;
    const size_t size =
        element_size / greatest_divisor(element_size, CLND_FILL_PIECE) * CLND_FILL_PIECE;
    unsigned char *pattern = clnd__allocate(size);
    if (!pattern)
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a fill value of %zu bytes", size);
    for (size_t at = 0; at < size; at += element_size)
        memcpy(pattern + at, plan->fill_element, element_size);
    clnd_status status = clnd__buffer_create(engine, size, pattern, &plan->fill_buffer);
    clnd__free(pattern);
    plan->move.args.fill_units = (clnd_i64)size / plan->move.unit;
    return status;
}

clnd_status clnd__gather_prepare(clnd__call *call, clnd__gather_plan *plan)
{
    if (plan->n_buffers == 0)
        return CLND_OK;
    const cl_mem buffers[] = {plan->data, plan->indices, plan->dense};
    clnd_status status = clnd__call_reach(call, 3, buffers);
    if (status == CLND_OK)
        status = clnd__call_prepare(call, &plan->move.kernel);
    return status || !plan->fill_element ? status : make_fill(call->engine, plan);
}

clnd_status clnd__gather_enqueue(clnd__call *call, const clnd__gather_plan *plan)
{
    if (!plan->strategy)
        return CLND_OK;
    const clnd_move_args *run = &plan->move.args;
    if (plan->n_buffers == 0)
        return clnd__call_copy(call, plan->data, (size_t)run->data_offset, plan->dense,
                               (size_t)run->dense_offset, (size_t)(run->columns * plan->move.unit));
    const cl_mem copied[] = {plan->data, plan->dense};
    const cl_mem fill = plan->fill_buffer ? plan->fill_buffer : plan->dense;
    const cl_mem gathered[] = {plan->data, plan->indices, fill, plan->dense};
    return clnd__move_enqueue(call, &plan->move, plan->n_buffers,
                              plan->n_buffers == 2 ? copied : gathered);
}

void clnd__gather_release(clnd__gather_plan *plan)
{
    clnd__buffer_release(plan->fill_buffer);
    plan->fill_buffer = NULL;
}
