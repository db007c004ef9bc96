// SPDX-License-Identifier: Apache-2.0
//
// Scatters into private copies of a small target: each work-item, or each work-group in local
// memory, gathers its share of the rows in a copy of its own, without meeting the others; then the
// copies are combined with the target.

#ifndef CLND_EXEC_SCATTER_PRIVATE_H
#define CLND_EXEC_SCATTER_PRIVATE_H

#include "host/exec/move.h"

typedef struct clnd__private_plan {
    clnd__move fill;  // rows into copies: workspace, indices, and what is gathered: dense
    clnd__move merge; // copies into the target: data, workspace, and what wins is moved from: dense
    bool last;        // copies hold the numbers of rows
    clnd_last_args moved; // of that: with these in the place of merge.args
    uint64_t workspace_bytes;
} clnd__private_plan;

// Whether elements of updates can be combined with one another before they meet the target. Not
// products of floats: apart from the target they may overflow where those that begin with it do
// not, and 0 * inf is NaN.
bool clnd__private_gathers(clnd_dtype dtype, clnd_reduce reduce);

// Plans a folded scatter with copies from byte `offset` of a workspace on. False: copies cannot do
// it, or not in the order that a deterministic result needs; *plan is then undefined. The spread,
// and with it the result of sums of floats, depends on the device and the sizes alone, not on the
// run. `alignment` is that of data and dense.
bool clnd__private_plan_make(const clnd_device_facts *facts, const clnd__problem *folded,
                             clnd_reduce reduce, int adjust, bool deterministic, size_t alignment,
                             int64_t offset, clnd__private_plan *plan);

// Why copies are the fastest way for a scatter that they can do: static text; NULL where they are
// not. `buckets`: without them its rows would be put into buckets (scatter_buckets.h).
const char *clnd__private_advantage(const clnd_device_facts *facts, const clnd__private_plan *plan,
                                    bool buckets);

// Compiles the plan's kernels.
clnd_status clnd__private_prepare(clnd__call *call, const clnd__private_plan *plan);

// The two kernels, in this order. Nothing is expected of what the workspace holds before.
clnd_status clnd__private_enqueue_fill(clnd__call *call, const clnd__private_plan *plan,
                                       cl_mem indices, cl_mem dense, cl_mem workspace);
clnd_status clnd__private_enqueue_merge(clnd__call *call, const clnd__private_plan *plan,
                                        cl_mem data, cl_mem dense, cl_mem workspace);

#endif
