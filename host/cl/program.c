// SPDX-License-Identifier: Apache-2.0

#include "host/cl/program.h"

#include <stdio.h>
#include <string.h>

#include "host/base/alloc.h"
#include "host/base/error.h"
#include "host/cl/cl_error.h"
#include "host/cl/engine.h"
#include "host/cl/kernel_source.h"

// Kernel objects kept for later calls. If more are needed at once, they are created and released.
#define SPARE_KERNELS 8

struct clnd__kernel_entry {
    struct clnd__kernel_entry *next;
    clnd__kernel_id id;
    clnd__mutex lock;   // held while the program is built and while `spare` changes
    cl_program program; // NULL until it has been built
    cl_kernel spare[SPARE_KERNELS];
    int n_spare;
};

clnd_status clnd__program_cache_open(clnd__program_cache *cache)
{
    memset(cache->entries, 0, sizeof cache->entries);
    cache->build_log = NULL;
    if (!clnd__mutex_init(&cache->lock))
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a lock");
    return CLND_OK;
}

static void free_list(struct clnd__kernel_entry *list)
{
    while (list) {
        struct clnd__kernel_entry *entry = list;
        list = entry->next;
        while (entry->n_spare > 0)
            clReleaseKernel(entry->spare[--entry->n_spare]);
        if (entry->program)
            clReleaseProgram(entry->program);
        clnd__mutex_destroy(&entry->lock);
        clnd__free(entry);
    }
}

void clnd__program_cache_close(clnd__program_cache *cache)
{
    for (int i = 0; i < CLND__KERNEL_LISTS; ++i)
        free_list(cache->entries[i]);
    clnd__free(cache->build_log);
    clnd__mutex_destroy(&cache->lock);
}

// FNV-1a. A function's name is the same only in one source.
static struct clnd__kernel_entry **list_of(clnd__program_cache *cache, const clnd__kernel_id *id)
{
    uint32_t hash = 2166136261u;
    for (const char *c = id->function; *c; ++c)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    const unsigned char *options = (const unsigned char *)&id->options;
    for (size_t i = 0; i < sizeof id->options; ++i)
        hash = (hash ^ options[i]) * 16777619u;
    return &cache->entries[(hash ^ hash >> 16) % CLND__KERNEL_LISTS];
}

static struct clnd__kernel_entry *find(struct clnd__kernel_entry *list, const clnd__kernel_id *id)
{
    for (struct clnd__kernel_entry *entry = list; entry; entry = entry->next)
        if (memcmp(&entry->id.options, &id->options, sizeof id->options) == 0 &&
            strcmp(entry->id.function, id->function) == 0)
            return entry;
    return NULL;
}

static clnd_status find_or_add(clnd__program_cache *cache, const clnd__kernel_id *id,
                               struct clnd__kernel_entry **out)
{
    clnd_status status = CLND_OK;
    struct clnd__kernel_entry **list = list_of(cache, id);
    clnd__mutex_lock(&cache->lock);
    struct clnd__kernel_entry *entry = find(*list, id);
    if (!entry) {
        entry = clnd__allocate(sizeof *entry);
        if (entry && clnd__mutex_init(&entry->lock)) {
            entry->id = *id;
            entry->next = *list;
            *list = entry;
        } else {
            clnd__free(entry);
            entry = NULL;
            status = clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for kernel %s", id->function);
        }
    }
    clnd__mutex_unlock(&cache->lock);
    *out = entry;
    return status;
}

