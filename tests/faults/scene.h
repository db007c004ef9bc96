// SPDX-License-Identifier: Apache-2.0
//
// A scene: one call of an op that is good, with all that it needs, and what it gives. A test plays
// it with one fault after the other.

#ifndef FAULTS_SCENE_H
#define FAULTS_SCENE_H

#include "attempt.h"
#include "check.h"
#include "device.h"
#include "hosted.h"
#include "opencl.h"

typedef enum scene_way {
    ON_DEVICE, // clnd_<op> on tensors
    ON_ARRAYS, // clnd_host_<op>
    BY_COPIES, // the flow behind it, as on a device that has memory of its own
} scene_way;

// What is called. Fields that are 0 are as the op has them by default.
typedef struct scene_plot {
    const char *name;
    op_id op;
    scene_way way;
    clnd_dtype dtype; // default: int32
    clnd_bounds bounds;
    clnd_reduce reduce;
    bool deterministic;
    bool lends;           // a workspace
    bool reports;         // has a report
    bool waits;           // has a wait list
    bool own_queue;       // works on a queue that is not the engine's
    bool whole;           // gather_nd: no coordinates, so that all of params is copied
    bool empty;           // nothing to do, but to give an event
    const char *slice;    // of [4, 3]
    const char *strategy; // words that stand in the place of the engine's, or NULL
} scene_plot;

typedef struct scene {
    const scene_plot *plot;
    const device *d;
    clnd_engine *engine;
    cl_command_queue queue; // of the plot, or NULL
    int n;                  // arrays, in the order of the op's arguments
    int output;             // which of them
    hosted arrays[CLND__MAX_ARRAYS];
    unsigned char *before, *after; // the output's bytes
    clnd_slice slice;
    union {
        clnd_gather_nd_options gather_nd;
        clnd_gather_options gather;
        clnd_gather_elements_options gather_elements;
        clnd_scatter_nd_options scatter_nd;
        clnd_scatter_elements_options scatter_elements;
        clnd_scatter_options scatter;
        clnd_strided_slice_options slice;
        clnd_copy_options copy;
    } options;
    clnd_workspace workspace;
    clnd_report *report;
    cl_event gate;
} scene;

// Gives the device an engine of the test's own, with a context and a queue. The latter ends it, and
// fails when the library then holds more than before.
void scene_open_engine(device *d);
void scene_open_engine_with(device *d, const clnd_engine_options *options);
void scene_close_engine(device *d, const holdings *before);

// Makes it for an engine on the device's context.
void scene_make(scene *s, const scene_plot *plot, const device *d, clnd_engine *engine);
void scene_free(scene *s);

// Only calls the op, on tensors, and gives its event.
clnd_status scene_begin(scene *s, cl_event *event);

// Plays it. On success the work is done and its event released. The library is at work meanwhile.
clnd_status scene_play(scene *s);

// The same, planned.
clnd_status scene_plan(scene *s, clnd_plan *plan);

typedef enum scene_output {
    IS_BEFORE,
    IS_BEFORE_OR_ZERO,
    IS_ANYTHING, // of old bytes, new ones and zeros
    IS_AFTER
} scene_output;

// Checks the output, and sets it back.
void scene_check(scene *s, scene_output expected);

#endif
