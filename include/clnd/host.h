// SPDX-License-Identifier: Apache-2.0
//
// Host arrays: every op on arrays in the program's own memory. For programs that do not use OpenCL
// themselves: they open an engine, describe their arrays, and call.
//
//     clnd_engine *engine;
//     clnd_engine_open(NULL, NULL, &engine);
//     clnd_host_gather_nd(engine, &params, &indices, &out, NULL);
//     clnd_engine_destroy(&engine);
//
// clnd_host_OP does what clnd_OP does. The op's header says what that is: formula, shapes, dtypes,
// index policies, options, and the shape of the result. Here stands what is different, and the same
// for all of these calls.
//
// Units         shapes and strides in elements, index values in elements; there are no offsets.
// Async         none: a call returns when the result is in `out` or `target`, or when it is
//               refused. It uses an in-order queue of its own, so it neither waits for nor delays
//               work in other queues, the engine's own included.
// Memory        On CPU devices, and others that share memory with the host, the device works on the
//               arrays where they are, if its driver can do that with memory at their addresses.
//               Elsewhere inputs are copied to the device and results back: for each array the
//               bytes from its first to its last element, of a slice those of the slice, of an
//               output without gaps only the way back. That needs device memory of the size of all
//               arrays, and on such devices it costs more than the op: programs that make several
//               calls on the same arrays keep them in cl_mem buffers.
//               Bytes between the elements of an output keep their values, but they may be read and
//               written back: no other thread may write them meanwhile.
// Aliasing      As the op says, compared by addresses: an output must not share memory with an
//               input, from first to last element; inputs may overlap. Inputs may lie in memory
//               that cannot be written. No cl_mem of the program's own may use the memory of the
//               arrays during the call (CL_MEM_USE_HOST_PTR).
// Errors        Those of the op without those of queues and buffers, in the op's order and words,
//               which begin with the op's name ("gather_nd: indices[1] = [5, 0] does not index
//               into params shape [2, 2]"). What is different:
//               NULL_POINTER also for an array that has elements while its `data` is NULL
//               SIZE_OVERFLOW, BUFFER_TOO_SMALL: an array that reaches beyond either end of the
//                            address space; in the text its address is its offset
//               MISALIGNED: `data` is not aligned as the dtype requires (indices; for reductions
//                            also updates and target); the text has the address of its first byte
//               OVERLAP is looked for last, before the index values; the text counts bytes from
//                            the lowest of the arrays that overlap, or up to 15 before
//               OUT_OF_DEVICE_MEMORY: an array is larger than the device's max_allocation, or there
//                            is no room for copies
//               OPENCL_ERROR, OUT_OF_DEVICE_MEMORY and OUT_OF_HOST_MEMORY may also come after the
//                            device has begun; then the output holds old values, new ones or zeros
//               With options->report a bad index is no error of the call, which then returns OK
//                            with the output unchanged; the report tells (report.h)
//               After INDEX_OUT_OF_BOUNDS a gather's output is unspecified, a scatter's unchanged.
//               On any other error the output is unchanged; before OVERLAP is looked for, no memory
//               of the arrays has been touched.
// Threads       Thread-safety: Safe, also for many calls at once on one engine, and on the same
//               inputs. Two calls on one output need an order.
// Ownership     everything is borrowed until the call returns. The engine keeps up to 16 idle
//               queues for the next calls.

#ifndef CLND_HOST_H
#define CLND_HOST_H

#include <stddef.h>

#include "clnd/array.h"
#include "clnd/copy.h"
#include "clnd/engine.h"
#include "clnd/export.h"
#include "clnd/gather.h"
#include "clnd/gather_elements.h"
#include "clnd/gather_nd.h"
#include "clnd/scatter.h"
#include "clnd/scatter_elements.h"
#include "clnd/scatter_nd.h"
#include "clnd/slice.h"
#include "clnd/status.h"
#include "clnd/strided_slice.h"
#include "clnd/strided_slice_assign.h"

