// SPDX-License-Identifier: Apache-2.0
//
// How a call joins a report. Until it ends, the call's checks write their verdict into the report's
// memory, and all other kernels of the call read it first.

#ifndef CLND_CL_REPORT_H
#define CLND_CL_REPORT_H

#include "clnd/report.h"
#include "host/cl/call.h"
#include "host/shape/index_check.h"

// INVALID_OPTION when the report is of another context or device. NULL is fine.
clnd_status clnd__report_suits(const clnd_report *report, const clnd_engine *engine);

// Joins. From here on kernels that the call prepares and launches are gated, unless `check` is
// empty: then the call is only counted. `op` is static.
clnd_status clnd__report_join(clnd__call *call, clnd_report *report, const char *op,
                              const clnd__index_check *check);

// Marks what has been enqueued so far as the check.
clnd_status clnd__report_checked(clnd__call *call);

// Ends what clnd__report_join began. `counts`: the call has not failed.
void clnd__report_leave(clnd__call *call, bool counts);

#endif
