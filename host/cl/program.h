// SPDX-License-Identifier: Apache-2.0
//
// Compiled kernels of an engine. A program is built on first use; other threads that need the same
// one wait for it. A kernel object is lent to one call at a time, because it holds the arguments,
// and is then kept for the next call.

#ifndef CLND_CL_PROGRAM_H
#define CLND_CL_PROGRAM_H

#include <stdbool.h>

#include "clnd/engine.h"
#include "clnd/opencl.h"
#include "host/base/mutex.h"
#include "host/cl/kernel_options.h"
#include "host/cl/log.h"

// Names a kernel: `function` in kernels_cl/`source`.cl, compiled with `options`.
typedef struct clnd__kernel_id {
    const char *source;
    const char *function;
    clnd__kernel_options options;
    bool ungated; // it has no parameter for the verdict of a check of indices
} clnd__kernel_id;

// A program that uses every kind of shape has some hundreds of kernels.
enum { CLND__KERNEL_LISTS = 256 };

typedef struct clnd__program_cache {
    clnd__mutex lock;
    struct clnd__kernel_entry *entries[CLND__KERNEL_LISTS]; // by a hash of their names
    char *build_log;                                        // of the last failed build
} clnd__program_cache;

typedef struct clnd__kernel {
    cl_kernel object;
    struct clnd__kernel_entry *entry;
} clnd__kernel;

clnd_status clnd__program_cache_open(clnd__program_cache *cache);
void clnd__program_cache_close(clnd__program_cache *cache);

// Lends a kernel. Give it back with clnd__kernel_return, even if it could not be used.
clnd_status clnd__kernel_borrow(clnd_engine *engine, const clnd__kernel_id *id,
                                clnd__kernel *kernel);
// Compiles the kernel if it has not been.
clnd_status clnd__kernel_prepare(clnd_engine *engine, const clnd__kernel_id *id);

// Kernels that have been asked for so far.
int clnd__kernel_count(clnd_engine *engine);
void clnd__kernel_return(clnd_engine *engine, clnd__kernel *kernel);

// A program of kernels_cl/`source`.cl, behind what is compiled before every kernel; not built yet.
clnd_status clnd__program_create(cl_context context, const char *source, cl_program *program);

// clBuildProgram, tried again if it fails: PoCL 3.1 fails one of several processes that build the
// same program at the same time while it is not in its cache yet. `log`, which may be NULL, hears
// of that.
cl_int clnd__program_build(cl_program program, cl_device_id device, const char *options,
                           clnd__log *log);

// Whether `text` compiles for the device. If not, that is no failure, and leaves no build log; only
// shortage of host memory is a failure.
clnd_status clnd__program_try(cl_context context, cl_device_id device, const char *text,
                              const char *options, bool *compiles);

#endif
