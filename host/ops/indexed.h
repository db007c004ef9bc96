// SPDX-License-Identifier: Apache-2.0
//
// The path of every op that has indices, from its tensors to the enqueued work. An op supplies its
// name, its way of indexing and its options; nothing else differs. Everything that can be refused
// is refused before the first byte of an output changes.

#ifndef CLND_OPS_INDEXED_H
#define CLND_OPS_INDEXED_H

#include "clnd/plan.h"
#include "clnd/tensor.h"
#include "host/ops/operands.h"
#include "host/shape/indexing.h"

typedef struct clnd__gather_op {
    const char *name;
    const clnd__indexing *indexing;
    clnd__place place; // with the axis and batch dims of the options
    clnd_bounds bounds;
    const void *fill;
    clnd_report *report;
    int n_reserved;
    const uint64_t *reserved;
} clnd__gather_op;

clnd_status clnd__gather_shape(clnd__gather_op *op, const clnd_tensor *params,
                               const clnd_tensor *indices, clnd_tensor *out);
clnd_status clnd__gather(clnd__gather_op *op, clnd_engine *engine, cl_command_queue queue,
                         const clnd_tensor *params, const clnd_tensor *indices,
                         const clnd_tensor *out, cl_uint n_wait, const cl_event *wait,
                         cl_event *event);
clnd_status clnd__gather_plan_op(clnd__gather_op *op, clnd_engine *engine,
                                 const clnd_tensor *params, const clnd_tensor *indices,
                                 const clnd_tensor *out, clnd_plan *plan);

typedef struct clnd__scatter_op {
    const char *name;
    const char *target_name;
    const clnd__indexing *indexing;
    bool zero_first; // the target is filled with zeros before the first update
    clnd__place place;
    clnd_reduce default_reduce;
    clnd_reduce reduce;
    clnd_bounds bounds;
    bool deterministic;
    bool unique_indices;
    const clnd_workspace *workspace;
    clnd_report *report;
    int n_reserved;
    const uint64_t *reserved;
} clnd__scatter_op;

clnd_status clnd__scatter_check(clnd__scatter_op *op, const clnd_tensor *indices,
                                const clnd_tensor *updates, const clnd_tensor *target);
clnd_status clnd__scatter(clnd__scatter_op *op, clnd_engine *engine, cl_command_queue queue,
                          const clnd_tensor *indices, const clnd_tensor *updates,
                          const clnd_tensor *target, cl_uint n_wait, const cl_event *wait,
                          cl_event *event);
clnd_status clnd__scatter_plan_op(clnd__scatter_op *op, clnd_engine *engine,
                                  const clnd_tensor *indices, const clnd_tensor *updates,
                                  const clnd_tensor *target, clnd_plan *plan);

#endif
