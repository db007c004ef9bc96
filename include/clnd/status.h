// SPDX-License-Identifier: Apache-2.0
//
// Status codes and the text of the last error.
//
// Every function that can fail returns a clnd_status, but for clnd_host_alloc, which returns NULL.
// Each status names one cause; the text says what, where, what was given and what the bound is, in
// one line. The library never prints, never exits and never aborts.
//
// All ops check in one order: pointers, options, dtypes, ranks, shapes, strides, overflow, buffers,
// overlap, device capability, index values. The first failure is reported. Until that is done
// nothing has been enqueued but the check of the index values, so outputs and in-place targets are
// unchanged. One exception: a gather may check its indices on its way (gather_nd.h).

#ifndef CLND_STATUS_H
#define CLND_STATUS_H

#include <stdint.h>

#include "clnd/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// X(NAME, number, what it means). Numbers are never changed or used again.
#define CLND_STATUS_LIST(X)                                                                        \
    X(OK, 0, "done, or enqueued")                                                                  \
    X(NULL_POINTER, 1, "a required pointer is NULL")                                               \
    X(INVALID_OPTION, 2, "an option has a value that it cannot have for this op")                  \
    X(INVALID_DTYPE, 3, "a dtype that clnd does not know")                                         \
    X(DTYPE_MISMATCH, 4, "tensors that must have one dtype have two")                              \
    X(UNSUPPORTED_DTYPE, 5, "a dtype that this operand or this reduction does not take")           \
    X(INVALID_RANK, 6, "a rank outside 0 to CLND_MAX_RANK, or one that the op does not take")      \
    X(INVALID_SHAPE, 7, "a negative size, or shapes that do not go together")                      \
    X(INVALID_STRIDES, 8, "an output in which two elements share memory")                          \
    X(INVALID_SLICE, 9, "a slice that cannot be taken from this shape, or text that is no slice")  \
    X(INVALID_AXIS, 10, "an axis or a number of batch dimensions outside its range")               \
    X(SIZE_OVERFLOW, 11, "a size, an offset or their sum beyond 63 bits")                          \
    X(INVALID_BUFFER, 12, "a cl_mem that is no buffer, of another context, or of wrong flags")     \
    X(BUFFER_TOO_SMALL, 13, "a tensor outside its buffer, or a workspace that is too small")       \
    X(MISALIGNED, 14, "indices or operands of arithmetic not aligned to their element size")       \
    X(OVERLAP, 15, "an output that shares memory with an input")                                   \
    X(INVALID_QUEUE, 16, "a queue of another context or device, or none where one is needed")      \
    X(UNSUPPORTED_DEVICE, 17, "a device that cannot run the library's kernels")                    \
    X(INDEX_OUT_OF_BOUNDS, 18, "an index value outside its dimension")                             \
    X(NO_DEVICE, 19, "no OpenCL device, or none that the text names")                              \
    X(OUT_OF_HOST_MEMORY, 20, "host memory could not be had")                                      \
    X(OUT_OF_DEVICE_MEMORY, 21, "device memory could not be had")                                  \
    X(BUILD_FAILED, 22, "a kernel did not compile: see clnd_engine_build_log")                     \
    X(OPENCL_ERROR, 23, "another OpenCL call failed: see clnd_last_error_code")                    \
    X(INTERNAL, 24, "a mistake in clnd itself; please report it")                                  \
    X(INVALID_EVENT, 25, "an event to wait for that is none, or belongs to another context")       \
    X(WAIT_FAILED, 26, "an event to wait for ended in an error: see clnd_last_error_code")         \
    X(MPI_ERROR, 27, "an MPI call of clnd-mpi failed: see clnd/mpi.h")

typedef enum clnd_status {
#define CLND_STATUS_ENUMERATOR(name, number, meaning) CLND_##name = number,
    CLND_STATUS_LIST(CLND_STATUS_ENUMERATOR)
#undef CLND_STATUS_ENUMERATOR
} clnd_status;

// "CLND_OK", "CLND_NULL_POINTER", ...; "unknown status" for any other number. Static storage.
// Thread-safety: Safe.
CLND_API const char *clnd_status_name(clnd_status status);

// The text of the last failure of a clnd function on the calling thread, one line without a line
// end, such as "gather_nd: indices[1] = [5, 0] does not index into params shape [2, 2]"; "" before
// the first failure. Success does not clear it. The memory is the thread's own and stays valid
// until the thread ends; the next failure on this thread replaces the text. Thread-safety: Safe.
CLND_API const char *clnd_last_error(void);

// The OpenCL error code that belongs to clnd_last_error(), or 0 (CL_SUCCESS) when the failure did
// not come from an OpenCL call. Thread-safety: Safe.
CLND_API int32_t clnd_last_error_code(void);

#ifdef __cplusplus
}
#endif

#endif
