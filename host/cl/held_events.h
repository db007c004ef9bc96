// SPDX-License-Identifier: Apache-2.0
//
// Events of commands that may fail before they run, because an event that they wait for does. PoCL
// 3.1 aborts when such a command's event has no reference but those of other commands. The newest
// are held; that each of them is over is not waited for.

#ifndef CLND_CL_HELD_EVENTS_H
#define CLND_CL_HELD_EVENTS_H

#include "clnd/opencl.h"

enum { CLND__HELD_EVENTS = 256 };

typedef struct clnd__held_events {
    int next; // place of the oldest, which the next one takes
    cl_event events[CLND__HELD_EVENTS];
} clnd__held_events;

// Retains the event; nothing happens if that fails. The caller holds the lock that guards `held`.
static inline void clnd__event_hold(clnd__held_events *held, cl_event event)
{
    cl_event *place = &held->events[held->next];
    if (clRetainEvent(event) != CL_SUCCESS)
        return;
    if (*place)
        clReleaseEvent(*place);
    *place = event;
    held->next = (held->next + 1) % CLND__HELD_EVENTS;
}

static inline void clnd__held_events_close(clnd__held_events *held)
{
    for (int i = 0; i < CLND__HELD_EVENTS; ++i)
        if (held->events[i])
            clReleaseEvent(held->events[i]);
}

#endif
