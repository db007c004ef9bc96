// SPDX-License-Identifier: Apache-2.0
//
// Engines: picking a device, adopting the caller's objects, order of destruction, threads.
// Queues and events are in test_events.c.

#include <criterion/criterion.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases.h"
#include "check.h"
#include "text.h"

// A gather on `engine` whose result is looked at: rows 2 and 0 of a matrix.
static void use_engine(clnd_engine *engine, cl_command_queue queue)
{
    static const int32_t elements[] = {0, 1, 2, 3, 4, 5}, index[] = {2, 0};
    static const int32_t expected[] = {4, 5, 0, 1};
    cl_context context = clnd_engine_context(engine);
    cl_command_queue own = queue ? queue : clnd_engine_queue(engine);
    int32_t result[4] = {0};
    int32_t copy[6];
    memcpy(copy, elements, sizeof copy);
    cl_int code;
    cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof copy, copy, &code);
    check_cl(code);
    memcpy(copy, index, sizeof index);
    cl_mem b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof index, copy, &code);
    check_cl(code);
    cl_mem c = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, NULL, &code);
    check_cl(code);
    clnd_tensor params, indices, out;
    check_status(clnd_tensor_dense(a, 0, CLND_INT32, 2, (int64_t[]){3, 2}, &params), CLND_OK);
    check_status(clnd_tensor_dense(b, 0, CLND_INT32, 2, (int64_t[]){2, 1}, &indices), CLND_OK);
    check_status(clnd_tensor_dense(c, 0, CLND_INT32, 2, (int64_t[]){2, 2}, &out), CLND_OK);
    check_status(clnd_gather_nd(engine, queue, &params, &indices, &out, NULL, 0, NULL, NULL),
                 CLND_OK);
    check_cl(clEnqueueReadBuffer(own, c, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    check(memcmp(result, expected, sizeof result) == 0, "wrong result");
    check_cl(clReleaseMemObject(a));
    check_cl(clReleaseMemObject(b));
    check_cl(clReleaseMemObject(c));
}

static void open_and_use(const char *spec, const char *name)
{
    clnd_engine *engine = NULL;
    case_note("spec \"%s\"", spec ? spec : "(NULL)");
    check_status(clnd_engine_open(spec, NULL, &engine), CLND_OK);
    if (name)
        check(strcmp(clnd_engine_facts(engine)->name, name) == 0, "opened %s",
              clnd_engine_facts(engine)->name);
    use_engine(engine, NULL);
    clnd_engine_destroy(&engine);
    check(engine == NULL, "destroy leaves the pointer");
}

Test(engine, open_picks_a_device_by_text)
{
    const device *d = device_get();
    char spec[24], part[128];
    clnd_device_facts facts;
    int32_t count = 0;
    case_begin("engine open", 0);
    check_status(clnd_device_count(&count), CLND_OK);
    check(count > 0, "a device that counts as none");
    open_and_use(NULL, d->facts->name);
    open_and_use("", d->facts->name);
    open_and_use(d->facts->name, NULL);
    snprintf(part, sizeof part, "%s", d->facts->platform);
    for (char *c = part; *c; c++)
        *c = (char)(isupper((unsigned char)*c) ? tolower((unsigned char)*c)
                                               : toupper((unsigned char)*c));
    open_and_use(part, NULL);
    bool listed = false;
    for (int32_t i = 0; i < count; i++) {
        check_status(clnd_device_describe(i, spec, &facts), CLND_OK);
        int platform, number, end = 0;
        check(sscanf(spec, "%d:%d%n", &platform, &number, &end) == 2 && !spec[end], "spec \"%s\"",
              spec);
        if (strcmp(facts.name, d->facts->name) == 0) {
            open_and_use(spec, d->facts->name);
            listed = true;
            check(facts.is_cpu == d->facts->is_cpu, "is_cpu");
            check(facts.compute_units == d->facts->compute_units, "compute_units");
        }
    }
    check(listed, "the open device is not in the list");
    if (d->facts->is_cpu)
        open_and_use("cpu", NULL);
}

Test(engine, open_reads_the_environment)
{
    const device *d = device_get();
    clnd_engine *engine = NULL;
    case_begin("engine environment", 0);
    const char *before = getenv("CLND_DEVICE");
    char *saved = before ? strdup(before) : NULL;
    cases_setenv("CLND_DEVICE", d->facts->name);
    open_and_use(NULL, d->facts->name);
    open_and_use("", d->facts->name);
    cases_setenv("CLND_DEVICE", "no such device");
    check_status(clnd_engine_open(NULL, NULL, &engine), CLND_NO_DEVICE);
    check(engine == NULL, "*engine is not NULL");
    check_message("no such device");
    open_and_use(d->facts->name, d->facts->name); // the argument comes first
    cases_setenv("CLND_DEVICE", "");
    open_and_use(NULL, NULL);
    cases_setenv("CLND_DEVICE", saved);
    free(saved);
}

Test(engine, facts_are_those_of_the_device)
{
    const device *d = device_get();
    const clnd_device_facts *f = d->facts;
    char name[128] = "";
    cl_device_type type;
    cl_uint units, bits;
    size_t group;
    cl_ulong local, global, allocation;
    cl_command_queue_properties queues;
    case_begin("engine facts", 0);
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_NAME, sizeof name - 1, name, NULL));
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, NULL));
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL));
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof global, &global, NULL));
    check_cl(
        clGetDeviceInfo(d->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof allocation, &allocation, NULL));
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_QUEUE_PROPERTIES, sizeof queues, &queues, NULL));
    check(strcmp(f->name, name) == 0, "name");
    check(f->is_cpu == ((type & CL_DEVICE_TYPE_CPU) != 0), "is_cpu");
    check(f->compute_units == units && f->address_bits == bits, "units, bits");
    check(f->max_work_group_size == group && f->local_memory == local, "group size, local memory");
    check(f->global_memory == global && f->max_allocation == allocation, "global memory");
    check(f->out_of_order_queues == ((queues & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0),
          "out of order");
    check(f->max_parameter_size >= 1024, "parameters");
    check(f->platform[0] && f->driver[0] && strncmp(f->opencl_c, "OpenCL C ", 9) == 0, "texts");
    check(clnd_engine_build_log(d->engine, NULL, 0) == 1, "a log without a failed build");
}

