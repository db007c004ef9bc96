// SPDX-License-Identifier: Apache-2.0
//
// Memory that an engine keeps for the next call: who gets it, when, and what is not kept.

#include <criterion/criterion.h>
#include <string.h>

#include "attempt.h"
#include "host/cl/engine.h"
#include "host/cl/scratch.h"
#include "scene.h"

// Sums that work on a float32 copy of their target, which is taken for the time of the call.
#define SUM_OF_HALVES                                                                              \
    .op = SCATTER_ND_INTO, .dtype = CLND_FLOAT16, .reduce = CLND_REDUCE_ADD,                       \
    .bounds = CLND_BOUNDS_SKIP, .deterministic = true
static const scene_plot small_plot = {
    .name = "sum of halves", SUM_OF_HALVES, .strategy = "must,owner"};
static const scene_plot queue_plot = {
    .name = "sum of halves on a queue", SUM_OF_HALVES, .strategy = "must,owner", .own_queue = true};
// Copies of the target, each of them a whole line of the cache.
static const scene_plot large_plot = {.name = "sum in copies",
                                      .op = SCATTER_ND_INTO,
                                      .reduce = CLND_REDUCE_ADD,
                                      .bounds = CLND_BOUNDS_SKIP,
                                      .strategy = "must,private"};

static uint64_t need_of(scene *s)
{
    clnd_plan plan;
    check_status(scene_plan(s, &plan), CLND_OK);
    check(plan.workspace_bytes > 0, "no workspace");
    return plan.workspace_bytes;
}

// Plays well, and makes so many buffers.
static void play(scene *s, int n_buffers)
{
    opencl_begin();
    check_status(scene_play(s), CLND_OK);
    check(opencl.n_buffers == n_buffers, "%d buffers, expected %d", opencl.n_buffers, n_buffers);
    opencl_begin();
    scene_check(s, IS_AFTER);
}

static const clnd__scratch *spare_of(const device *d)
{
    return &d->engine->scratch.scratch;
}

Test(faults_scratch, next_call_has_the_memory)
{
    device d;
    scene s;
    case_begin("scratch again", 0);
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    scene_make(&s, &small_plot, &d, d.engine);
    const uint64_t need = need_of(&s);
    check(!spare_of(&d)->memory, "memory before the first call");
    play(&s, 1);
    const cl_mem memory = spare_of(&d)->memory;
    check(memory && spare_of(&d)->size == need, "%zu bytes are kept", spare_of(&d)->size);
    for (int i = 0; i < 3; i++)
        play(&s, 0);
    check(spare_of(&d)->memory == memory, "other memory");
    scene_free(&s);
    scene_close_engine(&d, &before);
}

// What the engine's options allow: nothing, just what the call needs, or one byte less.
Test(faults_scratch, limit_of_the_options)
{
    for (int i = 0; i < 3; i++) {
        device d;
        scene s;
        case_begin("scratch limit", i);
        device_get();
        const holdings before = holdings_now();
        scene_open_engine(&d);
        scene_make(&s, &small_plot, &d, d.engine);
        const uint64_t need = need_of(&s);
        scene_free(&s);
        scene_close_engine(&d, &before);
        const uint64_t limits[] = {CLND_KEEP_NOTHING, need, need - 1};
        const clnd_engine_options options = {.keep_bytes = limits[i]};
        scene_open_engine_with(&d, &options);
        scene_make(&s, &small_plot, &d, d.engine);
        play(&s, 1);
        play(&s, i == 1 ? 0 : 1);
        play(&s, i == 1 ? 0 : 1);
        check(!spare_of(&d)->memory == (i != 1), "%zu bytes are kept", spare_of(&d)->size);
        scene_free(&s);
        scene_close_engine(&d, &before);
    }
}

// A call that is held back keeps its memory from the next one. Both begin at once, on queues of
// their own, so that the commands of the one run between those of the other.
Test(faults_scratch, calls_under_way_do_not_share)
{
    enum { CALLS = 2 };
    device d;
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    for (int i = 0; i < 5; i++) {
        scene s[CALLS], last;
        cl_event events[CALLS];
        cl_mem memory[CALLS];
        cl_int code;
        case_begin("scratch under way", i);
        const cl_event gate = clCreateUserEvent(d.context, &code);
        check_cl(code);
        for (int k = 0; k < CALLS; k++) {
            scene_make(&s[k], &queue_plot, &d, d.engine);
            s[k].gate = gate;
            opencl_begin();
            check_status(scene_begin(&s[k], &events[k]), CLND_OK);
            check(opencl.n_buffers == (i == 0 || k > 0), "%d buffers for call %d", opencl.n_buffers,
                  k);
            check_cl(clFlush(s[k].queue));
            memory[k] = spare_of(&d)->memory;
        }
        check(memory[0] && memory[1] && memory[0] != memory[1], "both have the same");
        check_cl(clSetUserEventStatus(gate, CL_COMPLETE));
        check_cl(clWaitForEvents(CALLS, events));
        for (int k = 0; k < CALLS; k++) {
            s[k].gate = NULL;
            check_cl(clReleaseEvent(events[k]));
            scene_check(&s[k], IS_AFTER);
            scene_free(&s[k]);
        }
        check_cl(clReleaseEvent(gate));
        scene_make(&last, &small_plot, &d, d.engine);
        play(&last, 0);
        scene_free(&last);
    }
    scene_close_engine(&d, &before);
}

