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
    .usage = "PARAMS.npy INDICES.npy [-o OUT.npy] [--batch-dims B]",
    .summary = "collect slices that tuples of indices select",
    .details = "  --batch-dims B        leading dimensions that params and indices share "
               "(0)\n" COMMON_DETAILS "\n"
               "Example: rows 2 and 0 of a matrix, with indices [[2], [0]]:\n"
               "  clnd gather-nd matrix.npy indices.npy -o rows.npy\n",
    .options = "batch-dims " COMMON_OPTIONS,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