Test(engine, null_engines_have_nothing)
{
    clnd_engine *engine = NULL;
    case_begin("engine NULL", 0);
    check(!clnd_engine_context(NULL) && !clnd_engine_device(NULL) && !clnd_engine_queue(NULL),
          "objects");
    check(!clnd_engine_facts(NULL), "facts");
    check(clnd_engine_build_log(NULL, NULL, 0) == 0, "log");
    clnd_engine_destroy(NULL);
    clnd_engine_destroy(&engine);
}

static cl_uint references(cl_context context)
{
    cl_uint count = 0;
    check_cl(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

// Drivers let go of finished work a little later.
static void wait_for_references(cl_context context, cl_uint expected)
{
    for (int i = 0; i < 100 && references(context) != expected; i++)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    check(references(context) == expected, "the context has %u references, expected %u",
          references(context), expected);
}

Test(engine, create_adopts_the_callers_context)
{
    const device *d = device_get();
    cl_int code;
    clnd_engine *engine = NULL;
    case_begin("engine create", 0);
    cl_context context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
    check_cl(code);
    cl_command_queue queue = clCreateCommandQueue(context, d->id, 0, &code);
    check_cl(code);
    cl_uint before = references(context);
    clnd_engine_options options = {.reserved = {0}};
    check_status(clnd_engine_create(context, d->id, &options, &engine), CLND_OK);
    check(clnd_engine_context(engine) == context && clnd_engine_device(engine) == d->id,
          "other objects");
    check(clnd_engine_queue(engine) == NULL, "a queue that nobody made");
    check(references(context) > before, "the context is not retained");
    use_engine(engine, queue);
    check_cl(clFinish(queue));
    clnd_engine_destroy(&engine);
    wait_for_references(context, before);
    check_cl(clReleaseCommandQueue(queue));
    check_cl(clReleaseContext(context));
}

// The caller may let go of everything at once; the engine keeps what it needs.
Test(engine, create_keeps_the_context_alive)
{
    const device *d = device_get();
    cl_int code;
    clnd_engine *engine = NULL;
    case_begin("engine keeps", 0);
    cl_context context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
    check_cl(code);
    check_status(clnd_engine_create(context, d->id, NULL, &engine), CLND_OK);
    check_cl(clReleaseContext(context));
    cl_command_queue queue = clCreateCommandQueue(clnd_engine_context(engine), d->id, 0, &code);
    check_cl(code);
    use_engine(engine, queue);
    check_cl(clReleaseCommandQueue(queue));
    clnd_engine_destroy(&engine);
}

// Every op with temporary memory, and one that fails.
static void use_temporaries(clnd_engine *engine)
{
    static int32_t zeros[8];
    cl_int code;
    cl_mem a[3];
    clnd_tensor target, indices, updates;
    for (int i = 0; i < 3; i++) {
        a[i] = clCreateBuffer(clnd_engine_context(engine), CL_MEM_COPY_HOST_PTR, sizeof zeros,
                              zeros, &code);
        check_cl(code);
    }
    check_status(clnd_tensor_dense(a[0], 0, CLND_FLOAT16, 1, (int64_t[]){4}, &target), CLND_OK);
    check_status(clnd_tensor_dense(a[1], 0, CLND_INT32, 2, (int64_t[]){4, 1}, &indices), CLND_OK);
    check_status(clnd_tensor_dense(a[2], 0, CLND_FLOAT16, 1, (int64_t[]){4}, &updates), CLND_OK);
    clnd_scatter_nd_options sum = {
        .reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_ERROR, .deterministic = true};
    clnd_gather_nd_options fill = {.bounds = CLND_BOUNDS_FILL, .fill = zeros};
    check_status(clnd_scatter_nd(engine, NULL, &indices, &updates, &target, &sum, 0, NULL, NULL),
                 CLND_OK);
    check_status(clnd_gather_nd(engine, NULL, &updates, &indices, &target, &fill, 0, NULL, NULL),
                 CLND_OK);
    fill.bounds = CLND_BOUNDS_ERROR;
    updates.shape[0] = 0;
    check_status(clnd_gather_nd(engine, NULL, &updates, &indices, &target, &fill, 0, NULL, NULL),
                 CLND_INDEX_OUT_OF_BOUNDS);
    for (int i = 0; i < 3; i++)
        check_cl(clReleaseMemObject(a[i]));
    check_cl(clFinish(clnd_engine_queue(engine)));
}

// What is left after an engine's end is what the caller retained.
Test(engine, destroy_releases_everything)
{
    clnd_engine *engine = NULL;
    case_begin("engine releases", 0);
    device_get();
    check_status(clnd_engine_open(NULL, NULL, &engine), CLND_OK);
    cl_context context = clnd_engine_context(engine);
    check_cl(clRetainContext(context));
    use_engine(engine, NULL);
    use_temporaries(engine);
    clnd_engine_destroy(&engine);
    wait_for_references(context, 1); // a queue, program or buffer that is left would hold it
    check_cl(clReleaseContext(context));
}

// Work that was enqueued goes on when engine, queue and buffers are gone from the caller's hands.
Test(engine, destroyed_engine_leaves_its_work)
{
    enum { COUNT = 1 << 20 };
    case_begin("engine destroy", 0);
    device_get();
    for (int i = 0; i < 5; i++) {
        cl_int code;
        clnd_engine *engine = NULL;
        check_status(clnd_engine_open(NULL, NULL, &engine), CLND_OK);
        cl_context context = clnd_engine_context(engine);
        cl_command_queue queue = clnd_engine_queue(engine);
        check_cl(clRetainContext(context));
        check_cl(clRetainCommandQueue(queue));
        unsigned char *bytes = malloc(COUNT);
        check(bytes, "out of memory");
        memset(bytes, 17 + i, COUNT);
        cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, COUNT, bytes, &code);
        check_cl(code);
        cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, COUNT, NULL, &code);
        check_cl(code);
        clnd_tensor source, target;
        cl_event event = NULL;
        check_status(clnd_tensor_dense(a, 0, CLND_UINT8, 1, (int64_t[]){COUNT}, &source), CLND_OK);
        check_status(clnd_tensor_dense(b, 0, CLND_UINT8, 1, (int64_t[]){COUNT}, &target), CLND_OK);
        check_status(clnd_copy(engine, NULL, &source, &target, NULL, 0, NULL, &event), CLND_OK);
        clnd_engine_destroy(&engine);
        check_cl(clReleaseMemObject(a));
        memset(bytes, 0, COUNT);
        check_cl(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, COUNT, bytes, 1, &event, NULL));
        for (int k = 0; k < COUNT; k++)
            check(bytes[k] == 17 + i, "byte %d is %d", k, bytes[k]);
        check_cl(clReleaseEvent(event));
        check_cl(clReleaseMemObject(b));
        check_cl(clReleaseCommandQueue(queue));
        check_cl(clReleaseContext(context));
        free(bytes);
    }
}

