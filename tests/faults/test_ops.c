// SPDX-License-Identifier: Apache-2.0
//
// Every op with every fault: each call of OpenCL and each allocation of host memory that it makes
// fails once. The call says so, has touched nothing and keeps nothing, and the next one is good.

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "attempt.h"
#include "cases.h"
#include "host/cl/engine.h"
#include "scene.h"

// What a call gets by without.
static bool is_tolerated(const scene *s)
{
    // A verdict of which nobody knows when it is free is given up, and one that is not read at once
    // is read another way. Memory that the device cannot use is copied. A compiler that fails is
    // asked once more.
    return opencl.failed == OPENCL_RetainEvent || opencl.failed == OPENCL_GetEventInfo ||
           opencl.failed == OPENCL_WaitForEvents || opencl.failed == OPENCL_EnqueueReadBuffer ||
           (s->plot->way == ON_ARRAYS && opencl.failed == OPENCL_CreateBuffer) ||
           (opencl.failed == OPENCL_BuildProgram && opencl.failed_code == CL_BUILD_PROGRAM_FAILURE);
}

// What the op's header promises of the output of a call that failed.
static scene_output promised(const scene *s, clnd_status status)
{
    const bool from_opencl = status == CLND_OPENCL_ERROR || status == CLND_OUT_OF_DEVICE_MEMORY ||
                             status == CLND_OUT_OF_HOST_MEMORY;
    if (s->plot->way != ON_DEVICE && from_opencl)
        return IS_ANYTHING;
    // A gather looks at its indices on its way.
    if (s->plot->op <= GATHER_ELEMENTS && opencl.failed == OPENCL_EnqueueReadBuffer)
        return IS_ANYTHING;
    if (opencl.failed == OPENCL_EnqueueNDRangeKernel || opencl.failed == OPENCL_SetKernelArg ||
        opencl.failed == OPENCL_EnqueueCopyBuffer)
        if (s->plot->op == SCATTER_ND || s->plot->op == STRIDED_SLICE_GRAD)
            return IS_BEFORE_OR_ZERO;
    return IS_BEFORE;
}

// Nobody has been told of a failed call but its caller.
static void settle_report(scene *s)
{
    clnd_report_result result;
    if (!s->report)
        return;
    opencl_enter();
    check_status(clnd_report_wait(s->report, &result), CLND_OK);
    opencl_leave();
}

static void play_well(scene *s)
{
    opencl_begin();
    check_status(scene_play(s), CLND_OK);
    scene_check(s, IS_AFTER);
    settle_report(s);
}

// As an engine that has compiled nothing, and has neither verdicts, memory nor queues to spare.
static void make_cold(clnd_engine *engine)
{
    opencl_enter();
    clnd__program_cache_close(&engine->programs);
    check_status(clnd__program_cache_open(&engine->programs), CLND_OK);
    clnd__verdict_pool_close(&engine->verdicts);
    clnd__spare_scratch_close(&engine->scratch);
    clnd__queue_pool_close(&engine->queues);
    check_status(clnd__queue_pool_open(&engine->queues), CLND_OK);
    opencl_leave();
}

// An engine keeps the log of its last failed build; from here on it has one.
static void leave_build_log(scene *s)
{
    make_cold(s->engine);
    opencl_spoil("");
    check_status(scene_play(s), CLND_BUILD_FAILED);
    opencl_begin();
    scene_check(s, IS_BEFORE);
}

// Plays with the fault. Whether it came up.
static bool attempt(scene *s, const fault *f, const holdings *before)
{
    fault_arm(f);
    const clnd_status status = scene_play(s);
    const bool came = fault_disarm(f);
    fault_note(f, s->plot->name);
    if (!came || (status == CLND_OK && is_tolerated(s))) {
        check_status(status, CLND_OK);
        scene_check(s, IS_AFTER);
    } else {
        check(status != CLND_OK, "the call goes on as if nothing had happened");
        fault_check_told(f, status);
        scene_check(s, promised(s, status));
    }
    settle_report(s);
    holdings_check(before);
    return came;
}

