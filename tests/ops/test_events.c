// SPDX-License-Identifier: Apache-2.0
//
// Queues and events: wait lists, chains on an out-of-order queue, the event of a whole call.

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cases.h"
#include "check.h"
#include "text.h"

static cl_int status_of(cl_event event)
{
    cl_int status = 1000;
    check_cl(
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static void sleep_ms(long ms)
{
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

// A wait list that fails while a call waits for its check -----------------------------------------

static void *fail_soon(void *event)
{
    sleep_ms(50);
    clSetUserEventStatus(event, -77);
    return NULL;
}

Test(events, failing_while_the_call_waits)
{
    const device *d = device_get();
    case_begin("events_failing", 0);
    placed params, indices, out;
    text_tensor(&params, "params", case_rng(), CLND_INT32, "4: 10 11 12 13");
    text_tensor(&indices, "indices", case_rng(), CLND_INT32, "3,1: 2 0 3");
    text_tensor(&out, "out", case_rng(), CLND_INT32, "3: -1 -1 -1");
    placed_upload(&params, d);
    placed_upload(&indices, d);
    placed_upload(&out, d);
    cl_int code;
    cl_event event = clCreateUserEvent(d->context, &code);
    check_cl(code);
    pthread_t thread;
    check(pthread_create(&thread, NULL, fail_soon, event) == 0, "no thread");
    const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR};
    check_status(clnd_gather_nd(d->engine, NULL, &params.tensor, &indices.tensor, &out.tensor,
                                &options, 1, &event, NULL),
                 CLND_WAIT_FAILED);
    check_message("an event of wait has failed");
    pthread_join(thread, NULL);
    check_cl(clFinish(d->queue));
    placed_check(&out, d, EQUAL_BITS, NULL);
    check_cl(clReleaseEvent(event));
    placed_free(&params);
    placed_free(&indices);
    placed_free(&out);
}

// Ops that never wait --------------------------------------------------------------------------

typedef struct operands {
    placed params, indices, out;
} operands;

static void make_operands(operands *o, const device *d)
{
    text_tensor(&o->params, "params", case_rng(), CLND_INT32, "4: 10 11 12 13");
    text_tensor(&o->indices, "indices", case_rng(), CLND_INT32, "3,1: 2 0 3");
    text_tensor(&o->out, "out", case_rng(), CLND_INT32, "3: -1 -1 -1");
    placed_upload(&o->params, d);
    placed_upload(&o->indices, d);
    placed_upload(&o->out, d);
}

static void free_operands(operands *o)
{
    placed_free(&o->params);
    placed_free(&o->indices);
    placed_free(&o->out);
}

enum { GATHER, SCATTER, SCATTER_INTO, SLICE, COPY, N_OPS };
static const char *const op_names[] = {"gather_nd", "scatter_nd", "scatter_nd_into",
                                       "strided_slice", "copy"};
static const char *const results[] = {": 12 10 13", ": 10 0 0", ": 10 -1 -1", ": 13 12 11",
                                      ": 10 11 12"};

// One op on these operands, under a policy that does not wait. `empty`: with nothing to do.
static clnd_status run_op(const device *d, cl_command_queue queue, int op, const operands *o,
                          bool empty, cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    clnd_tensor params = o->params.tensor, indices = o->indices.tensor, out = o->out.tensor;
    clnd_tensor update = params, tuple = indices;
    clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ZERO};
    clnd_scatter_nd_options scatter = {.bounds = CLND_BOUNDS_SKIP};
    clnd_slice slice;
    check_status(clnd_slice_parse(empty ? "1:1" : ":0:-1", &slice), CLND_OK);
    tuple.shape[0] = update.shape[0] = empty ? 0 : 1;
    tuple.offset = 4; // the index 0
    switch (op) {
    case GATHER:
        indices.shape[0] = out.shape[0] = empty ? 0 : 3;
        return clnd_gather_nd(d->engine, queue, &params, &indices, &out, &gather, n_wait, wait,
                              event);
    case SCATTER:
        if (empty)
            out.shape[0] = 0;
        return clnd_scatter_nd(d->engine, queue, &tuple, &update, &out, &scatter, n_wait, wait,
                               event);
    case SCATTER_INTO:
        return clnd_scatter_nd_into(d->engine, queue, &tuple, &update, &out, &scatter, n_wait, wait,
                                    event);
    case SLICE:
        out.shape[0] = empty ? 0 : 3;
        return clnd_strided_slice(d->engine, queue, &params, &slice, &out, NULL, n_wait, wait,
                                  event);
    default:
        params.shape[0] = out.shape[0] = empty ? 0 : 3;
        return clnd_copy(d->engine, queue, &params, &out, NULL, n_wait, wait, event);
    }
}

// The call returns at once, nothing happens before the event, everything after it.
static void wait_for_user_event(const device *d, cl_command_queue queue, int op, bool empty)
{
    operands o;
    cl_int code;
    cl_event gate = clCreateUserEvent(d->context, &code), event = NULL;
    check_cl(code);
    make_operands(&o, d);
    check_status(run_op(d, queue, op, &o, empty, 1, &gate, &event), CLND_OK);
    check(event != NULL, "no event");
    check_cl(clFlush(queue));
    sleep_ms(20);
    check(status_of(event) > CL_COMPLETE, "%s ran before the event that it waits for",
          op_names[op]);
    cl_command_queue reader = device_new_queue(d, false);
    unsigned char *before = malloc(o.out.bytes);
    check(before, "out of memory");
    check_cl(clEnqueueReadBuffer(reader, o.out.tensor.buffer, CL_TRUE, 0, o.out.bytes, before, 0,
                                 NULL, NULL));
    check(memcmp(before, o.out.host.data, o.out.bytes) == 0, "%s wrote too early", op_names[op]);
    check_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    check_cl(clWaitForEvents(1, &event));
    check(status_of(event) == CL_COMPLETE, "status %d", (int)status_of(event));
    if (!empty)
        text_elements(&o.out, results[op]);
    placed_check(&o.out, d, EQUAL_BITS, NULL);
    check_cl(clReleaseEvent(event));
    check_cl(clReleaseEvent(gate));
    check_cl(clReleaseCommandQueue(reader));
    free(before);
    free_operands(&o);
}

Test(events, ops_wait_for_a_user_event_in_order)
{
    const device *d = device_get();
    for (int op = 0; op < N_OPS; op++) {
        for (int empty = 0; empty < 2; empty++) {
            case_begin("events in order", op);
            case_note("%s%s", op_names[op], empty ? ", empty" : "");
            wait_for_user_event(d, d->queue, op, empty);
        }
    }
}

Test(events, ops_wait_for_a_user_event_out_of_order)
{
    const device *d = device_get();
    cl_command_queue queue = device_new_queue(d, true);
    if (!queue)
        cr_skip_test("%s has no out-of-order queues", d->facts->name);
    for (int op = 0; op < N_OPS; op++) {
        for (int empty = 0; empty < 2; empty++) {
            case_begin("events out of order", op);
            case_note("%s%s", op_names[op], empty ? ", empty" : "");
            wait_for_user_event(d, queue, op, empty);
        }
    }
    check_cl(clReleaseCommandQueue(queue));
}

// An op with nothing to do gives an event that others can wait for.
Test(events, empty_ops_return_a_usable_event)
{
    const device *d = device_get();
    for (int op = 0; op < N_OPS; op++) {
        operands o;
        cl_event first = NULL, second = NULL;
        case_begin("events of empty ops", op);
        case_note("%s", op_names[op]);
        make_operands(&o, d);
        check_status(run_op(d, NULL, op, &o, true, 0, NULL, &first), CLND_OK);
        check(first != NULL, "no event");
        check_status(run_op(d, NULL, COPY, &o, false, 1, &first, &second), CLND_OK);
        check_cl(clFlush(d->queue));
        check_cl(clWaitForEvents(1, &second));
        check(status_of(first) == CL_COMPLETE, "the empty op's event is not complete");
        text_elements(&o.out, results[COPY]);
        placed_check(&o.out, d, EQUAL_BITS, NULL);
        check_cl(clReleaseEvent(first));
        check_cl(clReleaseEvent(second));
        free_operands(&o);
    }
}

// Chains ---------------------------------------------------------------------------------------

enum { LENGTH = 5000 };

static cl_mem new_buffer(const device *d, size_t bytes, void *content)
{
    cl_int code;
    cl_mem_flags flags = content ? CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE;
    cl_mem buffer = clCreateBuffer(d->context, flags, bytes, content, &code);
    check_cl(code);
    return buffer;
}

static clnd_tensor vector(cl_mem buffer, int64_t length)
{
    clnd_tensor tensor;
    check_status(clnd_tensor_dense(buffer, 0, CLND_INT32, 1, &length, &tensor), CLND_OK);
    return tensor;
}

// Each link of the chain depends on the one before it by its event alone: scatter_nd fills a vector
// in two commands and adds, a gather reverses it, a copy of a slice takes every second element.
static void run_chain(const device *d, cl_command_queue queue)
{
    int32_t *index = malloc(LENGTH * sizeof *index), *numbers = malloc(LENGTH * sizeof *numbers);
    int32_t *got = malloc(LENGTH * sizeof *got);
    check(index && numbers && got, "out of memory");
    for (int i = 0; i < LENGTH; i++) {
        index[i] = LENGTH - 1 - i;
        numbers[i] = 7 * i;
    }
    cl_mem a = new_buffer(d, LENGTH * sizeof *index, index);
    cl_mem b = new_buffer(d, LENGTH * sizeof *numbers, numbers);
    memset(got, 0x55, LENGTH * sizeof *got);
    cl_mem c = new_buffer(d, LENGTH * sizeof *got, got);
    cl_mem e = new_buffer(d, LENGTH * sizeof *got, got);
    cl_mem f = new_buffer(d, LENGTH / 2 * sizeof *got, got);
    clnd_tensor indices = vector(a, LENGTH), updates = vector(b, LENGTH), sum = vector(c, LENGTH);
    clnd_tensor reversed = vector(e, LENGTH), half = vector(f, LENGTH / 2);
    indices.rank = 2;
    indices.shape[1] = indices.strides[1] = 1;
    clnd_slice slice;
    check_status(clnd_slice_parse("1::2", &slice), CLND_OK);
    clnd_scatter_nd_options add = {.bounds = CLND_BOUNDS_SKIP};
    clnd_gather_nd_options take = {.bounds = CLND_BOUNDS_ZERO};
    for (int round = 0; round < 10; round++) {
        cl_event events[4] = {NULL};
        check_status(
            clnd_scatter_nd(d->engine, queue, &indices, &updates, &sum, &add, 0, NULL, &events[0]),
            CLND_OK);
        clnd_scatter_nd_options more = add;
        more.reduce = CLND_REDUCE_ADD;
        check_status(clnd_scatter_nd_into(d->engine, queue, &indices, &updates, &sum, &more, 1,
                                          &events[0], &events[1]),
                     CLND_OK);
        check_status(clnd_gather_nd(d->engine, queue, &sum, &indices, &reversed, &take, 1,
                                    &events[1], &events[2]),
                     CLND_OK);
        check_status(clnd_strided_slice(d->engine, queue, &reversed, &slice, &half, NULL, 1,
                                        &events[2], &events[3]),
                     CLND_OK);
        check_cl(clEnqueueReadBuffer(queue, f, CL_TRUE, 0, LENGTH / 2 * sizeof *got, got, 1,
                                     &events[3], NULL));
        for (int i = 0; i < LENGTH / 2; i++)
            check(got[i] == 2 * numbers[2 * i + 1], "round %d, element %d is %d, expected %d",
                  round, i, (int)got[i], (int)(2 * numbers[2 * i + 1]));
        for (int i = 0; i < 4; i++)
            check_cl(clReleaseEvent(events[i]));
    }
    check_cl(clReleaseMemObject(a));
    check_cl(clReleaseMemObject(b));
    check_cl(clReleaseMemObject(c));
    check_cl(clReleaseMemObject(e));
    check_cl(clReleaseMemObject(f));
    free(index);
    free(numbers);
    free(got);
}

Test(events, chain_in_order)
{
    const device *d = device_get();
    case_begin("events chain in order", 0);
    run_chain(d, d->queue);
    run_chain(device_with(d, "must,atomic"), d->queue);
}

Test(events, chain_out_of_order)
{
    const device *d = device_get();
    cl_command_queue queue = device_new_queue(d, true);
    if (!queue)
        cr_skip_test("%s has no out-of-order queues", d->facts->name);
    case_begin("events chain out of order", 0);
    run_chain(d, queue);
    run_chain(device_with(d, "must,atomic"), queue);
    check_cl(clReleaseCommandQueue(queue));
}

// The event of a call that takes several commands (float32 copy, scatter, rounding) is the event of
// the last one.
Test(events, event_covers_all_commands)
{
    const device *d = device_get();
    cl_command_queue queue = device_new_queue(d, true), reader = device_new_queue(d, false);
    case_begin("events cover", 0);
    for (int round = 0; round < 10; round++) {
        placed indices, updates, target;
        rng *r = case_rng();
        values v = {.kind = VALUES_PLAIN};
        placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){20000, 1}, NULL);
        placed_from(&updates, "updates", r, CLND_FLOAT16, 1, (int64_t[]){20000}, NULL);
        placed_from(&target, "target", r, CLND_FLOAT16, 1, (int64_t[]){3000}, NULL);
        cases_indices(r, &indices, (int64_t[]){3000}, 1, CLND_BOUNDS_SKIP, 0);
        placed_fill(&updates, r, &v);
        placed_fill(&target, r, &v);
        placed_upload(&indices, d);
        placed_upload(&updates, d);
        placed_upload(&target, d);
        clnd_scatter_nd_options options = {
            .reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_SKIP, .deterministic = true};
        cl_event event = NULL;
        check_status(clnd_scatter_nd(d->engine, queue ? queue : d->queue, &indices.tensor,
                                     &updates.tensor, &target.tensor, &options, 0, NULL, &event),
                     CLND_OK);
        check_cl(clFlush(queue ? queue : d->queue));
        check_cl(clWaitForEvents(1, &event));
        check_cl(clReleaseEvent(event));
        ref_scatter_options how = {CLND_REDUCE_ADD, CLND_BOUNDS_SKIP, true, NULL};
        ref_scatter_nd(&indices.host, &updates.host, &target.host, &how);
        device through_reader = *d;
        through_reader.queue = reader;
        placed_check(&target, &through_reader, EQUAL_NUMBERS, NULL);
        placed_free(&indices);
        placed_free(&updates);
        placed_free(&target);
    }
    if (queue)
        check_cl(clReleaseCommandQueue(queue));
    check_cl(clReleaseCommandQueue(reader));
}

