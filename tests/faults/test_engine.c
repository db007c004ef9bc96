// SPDX-License-Identifier: Apache-2.0
//
// Engines, devices, reports, plans and warm-up with every fault.

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "attempt.h"
#include "check.h"
#include "device.h"
#include "memory.h"
#include "opencl.h"
#include "text.h"

// A call of the library that makes nothing which lasts, or something that `undo` ends.
typedef struct trial {
    const char *name;
    clnd_status (*call)(void *what);
    void (*undo)(void *what);
    // Whether the call may go on without what has failed.
    bool (*tolerates)(opencl_function function, cl_int code);
    // The status of a failure if it is not fault_status().
    clnd_status (*status)(opencl_function function, cl_int code);
    bool leaves_nothing; // behind, so that one good call after all the others is enough
} trial;

static bool tolerates_nothing(opencl_function function, cl_int code)
{
    (void)function;
    (void)code;
    return false;
}

// Info that is no argument of the caller's: no matter which query failed, it is OpenCL's failure.
static clnd_status from_opencl(opencl_function function, cl_int code)
{
    const clnd_status status = fault_status(function, code);
    return status == CLND_OUT_OF_HOST_MEMORY || status == CLND_OUT_OF_DEVICE_MEMORY
               ? status
               : CLND_OPENCL_ERROR;
}

static clnd_status undone(const trial *t, void *what)
{
    const clnd_status status = t->call(what);
    if (t->undo)
        t->undo(what);
    return status;
}

static void check_failure(const trial *t, const fault *f, clnd_status status)
{
    if (f->kind == FAULT_MEMORY || !t->status) {
        fault_check_told(f, status);
        return;
    }
    const clnd_status expected = t->status(opencl.failed, opencl.failed_code);
    check(status == expected, "gave %s (%s), expected %s", clnd_status_name(status),
          clnd_last_error(), clnd_status_name(expected));
    if (expected != CLND_NO_DEVICE) {
        check(clnd_last_error_code() == opencl.failed_code, "code %d", (int)clnd_last_error_code());
        check_message(opencl_name(opencl.failed));
    }
}

// How many faults came up.
static int try_all(const trial *t, void *what)
{
    fault f = {0};
    bool came = false;
    int n = 0;
    opencl_enter();
    check_status(undone(t, what), CLND_OK);
    check_status(undone(t, what), CLND_OK);
    const holdings before = holdings_now();
    while (fault_next(&f, came)) {
        fault_arm(&f);
        const clnd_status status = undone(t, what);
        came = fault_disarm(&f);
        fault_note(&f, t->name);
        const bool tolerated = came && f.kind == FAULT_OPENCL && status == CLND_OK &&
                               t->tolerates(opencl.failed, opencl.failed_code);
        if (came && !tolerated) {
            check(status != CLND_OK, "the call goes on as if nothing had happened");
            check_failure(t, &f, status);
        } else {
            check_status(status, CLND_OK);
        }
        holdings_check(&before);
        n += came;
        if (t->leaves_nothing)
            continue;
        check_status(undone(t, what), CLND_OK);
        holdings_check(&before);
    }
    check_status(undone(t, what), CLND_OK);
    holdings_check(&before);
    opencl_leave();
    return n;
}

// Engines ----------------------------------------------------------------------------------------

typedef struct engine_case {
    const device *d;
    clnd_engine *engine;
} engine_case;

static clnd_status create_engine(void *what)
{
    engine_case *c = what;
    c->engine = (clnd_engine *)what;
    const clnd_status status = clnd_engine_create(c->d->context, c->d->id, NULL, &c->engine);
    check((c->engine != NULL) == (status == CLND_OK), "*engine is %s", c->engine ? "set" : "NULL");
    return status;
}

static clnd_status open_engine(void *what)
{
    engine_case *c = what;
    c->engine = (clnd_engine *)what;
    const clnd_status status = clnd_engine_open(NULL, NULL, &c->engine);
    check((c->engine != NULL) == (status == CLND_OK), "*engine is %s", c->engine ? "set" : "NULL");
    return status;
}

static void destroy_engine(void *what)
{
    engine_case *c = what;
    clnd_engine_destroy(&c->engine);
    clnd_engine_destroy(&c->engine);
}

// The devices of the other platforms are left.
static bool leaves_devices(opencl_function function, cl_int code)
{
    cl_uint platforms = 0;
    clGetPlatformIDs(0, NULL, &platforms);
    return function == OPENCL_GetDeviceIDs && code != CL_OUT_OF_HOST_MEMORY && platforms > 1;
}

