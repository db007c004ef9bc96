// SPDX-License-Identifier: Apache-2.0
//
// Calls of OpenCL by the library, counted, made to fail, and what they own. The linker gives the
// library these in place of the real ones (--wrap); they do what the real ones do. For one thread.
//
// Calls of the test itself go the same way. So a test clears the log and says what fails right
// before it calls the library, and says where the library is at work (opencl_enter), because only
// there counts what is made and retained.

#ifndef INTERPOSED_OPENCL_H
#define INTERPOSED_OPENCL_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

// X(name without "cl", two codes besides CL_OUT_OF_HOST_MEMORY that it may give). Releases are not
// among them: nobody could do anything about it.
#define OPENCL_FUNCTIONS(X)                                                                        \
    X(BuildProgram, CL_BUILD_PROGRAM_FAILURE, CL_OUT_OF_RESOURCES)                                 \
    X(CreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES)                         \
    X(CreateCommandQueue, CL_INVALID_DEVICE, CL_OUT_OF_RESOURCES)                                  \
    X(CreateContext, CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES)                                 \
    X(CreateKernel, CL_INVALID_KERNEL_NAME, CL_OUT_OF_RESOURCES)                                   \
    X(CreateProgramWithSource, CL_INVALID_CONTEXT, CL_OUT_OF_RESOURCES)                            \
    X(EnqueueCopyBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES)                    \
    X(EnqueueFillBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES)                    \
    X(EnqueueMapBuffer, CL_MAP_FAILURE, CL_OUT_OF_RESOURCES)                                       \
    X(EnqueueMarkerWithWaitList, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES)                    \
    X(EnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE, CL_OUT_OF_RESOURCES)                       \
    X(EnqueueReadBuffer, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_OUT_OF_RESOURCES)        \
    X(EnqueueUnmapMemObject, CL_INVALID_VALUE, CL_OUT_OF_RESOURCES)                                \
    X(EnqueueWriteBuffer, CL_INVALID_OPERATION, CL_OUT_OF_RESOURCES)                               \
    X(Finish, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES)                                       \
    X(Flush, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES)                                        \
    X(GetCommandQueueInfo, CL_INVALID_COMMAND_QUEUE, CL_OUT_OF_RESOURCES)                          \
    X(GetContextInfo, CL_INVALID_CONTEXT, CL_OUT_OF_RESOURCES)                                     \
    X(GetDeviceIDs, CL_INVALID_PLATFORM, CL_OUT_OF_RESOURCES)                                      \
    X(GetDeviceInfo, CL_INVALID_DEVICE, CL_OUT_OF_RESOURCES)                                       \
    X(GetEventInfo, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES)                                         \
    X(GetMemObjectInfo, CL_INVALID_MEM_OBJECT, CL_OUT_OF_RESOURCES)                                \
    X(GetPlatformIDs, CL_INVALID_VALUE, CL_INVALID_PLATFORM)                                       \
    X(GetPlatformInfo, CL_INVALID_PLATFORM, CL_INVALID_VALUE)                                      \
    X(GetProgramBuildInfo, CL_INVALID_PROGRAM, CL_OUT_OF_RESOURCES)                                \
    X(RetainContext, CL_INVALID_CONTEXT, CL_OUT_OF_RESOURCES)                                      \
    X(RetainDevice, CL_INVALID_DEVICE, CL_OUT_OF_RESOURCES)                                        \
    X(RetainEvent, CL_INVALID_EVENT, CL_OUT_OF_RESOURCES)                                          \
    X(SetKernelArg, CL_INVALID_ARG_SIZE, CL_OUT_OF_RESOURCES)                                      \
    X(SetMemObjectDestructorCallback, CL_INVALID_VALUE, CL_OUT_OF_RESOURCES)                       \
    X(WaitForEvents, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_OUT_OF_RESOURCES)

typedef enum opencl_function {
    OPENCL_NONE,
#define OPENCL_ENUMERATOR(name, code, other) OPENCL_##name,
    OPENCL_FUNCTIONS(OPENCL_ENUMERATOR)
#undef OPENCL_ENUMERATOR
        OPENCL_ANY
} opencl_function;

// "clCreateBuffer"
const char *opencl_name(opencl_function function);

typedef struct opencl_buffer {
    cl_mem_flags flags;
    size_t size;
    void *host;
} opencl_buffer;

typedef struct opencl_transfer {
    size_t offset, size; // of the buffer
    const void *host;    // of a map: what it gave
} opencl_transfer;

enum { OPENCL_MOST = 16 };

typedef struct opencl_log {
    int n_buffers, n_released, n_writes, n_reads, n_maps, n_queues, n_queues_released;
    opencl_buffer buffers[OPENCL_MOST]; // the first of them, likewise below
    opencl_transfer writes[OPENCL_MOST], reads[OPENCL_MOST], maps[OPENCL_MOST];
    // A map looks at the host's memory after the queue has finished and before it maps.
    const void *watched;
    unsigned char seen; // the byte there
    // The call that was made to fail, the last one if there were several.
    opencl_function failed;
    cl_int failed_code;
} opencl_log;

extern opencl_log opencl;

// Clears the log, and lets every call succeed.
void opencl_begin(void);

// Makes call number `number`, from 0, of this function fail; with `host_only` only buffers made
// from host memory count.
void opencl_fail(opencl_function function, int number, bool host_only, cl_int code);

// Makes call number `number` of any function fail, with the function's code number `variant`.
enum { OPENCL_VARIANTS = 3 };
void opencl_fail_any(int number, int variant);

// Has every buffer say that it has so many bytes; 0: what it has.
void opencl_enlarge(size_t bytes);

// Makes buffers of the host's memory copies of it, as a driver does that says otherwise.
void opencl_detach(void);

// Makes every command on a queue fail with CL_OUT_OF_RESOURCES, and no other.
void opencl_lose(cl_command_queue queue);

// Makes every program that is built with options in which `part` occurs fail to compile: the real
// compiler gets a text that is no program, so that there is a real log. NULL: none.
void opencl_spoil(const char *part);

// What the library owns -------------------------------------------------------------------------

typedef enum opencl_kind {
    OPENCL_CONTEXT,
    OPENCL_DEVICE,
    OPENCL_QUEUE,
    OPENCL_MEMORY,
    OPENCL_PROGRAM,
    OPENCL_KERNEL,
    OPENCL_EVENT,
    OPENCL_KINDS
} opencl_kind;

// References that the library has made or taken and not released. One that went on to the test
// counts until the test releases it.
typedef struct opencl_owned {
    int count[OPENCL_KINDS];
} opencl_owned;

void opencl_enter(void); // the library is at work
void opencl_leave(void);

opencl_owned opencl_count(void);

// Names what is owned beyond `before` (NULL: nothing may be), and what was released although the
// library did not own it: "1 buffer too many: of clCreateBuffer (...)". NULL: all is well. Static
// storage.
const char *opencl_complaint(const opencl_owned *before);

#endif
