// SPDX-License-Identifier: Apache-2.0
//
// What drivers do at their worst: a compiler that refuses, a device without room, an event that
// ends in an error, a queue that is lost.

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attempt.h"
#include "host/cl/call.h"
#include "host/cl/engine.h"
#include "host/cl/queue_pool.h"
#include "scene.h"

// The compiler refuses ---------------------------------------------------------------------------

static const scene_plot gather_plot = {
    .name = "gather_nd", .op = GATHER_ND, .bounds = CLND_BOUNDS_ERROR};
static const scene_plot report_plot = {
    .name = "gather_nd, report", .op = GATHER_ND, .bounds = CLND_BOUNDS_ERROR, .reports = true};
static const scene_plot zeros_plot = {
    .name = "scatter_nd, report", .op = SCATTER_ND, .bounds = CLND_BOUNDS_ERROR, .reports = true};
static const scene_plot halves_plot = {.name = "scatter_nd_into, halves",
                                       .op = SCATTER_ND_INTO,
                                       .dtype = CLND_FLOAT16,
                                       .reduce = CLND_REDUCE_ADD,
                                       .bounds = CLND_BOUNDS_SKIP,
                                       .deterministic = true};
static const scene_plot wide_plot = {.name = "scatter_nd_into, halves, a copy",
                                     .op = SCATTER_ND_INTO,
                                     .dtype = CLND_FLOAT16,
                                     .reduce = CLND_REDUCE_ADD,
                                     .bounds = CLND_BOUNDS_SKIP,
                                     .strategy = "must,owner",
                                     .deterministic = true};
static const scene_plot host_plot = {
    .name = "host gather_nd", .op = GATHER_ND, .way = ON_ARRAYS, .bounds = CLND_BOUNDS_ERROR};

// Each call has kernels with some option, and these do not compile.
static const struct {
    const scene_plot *plot;
    const char *option;
} refused[] = {
    {&gather_plot, "-DUNIT"},   {&gather_plot, ""},
    {&report_plot, "-DUNIT"},   {&zeros_plot, "-DUNIT"},
    {&zeros_plot, "-DREDUCE"},  {&wide_plot, "-DWIDE=1"},
    {&host_plot, "-DUNIT"},     {&wide_plot, "-cl-std=CL1.2 -DDTYPE"},
    {&halves_plot, "-DWIDE=2"},
};

static void check_build_log(clnd_engine *engine, bool expected)
{
    char small[8], *log;
    const size_t size = clnd_engine_build_log(engine, NULL, 0);
    check((size > 1) == expected, "%zu bytes of log", size);
    log = malloc(size);
    check(log, "out of memory");
    check(clnd_engine_build_log(engine, log, size) == size && strlen(log) == size - 1, "size");
    check(clnd_engine_build_log(engine, small, sizeof small) == size, "size with little room");
    check(strncmp(small, log, sizeof small - 1) == 0 && strlen(small) < sizeof small, "cut");
    check(!expected || strstr(log, "spoiled_by_the_test"), "the log is \"%s\"", log);
    free(log);
}

Test(faults_drivers, compiler_refuses)
{
    device_get();
    for (int i = 0; i < (int)(sizeof refused / sizeof *refused); i++) {
        device d;
        scene s;
        case_begin("build failures", i);
        const holdings before = holdings_now();
        scene_open_engine(&d);
        scene_make(&s, refused[i].plot, &d, d.engine);
        check_build_log(d.engine, false);
        for (int again = 0; again < 2; again++) {
            opencl_spoil(refused[i].option);
            check_status(scene_play(&s), CLND_BUILD_FAILED);
            opencl_begin();
            check(clnd_last_error_code() != CL_SUCCESS, "no code");
            check_message("did not compile with \"");
            check_message("; the engine's build log has the compiler's text");
            scene_check(&s, IS_BEFORE);
            check_build_log(d.engine, true);
        }
        // a compiler that comes to its senses
        check_status(scene_play(&s), CLND_OK);
        scene_check(&s, IS_AFTER);
        check_build_log(d.engine, true);
        scene_free(&s);
        scene_close_engine(&d, &before);
    }
}