// Atomics whose trial fails are atomics that the device lacks.
static bool trial_tolerates(opencl_function function, cl_int code)
{
    return device_get()->facts->float_atomics.language != CLND_ATOMICS_NONE &&
           code != CL_OUT_OF_HOST_MEMORY &&
           (function == OPENCL_CreateKernel || function == OPENCL_SetKernelArg ||
            function == OPENCL_CreateCommandQueue || function == OPENCL_CreateBuffer ||
            function == OPENCL_EnqueueNDRangeKernel || function == OPENCL_EnqueueReadBuffer);
}

// A feature that does not compile is one that the device lacks; names that are longer than there is
// room are left out.
static bool engine_tolerates(opencl_function function, cl_int code)
{
    return (function == OPENCL_BuildProgram && code != CL_OUT_OF_HOST_MEMORY) ||
           (function == OPENCL_GetPlatformInfo && code == CL_INVALID_VALUE) ||
           leaves_devices(function, code) || trial_tolerates(function, code);
}

static clnd_status from_opening(opencl_function function, cl_int code)
{
    // A platform that cannot name its devices has none.
    if (function == OPENCL_GetDeviceIDs && code != CL_OUT_OF_HOST_MEMORY)
        return CLND_NO_DEVICE;
    return from_opencl(function, code);
}

Test(faults_engine, create)
{
    engine_case c = {device_get(), NULL};
    case_begin("faults in engine_create", 0);
    const trial t = {"engine_create",  create_engine, destroy_engine,
                     engine_tolerates, from_opencl,   true};
    const int n = try_all(&t, &c);
    check(n > 60, "%d faults", n);
    check_message("engine_create: ");
}

Test(faults_engine, open)
{
    engine_case c = {device_get(), NULL};
    case_begin("faults in engine_open", 0);
    const trial t = {"engine_open",    open_engine,  destroy_engine,
                     engine_tolerates, from_opening, true};
    const int n = try_all(&t, &c);
    check(n > 60, "%d faults", n);
    check_message("engine_open: ");
    const holdings none = {0};
    // the test's own engine was opened outside
    const char *complaint = opencl_complaint(&none.owned);
    check(!complaint, "%s", complaint);
}

// By a name, which must be read before it can be compared.
static clnd_status open_by_name(void *what)
{
    engine_case *c = what;
    const clnd_status status = clnd_engine_open(c->d->facts->platform, NULL, &c->engine);
    check((c->engine != NULL) == (status == CLND_OK), "*engine is %s", c->engine ? "set" : "NULL");
    return status;
}

static clnd_status from_naming(opencl_function function, cl_int code)
{
    // A name that is too long is none.
    if (function == OPENCL_GetPlatformInfo && code == CL_INVALID_VALUE)
        return CLND_NO_DEVICE;
    return from_opening(function, code);
}

Test(faults_engine, open_by_name)
{
    engine_case c = {device_get(), NULL};
    case_begin("faults in engine_open by name", 0);
    const trial t = {"engine_open",    open_by_name, destroy_engine,
                     engine_tolerates, from_naming,  true};
    check(try_all(&t, &c) > 60, "too few faults");
}

// Devices ----------------------------------------------------------------------------------------

static clnd_status count_devices(void *what)
{
    int32_t count = 77;
    (void)what;
    const clnd_status status = clnd_device_count(&count);
    check(status == CLND_OK || count == 0, "*count is %u", count);
    return status;
}

static bool count_tolerates(opencl_function function, cl_int code)
{
    return function == OPENCL_GetDeviceIDs && code != CL_OUT_OF_HOST_MEMORY;
}

static clnd_status describe_device(void *what)
{
    char spec[24];
    clnd_device_facts facts;
    (void)what;
    return clnd_device_describe(0, spec, &facts);
}

static bool describe_tolerates(opencl_function function, cl_int code)
{
    return (function == OPENCL_GetPlatformInfo && code == CL_INVALID_VALUE) ||
           leaves_devices(function, code);
}

Test(faults_engine, devices)
{
    case_begin("faults in devices", 0);
    device_get();
    const trial count = {"device_count", count_devices, NULL, count_tolerates, from_opencl, true};
    const trial describe = {"device_describe",  describe_device, NULL,
                            describe_tolerates, from_opening,    true};
    check(try_all(&count, NULL) >= 15, "too few faults");
    check(try_all(&describe, NULL) >= 45, "too few faults");
}