#ifdef __cplusplus
extern "C" {
#endif

// out[b..., i..., s...] = params[b..., indices[b..., i..., :], s...]: gather_nd.h.
// Thread-safety: Safe.
CLND_API clnd_status clnd_host_gather_nd(clnd_engine *engine, const clnd_array *params,
                                         const clnd_array *indices, const clnd_array *out,
                                         const clnd_gather_nd_options *options);

// out[b..., p..., i..., s...] = params[b..., p..., indices[b..., i...], s...]: gather.h.
// Thread-safety: Safe.
CLND_API clnd_status clnd_host_gather(clnd_engine *engine, const clnd_array *params,
                                      const clnd_array *indices, const clnd_array *out,
                                      const clnd_gather_options *options);

// out[i...] = params[i..., with indices[i...] in the place of i_axis]: gather_elements.h.
// Thread-safety: Safe.
CLND_API clnd_status clnd_host_gather_elements(clnd_engine *engine, const clnd_array *params,
                                               const clnd_array *indices, const clnd_array *out,
                                               const clnd_gather_elements_options *options);

// out = zeros; out[indices[i..., :], s...] (reduce)= updates[i..., s...], by default with ADD:
// scatter_nd.h. Thread-safety: Safe.
CLND_API clnd_status clnd_host_scatter_nd(clnd_engine *engine, const clnd_array *indices,
                                          const clnd_array *updates, const clnd_array *out,
                                          const clnd_scatter_nd_options *options);

// target[indices[i..., :], s...] (reduce)= updates[i..., s...], in place, by default with UPDATE:
// scatter_nd.h. Thread-safety: Safe.
CLND_API clnd_status clnd_host_scatter_nd_into(clnd_engine *engine, const clnd_array *indices,
                                               const clnd_array *updates, const clnd_array *target,
                                               const clnd_scatter_nd_options *options);

// target[b..., p..., indices[b..., i...], s...] (reduce)= updates[b..., p..., i..., s...], in
// place, by default with UPDATE: scatter.h. Thread-safety: Safe.
CLND_API clnd_status clnd_host_scatter(clnd_engine *engine, const clnd_array *indices,
                                       const clnd_array *updates, const clnd_array *target,
                                       const clnd_scatter_options *options);

// target[i..., with indices[i...] in the place of i_axis] (reduce)= updates[i...], in place, by
// default with UPDATE: scatter_elements.h. Thread-safety: Safe.
CLND_API clnd_status clnd_host_scatter_elements(clnd_engine *engine, const clnd_array *indices,
                                                const clnd_array *updates, const clnd_array *target,
                                                const clnd_scatter_elements_options *options);

// out = input[slice]: strided_slice.h. Thread-safety: Safe.
CLND_API clnd_status clnd_host_strided_slice(clnd_engine *engine, const clnd_array *input,
                                             const clnd_slice *slice, const clnd_array *out,
                                             const clnd_strided_slice_options *options);

// target[slice] = value, which is broadcast, in place: strided_slice_assign.h.
// Thread-safety: Safe.
CLND_API clnd_status clnd_host_strided_slice_assign(clnd_engine *engine, const clnd_array *value,
                                                    const clnd_slice *slice,
                                                    const clnd_array *target,
                                                    const clnd_strided_slice_options *options);

// dx = zeros; dx[slice] = dy: strided_slice_assign.h. Thread-safety: Safe.
CLND_API clnd_status clnd_host_strided_slice_grad(clnd_engine *engine, const clnd_array *dy,
                                                  const clnd_slice *slice, const clnd_array *dx,
                                                  const clnd_strided_slice_options *options);

// target[i...] = source[i...]: copy.h. Thread-safety: Safe.
CLND_API clnd_status clnd_host_copy(clnd_engine *engine, const clnd_array *source,
                                    const clnd_array *target, const clnd_copy_options *options);

// Memory for arrays. The calls above take arrays anywhere; large ones are faster here on a CPU,
// whose address translation covers more with huge pages (README.md has figures). A buffer on it:
//
//     clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, memory, &code)
//
// Computes      `size` bytes of undefined content, as malloc does. They begin on a multiple of 128
//               bytes, the size of OpenCL's largest type; from 2 MiB on, on one of 2 MiB, and Linux
//               is asked to use huge pages (madvise). Whether it does is up to its settings
//               (/sys/kernel/mm/transparent_hugepage) and to free memory; nothing else depends on
//               it.
// Units         bytes. A size of 0 gives a pointer too, to nothing.
// Errors        NULL, with the text in clnd_last_error: OUT_OF_HOST_MEMORY, also for more than
//               PTRDIFF_MAX bytes.
// Threads       Thread-safety: Safe. Needs no engine and no device.
// Ownership     the caller's, until clnd_host_free; free() is not for it.
CLND_API void *clnd_host_alloc(size_t size);

// Frees memory of clnd_host_alloc, which no call and no buffer may use any more: after the call has
// returned or its event is complete, and after OpenCL has deleted a buffer on it. Any thread may do
// it. NULL is fine. Thread-safety: Safe.
CLND_API void clnd_host_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