static int play_all(const scene_plot *plot, const device *d, clnd_engine *engine, bool cold)
{
    scene s;
    int n = 0;
    scene_make(&s, plot, d, engine);
    if (cold)
        leave_build_log(&s);
    play_well(&s);
    play_well(&s);
    const holdings before = holdings_now();
    fault f = {.builds = cold};
    bool came = false;
    while (fault_next(&f, came)) {
        if (cold)
            make_cold(engine);
        came = attempt(&s, &f, &before);
        n += came;
        play_well(&s);
        holdings_check(&before);
    }
    scene_free(&s);
    check(n > 2, "only %d faults", n);
    return n;
}

static void play_plots(const char *label, const scene_plot *plots, int n, bool cold)
{
    device d;
    case_begin(label, 0);
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    for (int i = 0; i < n; i++) {
        case_begin(label, i);
        play_all(&plots[i], &d, d.engine, cold);
    }
    scene_close_engine(&d, &before);
}

#define PLAY(label, plots, cold) play_plots(label, plots, (int)(sizeof plots / sizeof *plots), cold)

static const scene_plot gathers[] = {
    {.name = "gather_nd", .op = GATHER_ND, .bounds = CLND_BOUNDS_ERROR},
    {.name = "gather_nd, fill", .op = GATHER_ND, .bounds = CLND_BOUNDS_FILL},
    {.name = "gather_nd, blocks",
     .op = GATHER_ND,
     .bounds = CLND_BOUNDS_ZERO,
     .strategy = "must,blocks"},
    {.name = "gather_nd, lanes",
     .op = GATHER_ND,
     .bounds = CLND_BOUNDS_CLAMP,
     .strategy = "must,lanes"},
    {.name = "gather_nd, wait list and queue",
     .op = GATHER_ND,
     .bounds = CLND_BOUNDS_WRAP,
     .waits = true,
     .own_queue = true},
    {.name = "gather_nd, report",
     .op = GATHER_ND,
     .bounds = CLND_BOUNDS_ERROR,
     .waits = true,
     .reports = true},
    {.name = "gather_nd, nothing to check, report",
     .op = GATHER_ND,
     .bounds = CLND_BOUNDS_ZERO,
     .reports = true},
    {.name = "gather_nd, fill, report",
     .op = GATHER_ND,
     .bounds = CLND_BOUNDS_FILL,
     .reports = true},
    {.name = "gather_nd of all", .op = GATHER_ND, .whole = true, .bounds = CLND_BOUNDS_ERROR},
    {.name = "gather", .op = GATHER, .bounds = CLND_BOUNDS_ERROR},
    {.name = "gather, report", .op = GATHER, .bounds = CLND_BOUNDS_WRAP, .reports = true},
    {.name = "gather, fill", .op = GATHER, .bounds = CLND_BOUNDS_FILL, .waits = true},
    {.name = "gather_elements", .op = GATHER_ELEMENTS, .bounds = CLND_BOUNDS_ERROR},
    {.name = "gather_elements, report",
     .op = GATHER_ELEMENTS,
     .bounds = CLND_BOUNDS_ERROR,
     .reports = true},
};

Test(faults, gathers)
{
    PLAY("faults in gathers", gathers, false);
}

static const scene_plot moves[] = {
    {.name = "strided_slice, one run", .op = STRIDED_SLICE, .slice = "1:3"},
    {.name = "strided_slice", .op = STRIDED_SLICE, .slice = "::2, ::-1", .waits = true},
    {.name = "strided_slice_assign, one run", .op = STRIDED_SLICE_ASSIGN, .slice = "1:3"},
    {.name = "strided_slice_assign",
     .op = STRIDED_SLICE_ASSIGN,
     .slice = "::2, ::-1",
     .own_queue = true},
    {.name = "strided_slice_grad, one run", .op = STRIDED_SLICE_GRAD, .slice = "1:3"},
    {.name = "strided_slice_grad", .op = STRIDED_SLICE_GRAD, .slice = "::2, ::-1", .waits = true},
    {.name = "copy, one run", .op = COPY, .own_queue = true},
    {.name = "copy, blocks", .op = COPY, .strategy = "must,blocks", .waits = true},
    {.name = "copy, lanes", .op = COPY, .strategy = "must,lanes"},
    {.name = "copy, nothing", .op = COPY, .empty = true, .waits = true, .own_queue = true},
};

Test(faults, moves)
{
    PLAY("faults in moves", moves, false);
}

