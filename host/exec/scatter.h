// SPDX-License-Identifier: Apache-2.0
//
// Executor of scatters.

#ifndef CLND_EXEC_SCATTER_H
#define CLND_EXEC_SCATTER_H

#include <stddef.h>

#include "clnd/options.h"
#include "host/exec/move.h"
#include "host/exec/workspace.h"

typedef struct clnd__scatter_options {
    clnd_reduce reduce; // not DEFAULT
    int adjust;         // CLND_ADJUST_*
    bool deterministic;
    bool unique;
    bool zeros;                      // the target is contiguous and begins as zeros
    const clnd_workspace *workspace; // checked, or NULL
} clnd__scatter_options;

// What a strategy is chosen and planned from: a folded problem with rows, and a target whose
// elements lie in [begin, end) bytes of its buffer. What several strategies ask is answered here,
// once.
typedef struct clnd__scatter_case {
    const clnd__planner *planner;
    const clnd_device_facts *facts;
    const clnd__problem *problem;
    clnd__scatter_options options; // unique also where there is one row
    const clnd__memory *data;
    const clnd__memory *dense;
    int64_t begin, end;
    size_t alignment;     // bytes, of data and dense
    uint64_t room;        // bytes that a plan may use of the workspace
    int64_t element;      // bytes
    int64_t elements;     // of the target
    int64_t rows;         // of updates
    int64_t row_elements; // of each
    bool loops_end;       // the driver lets a work-item go through all updates in its loops
    bool is_sum;          // of additions or subtractions
    bool is_float;        // elements are floats, or complex numbers
    bool any_order;       // the serial loop's result is that of any order
    bool rounds_once;     // sums of 16 bits are made in float32 and rounded once
    bool any_may_win;     // of updates that meet, since one store writes an element whole
    bool few_locations;   // on a CPU, so many rows meet in so few lines that threads contend
    bool one_owner;       // and one thread applies them faster than several
    bool last_rows;       // of updates, it pays to find the last row of each location first
} clnd__scatter_case;

// Bytes that the plan of a strategy may have.
enum { CLND__STRATEGY_PLAN = 2560 };

typedef struct clnd__scatter_plan {
    const struct clnd__scatter_strategy *strategy; // NULL: nothing to do
    const char *reason;                            // static text
    cl_mem target, indices, dense;
    clnd__workspace workspace;
    bool wide; // the workspace begins with a float32 copy of the target
    clnd_widen_args widen;
    clnd_dtype dtype;
    bool zeroes; // its kernels make the zeros that the target begins with
    bool begun;  // the first kernel has been enqueued
    // The only kernel that the plan launches, which may look at its indices itself; or arguments of
    // the one that looks at all rows before any other, and writes to the workspace only.
    clnd__move *only;
    clnd_move_args *first;
    // The strategy's own, as a sockaddr_storage holds any address.
    union {
        uint64_t align;
        unsigned char bytes[CLND__STRATEGY_PLAN];
    } own;
} clnd__scatter_plan;

// One way to scatter. A strategy knows no other.
typedef struct clnd__scatter_strategy {
    const char *name;
    bool divides_loops; // its work-items' loops are as short as the driver wants them
    // Why it cannot do the case; NULL: it can. Static text, a sentence without its subject.
    const char *(*why_not)(const clnd__scatter_case *c);
    // Why it is better than those behind it in the table; NULL: it is not. Static text.
    const char *(*pays)(const clnd__scatter_case *c);
    // Plans a case that it can do. If the plan needs more of a workspace than the case has room
    // for, another strategy is asked.
    void (*plan)(const clnd__scatter_case *c, clnd__scatter_plan *plan);
    // Compiles its kernels.
    clnd_status (*prepare)(clnd__call *call, clnd__scatter_plan *plan);
    // Enqueues plan->first; NULL where it never has any.
    clnd_status (*enqueue_first)(clnd__call *call, clnd__scatter_plan *plan);
    // Enqueues what follows, on the target or the wide copy of it.
    clnd_status (*enqueue)(clnd__call *call, clnd__scatter_plan *plan, cl_mem data);
} clnd__scatter_strategy;

// Plans the scatter of an unfolded problem into a target whose elements lie in [begin, end) bytes
// of its buffer. Calls no OpenCL. The plan must stay where it is.
clnd_status clnd__scatter_plan_make(const clnd__planner *planner, clnd__problem problem,
                                    const clnd__scatter_options *options, const clnd__memory *data,
                                    int64_t begin, int64_t end, const clnd__memory *indices,
                                    const clnd__memory *dense, clnd__scatter_plan *plan);

// Bytes of all private copies of a target that a CPU's caches keep beside what else they hold.
int64_t clnd__copies_room(const clnd__scatter_case *c);

// For strategies. Where sums and products of 16-bit floats are to be rounded once, and a strategy
// cannot keep all updates of an element together, it works in a float32 copy of the target: the
// first bytes of the workspace. `bytes`: its size. `problem`: the case's on a copy that begins at
// byte 0. `plan`: has the plan work on one, and returns the problem; its workspace is then the copy
// alone.
uint64_t clnd__wide_bytes(const clnd__scatter_case *c);
clnd__problem clnd__wide_problem(const clnd__scatter_case *c);
clnd__problem clnd__wide_plan(const clnd__scatter_case *c, clnd__scatter_plan *plan);

// Compiles and allocates, so that what then is enqueued can hardly be refused. Whatever became of
// that, end with clnd__scatter_finish.
clnd_status clnd__scatter_prepare(clnd__call *call, clnd__scatter_plan *plan);
clnd_status clnd__scatter_enqueue_first(clnd__call *call, clnd__scatter_plan *plan);
clnd_status clnd__scatter_enqueue(clnd__call *call, clnd__scatter_plan *plan);
void clnd__scatter_finish(clnd__call *call, clnd_status status, clnd__scatter_plan *plan);

#endif
