// SPDX-License-Identifier: Apache-2.0
//
// Every way to break a call, and the status and text that it gives.

#ifndef ERRORS_FAULTS_H
#define ERRORS_FAULTS_H

#include "call.h"

// The order in which ops check, from status.h.
typedef enum stage {
    POINTERS,
    OPTIONS,
    DTYPES,
    RANKS,
    SHAPES,
    STRIDES,
    OVERFLOW_, // math.h has the plain name
    BUFFERS,
    OVERLAP,
    CAPABILITY,
    INDICES,
    N_STAGES
} stage;

typedef struct fault {
    clnd_status status;
    const char *label;
    unsigned ops;          // on which it is one
    stage stage;           // when it is found
    bool combines;         // changes nothing that the faults of other stages change
    void (*put)(call *c);  // breaks the call
    const char *pieces[4]; // of the text
} fault;

extern const fault argument_faults[];
extern const int n_argument_faults;
extern const fault memory_faults[];
extern const int n_memory_faults;

#endif
