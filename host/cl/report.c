// SPDX-License-Identifier: Apache-2.0

#include "host/cl/report.h"

#include <stdio.h>
#include <string.h>

#include "host/base/alloc.h"
#include "host/base/error.h"
#include "host/base/mutex.h"
#include "host/cl/cl_error.h"
#include "host/cl/device.h"
#include "host/cl/engine.h"
#include "host/cl/verdict.h"
#include "kernels_cl/args.h"

struct clnd__report_entry {
    struct clnd__report_entry *next;
    clnd__index_check check;
    const char *op;
    uint64_t call;
    cl_mem verdict;   // owned; NULL: there was nothing to check
    cl_event checked; // owned; complete when the verdict is there
    cl_event last;    // owned; complete when no command of the call reads the verdict any more
};

struct clnd_report {
    cl_context context;     // retained
    cl_device_id device;    // retained
    cl_command_queue queue; // owned; verdicts are read on it, without waiting for a call's commands
    clnd__mutex settling;   // held while verdicts are read; taken before `lock`
    clnd__mutex lock;       // guards what follows; never held while waiting for a device
    clnd__verdict_pool verdicts;
    uint64_t n_calls;
    struct clnd__report_entry *first; // calls whose verdict has not been read, in order
    struct clnd__report_entry **end;
    clnd_report_result failure; // the first
    int32_t failure_code;
};

static bool make_locks(clnd_report *report)
{
    if (!clnd__mutex_init(&report->settling))
        return false;
    if (clnd__mutex_init(&report->lock))
        return true;
    clnd__mutex_destroy(&report->settling);
    return false;
}

static clnd_status make_queue(clnd_report *report)
{
    cl_int code;
    report->queue = clCreateCommandQueue(report->context, report->device, 0, &code);
    return report->queue ? CLND_OK : clnd__cl_fail(code, "clCreateCommandQueue");
}

clnd_status clnd_report_create(clnd_engine *engine, clnd_report **out)
{
    clnd__enter("report_create");
    if (!out)
        return clnd__fail(CLND_NULL_POINTER, "report is NULL");
    *out = NULL;
    if (!engine)
        return clnd__fail(CLND_NULL_POINTER, "engine is NULL");
    clnd_report *report = clnd__allocate(sizeof *report);
    if (!report || !make_locks(report)) {
        clnd__free(report);
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a report");
    }
    report->end = &report->first;
    clnd_status status =
        clnd__device_hold(engine->context, engine->device, &report->context, &report->device);
    if (status == CLND_OK)
        status = make_queue(report);
    if (status)
        clnd_report_destroy(&report); // which sets it to NULL
    *out = report;
    return status;
}

static void entry_free(clnd_report *report, struct clnd__report_entry *entry, bool good)
{
    clnd__verdict_return(&report->verdicts, entry->verdict, good, entry->last);
    if (entry->checked)
        clReleaseEvent(entry->checked);
    if (entry->last)
        clReleaseEvent(entry->last);
    clnd__free(entry);
}

static void forget_all(clnd_report *report)
{
    while (report->first) {
        struct clnd__report_entry *entry = report->first;
        report->first = entry->next;
        entry_free(report, entry, false);
    }
    report->end = &report->first;
}

void clnd_report_destroy(clnd_report **report_pointer)
{
    if (!report_pointer || !*report_pointer)
        return;
    clnd_report *report = *report_pointer;
    *report_pointer = NULL;
    forget_all(report);
    clnd__verdict_pool_close(&report->verdicts);
    if (report->queue)
        clReleaseCommandQueue(report->queue);
    clnd__device_let_go(report->context, report->device);
    clnd__mutex_destroy(&report->lock);
    clnd__mutex_destroy(&report->settling);
    clnd__free(report);
}

clnd_status clnd__report_suits(const clnd_report *report, const clnd_engine *engine)
{
    if (!report || (report->context == engine->context && report->device == engine->device))
        return CLND_OK;
    return clnd__fail(CLND_INVALID_OPTION, "options->report is of another %s than the engine",
                      report->context == engine->context ? "device" : "context");
}