// Profiling ------------------------------------------------------------------------------------

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
    cl_ulong time = 0;
    check_cl(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
    return time;
}

// As clnd/engine.h says: a call that waits for a marker in front lasts from the end of that to the
// end of its event, which itself has the times of the last command.
static void profile(const device *d, cl_command_queue queue)
{
    enum { ROWS = 200000, TARGET = 64 };
    placed indices, updates, target;
    rng *r = case_rng();
    const values v = {.kind = VALUES_PLAIN};
    cl_event events[3] = {NULL}; // of a copy before, the marker, the call
    placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){ROWS, 1}, NULL);
    placed_from(&updates, "updates", r, CLND_FLOAT16, 1, (int64_t[]){ROWS}, NULL);
    placed_from(&target, "target", r, CLND_FLOAT16, 1, (int64_t[]){TARGET}, NULL);
    cases_indices(r, &indices, (int64_t[]){TARGET}, 1, CLND_BOUNDS_SKIP, 0);
    placed_fill(&updates, r, &v);
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    placed_upload(&target, d);
    const clnd_scatter_nd_options options = {
        .reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_SKIP, .deterministic = true};
    for (int warm = 0; warm < 2; warm++) {
        for (int i = 0; i < 3 && warm; i++)
            check_cl(clReleaseEvent(events[i]));
        check_cl(clEnqueueWriteBuffer(queue, target.tensor.buffer, CL_FALSE, 0, target.bytes,
                                      target.host.data, 0, NULL, &events[0]));
        check_cl(clEnqueueMarkerWithWaitList(queue, 1, &events[0], &events[1]));
        check_status(clnd_scatter_nd_into(d->engine, queue, &indices.tensor, &updates.tensor,
                                          &target.tensor, &options, 1, &events[1], &events[2]),
                     CLND_OK);
        check_cl(clFinish(queue));
    }
    const cl_ulong front = time_of(events[1], CL_PROFILING_COMMAND_END);
    const cl_ulong last = time_of(events[2], CL_PROFILING_COMMAND_START);
    const cl_ulong end = time_of(events[2], CL_PROFILING_COMMAND_END);
    if (end < 1000)
        cr_skip_test("%s says that its clock shows %d ns", d->facts->platform, (int)end);
    check(time_of(events[0], CL_PROFILING_COMMAND_END) <= front, "the marker did not wait");
    check(front < last && last < end, "front %llu, last %llu, end %llu", (unsigned long long)front,
          (unsigned long long)last, (unsigned long long)end);
    check(end - front > 2 * (end - last), "the last command took %llu of %llu ns",
          (unsigned long long)(end - last), (unsigned long long)(end - front));
    for (int i = 0; i < 3; i++)
        check_cl(clReleaseEvent(events[i]));
    placed_free(&indices);
    placed_free(&updates);
    placed_free(&target);
}

