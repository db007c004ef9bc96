// SPDX-License-Identifier: Apache-2.0

#include "facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "terminal.h"
#include "text.h"

enum { SHOWN = 4 * sizeof((clnd_device_facts *)0)->name + 1 };

static const char *yes_no(bool value)
{
    return value ? "yes" : "no";
}

// Shows a driver's text without the blanks that end some.
static void show(const char *text, char shown[SHOWN])
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        --length;
    text_escape(shown, SHOWN, text, length);
}

void facts_print_text(const char *text)
{
    char shown[SHOWN];
    show(text, shown);
    printf("%s", shown);
}

void facts_print_field(const char *name, const char *text)
{
    char shown[SHOWN];
    show(text, shown);
    terminal_print_wrapped(shown, printf("     %-9s  ", name));
}

enum { N_SUMS = 7 };

// Those that hardware adds up, NULL for the others.
static void name_sums(const clnd_float_atomics *atomics, const char *names[N_SUMS])
{
    names[0] = atomics->float32 ? "float32" : NULL;
    names[1] = atomics->float32_packs ? "packs of it" : NULL;
    names[2] = atomics->float64 ? "float64" : NULL;
    names[3] = atomics->float16 ? "float16" : NULL;
    names[4] = atomics->float16_packs ? "packs of it" : NULL;
    names[5] = atomics->bfloat16 ? "bfloat16" : NULL;
    names[6] = atomics->bfloat16_packs ? "packs of it" : NULL;
}

static void print_sums(const clnd_float_atomics *atomics)
{
    static const char *const languages[] = {"", "OpenCL", "PTX", "AMD's compiler"};
    const char *names[N_SUMS], *comma = "";
    name_sums(atomics, names);
    printf("     sums       ");
    for (int i = 0; i < N_SUMS; ++i) {
        if (!names[i])
            continue;
        printf("%s%s", comma, names[i]);
        comma = ", ";
    }
    printf(" by %s\n", languages[atomics->language]);
}

void facts_json(struct json *json, const clnd_device_facts *facts, bool probed)
{
    const char *names[N_SUMS];
    json_text(json, "platform", facts->platform);
    json_text(json, "driver", facts->driver);
    json_text(json, "opencl_c", facts->opencl_c);
    json_bool(json, "is_cpu", facts->is_cpu);
    json_integer(json, "compute_units", facts->compute_units);
    json_integer(json, "max_work_group_size", facts->max_work_group_size);
    json_integer(json, "address_bits", facts->address_bits);
    json_integer(json, "global_memory", facts->global_memory);
    json_integer(json, "max_allocation", facts->max_allocation);
    json_integer(json, "local_memory", facts->local_memory);
    json_bool(json, "out_of_order_queues", facts->out_of_order_queues);
    json_bool(json, "unified_memory", facts->unified_memory);
    json_bool(json, "probed", probed);
    json_bool(json, "fp64", facts->fp64);
    json_bool(json, "fp16", facts->fp16);
    json_bool(json, "int64_atomics", facts->int64_atomics);
    json_open(json, "float_atomics", '[');
    name_sums(&facts->float_atomics, names);
    for (int i = 0; i < N_SUMS; ++i)
        if (names[i])
            json_text(json, NULL, names[i]);
    json_close(json, ']');
    json_integer(json, "loop_iterations", facts->loop_iterations);
}

void facts_print(const clnd_device_facts *facts, bool probed)
{
    const clnd_float_atomics *atomics = &facts->float_atomics;
    const bool adds = atomics->float32 || atomics->float64 || atomics->float16 || atomics->bfloat16;
    char text[160];
    facts_print_field("platform", facts->platform);
    facts_print_field("driver", facts->driver);
    facts_print_field("compiler", facts->opencl_c);
    snprintf(text, sizeof text,
             "%s, %" PRIu32 " compute units, work-groups of up to %" PRIu64 ", %" PRIu32
             "-bit addresses",
             facts->is_cpu ? "CPU" : "GPU or other", facts->compute_units,
             facts->max_work_group_size, facts->address_bits);
    facts_print_field("kind", text);
    printf("     memory     %" PRIu64 " MiB, buffers of up to %" PRIu64 " MiB, local %" PRIu64
           " KiB\n",
           facts->global_memory >> 20, facts->max_allocation >> 20, facts->local_memory >> 10);
    printf("     reported   out-of-order queues %s, unified memory %s\n",
           yes_no(facts->out_of_order_queues), yes_no(facts->unified_memory));
    printf("     %-9s  fp64 %s, fp16 %s, 64-bit atomics %s, float atomics %s\n",
           probed ? "probed" : "claimed", yes_no(facts->fp64), yes_no(facts->fp16),
           yes_no(facts->int64_atomics), yes_no(adds));
    if (adds)
        print_sums(atomics);
    if (facts->loop_iterations > 0)
        printf("     loops      the driver ends them after %" PRIu64
               " iterations; plans stay below\n",
               facts->loop_iterations);
}
