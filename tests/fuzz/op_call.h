// SPDX-License-Identifier: Apache-2.0
//
// One call of any op, and the same by its plan, on plain arrays, and by the reference.

#ifndef FUZZ_OP_CALL_H
#define FUZZ_OP_CALL_H

#include "clnd/clnd.h"
#include "ref.h"

typedef enum op_id {
    GATHER_ND,
    GATHER,
    GATHER_ELEMENTS,
    SCATTER_ND,
    SCATTER_ND_INTO,
    SCATTER_ELEMENTS,
    SCATTER,
    STRIDED_SLICE,
    STRIDED_SLICE_ASSIGN,
    STRIDED_SLICE_GRAD,
    COPY,
    N_OPS
} op_id;

// params, input, target, dx, source of a copy; indices; out, updates, value, dy, target of a copy.
enum { DATA, INDICES, DENSE, N_OPERANDS };

typedef struct op_call {
    op_id op;
    clnd_tensor tensors[N_OPERANDS];
    clnd_array arrays[N_OPERANDS];
    int home[N_OPERANDS]; // whose memory each lies in: its own, or that of another
    int lacking;          // which array has no data, or one that there is not
    clnd_slice slice;
    const clnd_slice *slice_arg;
    bool has_options;
    union {
        clnd_gather_nd_options gather_nd;
        clnd_gather_options gather;
        clnd_gather_elements_options gather_elements;
        clnd_scatter_nd_options scatter_nd;
        clnd_scatter_elements_options scatter_elements;
        clnd_scatter_options scatter;
        clnd_strided_slice_options strided_slice;
        clnd_copy_options copy;
    } options;
    const char *words;  // that force a strategy, or NULL
    clnd_bounds bounds; // as in the options, but never DEFAULT
    clnd_reduce reduce; // the same
    int axis, batch_dims;
    const clnd_workspace *lent; // as in the options of a scatter
} op_call;

extern const char *const op_names[N_OPS]; // as messages begin

bool op_has_indices(op_id op);
bool op_is_scatter(op_id op);
int op_output(op_id op); // DATA or DENSE

clnd_status op_shape(const op_call *c, clnd_tensor *result);
clnd_status op_plan(const op_call *c, clnd_engine *engine, clnd_plan *plan);
clnd_status op_enqueue(const op_call *c, clnd_engine *engine, cl_event *event);
clnd_status op_host(const op_call *c, clnd_engine *engine);

// The op on arrays of the reference. Returns whether every row was good or none has to be.
bool op_reference(const op_call *c, const ref_array *arrays);

#endif
