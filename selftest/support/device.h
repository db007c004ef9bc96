// SPDX-License-Identifier: Apache-2.0
//
// The device that tests run on: what clnd_engine_open picks for NULL, CLND_DEVICE included.

#ifndef SUPPORT_DEVICE_H
#define SUPPORT_DEVICE_H

#include <CL/cl.h>
#include <stdbool.h>

#include "clnd/clnd.h"
#include "rng.h"

typedef struct device {
    clnd_engine *engine;
    cl_context context;
    cl_device_id id;
    cl_command_queue queue; // the engine's own, in order
    cl_command_queue other; // out of order; the same where the device has no such queues
    const clnd_device_facts *facts;
    bool subnormals; // arithmetic keeps float32 subnormals
} device;

// Opens the device once a process. Without one the test is skipped, or fails when
// CLND_TEST_REQUIRE_DEVICE is 1.
const device *device_get(void);

// Opens it once more, with an engine of its own.
void device_open(device *d);

// The same with an engine of clnd_engine_open, which now belongs to the device.
void device_use(device *d, clnd_engine *engine);

// The same device, context and queues, with an engine that takes these words (clnd_engine_options);
// NULL: `d`. One for each list of words, which is kept until device_close or the end.
const device *device_with(const device *d, const char *words);

// Releases what device_open or device_use made. Nothing may be under way.
void device_close(device *d);

// Elements of updates that all strategies of scatters take. Where the driver ends loops early, only
// those that divide them, owner and store, take more.
int64_t device_most_updates(const device *d);

// Whether its work-groups are large enough for the strategy SORT.
bool device_sorts(const device *d);

// Whether it has the strategy BUCKETS: CPUs whose compilers can cope with the kernels for rows.
bool device_has_buckets(const device *d);

// A new queue; NULL when it is to be out of order and the device has no such queues.
cl_command_queue device_new_queue(const device *d, bool out_of_order);

// Whether `list`, words separated by commas, holds `word`; not if it is NULL.
bool device_lists(const char *list, const char *word);

// Whether the plan has this strategy.
bool plan_takes(const clnd_plan *plan, const char *strategy);

// What DEFAULT means on this device.
clnd_bounds device_bounds(const device *d, clnd_bounds bounds);

// The queue, wait list and event of one call, picked at random: the engine's queue by name or as
// NULL, or the other one, no or some events to wait for, an event back or none.
typedef struct launch {
    cl_command_queue queue;
    cl_uint n_wait;
    cl_event events[4]; // owned
    const cl_event *wait;
    cl_event event;
    cl_event *event_out;
} launch;

void launch_pick(launch *l, const device *d, rng *r);

// Lets the call wait for one more event, of which the launch becomes the owner: two at most.
void launch_wait_for(launch *l, cl_event event);

// After the call: checks the event against the status, waits for the work, releases the events.
void launch_finish(launch *l, const device *d, clnd_status status);

#endif
