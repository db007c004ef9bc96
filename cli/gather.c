// SPDX-License-Identifier: Apache-2.0

#include "commands.h"
#include "indexed_gather.h"

static clnd_status gather(clnd_engine *engine, const struct arguments *arguments, const void *fill,
                          const clnd_tensor *params, const clnd_tensor *indices, clnd_tensor *out)
{
    const clnd_gather_options options = {.axis = arguments->axis,
                                         .batch_dims = arguments->batch_dims,
                                         .bounds = arguments->bounds,
                                         .fill = fill};
    return engine ? clnd_gather(engine, NULL, params, indices, out, &options, 0, NULL, NULL)
                  : clnd_gather_shape(params, indices, &options, out);
}

static int run(const struct command *command, const struct arguments *arguments)
{
    // To the library an axis of 0 is the default; here it can be told from one that was asked for.
    if (arguments->axis_given && arguments->axis == 0 && arguments->batch_dims > 0)
        return refuse(command, STATUS_USAGE, "--axis 0 is less than --batch-dims %d",
                      (int)arguments->batch_dims);
    return run_gather(command, arguments, gather);
}

const struct command command_gather = {
    .name = "gather",
    .usage = "PARAMS.npy INDICES.npy [--axis A] [-o OUT.npy] [OPTIONS]",
    .summary = "collect slices along one axis",
    .example = "columns 3 and 0 of a matrix:\n"
               "  $ clnd gather matrix.npy columns.npy --axis 1\n"
               "  [[ 3  0]\n"
               "   [ 7  4]\n"
               "   [11  8]]\n",
    .options = {{OPTION_AXIS,
                 "dimension of params that is indexed; negative: from the end (the first\n"
                 "one behind --batch-dims)"},
                {OPTION_BATCH_DIMS,
                 "leading dimensions that params and indices share; negative: from the\n"
                 "rank of indices (0)"},
                GATHER_OPTIONS},
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
