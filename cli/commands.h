// SPDX-License-Identifier: Apache-2.0
//
// The subcommands, one file each.

#ifndef CLND_CLI_COMMANDS_H
#define CLND_CLI_COMMANDS_H

#include "arguments.h"

extern const struct command command_devices;
extern const struct command command_doctor;
extern const struct command command_gather;
extern const struct command command_gather_elements;
extern const struct command command_gather_nd;
extern const struct command command_scatter;
extern const struct command command_scatter_elements;
extern const struct command command_scatter_nd;
extern const struct command command_selftest;
extern const struct command command_show;
extern const struct command command_slice;
extern const struct command command_slice_assign;
extern const struct command command_slice_grad;

// Options of every subcommand that runs an operation.
#define OPERATION_OPTIONS(bounds_help, deterministic_help)                                         \
    {OPTION_BOUNDS, bounds_help}, {OPTION_OUTPUT, NULL}, {OPTION_DEVICE, NULL},                    \
        {OPTION_DETERMINISTIC, deterministic_help}, {OPTION_DTYPE, NULL}, {OPTION_TIME, NULL},     \
        {OPTION_JSON, "with --time: say it as JSON"}, {OPTION_QUIET, NULL}, {OPTION_HELP, NULL},   \
        {OPTION_VERSION, NULL},

#define GATHER_OPTIONS                                                                             \
    OPERATION_OPTIONS(                                                                             \
        "what a bad index does: error refuses the call and names the first one (the\n"             \
        "default on CPUs); zero, or skip, gives zeros (the default elsewhere);\n"                  \
        "fill=V gives the value V; clamp takes the nearest index; wrap counts\n"                   \
        "negative ones from the end, then does as error",                                          \
        NULL)

#define SCATTER_OPTIONS                                                                            \
    OPERATION_OPTIONS(                                                                             \
        "what a bad index does: error refuses the call and names the first one (the\n"             \
        "default on CPUs); skip, or zero, drops the update (the default\n"                         \
        "elsewhere); clamp takes the nearest index; wrap counts negative ones\n"                   \
        "from the end, then does as error; fill=V is for gathers",                                 \
        "the serial loop's result, bit for bit; of several updates the last counts")

// The options of subcommands that take a slice.
#define SLICE_OPTIONS                                                                              \
    {OPTION_BEGIN, NULL}, {OPTION_END, NULL}, {OPTION_STRIDES, NULL}, {OPTION_BEGIN_MASK, NULL},   \
        {OPTION_END_MASK, NULL}, {OPTION_ELLIPSIS_MASK, NULL}, {OPTION_NEW_AXIS_MASK, NULL},       \
        {OPTION_SHRINK_AXIS_MASK, NULL}, OPERATION_OPTIONS(NULL, NULL)

#define SLICE_NOTES                                                                                \
    "SPEC has an item for each dimension: an integer, which drops it, or begin:end:stride, of\n"   \
    "which any part may be left out; '...' for all dimensions that have none, 'newaxis' or\n"      \
    "'None' for a new one. Such as '1, 2:4, newaxis, ..., :-3:-1, :'.\n"

#endif
