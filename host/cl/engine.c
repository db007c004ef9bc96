// SPDX-License-Identifier: Apache-2.0

#include "host/cl/engine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/base/alloc.h"
#include "host/base/compiler.h"
#include "host/base/error.h"
#include "host/cl/cl_error.h"
#include "host/cl/device.h"
#include "kernels_cl/args.h"

// Checks the options and finds the words; those of the environment are read here and nowhere else.
static clnd_status take_options(const clnd_engine_options *options, const char **words)
{
    for (size_t i = 0; options && i < sizeof options->reserved / sizeof *options->reserved; ++i)
        if (options->reserved[i])
            return clnd__fail(CLND_INVALID_OPTION, "options->reserved[%zu] is not zero", i);
    const clnd_bounds bounds = options ? options->bounds : CLND_BOUNDS_DEFAULT;
    if ((int)bounds < CLND_BOUNDS_DEFAULT || (int)bounds > CLND_BOUNDS_WRAP)
        return clnd__fail(CLND_INVALID_OPTION, "options->bounds is %d, which is no index policy",
                          (int)bounds);
    if (bounds == CLND_BOUNDS_FILL)
        return clnd__fail(CLND_INVALID_OPTION,
                          "options->bounds is FILL, which is for single gathers: it needs a value");
    const bool given = options && options->strategy;
    *words = given ? options->strategy : getenv("CLND_STRATEGY");
    if (!*words)
        *words = "";
    if (strlen(*words) >= CLND__WORDS)
        return clnd__fail(CLND_INVALID_OPTION, "%s has %zu characters, at most %d are taken",
                          given ? "options->strategy" : "CLND_STRATEGY", strlen(*words),
                          CLND__WORDS - 1);
    return CLND_OK;
}

// A device of another context would fail at the first call, with a code that does not say why.
static clnd_status check_membership(cl_context context, cl_device_id device)
{
    size_t size = 0;
    cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size);
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, "clGetContextInfo");
    cl_device_id *devices = clnd__allocate(size);
    if (!devices)
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for the context's devices");
    code = clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices, NULL);
    bool found = false;
    for (size_t i = 0; code == CL_SUCCESS && i < size / sizeof *devices; ++i)
        found |= devices[i] == device;
    clnd__free(devices);
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, "clGetContextInfo");
    if (!found)
        return clnd__fail(CLND_NO_DEVICE, "the device is not one of the context's");
    return CLND_OK;
}

static clnd_status check_device(cl_device_id device, const clnd_device_facts *facts)
{
    cl_bool little = CL_FALSE, compiler = CL_FALSE;
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL);
    if (code == CL_SUCCESS)
        code =
            clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, "clGetDeviceInfo");
    if (!compiler)
        return clnd__fail(CLND_UNSUPPORTED_DEVICE, "device %s has no OpenCL C compiler",
                          facts->name);
    if (!little)
        return clnd__fail(CLND_UNSUPPORTED_DEVICE, "device %s is big-endian", facts->name);
    if (facts->max_parameter_size < CLND_ARGS_MAX)
        return clnd__fail(CLND_UNSUPPORTED_DEVICE,
                          "device %s takes %llu bytes of kernel arguments, %d are needed",
                          facts->name, (unsigned long long)facts->max_parameter_size,
                          CLND_ARGS_MAX);
    return CLND_OK;
}

static clnd_status open_caches(clnd_engine *engine)
{
    clnd_status status = clnd__program_cache_open(&engine->programs);
    if (status)
        return status;
    if (!clnd__mutex_init(&engine->memory_lock))
        status = clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a lock");
    else if ((status = clnd__queue_pool_open(&engine->queues)))
        clnd__mutex_destroy(&engine->memory_lock);
    if (status)
        clnd__program_cache_close(&engine->programs);
    return status;
}

static void tell_refused(clnd_engine *engine, bool claimed, bool there, const char *what)
{
    if (claimed && !there)
        clnd__log_write(&engine->log, "%s claims %s, but a probe of it failed: it is not used",
                        engine->facts.name, what);
}

