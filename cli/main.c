// SPDX-License-Identifier: Apache-2.0
//
// clnd: N-dimensional indexing of .npy files on OpenCL devices.

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clnd/clnd.h"
#include "commands.h"
#include "npy.h"
#include "text.h"

static const struct command *const commands[] = {
    &command_devices,         &command_doctor,       &command_gather_nd,  &command_gather,
    &command_gather_elements, &command_scatter_nd,   &command_scatter,    &command_scatter_elements,
    &command_slice,           &command_slice_assign, &command_slice_grad, &command_show,
    &command_selftest,
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < N_COMMANDS; ++i)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

static void print_overview(FILE *out)
{
    fprintf(out,
            "clnd %s: N-dimensional indexing of .npy files on OpenCL devices\n\n"
            "usage: clnd COMMAND ARGUMENTS\n\n"
            "Commands:\n",
            clnd_version_text());
    for (int i = 0; i < N_COMMANDS; ++i)
        fprintf(out, "  %-18s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\nOptions:\n"
                 "  -h, --help            print this\n"
                 "  -V, --version         print the version\n"
                 "\n`clnd COMMAND --help` or `clnd help COMMAND` says more. "
                 "`-` as a file is standard input or output.\n"
                 "Status: 0 done, 1 refused (nothing is written), 2 wrong usage.\n");
}

static void print_help(const struct command *command)
{
    printf("clnd %s: %s\n\n", command->name, command->summary);
    command_print_usage(stdout, command);
    printf("\nOptions:\n");
    options_print(command->options);
    if (command->notes)
        printf("\n%s", command->notes);
    printf("\nExample%s: %s", command->max_operands ? ", in examples/data" : "", command->example);
}

static int finish_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return status ? status : refuse(NULL, STATUS_REFUSED, "standard output: writing failed");
}

static void print_version(void)
{
    printf("clnd %s\n", clnd_version_text());
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct arguments arguments;
    const int status = arguments_read(command, argc, argv, &arguments);
    if (status)
        return status;
    if (arguments.help)
        print_help(command);
    else if (arguments.version)
        print_version();
    else
        return command->run(command, &arguments);
    return 0;
}

static int refuse_name(const char *name)
{
    struct text_nearest nearest = {0};
    for (int i = 0; i < N_COMMANDS; ++i)
        text_offer(&nearest, name, commands[i]->name);
    if (name[0] == '-')
        return refuse(NULL, STATUS_USAGE,
                      "'%s' stands where the command should be; options come behind it, see "
                      "`clnd --help`",
                      name);
    if (nearest.word)
        return refuse(NULL, STATUS_USAGE, "'%s' is no command; did you mean '%s'?", name,
                      nearest.word);
    return refuse(NULL, STATUS_USAGE, "'%s' is no command; see `clnd --help`", name);
}

// `clnd help`, `clnd help COMMAND`.
static int help(const char *name)
{
    const struct command *command = name ? find_command(name) : NULL;
    if (name && !command)
        return refuse_name(name);
    if (command)
        print_help(command);
    else
        print_overview(stdout);
    return 0;
}

// A file that is opened while a standard stream is closed takes its descriptor, and messages would
// go into the output. So the descriptors of closed streams are taken by files open in the wrong
// direction: using such a stream fails, as it should.
static bool hold_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

static pthread_t main_thread;

// The main thread writes the files and blocks signals when it cannot be disturbed. A driver's
// threads do not know: they pass on what reaches them.
static void end_by_signal(int number)
{
    if (!pthread_equal(pthread_self(), main_thread)) {
        pthread_kill(main_thread, number);
        return;
    }
    npy_abandon();
    signal(number, SIG_DFL);
    raise(number);
}

// Part of a mapped file is gone, or its disk fails.
static void end_by_bus_error(int number, siginfo_t *info, void *context)
{
    static const char line[] = "clnd: a file was cut short while in use, or cannot be read\n";
    (void)context;
    if (info->si_code == BUS_ADRERR)
        _exit(write(STDERR_FILENO, line, sizeof line - 1) < 0 ? STATUS_USAGE : STATUS_REFUSED);
    end_by_signal(number);
}

static bool ends_process(int number)
{
    static const int harmless[] = {SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH, SIGURG};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; ++i)
        if (number == harmless[i])
            return false;
    return true;
}

static void set_signals(void)
{
    const struct sigaction end = {.sa_handler = end_by_signal};
    const struct sigaction bus_error = {.sa_sigaction = end_by_bus_error, .sa_flags = SA_SIGINFO};
    main_thread = pthread_self();
    signal(SIGPIPE, SIG_IGN); // a closed pipe is an error of the write, said in one line
    for (int number = 1; number <= SIGRTMAX; ++number) {
        struct sigaction now;
        // What is ignored stays so: nohup relies on that. So do the handlers of sanitizers.
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL && ends_process(number))
            sigaction(number, number == SIGBUS ? &bus_error : &end, NULL);
    }
}

int main(int argc, char **argv)
{
    if (!hold_closed_streams())
        return STATUS_REFUSED;
    set_signals();
    if (argc < 2) {
        refuse(NULL, STATUS_USAGE, "no command is given");
        print_overview(stderr);
        return STATUS_USAGE;
    }
    const struct command *command = find_command(argv[1]);
    if (command)
        return finish_output(run_command(command, argc - 1, argv + 1));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return finish_output(help(argv[2]));
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        print_version();
        return finish_output(0);
    }
    return refuse_name(argv[1]);
}