Test(engine, two_engines_do_not_mix)
{
    const device *d = device_get();
    clnd_engine *same = NULL, *other = NULL;
    cl_int code;
    case_begin("two engines", 0);
    check_status(clnd_engine_create(d->context, d->id, NULL, &same), CLND_OK);
    check_status(clnd_engine_open(NULL, NULL, &other), CLND_OK);
    cl_command_queue queue = clCreateCommandQueue(d->context, d->id, 0, &code);
    check_cl(code);
    use_engine(d->engine, NULL);
    use_engine(same, queue); // on the context of the first one
    use_engine(other, NULL);
    clnd_engine_destroy(&same);
    use_engine(d->engine, NULL);
    use_engine(other, NULL);
    clnd_engine_destroy(&other);
    use_engine(d->engine, queue);
    check_cl(clReleaseCommandQueue(queue));
}

// A smoke test; suite `threads` has more. Both threads need the same kernels first at once.
static void *work(void *argument)
{
    clnd_engine *engine = argument;
    cl_int code;
    cl_command_queue queue =
        clCreateCommandQueue(clnd_engine_context(engine), clnd_engine_device(engine), 0, &code);
    if (code != CL_SUCCESS)
        return "no queue";
    const char *result = NULL;
    for (int round = 0; round < 40 && !result; round++) {
        enum { N = 300 };
        int32_t numbers[N], index[N], got[N];
        for (int i = 0; i < N; i++) {
            numbers[i] = i * 3 + round;
            index[i] = (i * 7 + round) % N;
        }
        cl_context context = clnd_engine_context(engine);
        cl_mem a = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, NULL);
        cl_mem b = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof index, index, NULL);
        cl_mem c = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof got, NULL, NULL);
        clnd_tensor params, indices, out;
        clnd_tensor_dense(a, 0, CLND_INT32, 1, (int64_t[]){N}, &params);
        clnd_tensor_dense(b, 0, CLND_INT32, 2, (int64_t[]){N, 1}, &indices);
        clnd_tensor_dense(c, 0, CLND_INT32, 1, (int64_t[]){N}, &out);
        clnd_scatter_nd_options options = {.deterministic = round % 2};
        if (clnd_gather_nd(engine, queue, &params, &indices, &out, NULL, 0, NULL, NULL) ||
            clnd_scatter_nd_into(engine, queue, &indices, &params, &out, &options, 0, NULL, NULL) ||
            clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL))
            result = "a call failed";
        for (int i = 0; i < N && !result; i++)
            if (got[index[i]] != numbers[i])
                result = "a wrong element";
        clReleaseMemObject(a);
        clReleaseMemObject(b);
        clReleaseMemObject(c);
    }
    clReleaseCommandQueue(queue);
    return (void *)(uintptr_t)result;
}

