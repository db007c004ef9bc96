// SPDX-License-Identifier: Apache-2.0
//
// private: small targets. Each work-item, or each work-group in local memory, gathers its share of
// the rows in a copy of its own, without meeting the others; then the copies are combined with the
// target. How rows are spread, and with it the result of sums of floats, depends on the device and
// the sizes alone, not on the run.

#include "host/base/dtype.h"
#include "host/base/integers.h"
#include "host/exec/lanes.h"
#include "host/exec/rows.h"
#include "host/exec/strategies/table.h"
#include "host/exec/updates.h"
#include "host/shape/compact.h"

enum { KIB = 1024 };

typedef struct private_plan {
    clnd__move fill;  // rows into copies: workspace, indices, dense
    clnd__move merge; // copies into the target: data, workspace, of updates dense
    int64_t row_bytes, updates, update_step; // of updates, as clnd_last_args; else row_bytes is 0
} private_plan;

static private_plan *own(clnd__scatter_plan *plan)
{
    _Static_assert(sizeof(private_plan) <= CLND__STRATEGY_PLAN, "room for the plan");
    return (private_plan *)&plan->own;
}

// Of updates, a copy has for each location the number of the last row that selects it.
static bool notes_rows(const clnd__scatter_case *c)
{
    return c->options.reduce == CLND_REDUCE_UPDATE;
}

static bool is_extremum(clnd_reduce reduce)
{
    return reduce == CLND_REDUCE_MIN || reduce == CLND_REDUCE_MAX;
}

// Copies are combined in row order, so whatever may be bracketed as one likes comes out as from the
// serial loop: also extrema, where the first NaN stays. Those of 16-bit floats do not, because the
// copies hold float32 and a NaN that no number replaces is not converted.
static bool is_exact(const clnd__scatter_case *c)
{
    return !c->is_float ||
           (is_extremum(c->options.reduce) && !clnd__dtype_is_half(c->problem->dtype));
}

// What a copy is: elements that rows can address, side by side; of updates, locations.
typedef struct copy_shape {
    clnd__problem into_copy, into_target;
    int64_t element;  // bytes in a copy
    int64_t elements; // of a copy
    int64_t bytes;    // of a copy, whole cache lines
    bool lanes;       // groups fill copies in local memory, in no order
    int64_t copies;
    int64_t of_item; // copies that one work-item fills, in turn
} copy_shape;

static bool fits_lanes(const clnd__scatter_case *c, int64_t bytes)
{
    const clnd_dtype dtype = c->problem->dtype;
    const int64_t most = c->planner->tuning->gpu.private_kib_most * KIB;
    const size_t word = clnd_dtype_size(dtype) / (dtype == CLND_COMPLEX64 ? 2 : 1);
    return clnd__takes_lanes(c->planner) && bytes <= most &&
           (uint64_t)most <= c->facts->local_memory &&
           (word <= sizeof(uint32_t) || c->facts->int64_atomics) &&
           !(c->options.deterministic && c->is_float);
}

// A copy a thread; of few elements some more, so that a thread which begins late leaves a part of
// its share to the others.
static int64_t count_copies(const clnd__scatter_case *c, const copy_shape *copy)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    const int64_t units = c->facts->compute_units;
    const int64_t cheap = at_most(c->rows / tuning->copy_rows_per_element / copy->elements,
                                  units * tuning->copies_per_unit);
    const int64_t copies = at_least(at_most(cheap, clnd__copies_room(c) / copy->bytes), units);
    return at_least(at_most(copies, tuning->copies_bytes / copy->bytes), 1);
}

// Not where the first NaN stays. Several keep updates of one location, which wait for one another,
// apart, where all of them stay in the nearest cache, rows are short and enough for that.
static int64_t copies_of_item(const clnd__scatter_case *c, const clnd__move *fill,
                              const copy_shape *copy)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    return !notes_rows(c) && fill->kernel.options.coordinates &&
                   !(c->is_float && is_extremum(c->options.reduce)) &&
                   copy->bytes <= tuning->apart_bytes / tuning->apart_copies &&
                   fill->args.columns <= tuning->apart_columns &&
                   c->rows / tuning->apart_rows_per_element / copy->elements >=
                       copy->copies * tuning->apart_copies
               ? tuning->apart_copies
               : 1;
}