// More than there is is made, and kept from then on, also when calls that need less use it.
Test(faults_scratch, larger_memory_takes_its_place)
{
    device d;
    scene small, large;
    case_begin("larger scratch", 0);
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    scene_make(&small, &small_plot, &d, d.engine);
    scene_make(&large, &large_plot, &d, d.engine);
    const uint64_t need = need_of(&large);
    check(need > need_of(&small), "%llu bytes are no more", (unsigned long long)need);
    play(&small, 1);
    play(&large, 1);
    const cl_mem memory = spare_of(&d)->memory;
    check(spare_of(&d)->size == need, "%zu bytes are kept", spare_of(&d)->size);
    play(&small, 0);
    play(&large, 0);
    check(spare_of(&d)->memory == memory && spare_of(&d)->size == need, "other memory");
    scene_free(&small);
    scene_free(&large);
    scene_close_engine(&d, &before);
}

// Commands may be under way of which nobody knows the last.
Test(faults_scratch, failed_call_keeps_nothing)
{
    device d;
    scene s;
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    case_begin("scratch of a failed call", 0);
    scene_make(&s, &small_plot, &d, d.engine);
    play(&s, 1);
    const holdings nothing_more = holdings_now();
    for (int command = 0; command < 3; command++) {
        case_begin("scratch of a failed call", command);
        opencl_begin();
        opencl_fail(OPENCL_EnqueueNDRangeKernel, command, false, CL_OUT_OF_RESOURCES);
        check_status(scene_play(&s), CLND_OUT_OF_DEVICE_MEMORY);
        check(opencl.n_buffers == 0, "it did not have what was there");
        check(opencl.n_released == 1, "%d buffers released", opencl.n_released);
        check(!spare_of(&d)->memory && !d.engine->scratch.used, "its memory is kept");
        opencl_begin();
        scene_check(&s, IS_BEFORE);
        holdings_check(&nothing_more);
        play(&s, 1);
        play(&s, 0);
    }
    scene_free(&s);
    scene_close_engine(&d, &before);
}

// Where the driver does not say whether commands are done, the call has memory of its own; where it
// lets nobody wait for them, the memory is given up.
Test(faults_scratch, drivers_that_do_not_say)
{
    device d;
    scene s;
    case_begin("scratch unknown", 0);
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    scene_make(&s, &small_plot, &d, d.engine);
    play(&s, 1);
    opencl_begin();
    opencl_fail(OPENCL_GetEventInfo, 0, false, CL_OUT_OF_RESOURCES);
    check_status(scene_play(&s), CLND_OK);
    check(opencl.failed == OPENCL_GetEventInfo && opencl.n_buffers == 1, "%d buffers",
          opencl.n_buffers);
    opencl_begin();
    scene_check(&s, IS_AFTER);
    play(&s, 0);
    opencl_begin();
    opencl_fail(OPENCL_RetainEvent, 0, false, CL_OUT_OF_HOST_MEMORY);
    check_status(scene_play(&s), CLND_OK);
    check(opencl.failed == OPENCL_RetainEvent && opencl.n_buffers == 0, "%d buffers",
          opencl.n_buffers);
    check(!spare_of(&d)->memory && opencl.n_released == 1, "it is kept");
    opencl_begin();
    scene_check(&s, IS_AFTER);
    play(&s, 1);
    play(&s, 0);
    scene_free(&s);
    scene_close_engine(&d, &before);
}

// The spare memory itself ------------------------------------------------------------------------

static clnd__scratch take(const device *d, clnd__spare_scratch *spare, size_t size)
{
    clnd__scratch scratch = {.size = 0};
    opencl_enter();
    check(clnd__scratch_take(spare, d->context, size, &scratch) == CL_SUCCESS, "no memory");
    opencl_leave();
    check(scratch.memory && scratch.size >= size, "%zu bytes of %zu", scratch.size, size);
    return scratch;
}

static void give(clnd__spare_scratch *spare, clnd__scratch scratch, bool known, cl_event used)
{
    opencl_enter();
    clnd__scratch_return(spare, scratch, known, used);
    opencl_leave();
}

static void close_spare(clnd__spare_scratch *spare, const holdings *before)
{
    opencl_enter();
    clnd__spare_scratch_close(spare);
    opencl_leave();
    check(!spare->scratch.memory && !spare->used, "something is left");
    holdings_check(before);
}

static cl_event new_event(const device *d)
{
    cl_int code;
    const cl_event event = clCreateUserEvent(d->context, &code);
    check_cl(code);
    return event;
}

