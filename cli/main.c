// SPDX-License-Identifier: Apache-2.0
//
// clnd: N-dimensional indexing of .npy files on OpenCL devices.

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "clnd/clnd.h"
#include "commands.h"

static const struct command *const commands[] = {
    &command_devices,    &command_gather_nd,
    &command_gather,     &command_gather_elements,
    &command_scatter_nd, &command_scatter_elements,
    &command_slice,      &command_slice_assign,
    &command_slice_grad, &command_show,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_overview(FILE *out)
{
    fprintf(out,
            "clnd %s: N-dimensional indexing of .npy files on OpenCL devices\n\n"
            "usage: clnd COMMAND ARGUMENTS\n\n",
            clnd_version());
    for (int i = 0; i < N_COMMANDS; ++i)
        fprintf(out, "  %-18s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n`clnd COMMAND --help` says more. `-` as a file is standard input or output.\n"
                 "Status: 0 done, 1 refused (nothing is written), 2 wrong usage.\n");
}

static void print_help(const struct command *command)
{
    printf("clnd %s: %s\n\nusage: clnd %s %s\n\n%s", command->name, command->summary, command->name,
           command->usage, command->details);
}

static int finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return status ? status : refuse(NULL, STATUS_REFUSED, "standard output: writing failed");
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct arguments arguments;
    const int status = arguments_read(command, argc, argv, &arguments);
    if (status)
        return status;
    if (!arguments.help)
        return command->run(command, &arguments);
    print_help(command);
    return 0;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); // a closed pipe is an error of the write, said in one line
    if (argc < 2) {
        refuse(NULL, STATUS_USAGE, "no command is given");
        print_overview(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_overview(stdout);
        return finish_output(0);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("clnd %s\n", clnd_version());
        return finish_output(0);
    }
    for (int i = 0; i < N_COMMANDS; ++i)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return finish_output(run_command(commands[i], argc - 1, argv + 1));
    return refuse(NULL, STATUS_USAGE, "'%s' is no command; see `clnd --help`", argv[1]);
}
