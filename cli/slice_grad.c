// SPDX-License-Identifier: Apache-2.0

#include "commands.h"
#include "session.h"
#include "slice_spec.h"

static int run(const struct command *command, const struct arguments *arguments)
{
    if (!arguments->shape.given)
        return refuse(command, STATUS_USAGE, "--shape must be given");
    struct session session;
    struct input dy;
    clnd_slice slice;
    clnd_tensor dx;
    session_begin(&session, command, arguments);
    slice_spec_read(&session, arguments->n_operands > 1 ? arguments->operands[1] : NULL, &slice);
    session_read(&session, arguments->operands[0], false, &dy);
    if (session_upload(&session, &dy, false) && session_shape(&session, dy.array.type.dtype, &dx) &&
        session_allocate(&session, &dx)) {
        session_start_clock(&session);
        session_check(&session, clnd_strided_slice_grad(session.engine, NULL, &dy.tensor, &slice,
                                                        &dx, NULL, 0, NULL, NULL));
        session_stop_clock(&session);
        session_give(&session, &dx, &dy.array.type);
    }
    return session_end(&session);
}

const struct command command_slice_grad = {
    .name = "slice-grad",
    .usage = "DY.npy SPEC --shape LIST [-o OUT.npy] [OPTIONS]\n"
             "DY.npy --begin LIST --end LIST --shape LIST [-o OUT.npy] [OPTIONS]",
    .summary = "put an array into a slice of zeros: the gradient of slice",
    .notes = SLICE_NOTES,
    .example = "the gradient of x[::2], where x has 5 elements:\n"
               "  $ clnd slice-grad dy.npy '::2' --shape 5\n"
               "  [1. 0. 2. 0. 3.]\n",
    .options = {{OPTION_SHAPE, NULL}, SLICE_OPTIONS},
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
