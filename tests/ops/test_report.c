// SPDX-License-Identifier: Apache-2.0
//
// Reports: calls that never wait, do nothing when an index is bad, and say so when asked.

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

static clnd_report *new_report(const device *d)
{
    clnd_report *report;
    check_status(clnd_report_create(d->engine, &report), CLND_OK);
    return report;
}

// params, indices and out of a gather of pairs; or target, indices and updates of a scatter.
typedef struct operands {
    placed data, indices, dense;
} operands;

static void make_operands(operands *o, const device *d, clnd_dtype dtype, const char *indices)
{
    text_tensor(&o->data, "data", case_rng(), dtype, "4,2: 1 2 3 4 5 6 7 8");
    text_tensor(&o->indices, "indices", case_rng(), CLND_INT32, indices);
    text_tensor(&o->dense, "dense", case_rng(), dtype, "3,2: 10 20 30 40 50 60");
    placed_upload(&o->data, d);
    placed_upload(&o->indices, d);
    placed_upload(&o->dense, d);
}

static void free_operands(operands *o)
{
    placed_free(&o->data);
    placed_free(&o->indices);
    placed_free(&o->dense);
}

#define GOOD_ROWS "3,1: 2 0 3"
#define BAD_ROWS  "3,1: 2 4 -1"

static clnd_status gather(const device *d, cl_command_queue queue, const operands *o,
                          clnd_bounds bounds, clnd_report *report, cl_uint n_wait,
                          const cl_event *wait, cl_event *event)
{
    const clnd_gather_nd_options options = {.bounds = bounds, .report = report};
    return clnd_gather_nd(d->engine, queue, &o->data.tensor, &o->indices.tensor, &o->dense.tensor,
                          &options, n_wait, wait, event);
}

static clnd_status gather_simply(const device *d, const operands *o, clnd_report *report)
{
    return gather(d, NULL, o, CLND_BOUNDS_ERROR, report, 0, NULL, NULL);
}

static void check_failure(const clnd_report_result *result, const char *op, uint64_t call,
                          int64_t row, int64_t value, const char *message)
{
    check(result->status == CLND_INDEX_OUT_OF_BOUNDS, "status %s",
          clnd_status_name(result->status));
    check(result->op && strcmp(result->op, op) == 0, "op %s", result->op ? result->op : "NULL");
    check(result->call == call, "call %llu", (unsigned long long)result->call);
    check(result->rank == 1 && result->row == row && result->location[0] == row, "row %lld",
          (long long)result->row);
    check(result->n_values == 1 && result->values[0] == value, "value %lld",
          (long long)result->values[0]);
    check(strcmp(result->message, message) == 0, "message \"%s\"", result->message);
}

Test(report, says_that_all_is_well)
{
    const device *d = device_get();
    case_begin("report", 0);
    operands o;
    make_operands(&o, d, CLND_INT32, GOOD_ROWS);
    clnd_report *report = new_report(d);
    clnd_report_result result = {.call = 7};
    bool done = false;
    check_status(clnd_report_wait(report, &result), CLND_OK);
    check_status(clnd_report_poll(report, &done, NULL), CLND_OK);
    check(done, "nothing is under way");
    for (int i = 0; i < 40; ++i)
        check_status(gather_simply(d, &o, report), CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_OK);
    check(result.status == CLND_OK && !result.op && !*result.message, "a failure");
    check_cl(clFinish(d->queue));
    text_elements(&o.dense, "3,2: 5 6 1 2 7 8");
    placed_check(&o.dense, d, EQUAL_BITS, NULL);
    clnd_report_destroy(&report);
    check(!report, "the pointer stays");
    clnd_report_destroy(&report);
    clnd_report_destroy(NULL);
    free_operands(&o);
}

