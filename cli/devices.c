// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "session.h"
#include "strategies.h"
#include "text.h"

static const char *yes_no(bool value)
{
    return value ? "yes" : "no";
}

// Texts of drivers are shown without control characters, and without the blanks that end some.
static void print_text(const char *text)
{
    char shown[4 * sizeof((clnd_device_facts *)0)->name + 1];
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        --length;
    text_escape(shown, sizeof shown, text, length);
    printf("%s", shown);
}

static void print_field(const char *name, const char *text)
{
    printf("     %-9s  ", name);
    print_text(text);
    printf("\n");
}

static void print_facts(const clnd_device_facts *facts, bool probed)
{
    print_field("platform", facts->platform);
    print_field("driver", facts->driver);
    print_field("compiler", facts->opencl_c);
    printf("     kind       %s, %" PRIu32 " compute units, work-groups of up to %" PRIu64
           ", %" PRIu32 "-bit addresses\n",
           facts->is_cpu ? "CPU" : "GPU or other", facts->compute_units, facts->max_work_group_size,
           facts->address_bits);
    printf("     memory     %" PRIu64 " MiB, buffers of up to %" PRIu64 " MiB, local %" PRIu64
           " KiB\n",
           facts->global_memory >> 20, facts->max_allocation >> 20, facts->local_memory >> 10);
    printf("     reported   out-of-order queues %s, unified memory %s\n",
           yes_no(facts->out_of_order_queues), yes_no(facts->unified_memory));
    printf("     %-9s  fp64 %s, fp16 %s, 64-bit atomics %s, float atomics %s\n",
           probed ? "probed" : "claimed", yes_no(facts->fp64), yes_no(facts->fp16),
           yes_no(facts->int64_atomics), yes_no(facts->float_atomics));
}

static void print_name(const char *spec, const clnd_device_facts *facts, bool is_default)
{
    printf("%s  ", spec);
    print_text(facts->name);
    printf("%s\n", is_default ? " (default)" : "");
}

static bool are_same(const clnd_engine *a, const clnd_engine *b)
{
    return a && b && clnd_engine_device(a) == clnd_engine_device(b);
}

// The engines that tell which device is the default, and which is the only one to be shown.
struct marks {
    clnd_engine *standard; // NULL: no default can be opened
    clnd_engine *only;     // NULL: all are shown
};

// Devices are opened to learn what they can do, except where their names are all that is asked for.
static void show_device(const struct arguments *arguments, const struct marks *marks,
                        const char *spec, const clnd_device_facts *claimed)
{
    clnd_engine *engine = NULL;
    if (!arguments->list || marks->only)
        clnd_engine_open(spec, &engine);
    if ((marks->only && !are_same(engine, marks->only)) || arguments->quiet) {
        clnd_engine_destroy(&engine);
        return;
    }
    print_name(spec, claimed, are_same(engine, marks->standard));
    if (!arguments->list) {
        print_facts(engine ? clnd_engine_facts(engine) : claimed, engine);
        if (engine)
            strategies_print(engine, 5);
        else
            print_field("unusable", session_last_error());
    }
    clnd_engine_destroy(&engine);
}

static void show_devices(struct session *session, uint32_t count, const struct marks *marks)
{
    for (uint32_t i = 0; i < count; ++i) {
        char spec[24];
        clnd_device_facts facts;
        if (!session_check(session, clnd_device_describe(i, spec, &facts)))
            return;
        // Most devices can be told apart without the time that it takes to open them.
        if (!marks->only || strcmp(facts.name, clnd_engine_facts(marks->only)->name) == 0)
            show_device(session->arguments, marks, spec, &facts);
    }
}

static int run(const struct command *command, const struct arguments *arguments)
{
    struct session session;
    struct marks marks = {0};
    uint32_t count = 0;
    session_begin(&session, command, arguments);
    session_check(&session, clnd_device_count(&count));
    // Without any device, opening the default says what to install.
    if (count == 0 || arguments->device)
        session_open(&session);
    marks.only = session.engine;
    if (session.status)
        return session_end(&session);
    const bool named = !arguments->quiet && !arguments->list;
    if (named && clnd_engine_open(NULL, &marks.standard) != CLND_OK && !marks.only)
        printf("no default: %s\n", session_last_error());
    show_devices(&session, count, &marks);
    clnd_engine_destroy(&marks.standard);
    return session_end(&session);
}

const struct command command_devices = {
    .name = "devices",
    .usage = "[OPTIONS]",
    .summary = "list the OpenCL devices and what they can do",
    .notes =
        "Each device begins with what --device and the environment variable CLND_DEVICE take.\n",
    .example = "the devices, in short:\n"
               "  $ clnd devices --list\n",
    .options = {{OPTION_DEVICE, "only this one: gpu, cpu, P:D as listed, or part of a name"},
                {OPTION_LIST, NULL},
                {OPTION_QUIET, "print nothing; status 1 says that there is no such device"},
                {OPTION_HELP, NULL},
                {OPTION_VERSION, NULL},
                {OPTION_BOUNDS, NULL},
                {OPTION_DETERMINISTIC, NULL},
                {OPTION_TIME, WITHOUT_EFFECT}},
    .min_operands = 0,
    .max_operands = 0,
    .run = run,
};
