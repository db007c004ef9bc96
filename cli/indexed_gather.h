// SPDX-License-Identifier: Apache-2.0
//
// What the gathering subcommands share: two files in, one array out.

#ifndef CLND_CLI_INDEXED_GATHER_H
#define CLND_CLI_INDEXED_GATHER_H

#include "session.h"

// The op of one subcommand, with the options that the arguments and `fill` say. With `engine` NULL
// it only sets *out to the shape of the result.
typedef clnd_status gather_op(clnd_engine *engine, const struct arguments *arguments,
                              const void *fill, const clnd_tensor *params,
                              const clnd_tensor *indices, clnd_tensor *out);

int run_gather(const struct command *command, const struct arguments *arguments, gather_op *op);

#endif
