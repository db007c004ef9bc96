// SPDX-License-Identifier: Apache-2.0

#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

void device_open(device *d)
{
    clnd_status status = clnd_engine_open(NULL, NULL, &d->engine);
    if (status == CLND_NO_DEVICE) {
        const char *required = getenv("CLND_TEST_REQUIRE_DEVICE");
        check(!required || strcmp(required, "1") != 0, "CLND_TEST_REQUIRE_DEVICE=1: %s",
              clnd_last_error());
        check_skip(clnd_last_error());
    }
    check(status == CLND_OK, "clnd_engine_open: %s", clnd_last_error());
    device_use(d, d->engine);
}

void device_use(device *d, clnd_engine *engine)
{
    *d = (device){.engine = engine};
    d->context = clnd_engine_context(d->engine);
    d->id = clnd_engine_device(d->engine);
    d->queue = clnd_engine_queue(d->engine);
    d->facts = clnd_engine_facts(d->engine);
    // Mesa 22.3's Rusticl, which has no out-of-order queues, does not always show one queue's
    // writes to another, even after clFinish.
    d->other = d->facts->out_of_order_queues ? device_new_queue(d, true) : d->queue;
    cl_device_fp_config config = 0;
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL));
    d->subnormals = (config & CL_FP_DENORM) != 0;
}

// Engines for words, of all devices.
static struct forced {
    char words[96];
    device device;
} forced[64];
enum { MOST_FORCED = sizeof forced / sizeof *forced };

const device *device_with(const device *d, const char *words)
{
    if (!words)
        return d;
    int i = 0;
    while (i < MOST_FORCED && forced[i].device.engine &&
           (forced[i].device.context != d->context || strcmp(forced[i].words, words) != 0))
        i++;
    check(i < MOST_FORCED && strlen(words) < sizeof forced->words, "no room for '%s'", words);
    device *with = &forced[i].device;
    if (with->engine) {
        with->queue = d->queue; // d may have others by now
        with->other = d->other;
        return with;
    }
    const clnd_engine_options options = {.strategy = words};
    *with = *d;
    check_status(clnd_engine_create(d->context, d->id, &options, &with->engine), CLND_OK);
    with->facts = clnd_engine_facts(with->engine);
    *(clnd_device_facts *)with->facts = *d->facts; // which a test may have changed
    strcpy(forced[i].words, words);
    return with;
}

bool device_lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (strncmp(list, word, length) == 0 && (list[length] == ',' || !list[length]))
            return true;
    return false;
}

bool plan_takes(const clnd_plan *plan, const char *strategy)
{
    return strcmp(plan->strategy, strategy) == 0;
}

static void close_forced(const device *d)
{
    int kept = 0;
    for (int i = 0; i < MOST_FORCED; i++) {
        if (forced[i].device.context != d->context)
            forced[kept++] = forced[i];
        else
            clnd_engine_destroy(&forced[i].device.engine);
    }
    memset(&forced[kept], 0, (size_t)(MOST_FORCED - kept) * sizeof *forced);
}

void device_close(device *d)
{
    close_forced(d);
    if (d->other && d->other != d->queue)
        clReleaseCommandQueue(d->other);
    clnd_engine_destroy(&d->engine);
    *d = (device){0};
}

const device *device_get(void)
{
    static device d;
    if (!d.engine)
        device_open(&d);
    return &d;
}

bool device_has_buckets(const device *d)
{
    return d->facts->is_cpu && strcmp(d->facts->platform, "rusticl") != 0 &&
           strcmp(d->facts->platform, "Oclgrind") != 0;
}

int64_t device_most_updates(const device *d)
{
    enum { ITERATIONS = 30 }; // that loops make for each, at most
    return d->facts->loop_iterations ? (int64_t)d->facts->loop_iterations / ITERATIONS : INT64_MAX;
}

bool device_sorts(const device *d)
{
    return d->facts->max_work_group_size >= 64 && d->facts->local_memory >= 16384;
}

cl_command_queue device_new_queue(const device *d, bool out_of_order)
{
    cl_int code;
    if (out_of_order && !d->facts->out_of_order_queues)
        return NULL;
    cl_command_queue_properties properties =
        out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    cl_command_queue queue = clCreateCommandQueue(d->context, d->id, properties, &code);
    check_cl(code);
    return queue;
}

clnd_bounds device_bounds(const device *d, clnd_bounds bounds)
{
    if (bounds != CLND_BOUNDS_DEFAULT)
        return bounds;
    return d->facts->is_cpu ? CLND_BOUNDS_ERROR : CLND_BOUNDS_ZERO;
}

static cl_event not_an_event(void)
{
    static char somewhere;
    return (cl_event)(void *)&somewhere;
}

void launch_pick(launch *l, const device *d, rng *r)
{
    cl_int code;
    memset(l, 0, sizeof *l);
    cl_command_queue queues[] = {d->queue, clnd_engine_queue(d->engine) ? NULL : d->queue,
                                 d->other};
    l->queue = queues[rng_range(r, 0, 2)];
    if (rng_chance(r, 20)) {
        l->n_wait = (cl_uint)rng_range(r, 1, 2);
        for (cl_uint i = 0; i < l->n_wait; i++) {
            l->events[i] = clCreateUserEvent(d->context, &code);
            check_cl(code);
            check_cl(clSetUserEventStatus(l->events[i], CL_COMPLETE));
        }
        l->wait = l->events;
    }
    l->event = not_an_event();
    if (rng_chance(r, 50))
        l->event_out = &l->event;
}

void launch_wait_for(launch *l, cl_event event)
{
    l->events[l->n_wait++] = event;
    l->wait = l->events;
}

void launch_finish(launch *l, const device *d, clnd_status status)
{
    for (cl_uint i = 0; i < l->n_wait; i++)
        check_cl(clReleaseEvent(l->events[i]));
    if (status != CLND_OK) {
        if (l->event_out)
            check(l->event == NULL, "*event is not NULL although the call failed");
        return;
    }
    if (!l->event_out) {
        check_cl(clFinish(l->queue ? l->queue : d->queue));
        return;
    }
    check(l->event && l->event != not_an_event(), "no event although the call succeeded");
    check_cl(clFlush(l->queue ? l->queue : d->queue));
    check_cl(clWaitForEvents(1, &l->event));
    check_cl(clReleaseEvent(l->event));
}