// Replaces the engine's build log by this program's, and tells it. Without memory for it there is
// none.
static void keep_build_log(clnd_engine *engine, cl_program program, const char *function,
                           const char *options)
{
    size_t size = 0;
    char *log = NULL;
    if (clGetProgramBuildInfo(program, engine->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) ==
            CL_SUCCESS &&
        size > 0)
        log = clnd__allocate(size + 1);
    if (log)
        clGetProgramBuildInfo(program, engine->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    clnd__log_write(&engine->log, "kernel %s did not compile with \"%s\"", function, options);
    if (log)
        clnd__log_text(&engine->log, log);
    clnd__mutex_lock(&engine->programs.lock);
    clnd__free(engine->programs.build_log);
    engine->programs.build_log = log;
    clnd__mutex_unlock(&engine->programs.lock);
}

// The text handed to the compiler: the common parts, then the kernel's file.
clnd_status clnd__program_create(cl_context context, const char *source, cl_program *program)
{
    const char *parts[CLND__MOST_PARTS];
    size_t lengths[CLND__MOST_PARTS];
    cl_uint n = 0;
    for (const struct clnd__kernel_source *s = clnd__kernel_prelude; s->name; ++s) {
        if (n == CLND__MOST_PARTS - 1)
            return clnd__fail(CLND_INTERNAL, "more than %d preludes", CLND__MOST_PARTS - 1);
        parts[n] = s->text;
        lengths[n++] = s->length;
    }
    const struct clnd__kernel_source *s = clnd__kernel_sources;
    while (s->name && strcmp(s->name, source) != 0)
        ++s;
    if (!s->name)
        return clnd__fail(CLND_INTERNAL, "no kernel source %s", source);
    parts[n] = s->text;
    lengths[n++] = s->length;

    cl_int code;
    *program = clCreateProgramWithSource(context, n, parts, lengths, &code);
    return *program ? CLND_OK : clnd__cl_fail(code, "clCreateProgramWithSource");
}

cl_int clnd__program_build(cl_program program, cl_device_id device, const char *options,
                           clnd__log *log)
{
    cl_int code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (code != CL_BUILD_PROGRAM_FAILURE)
        return code;
    code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (log && code == CL_SUCCESS)
        clnd__log_write(log, "the driver refused a program, and compiled it at the second try: %s",
                        options);
    return code;
}

static clnd_status build(clnd_engine *engine, const clnd__kernel_id *id, cl_program *out)
{
    cl_program program;
    char options[CLND__OPTIONS_TEXT];
    clnd_status status = clnd__program_create(engine->context, id->source, &program);
    if (status)
        return status;
    clnd__kernel_options_print(&id->options, options);
    const cl_int code = clnd__program_build(program, engine->device, options, &engine->log);
    if (code == CL_SUCCESS) {
        *out = program;
        return CLND_OK;
    }
    if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS) {
        keep_build_log(engine, program, id->function, options);
        status =
            clnd__fail_code(CLND_BUILD_FAILED, code,
                            "kernel %s did not compile with \"%s\"; the engine's build log has "
                            "the compiler's text",
                            id->function, options);
    } else {
        status = clnd__cl_fail(code, "clBuildProgram");
    }
    clReleaseProgram(program);
    return status;
}

clnd_status clnd__kernel_borrow(clnd_engine *engine, const clnd__kernel_id *id,
                                clnd__kernel *kernel)
{
    kernel->object = NULL;
    clnd_status status = find_or_add(&engine->programs, id, &kernel->entry);
    if (status)
        return status;
    struct clnd__kernel_entry *entry = kernel->entry;
    clnd__mutex_lock(&entry->lock);
    if (!entry->program)
        status = build(engine, id, &entry->program);
    if (status == CLND_OK && entry->n_spare > 0)
        kernel->object = entry->spare[--entry->n_spare];
    clnd__mutex_unlock(&entry->lock);
    if (status || kernel->object)
        return status;

    cl_int code;
    kernel->object = clCreateKernel(entry->program, id->function, &code);
    return kernel->object ? CLND_OK : clnd__cl_fail(code, "clCreateKernel");
}

void clnd__kernel_return(clnd_engine *engine, clnd__kernel *kernel)
{
    (void)engine;
    if (!kernel->object)
        return;
    struct clnd__kernel_entry *entry = kernel->entry;
    clnd__mutex_lock(&entry->lock);
    const bool keep = entry->n_spare < SPARE_KERNELS;
    if (keep)
        entry->spare[entry->n_spare++] = kernel->object;
    clnd__mutex_unlock(&entry->lock);
    if (!keep)
        clReleaseKernel(kernel->object);
    kernel->object = NULL;
}

clnd_status clnd__kernel_prepare(clnd_engine *engine, const clnd__kernel_id *id)
{
    clnd__kernel kernel;
    clnd_status status = clnd__kernel_borrow(engine, id, &kernel);
    clnd__kernel_return(engine, &kernel);
    return status;
}

int clnd__kernel_count(clnd_engine *engine)
{
    int count = 0;
    clnd__mutex_lock(&engine->programs.lock);
    for (int i = 0; i < CLND__KERNEL_LISTS; ++i)
        for (struct clnd__kernel_entry *entry = engine->programs.entries[i]; entry;
             entry = entry->next)
            ++count;
    clnd__mutex_unlock(&engine->programs.lock);
    return count;
}

clnd_status clnd__program_try(cl_context context, cl_device_id device, const char *text,
                              const char *options, bool *compiles)
{
    *compiles = false;
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    if (!program)
        return clnd__cl_fail(code, "clCreateProgramWithSource");
    code = clnd__program_build(program, device, options, NULL);
    clReleaseProgram(program);
    *compiles = code == CL_SUCCESS;
    return code == CL_OUT_OF_HOST_MEMORY ? clnd__cl_fail(code, "clBuildProgram") : CLND_OK;
}

size_t clnd_engine_build_log(clnd_engine *engine, char *text, size_t size)
{
    if (!engine)
        return 0;
    clnd__mutex_lock(&engine->programs.lock);
    const char *log = engine->programs.build_log ? engine->programs.build_log : "";
    const size_t needed = strlen(log) + 1;
    if (text && size > 0)
        snprintf(text, size, "%s", log);
    clnd__mutex_unlock(&engine->programs.lock);
    return needed;
}