Test(engine, two_threads_share_an_engine)
{
    const device *d = device_get();
    pthread_t threads[2];
    case_begin("engine threads", 0);
    for (int i = 0; i < 2; i++)
        cr_assert(pthread_create(&threads[i], NULL, work, d->engine) == 0);
    for (int i = 0; i < 2; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        check(!result, "thread %d: %s", i, (const char *)result);
    }
}

// Options ----------------------------------------------------------------------------------------

// A row of indices of which one value is bad, gathered under DEFAULT; scattered, where `into`.
static clnd_status use_bad_row(const device *d, clnd_engine *engine, bool into, int32_t result[3])
{
    const int32_t rows[] = {1, 7, 0}, numbers[] = {10, 20, 30};
    cl_mem memory[3];
    cl_int code;
    const void *contents[] = {rows, numbers, result};
    for (int i = 0; i < 3; i++) {
        memory[i] = clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof rows, (void *)contents[i], &code);
        check_cl(code);
    }
    clnd_tensor indices, from, to;
    check_status(clnd_tensor_dense(memory[0], 0, CLND_INT32, 2, (int64_t[]){3, 1}, &indices),
                 CLND_OK);
    check_status(clnd_tensor_dense(memory[1], 0, CLND_INT32, 1, (int64_t[]){3}, &from), CLND_OK);
    check_status(clnd_tensor_dense(memory[2], 0, CLND_INT32, 1, (int64_t[]){3}, &to), CLND_OK);
    const clnd_status status =
        into ? clnd_scatter_nd_into(engine, d->queue, &indices, &from, &to, NULL, 0, NULL, NULL)
             : clnd_gather_nd(engine, d->queue, &from, &indices, &to, NULL, 0, NULL, NULL);
    check_cl(
        clEnqueueReadBuffer(d->queue, memory[2], CL_TRUE, 0, sizeof rows, result, 0, NULL, NULL));
    for (int i = 0; i < 3; i++)
        check_cl(clReleaseMemObject(memory[i]));
    return status;
}

