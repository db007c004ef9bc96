// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "session.h"

static void print_device(const char *spec, const clnd_device_facts *facts, bool tried)
{
    printf("%s  %s (%s)\n", spec, facts->name, facts->platform);
    printf("     %s, %" PRIu32 " compute units, %" PRIu64 " MiB memory, buffers up to %" PRIu64
           " MiB, %" PRIu64 " KiB local\n",
           facts->is_cpu ? "CPU" : "GPU or other", facts->compute_units, facts->global_memory >> 20,
           facts->max_allocation >> 20, facts->local_memory >> 10);
    printf("     %s, driver %s\n", facts->opencl_c, facts->driver);
    printf("     %s: fp64 %s, fp16 %s, 64-bit atomics %s, float atomics %s\n",
           tried ? "tried" : "claimed", facts->fp64 ? "yes" : "no", facts->fp16 ? "yes" : "no",
           facts->int64_atomics ? "yes" : "no", facts->float_atomics ? "yes" : "no");
}

// Facts that were tried, where the device can be opened; else what it claims.
static bool show_device(struct session *session, uint32_t index)
{
    char spec[24];
    clnd_device_facts facts;
    clnd_engine *engine;
    if (!session_check(session, clnd_device_describe(index, spec, &facts)))
        return false;
    if (clnd_engine_open(spec, &engine) == CLND_OK) {
        print_device(spec, clnd_engine_facts(engine), true);
        clnd_engine_destroy(&engine);
    } else {
        print_device(spec, &facts, false);
        printf("     cannot be used: %s\n", clnd_last_error());
    }
    return true;
}

static int run(const struct command *command, const struct arguments *arguments)
{
    struct session session;
    uint32_t count = 0;
    session_begin(&session, command, arguments);
    session_check(&session, clnd_device_count(&count));
    for (uint32_t i = 0; i < count && show_device(&session, i); ++i)
        continue;
    // Without any device, opening the default says what to install.
    if (count == 0)
        session_open(&session);
    else if (clnd_engine_open(NULL, &session.engine) == CLND_OK)
        printf("default: %s\n", clnd_engine_facts(session.engine)->name);
    else
        printf("default: none; %s\n", clnd_last_error());
    return session_end(&session);
}

const struct command command_devices = {
    .name = "devices",
    .usage = "",
    .summary = "list the OpenCL devices and what they can do",
    .details = "  -h, --help            print this\n"
               "\n"
               "The first column is what --device and the environment variable CLND_DEVICE take.\n"
               "\n"
               "Example:\n"
               "  clnd devices\n",
    .options = "",
    .min_operands = 0,
    .max_operands = 0,
    .run = run,
};
