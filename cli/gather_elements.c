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
    .usage = "PARAMS.npy INDICES.npy [--axis A] [-o OUT.npy] [OPTIONS]",
    .summary = "pick single elements along one axis",
    .example = "each row in the order that argsort gave:\n"
               "  $ clnd gather-elements scores.npy order.npy --axis 1\n"
               "  [[0.1 0.5 0.9]\n"
               "   [0.2 0.3 0.8]]\n",
    .options = {{OPTION_AXIS, NULL}, GATHER_OPTIONS},
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
