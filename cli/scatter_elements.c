// SPDX-License-Identifier: Apache-2.0

#include "commands.h"
#include "session.h"

static int run(const struct command *command, const struct arguments *arguments)
{
    if (!arguments->into)
        return refuse(command, STATUS_USAGE, "--into must be given");
    struct session session;
    struct input indices, updates, tensor;
    session_begin(&session, command, arguments);
    session_read(&session, arguments->operands[0], true, &indices);
    session_read(&session, arguments->operands[1], false, &updates);
    session_read(&session, arguments->into, false, &tensor);
    session_same_type(&session, "updates", &updates, "the tensor", &tensor);
    session_upload(&session, &indices, false);
    session_upload(&session, &updates, false);
    if (session_upload(&session, &tensor, true)) {
        const clnd_scatter_elements_options options = {.axis = arguments->axis,
                                                       .reduce = arguments->reduce,
                                                       .bounds = arguments->bounds,
                                                       .deterministic = arguments->deterministic};
        session_start_clock(&session);
        session_check(&session,
                      clnd_scatter_elements(session.engine, NULL, &indices.tensor, &updates.tensor,
                                            &tensor.tensor, &options, 0, NULL, NULL));
        session_stop_clock(&session);
        session_give(&session, &tensor.tensor, &tensor.array.type);
    }
    return session_end(&session);
}

const struct command command_scatter_elements = {
    .name = "scatter-elements",
    .usage = "INDICES.npy UPDATES.npy --into TENSOR.npy [-o OUT.npy] [OPTIONS]",
    .summary = "combine single updates with elements along one axis",
    .example = "the rank of each score, from the order of the scores:\n"
               "  $ clnd scatter-elements order.npy ranks.npy --into ranks.npy --axis 1\n"
               "  [[1 0 2]\n"
               "   [1 2 0]]\n",
    .options = {{OPTION_INTO, NULL},
                {OPTION_AXIS, NULL},
                {OPTION_REDUCE,
                 "how an update combines with the element that it meets (update: replaces it)"},
                SCATTER_OPTIONS},
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
