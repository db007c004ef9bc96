// SPDX-License-Identifier: Apache-2.0

#include "plain_copy.h"

#include <string.h>

#include "clock.h"
#include "failure.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// A cache may keep part of what it holds while other data streams through once, so that is read
// several times: docs/benchmarking.md has the measurement.
enum { CHUNK = 1 << 16, READ_TURNS = 256, READ_UNIT = 64, CLEARING_READS = 4 };

bool plain_copy_create(struct device *device, struct plain_copy *copy)
{
    const size_t least = device->tiny            ? (size_t)1 << 18
                         : device->facts->is_cpu ? (size_t)64 << 20
                                                 : (size_t)256 << 20;
    const size_t caches = device->tiny ? 0 : (size_t)device->last_level_cache;
    const size_t turn = (size_t)READ_TURNS * READ_UNIT;
    *copy = (struct plain_copy){.device = device};
    copy->size = device->tiny ? (size_t)1 << 18 : (size_t)256 << 20;
    const size_t scratch = ((caches > least ? caches : least) + turn - 1) / turn * turn;
    struct buffer *const buffers[] = {&copy->from, &copy->to, &copy->scratch};
    for (int i = 0; i < 3; ++i) {
        if (!buffer_create(device, i < 2 ? copy->size : scratch, buffers[i]))
            return false;
        plain_copy_fill(device->team, buffers[i]->view, buffers[i]->size);
        if (!buffer_send(device, buffers[i]))
            return false;
    }
    // The host writes to this one.
    return buffer_open(device, &copy->to) && buffer_hide(device, &copy->scratch);
}

void plain_copy_free(struct plain_copy *copy)
{
    if (!copy->device)
        return;
    buffer_free(copy->device, &copy->from);
    buffer_free(copy->device, &copy->to);
    buffer_free(copy->device, &copy->scratch);
}

static void fill(void *memory, int64_t begin, int64_t end)
{
    memset((char *)memory + begin, 1, (size_t)(end - begin));
}

void plain_copy_fill(struct team *team, void *memory, size_t size)
{
    team_for(team, (int64_t)size, CHUNK, fill, memory);
}

// Both begin on 64-byte boundaries, as OpenCL's buffers do, and so does every share.
static void copy_past_caches(void *context, int64_t begin, int64_t end)
{
    const struct plain_copy *copy = context;
    const char *from = (const char *)copy->from.view + begin * CHUNK;
    char *to = (char *)copy->to.view + begin * CHUNK;
    const int64_t bytes = (end - begin) * CHUNK;
#if defined(__SSE2__)
    for (int64_t i = 0; i < bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_load_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
#else
    memcpy(to, from, (size_t)bytes);
#endif
}

bool plain_copy_seconds(struct plain_copy *copy, double *seconds)
{
    struct device *device = copy->device;
    if (device->facts->is_cpu) {
        const double start = clock_now();
        team_for(device->team, (int64_t)(copy->size / CHUNK), 1, copy_past_caches, copy);
        *seconds = clock_now() - start;
        return true;
    }
    cl_event event;
    double started, ended;
    const cl_int code = clEnqueueCopyBuffer(device->queue, copy->from.memory, copy->to.memory, 0, 0,
                                            copy->size, 0, NULL, &event);
    if (code != CL_SUCCESS)
        return fail_cl("clEnqueueCopyBuffer", code);
    const bool good = device_finish(event, &started, &ended);
    *seconds = ended - started;
    return good;
}

bool plain_copy_clear_caches(struct plain_copy *copy, cl_event *event)
{
    const size_t items = copy->scratch.size / READ_UNIT / READ_TURNS;
    const bool cpu = copy->device->facts->is_cpu;
    for (int reads = CLEARING_READS; reads > 0; --reads) {
        if (!device_launch(copy->device, KERNEL_READ, copy->scratch.memory, copy->scratch.memory,
                           READ_TURNS, items, cpu || items % 64 ? 1 : 64, event))
            return false;
        if (reads > 1)
            clReleaseEvent(*event);
    }
    return true;
}