clnd_status clnd__report_join(clnd__call *call, clnd_report *report, const char *op,
                              const clnd__index_check *check)
{
    struct clnd__report_entry *entry = clnd__allocate(sizeof *entry);
    if (!entry)
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for an entry of the report");
    entry->check = *check;
    entry->op = op;
    clnd_status status = CLND_OK;
    if (!clnd__index_check_is_empty(check)) {
        clnd__mutex_lock(&report->lock);
        status = clnd__verdict_take(&report->verdicts, report->context, &entry->verdict);
        clnd__mutex_unlock(&report->lock);
    }
    if (status) {
        clnd__free(entry);
        return status;
    }
    call->report = report;
    call->entry = entry;
    call->gate = entry->verdict;
    return CLND_OK;
}

clnd_status clnd__report_checked(clnd__call *call)
{
    const cl_int code = clRetainEvent(call->last);
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, "clRetainEvent");
    call->entry->checked = call->last;
    return CLND_OK;
}

void clnd__report_leave(clnd__call *call, bool counts)
{
    clnd_report *report = call->report;
    struct clnd__report_entry *entry = call->entry;
    // Without its event the verdict cannot be reused.
    if (call->last && clRetainEvent(call->last) == CL_SUCCESS)
        entry->last = call->last;
    clnd__mutex_lock(&report->lock);
    if (counts) {
        entry->call = report->n_calls++;
        *report->end = entry;
        report->end = &entry->next;
    } else {
        entry_free(report, entry, false); // commands may still write the verdict
    }
    clnd__mutex_unlock(&report->lock);
    call->report = NULL;
    call->entry = NULL;
    call->gate = NULL;
}

// Reading verdicts --------------------------------------------------------------------------------

// The first failure stays. `text` is what follows the op's name in the message.
static void record_failure(clnd_report *report, const struct clnd__report_entry *entry,
                           clnd_status status, int32_t code, const char *text)
{
    clnd_report_result *failure = &report->failure;
    if (failure->status)
        return;
    failure->status = status;
    failure->op = entry->op;
    failure->call = entry->call;
    snprintf(failure->message, sizeof failure->message, "%s: %s", entry->op, text);
    report->failure_code = code;
}

static void record_bad_row(clnd_report *report, const struct clnd__report_entry *entry,
                           const clnd_verdict *verdict)
{
    if (report->failure.status)
        return;
    char text[CLND__ERROR_TEXT - 64]; // the op's name fits before it
    clnd_report_result *failure = &report->failure;
    const clnd__index_check *check = &entry->check;
    clnd__index_check_locate(check, verdict->launch * CLND_CHECK_ROWS + verdict->row,
                             failure->location);
    for (int k = 0; k < check->n_coordinates; ++k)
        failure->values[k] = verdict->values[k];
    failure->rank = check->n_location;
    failure->n_values = check->n_coordinates;
    failure->row = 0;
    for (int d = 0; d < check->n_location; ++d)
        failure->row = failure->row * check->indices.shape[d] + failure->location[d];
    clnd__index_check_describe(check, failure->location, failure->values, text, sizeof text);
    record_failure(report, entry, CLND_INDEX_OUT_OF_BOUNDS, 0, text);
}

// How a check ended: CL_SUCCESS, or the code and the function that returned it.
typedef struct ending {
    cl_int code;
    const char *what;
} ending;

// Whether the entry's check is over, and how. Waits for it if `wait`.
static bool is_over(const struct clnd__report_entry *entry, bool wait, ending *end)
{
    *end = (ending){CL_SUCCESS, "clWaitForEvents"};
    if (!entry->checked)
        return true;
    if (wait && (end->code = clWaitForEvents(1, &entry->checked)) == CL_SUCCESS)
        return true;
    cl_int state = CL_COMPLETE;
    const cl_int asked = clGetEventInfo(entry->checked, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                        sizeof state, &state, NULL);
    if (asked != CL_SUCCESS)
        *end = (ending){asked, "clGetEventInfo"};
    else if (state < CL_COMPLETE)
        *end = (ending){state, "its event"};
    if (end->code != CL_SUCCESS || state == CL_COMPLETE)
        return true;
    cl_command_queue queue = NULL;
    if (clGetEventInfo(entry->checked, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) ==
            CL_SUCCESS &&
        queue)
        *end = (ending){clFlush(queue), "clFlush"};
    return end->code != CL_SUCCESS; // a check that cannot be flushed will never end
}

