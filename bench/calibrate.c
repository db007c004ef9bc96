// SPDX-License-Identifier: Apache-2.0

#include "calibrate.h"

#include <math.h>

#include "clock.h"
#include "failure.h"
#include "samples.h"

// Memory for random accesses, far beyond every cache; and turns, so that a measurement takes some
// milliseconds.
enum { REPEATS = 3, COPIES = 7, TURNS = 32, PLACES = 8, LANES = 64 };

// Bytes; the smallest are for the smoke test.
static const size_t random_bytes[3] = {(size_t)512 << 20, (size_t)1 << 30, (size_t)1 << 18};
static const size_t copy_bytes[3] = {(size_t)128 << 20, (size_t)256 << 20, (size_t)1 << 18};
static const size_t random_turns[3] = {(size_t)1 << 22, (size_t)1 << 26, (size_t)1 << 14};

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

// Seconds of a command that was just enqueued. On a CPU by the host's clock, as the cases are
// timed: not every driver's own clock is one.
static bool finish(struct device *device, cl_event event, double start, double *seconds)
{
    double started, ended;
    if (!device_finish(event, &started, &ended))
        return false;
    *seconds = device->facts->is_cpu ? clock_now() - start : ended - started;
    return true;
}

static double rate_of(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds * 1e-9 : 0;
}

// Best rate of several runs, in 1e9 a second.
static bool best_rate(struct device *device, const struct trial *trial, int repeats, cl_mem first,
                      cl_mem second, double *best)
{
    for (int i = 0; i < repeats; ++i) {
        cl_event event;
        double seconds;
        const double start = clock_now();
        if (!device_launch(device, trial->kernel, first, second, trial->number, trial->global,
                           trial->local, &event) ||
            !finish(device, event, start, &seconds))
            return false;
        *best = fmax(*best, rate_of(trial->amount, seconds));
    }
    return true;
}

// What a call takes that does nothing: from launch to finish, and by the clock of the cases.
// Medians, because cases are told by theirs: whether the device is awake makes a factor of ten.
static bool launch_often(struct device *device, cl_mem memory, struct samples *launches,
                         struct samples *empties)
{
    enum { LAUNCHES = 1000 };
    for (int i = 0; i < LAUNCHES; ++i) {
        cl_event event;
        double seconds;
        const double start = clock_now();
        if (!device_launch(device, KERNEL_EMPTY, memory, memory, 0, 1, 1, &event))
            return false;
        clFinish(device->queue);
        const double taken = clock_now() - start;
        if (!finish(device, event, start, &seconds))
            return false;
        if (!samples_add(launches, taken) ||
            !samples_add(empties, device->facts->is_cpu ? taken : seconds))
            return false;
    }
    return true;
}

static bool time_launch(struct device *device, cl_mem memory, struct calibration *calibration)
{
    struct samples launches = {0}, empties = {0};
    const bool good = launch_often(device, memory, &launches, &empties);
    if (good) {
        calibration->launch_s = samples_statistics(&launches).median;
        calibration->empty_s = samples_statistics(&empties).median;
    }
    samples_free(&launches);
    samples_free(&empties);
    return good;
}

// Of the shapes of the copy kernels the best.
static bool find_copy(struct device *device, cl_mem from, cl_mem to, size_t bytes,
                      struct trial *best)
{
    static const cl_uint blocks[] = {256, 64, 16}; // of 64 bytes, for each work-item
    static const cl_uint turns[] = {1, 4, 16};
    double best_so_far = 0;
    for (int i = 0; i < 3; ++i) {
        const struct trial trials[2] = {
            {KERNEL_COPY_BLOCKS, blocks[i], bytes / 64 / blocks[i], 1, 2.0 * (double)bytes},
            {KERNEL_COPY_LANES, turns[i], bytes / 16 / turns[i], LANES, 2.0 * (double)bytes},
        };
        for (int k = 0; k < 2; ++k) {
            double rate = 0;
            if (!best_rate(device, &trials[k], REPEATS, from, to, &rate))
                return false;
            if (rate >= best_so_far) {
                best_so_far = rate;
                *best = trials[k];
            }
        }
    }
    return true;
}

static bool time_copy_buffer(struct device *device, cl_mem from, cl_mem to, size_t bytes,
                             double *best)
{
    cl_event event;
    double seconds;
    const double start = clock_now();
    const cl_int code = clEnqueueCopyBuffer(device->queue, from, to, 0, 0, bytes, 0, NULL, &event);
    if (code != CL_SUCCESS)
        return fail_cl("clEnqueueCopyBuffer", code);
    if (!finish(device, event, start, &seconds))
        return false;
    *best = fmax(*best, rate_of(2.0 * (double)bytes, seconds));
    return true;
}

static bool time_plain_copy(struct plain_copy *copy, double *best)
{
    double seconds;
    if (!plain_copy_seconds(copy, &seconds))
        return false;
    *best = fmax(*best, rate_of(2.0 * (double)copy->size, seconds));
    return true;
}

// In turn, because the rate of copies is not the same at all times, and it is their ratio that
// counts later.
static bool time_copies(struct device *device, cl_mem from, cl_mem to, size_t bytes,
                        struct plain_copy *copy, struct calibration *calibration)
{
    struct trial kernel = {0};
    calibration->plain_copy_bytes = (double)copy->size;
    bool good = find_copy(device, from, to, bytes, &kernel);
    for (int i = 0; i < COPIES && good; ++i)
        good = best_rate(device, &kernel, 1, from, to, &calibration->copy_GBps) &&
               time_copy_buffer(device, from, to, bytes, &calibration->copy_buffer_GBps) &&
               time_plain_copy(copy, &calibration->plain_copy_GBps);
    return good;
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
        if (!best_rate(device, &trials[i].trial, REPEATS, memory, sink, trials[i].rate))
            return false;
    return true;
}

bool calibrate(struct device *device, struct plain_copy *copy, struct calibration *calibration)
{
    const size_t copied = usable(device, copy_bytes[size_of(device)]);
    const size_t random = usable(device, random_bytes[size_of(device)]);
    struct buffer first = {0}, second = {0};
    *calibration = (struct calibration){0};
    clock_date(calibration->date);
    bool good = buffer_create(device, random, &first) && buffer_create(device, copied, &second);
    if (good) {
        plain_copy_fill(device->team, first.view, random);
        plain_copy_fill(device->team, second.view, copied);
        good = buffer_send(device, &first) && buffer_send(device, &second) &&
               buffer_hide(device, &first) && buffer_hide(device, &second);
    }
    good = good && time_launch(device, second.memory, calibration) &&
           time_copies(device, first.memory, second.memory, copied < random ? copied : random, copy,
                       calibration) &&
           time_random(device, first.memory, random, second.memory, calibration);
    buffer_free(device, &first);
    buffer_free(device, &second);
    return good;
}
