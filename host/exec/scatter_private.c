// SPDX-License-Identifier: Apache-2.0

#include "host/exec/scatter_private.h"

#include <stdio.h>

#include "host/base/checked.h"
#include "host/base/dtype.h"
#include "host/base/integers.h"
#include "host/exec/rows.h"
#include "host/shape/compact.h"

// Local memory of the groups that keep copies there: what leaves room for several of them, and what
// every device of OpenCL's full profile has.
enum { LOCAL_BYTES = 16384, LOCAL_BYTES_MOST = 32768 };

enum { GROUPS_PER_UNIT = 4, GROUP_LANES = 256 };

// Of all copies that work-items fill, together; beyond caches they are no good. There is one at
// least.
enum { BLOCKS_BYTES = 64 << 20 };

// Columns that a group of the merge takes in local memory: 8 neighbours read whole sectors, and 8
// of them share the copies.
enum { MERGE_LANES_SHIFT = 3 };

enum { CACHE_LINE = 64 };

static bool is_extremum(clnd_reduce reduce)
{
    return reduce == CLND_REDUCE_MIN || reduce == CLND_REDUCE_MAX;
}

static bool is_float(clnd_dtype dtype)
{
    return clnd__dtype_kind(dtype) >= clnd__dtype_kind(CLND_FLOAT16);
}

// Copies are combined in row order, so whatever may be bracketed as one likes comes out as from the
// serial loop: also extrema, where the first NaN stays. Those of 16-bit floats do not, because the
// copies hold float32 and a NaN that no number replaces is not converted.
static bool is_exact(clnd_dtype dtype, clnd_reduce reduce)
{
    return !is_float(dtype) || (is_extremum(reduce) && !clnd__dtype_is_half(dtype));
}

bool clnd__private_gathers(clnd_dtype dtype, clnd_reduce reduce)
{
    if (clnd__dtype_is_opaque(dtype) || reduce == CLND_REDUCE_UPDATE)
        return false;
    return !(is_float(dtype) && reduce == CLND_REDUCE_MUL);
}

// Whether groups can fill copies in local memory. Their rows come in no order.
static bool fits_lanes(const clnd_device_facts *facts, clnd_dtype dtype, bool deterministic,
                       int64_t copy_bytes)
{
    clnd__choice movement;
    clnd__choose_movement(facts, CLND_STRATEGY_AUTO, &movement); // AUTO is always possible
    const size_t word = clnd_dtype_size(dtype) / (dtype == CLND_COMPLEX64 ? 2 : 1);
    return movement.strategy == CLND_STRATEGY_LANES && copy_bytes <= LOCAL_BYTES_MOST &&
           (uint64_t)LOCAL_BYTES_MOST <= facts->local_memory &&
           (word <= sizeof(uint32_t) || facts->int64_atomics) &&
           !(deterministic && is_float(dtype));
}

static void spread_fill_lanes(const clnd_device_facts *facts, clnd__move *fill)
{
    clnd__spread_lanes(facts, fill);
    fill->local =
        !facts->is_cpu && facts->max_work_group_size >= GROUP_LANES ? GROUP_LANES : CLND_LANES;
    const int64_t rows_at_once = (int64_t)fill->local >> fill->args.lanes_shift;
    const int64_t groups = at_most(divide_up(fill->args.rows, rows_at_once),
                                   (int64_t)facts->compute_units * GROUPS_PER_UNIT);
    fill->global[0] = (size_t)groups * fill->local;
    fill->global[1] = 1;
}

// A copy a thread; of few elements some more, so that a thread which begins late leaves a part of
// its share to the others.
static int64_t count_copies(const clnd_device_facts *facts, int64_t rows, int64_t elements,
                            int64_t bytes)
{
    enum { COPIES_PER_UNIT = 8, ROWS_PER_ELEMENT = 8 };
    const int64_t units = facts->compute_units;
    const int64_t cheap = at_most(rows / ROWS_PER_ELEMENT / elements, units * COPIES_PER_UNIT);
    return at_least(at_most(at_least(cheap, units), BLOCKS_BYTES / bytes), 1);
}

