// SPDX-License-Identifier: Apache-2.0
//
// A device that gives wrong results, for tests of the benchmark: linked in front of clnd, it lets
// each op do its work and then does what the environment variable CLND_BENCH_WRONG says.
//
//     nothing         the op is not called at all
//     FIRST BITS      flips these bits (a number) of the output's byte FIRST (from its end when
//                     negative)
//     FIRST BITS det  the same, of deterministic calls only

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clnd/clnd.h"

static clnd_status nothing(cl_command_queue queue, cl_event *event)
{
    return clEnqueueMarkerWithWaitList(queue, 0, NULL, event) ? CLND_OPENCL_ERROR : CLND_OK;
}

static bool does_nothing(void)
{
    const char *wrong = getenv("CLND_BENCH_WRONG");
    return wrong && strcmp(wrong, "nothing") == 0;
}

static clnd_status spoil(clnd_status status, cl_command_queue queue, const clnd_tensor *output,
                         bool deterministic)
{
    const char *wrong = getenv("CLND_BENCH_WRONG");
    long place;
    unsigned bits;
    char when[4] = "";
    if (status || !wrong || sscanf(wrong, "%ld %u %3s", &place, &bits, when) < 2 ||
        (*when && !deterministic))
        return status;
    size_t begin, end;
    if (clnd_tensor_extent(output, &begin, &end))
        return CLND_INTERNAL;
    const size_t at = place < 0 ? end - (size_t)-place : begin + (size_t)place;
    unsigned char byte = 0;
    clEnqueueReadBuffer(queue, output->buffer, CL_TRUE, at, 1, &byte, 0, NULL, NULL);
    byte = (unsigned char)(byte ^ bits);
    clEnqueueWriteBuffer(queue, output->buffer, CL_TRUE, at, 1, &byte, 0, NULL, NULL);
    return CLND_OK;
}

#define WRAP_GATHER(name)                                                                          \
    clnd_status __real_clnd_##name(clnd_engine *, cl_command_queue, const clnd_tensor *,           \
                                   const clnd_tensor *, const clnd_tensor *,                       \
                                   const clnd_##name##_options *, cl_uint, const cl_event *,       \
                                   cl_event *);                                                    \
    clnd_status __wrap_clnd_##name(clnd_engine *engine, cl_command_queue queue,                    \
                                   const clnd_tensor *params, const clnd_tensor *indices,          \
                                   const clnd_tensor *out, const clnd_##name##_options *options,   \
                                   cl_uint n_wait, const cl_event *wait, cl_event *event);         \
    clnd_status __wrap_clnd_##name(clnd_engine *engine, cl_command_queue queue,                    \
                                   const clnd_tensor *params, const clnd_tensor *indices,          \
                                   const clnd_tensor *out, const clnd_##name##_options *options,   \
                                   cl_uint n_wait, const cl_event *wait, cl_event *event)          \
    {                                                                                              \
        if (does_nothing())                                                                        \
            return nothing(queue, event);                                                          \
        return spoil(                                                                              \
            __real_clnd_##name(engine, queue, params, indices, out, options, n_wait, wait, event), \
            queue, out, false);                                                                    \
    }

#define WRAP_SCATTER(name, type)                                                                   \
    clnd_status __real_clnd_##name(clnd_engine *, cl_command_queue, const clnd_tensor *,           \
                                   const clnd_tensor *, const clnd_tensor *, const type *,         \
                                   cl_uint, const cl_event *, cl_event *);                         \
    clnd_status __wrap_clnd_##name(clnd_engine *engine, cl_command_queue queue,                    \
                                   const clnd_tensor *indices, const clnd_tensor *updates,         \
                                   const clnd_tensor *target, const type *options, cl_uint n_wait, \
                                   const cl_event *wait, cl_event *event);                         \
    clnd_status __wrap_clnd_##name(clnd_engine *engine, cl_command_queue queue,                    \
                                   const clnd_tensor *indices, const clnd_tensor *updates,         \
                                   const clnd_tensor *target, const type *options, cl_uint n_wait, \
                                   const cl_event *wait, cl_event *event)                          \
    {                                                                                              \
        if (does_nothing())                                                                        \
            return nothing(queue, event);                                                          \
        return spoil(__real_clnd_##name(engine, queue, indices, updates, target, options, n_wait,  \
                                        wait, event),                                              \
                     queue, target, options->deterministic);                                       \
    }

WRAP_GATHER(gather_nd)
WRAP_GATHER(gather_elements)
WRAP_SCATTER(scatter_nd, clnd_scatter_nd_options)
WRAP_SCATTER(scatter_nd_into, clnd_scatter_nd_options)
WRAP_SCATTER(scatter_elements, clnd_scatter_elements_options)

#define WRAP_SLICE(name)                                                                           \
    clnd_status __real_clnd_##name(clnd_engine *, cl_command_queue, const clnd_tensor *,           \
                                   const clnd_slice *, const clnd_tensor *,                        \
                                   const clnd_strided_slice_options *, cl_uint, const cl_event *,  \
                                   cl_event *);                                                    \
    clnd_status __wrap_clnd_##name(                                                                \
        clnd_engine *engine, cl_command_queue queue, const clnd_tensor *from,                      \
        const clnd_slice *slice, const clnd_tensor *to, const clnd_strided_slice_options *options, \
        cl_uint n_wait, const cl_event *wait, cl_event *event);                                    \
    clnd_status __wrap_clnd_##name(                                                                \
        clnd_engine *engine, cl_command_queue queue, const clnd_tensor *from,                      \
        const clnd_slice *slice, const clnd_tensor *to, const clnd_strided_slice_options *options, \
        cl_uint n_wait, const cl_event *wait, cl_event *event)                                     \
    {                                                                                              \
        if (does_nothing())                                                                        \
            return nothing(queue, event);                                                          \
        return spoil(                                                                              \
            __real_clnd_##name(engine, queue, from, slice, to, options, n_wait, wait, event),      \
            queue, to, false);                                                                     \
    }

WRAP_SLICE(strided_slice)
WRAP_SLICE(strided_slice_assign)
