// SPDX-License-Identifier: Apache-2.0

#include "host/ops/plan.h"

#include <string.h>

#include "host/base/error.h"
#include "host/exec/workspace.h"

clnd_status clnd__check_plan_call(const clnd_engine *engine, clnd_plan *plan)
{
    if (plan)
        memset(plan, 0, sizeof *plan);
    if (!engine || !plan)
        return clnd__fail(CLND_NULL_POINTER, "%s is NULL", engine ? "plan" : "engine");
    return CLND_OK;
}

void clnd__give_plan(const char *strategy, const char *reason, uint64_t workspace_bytes,
                     clnd_plan *plan)
{
    plan->strategy = strategy ? strategy : "none";
    plan->reason = strategy ? reason : "nothing to do";
    plan->workspace_bytes = strategy ? workspace_bytes : 0;
}

clnd_status clnd__check_workspace(clnd_engine *engine, const clnd_workspace *workspace, int n,
                                  const clnd__operand *operands)
{
    if (!workspace)
        return CLND_OK;
    if (!workspace->buffer)
        return clnd__fail(CLND_INVALID_BUFFER,
                          "the workspace has size %zu, its buffer is NULL; options->workspace is "
                          "NULL where none is lent",
                          workspace->size);
    clnd__operand lent = {.name = "the workspace", .is_output = true};
    clnd_status status =
        clnd__memory_inspect(workspace->buffer, clnd_engine_context(engine),
                             CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, lent.name, &lent.memory);
    if (status)
        return status;
    if (workspace->offset > lent.memory.size ||
        workspace->size > lent.memory.size - workspace->offset)
        return clnd__fail(CLND_BUFFER_TOO_SMALL,
                          "the workspace has offset %zu and size %zu, its buffer has size %zu",
                          workspace->offset, workspace->size, lent.memory.size);
    if ((workspace->offset | lent.memory.alignment) % CLND__WORKSPACE_ALIGNMENT)
        return clnd__fail(CLND_MISALIGNED,
                          "the workspace lies at byte %zu of a buffer aligned to %zu, a multiple "
                          "of %d is needed",
                          workspace->offset, lent.memory.alignment, CLND__WORKSPACE_ALIGNMENT);
    lent.begin = (int64_t)workspace->offset;
    lent.end = (int64_t)(workspace->offset + workspace->size);
    for (int i = 0; i < n && !status; ++i)
        status = clnd__check_overlap(&lent, &operands[i]);
    return status;
}
