// SPDX-License-Identifier: Apache-2.0

#include "commands.h"
#include "session.h"

// Shapes and dtypes are checked before memory for the output is taken.
static void scatter(struct session *session, const struct arguments *arguments,
                    const struct input *indices, const struct input *updates, clnd_tensor *target)
{
    const clnd_scatter_nd_options options = {.reduce = arguments->reduce,
                                             .bounds = arguments->bounds,
                                             .deterministic = arguments->deterministic};
    if (!session_check(
            session, clnd_scatter_nd_check(&indices->tensor, &updates->tensor, target, &options)) ||
        (!arguments->into && !session_allocate(session, target)))
        return;
    session_start_clock(session);
    session_check(session,
                  arguments->into
                      ? clnd_scatter_nd_into(session->engine, NULL, &indices->tensor,
                                             &updates->tensor, target, &options, 0, NULL, NULL)
                      : clnd_scatter_nd(session->engine, NULL, &indices->tensor, &updates->tensor,
                                        target, &options, 0, NULL, NULL));
    session_stop_clock(session);
    session_give(session, target, &updates->array.type);
}

static int run(const struct command *command, const struct arguments *arguments)
{
    if (arguments->shape.given == (arguments->into != NULL))
        return refuse(command, STATUS_USAGE, "%s of --shape and --into must be given",
                      arguments->into ? "only one" : "one");
    struct session session;
    struct input indices, updates, tensor = {0};
    clnd_tensor out;
    session_begin(&session, command, arguments);
    session_read(&session, arguments->operands[0], true, &indices);
    session_read(&session, arguments->operands[1], false, &updates);
    if (arguments->into) {
        session_read(&session, arguments->into, false, &tensor);
        session_same_type(&session, "updates", &updates, "the tensor", &tensor);
    }
    session_upload(&session, &indices, false);
    session_upload(&session, &updates, false);
    if (arguments->into ? session_upload(&session, &tensor, true)
                        : session_shape(&session, updates.array.type.dtype, &out))
        scatter(&session, arguments, &indices, &updates, arguments->into ? &tensor.tensor : &out);
    return session_end(&session);
}

const struct command command_scatter_nd = {
    .name = "scatter-nd",
    .usage = "INDICES.npy UPDATES.npy --shape LIST [-o OUT.npy] [OPTIONS]\n"
             "INDICES.npy UPDATES.npy --into TENSOR.npy [-o OUT.npy] [OPTIONS]",
    .summary = "combine slices of updates with the places that tuples of indices select",
    .example = "sums of 10, 20 and 30 at the places 1, 1 and 3:\n"
               "  $ clnd scatter-nd repeats.npy repeats-values.npy --shape 5\n"
               "  [ 0 30  0 30  0]\n",
    .options = {{OPTION_SHAPE, "shape of the result, which starts from zeros, such as 4,4,4"},
                {OPTION_INTO, NULL},
                {OPTION_REDUCE,
                 "how an update combines with the element that it meets (with --shape: add;\n"
                 "with --into: update, which replaces it)"},
                SCATTER_OPTIONS},
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
