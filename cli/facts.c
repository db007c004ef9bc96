// SPDX-License-Identifier: Apache-2.0

#include "facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

static const char *yes_no(bool value)
{
    return value ? "yes" : "no";
}

void facts_print_text(const char *text)
{
    char shown[4 * sizeof((clnd_device_facts *)0)->name + 1];
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        --length;
    text_escape(shown, sizeof shown, text, length);
    printf("%s", shown);
}

void facts_print_field(const char *name, const char *text)
{
    printf("     %-9s  ", name);
    facts_print_text(text);
    printf("\n");
}

static void print_sums(const clnd_float_atomics *atomics)
{
    static const char *const languages[] = {"", "OpenCL", "PTX", "AMD's compiler"};
    const struct {
        bool is_there;
        const char *name;
    } sums[] = {{atomics->float32, "float32"},
                {atomics->float32_packs, "packs of it"},
                {atomics->float64, "float64"},
                {atomics->float16, "float16"},
                {atomics->bfloat16, "bfloat16"}};
    const char *comma = "";
    printf("     sums       ");
    for (size_t i = 0; i < sizeof sums / sizeof *sums; ++i) {
        if (!sums[i].is_there)
            continue;
        printf("%s%s", comma, sums[i].name);
        comma = ", ";
    }
    printf(" by %s\n", languages[atomics->language]);
}

void facts_print(const clnd_device_facts *facts, bool probed)
{
    const clnd_float_atomics *atomics = &facts->float_atomics;
    const bool adds = atomics->float32 || atomics->float64 || atomics->float16 || atomics->bfloat16;
    facts_print_field("platform", facts->platform);
    facts_print_field("driver", facts->driver);
    facts_print_field("compiler", facts->opencl_c);
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
           yes_no(facts->int64_atomics), yes_no(adds));
    if (adds)
        print_sums(atomics);
    if (facts->loop_iterations > 0)
        printf("     loops      the driver ends them after %" PRIu64
               " iterations; plans stay below\n",
               facts->loop_iterations);
}
