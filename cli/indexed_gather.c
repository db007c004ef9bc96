// SPDX-License-Identifier: Apache-2.0

#include "indexed_gather.h"

#include <stdlib.h>

static void gather(struct session *session, gather_op *op, const void *fill,
                   const struct input *params, const struct input *indices)
{
    const struct arguments *arguments = session->arguments;
    clnd_tensor out;
    if (!session_check(session,
                       op(NULL, arguments, fill, &params->tensor, &indices->tensor, &out)) ||
        !session_allocate(session, &out))
        return;
    session_start_clock(session);
    session_check(session,
                  op(session->engine, arguments, fill, &params->tensor, &indices->tensor, &out));
    session_stop_clock(session);
    session_give(session, &out, &params->array.type);
}

int run_gather(const struct command *command, const struct arguments *arguments, gather_op *op)
{
    struct session session;
    struct input params, indices;
    void *fill = NULL;
    session_begin(&session, command, arguments);
    session_read(&session, arguments->operands[0], false, &params);
    session_read(&session, arguments->operands[1], true, &indices);
    session_fill_value(&session, &params.array.type, &fill);
    if (session_upload(&session, &params, false) && session_upload(&session, &indices, false))
        gather(&session, op, fill, &params, &indices);
    free(fill);
    return session_end(&session);
}