Test(events, profiling_of_a_call)
{
    const device *d = device_get();
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        cl_int code;
        cl_command_queue_properties kind = CL_QUEUE_PROFILING_ENABLE;
        if (out_of_order)
            kind |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        case_begin("events profiling", out_of_order);
        cl_command_queue queue = clCreateCommandQueue(d->context, d->id, kind, &code);
        if (code == CL_INVALID_QUEUE_PROPERTIES)
            continue;
        check_cl(code);
        profile(d, queue);
        check_cl(clReleaseCommandQueue(queue));
    }
}

// Policies that wait ---------------------------------------------------------------------------

static void *complete_later(void *gate)
{
    sleep_ms(100);
    clSetUserEventStatus(gate, CL_COMPLETE);
    return NULL;
}

// Under ERROR the check of the indices waits for `wait` too: the good indices arrive behind it.
Test(events, index_check_waits_for_the_wait_list)
{
    const device *d = device_get();
    cl_command_queue writer = device_new_queue(d, false);
    for (int scatter = 0; scatter < 2; scatter++) {
        operands o;
        cl_int code;
        pthread_t thread;
        int32_t late[3] = {9, -5, 77}; // what the indices are at first
        cl_event gate = clCreateUserEvent(d->context, &code), written = NULL, event = NULL;
        check_cl(code);
        case_begin("events and the check", scatter);
        make_operands(&o, d);
        check_cl(clEnqueueWriteBuffer(d->queue, o.indices.tensor.buffer, CL_TRUE, 0, sizeof late,
                                      late, 0, NULL, NULL));
        check_cl(clEnqueueWriteBuffer(writer, o.indices.tensor.buffer, CL_FALSE, 0, sizeof late,
                                      o.indices.host.data, 1, &gate, &written));
        check_cl(clFlush(writer));
        check(pthread_create(&thread, NULL, complete_later, gate) == 0, "no thread");
        clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ERROR};
        clnd_scatter_nd_options into = {.bounds = CLND_BOUNDS_ERROR};
        if (scatter)
            check_status(clnd_scatter_nd_into(d->engine, NULL, &o.indices.tensor, &o.out.tensor,
                                              &o.params.tensor, &into, 1, &written, &event),
                         CLND_OK);
        else
            check_status(clnd_gather_nd(d->engine, NULL, &o.params.tensor, &o.indices.tensor,
                                        &o.out.tensor, &gather, 1, &written, &event),
                         CLND_OK);
        check_cl(clFlush(d->queue));
        check_cl(clWaitForEvents(1, &event));
        pthread_join(thread, NULL);
        if (scatter)
            text_elements(&o.params, ": -1 11 -1 -1");
        else
            text_elements(&o.out, results[GATHER]);
        placed_check(&o.out, d, EQUAL_BITS, NULL);
        placed_check(&o.params, d, EQUAL_BITS, NULL);
        check_cl(clReleaseEvent(gate));
        check_cl(clReleaseEvent(written));
        check_cl(clReleaseEvent(event));
        free_operands(&o);
    }
    check_cl(clReleaseCommandQueue(writer));
}

