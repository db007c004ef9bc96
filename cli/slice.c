// SPDX-License-Identifier: Apache-2.0

#include "commands.h"
#include "session.h"
#include "slice_spec.h"

static int run(const struct command *command, const struct arguments *arguments)
{
    struct session session;
    struct input input = {0};
    clnd_slice slice;
    clnd_tensor part, out;
    session_begin(&session, command, arguments);
    slice_spec_read(&session, arguments->n_operands > 1 ? arguments->operands[1] : NULL, &slice);
    session_read(&session, arguments->operands[0], false, &input);
    // The rest of the input, which may be larger than a buffer, stays in the file.
    if (session_describe(&session, &input) &&
        session_check(&session, clnd_strided_slice_shape(&input.tensor, &slice, &out)) &&
        session_check(&session, clnd_strided_slice_view(&input.tensor, &slice, &part)) &&
        session_upload_part(&session, &input, &part) && session_allocate(&session, &out)) {
        session_start_clock(&session);
        session_check(&session, clnd_copy(session.engine, NULL, &part, &out, NULL, 0, NULL, NULL));
        session_stop_clock(&session);
        session_give(&session, &out, &input.array.type);
    }
    return session_end(&session);
}

const struct command command_slice = {
    .name = "slice",
    .usage = "INPUT.npy SPEC [-o OUT.npy] [OPTIONS]\n"
             "INPUT.npy --begin LIST --end LIST [-o OUT.npy] [OPTIONS]",
    .summary = "take a slice, as Python or tf.strided_slice does",
    .notes = SLICE_NOTES,
    .example = "every second row, last column first:\n"
               "  $ clnd slice matrix.npy '::2, ::-1'\n"
               "  [[ 3  2  1  0]\n"
               "   [11 10  9  8]]\n",
    .options = {SLICE_OPTIONS},
    .min_operands = 1,
    .max_operands = 2,
    .run = run,
};