// Kernels for Intel's GPUs count bytes in 32 bits, unless an option says otherwise. PoCL, which is
// made to look like one, knows no such option, so a call that asks for it fails, and before
// anything is written.
Test(faults_drivers, intel_gpus_are_told_of_large_buffers)
{
    static const scene_plot plots[] = {
        {.name = "gather", .op = GATHER_ND, .bounds = CLND_BOUNDS_ZERO},
        {.name = "check", .op = GATHER, .bounds = CLND_BOUNDS_ERROR},
        {.name = "scatter", .op = SCATTER_ND_INTO, .bounds = CLND_BOUNDS_SKIP},
        {.name = "slice", .op = STRIDED_SLICE, .slice = "::2"},
        {.name = "grad", .op = STRIDED_SLICE_GRAD, .slice = "::2"},
        {.name = "nothing to select",
         .op = SCATTER_ND_INTO,
         .bounds = CLND_BOUNDS_ERROR,
         .empty = true},
    };
    static const struct {
        const char *platform;
        bool is_cpu;
        uint64_t bytes;
        bool told;
    } cases[] = {{"Intel(R) OpenCL Graphics", false, UINT64_C(5) << 30, true},
                 {"Intel(R) OpenCL HD Graphics", false, (UINT64_C(4) << 30) + 1, true},
                 {"Intel(R) OpenCL", false, UINT64_C(4) << 30, false},
                 {"Intel(R) OpenCL", true, UINT64_C(5) << 30, false},
                 {"Portable Computing Language", false, UINT64_C(5) << 30, false}};
    device_get();
    for (int i = 0; i < (int)(5 * sizeof plots / sizeof *plots); i++) {
        device d;
        scene s;
        case_begin("large buffers", i);
        const holdings before = holdings_now();
        scene_open_engine(&d);
        strcpy(d.engine->facts.platform, cases[i % 5].platform);
        d.engine->facts.is_cpu = cases[i % 5].is_cpu;
        scene_make(&s, &plots[i / 5], &d, d.engine);
        opencl_enlarge((size_t)cases[i % 5].bytes);
        const clnd_status otherwise = plots[i / 5].empty ? CLND_INDEX_OUT_OF_BOUNDS : CLND_OK;
        check_status(scene_play(&s), cases[i % 5].told ? CLND_BUILD_FAILED : otherwise);
        opencl_begin();
        if (cases[i % 5].told)
            check_message(" -cl-intel-greater-than-4GB-buffer-required ");
        scene_check(&s, cases[i % 5].told ? IS_BEFORE : IS_AFTER);
        scene_free(&s);
        scene_close_engine(&d, &before);
    }
}

// Some CPUs have kernels of their own (kernels_cl/rows.clh), which these calls show by failing.
Test(faults_drivers, some_cpus_fetch_rows_into_the_first_cache)
{
    device_get();
    for (int i = 0; i < 2; i++) {
        device d;
        scene s;
        case_begin("processors", i);
        const holdings before = holdings_now();
        scene_open_engine(&d);
        d.engine->facts.fetches_into_first_cache = i;
        scene_make(&s, &gather_plot, &d, d.engine);
        opencl_spoil("-DFIRST_CACHE=1");
        check_status(scene_play(&s), i ? CLND_BUILD_FAILED : CLND_OK);
        opencl_begin();
        scene_check(&s, i ? IS_BEFORE : IS_AFTER);
        scene_free(&s);
        scene_close_engine(&d, &before);
    }
}

// PoCL says so to one of several processes that build the same program at the same time.
Test(faults_drivers, compiler_fails_once)
{
    const clnd_device_facts *usual = device_get()->facts;
    device d;
    scene s;
    case_begin("one build that fails", 0);
    const holdings before = holdings_now();
    bool came = true;
    for (int build = 0; came; build++) {
        case_note("build %d", build);
        opencl_begin();
        opencl_fail(OPENCL_BuildProgram, build, false, CL_BUILD_PROGRAM_FAILURE);
        opencl_enter();
        check_status(clnd_engine_open(NULL, NULL, &d.engine), CLND_OK);
        opencl_leave();
        came = opencl.failed != OPENCL_NONE;
        check(came || build > 0, "an engine builds nothing");
        const clnd_device_facts *facts = clnd_engine_facts(d.engine);
        check(facts->fp64 == usual->fp64 && facts->fp16 == usual->fp16 &&
                  facts->int64_atomics == usual->int64_atomics,
              "a feature is lost");
        opencl_begin();
        scene_close_engine(&d, &before);
    }
    scene_open_engine(&d);
    scene_make(&s, &gather_plot, &d, d.engine);
    opencl_fail(OPENCL_BuildProgram, 0, false, CL_BUILD_PROGRAM_FAILURE);
    check_status(scene_play(&s), CLND_OK);
    check(opencl.failed == OPENCL_BuildProgram, "nothing failed");
    opencl_begin();
    scene_check(&s, IS_AFTER);
    check_build_log(d.engine, false);
    scene_free(&s);
    scene_close_engine(&d, &before);
}