// Warm-up ----------------------------------------------------------------------------------------

static clnd_status prepare(void *what)
{
    static const clnd_preparation kinds[] = {
        {.op = CLND_OP_COPY, .dtype = CLND_OPAQUE(16)},
        {.op = CLND_OP_SCATTER_ND, .dtype = CLND_INT32, .bounds = CLND_BOUNDS_ERROR},
    };
    return clnd_engine_prepare(what, sizeof kinds / sizeof *kinds, kinds);
}

static bool prepare_tolerates(opencl_function function, cl_int code)
{
    (void)code;
    // Memory that cannot be shared is copied; verdicts are given up, or read another way.
    return function == OPENCL_CreateBuffer || function == OPENCL_RetainEvent ||
           function == OPENCL_GetEventInfo || function == OPENCL_WaitForEvents ||
           function == OPENCL_EnqueueReadBuffer;
}

Test(faults_engine, prepare)
{
    const device *d = device_get();
    case_begin("faults in engine_prepare", 0);
    opencl_enter();
    const holdings before = holdings_now();
    clnd_engine *engine;
    check_status(clnd_engine_create(d->context, d->id, NULL, &engine), CLND_OK);
    const trial t = {"engine_prepare", prepare, NULL, prepare_tolerates, NULL, false};
    check(try_all(&t, engine) > 60, "too few faults");
    opencl_enter();
    clnd_engine_destroy(&engine);
    opencl_leave();
    holdings_check(&before);
}

// Reports ----------------------------------------------------------------------------------------

typedef struct report_case {
    const device *d;
    clnd_report *report;
} report_case;

static clnd_status create_report(void *what)
{
    report_case *c = what;
    c->report = (clnd_report *)what;
    const clnd_status status = clnd_report_create(c->d->engine, &c->report);
    check((c->report != NULL) == (status == CLND_OK), "*report is %s", c->report ? "set" : "NULL");
    return status;
}

static void destroy_report(void *what)
{
    report_case *c = what;
    clnd_report_destroy(&c->report);
}

Test(faults_engine, report_create)
{
    report_case c = {device_get(), NULL};
    case_begin("faults in report_create", 0);
    const trial t = {"report_create",   create_report, destroy_report,
                     tolerates_nothing, from_opencl,   true};
    check(try_all(&t, &c) >= 9, "too few faults");
}

typedef struct gathering {
    const device *d;
    placed params, indices, out;
    clnd_report *report;
} gathering;

static void make_gathering(gathering *g)
{
    *g = (gathering){.d = device_get()};
    text_tensor(&g->params, "params", case_rng(), CLND_INT32, "4,2: 1 2 3 4 5 6 7 8");
    text_tensor(&g->indices, "indices", case_rng(), CLND_INT32, "2,1: 2 4");
    text_tensor(&g->out, "out", case_rng(), CLND_INT32, "2,2: -1 -1 -1 -1");
    placed_upload(&g->params, g->d);
    placed_upload(&g->indices, g->d);
    placed_upload(&g->out, g->d);
    check_status(clnd_report_create(g->d->engine, &g->report), CLND_OK);
}

static void free_gathering(gathering *g)
{
    clnd_report_destroy(&g->report);
    placed_free(&g->params);
    placed_free(&g->indices);
    placed_free(&g->out);
}

// Row 1 is bad.
static void gather_into(gathering *g, clnd_report *report)
{
    const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR, .report = report};
    check_status(clnd_gather_nd(g->d->engine, NULL, &g->params.tensor, &g->indices.tensor,
                                &g->out.tensor, &options, 0, NULL, NULL),
                 CLND_OK);
    check_cl(clFinish(g->d->queue));
}