// Copies that one work-item fills, in turn: not where the first NaN stays. Several keep updates of
// one place, which wait for one another, apart, where all of them stay in the nearest cache, rows
// are short and enough for that (docs/design.md).
static int64_t copies_of_item(clnd_dtype dtype, clnd_reduce reduce, const clnd_move_args *fill,
                              int64_t copies, int64_t elements, int64_t bytes)
{
    enum { AT_ONCE = 4, NEAR_BYTES = 8192, SHORT_ROW = 4, ROWS_PER_ELEMENT = 8 };
    return !(is_float(dtype) && is_extremum(reduce)) && bytes <= NEAR_BYTES / AT_ONCE &&
                   fill->columns <= SHORT_ROW &&
                   fill->rows / ROWS_PER_ELEMENT / elements >= copies * AT_ONCE
               ? AT_ONCE
               : 1;
}

static void spread_fill_blocks(int64_t copies, clnd__move *fill)
{
    fill->args.rows_per_item = divide_up(fill->args.rows, copies);
    fill->args.columns_per_item = fill->args.columns;
    fill->global[0] = 1;
    fill->global[1] = (size_t)divide_up(fill->args.rows, fill->args.rows_per_item);
    fill->local = 1;
}

// How many copies work-items fill, and the options for their rows. An element has `size` bytes in a
// copy.
static int64_t plan_fill_blocks(const clnd_device_facts *facts, clnd_dtype dtype,
                                clnd_reduce reduce, int64_t elements, int64_t size, int64_t bytes,
                                clnd__move *fill, char options[80])
{
    const int64_t copies = count_copies(facts, fill->args.rows, elements, bytes);
    spread_fill_blocks(copies, fill);
    char rows[64];
    clnd__rows_update_options(facts, fill, size, rows);
    const int64_t of_item =
        rows[0] ? copies_of_item(dtype, reduce, &fill->args, copies, elements, bytes) : 1;
    snprintf(options, 80, of_item > 1 ? "%s -DCOPIES=%d" : "%s", rows, (int)of_item);
    return (int64_t)fill->global[1] * of_item;
}

// A column is so many bytes of the target.
static void spread_merge(const clnd_device_facts *facts, bool lanes, int64_t bytes,
                         clnd__move *merge)
{
    clnd_move_args *args = &merge->args;
    int64_t groups;
    if (lanes) {
        args->lanes_shift = MERGE_LANES_SHIFT;
        groups = divide_up(args->columns, INT64_C(1) << MERGE_LANES_SHIFT) * CLND_LANES;
    } else {
        const int64_t granule = divide_up(CACHE_LINE, bytes);
        const int64_t share = divide_up(args->columns, (int64_t)facts->compute_units);
        args->columns_per_item = divide_up(share, granule) * granule;
        groups = divide_up(args->columns, args->columns_per_item);
    }
    merge->global[0] = (size_t)groups;
    merge->global[1] = 1;
    merge->local = lanes ? CLND_LANES : 1;
}

static void set_kernel(const clnd_device_facts *facts, clnd_dtype dtype, clnd_reduce reduce,
                       const char *function, int64_t copy_bytes, const char *rows, clnd__move *move)
{
    const bool lanes = move->local > 1;
    const char *local = copy_bytes <= LOCAL_BYTES ? " -DLOCAL_BYTES=16384" : " -DLOCAL_BYTES=32768";
    clnd__move_set_kernel(
        move, "scatter_private", function,
        "-cl-std=CL1.2 -DPRIVATE=1 -DDTYPE=%d -DREDUCE=%d -DWIDE=%d -DATOMIC=%d%s%s%s",
        clnd__dtype_kind(dtype), (int)reduce, clnd__dtype_is_half(dtype) ? 2 : 0, lanes,
        clnd__soft_option(facts, dtype), lanes ? local : "", rows);
}