// What the engine's callback heard, one message behind the other.
typedef struct heard {
    int count;
    char text[8192];
} heard;

static void hear(const char *message, void *user)
{
    heard *h = user;
    const size_t length = strlen(h->text);
    h->count++;
    snprintf(h->text + length, sizeof h->text - length, "%s\n", message);
}

Test(faults_drivers, log_hears_of_builds_and_probes)
{
    device d;
    scene s;
    static heard h;
    const clnd_engine_options options = {.log = hear, .log_user = &h};
    case_begin("log", 0);
    const clnd_device_facts *usual = device_get()->facts;
    const holdings before = holdings_now();
    opencl_spoil("-DFP64"); // the program of all that is claimed, and that of fp64 alone
    opencl_enter();
    check_status(clnd_engine_open(NULL, &options, &d.engine), CLND_OK);
    opencl_leave();
    opencl_begin();
    check(!usual->fp64 || strstr(h.text, " claims fp64, but a probe of it failed"), "heard \"%s\"",
          h.text);
    check(h.count == usual->fp64, "%d messages: \"%s\"", h.count, h.text);
    scene_close_engine(&d, &before);

    case_begin("log", 1);
    h = (heard){.count = 0};
    scene_open_engine_with(&d, &options);
    check(h.count == 0, "heard \"%s\"", h.text);
    scene_make(&s, &gather_plot, &d, d.engine);
    opencl_spoil("-DUNIT");
    check_status(scene_play(&s), CLND_BUILD_FAILED);
    opencl_begin();
    check(h.count == 2 && strncmp(h.text, "kernel ", 7) == 0 &&
              strstr(h.text, " did not compile with \"") && strstr(h.text, "spoiled_by_the_test"),
          "%d messages: \"%s\"", h.count, h.text);
    h = (heard){.count = 0};
    opencl_fail(OPENCL_BuildProgram, 0, false, CL_BUILD_PROGRAM_FAILURE);
    check_status(scene_play(&s), CLND_OK);
    opencl_begin();
    scene_check(&s, IS_AFTER);
    check(h.count == 1 && strstr(h.text, "compiled it at the second try: -cl-std="),
          "%d messages: \"%s\"", h.count, h.text);
    scene_free(&s);
    scene_close_engine(&d, &before);
}

// No log, or no memory for it, is no other failure.
Test(faults_drivers, build_log_is_not_to_be_had)
{
    device d;
    scene s;
    case_begin("no build log", 0);
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    scene_make(&s, &gather_plot, &d, d.engine);
    for (int i = 0; i < 3; i++) {
        case_begin("no build log", i);
        opencl_enter(); // forget the kernels
        clnd__program_cache_close(&d.engine->programs);
        check_status(clnd__program_cache_open(&d.engine->programs), CLND_OK);
        opencl_leave();
        opencl_spoil("");
        if (i < 2)
            opencl_fail(OPENCL_GetProgramBuildInfo, i, false, CL_OUT_OF_HOST_MEMORY);
        else
            memory_fail(2); // behind the kernel's entry and its lock
        check_status(scene_play(&s), CLND_BUILD_FAILED);
        check(i < 2 || memory_has_failed(), "the log took no memory");
        opencl_begin();
        memory_fail(-1);
        check(clnd_engine_build_log(d.engine, NULL, 0) == 1, "a log");
        scene_check(&s, IS_BEFORE);
    }
    check_status(scene_play(&s), CLND_OK);
    scene_check(&s, IS_AFTER);
    scene_free(&s);
    scene_close_engine(&d, &before);
}

// No room on the device --------------------------------------------------------------------------