// Whether the fault came up in a wait or poll for one call.
static bool ask_with(gathering *g, const fault *f, bool poll)
{
    clnd_report_result result;
    bool done = true;
    opencl_enter();
    const holdings before = holdings_now();
    gather_into(g, g->report);
    fault_arm(f);
    const clnd_status status =
        poll ? clnd_report_poll(g->report, &done, &result) : clnd_report_wait(g->report, &result);
    const bool came = fault_disarm(f);
    fault_note(f, poll ? "report_poll" : "report_wait");
    check(done, "poll is not done, but nothing is under way");
    check(result.status == status && result.call == 0, "%s in the result, gave %s",
          clnd_status_name(result.status), clnd_status_name(status));
    if (came) {
        check(status == CLND_OPENCL_ERROR, "gave %s", clnd_status_name(status));
        check(clnd_last_error_code() == opencl.failed_code, "code %d", (int)clnd_last_error_code());
        check_message("gather_nd: ");
        check_message(opencl_name(opencl.failed));
    } else {
        check(status == CLND_INDEX_OUT_OF_BOUNDS, "gave %s", clnd_status_name(status));
        check_message("gather_nd: indices[1] = [4]");
    }
    check(strcmp(result.message, clnd_last_error()) == 0, "\"%s\"", result.message);
    // It stays until it is forgotten; then all is well again.
    check_status(clnd_report_wait(g->report, NULL), status);
    check_status(clnd_report_reset(g->report), CLND_OK);
    check_status(clnd_report_wait(g->report, &result), CLND_OK);
    opencl_leave();
    holdings_check(&before);
    return came;
}

Test(faults_engine, report_wait_and_poll)
{
    gathering g;
    case_begin("faults in report_wait", 0);
    make_gathering(&g);
    opencl_enter();
    gather_into(&g, g.report); // the engine has its kernels
    check_status(clnd_report_reset(g.report), CLND_OK);
    opencl_leave();
    for (int poll = 0; poll < 2; poll++) {
        fault f = {0};
        bool came = false;
        int n = 0;
        while (fault_next(&f, came)) {
            came = ask_with(&g, &f, poll != 0);
            n += came;
        }
        check(n >= 6, "%d faults", n);
    }
    placed_check(&g.out, g.d, EQUAL_BITS, NULL);
    free_gathering(&g);
}

// A poll flushes the queue of a call that is not over. If that cannot be done it would never be.
Test(faults_engine, report_poll_of_a_lost_queue)
{
    gathering g;
    cl_int code;
    case_begin("faults in report_poll", 0);
    make_gathering(&g);
    cl_event gate = clCreateUserEvent(g.d->context, &code);
    check_cl(code);
    const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR, .report = g.report};
    check_status(clnd_gather_nd(g.d->engine, NULL, &g.params.tensor, &g.indices.tensor,
                                &g.out.tensor, &options, 1, &gate, NULL),
                 CLND_OK);
    bool done = true;
    check_status(clnd_report_poll(g.report, &done, NULL), CLND_OK);
    check(!done, "done before the gate is open");
    opencl_fail(OPENCL_Flush, 0, false, CL_OUT_OF_RESOURCES);
    check_status(clnd_report_poll(g.report, &done, NULL), CLND_OPENCL_ERROR);
    check(done && clnd_last_error_code() == CL_OUT_OF_RESOURCES, "code %d",
          (int)clnd_last_error_code());
    opencl_begin();
    check_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    check_cl(clFinish(g.d->queue));
    check_cl(clReleaseEvent(gate));
    free_gathering(&g);
}

// Neither needs anything, so neither can fail; what they let go of is let go.
Test(faults_engine, report_reset_and_destroy)
{
    gathering g;
    case_begin("faults in report_reset", 0);
    make_gathering(&g);
    opencl_enter();
    const holdings before = holdings_now();
    for (int destroy = 0; destroy < 2; destroy++) {
        clnd_report *report;
        check_status(clnd_report_create(g.d->engine, &report), CLND_OK);
        for (int i = 0; i < 3; i++)
            gather_into(&g, report);
        opencl_fail_any(0, 0);
        memory_fail(0);
        if (!destroy)
            check_status(clnd_report_reset(report), CLND_OK);
        clnd_report_destroy(&report);
        check(opencl.failed == OPENCL_NONE && !memory_has_failed(), "it needed something");
        opencl_begin();
        memory_fail(-1);
        // the engine keeps the kernels
        const holdings now = holdings_now();
        check(now.owned.count[OPENCL_MEMORY] == before.owned.count[OPENCL_MEMORY] &&
                  now.owned.count[OPENCL_EVENT] == before.owned.count[OPENCL_EVENT] &&
                  now.owned.count[OPENCL_QUEUE] == before.owned.count[OPENCL_QUEUE] &&
                  now.owned.count[OPENCL_CONTEXT] == before.owned.count[OPENCL_CONTEXT],
              "something is left of the report");
    }
    opencl_leave();
    free_gathering(&g);
}
