// SPDX-License-Identifier: Apache-2.0
//
// The command line of a subcommand. What it alone shows to be wrong ends the program with status 2.

#ifndef CLND_CLI_ARGUMENTS_H
#define CLND_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clnd/dtype.h"
#include "clnd/options.h"
#include "clnd/slice.h"
#include "options.h"

enum { MAX_OPERANDS = 3 };

// A list of numbers given as "1,2,3".
struct number_list {
    bool given;
    int length;
    int64_t values[CLND_MAX_SLICE_ENTRIES];
};

// A number from 0 up.
struct number {
    bool given;
    uint64_t value;
};

struct arguments {
    int n_operands;
    const char *operands[MAX_OPERANDS];
    const char *output; // NULL: print the result
    const char *device; // NULL: the default
    const char *into;   // NULL: not given
    const char *fill;   // text of --bounds fill=V
    clnd_bounds bounds;
    clnd_reduce reduce;
    bool deterministic;
    bool time;
    bool json;
    bool quiet;
    bool bfloat16;
    bool help, version;
    bool list;
    bool axis_given;
    int32_t axis;
    int32_t batch_dims;
    struct number_list shape;
    struct number_list begin, end, strides;
    struct number seed, only, time_limit;
    uint64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
};

struct command {
    const char *name;
    const char *usage;   // arguments, as after "clnd NAME "; lines: different forms
    const char *summary; // one line
    const char *notes;   // paragraphs behind the list of options, or NULL
    const char *example; // a title, and below it the call and what it prints, indented
    struct option_use options[MAX_OPTION_USES];
    int min_operands, max_operands;
    int (*run)(const struct command *command, const struct arguments *arguments);
};

void command_print_usage(FILE *out, const struct command *command);

// Reads argv[1..] of a subcommand (argv[0] is its name). Returns 0, or 2 after the message.
int arguments_read(const struct command *command, int argc, char **argv,
                   struct arguments *arguments);

// Prints "clnd: COMMAND: what" as one line without control characters, and returns `status`.
__attribute__((format(printf, 3, 4))) int refuse(const struct command *command, int status,
                                                 const char *format, ...);

enum { STATUS_REFUSED = 1, STATUS_USAGE = 2 };

#endif
