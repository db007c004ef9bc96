// SPDX-License-Identifier: Apache-2.0

#include "calibrate.h"

#include "clock.h"
#include "failure.h"

// Memory for random accesses, far beyond every cache; and turns, so that a measurement takes some
// milliseconds.
enum { REPEATS = 7, TURNS = 32, PLACES = 8, LANES = 64 };

// Bytes; the smallest are for the smoke test.
static const size_t random_bytes[3] = {(size_t)512 << 20, (size_t)1 << 30, (size_t)1 << 18};
static const size_t copy_bytes[3] = {(size_t)128 << 20, (size_t)256 << 20, (size_t)1 << 18};
static const size_t random_turns[3] = {(size_t)1 << 22, (size_t)1 << 26, (size_t)1 << 12};

static int size_of(const struct device *device)
{
    return device->tiny ? 2 : !device->facts->is_cpu;
}

static size_t usable(const struct device *device, size_t wanted)
{
    while (wanted > device->facts->max_allocation)
        wanted /= 2;
    return wanted;
}

unsigned calibrate_mask(const struct device *device)
{
    const size_t bytes = usable(device, random_bytes[size_of(device)]);
    return (unsigned)(bytes / (size_t)device->granule - 1);
}

// One kernel in one shape, that moves or updates `amount` of whatever is counted.
struct trial {
    enum bench_kernel kernel;
    cl_uint number;
    size_t global, local;
    double amount;
};

// Best rate of several runs, in 1e9 a second.
static bool best_rate(struct device *device, const struct trial *trial, cl_mem first, cl_mem second,
                      double *best)
{
    for (int i = 0; i < REPEATS; ++i) {
        cl_event event;
        double started, ended;
        if (!device_launch(device, trial->kernel, first, second, trial->number, trial->global,
                           trial->local, &event) ||
            !device_finish(event, &started, &ended))
            return false;
        const double rate = ended > started ? trial->amount / (ended - started) * 1e-9 : 0;
        if (rate > *best)
            *best = rate;
    }
    return true;
}

static bool time_launch(struct device *device, cl_mem memory, double *seconds)
{
    enum { LAUNCHES = 200 };
    *seconds = 1;
    for (int i = 0; i < LAUNCHES; ++i) {
        const double start = clock_now();
        if (!device_launch(device, KERNEL_EMPTY, memory, memory, 0, 1, 1, NULL))
            return false;
        clFinish(device->queue);
        const double taken = clock_now() - start;
        if (taken < *seconds)
            *seconds = taken;
    }
    return true;
}

static bool time_copies(struct device *device, cl_mem from, cl_mem to, size_t bytes,
                        struct calibration *calibration)
{
    static const cl_uint blocks[] = {256, 64, 16}; // of 64 bytes, for each work-item
    static const cl_uint turns[] = {1, 4, 16};
    for (int i = 0; i < 3; ++i) {
        const struct trial trials[2] = {
            {KERNEL_COPY_BLOCKS, blocks[i], bytes / 64 / blocks[i], 1, 2.0 * (double)bytes},
            {KERNEL_COPY_LANES, turns[i], bytes / 16 / turns[i], LANES, 2.0 * (double)bytes},
        };
        for (int k = 0; k < 2; ++k)
            if (!best_rate(device, &trials[k], from, to, &calibration->copy_GBps))
                return false;
    }
    for (int i = 0; i < REPEATS; ++i) {
        cl_event event;
        double started, ended;
        const cl_int code =
            clEnqueueCopyBuffer(device->queue, from, to, 0, 0, bytes, 0, NULL, &event);
        if (code != CL_SUCCESS)
            return fail_cl("clEnqueueCopyBuffer", code);
        if (!device_finish(event, &started, &ended))
            return false;
        const double rate = ended > started ? 2e-9 * (double)bytes / (ended - started) : 0;
        if (rate > calibration->copy_buffer_GBps)
            calibration->copy_buffer_GBps = rate;
    }
    return true;
}

static bool time_random(struct device *device, cl_mem memory, size_t bytes, cl_mem sink,
                        struct calibration *calibration)
{
    // Work-items with one loop each on a CPU, side by side elsewhere.
    const size_t local = device->facts->is_cpu ? 1 : LANES;
    const size_t accesses = random_turns[size_of(device)];
    const size_t items = accesses / TURNS / PLACES;
    size_t words = accesses;
    if (words > bytes / 4)
        words = bytes / 4;
    const struct {
        struct trial trial;
        double *rate;
    } trials[] = {
        {{KERNEL_RANDOM_READ, TURNS, items, local, (double)accesses}, &calibration->read_G},
        {{KERNEL_RANDOM_WRITE, TURNS, items, local, (double)accesses}, &calibration->write_G},
        {{KERNEL_ADD_RANDOM, TURNS, items, local, (double)accesses}, &calibration->add_random_G},
        {{KERNEL_ADD_ROWS, TURNS, words / TURNS, LANES, (double)words}, &calibration->add_rows_G},
        {{KERNEL_ADD_ONE, TURNS, items, local, (double)(items * TURNS)}, &calibration->add_one_G},
    };
    for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i)
        if (!best_rate(device, &trials[i].trial, memory, sink, trials[i].rate))
            return false;
    return true;
}

static bool time_plain_copy(struct plain_copy *copy, struct calibration *calibration)
{
    calibration->plain_copy_bytes = (double)copy->size;
    for (int i = 0; i < REPEATS; ++i) {
        double seconds;
        if (!plain_copy_seconds(copy, &seconds))
            return false;
        const double rate = seconds > 0 ? 2e-9 * (double)copy->size / seconds : 0;
        if (rate > calibration->plain_copy_GBps)
            calibration->plain_copy_GBps = rate;
    }
    return true;
}

bool calibrate(struct device *device, struct plain_copy *copy, struct calibration *calibration)
{
    const size_t copied = usable(device, copy_bytes[size_of(device)]);
    const size_t random = usable(device, random_bytes[size_of(device)]);
    struct buffer first = {0}, second = {0};
    *calibration = (struct calibration){0};
    bool good = buffer_create(device, random, &first) && buffer_create(device, copied, &second);
    if (good) {
        plain_copy_fill(device->team, first.view, random);
        plain_copy_fill(device->team, second.view, copied);
        good = buffer_send(device, &first) && buffer_send(device, &second) &&
               buffer_hide(device, &first) && buffer_hide(device, &second);
    }
    good = good && time_plain_copy(copy, calibration) &&
           time_launch(device, second.memory, &calibration->launch_s) &&
           time_copies(device, first.memory, second.memory, copied < random ? copied : random,
                       calibration) &&
           time_random(device, first.memory, random, second.memory, calibration);
    buffer_free(device, &first);
    buffer_free(device, &second);
    return good;
}