// Whatever buffer a call needs besides its tensors.
Test(faults_drivers, out_of_device_memory)
{
    static const scene_plot plots[] = {
        {.name = "check", .op = GATHER_ND, .bounds = CLND_BOUNDS_ERROR},
        {.name = "report", .op = GATHER, .bounds = CLND_BOUNDS_ERROR, .reports = true},
        {.name = "fill", .op = GATHER_ELEMENTS, .bounds = CLND_BOUNDS_FILL},
        {.name = "workspace",
         .op = SCATTER_ND_INTO,
         .dtype = CLND_FLOAT16,
         .reduce = CLND_REDUCE_ADD,
         .bounds = CLND_BOUNDS_SKIP,
         .deterministic = true},
        {.name = "copies", .op = COPY, .way = BY_COPIES},
    };
    static const cl_int codes[] = {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES,
                                   CL_INVALID_BUFFER_SIZE};
    device_get();
    for (int i = 0; i < (int)(3 * sizeof plots / sizeof *plots); i++) {
        device d;
        scene s;
        case_begin("out of device memory", i);
        const holdings before = holdings_now();
        scene_open_engine(&d);
        scene_make(&s, &plots[i / 3], &d, d.engine);
        opencl_fail(OPENCL_CreateBuffer, 0, false, codes[i % 3]);
        check_status(scene_play(&s), CLND_OUT_OF_DEVICE_MEMORY);
        check(clnd_last_error_code() == codes[i % 3], "code %d", (int)clnd_last_error_code());
        check_message("clCreateBuffer: out of device memory");
        opencl_begin();
        scene_check(&s, IS_BEFORE);
        check_status(scene_play(&s), CLND_OK);
        scene_check(&s, IS_AFTER);
        scene_free(&s);
        scene_close_engine(&d, &before);
    }
}

Test(faults_drivers, buffer_beyond_the_largest)
{
    const device *d = device_get();
    const size_t largest = (size_t)d->facts->max_allocation;
    char expected[160];
    cl_mem buffer;
    case_begin("a buffer beyond the largest", 0);
    snprintf(expected, sizeof expected,
             "a buffer of %zu bytes is needed, the device's largest has %zu "
             "(CL_DEVICE_MAX_MEM_ALLOC_SIZE)",
             largest + 1, largest);
    opencl_begin();
    opencl_fail(OPENCL_CreateBuffer, 0, false, CL_INVALID_BUFFER_SIZE);
    opencl_enter();
    check_status(clnd__buffer_create(d->engine, largest + 1, NULL, &buffer),
                 CLND_OUT_OF_DEVICE_MEMORY);
    opencl_leave();
    opencl_begin();
    check_message(expected);
}

// Events that end in an error --------------------------------------------------------------------

// A wait list that has failed before the call, for every op.
Test(faults_drivers, wait_list_has_failed)
{
    static const scene_plot plots[] = {
        {.name = "gather_nd", .op = GATHER_ND, .bounds = CLND_BOUNDS_ERROR},
        {.name = "gather", .op = GATHER, .bounds = CLND_BOUNDS_ZERO},
        {.name = "gather_elements", .op = GATHER_ELEMENTS, .reports = true},
        {.name = "scatter_nd", .op = SCATTER_ND},
        {.name = "scatter_nd_into", .op = SCATTER_ND_INTO, .reports = true},
        {.name = "scatter_elements", .op = SCATTER_ELEMENTS, .bounds = CLND_BOUNDS_SKIP},
        {.name = "strided_slice", .op = STRIDED_SLICE, .slice = "::2"},
        {.name = "strided_slice_assign", .op = STRIDED_SLICE_ASSIGN, .slice = "1:3"},
        {.name = "strided_slice_grad", .op = STRIDED_SLICE_GRAD, .slice = "1:3"},
        {.name = "copy", .op = COPY},
        {.name = "nothing", .op = COPY, .empty = true},
    };
    device d;
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    for (int i = 0; i < (int)(sizeof plots / sizeof *plots); i++) {
        scene s;
        cl_int code;
        case_begin("failed wait list", i);
        scene_make(&s, &plots[i], &d, d.engine);
        s.gate = clCreateUserEvent(d.context, &code);
        check_cl(code);
        check_cl(clSetUserEventStatus(s.gate, -77));
        check_status(scene_play(&s), CLND_WAIT_FAILED);
        check(clnd_last_error_code() == -77, "code %d", (int)clnd_last_error_code());
        check_message("wait[0] has failed with -77");
        scene_check(&s, IS_BEFORE);
        check_cl(clReleaseEvent(s.gate));
        s.gate = NULL;
        check_status(scene_play(&s), CLND_OK);
        scene_check(&s, IS_AFTER);
        scene_free(&s);
    }
    scene_close_engine(&d, &before);
}