// False: a copy cannot be addressed or allocated.
static bool shape_copy(const clnd__scatter_case *c, copy_shape *copy)
{
    const int64_t line = c->planner->tuning->cpu.line_bytes;
    // 16-bit floats are gathered in float32 and rounded once.
    copy->element = clnd__dtype_is_half(c->problem->dtype) ? (int64_t)sizeof(float) : c->element;
    clnd__problem problem = *c->problem;
    if (notes_rows(c)) {
        problem.n_slice = 0;
        problem.dtype = CLND_UINT32;
        copy->element = sizeof(uint32_t);
    }
    if (!clnd__problem_compact(&problem, copy->element, &copy->into_copy, &copy->into_target,
                               &copy->elements))
        return false;
    copy->bytes = copy->elements * copy->element;
    if (copy->bytes > INT64_MAX - line || (uint64_t)copy->bytes > c->facts->max_allocation / 2)
        return false;
    copy->bytes = divide_up(copy->bytes, line) * line;
    copy->lanes = !notes_rows(c) && fits_lanes(c, copy->bytes);
    copy->of_item = 1;
    return true;
}

static const char *why_not(const clnd__scatter_case *c)
{
    const clnd_reduce reduce = c->options.reduce;
    copy_shape copy;
    // Products of floats may overflow apart from the target where those that begin with it do not,
    // and 0 * inf is NaN.
    const bool gathers =
        !(c->is_float && reduce == CLND_REDUCE_MUL) && (!c->options.deterministic || is_exact(c));
    const bool can = notes_rows(c)
                         ? clnd__updates_are_even(c, c->problem) && c->rows <= CLND_CHECK_ROWS
                         : gathers;
    // A work-item begins and merges whole copies.
    if (can && shape_copy(c, &copy) && copy.elements <= clnd__most_steps(c->planner))
        return NULL;
    return "cannot do this scatter: a copy cannot begin as nothing, the result would depend on the "
           "order, the target is too large, or updates lie unevenly";
}

static void spread_lanes(const clnd__scatter_case *c, copy_shape *copy, clnd__move *fill)
{
    const clnd__gpu_tuning *tuning = &c->planner->tuning->gpu;
    const bool large =
        !c->facts->is_cpu && c->facts->max_work_group_size >= (uint64_t)tuning->private_group;
    clnd__spread_lanes(c->planner, fill);
    fill->local = large ? (size_t)tuning->private_group : CLND_LANES;
    const int64_t rows_at_once = (int64_t)fill->local >> fill->args.lanes_shift;
    copy->copies = at_most(divide_up(c->rows, rows_at_once),
                           (int64_t)c->facts->compute_units * tuning->private_groups_per_unit);
    fill->global[0] = (size_t)copy->copies * fill->local;
    fill->global[1] = 1;
    clnd__lanes_set_rows(c->planner, fill);
}

static void spread_blocks(const clnd__scatter_case *c, copy_shape *copy, clnd__move *fill)
{
    fill->args.rows_per_item = divide_up(c->rows, count_copies(c, copy));
    fill->args.columns_per_item = fill->args.columns;
    copy->copies = divide_up(c->rows, fill->args.rows_per_item);
    fill->global[0] = 1;
    fill->global[1] = (size_t)copy->copies;
    fill->local = 1;
    if (notes_rows(c))
        clnd__rows_set_coordinates(c->planner, fill);
    else
        clnd__rows_set_updates(c->planner, copy->element, fill);
    copy->of_item = copies_of_item(c, fill, copy);
    if (copy->of_item > 1)
        fill->kernel.options.copies = (int16_t)copy->of_item;
    copy->copies *= copy->of_item;
}

// A column is an element of the target, or a location.
static void spread_merge(const clnd__scatter_case *c, const copy_shape *copy, clnd__move *merge)
{
    const clnd__tuning *tuning = c->planner->tuning;
    clnd_move_args *args = &merge->args;
    int64_t groups;
    if (copy->lanes) {
        args->lanes_shift = tuning->gpu.merge_lanes;
        groups = divide_up(args->columns, INT64_C(1) << args->lanes_shift) * CLND_LANES;
    } else {
        const int64_t column = notes_rows(c) ? c->row_elements * c->element : c->element;
        const int64_t granule = divide_up(tuning->cpu.line_bytes, column);
        const int64_t share = divide_up(args->columns, (int64_t)c->facts->compute_units);
        args->columns_per_item = divide_up(share, granule) * granule;
        groups = divide_up(args->columns, args->columns_per_item);
    }
    merge->global[0] = (size_t)groups;
    merge->global[1] = 1;
    merge->local = copy->lanes ? CLND_LANES : 1;
}

