// SPDX-License-Identifier: Apache-2.0
//
// One call of an op that is good until something in it is broken.

#ifndef ERRORS_CALL_H
#define ERRORS_CALL_H

#include "cases.h"
#include "check.h"

typedef enum op_id { GATHER, SCATTER, INTO, SLICE, COPY, N_OPS } op_id;

enum {
    ON_GATHER = 1 << GATHER,
    ON_SCATTER = 1 << SCATTER,
    ON_INTO = 1 << INTO,
    ON_SLICE = 1 << SLICE,
    ON_COPY = 1 << COPY,
    ON_SCATTERS = ON_SCATTER | ON_INTO,
    ON_INDEXED = ON_GATHER | ON_SCATTERS,
    ON_MOVES = ON_GATHER | ON_SLICE | ON_COPY,
    ON_ALL = ON_INDEXED | ON_SLICE | ON_COPY,
};

extern const char *const call_names[N_OPS];

// gather_nd: params [4, 3], indices [2, 1], out [2, 3]. Scatters: updates [2, 3], target [4, 3].
// Slice: input [4, 3], out [2, 3]. Copy: [2, 3] to [2, 3]. All float32, indices int32 {1, 3}.
typedef struct call {
    const device *d;
    op_id op;
    placed memory[3]; // of in, indices, out
    clnd_engine *engine;
    cl_command_queue queue;
    clnd_tensor in, indices, out;
    const clnd_tensor *in_arg, *indices_arg, *out_arg;
    clnd_slice slice;
    const clnd_slice *slice_arg;
    clnd_gather_nd_options gather;
    clnd_scatter_nd_options scatter;
    clnd_strided_slice_options slicing;
    clnd_copy_options copying;
    cl_uint n_wait;
    const cl_event *wait;
    // what a broken call brought along; released at the end
    cl_mem extra_buffer;
    cl_command_queue extra_queue;
    cl_event extra_event;
} call;

void call_make(call *c, const device *d, op_id op);
clnd_status call_run(call *c, cl_event *event);

// Runs the call, which must be refused with `status` before anything is touched: *event is NULL,
// the output as it was, the text one line that begins with the op's name.
void call_check_refused(call *c, clnd_status status);

void call_free(call *c);

// Has it called by an engine that takes these words.
void call_force(call *c, const char *words);

// Sets a reserved field of the op's options.
void call_set_reserved(call *c, int field);

#endif
