// SPDX-License-Identifier: Apache-2.0
//
// Reports: bad indices without waiting.
//
// Under the policies ERROR and WRAP a call waits for the check of its indices, so that it can
// return INDEX_OUT_OF_BOUNDS. A call that is given a report (options->report) never waits: it
// enqueues the check, and behind it work that does nothing where the check found a bad row. The
// output of such a call is untouched, as if the call had been refused, and the report says so when
// it is asked.
//
// One report serves any number of calls, on any queues of its context, and says which of them
// failed first. A call that fails does not stop the ones behind it.
//
//     clnd_report_create(engine, &report);
//     options.report = report;
//     clnd_gather_nd(engine, queue, &params, &indices, &rows, &options, 0, NULL, NULL);   // call 0
//     clnd_scatter_nd_into(engine, queue, &places, &rows, &sums, &adding, 0, NULL, NULL); // call 1
//     ...
//     if (clnd_report_wait(report, NULL) != CLND_OK)
//         fputs(clnd_last_error(), stderr); // gather_nd: indices[7] = [12] does not index into ...

#ifndef CLND_REPORT_H
#define CLND_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "clnd/dtype.h"
#include "clnd/engine.h"
#include "clnd/export.h"
#include "clnd/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// Thread-safety: Safe. Calls are numbered in the order in which they return.
typedef struct clnd_report clnd_report;

// The first call, by number, that failed.
typedef struct clnd_report_result {
    clnd_status status; // OK: none did; INDEX_OUT_OF_BOUNDS; OPENCL_ERROR: the check could not run
                        // or be read, because an event that it waited for failed or the device did
    const char *op;     // "gather_nd", ...; static text; NULL when none failed
    uint64_t call;      // its number since the report was made or reset, from 0. Every call that
                        // was given the report and returned OK counts, whatever its policy
    int64_t row;        // the first bad row, counted row-major over indices' leading dimensions
    int32_t rank;       // numbers in `location`
    int32_t n_values;   // numbers in `values`
    int64_t location[CLND_MAX_RANK]; // the row's coordinates in indices
    int64_t values[CLND_MAX_RANK];   // its index values, as the check read them
    char message[1024];              // what clnd_last_error would have said; "" when none failed
    uint64_t reserved[8];            // set to zero, as those of clnd_device_facts
} clnd_report_result;

// Makes a report for calls of this engine, or of others of the same context and device.
//
// Errors        NULL_POINTER, OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY, OPENCL_ERROR. *report is
//               NULL on failure.
// Threads       Thread-safety: Safe.
// Ownership     the report keeps what it needs of OpenCL and may outlive the engine. Destroy it
//               with clnd_report_destroy.
CLND_API clnd_status clnd_report_create(clnd_engine *engine, clnd_report **report);

// Releases a report and sets *report to NULL; a pointer to NULL is fine, and so is NULL. Calls that
// it was given to go on. No other thread may use the report then, and no later call.
CLND_API void clnd_report_destroy(clnd_report **report);

// Waits until the checks of all calls so far are done, and tells how they went. It does not wait
// for what the calls write: their events say when that is complete.
//
// Computes      *result, which may be NULL. A failure stays until clnd_report_reset.
// Errors        the status in *result, with its message as clnd_last_error; NULL_POINTER.
// Async         blocks. Do not let a call wait for a user event that only this thread completes.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_report_wait(clnd_report *report, clnd_report_result *result);

// The same without waiting: *done says whether the checks of all calls so far are done. While it is
// false the result is OK. Flushes the queues of the calls, so that they go on.
//
// Errors        as clnd_report_wait.
// Async         never waits for a call. What it does wait for is the reading of a verdict of some
//               hundred bytes for each call whose check is done.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_report_poll(clnd_report *report, bool *done, clnd_report_result *result);

// Forgets all calls so far and their failures; the next one is number 0. Calls under way go on, and
// what they find is lost. A call keeps about 1.5 KiB of host memory and a small buffer on the
// device until a wait, a poll or a reset finds it done.
//
// Errors        NULL_POINTER.
// Threads       Thread-safety: Safe.
CLND_API clnd_status clnd_report_reset(clnd_report *report);

#ifdef __cplusplus
}
#endif

#endif
