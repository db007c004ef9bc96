// SPDX-License-Identifier: Apache-2.0
//
// The seven ops behind one interface: shapes, plan and call of a case.

#ifndef CLND_BENCH_CALL_H
#define CLND_BENCH_CALL_H

#include "case.h"

// The tensors of a case: params, target or input; indices; out or updates.
struct operands {
    clnd_tensor data, indices, dense;
    clnd_slice slice;
};

// Describes the operands, without buffers. The status is that of the op's own check.
clnd_status operands_describe(const struct bench_case *what, struct operands *operands);

// What the call would do. The tensors may have buffers or not.
clnd_status call_plan(clnd_engine *engine, const struct bench_case *what,
                      const struct operands *operands, bool deterministic, clnd_plan *plan);

// Enqueues the call.
clnd_status call_enqueue(clnd_engine *engine, cl_command_queue queue, const struct bench_case *what,
                         const struct operands *operands, bool deterministic, cl_event *event);

#endif
