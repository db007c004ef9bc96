// SPDX-License-Identifier: Apache-2.0
//
// Prints, as JSON, what clnd would enqueue for the benchmark's cases of GPU size on a device that
// need not be there.
//
//     list-launches SPATTER_FOLDER < FACTS
//
// FACTS is one JSON object with the fields of clnd_device_facts. Sums of floats are listed twice,
// also as deterministic ones, and the largest gather also with a check of its indices: such cases
// have "@deterministic" and "@error" behind their names.

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cases.h"
#include "bench/describe.h"
#include "bench/failure.h"
#include "bench/layout.h"
#include "host/cl/engine.h"
#include "kernels_cl/args.h"
#include "paper_opencl.h"

static json_t *hexadecimal(const void *bytes, size_t size)
{
    char *text = calloc(2 * size + 1, 1);
    for (size_t i = 0; text && i < size; ++i)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)bytes)[i]);
    json_t *value = json_string(text ? text : "");
    free(text);
    return value;
}

static json_t *describe_memory(const struct paper_mem *memory)
{
    json_t *object = json_pack("{s:s, s:i, s:I}", "buffer", memory->name, "number", memory->number,
                               "size", (json_int_t)memory->size);
    if (memory->content)
        json_object_set_new(object, "content", hexadecimal(memory->content, memory->size));
    return object;
}

// The struct that nearly all kernels take begins with a clnd_move_args.
static void describe_move(const struct paper_argument *argument, json_t *launch)
{
    if (argument->size < sizeof(clnd_move_args))
        return;
    clnd_move_args move;
    memcpy(&move, argument->value, sizeof move);
    json_object_set_new(launch, "move",
                        json_pack("{s:I, s:I, s:I}", "rows", (json_int_t)move.rows, "columns",
                                  (json_int_t)move.columns, "lanes_shift",
                                  (json_int_t)move.lanes_shift));
}

static json_t *describe_launch(const struct paper_command *command)
{
    const struct paper_kernel *kernel = command->kernel;
    char source[64] = "";
    sscanf(kernel->program->text, "#line 1 \"kernels_cl/%63[^.]", source);
    json_t *arguments = json_array();
    json_t *launch =
        json_pack("{s:s, s:s, s:s, s:s, s:[I,I], s:I, s:o}", "what", "launch", "source", source,
                  "kernel", kernel->name, "options", kernel->program->options, "global",
                  (json_int_t)command->global[0], (json_int_t)command->global[1], "local",
                  (json_int_t)command->local[0], "arguments", arguments);
    for (int i = 0; i < kernel->n_arguments; ++i) {
        const struct paper_argument *argument = &kernel->arguments[i];
        if (argument->size == sizeof(cl_mem)) {
            json_array_append_new(arguments,
                                  describe_memory(*(struct paper_mem *const *)argument->value));
            continue;
        }
        json_array_append_new(
            arguments, json_pack("{s:o}", "bytes", hexadecimal(argument->value, argument->size)));
        describe_move(argument, launch);
    }
    return launch;
}

static json_t *describe_other(const struct paper_command *command)
{
    json_t *object = json_pack(
        "{s:s, s:o, s:I, s:I}", "what", command->what, "target", describe_memory(command->target),
        "offset", (json_int_t)command->target_offset, "bytes", (json_int_t)command->bytes);
    if (command->source)
        json_object_update_new(object,
                               json_pack("{s:o, s:I}", "from", describe_memory(command->source),
                                         "from_offset", (json_int_t)command->source_offset));
    if (command->pattern)
        json_object_set_new(object, "pattern",
                            hexadecimal(command->pattern, command->pattern_size));
    return object;
}

static void write_down(const struct paper_command *command, void *list)
{
    json_array_append_new(list,
                          command->kernel ? describe_launch(command) : describe_other(command));
}

static clnd_atomics_language language_of(const char *name)
{
    static const char *const names[] = {"none", "opencl", "ptx", "amd"};
    int i = 0;
    while (i < 3 && strcmp(names[i], name) != 0)
        ++i;
    return (clnd_atomics_language)i;
}

static bool read_facts(clnd_device_facts *facts)
{
    json_error_t error;
    json_t *object = json_loadf(stdin, 0, &error);
    const char *name, *platform, *language;
    int fp64, fp16, int64_atomics, float32, float64, float16, bfloat16, packs, half_packs,
        brain_packs;
    json_int_t units, group, local, global, cache, allocation;
    const char format[] = "{s:s, s:s, s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I, "
                          "s:{s:s, s:b, s:b, s:b, s:b, s:b, s:b, s:b}}";
    if (json_unpack_ex(object, &error, 0, format, "name", &name, "platform", &platform, "fp64",
                       &fp64, "fp16", &fp16, "int64_atomics", &int64_atomics, "compute_units",
                       &units, "max_work_group_size", &group, "local_memory", &local,
                       "global_memory", &global, "cache", &cache, "max_allocation", &allocation,
                       "float_atomics", "language", &language, "float32", &float32, "float64",
                       &float64, "float16", &float16, "bfloat16", &bfloat16, "float32_packs",
                       &packs, "float16_packs", &half_packs, "bfloat16_packs", &brain_packs))
        return fail("the facts: %s", error.text);
    *facts = (clnd_device_facts){
        .fp64 = fp64,
        .fp16 = fp16,
        .int64_atomics = int64_atomics,
        .float_atomics = {.language = language_of(language),
                          .float32 = float32,
                          .float64 = float64,
                          .float16 = float16,
                          .bfloat16 = bfloat16,
                          .float32_packs = packs,
                          .float16_packs = half_packs,
                          .bfloat16_packs = brain_packs},
        .compute_units = (uint32_t)units,
        .max_work_group_size = (uint64_t)group,
        .local_memory = (uint64_t)local,
        .global_memory = (uint64_t)global,
        .cache = (uint64_t)cache,
        .max_allocation = (uint64_t)allocation,
        .max_parameter_size = 4352,
        .address_bits = 64,
        .out_of_order_queues = true,
    };
    snprintf(facts->name, sizeof facts->name, "%s", name);
    snprintf(facts->platform, sizeof facts->platform, "%s", platform);
    json_decref(object);
    return true;
}