// Replaces claims by what was tried, and tells what was refused.
static clnd_status probe(clnd_engine *engine)
{
    const clnd_device_facts *facts = &engine->facts, claims = *facts;
    const clnd_status status = clnd__device_probe(engine->context, engine->device, &engine->facts);
    if (status)
        return status;
    tell_refused(engine, claims.fp64, facts->fp64, "fp64");
    tell_refused(engine, claims.fp16, facts->fp16, "fp16");
    tell_refused(engine, claims.int64_atomics, facts->int64_atomics, "64-bit atomics");
    tell_refused(engine, claims.float_atomics.language != CLND_ATOMICS_NONE,
                 facts->float_atomics.language != CLND_ATOMICS_NONE, "atomic sums of floats");
    tell_refused(engine, claims.unified_memory, facts->unified_memory, "unified memory");
    return CLND_OK;
}

static clnd_status create(cl_context context, cl_device_id device,
                          const clnd_engine_options *options, const char *words, clnd_engine **out)
{
    clnd_engine *engine = clnd__allocate(sizeof *engine);
    if (!engine)
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for an engine");
    strcpy(engine->words, words);
    engine->bounds = options ? options->bounds : CLND_BOUNDS_DEFAULT;
    engine->scratch.limit = options ? options->keep_bytes : 0;
    clnd_status status = clnd__log_open(&engine->log, options);
    if (status == CLND_OK && (status = open_caches(engine)))
        clnd__log_close(&engine->log);
    if (status) {
        clnd__free(engine);
        return status;
    }
    if ((status = clnd__device_hold(context, device, &engine->context, &engine->device)) ||
        (status = clnd__device_read(device, &engine->facts)) ||
        (status = check_device(device, &engine->facts)) || (status = probe(engine)) ||
        (status = clnd__verdict_take(&engine->verdicts, engine->context, &engine->good))) {
        clnd_engine_destroy(&engine);
        return status;
    }
    engine->scratch.huge_pages = engine->facts.is_cpu;
    *out = engine;
    return CLND_OK;
}

clnd_status clnd_engine_create(cl_context context, cl_device_id device,
                               const clnd_engine_options *options, clnd_engine **engine)
{
    clnd__enter("engine_create");
    if (!engine)
        return clnd__fail(CLND_NULL_POINTER, "engine is NULL");
    *engine = NULL;
    if (!context || !device)
        return clnd__fail(CLND_NULL_POINTER, "%s is NULL", context ? "device" : "context");
    const char *words;
    clnd_status status;
    if ((status = take_options(options, &words)) || (status = check_membership(context, device)))
        return status;
    return create(context, device, options, words, engine);
}

void clnd_engine_destroy(clnd_engine **engine_pointer)
{
    if (!engine_pointer || !*engine_pointer)
        return;
    clnd_engine *engine = *engine_pointer;
    *engine_pointer = NULL;
    clnd__program_cache_close(&engine->programs);
    clnd__verdict_pool_close(&engine->verdicts);
    if (engine->good)
        clReleaseMemObject(engine->good);
    clnd__spare_scratch_close(&engine->scratch);
    clnd__held_events_close(&engine->held);
    clnd__mutex_destroy(&engine->memory_lock);
    clnd__queue_pool_close(&engine->queues);
    clnd__log_close(&engine->log);
    if (engine->queue)
        clReleaseCommandQueue(engine->queue);
    clnd__device_let_go(engine->context, engine->device);
    clnd__free(engine);
}

static bool contains_text(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text; ++text) {
        size_t i = 0;
        while (i < length && text[i] &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            ++i;
        if (i == length)
            return true;
    }
    return false;
}

