// SPDX-License-Identifier: Apache-2.0

#include "host/exec/zeros.h"

#include <string.h>

#include "host/exec/rows.h"

// OpenCL's own fill takes one thread of a CPU, as its copy does (strategies/buffer.c).
static bool fills_fast(const clnd__planner *planner, size_t size)
{
    return !clnd__rows_can_compile(planner) || size < (size_t)planner->tuning->cpu.copy_bytes;
}

void clnd__zeros_plan_make(const clnd__planner *planner, const clnd__view *dense,
                           const clnd__memory *memory, bool gated, clnd__zeros_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    if (clnd__is_empty(dense))
        return;
    clnd__problem problem;
    clnd__problem_begin(&problem, dense, dense, NULL);
    for (int d = 0; d < dense->rank; ++d)
        clnd__problem_add_slice(&problem, dense->shape[d], clnd__stride_bytes(dense, d),
                                clnd__stride_bytes(dense, d));
    clnd__problem_fold(&problem);
    plan->buffer = memory->buffer;
    if (!gated && clnd__problem_is_one_run(&problem, &plan->size) &&
        fills_fast(planner, plan->size)) {
        plan->way = CLND__ZEROS_BUFFER;
        plan->strategy = "buffer";
        plan->offset = (size_t)problem.dense_offset;
        return;
    }
    plan->way = CLND__ZEROS_KERNEL;
    plan->strategy = clnd__takes_lanes(planner) ? "lanes" : "blocks";
    clnd__problem_split_rows(&problem, (int64_t)clnd_dtype_size(problem.dtype));
    clnd__lower(&problem, clnd__widest_unit(&problem, memory->alignment), &plan->move);
    clnd__spread(planner, &plan->move);
    plan->move.args.stream = clnd__each_row_goes_past_caches(planner, &plan->move);
    plan->move.kernel.options.unit = (int16_t)plan->move.unit;
    clnd__move_set_kernel(&plan->move, "fill", "fill_zeros");
}

clnd_status clnd__zeros_prepare(clnd__call *call, const clnd__zeros_plan *plan)
{
    if (plan->way != CLND__ZEROS_KERNEL)
        return CLND_OK;
    const clnd_status status = clnd__call_reach(call, 1, &plan->buffer);
    return status ? status : clnd__call_prepare(call, &plan->move.kernel);
}

clnd_status clnd__zeros_enqueue(clnd__call *call, const clnd__zeros_plan *plan)
{
    static const unsigned char zeros[16];
    if (plan->way == CLND__ZEROS_NOTHING)
        return CLND_OK;
    if (plan->way == CLND__ZEROS_KERNEL)
        return clnd__move_enqueue(call, &plan->move, 1, &plan->buffer);
    size_t pattern = sizeof zeros;
    while ((plan->offset | plan->size) % pattern)
        pattern /= 2;
    return clnd__call_fill(call, zeros, pattern, plan->buffer, plan->offset, plan->size);
}
