// SPDX-License-Identifier: Apache-2.0
//
// Several engines, contexts and devices at once, in one process. PoCL shows two devices here
// (POCL_DEVICES in meson.build).

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "device.h"

enum { ROWS = 500, ROUNDS = 30, MAX_ENGINES = 8 };

// Memory of one engine's context, and the tensors in it.
typedef struct site {
    clnd_engine *engine;
    cl_command_queue queue;
    cl_mem memory[3];
    clnd_tensor table, places, rows;
    int32_t numbers[ROWS], order[ROWS];
    const char *problem;
} site;

// Returns what went wrong, because it also runs on threads that may not end a test.
static const char *site_make(site *s, clnd_engine *engine, cl_command_queue_properties properties)
{
    cl_int code;
    s->engine = engine;
    s->problem = NULL;
    for (int i = 0; i < ROWS; ++i) {
        s->numbers[i] = 3 * i + 1;
        s->order[i] = (7 * i + 3) % ROWS;
    }
    cl_context context = clnd_engine_context(engine);
    s->queue = clCreateCommandQueue(context, clnd_engine_device(engine), properties, &code);
    if (code != CL_SUCCESS)
        return "no queue";
    void *contents[] = {s->numbers, s->order, s->order};
    for (int i = 0; i < 3; ++i) {
        s->memory[i] =
            clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof s->numbers, contents[i], &code);
        if (code != CL_SUCCESS)
            return "no buffer";
    }
    if (clnd_tensor_dense(s->memory[0], 0, CLND_INT32, 1, (int64_t[]){ROWS}, &s->table) ||
        clnd_tensor_dense(s->memory[1], 0, CLND_INT32, 2, (int64_t[]){ROWS, 1}, &s->places) ||
        clnd_tensor_dense(s->memory[2], 0, CLND_INT32, 1, (int64_t[]){ROWS}, &s->rows))
        return "no tensor";
    return NULL;
}

static void site_free(site *s)
{
    for (int i = 0; i < 3; ++i)
        clReleaseMemObject(s->memory[i]);
    clReleaseCommandQueue(s->queue);
}

// rows = table[places]; table[places] += rows; which doubles the table. `wait` may be NULL.
static const char *double_table(site *s, const cl_event *wait, cl_event *event)
{
    const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD};
    cl_event gathered;
    if (clnd_gather_nd(s->engine, s->queue, &s->table, &s->places, &s->rows, NULL, wait != NULL,
                       wait, &gathered))
        return "gather_nd failed";
    const clnd_status status = clnd_scatter_nd_into(s->engine, s->queue, &s->places, &s->rows,
                                                    &s->table, &add, 1, &gathered, event);
    clReleaseEvent(gathered);
    return status ? "scatter_nd_into failed" : NULL;
}

static const char *check_table(site *s, int32_t factor)
{
    int32_t got[ROWS];
    if (clEnqueueReadBuffer(s->queue, s->memory[0], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL))
        return "no reading";
    for (int i = 0; i < ROWS; ++i)
        if (got[i] != s->numbers[i] * factor)
            return "a wrong element";
    return NULL;
}

static void *work(void *data)
{
    site *s = data;
    int32_t factor = 1;
    cl_event last = NULL;
    for (int i = 0; i < ROUNDS && !s->problem; ++i) {
        cl_event event = NULL;
        s->problem = double_table(s, last ? &last : NULL, &event);
        if (last)
            clReleaseEvent(last);
        last = event;
        factor = (int32_t)((uint32_t)factor * 2);
        if (i % 10 == 9 && !s->problem) {
            clWaitForEvents(1, &last);
            // The numbers have become too large: start anew.
            s->problem = check_table(s, factor);
            clEnqueueWriteBuffer(s->queue, s->memory[0], CL_TRUE, 0, sizeof s->numbers, s->numbers,
                                 0, NULL, NULL);
            factor = 1;
        }
    }
    if (last)
        clReleaseEvent(last);
    return NULL;
}

// An engine for every device, in a context of its own, and two sites each, all at work at once.
Test(engines, of_all_devices_work_at_once)
{
    device_get();
    case_begin("engines", 0);
    int32_t count;
    check_status(clnd_device_count(&count), CLND_OK);
    if (count > MAX_ENGINES)
        count = MAX_ENGINES;
    clnd_engine *engines[MAX_ENGINES];
    static site sites[2 * MAX_ENGINES];
    pthread_t threads[2 * MAX_ENGINES];
    for (int32_t i = 0; i < count; ++i) {
        char spec[24];
        clnd_device_facts facts;
        check_status(clnd_device_describe(i, spec, &facts), CLND_OK);
        check_status(clnd_engine_open(spec, NULL, &engines[i]), CLND_OK);
        for (int32_t k = 2 * i; k < 2 * i + 2; ++k) {
            const char *problem = site_make(&sites[k], engines[i], 0);
            check(!problem, "%s: %s", spec, problem);
        }
    }
    for (int32_t k = 0; k < 2 * count; ++k)
        check(pthread_create(&threads[k], NULL, work, &sites[k]) == 0, "no thread");
    for (int32_t k = 0; k < 2 * count; ++k) {
        pthread_join(threads[k], NULL);
        check(!sites[k].problem, "device %d: %s", (int)k / 2, sites[k].problem);
        site_free(&sites[k]);
    }
    for (int32_t i = 0; i < count; ++i)
        clnd_engine_destroy(&engines[i]);
}

