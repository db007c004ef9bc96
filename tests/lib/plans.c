// SPDX-License-Identifier: Apache-2.0

#include "plans.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

const clnd_device_facts plain_cpu = {.is_cpu = true,
                                     .platform = "Portable Computing Language",
                                     .max_work_group_size = 64,
                                     .local_memory = 32768,
                                     .max_allocation = INT64_C(1) << 40,
                                     .compute_units = 4};

const clnd_device_facts plain_gpu = {.max_work_group_size = 256,
                                     .local_memory = 32768,
                                     .max_allocation = 1 << 30,
                                     .compute_units = 20};

planned planned_rows(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce,
                     int64_t rows, int64_t columns, int64_t locations)
{
    const int64_t size = (int64_t)clnd_dtype_size(dtype), row = columns * size;
    planned p = {.facts = *facts,
                 .problem = {.dtype = dtype,
                             .index_dtype = CLND_INT32,
                             .n_outer = 1,
                             .n_coordinates = 1,
                             .outer = {{rows, 0, row, 4}},
                             .coordinates = {{locations, row}},
                             .index_step = 4},
                 .options = {.reduce = reduce},
                 .memory = {.size = SIZE_MAX / 2, .alignment = 128},
                 .end = locations * row};
    if (columns > 1)
        clnd__problem_add_slice(&p.problem, columns, size, size);
    return p;
}

void planned_lend(planned *p, size_t offset, size_t size)
{
    p->lent = (clnd_workspace){.offset = offset, .size = size};
    p->options.workspace = &p->lent;
}

clnd_status planned_try(planned *p)
{
    const clnd__planner planner = clnd__planner_make(&p->facts, p->words);
    return clnd__scatter_plan_make(&planner, p->problem, &p->options, &p->memory, p->begin, p->end,
                                   &p->memory, &p->memory, &p->plan);
}

const char *planned_make(planned *p)
{
    check_status(planned_try(p), CLND_OK);
    return p->plan.strategy->name;
}

void planned_expect(planned *p, const char *strategy)
{
    const char *name = planned_make(p);
    check(strcmp(name, strategy) == 0, "%s, not %s: %s", name, strategy, p->plan.reason);
    check(!p->options.workspace || p->plan.workspace.bytes <= p->lent.size,
          "taken, but %" PRIu64 " bytes are needed of %zu", p->plan.workspace.bytes, p->lent.size);
}

void planned_refuse(planned *p, const char *strategy)
{
    char words[32], message[64];
    const char *before = p->words;
    snprintf(words, sizeof words, "must,%s", strategy);
    snprintf(message, sizeof message, "strategy %s cannot do this scatter", strategy);
    p->words = words;
    check_status(planned_try(p), CLND_INVALID_OPTION);
    check_message(message);
    p->words = before;
}

void check_kernel(const clnd__kernel_id *kernel, const char *source, const char *function,
                  const char *options)
{
    char text[CLND__OPTIONS_TEXT];
    clnd__kernel_options_print(&kernel->options, text);
    check(strcmp(kernel->source, source) == 0, "file %s", kernel->source);
    check(strcmp(kernel->function, function) == 0, "function %s", kernel->function);
    check(!kernel->ungated, "%s has no gate", function);
    check(strcmp(text, options) == 0, "\"%s\", expected \"%s\"", text, options);
}