// Sums of floats in local memory are the device's own where its language is known to have them.
static int way_of(const clnd__scatter_case *c)
{
    const clnd_float_atomics *atomics = &c->facts->float_atomics;
    const bool adds =
        clnd__dtype_needs_fp64(c->problem->dtype) ? atomics->float64 : atomics->float32;
    return c->is_sum && c->is_float && adds && atomics->language == CLND_ATOMICS_PTX
               ? CLND_ATOMIC_PTX
               : CLND_ATOMIC_LOOP;
}

static void name_kernel(const clnd__scatter_case *c, const copy_shape *copy, const char *function,
                        clnd__move *move)
{
    const clnd__gpu_tuning *tuning = &c->planner->tuning->gpu;
    const bool small = copy->bytes <= tuning->private_kib * KIB;
    clnd__kernel_options *options = &move->kernel.options;
    clnd__set_reduction(c->facts, c->problem->dtype, c->options.reduce, options);
    options->private = 1;
    options->wide = clnd__dtype_is_half(c->problem->dtype) ? CLND_SUMS_ROUNDED : CLND_SUMS_PLAIN;
    options->atomic = (int16_t)(copy->lanes ? way_of(c) : CLND_ATOMIC_NONE);
    if (copy->lanes)
        options->local_kib = (int16_t)(small ? tuning->private_kib : tuning->private_kib_most);
    clnd__move_set_kernel(move, "scatter_private", function);
}

// Plans how copies are filled, and counts them.
static void plan_fill(const clnd__scatter_case *c, copy_shape *copy, clnd__move *fill)
{
    clnd__lower(&copy->into_copy, notes_rows(c) ? copy->element : c->element, fill);
    fill->args.adjust = c->options.adjust;
    (copy->lanes ? spread_lanes : spread_blocks)(c, copy, fill);
}

// Whether rows outweigh the copies that a CPU's threads fill: without them the rows would be
// divided among the threads, or every owner would look at all of them.
static bool rows_outweigh(const clnd__scatter_case *c, const copy_shape *copy)
{
    const clnd__cpu_tuning *tuning = &c->planner->tuning->cpu;
    if (clnd__parts_pay(c, c->problem) && clnd__parts_can_divide(c, c->problem)) {
        const int64_t copies = count_copies(c, copy), bytes = copies * copy->bytes;
        return bytes <= clnd__copies_room(c) && (c->rows >= bytes / tuning->copies_bytes_per_row ||
                                                 c->rows / tuning->copies_updates_per_element >=
                                                     copies * copy->elements / c->row_elements);
    }
    return c->rows - tuning->private_rows >=
           divide_up(copy->elements, tuning->private_row_elements);
}

// On other devices copies in local memory take the load off contended addresses, if there is more
// to do with the rows than with the copies.
static const char *pays(const clnd__scatter_case *c)
{
    clnd__move fill;
    copy_shape copy;
    if (notes_rows(c))
        return c->last_rows ? "a CPU: only the last row of each location is moved" : NULL;
    if (!shape_copy(c, &copy) || copy.lanes == c->facts->is_cpu ||
        (!copy.lanes && !rows_outweigh(c, &copy)))
        return NULL;
    plan_fill(c, &copy, &fill);
    if (copy.lanes)
        return divide_up(copy.copies * copy.elements, c->row_elements) <= c->rows
                   ? "copies of the target fit local memory"
                   : NULL;
    return copy.copies > 1 ? "a CPU: rows outweigh copies of the target" : NULL;
}

