// SPDX-License-Identifier: Apache-2.0
//
// One fault after the other in a call: what it must say, and what it must leave alone.

#ifndef FAULTS_ATTEMPT_H
#define FAULTS_ATTEMPT_H

#include "clnd/status.h"
#include "memory.h"
#include "opencl.h"

typedef enum fault_kind { FAULT_NONE, FAULT_OPENCL, FAULT_MEMORY } fault_kind;

typedef struct fault {
    fault_kind kind;
    int number;
    int variant; // of FAULT_OPENCL
    bool builds; // only calls that compile or make something fail, and allocations
} fault;

// From none to the last: first no fault, then call number 0, 1, ... with code 0, then with code 1,
// and so on, then allocation number 0, 1, ... `came`: the last one came up. False at the end.
bool fault_next(fault *f, bool came);

// Lets it happen, from here on.
void fault_arm(const fault *f);

// Lets nothing happen any more. Whether it came up; what failed is still in `opencl`.
bool fault_disarm(const fault *f);

// Names the fault that came up in the notes of the case, behind `what`.
void fault_note(const fault *f, const char *what);

// Fails unless a call that gave `status` has said what it must of the fault: status, the OpenCL
// function and its code.
void fault_check_told(const fault *f, clnd_status status);

// The status that an OpenCL function's failure becomes in an op.
clnd_status fault_status(opencl_function function, cl_int code);

// What the library holds: references and memory.
typedef struct holdings {
    opencl_owned owned;
    int memory;
} holdings;

holdings holdings_now(void);

// Fails when the library holds more than before.
void holdings_check(const holdings *before);

#endif
