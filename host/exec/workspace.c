// SPDX-License-Identifier: Apache-2.0

#include "host/exec/workspace.h"

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
    workspace->buffer = workspace->lent->buffer;
    return CLND_OK;
}

void clnd__workspace_return(clnd__call *call, clnd_status status, clnd__workspace *workspace)
{
    clnd__call_return_scratch(call, status, &workspace->owned);
}
