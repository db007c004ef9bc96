// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "facts.h"
#include "session.h"
#include "strategies.h"

static void print_name(const char *spec, const clnd_device_facts *facts, bool is_default)
{
    printf("%s  ", spec);
    facts_print_text(facts->name);
    printf("%s\n", is_default ? " (default)" : "");
}

static bool are_same(const clnd_engine *a, const clnd_engine *b)
{
    return a && b && clnd_engine_device(a) == clnd_engine_device(b);
}

static void show_json(struct json *json, bool in_short, const char *spec,
                      const clnd_device_facts *claimed, clnd_engine *engine, bool is_default)
{
    json_open(json, NULL, '{');
    json_text(json, "device", spec);
    json_text(json, "name", claimed->name);
    if (!in_short) {
        json_bool(json, "default", is_default);
        facts_json(json, engine ? clnd_engine_facts(engine) : claimed, engine);
        if (engine)
            strategies_json(json, engine);
        else
            json_text(json, "unusable", session_last_error());
    }
    json_close(json, '}');
}

// The engines that tell which device is the default, and which is the only one to be shown.
struct marks {
    clnd_engine *standard; // NULL: no default can be opened
    clnd_engine *only;     // NULL: all are shown
    struct json *json;     // NULL: text
};

// Devices are opened to learn what they can do, except where their names are all that is asked for.
static void show_device(const struct arguments *arguments, const struct marks *marks,
                        const char *spec, const clnd_device_facts *claimed)
{
    clnd_engine *engine = NULL;
    if (!arguments->list || marks->only)
        clnd_engine_open(spec, NULL, &engine);
    if ((marks->only && !are_same(engine, marks->only)) || arguments->quiet) {
        clnd_engine_destroy(&engine);
        return;
    }
    const bool is_default = are_same(engine, marks->standard);
    if (marks->json)
        show_json(marks->json, arguments->list, spec, claimed, engine, is_default);
    else
        print_name(spec, claimed, is_default);
    if (!arguments->list && !marks->json) {
        facts_print(engine ? clnd_engine_facts(engine) : claimed, engine);
        if (engine)
            strategies_print(engine, 5);
        else
            facts_print_field("unusable", session_last_error());
    }
    clnd_engine_destroy(&engine);
}

static void show_devices(struct session *session, int32_t count, const struct marks *marks)
{
    for (int32_t i = 0; i < count; ++i) {
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
    struct json json = {.out = stdout};
    struct marks marks = {.json = arguments->json && !arguments->quiet ? &json : NULL};
    int32_t count = 0;
    session_begin(&session, command, arguments);
    session_check(&session, clnd_device_count(&count));
    // Without any device, opening the default says what to install.
    if (count == 0 || arguments->device)
        session_open(&session);
    marks.only = session.engine;
    if (session.status)
        return session_end(&session);
    const bool named = !arguments->quiet && !arguments->list;
    if (named && clnd_engine_open(NULL, NULL, &marks.standard) != CLND_OK && !marks.only &&
        !marks.json)
        printf("no default: %s\n", session_last_error());
    if (marks.json)
        json_open(&json, NULL, '[');
    show_devices(&session, count, &marks);
    if (marks.json)
        json_close(&json, ']');
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
                {OPTION_JSON, NULL},
                {OPTION_QUIET,
                 "nothing on standard output; status 1 says that there is no such\ndevice"},
                {OPTION_HELP, NULL},
                {OPTION_VERSION, NULL},
                {OPTION_BOUNDS, NULL},
                {OPTION_DETERMINISTIC, NULL},
                {OPTION_TIME, WITHOUT_EFFECT}},
    .min_operands = 0,
    .max_operands = 0,
    .run = run,
};
