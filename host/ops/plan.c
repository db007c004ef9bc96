// SPDX-License-Identifier: Apache-2.0

#include "host/ops/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/error.h"

// Bytes; the least CL_DEVICE_MEM_BASE_ADDR_ALIGN, so that every vector type is aligned.
enum { WORKSPACE_ALIGNMENT = 128 };

clnd_status clnd__check_plan_call(const clnd_engine *engine, clnd_plan *plan)
{
    if (plan)
        memset(plan, 0, sizeof *plan);
    if (!engine || !plan)
        return clnd__fail(CLND_NULL_POINTER, "%s is NULL", engine ? "plan" : "engine");
    return CLND_OK;
}

clnd__planner TEMP(const clnd_engine *engine, clnd_strategy strategy)
{
    static _Thread_local char text[64];
    clnd__planner planner = clnd__planner_make(clnd_engine_facts(engine), getenv("CLND_STRATEGY"));
    if (strategy) {
        snprintf(text, sizeof text, "must,%s", clnd_strategy_name(strategy));
        planner.words = text;
    }
    return planner;
}

void clnd__give_plan(const char *strategy, const char *reason, uint64_t workspace_bytes,
                     clnd_plan *plan)
{
    plan->strategy = CLND_STRATEGY_AUTO;
    for (int s = 1; strategy && s <= 10; ++s)
        if (!strcmp(clnd_strategy_name(s), strategy))
            plan->strategy = s;
    plan->reason = strategy ? reason : "nothing to do";
    plan->workspace_bytes = strategy ? workspace_bytes : 0;
}

clnd_status clnd__check_workspace(clnd_engine *engine, const clnd_workspace *workspace, int n,
                                  const clnd__operand *operands)
{
    if (!workspace)
        return CLND_OK;
    clnd__operand lent = {.name = "the workspace", .is_output = true};
    clnd_status status = clnd__memory_inspect(workspace->buffer, clnd_engine_context(engine),
                                              lent.name, &lent.memory);
    if (status)
        return status;
    if (workspace->offset > lent.memory.size ||
        workspace->size > lent.memory.size - workspace->offset)
        return clnd__fail(CLND_BUFFER_TOO_SMALL,
                          "the workspace has offset %zu and size %zu, its buffer has %zu bytes",
                          workspace->offset, workspace->size, lent.memory.size);
    if ((workspace->offset | lent.memory.alignment) % WORKSPACE_ALIGNMENT)
        return clnd__fail(CLND_MISALIGNED,
                          "the workspace lies at byte %zu of a buffer aligned to %zu, a multiple "
                          "of %d is needed",
                          workspace->offset, lent.memory.alignment, WORKSPACE_ALIGNMENT);
    lent.begin = (int64_t)workspace->offset;
    lent.end = (int64_t)(workspace->offset + workspace->size);
    for (int i = 0; i < n && !status; ++i)
        status = clnd__check_overlap(&lent, &operands[i]);
    return status;
}
