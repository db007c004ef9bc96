// SPDX-License-Identifier: Apache-2.0

#include "host/exec/workspace.h"

#include <inttypes.h>

#include "host/base/error.h"

clnd_status clnd__workspace_take(clnd__call *call, clnd__workspace *workspace)
{
    if (workspace->bytes == 0)
        return CLND_OK;
    if (!workspace->lent) {
        const clnd_status status =
            clnd__call_take_scratch(call, (size_t)workspace->bytes, &workspace->owned);
        workspace->buffer = workspace->owned.memory;
        return status;
    }
    if (workspace->lent->size < workspace->bytes)
        return clnd__fail(CLND_BUFFER_TOO_SMALL,
                          "the workspace has size %zu, this call needs %" PRIu64,
                          workspace->lent->size, workspace->bytes);
    workspace->buffer = workspace->lent->buffer;
    return CLND_OK;
}

void clnd__workspace_return(clnd__call *call, clnd_status status, clnd__workspace *workspace)
{
    clnd__call_return_scratch(call, status, &workspace->owned);
}