// Scatters by every strategy that the library knows and the device can do.
static const scene_plot scatters[] = {
    {.name = "scatter_nd", .op = SCATTER_ND, .bounds = CLND_BOUNDS_ERROR},
    {.name = "scatter_nd, report", .op = SCATTER_ND, .bounds = CLND_BOUNDS_ERROR, .reports = true},
    {.name = "scatter_nd_into", .op = SCATTER_ND_INTO, .bounds = CLND_BOUNDS_SKIP, .waits = true},
    {.name = "scatter_nd_into, in order",
     .op = SCATTER_ND_INTO,
     .bounds = CLND_BOUNDS_ERROR,
     .deterministic = true,
     .own_queue = true},
    {.name = "scatter_nd_into, sum",
     .op = SCATTER_ND_INTO,
     .reduce = CLND_REDUCE_ADD,
     .bounds = CLND_BOUNDS_ERROR,
     .waits = true},
    {.name = "scatter_nd_into, sum, report",
     .op = SCATTER_ND_INTO,
     .reduce = CLND_REDUCE_ADD,
     .bounds = CLND_BOUNDS_ERROR,
     .waits = true,
     .reports = true},
    {.name = "scatter_nd_into, sum of halves",
     .op = SCATTER_ND_INTO,
     .dtype = CLND_FLOAT16,
     .reduce = CLND_REDUCE_ADD,
     .bounds = CLND_BOUNDS_SKIP,
     .deterministic = true},
    {.name = "scatter_nd_into, sum of halves in a copy",
     .op = SCATTER_ND_INTO,
     .dtype = CLND_FLOAT16,
     .reduce = CLND_REDUCE_ADD,
     .bounds = CLND_BOUNDS_SKIP,
     .strategy = "must,owner",
     .deterministic = true},
    {.name = "scatter_nd_into, sum of halves, workspace, report",
     .op = SCATTER_ND_INTO,
     .dtype = CLND_BFLOAT16,
     .reduce = CLND_REDUCE_ADD,
     .bounds = CLND_BOUNDS_ERROR,
     .deterministic = true,
     .lends = true,
     .reports = true},
    {.name = "scatter_nd, sum of halves",
     .op = SCATTER_ND,
     .dtype = CLND_FLOAT16,
     .bounds = CLND_BOUNDS_SKIP,
     .deterministic = true},
    {.name = "scatter_elements", .op = SCATTER_ELEMENTS, .bounds = CLND_BOUNDS_ERROR},
    {.name = "scatter", .op = SCATTER, .bounds = CLND_BOUNDS_ERROR, .reports = true},
    {.name = "scatter_elements, product, report",
     .op = SCATTER_ELEMENTS,
     .reduce = CLND_REDUCE_MUL,
     .bounds = CLND_BOUNDS_WRAP,
     .reports = true},
};

static bool is_possible(const scene_plot *plot, const device *d, clnd_engine *engine)
{
    scene s;
    clnd_plan plan;
    scene_make(&s, plot, d, engine);
    const clnd_status status = scene_plan(&s, &plan);
    scene_free(&s);
    check(status == CLND_OK || status == CLND_INVALID_OPTION, "gave %s", clnd_last_error());
    return status == CLND_OK;
}

Test(faults, scatters)
{
    device d;
    case_begin("faults in scatters", 0);
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    static const char *const strategies[] = {NULL,          "must,store", "must,atomic",
                                             "must,owner",  "must,sort",  "must,private",
                                             "must,buckets"};
    int number = 0, n_played = 0;
    for (size_t i = 0; i < sizeof scatters / sizeof *scatters; i++)
        for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
            char name[128];
            scene_plot plot = scatters[i];
            case_begin("faults in scatters", number++);
            if (k > 0)
                plot.strategy = strategies[k];
            snprintf(name, sizeof name, "%s, %s", plot.name, k ? strategies[k] : "as it is");
            plot.name = name;
            if (!is_possible(&plot, &d, d.engine))
                continue;
            play_all(&plot, &d, d.engine, false);
            n_played++;
        }
    cr_assert(n_played > 25, "only %d scatters", n_played);
    scene_close_engine(&d, &before);
}