// A copy as an ordinary target: what fills it, and what takes it to the real one. False: it cannot
// be addressed or allocated.
static bool make_copy(const clnd_device_facts *facts, const clnd__problem *folded, int64_t size,
                      clnd__problem *fill, clnd__problem *merge, int64_t *elements, int64_t *bytes)
{
    if (!clnd__problem_compact(folded, size, fill, merge, elements) ||
        !clnd__add(*elements * size, CACHE_LINE - 1, bytes))
        return false;
    *bytes -= *bytes % CACHE_LINE;
    return (uint64_t)*bytes <= facts->max_allocation / 2;
}

// The copies lie one after the other, and their places in the fill's and in the merge's arguments.
static void place_copies(clnd__private_plan *plan, int64_t copies, int64_t bytes, int64_t offset)
{
    plan->fill.args.part_bytes = plan->merge.args.part_bytes = bytes;
    plan->fill.args.part_first = plan->merge.args.dense_offset = offset;
    plan->workspace_bytes = (uint64_t)(copies * bytes);
    plan->fill.kernel.gate = CLND__GATE_IGNORED; // it writes to the workspace only
}

// For the numbers of rows. They are moved in one piece, to places that no other row overlaps.
static bool plan_last(const clnd_device_facts *facts, const clnd__problem *folded, int adjust,
                      size_t alignment, int64_t offset, clnd__private_plan *plan)
{
    int64_t step, places, bytes;
    if (!clnd__rows_can_compile(facts) || folded->n_coordinates < 1 ||
        folded->n_coordinates > CLND__ROWS_COORDINATES ||
        clnd__problem_rows(folded) >= UINT32_MAX || !clnd__problem_rows_are_even(folded, &step))
        return false;
    clnd__move row;
    clnd__lower(folded, clnd__widest_unit(folded, alignment), &row);
    row.args.columns_per_item = row.args.columns;
    if (!clnd__rows_are_gapless(&row))
        return false;
    clnd__problem target = *folded, fill, merge;
    target.n_slice = 0;
    target.dtype = CLND_UINT32;
    const int64_t size = (int64_t)sizeof(uint32_t);
    if (!make_copy(facts, &target, size, &fill, &merge, &places, &bytes))
        return false;
    clnd__lower(&fill, size, &plan->fill);
    plan->fill.args.adjust = adjust;
    spread_fill_blocks(count_copies(facts, plan->fill.args.rows, places, bytes), &plan->fill);
    const int64_t copies = (int64_t)plan->fill.global[1];
    clnd__problem_add_outer(&merge, copies, 0, bytes, 0);
    clnd__problem_fold(&merge);
    clnd__lower(&merge, size, &plan->merge);
    spread_merge(facts, false, row.args.columns * row.unit, &plan->merge);
    place_copies(plan, copies, bytes, offset);
    plan->last = true;
    plan->moved = (clnd_last_args){plan->merge.args, folded->dense_offset, step, row.args.columns};

    char coordinates[CLND__COORDINATE_OPTIONS];
    clnd__rows_coordinate_options(&plan->fill, coordinates);
    clnd__move_set_kernel(&plan->fill, "scatter_last", "last_blocks", "-cl-std=CL1.2%s",
                          coordinates);
    clnd__move_set_kernel(&plan->merge, "scatter_last", "last_move",
                          "-cl-std=CL1.2 -DUNIT=%d -DROW=%d", (int)row.unit,
                          clnd__rows_bytes(&row));
    return true;
}

