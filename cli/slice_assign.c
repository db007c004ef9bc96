// SPDX-License-Identifier: Apache-2.0

#include "commands.h"
#include "session.h"
#include "slice_spec.h"

static int run(const struct command *command, const struct arguments *arguments)
{
    struct session session;
    struct input input, value;
    clnd_slice slice;
    const bool spec = arguments->n_operands > 2;
    session_begin(&session, command, arguments);
    slice_spec_read(&session, spec ? arguments->operands[1] : NULL, &slice);
    session_read(&session, arguments->operands[0], false, &input);
    session_read(&session, arguments->operands[spec ? 2 : 1], false, &value);
    session_same_type(&session, "the value", &value, "the input", &input);
    session_upload(&session, &value, false);
    if (session_upload(&session, &input, true)) {
        session_start_clock(&session);
        session_check(&session,
                      clnd_strided_slice_assign(session.engine, NULL, &value.tensor, &slice,
                                                &input.tensor, NULL, 0, NULL, NULL));
        session_stop_clock(&session);
        session_give(&session, &input.tensor, &input.array.type);
    }
    return session_end(&session);
}

const struct command command_slice_assign = {
    .name = "slice-assign",
    .usage = "INPUT.npy SPEC VALUE.npy [-o OUT.npy] [OPTIONS]\n"
             "INPUT.npy VALUE.npy --begin LIST --end LIST [-o OUT.npy] [OPTIONS]",
    .summary = "write a value into a slice of a copy",
    .notes = SLICE_NOTES,
    .example = "one value for the whole first column:\n"
               "  $ clnd slice-assign matrix.npy ':, 0' value.npy\n"
               "  [[-1  1  2  3]\n"
               "   [-1  5  6  7]\n"
               "   [-1  9 10 11]]\n",
    .options = {SLICE_OPTIONS},
    .min_operands = 2,
    .max_operands = 3,
    .run = run,
};