// Atomic scatters that combine rows first have launches and memory of their own.
static const scene_plot hot_scatters[] = {
    {.name = "scatter_nd_into, hot",
     .op = SCATTER_ND_INTO,
     .reduce = CLND_REDUCE_ADD,
     .bounds = CLND_BOUNDS_ERROR,
     .waits = true},
    {.name = "scatter_nd_into, hot, workspace, report",
     .op = SCATTER_ND_INTO,
     .reduce = CLND_REDUCE_ADD,
     .bounds = CLND_BOUNDS_ERROR,
     .lends = true,
     .reports = true},
    {.name = "scatter_nd, hot", .op = SCATTER_ND, .bounds = CLND_BOUNDS_SKIP, .own_queue = true},
    {.name = "scatter_elements, hot",
     .op = SCATTER_ELEMENTS,
     .reduce = CLND_REDUCE_MAX,
     .bounds = CLND_BOUNDS_SKIP},
};

static void play_hot(const char *label, bool cold)
{
    cases_setenv("CLND_STRATEGY",
                 "atomic,lanes,aggregate"); // for engines that are made from here on
    PLAY(label, hot_scatters, cold);
    cases_setenv("CLND_STRATEGY", NULL);
}

Test(faults, hot_scatters)
{
    play_hot("faults in hot scatters", false);
}

Test(faults, first_hot_scatters)
{
    play_hot("faults in first hot scatters", true);
}

// Calls that compile their kernels, and take what later ones find.
static const scene_plot first_calls[] = {
    {.name = "first gather_nd", .op = GATHER_ND, .bounds = CLND_BOUNDS_ERROR},
    {.name = "first gather, fill, report",
     .op = GATHER,
     .bounds = CLND_BOUNDS_FILL,
     .reports = true},
    {.name = "first host gather_nd",
     .op = GATHER_ND,
     .way = BY_COPIES,
     .bounds = CLND_BOUNDS_ERROR},
    {.name = "first strided_slice_grad", .op = STRIDED_SLICE_GRAD, .slice = "::2, ::-1"},
    {.name = "first scatter_nd, report",
     .op = SCATTER_ND,
     .bounds = CLND_BOUNDS_ERROR,
     .reports = true},
    {.name = "first scatter_nd_into, sum of halves",
     .op = SCATTER_ND_INTO,
     .dtype = CLND_FLOAT16,
     .reduce = CLND_REDUCE_ADD,
     .bounds = CLND_BOUNDS_SKIP,
     .deterministic = true},
};

Test(faults, first_calls)
{
    PLAY("faults in first calls", first_calls, true);
}

// Arrays: each op on shared memory and by copies.
static const scene_plot hosted_calls[] = {
    {.name = "host gather_nd", .op = GATHER_ND, .bounds = CLND_BOUNDS_ERROR},
    {.name = "host gather", .op = GATHER, .bounds = CLND_BOUNDS_FILL},
    {.name = "host gather_elements", .op = GATHER_ELEMENTS, .bounds = CLND_BOUNDS_ZERO},
    {.name = "host scatter_nd", .op = SCATTER_ND, .bounds = CLND_BOUNDS_ERROR},
    {.name = "host scatter_nd_into", .op = SCATTER_ND_INTO, .bounds = CLND_BOUNDS_ERROR},
    {.name = "host scatter_elements", .op = SCATTER_ELEMENTS, .bounds = CLND_BOUNDS_ERROR},
    {.name = "host scatter", .op = SCATTER, .bounds = CLND_BOUNDS_ERROR},
    {.name = "host strided_slice", .op = STRIDED_SLICE, .slice = "1:3"},
    {.name = "host strided_slice_assign", .op = STRIDED_SLICE_ASSIGN, .slice = "::2, ::-1"},
    {.name = "host strided_slice_grad", .op = STRIDED_SLICE_GRAD, .slice = "::2, ::-1"},
    {.name = "host copy", .op = COPY},
};

static void play_hosted(scene_way how)
{
    scene_plot plots[sizeof hosted_calls / sizeof *hosted_calls];
    memcpy(plots, hosted_calls, sizeof plots);
    for (size_t i = 0; i < sizeof plots / sizeof *plots; i++)
        plots[i].way = how;
    PLAY(how == ON_ARRAYS ? "faults on arrays" : "faults on copied arrays", plots, false);
}

Test(faults, arrays)
{
    play_hosted(ON_ARRAYS);
}

Test(faults, copied_arrays)
{
    play_hosted(BY_COPIES);
}