// A device whose facts cannot be read has no name; `status` then says why.
static bool matches(const clnd__device_place *place, const char *spec, clnd_status *status)
{
    static const struct {
        const char *word;
        cl_device_type type;
    } types[] = {{"gpu", CL_DEVICE_TYPE_GPU},
                 {"cpu", CL_DEVICE_TYPE_CPU},
                 {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (strcmp(spec, types[i].word) == 0)
            return (place->type & types[i].type) != 0;
    char number[24];
    snprintf(number, sizeof number, "%u:%u", place->platform, place->number);
    if (strcmp(spec, number) == 0)
        return true;
    clnd_device_facts facts;
    const clnd_status read = clnd__device_read(place->id, &facts);
    if (read)
        *status = read;
    return !read && (contains_text(facts.name, spec) || contains_text(facts.platform, spec));
}

static clnd_status pick(const char *spec, cl_device_id *device)
{
    clnd__device_place *places;
    uint32_t count;
    clnd_status status = clnd__devices_list(&places, &count);
    if (status)
        return status;
    const clnd__device_place *picked = NULL;
    clnd_status unread = CLND_OK;
    for (uint32_t i = 0; i < count && !picked; ++i)
        if (spec ? matches(&places[i], spec, &unread) : (places[i].type & CL_DEVICE_TYPE_GPU) != 0)
            picked = &places[i];
    if (!picked && !spec && count > 0)
        picked = &places[0];
    if (picked)
        *device = picked->id;
    else if (count == 0)
        status =
            clnd__fail(CLND_NO_DEVICE,
                       "no OpenCL device found; a CPU becomes one with PoCL (Debian and Ubuntu: "
                       "package pocl-opencl-icd), a GPU with its vendor's OpenCL driver; `clnd "
                       "doctor` says what is missing");
    else if (unread)
        status = unread; // it may have been the wanted one
    else
        status = clnd__fail(CLND_NO_DEVICE,
                            "no OpenCL device matches \"%.64s\"; `clnd devices` lists the %u that "
                            "there %s",
                            spec, count, count == 1 ? "is" : "are");
    clnd__free(places);
    return status;
}

static clnd_status open_device(cl_device_id device, const clnd_engine_options *options,
                               const char *words, clnd_engine **engine)
{
    cl_int code;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (!context)
        return clnd__cl_fail(code, "clCreateContext");
    clnd_status status = create(context, device, options, words, engine);
    clReleaseContext(context);
    if (status)
        return status;
    (*engine)->queue = clCreateCommandQueue((*engine)->context, device, 0, &code);
    if (!(*engine)->queue) {
        status = clnd__cl_fail(code, "clCreateCommandQueue");
        clnd_engine_destroy(engine);
    }
    return status;
}

clnd_status clnd_engine_open(const char *spec, const clnd_engine_options *options,
                             clnd_engine **engine)
{
    clnd__enter("engine_open");
    if (!engine)
        return clnd__fail(CLND_NULL_POINTER, "engine is NULL");
    *engine = NULL;
    if (!spec || !*spec)
        spec = getenv("CLND_DEVICE");
    if (spec && !*spec)
        spec = NULL;
    cl_device_id device = NULL;
    const char *words;
    clnd_status status;
    if ((status = take_options(options, &words)) || (status = pick(spec, &device)))
        return status;
    return open_device(device, options, words, engine);
}

cl_context clnd_engine_context(const clnd_engine *engine)
{
    return engine ? engine->context : NULL;
}

cl_device_id clnd_engine_device(const clnd_engine *engine)
{
    return engine ? engine->device : NULL;
}

cl_command_queue clnd_engine_queue(const clnd_engine *engine)
{
    return engine ? engine->queue : NULL;
}

const clnd_device_facts *clnd_engine_facts(const clnd_engine *engine)
{
    return engine ? &engine->facts : NULL;
}

clnd_bounds clnd__engine_bounds(const clnd_engine *engine)
{
    if (engine->bounds != CLND_BOUNDS_DEFAULT)
        return engine->bounds;
    return engine->facts.is_cpu ? CLND_BOUNDS_ERROR : CLND_BOUNDS_ZERO;
}

static CLND__THREAD_LOCAL const char *replaced_words;

const char *clnd__engine_words(const clnd_engine *engine)
{
    return replaced_words ? replaced_words : engine->words;
}

void clnd__engine_replace_words(const char *words)
{
    replaced_words = words;
}