// All that the benchmark says of a case, how much it moves, and what it enqueues.
static bool describe(const struct bench_case *what, const char *id, const char *strategy,
                     const struct layout *layout, json_t *object, json_t *commands)
{
    const bool is_slice = what->op == OP_SLICE;
    const json_int_t rows = is_slice ? 1 : (json_int_t)layout->rows;
    json_object_set_new(object, "case", json_string(id));
    json_t *sizes = json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:o}", "strategy", strategy,
                              "random", !is_slice && distribution_is_random(&what->distribution),
                              "data_bytes", (json_int_t)layout->data_bytes, "index_bytes",
                              (json_int_t)layout->index_bytes, "rows", rows, "data_rows",
                              is_slice ? (json_int_t)1 : (json_int_t)layout->data_rows, "row_bytes",
                              (json_int_t)layout->dense_bytes / rows, "commands", commands);
    return describe_case(what, object) && describe_shapes(what, object) &&
           json_object_update_new(object, sizes) == 0;
}

// `file`: the Spatter case that this is an entry of, or NULL.
static bool list_call(clnd_engine *engine, const struct bench_case *what, const char *file,
                      const char *suffix, bool deterministic, json_t *list)
{
    char id[256];
    snprintf(id, sizeof id, "%s%s%s%s", file ? file : "", file ? "/" : "", what->id, suffix);
    struct operands o;
    struct layout layout;
    clnd_plan plan;
    if (operands_describe(what, &o) || call_plan(engine, what, &o, deterministic, &plan))
        return fail("%s: %s", what->id, clnd_last_error());
    if (!layout_describe(what, &o, &layout))
        return false;
    o.data.buffer = paper_buffer("data", layout.data_bytes);
    o.dense.buffer = paper_buffer("dense", layout.dense_bytes);
    o.indices.buffer = paper_buffer("indices", layout.index_bytes);
    json_t *object = json_object(), *commands = json_array();
    json_array_append_new(list, object);
    if (!describe(what, id, plan.strategy, &layout, object, commands))
        return false;
    cl_event event = NULL;
    const cl_command_queue queue = clCreateCommandQueue(NULL, NULL, 0, &(cl_int){0});
    paper_listen(write_down, commands);
    const clnd_status status = call_enqueue(engine, queue, what, &o, deterministic, &event);
    paper_listen(NULL, NULL);
    return status == CLND_OK || fail("%s: %s", what->id, clnd_last_error());
}

static bool list_case(clnd_engine *engine, const struct bench_case *what, json_t *list)
{
    bool good = true;
    for (int i = 0; i < what->n_parts && good; ++i)
        good = list_call(engine, &what->parts[i], what->id, "", false, list);
    if (what->kind == KIND_SPATTER)
        return good;
    good = list_call(engine, what, NULL, "", false, list);
    if (good && op_is_scatter(what->op) && case_sums_floats(what))
        good = list_call(engine, what, NULL, "@deterministic", true, list);
    if (good && strcmp(what->id, "rows-4") == 0) {
        struct bench_case checked = *what;
        checked.bounds = CLND_BOUNDS_ERROR;
        good = list_call(engine, &checked, NULL, "@error", false, list);
    }
    return good;
}

int main(int argc, char **argv)
{
    struct case_list cases = {0};
    clnd_device_facts facts;
    clnd_engine *engine = NULL;
    json_t *list = json_array();
    bool good = argc == 2 || fail("usage: list-launches SPATTER_FOLDER < FACTS");
    good = good && read_facts(&facts) && cases_builtin(SIZE_GPU, argv[1], 0, false, &cases);
    if (good && clnd_engine_create(paper_context(), paper_device(), NULL, &engine))
        good = fail_clnd();
    if (good)
        engine->facts = facts;
    for (int i = 0; good && i < cases.count; ++i)
        good = list_case(engine, &cases.cases[i], list);
    if (good)
        json_dumpf(list, stdout, JSON_COMPACT);
    else
        fprintf(stderr, "list-launches: %s\n", failure_text());
    clnd_engine_destroy(&engine);
    case_list_free(&cases);
    json_decref(list);
    return !good;
}
