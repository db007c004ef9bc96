// SPDX-License-Identifier: Apache-2.0

#include "commands.h"
#include "indexed_gather.h"

static clnd_status gather_nd(clnd_engine *engine, const struct arguments *arguments,
                             const void *fill, const clnd_tensor *params,
                             const clnd_tensor *indices, clnd_tensor *out)
{
    const clnd_gather_nd_options options = {
        .batch_dims = arguments->batch_dims, .bounds = arguments->bounds, .fill = fill};
    return engine ? clnd_gather_nd(engine, NULL, params, indices, out, &options, 0, NULL, NULL)
                  : clnd_gather_nd_shape(params, indices, &options, out);
}

static int run(const struct command *command, const struct arguments *arguments)
{
    return run_gather(command, arguments, gather_nd);
}

const struct command command_gather_nd = {
    .name = "gather-nd",
    .usage = "PARAMS.npy INDICES.npy [-o OUT.npy] [OPTIONS]",
    .summary = "collect slices that tuples of indices select",
    .example = "the elements [0, 0] and [1, 1] of a matrix of strings:\n"
               "  $ clnd gather-nd letters.npy letters-pick.npy\n"
               "  [b'a' b'd']\n",
    .options = {{OPTION_BATCH_DIMS, NULL}, GATHER_OPTIONS},
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