Test(report, tells_the_first_bad_row)
{
    const device *d = device_get();
    case_begin("report_bad", 0);
    operands o;
    make_operands(&o, d, CLND_INT32, BAD_ROWS);
    clnd_report *report = new_report(d);
    clnd_report_result result;
    const char *message = "gather_nd: indices[1] = [4] does not index into params shape [4, 2]";
    check_status(gather_simply(d, &o, NULL), CLND_INDEX_OUT_OF_BOUNDS);
    check(strcmp(clnd_last_error(), message) == 0, "%s", clnd_last_error());
    placed_upload(&o.dense, d); // only with a report it is left alone
    check_status(gather_simply(d, &o, report), CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check(strcmp(clnd_last_error(), message) == 0, "%s", clnd_last_error());
    check_failure(&result, "gather_nd", 0, 1, 4, message);
    check_cl(clFinish(d->queue));
    placed_check(&o.dense, d, EQUAL_BITS, NULL);

    // It stays until it is forgotten.
    bool done;
    check_status(clnd_report_poll(report, &done, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check(done, "not done");
    check_failure(&result, "gather_nd", 0, 1, 4, message);
    check_status(clnd_report_wait(report, NULL), CLND_INDEX_OUT_OF_BOUNDS);
    check_status(clnd_report_reset(report), CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_OK);
    check(!result.op, "forgotten, but still there");

    // Under WRAP the negative value is good.
    check_status(gather(d, NULL, &o, CLND_BOUNDS_WRAP, report, 0, NULL, NULL), CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check_failure(&result, "gather_nd", 0, 1, 4, message);
    clnd_report_destroy(&report);
    free_operands(&o);
}

Test(report, a_bad_row_spoils_no_later_call)
{
    const device *d = device_get();
    case_begin("report_later", 0);
    operands bad, good;
    make_operands(&bad, d, CLND_INT32, BAD_ROWS);
    make_operands(&good, d, CLND_INT32, GOOD_ROWS);
    clnd_report *report = new_report(d);
    clnd_report_result result;
    check_status(gather_simply(d, &bad, report), CLND_OK);
    check_status(clnd_report_wait(report, NULL), CLND_INDEX_OUT_OF_BOUNDS);
    check_status(gather_simply(d, &good, report), CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check(result.call == 0, "call %d", (int)result.call);
    check_cl(clFinish(d->queue));
    text_elements(&good.dense, "3,2: 5 6 1 2 7 8");
    placed_check(&good.dense, d, EQUAL_BITS, NULL);
    placed_check(&bad.dense, d, EQUAL_BITS, NULL);
    clnd_report_destroy(&report);
    free_operands(&good);
    free_operands(&bad);
}

Test(report, names_places_and_values_of_every_op)
{
    const device *d = device_get();
    case_begin("report_places", 0);
    placed params, tuples, elements, out, line;
    clnd_report *report = new_report(d);
    clnd_report_result result;
    text_tensor(&params, "params", case_rng(), CLND_INT32, "2,3");
    text_tensor(&tuples, "indices", case_rng(), CLND_INT64, "2,2,2: 0 0 1 2 1 1 1 3");
    text_tensor(&elements, "indices", case_rng(), CLND_INT8, "2,2: 1 0 -4 9");
    text_tensor(&out, "out", case_rng(), CLND_INT32, "2,2");
    text_tensor(&line, "line", case_rng(), CLND_INT32, "2,2,3");
    placed *all[] = {&params, &tuples, &elements, &out, &line};
    for (int i = 0; i < 5; ++i)
        placed_upload(all[i], d);

    const clnd_scatter_nd_options tuple_options = {.bounds = CLND_BOUNDS_ERROR, .report = report};
    check_status(clnd_scatter_nd(d->engine, d->queue, &tuples.tensor, &out.tensor, &params.tensor,
                                 &tuple_options, 0, NULL, NULL),
                 CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check_message("scatter_nd: indices[1,1] = [1, 3] does not index into shape [2, 3]");
    check(result.row == 3 && result.rank == 2 && result.location[0] == 1 &&
              result.location[1] == 1 && result.n_values == 2 && result.values[0] == 1 &&
              result.values[1] == 3,
          "row %lld", (long long)result.row);

    check_status(clnd_report_reset(report), CLND_OK);
    const clnd_gather_elements_options element_options = {
        .axis = 1, .bounds = CLND_BOUNDS_WRAP, .report = report};
    check_status(clnd_gather_elements(d->engine, d->queue, &params.tensor, &elements.tensor,
                                      &out.tensor, &element_options, 0, NULL, NULL),
                 CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check_message("gather_elements: indices[1,0] = -4 is not in [-3, 3)");
    check(result.row == 2 && result.values[0] == -4, "row %lld", (long long)result.row);

    check_status(clnd_report_reset(report), CLND_OK);
    const clnd_gather_options axis_options = {.bounds = CLND_BOUNDS_ERROR, .report = report};
    check_status(clnd_gather(d->engine, d->queue, &params.tensor, &elements.tensor, &line.tensor,
                             &axis_options, 0, NULL, NULL),
                 CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check_message("gather: indices[1,0] = -4 is not in [0, 2)");

    check_status(clnd_report_reset(report), CLND_OK);
    const clnd_scatter_elements_options put = {
        .axis = 1, .bounds = CLND_BOUNDS_ERROR, .report = report};
    check_status(clnd_scatter_elements(d->engine, d->queue, &elements.tensor, &out.tensor,
                                       &params.tensor, &put, 0, NULL, NULL),
                 CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check_message("scatter_elements: indices[1,0] = -4 is not in [0, 3)");

    check_cl(clFinish(d->queue));
    for (int i = 0; i < 5; ++i) {
        placed_check(all[i], d, EQUAL_BITS, NULL);
        placed_free(all[i]);
    }
    clnd_report_destroy(&report);
}

// What is written goes through gated kernels, whatever the strategy.
static const struct {
    const char *strategy;
    clnd_dtype dtype;
    clnd_reduce reduce;
    bool deterministic, zero_first;
} ways[] = {
    {"store,lanes", CLND_INT32, CLND_REDUCE_UPDATE, false, false},
    {"store,blocks", CLND_INT32, CLND_REDUCE_UPDATE, false, true},
    {"atomic,lanes", CLND_INT32, CLND_REDUCE_ADD, false, true},
    {"atomic,lanes,aggregate", CLND_INT32, CLND_REDUCE_ADD, false, false},
    {"atomic,blocks", CLND_FLOAT32, CLND_REDUCE_MUL, false, false},
    {"private,lanes", CLND_INT32, CLND_REDUCE_SUB, false, false},
    {"private,blocks", CLND_FLOAT32, CLND_REDUCE_MIN, false, true},
    {"owner", CLND_FLOAT32, CLND_REDUCE_ADD, false, false},
    {"owner", CLND_OPAQUE(3), CLND_REDUCE_UPDATE, true, true},
    {"owner", CLND_BFLOAT16, CLND_REDUCE_ADD, true, false}, // through a float32 copy
    {"owner", CLND_FLOAT16, CLND_REDUCE_SUB, true, true},
    {"sort", CLND_FLOAT32, CLND_REDUCE_ADD, true, false},
    {"sort", CLND_OPAQUE(3), CLND_REDUCE_UPDATE, true, true},
    {"sort", CLND_BFLOAT16, CLND_REDUCE_ADD, true, false},
};

static void scatter_way(const device *d, int number, bool bad)
{
    case_begin("report_way", 2 * number + bad);
    case_note("%s, reduce %d", ways[number].strategy, (int)ways[number].reduce);
    d = device_with(d, ways[number].strategy);
    const clnd_dtype dtype = ways[number].dtype;
    const values numbers = {.kind = VALUES_PLAIN};
    placed target, indices, updates;
    placed_make(&target, "target", case_rng(), dtype, 2, (int64_t[]){4, 3}, PLACED_STRIDED);
    placed_make(&updates, "updates", case_rng(), dtype, 2, (int64_t[]){3, 3}, 0);
    // Reductions need aligned elements, and a dense target is filled by OpenCL itself.
    if (ways[number].reduce != CLND_REDUCE_UPDATE || number % 2) {
        placed_free(&target);
        placed_free(&updates);
        placed_make(&target, "target", case_rng(), dtype, 2, (int64_t[]){4, 3}, PLACED_ALIGNED);
        placed_make(&updates, "updates", case_rng(), dtype, 2, (int64_t[]){3, 3}, PLACED_ALIGNED);
    }
    placed_fill(&target, case_rng(), &numbers);
    placed_fill(&updates, case_rng(), &numbers);
    text_tensor(&indices, "indices", case_rng(), CLND_INT32, bad ? BAD_ROWS : GOOD_ROWS);
    placed_upload(&target, d);
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    clnd_report *report = new_report(d);
    const clnd_scatter_nd_options options = {.bounds = CLND_BOUNDS_ERROR,
                                             .reduce = ways[number].reduce,
                                             .deterministic = ways[number].deterministic,
                                             .report = report};
    cl_event event;
    check_status((ways[number].zero_first ? clnd_scatter_nd : clnd_scatter_nd_into)(
                     d->engine, d->queue, &indices.tensor, &updates.tensor, &target.tensor,
                     &options, 0, NULL, &event),
                 CLND_OK);
    check_status(clnd_report_wait(report, NULL), bad ? CLND_INDEX_OUT_OF_BOUNDS : CLND_OK);
    check_cl(clWaitForEvents(1, &event));
    check_cl(clReleaseEvent(event));
    const ref_scatter_options loop = {.reduce = ways[number].reduce,
                                      .bounds = CLND_BOUNDS_ERROR,
                                      .round_once = ways[number].deterministic};
    (ways[number].zero_first ? ref_scatter_nd : ref_scatter_nd_into)(&indices.host, &updates.host,
                                                                     &target.host, &loop);
    placed_check(&target, d, EQUAL_BITS, NULL);
    clnd_report_destroy(&report);
    placed_free(&target);
    placed_free(&indices);
    placed_free(&updates);
}

Test(report, a_bad_row_turns_every_write_off)
{
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof ways / sizeof *ways); ++i) {
        scatter_way(d, i, false);
        scatter_way(d, i, true);
    }
}

Test(report, says_which_call_of_a_sequence_failed_first)
{
    const device *d = device_get();
    case_begin("report_sequence", 0);
    operands good, bad, worse, last;
    make_operands(&good, d, CLND_INT32, GOOD_ROWS);
    make_operands(&bad, d, CLND_INT32, "3,1: 0 0 7");
    make_operands(&worse, d, CLND_INT32, "3,1: 9 9 9");
    make_operands(&last, d, CLND_INT32, GOOD_ROWS);
    clnd_report *report = new_report(d);
    clnd_report_result result;
    check_status(gather_simply(d, &good, report), CLND_OK);
    // Neither calls that are refused count, nor ...
    check_status(gather(d, NULL, &good, CLND_BOUNDS_FILL, report, 0, NULL, NULL),
                 CLND_NULL_POINTER);
    // ... do calls fail whose policy knows what to do; but they count.
    check_status(gather(d, NULL, &worse, CLND_BOUNDS_CLAMP, report, 0, NULL, NULL), CLND_OK);
    check_status(gather_simply(d, &bad, report), CLND_OK);
    check_status(gather_simply(d, &worse, report), CLND_OK);
    check_status(gather_simply(d, &last, report), CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check_failure(&result, "gather_nd", 2, 2, 7,
                  "gather_nd: indices[2] = [7] does not index into params shape [4, 2]");
    check_cl(clFinish(d->queue));
    placed_check(&bad.dense, d, EQUAL_BITS, NULL);
    text_elements(&last.dense, "3,2: 5 6 1 2 7 8");
    placed_check(&last.dense, d, EQUAL_BITS, NULL);
    clnd_report_destroy(&report);
    free_operands(&good);
    free_operands(&bad);
    free_operands(&worse);
    free_operands(&last);
}

Test(report, never_waits)
{
    const device *d = device_get();
    case_begin("report_async", 0);
    operands o;
    make_operands(&o, d, CLND_INT32, BAD_ROWS);
    cl_int code;
    cl_event start = clCreateUserEvent(d->context, &code), event = NULL;
    check_cl(code);
    clnd_report *report = new_report(d);
    clnd_report_result result;
    bool done = true;
    check_status(gather(d, NULL, &o, CLND_BOUNDS_ERROR, report, 1, &start, &event), CLND_OK);
    check_status(clnd_report_poll(report, &done, &result), CLND_OK);
    check(!done, "the call has not even begun");
    check_cl(clSetUserEventStatus(start, CL_COMPLETE));
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check_status(clnd_report_poll(report, &done, NULL), CLND_INDEX_OUT_OF_BOUNDS);
    check(done, "done");
    check_cl(clWaitForEvents(1, &event));
    placed_check(&o.dense, d, EQUAL_BITS, NULL);
    check_cl(clReleaseEvent(event));
    check_cl(clReleaseEvent(start));
    clnd_report_destroy(&report);
    free_operands(&o);
}

// Indices that change when the call is over are told as they were.
Test(report, remembers_the_values)
{
    const device *d = device_get();
    case_begin("report_values", 0);
    operands o;
    make_operands(&o, d, CLND_INT32, BAD_ROWS);
    clnd_report *report = new_report(d);
    static const int32_t zeros[3];
    check_status(gather_simply(d, &o, report), CLND_OK);
    check_cl(clEnqueueWriteBuffer(d->queue, o.indices.tensor.buffer, CL_TRUE, 0, sizeof zeros,
                                  zeros, 0, NULL, NULL));
    check_status(clnd_report_wait(report, NULL), CLND_INDEX_OUT_OF_BOUNDS);
    check_message("indices[1] = [4]");
    clnd_report_destroy(&report);
    free_operands(&o);
}

// Every second call is bad; all hang together by events alone.
Test(report, holds_on_an_out_of_order_queue)
{
    const device *d = device_get();
    cl_command_queue queue = device_new_queue(d, true);
    if (!queue)
        cr_skip_test("the device has no out-of-order queues");
    case_begin("report_chain", 0);
    enum { CALLS = 200 };
    operands good, bad;
    make_operands(&good, d, CLND_INT32, "3,1: 1 1 1");
    make_operands(&bad, d, CLND_INT32, "3,1: 0 1 4");
    placed_free(&bad.data);
    bad.data = good.data; // both add to one target
    clnd_report *report = new_report(d);
    const clnd_scatter_nd_options options = {
        .reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_ERROR, .report = report};
    cl_event event = NULL;
    for (int i = 0; i < CALLS; ++i) {
        const operands *o = i % 2 ? &bad : &good;
        cl_event next;
        check_status(clnd_scatter_nd_into(d->engine, queue, &o->indices.tensor, &o->dense.tensor,
                                          &good.data.tensor, &options, event != NULL,
                                          event ? &event : NULL, &next),
                     CLND_OK);
        if (event)
            check_cl(clReleaseEvent(event));
        event = next;
    }
    clnd_report_result result;
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check(result.call == 1, "call %llu", (unsigned long long)result.call);
    check_cl(clWaitForEvents(1, &event));
    char expected[64];
    snprintf(expected, sizeof expected, "4,2: 1 2 %d %d 5 6 7 8", 3 + CALLS / 2 * 90,
             4 + CALLS / 2 * 120);
    text_elements(&good.data, expected);
    placed_check(&good.data, d, EQUAL_BITS, NULL);
    check_cl(clReleaseEvent(event));
    check_cl(clReleaseCommandQueue(queue));
    clnd_report_destroy(&report);
    placed_free(&bad.indices);
    placed_free(&bad.dense);
    free_operands(&good);
}

// An earlier call's verdict is asked for while its kernels still look at it. The later call may not
// turn it into its own.
Test(report, a_later_call_leaves_an_earlier_one_alone)
{
    enum { MANY = 16 << 20 };
    const device *d = device_get();
    case_begin("report_reuse", 0);
    operands bad;
    make_operands(&bad, d, CLND_INT32, BAD_ROWS);
    placed indices, updates;
    text_tensor(&indices, "indices", case_rng(), CLND_INT32, "3,1: 2 0 3");
    text_tensor(&updates, "updates", case_rng(), CLND_INT32, "3: 20 10 30");
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    cl_int code;
    const cl_mem large =
        clCreateBuffer(d->context, CL_MEM_READ_WRITE, MANY * sizeof(int32_t), NULL, &code);
    check_cl(code);
    clnd_tensor out;
    check_status(clnd_tensor_dense(large, 0, CLND_INT32, 1, (int64_t[]){MANY}, &out), CLND_OK);
    const cl_command_queue early = device_new_queue(d, false), late = device_new_queue(d, false);
    clnd_report *report = new_report(d);
    const clnd_scatter_nd_options options = {.bounds = CLND_BOUNDS_ERROR, .report = report};
    for (int i = 0; i < 5; ++i) {
        check_status(clnd_scatter_nd(d->engine, early, &indices.tensor, &updates.tensor, &out,
                                     &options, 0, NULL, NULL),
                     CLND_OK);
        check_status(clnd_report_wait(report, NULL), CLND_OK);
        check_status(gather(d, late, &bad, CLND_BOUNDS_ERROR, report, 0, NULL, NULL), CLND_OK);
        check_cl(clFinish(late));
        int32_t got[5];
        check_cl(clEnqueueReadBuffer(early, large, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        check(got[0] == 10 && got[1] == 0 && got[2] == 20 && got[3] == 30 && got[4] == 0,
              "round %d: %d %d %d %d %d", i, got[0], got[1], got[2], got[3], got[4]);
        check_status(clnd_report_reset(report), CLND_OK);
    }
    clnd_report_destroy(&report);
    check_cl(clReleaseCommandQueue(early));
    check_cl(clReleaseCommandQueue(late));
    check_cl(clReleaseMemObject(large));
    placed_free(&indices);
    placed_free(&updates);
    free_operands(&bad);
}

// More rows than one work-item checks, and the bad ones far behind.
Test(report, finds_the_first_of_many_rows)
{
    const device *d = device_get();
    case_begin("report_many", 0);
    enum { ROWS = 300000 };
    int32_t *rows = calloc(ROWS, sizeof *rows);
    check(rows, "out of memory");
    rows[123457] = -3;
    rows[123456] = 2;
    rows[290000] = 5;
    placed params, indices, out;
    placed_from(&params, "params", case_rng(), CLND_UINT8, 1, (int64_t[]){2}, NULL);
    placed_from(&indices, "indices", case_rng(), CLND_INT32, 2, (int64_t[]){ROWS, 1}, rows);
    placed_from(&out, "out", case_rng(), CLND_UINT8, 1, (int64_t[]){ROWS}, NULL);
    placed_upload(&params, d);
    placed_upload(&indices, d);
    placed_upload(&out, d);
    clnd_report *report = new_report(d);
    clnd_report_result result;
    const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR, .report = report};
    check_status(clnd_gather_nd(d->engine, d->queue, &params.tensor, &indices.tensor, &out.tensor,
                                &options, 0, NULL, NULL),
                 CLND_OK);
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check(result.row == 123456 && result.values[0] == 2, "row %lld", (long long)result.row);
    check_cl(clFinish(d->queue));
    placed_check(&out, d, EQUAL_BITS, NULL);
    clnd_report_destroy(&report);
    placed_free(&params);
    placed_free(&indices);
    placed_free(&out);
    free(rows);
}

Test(report, refuses)
{
    const device *d = device_get();
    case_begin("report_refuses", 0);
    operands o;
    make_operands(&o, d, CLND_INT32, GOOD_ROWS);
    clnd_report *report = (clnd_report *)&o;
    clnd_report_result result = {.call = 3};
    bool done = true;
    check_status(clnd_report_create(NULL, &report), CLND_NULL_POINTER);
    check(!report, "the pointer is not cleared");
    check_status(clnd_report_create(d->engine, NULL), CLND_NULL_POINTER);
    check_status(clnd_report_wait(NULL, &result), CLND_NULL_POINTER);
    check(result.call == 0, "the result is not cleared");
    check_status(clnd_report_poll(NULL, &done, NULL), CLND_NULL_POINTER);
    check(!done, "done");
    check_status(clnd_report_reset(NULL), CLND_NULL_POINTER);

    // A report of another context; it outlives its engine.
    clnd_engine *other;
    check_status(clnd_engine_open(NULL, NULL, &other), CLND_OK);
    check_status(clnd_report_create(other, &report), CLND_OK);
    clnd_engine_destroy(&other);
    check_status(clnd_report_poll(report, NULL, NULL), CLND_NULL_POINTER);
    check_status(gather_simply(d, &o, report), CLND_INVALID_OPTION);
    check_message("options->report is of another context");
    check_status(clnd_report_wait(report, NULL), CLND_OK);
    clnd_report_destroy(&report);
    free_operands(&o);
}

// A report may go while its calls are under way.
Test(report, may_be_destroyed_early)
{
    const device *d = device_get();
    case_begin("report_early", 0);
    operands o;
    make_operands(&o, d, CLND_INT32, GOOD_ROWS);
    cl_int code;
    cl_event start = clCreateUserEvent(d->context, &code);
    check_cl(code);
    clnd_report *report = new_report(d);
    check_status(gather(d, NULL, &o, CLND_BOUNDS_ERROR, report, 1, &start, NULL), CLND_OK);
    clnd_report_destroy(&report);
    check_cl(clSetUserEventStatus(start, CL_COMPLETE));
    check_cl(clFinish(d->queue));
    text_elements(&o.dense, "3,2: 5 6 1 2 7 8");
    placed_check(&o.dense, d, EQUAL_BITS, NULL);
    check_cl(clReleaseEvent(start));
    free_operands(&o);
}

// Threads -----------------------------------------------------------------------------------------

enum { THREADS = 4, CALLS_A_THREAD = 50 };

typedef struct crowd {
    const device *d;
    clnd_report *report;
    const operands *o;
    int failures; // calls that were refused
} crowd;

static void *call_often(void *data)
{
    crowd *c = data;
    for (int i = 0; i < CALLS_A_THREAD; ++i) {
        bool done;
        c->failures += gather_simply(c->d, c->o, c->report) != CLND_OK;
        c->failures += clnd_report_poll(c->report, &done, NULL) != CLND_OK;
        if (i % 10 == 9)
            c->failures += clnd_report_wait(c->report, NULL) != CLND_OK;
    }
    return NULL;
}

Test(report, serves_many_threads)
{
    const device *d = device_get();
    case_begin("report_threads", 0);
    operands o[THREADS], bad;
    crowd crowds[THREADS];
    pthread_t threads[THREADS];
    clnd_report *report = new_report(d);
    for (int i = 0; i < THREADS; ++i) {
        make_operands(&o[i], d, CLND_INT32, GOOD_ROWS);
        crowds[i] = (crowd){d, report, &o[i], 0};
        check(pthread_create(&threads[i], NULL, call_often, &crowds[i]) == 0, "no thread");
    }
    for (int i = 0; i < THREADS; ++i) {
        check(pthread_join(threads[i], NULL) == 0, "no join");
        check(crowds[i].failures == 0, "%d calls failed", crowds[i].failures);
    }
    make_operands(&bad, d, CLND_INT32, BAD_ROWS);
    check_status(gather_simply(d, &bad, report), CLND_OK);
    clnd_report_result result;
    check_status(clnd_report_wait(report, &result), CLND_INDEX_OUT_OF_BOUNDS);
    check(result.call == THREADS * CALLS_A_THREAD, "call %llu", (unsigned long long)result.call);
    check_cl(clFinish(d->queue));
    for (int i = 0; i < THREADS; ++i) {
        text_elements(&o[i].dense, "3,2: 5 6 1 2 7 8");
        placed_check(&o[i].dense, d, EQUAL_BITS, NULL);
        free_operands(&o[i]);
    }
    free_operands(&bad);
    clnd_report_destroy(&report);
}
