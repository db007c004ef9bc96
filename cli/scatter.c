// SPDX-License-Identifier: Apache-2.0

#include "commands.h"
#include "session.h"

static int run(const struct command *command, const struct arguments *arguments)
{
    if (!arguments->into)
        return refuse(command, STATUS_USAGE, "--into must be given");
    // To the library an axis of 0 is the default; here it can be told from one that was asked for.
    if (arguments->axis_given && arguments->axis == 0 && arguments->batch_dims > 0)
        return refuse(command, STATUS_USAGE, "--axis 0 is less than --batch-dims %d",
                      (int)arguments->batch_dims);
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
        const clnd_scatter_options options = {.axis = arguments->axis,
                                              .batch_dims = arguments->batch_dims,
                                              .reduce = arguments->reduce,
                                              .bounds = arguments->bounds,
                                              .deterministic = arguments->deterministic};
        session_start_clock(&session);
        session_check(&session, clnd_scatter(session.engine, NULL, &indices.tensor, &updates.tensor,
                                             &tensor.tensor, &options, 0, NULL, NULL));
        session_stop_clock(&session);
        session_give(&session, &tensor.tensor, &tensor.array.type);
    }
    return session_end(&session);
}

const struct command command_scatter = {
    .name = "scatter",
    .usage = "INDICES.npy UPDATES.npy --into TENSOR.npy [-o OUT.npy] [OPTIONS]",
    .summary = "combine slices with those along one axis",
    .example = "3 and 0 added to the elements 3 and 0 of a vector:\n"
               "  $ clnd scatter columns.npy columns.npy --into places-values.npy --reduce add\n"
               "  [ 9 10 11 15]\n",
    .options = {{OPTION_INTO, NULL},
                {OPTION_AXIS,
                 "dimension of the tensor that is indexed; negative: from the end (the\n"
                 "first one behind --batch-dims)"},
                {OPTION_BATCH_DIMS,
                 "leading dimensions that all three share; negative: from the rank of\n"
                 "indices (0)"},
                {OPTION_REDUCE, "how an update combines with what it meets (update: replaces it)"},
                SCATTER_OPTIONS},
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