Test(faults_scratch, the_larger_is_kept)
{
    const device *d = device_get();
    case_begin("scratch sizes", 0);
    const holdings before = holdings_now();
    clnd__spare_scratch spare = {.used = NULL};
    clnd__scratch a = take(d, &spare, 100), b = take(d, &spare, 200), c = take(d, &spare, 50);
    give(&spare, a, true, NULL);
    check(spare.scratch.memory == a.memory, "the first");
    give(&spare, b, true, NULL);
    check(spare.scratch.memory == b.memory && spare.scratch.size == 200, "a larger one");
    give(&spare, c, true, NULL);
    check(spare.scratch.memory == b.memory, "a smaller one");
    opencl_begin();
    a = take(d, &spare, 201);
    check(opencl.n_buffers == 1 && a.memory != b.memory, "200 bytes for 201");
    check(spare.scratch.memory == b.memory, "the spare one is gone");
    c = take(d, &spare, 200);
    check(opencl.n_buffers == 1 && c.memory == b.memory && c.size == 200, "200 bytes for 200");
    check(!spare.scratch.memory, "it is still spare");
    give(&spare, c, true, NULL);
    give(&spare, a, false, NULL);
    check(spare.scratch.memory == b.memory, "one of which nobody can say");
    close_spare(&spare, &before);
}

// The sizes are only said, and memory of 16 bytes stands for them.
Test(faults_scratch, most_that_is_kept)
{
    const device *d = device_get();
    case_begin("scratch limit", 0);
    const holdings before = holdings_now();
    clnd__spare_scratch spare = {.used = NULL};
    const size_t most = (size_t)64 << 20;
    clnd__scratch scratch = take(d, &spare, 16), other = take(d, &spare, 16);
    scratch.size = most + 1;
    opencl_begin();
    give(&spare, scratch, true, NULL);
    check(!spare.scratch.memory && opencl.n_released == 1, "it is kept");
    other.size = most;
    give(&spare, other, true, NULL);
    check(spare.scratch.memory == other.memory, "64 MiB are not kept");
    scratch = take(d, &spare, 16);
    check(scratch.memory == other.memory && scratch.size == most, "64 MiB are not taken");
    give(&spare, scratch, true, NULL);
    close_spare(&spare, &before);
}

// Commands that use it are over when the event is complete or has failed.
Test(faults_scratch, memory_is_free_when_its_event_is)
{
    static const cl_int ends[] = {CL_COMPLETE, -5};
    const device *d = device_get();
    for (int i = 0; i < 2; i++) {
        case_begin("scratch events", i);
        const holdings before = holdings_now();
        clnd__spare_scratch spare = {.used = NULL};
        const cl_event event = new_event(d);
        const clnd__scratch first = take(d, &spare, 100);
        give(&spare, first, true, event);
        check(spare.used == event, "no event");
        const clnd__scratch second = take(d, &spare, 100);
        check(second.memory != first.memory && spare.scratch.memory == first.memory &&
                  spare.used == event,
              "it is in use");
        check_cl(clSetUserEventStatus(event, ends[i]));
        opencl_begin();
        opencl_fail(OPENCL_GetEventInfo, 0, false, CL_OUT_OF_RESOURCES);
        const clnd__scratch third = take(d, &spare, 100);
        check(third.memory != first.memory && spare.scratch.memory == first.memory &&
                  spare.used == event,
              "nobody knows that it is free");
        opencl_begin();
        const clnd__scratch fourth = take(d, &spare, 100);
        check(fourth.memory == first.memory && !spare.used && opencl.n_buffers == 0, "it is free");
        // A spare one in use gives way to one that is no smaller.
        give(&spare, second, true, event);
        give(&spare, third, true, NULL);
        check(spare.scratch.memory == third.memory && !spare.used, "it does not give way");
        opencl_fail(OPENCL_RetainEvent, 0, false, CL_OUT_OF_HOST_MEMORY);
        give(&spare, fourth, true, event);
        opencl_begin();
        check(spare.scratch.memory == third.memory, "memory that nobody can wait for");
        close_spare(&spare, &before);
        check_cl(clReleaseEvent(event));
    }
}

Test(faults_scratch, no_memory_leaves_the_spare_one)
{
    const device *d = device_get();
    case_begin("scratch without memory", 0);
    const holdings before = holdings_now();
    clnd__spare_scratch spare = {.used = NULL};
    const clnd__scratch first = take(d, &spare, 100);
    clnd__scratch none;
    give(&spare, first, true, NULL);
    opencl_begin();
    opencl_fail(OPENCL_CreateBuffer, 0, false, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    opencl_enter();
    check(clnd__scratch_take(&spare, d->context, 200, &none) == CL_MEM_OBJECT_ALLOCATION_FAILURE,
          "another code");
    opencl_leave();
    check(!none.memory, "memory");
    opencl_begin();
    check(spare.scratch.memory == first.memory, "the spare one is gone");
    close_spare(&spare, &before);
}