// A call that fails leaves no event and no reference behind.
Test(events, failed_calls_leave_no_references)
{
    const device *d = device_get();
    operands o;
    cl_int code;
    cl_uint before, after;
    cl_event gate = clCreateUserEvent(d->context, &code);
    check_cl(code);
    case_begin("events of failures", 0);
    make_operands(&o, d);
    values_write_index(CLND_INT32, 4, o.indices.host.data);
    placed_upload(&o.indices, d);
    check_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    clnd_gather_nd_options gather = {.bounds = CLND_BOUNDS_ERROR};
    check_cl(clGetMemObjectInfo(o.params.tensor.buffer, CL_MEM_REFERENCE_COUNT, sizeof before,
                                &before, NULL));
    for (int i = 0; i < 5; i++) {
        cl_event event = gate;
        check_status(clnd_gather_nd(d->engine, NULL, &o.params.tensor, &o.indices.tensor,
                                    &o.out.tensor, &gather, 1, &gate, &event),
                     CLND_INDEX_OUT_OF_BOUNDS);
        check(event == NULL, "*event is not NULL");
    }
    check_cl(clFinish(d->queue));
    check_cl(clGetMemObjectInfo(o.params.tensor.buffer, CL_MEM_REFERENCE_COUNT, sizeof after,
                                &after, NULL));
    for (int i = 0; i < 100 && after != before; i++) { // drivers let go of it a little later
        sleep_ms(20);
        check_cl(clGetMemObjectInfo(o.params.tensor.buffer, CL_MEM_REFERENCE_COUNT, sizeof after,
                                    &after, NULL));
    }
    check(after == before, "params has %u references, before %u", after, before);
    check_cl(clReleaseEvent(gate));
    placed_check(&o.out, d, EQUAL_AROUND, NULL);
    free_operands(&o);
}
