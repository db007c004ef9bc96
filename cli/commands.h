// SPDX-License-Identifier: Apache-2.0
//
// The subcommands, one file each.

#ifndef CLND_CLI_COMMANDS_H
#define CLND_CLI_COMMANDS_H

#include "arguments.h"

extern const struct command command_devices;
extern const struct command command_gather;
extern const struct command command_gather_elements;
extern const struct command command_gather_nd;
extern const struct command command_scatter_elements;
extern const struct command command_scatter_nd;
extern const struct command command_show;
extern const struct command command_slice;
extern const struct command command_slice_assign;
extern const struct command command_slice_grad;

// Options of every subcommand that runs an operation, and what --help says of them.
#define COMMON_OPTIONS "bounds deterministic device dtype output quiet time"
#define COMMON_DETAILS                                                                             \
    "  -o, --output FILE     write the result as .npy ('-': standard output); without it the\n"    \
    "                        result is printed\n"                                                  \
    "  --device SPEC         gpu, cpu, P:D as `clnd devices` lists them, or part of a name\n"      \
    "  --bounds POLICY       what a bad index does: default, error, zero (or skip), fill=V,\n"     \
    "                        clamp, wrap\n"                                                        \
    "  --deterministic       the serial loop's result, bit for bit\n"                              \
    "  --dtype bfloat16      elements of dtype V2 are bfloat16\n"                                  \
    "  --time                say on standard error how long the operation took\n"                  \
    "  -q, --quiet           print nothing but errors\n"                                           \
    "  -h, --help            print this\n"

// The same for those that take a slice.
#define SLICE_OPTIONS                                                                              \
    "begin begin-mask ellipsis-mask end end-mask new-axis-mask shrink-axis-mask strides"
#define SLICE_DETAILS                                                                              \
    "  SPEC                  such as '1, 2:4, newaxis, ..., :-3:-1, :'\n"                          \
    "  --begin LIST          first place in each dimension, such as 1,2,0\n"                       \
    "  --end LIST            the place behind the last\n"                                          \
    "  --strides LIST        steps (1)\n"                                                          \
    "  --begin-mask N, --end-mask N, --ellipsis-mask N, --new-axis-mask N,\n"                      \
    "  --shrink-axis-mask N  bit i speaks of entry i of the lists\n"

#endif