bool clnd__private_plan_make(const clnd_device_facts *facts, const clnd__problem *folded,
                             clnd_reduce reduce, int adjust, bool deterministic, size_t alignment,
                             int64_t offset, clnd__private_plan *plan)
{
    const clnd_dtype dtype = folded->dtype;
    plan->last = false;
    if (reduce == CLND_REDUCE_UPDATE)
        return plan_last(facts, folded, adjust, alignment, offset, plan);
    if (!clnd__private_gathers(dtype, reduce) || (deterministic && !is_exact(dtype, reduce)))
        return false;
    // 16-bit floats are gathered in float32 and rounded once.
    const int64_t narrow = (int64_t)clnd_dtype_size(dtype);
    const int64_t size = clnd__dtype_is_half(dtype) ? (int64_t)sizeof(float) : narrow;
    clnd__problem fill, merge;
    int64_t elements, bytes;
    if (!make_copy(facts, folded, size, &fill, &merge, &elements, &bytes))
        return false;

    const bool lanes = fits_lanes(facts, dtype, deterministic, bytes);
    clnd__lower(&fill, narrow, &plan->fill);
    plan->fill.args.adjust = adjust;
    char rows[80] = "";
    int64_t copies;
    if (lanes) {
        spread_fill_lanes(facts, &plan->fill);
        copies = (int64_t)(plan->fill.global[0] / plan->fill.local);
    } else {
        copies = plan_fill_blocks(facts, dtype, reduce, elements, size, bytes, &plan->fill, rows);
    }
    clnd__problem_add_outer(&merge, copies, 0, bytes, 0);
    clnd__problem_fold(&merge);
    clnd__lower(&merge, narrow, &plan->merge);
    spread_merge(facts, lanes, narrow, &plan->merge);
    place_copies(plan, copies, bytes, offset);
    set_kernel(facts, dtype, reduce, lanes ? "private_lanes" : "private_blocks", bytes, rows,
               &plan->fill);
    set_kernel(facts, dtype, reduce, "private_merge", bytes, "", &plan->merge);
    return true;
}

// On CPUs an OWNER reads the indices of all rows, which copies spare; in return their elements are
// written and combined. That a row spares as much as 8 elements cost, or half of one where there
// are buckets instead, and a call of 1024 rows what one more kernel costs, was measured on PoCL
// (docs/design.md). On other devices copies in local
// memory take the load off hot addresses, if there is more to do with the rows than with them.
const char *clnd__private_advantage(const clnd_device_facts *facts, const clnd__private_plan *plan,
                                    bool buckets)
{
    enum { ROW_SPARES = 8, LEAST_ROWS = 1024 };
    const clnd_move_args *fill = &plan->fill.args;
    const int64_t elements = plan->merge.args.columns, copies = plan->merge.args.rows;
    const bool lanes = plan->fill.local > 1;
    if (facts->is_cpu && !lanes && copies > 1 &&
        (buckets ? fill->rows / 2 >= elements
                 : fill->rows - LEAST_ROWS >= divide_up(elements, ROW_SPARES)))
        return "a CPU: rows outweigh copies of the target";
    if (!facts->is_cpu && lanes && divide_up(copies * elements, fill->columns) <= fill->rows)
        return "copies of the target fit local memory";
    return NULL;
}

clnd_status clnd__private_prepare(clnd__call *call, const clnd__private_plan *plan)
{
    const clnd_status status = clnd__call_prepare(call, &plan->fill.kernel);
    return status ? status : clnd__call_prepare(call, &plan->merge.kernel);
}

clnd_status clnd__private_enqueue_fill(clnd__call *call, const clnd__private_plan *plan,
                                       cl_mem indices, cl_mem dense, cl_mem workspace)
{
    return clnd__move_enqueue(call, &plan->fill, plan->last ? 2 : 3,
                              (const cl_mem[]){workspace, indices, dense});
}

clnd_status clnd__private_enqueue_merge(clnd__call *call, const clnd__private_plan *plan,
                                        cl_mem data, cl_mem dense, cl_mem workspace)
{
    if (!plan->last)
        return clnd__move_enqueue(call, &plan->merge, 2, (const cl_mem[]){data, workspace});
    const clnd__launch launch = {.kernel = plan->merge.kernel,
                                 .n_buffers = 3,
                                 .buffers = {data, workspace, dense},
                                 .args = &plan->moved,
                                 .args_size = sizeof plan->moved,
                                 .global = {plan->merge.global[0], plan->merge.global[1]},
                                 .local = plan->merge.local};
    return clnd__call_launch(call, &launch);
}