static void name_kernels(const clnd__scatter_case *c, const copy_shape *copy, private_plan *private)
{
    clnd__move *fill = &private->fill, *merge = &private->merge;
    private->row_bytes = 0;
    if (!notes_rows(c)) {
        name_kernel(c, copy, copy->lanes ? "private_lanes" : "private_blocks", fill);
        name_kernel(c, copy, "private_merge", merge);
        return;
    }
    clnd__move rows; // those that are moved
    clnd__updates_lower(c, c->problem, true, &rows);
    rows.args.rows = copy->elements;
    rows.args.columns_per_item = rows.args.columns;
    private->row_bytes = rows.args.columns;
    private->updates = c->problem->dense_offset;
    clnd__problem_rows_are_even(c->problem, &private->update_step);
    merge->args.stream = clnd__each_row_goes_past_caches(c->planner, &rows);
    merge->kernel.options.unit = 1;
    merge->kernel.options.row = (int16_t)clnd__rows_bytes(c->planner, &rows);
    clnd__move_set_kernel(fill, "scatter_last", "last_find");
    clnd__move_set_kernel(merge, "scatter_last", "last_move");
}

static void plan(const clnd__scatter_case *c, clnd__scatter_plan *plan)
{
    private_plan *private = own(plan);
    clnd__move *fill = &private->fill, *merge = &private->merge;
    copy_shape copy;
    shape_copy(c, &copy);
    plan_fill(c, &copy, fill);

    clnd__problem_add_outer(&copy.into_target, copy.copies, 0, copy.bytes, 0);
    clnd__problem_fold(&copy.into_target);
    clnd__lower(&copy.into_target, notes_rows(c) ? copy.element : c->element, merge);
    spread_merge(c, &copy, merge);
    // Where rows can address every element, the merge makes all the zeros.
    const int64_t addressed = copy.elements * (notes_rows(c) ? c->row_elements : 1);
    plan->zeroes = c->options.zeros && !copy.lanes && addressed == c->elements;
    merge->args.part_first = plan->zeroes;
    // The copies lie one after the other.
    fill->args.part_bytes = merge->args.part_bytes = copy.bytes;
    fill->args.part_first = merge->args.dense_offset = clnd__workspace_offset(&plan->workspace);
    plan->workspace.bytes = (uint64_t)(copy.copies * copy.bytes);
    name_kernels(c, &copy, private);
    // A device that shares its memory with the host can just as well wait for more than the
    // indices; elsewhere the work is apart, so work-groups are left to the check.
    if (!copy.lanes && c->rows <= CLND_CHECK_ROWS)
        plan->first = &fill->args;
}

static clnd_status prepare(clnd__call *call, clnd__scatter_plan *plan)
{
    const clnd_status status = clnd__call_prepare(call, &own(plan)->fill.kernel);
    return status ? status : clnd__call_prepare(call, &own(plan)->merge.kernel);
}

static clnd_status move_last_rows(clnd__call *call, const clnd__scatter_plan *plan, cl_mem data)
{
    const private_plan *private = (const private_plan *)&plan->own;
    const clnd__move *merge = &private->merge;
    const clnd_last_args args = {merge->args, private->row_bytes, private->updates,
                                 private->update_step};
    const clnd__launch launch = {.kernel = merge->kernel,
                                 .n_buffers = 3,
                                 .buffers = {data, plan->workspace.buffer, plan->dense},
                                 .args = &args,
                                 .args_size = sizeof args,
                                 .global = {merge->global[0], merge->global[1]},
                                 .local = merge->local};
    return clnd__call_launch(call, &launch);
}

static clnd_status enqueue_first(clnd__call *call, clnd__scatter_plan *plan)
{
    const int n = own(plan)->row_bytes > 0 ? 2 : 3; // numbers of rows need no updates
    return clnd__move_enqueue(call, &own(plan)->fill, n,
                              (const cl_mem[]){plan->workspace.buffer, plan->indices, plan->dense});
}

static clnd_status enqueue(clnd__call *call, clnd__scatter_plan *plan, cl_mem data)
{
    const private_plan *private = own(plan);
    const clnd_status status = plan->begun ? CLND_OK : enqueue_first(call, plan);
    if (status)
        return status;
    if (private->row_bytes > 0)
        return move_last_rows(call, plan, data);
    return clnd__move_enqueue(call, &private->merge, 2,
                              (const cl_mem[]){data, plan->workspace.buffer});
}

const clnd__scatter_strategy clnd__scatter_private = {
    .name = "private",
    .why_not = why_not,
    .pays = pays,
    .plan = plan,
    .prepare = prepare,
    .enqueue_first = enqueue_first,
    .enqueue = enqueue,
};