// While a call waits for its check, some drivers say that the list failed, others say it of the
// events alone.
Test(faults_drivers, wait_list_fails_while_it_is_waited_for)
{
    device d;
    scene s;
    const scene_plot plot = {
        .name = "gather_nd", .op = GATHER_ND, .bounds = CLND_BOUNDS_ERROR, .waits = true};
    case_begin("failing wait list", 0);
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    scene_make(&s, &plot, &d, d.engine);
    opencl_fail(OPENCL_WaitForEvents, 0, false, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    check_status(scene_play(&s), CLND_WAIT_FAILED);
    check_message("an event of wait has failed");
    scene_check(&s, IS_BEFORE);
    opencl_begin();
    check_status(scene_play(&s), CLND_OK);
    scene_check(&s, IS_AFTER);
    scene_free(&s);
    scene_close_engine(&d, &before);
}

// An event that fails after the call has been enqueued: a report must not say that all is well, and
// nothing may be kept.
Test(faults_drivers, event_fails_behind_a_report)
{
    device d;
    scene s;
    case_begin("failing event of a report", 0);
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    scene_make(&s, &report_plot, &d, d.engine);
    check_status(scene_play(&s), CLND_OK);
    scene_check(&s, IS_AFTER);
    opencl_enter();
    check_status(clnd_report_wait(s.report, NULL), CLND_OK);
    // what a driver says of a check whose command failed
    check_status(scene_play(&s), CLND_OK);
    opencl_enter();
    opencl_fail(OPENCL_WaitForEvents, 0, false, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    clnd_report_result result;
    check_status(clnd_report_wait(s.report, &result), CLND_OPENCL_ERROR);
    opencl_begin();
    check(result.status == CLND_OPENCL_ERROR && result.call == 1, "call %d", (int)result.call);
    check(clnd_last_error_code() == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "code %d",
          (int)clnd_last_error_code());
    opencl_leave();
    // the first failure stays
    check_status(scene_play(&s), CLND_OK);
    opencl_enter();
    opencl_fail(OPENCL_WaitForEvents, 0, false, CL_OUT_OF_RESOURCES);
    check_status(clnd_report_wait(s.report, &result), CLND_OPENCL_ERROR);
    opencl_begin();
    check(result.call == 1, "call %d", (int)result.call);
    check(clnd_last_error_code() == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "code %d",
          (int)clnd_last_error_code());
    check_status(clnd_report_reset(s.report), CLND_OK);
    opencl_leave();
    scene_check(&s, IS_AFTER);
    check_status(scene_play(&s), CLND_OK);
    opencl_enter();
    check_status(clnd_report_wait(s.report, NULL), CLND_OK);
    opencl_leave();
    scene_free(&s);
    scene_close_engine(&d, &before);
}

static cl_int end_of(cl_event event)
{
    cl_int status = CL_QUEUED;
    for (int i = 0; i < 500 && status > 0; i++) {
        check_cl(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return status;
}

static void fail_behind(const scene_plot *plots, int n)
{
    device d;
    const holdings before = holdings_now();
    scene_open_engine(&d);
    for (int i = 0; i < n; i++) {
        scene s;
        cl_int code;
        cl_event event = NULL;
        case_begin("event that fails later", i);
        scene_make(&s, &plots[i], &d, d.engine);
        s.gate = clCreateUserEvent(d.context, &code);
        check_cl(code);
        check_status(scene_begin(&s, &event), CLND_OK);
        check_cl(clFlush(s.queue));
        check_cl(clSetUserEventStatus(s.gate, -77));
        check(end_of(event) < 0, "the call's event ended with %d", (int)end_of(event));
        if (s.report) {
            opencl_enter();
            check_status(clnd_report_wait(s.report, NULL), CLND_OPENCL_ERROR);
            check(clnd_last_error_code() < 0, "code %d", (int)clnd_last_error_code());
            check_status(clnd_report_reset(s.report), CLND_OK);
            opencl_leave();
        }
        check_cl(clReleaseEvent(event));
        check_cl(clReleaseEvent(s.gate));
        s.gate = NULL;
        // a driver may have given up this queue
        check_cl(clReleaseCommandQueue(s.queue));
        s.queue = NULL;
        scene_check(&s, IS_BEFORE);
        check_status(scene_play(&s), CLND_OK);
        scene_check(&s, IS_AFTER);
        scene_free(&s);
    }
    scene_close_engine(&d, &before);
}

// An event that fails when the call has long been enqueued: the call's own event fails too, its
// output is as it was, and a report tells.
Test(faults_drivers, event_fails_behind_the_call)
{
    static const scene_plot plots[] = {
        {.name = "gather_nd", .op = GATHER_ND, .bounds = CLND_BOUNDS_ZERO, .own_queue = true},
        {.name = "gather, fill", .op = GATHER, .bounds = CLND_BOUNDS_FILL, .own_queue = true},
        {.name = "copy", .op = COPY, .own_queue = true},
        {.name = "nothing", .op = COPY, .empty = true, .own_queue = true},
        // Of several commands: PoCL 3.1 aborts where others alone hold the event of one that fails.
        {.name = "scatter_nd", .op = SCATTER_ND, .bounds = CLND_BOUNDS_SKIP, .own_queue = true},
        {.name = "grad", .op = STRIDED_SLICE_GRAD, .slice = "::2", .own_queue = true},
        {.name = "report",
         .op = GATHER_ND,
         .bounds = CLND_BOUNDS_ERROR,
         .reports = true,
         .own_queue = true},
    };
    device_get();
    fail_behind(plots, sizeof plots / sizeof *plots);
}

// A queue that is lost ---------------------------------------------------------------------------

// Every command on the caller's queue fails, from the first to all later ones; other queues work.
Test(faults_drivers, caller_loses_a_queue)
{
    static const scene_plot plots[] = {
        {.name = "gather_nd", .op = GATHER_ND, .bounds = CLND_BOUNDS_ERROR, .own_queue = true},
        {.name = "report",
         .op = SCATTER_ND,
         .bounds = CLND_BOUNDS_ERROR,
         .own_queue = true,
         .reports = true},
        {.name = "halves",
         .op = SCATTER_ND_INTO,
         .dtype = CLND_FLOAT16,
         .reduce = CLND_REDUCE_ADD,
         .bounds = CLND_BOUNDS_SKIP,
         .deterministic = true,
         .own_queue = true},
        {.name = "grad", .op = STRIDED_SLICE_GRAD, .slice = "1:3", .own_queue = true},
        {.name = "copy", .op = COPY, .own_queue = true},
        {.name = "nothing", .op = COPY, .empty = true, .own_queue = true},
    };
    device d;
    device_get();
    const holdings nothing = holdings_now();
    scene_open_engine(&d);
    for (int i = 0; i < (int)(sizeof plots / sizeof *plots); i++) {
        scene s;
        case_begin("lost queue", i);
        scene_make(&s, &plots[i], &d, d.engine);
        check_status(scene_play(&s), CLND_OK);
        scene_check(&s, IS_AFTER);
        clnd_report_result result;
        opencl_enter();
        if (s.report)
            check_status(clnd_report_wait(s.report, &result), CLND_OK);
        opencl_leave();
        const holdings before = holdings_now();
        cl_command_queue lost = s.queue;
        for (int again = 0; again < 3; again++) {
            opencl_lose(lost);
            check_status(scene_play(&s), CLND_OUT_OF_DEVICE_MEMORY);
            check_message("clEnqueue");
            opencl_begin();
            scene_check(&s, IS_BEFORE);
            holdings_check(&before);
        }
        s.queue = device_new_queue(&d, false);
        opencl_lose(lost);
        check_status(scene_play(&s), CLND_OK);
        opencl_begin();
        scene_check(&s, IS_AFTER);
        check_cl(clReleaseCommandQueue(lost));
        scene_free(&s);
    }
    scene_close_engine(&d, &nothing);
}

// The queue of a host call belongs to the engine: the call that finds it lost fails, the next one
// has another.
Test(faults_drivers, engine_loses_a_queue)
{
    device d;
    device_get();
    const holdings nothing = holdings_now();
    scene_open_engine(&d);
    for (int how = ON_ARRAYS; how <= BY_COPIES; how++) {
        scene s;
        const scene_plot plot = {.name = "host gather_nd", .op = GATHER_ND, .way = (scene_way)how};
        case_begin("lost queue of the engine", how);
        scene_make(&s, &plot, &d, d.engine);
        check_status(scene_play(&s), CLND_OK);
        scene_check(&s, IS_AFTER);
        const holdings before = holdings_now();
        check(d.engine->queues.n_idle == 1, "%d idle queues", d.engine->queues.n_idle);
        // clFinish may succeed all the same: nothing is left to be done
        opencl_lose(d.engine->queues.idle[0]);
        for (int finishes = 0; finishes < 2; finishes++) {
            if (finishes)
                opencl_fail(how == ON_ARRAYS ? OPENCL_EnqueueNDRangeKernel
                                             : OPENCL_EnqueueWriteBuffer,
                            0, false, CL_OUT_OF_RESOURCES);
            check_status(scene_play(&s), CLND_OUT_OF_DEVICE_MEMORY);
            check(d.engine->queues.n_idle == 0, "the lost queue is kept");
            opencl_begin();
            scene_check(&s, IS_BEFORE);
            holdings_check(&before);
            check_status(scene_play(&s), CLND_OK);
            scene_check(&s, IS_AFTER);
            holdings_check(&before);
        }
        scene_free(&s);
    }
    scene_close_engine(&d, &nothing);
}

// What an interrupted check leaves behind --------------------------------------------------------

static void set_row(scene *s, int32_t row)
{
    placed *indices = &s->arrays[s->plot->op <= GATHER_ELEMENTS ? 1 : 0].image;
    memcpy(indices->host.data, &row, sizeof row);
    placed_upload(indices, s->d);
}

// A check that found a bad row, but could not say so: its verdict is not taken for the next call's.
// Of a scatter by one kernel, one read that fails is made up for: the kernel has been at work.
Test(faults_drivers, verdict_that_was_not_read)
{
    static const scene_plot sum_plot = {.name = "scatter_nd_into",
                                        .op = SCATTER_ND_INTO,
                                        .reduce = CLND_REDUCE_ADD,
                                        .bounds = CLND_BOUNDS_ERROR};
    static const struct {
        const scene_plot *plot;
        clnd_status after_read[2];
        scene_output output;
    } cases[] = {
        {&gather_plot, {CLND_OUT_OF_DEVICE_MEMORY, CLND_OUT_OF_DEVICE_MEMORY}, IS_ANYTHING},
        {&sum_plot, {CLND_INDEX_OUT_OF_BOUNDS, CLND_OUT_OF_DEVICE_MEMORY}, IS_BEFORE},
    };
    device d;
    scene s;
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    for (int i = 0; i < 4; i++) {
        case_begin("unread verdict", i);
        scene_make(&s, cases[i / 2].plot, &d, d.engine);
        set_row(&s, 1000);
        opencl_fail(OPENCL_EnqueueReadBuffer, i % 2, false, CL_OUT_OF_RESOURCES);
        check_status(scene_play(&s), cases[i / 2].after_read[i % 2]);
        opencl_begin();
        scene_check(&s, cases[i / 2].output);
        set_row(&s, 3);
        check_status(scene_play(&s), CLND_OK);
        scene_check(&s, IS_AFTER);
        scene_free(&s);
    }
    scene_close_engine(&d, &before);
}

// A call that failed is none of the report's, whatever its check has found.
Test(faults_drivers, failed_calls_do_not_count)
{
    device d;
    scene s;
    clnd_report_result result;
    case_begin("failed calls of a report", 0);
    device_get();
    const holdings before = holdings_now();
    scene_open_engine(&d);
    scene_make(&s, &report_plot, &d, d.engine);
    for (int command = 0; command < 3; command++) {
        set_row(&s, 4);
        opencl_fail(OPENCL_EnqueueNDRangeKernel, command, false, CL_OUT_OF_RESOURCES);
        check_status(scene_play(&s), CLND_OUT_OF_DEVICE_MEMORY);
        opencl_begin();
        scene_check(&s, IS_BEFORE);
        // the next one does not get its verdict
        set_row(&s, 3);
        check_status(scene_play(&s), CLND_OK);
        scene_check(&s, IS_AFTER);
        opencl_enter();
        check_status(clnd_report_wait(s.report, &result), CLND_OK);
        opencl_leave();
    }
    set_row(&s, 4);
    check_status(scene_play(&s), CLND_OK);
    scene_check(&s, IS_BEFORE);
    opencl_enter();
    check_status(clnd_report_wait(s.report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check(result.call == 3, "call %d", (int)result.call);
    check_status(clnd_report_reset(s.report), CLND_OK);
    opencl_leave();
    set_row(&s, 3);
    check_status(scene_play(&s), CLND_OK);
    scene_check(&s, IS_AFTER);
    scene_free(&s);
    scene_close_engine(&d, &before);
}