// Two devices of one context share buffers; events order what they do with them.
Test(engines, of_one_context_pass_buffers_on)
{
    const device *d = device_get();
    case_begin("engines_context", 0);
    cl_platform_id platform;
    cl_device_id ids[2];
    cl_uint n = 0;
    cl_int code;
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    check_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, ids, &n));
    if (n < 2)
        cr_skip_test("the platform has one device");
    cl_context context = clCreateContext(NULL, 2, ids, NULL, NULL, &code);
    check_cl(code);
    clnd_engine *engines[2];
    site first, second;
    for (int i = 0; i < 2; ++i)
        check_status(clnd_engine_create(context, ids[i], NULL, &engines[i]), CLND_OK);
    check(!site_make(&first, engines[0], 0) && !site_make(&second, engines[1], 0), "no sites");
    site shared = second; // the second engine and its queue, on the first one's memory
    shared.table = first.table;
    shared.places = first.places;
    shared.rows = first.rows;
    cl_event last = NULL;
    for (int i = 0; i < 20; ++i) {
        cl_event event;
        const char *problem = double_table(i % 2 ? &shared : &first, last ? &last : NULL, &event);
        check(!problem, "round %d: %s", i, problem);
        if (last)
            check_cl(clReleaseEvent(last));
        last = event;
    }
    check_cl(clWaitForEvents(1, &last));
    check_cl(clReleaseEvent(last));
    const char *problem = check_table(&first, 1 << 20);
    check(!problem, "%s", problem);

    // A queue of the other device is no queue of this engine.
    check_status(
        clnd_copy(engines[0], second.queue, &first.rows, &second.rows, NULL, 0, NULL, NULL),
        CLND_INVALID_QUEUE);
    check_message("queue is not of the engine's device");

    // Nor is the other device one of a context without it.
    clnd_engine *none = engines[0];
    cl_context alone = clCreateContext(NULL, 1, ids, NULL, NULL, &code);
    check_cl(code);
    check_status(clnd_engine_create(alone, ids[1], NULL, &none), CLND_NO_DEVICE);
    check_message("the device is not one of the context's");
    check(!none, "an engine in spite of the failure");
    check_cl(clReleaseContext(alone));
    site_free(&first);
    site_free(&second);
    for (int i = 0; i < 2; ++i)
        clnd_engine_destroy(&engines[i]);
    check_cl(clReleaseContext(context));
}

// What the caller holds and what the engine holds go in any order, with work under way.
Test(engines, go_in_any_order)
{
    const device *d = device_get();
    enum { ENGINE = 1, QUEUE = 2, MEMORY = 4, CONTEXT = 8, REPORT = 16, ALL = 31 };
    for (int i = 0; i < 24; ++i) {
        case_begin("engines_order", i);
        cl_int code;
        cl_context context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
        check_cl(code);
        clnd_engine *engine;
        clnd_report *report;
        site s;
        check_status(clnd_engine_create(context, d->id, NULL, &engine), CLND_OK);
        check_status(clnd_report_create(engine, &report), CLND_OK);
        check(!site_make(&s, engine, 0), "no site");
        cl_event event;
        const char *problem = double_table(&s, NULL, &event);
        check(!problem, "%s", problem);
        const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR, .report = report};
        check_status(
            clnd_gather_nd(engine, s.queue, &s.table, &s.places, &s.rows, &options, 0, NULL, NULL),
            CLND_OK);
        check_cl(clFlush(s.queue));
        for (int left = ALL; left;) {
            const int next = 1 << rng_range(case_rng(), 0, 4);
            switch (left & next) {
            case ENGINE:
                clnd_engine_destroy(&engine);
                break;
            case QUEUE:
                check_cl(clReleaseCommandQueue(s.queue));
                break;
            case MEMORY:
                for (int k = 0; k < 3; ++k)
                    check_cl(clReleaseMemObject(s.memory[k]));
                break;
            case CONTEXT:
                check_cl(clReleaseContext(context));
                break;
            case REPORT:
                check_status(clnd_report_wait(report, NULL), CLND_OK);
                clnd_report_destroy(&report);
                break;
            default:
                break;
            }
            left &= ~next;
        }
        check_cl(clWaitForEvents(1, &event));
        check_cl(clReleaseEvent(event));
    }
}

// Queues that measure: the event of a call is that of its last command and has its times.
Test(engines, work_on_profiling_queues)
{
    const device *d = device_get();
    case_begin("engines_profiling", 0);
    const cl_command_queue_properties kinds[] = {CL_QUEUE_PROFILING_ENABLE,
                                                 CL_QUEUE_PROFILING_ENABLE |
                                                     CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    for (int i = 0; i < 1 + d->facts->out_of_order_queues; ++i) {
        site s;
        cl_event event;
        cl_ulong start = 0, end = 0;
        check(!site_make(&s, d->engine, kinds[i]), "no site");
        const char *problem = double_table(&s, NULL, &event);
        check(!problem, "%s", problem);
        check_cl(clWaitForEvents(1, &event));
        check_cl(
            clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
        check_cl(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
        check(start <= end && end > 0, "from %llu to %llu", (unsigned long long)start,
              (unsigned long long)end);
        problem = check_table(&s, 2);
        check(!problem, "%s", problem);
        check_cl(clReleaseEvent(event));
        site_free(&s);
    }
}
