// SPDX-License-Identifier: Apache-2.0
//
// An OpenCL device on paper: programs compile, commands succeed and do nothing but write down what
// they are. A program that links paper_opencl.c needs no OpenCL library, driver or device. Objects
// live until the process ends.

#ifndef CLND_GPU_PAPER_OPENCL_H
#define CLND_GPU_PAPER_OPENCL_H

#include <CL/cl.h>
#include <stddef.h>

// The device and its context, for clnd_engine_create.
cl_device_id paper_device(void);
cl_context paper_context(void);

// A buffer of so many bytes that has a name in what is written down.
cl_mem paper_buffer(const char *name, size_t size);

struct paper_program {
    const char *text; // of the last string, where a kernel stands; the first line names its file
    char *options;
};

struct paper_mem {
    char name[16];
    int number; // from 1 on, in the order in which buffers were made
    size_t size;
    void *content; // what it was made with; NULL: nothing
};

enum { PAPER_ARGUMENTS = 8 };

struct paper_argument {
    size_t size;
    void *value; // of a buffer: the paper_mem
};

struct paper_kernel {
    const struct paper_program *program;
    char name[64];
    int n_arguments;
    struct paper_argument arguments[PAPER_ARGUMENTS];
};

// Called for each command that a queue gets. A launch has a kernel; others have none, and move
// `bytes`. A copy has a source, a fill a pattern.
struct paper_command {
    const char *what; // "launch", "fill", "copy", "write"
    const struct paper_kernel *kernel;
    size_t global[2], local[2];
    const struct paper_mem *target, *source;
    size_t target_offset, source_offset, bytes;
    const void *pattern;
    size_t pattern_size;
};
typedef void paper_listener(const struct paper_command *command, void *user);
void paper_listen(paper_listener *listener, void *user);

#endif
