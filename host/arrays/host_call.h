// SPDX-License-Identifier: Apache-2.0
//
// The path of all calls on host arrays: their memory becomes buffers, the op runs on these, and the
// result comes back.

#ifndef CLND_ARRAYS_HOST_CALL_H
#define CLND_ARRAYS_HOST_CALL_H

#include "clnd/host.h"

enum { CLND__MAX_ARRAYS = 3 };

typedef enum clnd__array_use {
    CLND__INPUT,
    CLND__OUTPUT,   // all its elements are written, or all those of the slice
    CLND__IN_PLACE, // some elements are written
} clnd__array_use;

// An op's arguments. With `plan` the op is planned, otherwise enqueued.
typedef struct clnd__host_step {
    clnd_engine *engine;
    const clnd_tensor *tensors[CLND__MAX_ARRAYS];
    const clnd_slice *slice;
    const void *options;
    clnd_plan *plan;
    cl_command_queue queue;
    cl_event event; // of the op, when it has been enqueued
} clnd__host_step;

typedef struct clnd__host_op {
    const char *name; // messages begin with it
    int n_arrays;
    struct {
        const char *name;
        clnd__array_use use;
    } arrays[CLND__MAX_ARRAYS];
    bool slices_first; // only the slice of the first array is touched
    size_t report;     // where in the options the report is; 0 where there is none
    clnd_status (*run)(clnd__host_step *step);
} clnd__host_op;

typedef enum clnd__host_way {
    CLND__HOST_SHARE, // buffers are the arrays' memory
    CLND__HOST_COPY,  // buffers have copies of it
} clnd__host_way;

// The way that suits the engine's device.
clnd__host_way clnd__host_way_for(const clnd_engine *engine);

clnd_status clnd__host_call(clnd_engine *engine, clnd__host_way way, const clnd__host_op *op,
                            const clnd_array *const *arrays, const clnd_slice *slice,
                            const void *options);

extern const clnd__host_op clnd__host_gather_nd;
extern const clnd__host_op clnd__host_gather;
extern const clnd__host_op clnd__host_gather_elements;
extern const clnd__host_op clnd__host_scatter_nd;
extern const clnd__host_op clnd__host_scatter_nd_into;
extern const clnd__host_op clnd__host_scatter;
extern const clnd__host_op clnd__host_scatter_elements;
extern const clnd__host_op clnd__host_strided_slice;
extern const clnd__host_op clnd__host_strided_slice_assign;
extern const clnd__host_op clnd__host_strided_slice_grad;
extern const clnd__host_op clnd__host_copy;

#endif