Test(engine, default_policy)
{
    static const struct {
        clnd_bounds bounds;
        clnd_status status;
        int32_t gathered, scattered[3];
    } cases[] = {
        {CLND_BOUNDS_ERROR, CLND_INDEX_OUT_OF_BOUNDS, 0, {0}},
        {CLND_BOUNDS_WRAP, CLND_INDEX_OUT_OF_BOUNDS, 0, {0}},
        {CLND_BOUNDS_ZERO, CLND_OK, 0, {30, 10, 5}},
        {CLND_BOUNDS_CLAMP, CLND_OK, 30, {30, 10, 20}},
    };
    const device *d = device_get();
    for (int i = 0; i < 4; i++) {
        case_begin("engine policy", i);
        const clnd_engine_options options = {.bounds = cases[i].bounds};
        clnd_engine *engine;
        int32_t got[3] = {5, 5, 5}, put[3] = {5, 5, 5};
        check_status(clnd_engine_create(d->context, d->id, &options, &engine), CLND_OK);
        check_status(use_bad_row(d, engine, false, got), cases[i].status);
        check_status(use_bad_row(d, engine, true, put), cases[i].status);
        if (cases[i].status == CLND_OK) {
            check(got[0] == 20 && got[1] == cases[i].gathered && got[2] == 10, "gathered %d",
                  (int)got[1]);
            check(memcmp(put, cases[i].scattered, sizeof put) == 0, "scattered %d, %d, %d",
                  (int)put[0], (int)put[1], (int)put[2]);
        }
        clnd_engine_destroy(&engine);
    }
    static const clnd_bounds refused[] = {CLND_BOUNDS_FILL, (clnd_bounds)6, (clnd_bounds)-1};
    for (int i = 0; i < 3; i++) {
        case_begin("engine policy refused", i);
        const clnd_engine_options options = {.bounds = refused[i]};
        clnd_engine *engine = (clnd_engine *)(void *)&i;
        check_status(clnd_engine_create(d->context, d->id, &options, &engine), CLND_INVALID_OPTION);
        check(!engine, "*engine is not NULL");
        check_message(i == 0   ? "options->bounds is FILL, which is for single gathers"
                      : i == 1 ? "options->bounds is 6, which is no index policy"
                               : "options->bounds is -1, which is no index policy");
        check_status(clnd_engine_open(NULL, &options, &engine), CLND_INVALID_OPTION);
    }
}

// What the library fills in ends where its struct ends, and leaves nothing of it as it was: members
// of later versions must begin as 0.
Test(engine, structs_are_filled_to_their_end)
{
    enum { GUARD = 64, BYTE = 0xa5 };
    const device *d = device_get();
    struct {
        clnd_plan plan;
        unsigned char after_plan[GUARD];
        clnd_device_facts facts;
        unsigned char after_facts[GUARD];
        clnd_report_result result;
        unsigned char after_result[GUARD];
    } all;
    case_begin("engine structs", 0);
    memset(&all, BYTE, sizeof all);
    char spec[24];
    clnd_report *report;
    clnd_tensor vector;
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 1, (int64_t[]){3}, &vector), CLND_OK);
    check_status(clnd_copy_plan(d->engine, &vector, &vector, NULL, &all.plan), CLND_OK);
    check_status(clnd_device_describe(0, spec, &all.facts), CLND_OK);
    check_status(clnd_report_create(d->engine, &report), CLND_OK);
    check_status(clnd_report_wait(report, &all.result), CLND_OK);
    clnd_report_destroy(&report);
    for (int i = 0; i < GUARD; i++)
        check(all.after_plan[i] == BYTE && all.after_facts[i] == BYTE &&
                  all.after_result[i] == BYTE,
              "byte %d behind a struct has changed", i);
    static const uint64_t zeros[16];
    check(memcmp(all.plan.reserved, zeros, sizeof all.plan.reserved) == 0, "the plan's reserve");
    check(memcmp(all.facts.reserved, zeros, sizeof all.facts.reserved) == 0, "the facts' reserve");
    check(memcmp(all.facts.float_atomics.reserved, zeros,
                 sizeof all.facts.float_atomics.reserved) == 0,
          "the sums' reserve");
    check(memcmp(all.result.reserved, zeros, sizeof all.result.reserved) == 0,
          "the result's reserve");
}