// Reads the verdict of an entry whose check has ended, and frees the entry.
static void settle(clnd_report *report, struct clnd__report_entry *entry, ending end)
{
    clnd_verdict verdict = {.row = CLND_NO_BAD_ROW};
    if (end.code == CL_SUCCESS && entry->verdict)
        end = (ending){clEnqueueReadBuffer(report->queue, entry->verdict, CL_TRUE, 0,
                                           sizeof verdict, &verdict, 0, NULL, NULL),
                       "clEnqueueReadBuffer"};
    char text[128];
    clnd__mutex_lock(&report->lock);
    if (end.code != CL_SUCCESS) {
        snprintf(text, sizeof text,
                 "the check of the indices could not be carried out (%s gave %d)", end.what,
                 (int)end.code);
        record_failure(report, entry, CLND_OPENCL_ERROR, end.code, text);
    } else if (verdict.row != CLND_NO_BAD_ROW) {
        record_bad_row(report, entry, &verdict);
    }
    entry_free(report, entry,
               end.code == CL_SUCCESS && entry->last && verdict.row == CLND_NO_BAD_ROW);
    clnd__mutex_unlock(&report->lock);
}

// The oldest entry before call number `bound`. It stays in the list as long as `settling` is held.
static struct clnd__report_entry *oldest(clnd_report *report, uint64_t bound)
{
    clnd__mutex_lock(&report->lock);
    struct clnd__report_entry *entry = report->first;
    if (entry && entry->call >= bound)
        entry = NULL;
    clnd__mutex_unlock(&report->lock);
    return entry;
}

static void remove_oldest(clnd_report *report)
{
    clnd__mutex_lock(&report->lock);
    report->first = report->first->next;
    if (!report->first)
        report->end = &report->first;
    clnd__mutex_unlock(&report->lock);
}

// Settles the calls up to now, all of them if `wait`. False: some checks have not ended.
static bool settle_all(clnd_report *report, bool wait)
{
    clnd__mutex_lock(&report->lock);
    const uint64_t bound = report->n_calls;
    clnd__mutex_unlock(&report->lock);
    struct clnd__report_entry *entry;
    while ((entry = oldest(report, bound))) {
        ending end;
        if (!is_over(entry, wait, &end))
            return false;
        remove_oldest(report);
        settle(report, entry, end);
    }
    return true;
}

// Gives the failure, also as the thread's last error.
static clnd_status give_result(clnd_report *report, clnd_report_result *result)
{
    clnd__mutex_lock(&report->lock);
    const clnd_report_result failure = report->failure;
    const int32_t code = report->failure_code;
    clnd__mutex_unlock(&report->lock);
    if (result)
        *result = failure;
    if (!failure.status)
        return CLND_OK;
    clnd__enter(failure.op);
    return clnd__fail_code(failure.status, code, "%s", failure.message + strlen(failure.op) + 2);
}

clnd_status clnd_report_wait(clnd_report *report, clnd_report_result *result)
{
    clnd__enter("report_wait");
    if (result)
        memset(result, 0, sizeof *result);
    if (!report)
        return clnd__fail(CLND_NULL_POINTER, "report is NULL");
    clnd__mutex_lock(&report->settling);
    settle_all(report, true);
    clnd__mutex_unlock(&report->settling);
    return give_result(report, result);
}

clnd_status clnd_report_poll(clnd_report *report, bool *done, clnd_report_result *result)
{
    clnd__enter("report_poll");
    if (result)
        memset(result, 0, sizeof *result);
    if (done)
        *done = false;
    if (!report || !done)
        return clnd__fail(CLND_NULL_POINTER, "%s is NULL", report ? "done" : "report");
    // The thread that settles may be waiting for a check that has not ended.
    if (!clnd__mutex_trylock(&report->settling))
        return CLND_OK;
    *done = settle_all(report, false);
    clnd__mutex_unlock(&report->settling);
    return *done ? give_result(report, result) : CLND_OK;
}

clnd_status clnd_report_reset(clnd_report *report)
{
    clnd__enter("report_reset");
    if (!report)
        return clnd__fail(CLND_NULL_POINTER, "report is NULL");
    clnd__mutex_lock(&report->settling);
    clnd__mutex_lock(&report->lock);
    forget_all(report);
    report->n_calls = 0;
    memset(&report->failure, 0, sizeof report->failure);
    report->failure_code = 0;
    clnd__mutex_unlock(&report->lock);
    clnd__mutex_unlock(&report->settling);
    return CLND_OK;
}
