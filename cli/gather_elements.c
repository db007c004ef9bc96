// SPDX-License-Identifier: Apache-2.0

#include "commands.h"
#include "indexed_gather.h"

static clnd_status gather_elements(clnd_engine *engine, const struct arguments *arguments,
                                   const void *fill, const clnd_tensor *params,
                                   const clnd_tensor *indices, clnd_tensor *out)
{
    const clnd_gather_elements_options options = {
        .axis = arguments->axis, .bounds = arguments->bounds, .fill = fill};
    return engine
               ? clnd_gather_elements(engine, NULL, params, indices, out, &options, 0, NULL, NULL)
               : clnd_gather_elements_shape(params, indices, &options, out);
}

static int run(const struct command *command, const struct arguments *arguments)
{
    return run_gather(command, arguments, gather_elements);
}

const struct command command_gather_elements = {
    .name = "gather-elements",
    .usage = "PARAMS.npy INDICES.npy [-o OUT.npy] [--axis A]",
    .summary = "pick single elements along one axis",
    .details = "  --axis A              dimension that is indexed; negative: from the end "
               "(0)\n" COMMON_DETAILS "\n"
               "Example: the elements that argsort named, row by row:\n"
               "  clnd gather-elements matrix.npy order.npy --axis 1 -o sorted.npy\n",
    .options = "axis " COMMON_OPTIONS,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
