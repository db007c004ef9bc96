// SPDX-License-Identifier: Apache-2.0
//
// blocks: each work-item moves a block of rows, or of columns where rows are few.

#include "host/base/integers.h"
#include "host/exec/lanes.h"
#include "host/exec/rows.h"
#include "host/exec/strategies/table.h"

static const char *why_not(const clnd__gather_case *c)
{
    (void)c;
    return NULL;
}

static const char *pays(const clnd__gather_case *c)
{
    return c->planner->facts->is_cpu ? "a CPU: each thread moves whole rows"
                                     : "work-groups are too small for lanes";
}

// Tiles of the two axes that are contiguous, one in data and the other in dense; their sides are
// cache lines. Rows are all other axes.
static void spread_tiles(const clnd__planner *planner, clnd__move *move)
{
    const clnd__cpu_tuning *tuning = &planner->tuning->cpu;
    clnd_move_args *args = &move->args;
    const int64_t items = (int64_t)planner->facts->compute_units * tuning->items_per_unit;
    const int64_t side = tuning->line_bytes / move->unit;
    const int64_t along = args->axes[CLND_SLICE_AXIS(1)].size;
    args->rows_per_item = divide_up(args->rows, items);
    const int64_t row_blocks = divide_up(args->rows, args->rows_per_item);
    const int64_t tiles = divide_up(divide_up(along, side), divide_up(items, row_blocks));
    args->columns_per_item = tiles * side;
    move->global[0] = (size_t)divide_up(along, args->columns_per_item);
    move->global[1] = (size_t)row_blocks;
    move->local = 1;
}

// Goes along an axis the other way.
static void reverse(clnd_move_args *args, clnd_axis_args *axis)
{
    args->data_offset += (axis->size - 1) * axis->data;
    args->dense_offset += (axis->size - 1) * axis->dense;
    axis->data = -axis->data;
    axis->dense = -axis->dense;
}

// Not where the innermost axis of dense can be picked out of whole loads.
static bool plan_transposed(const clnd__gather_case *c, clnd__gather_plan *plan)
{
    clnd__move *move = &plan->move;
    clnd__lower(c->problem, c->unit, move);
    const int axis = clnd__lanes_axis_along(&move->args);
    const clnd_axis_args *across = &move->args.axes[CLND_SLICE_AXIS(0)];
    clnd_axis_args *along = &move->args.axes[CLND_SLICE_AXIS(axis)];
    if (along->data == -move->unit)
        reverse(&move->args, along);
    if (c->problem->n_coordinates > 0 || axis == 0 || !clnd__rows_compile(c->planner, move) ||
        across->dense != move->unit || along->data != move->unit ||
        (across->data <= 4 * move->unit && across->data > 0))
        return false;
    clnd__lanes_slice_to_rows(&move->args, axis);
    spread_tiles(c->planner, move);
    move->args.stream = clnd__rows_go_past_caches(c->planner, move);
    move->kernel.options.unit = (int16_t)move->unit;
    clnd__move_set_kernel(move, "copy_transposed", "copy_transposed");
    plan->n_buffers = 2;
    return true;
}

static void plan(const clnd__gather_case *c, clnd__gather_plan *plan)
{
    if (plan_transposed(c, plan))
        return;
    clnd__move *move = &plan->move;
    clnd__problem rows = *c->problem;
    if (rows.n_coordinates == 0)
        clnd__problem_split_rows(&rows, c->unit);
    clnd__problem_block_rows(&rows);
    clnd__lower(&rows, c->unit, move);
    const bool suits = clnd__rows_suit(c->planner, move);
    if (suits) // which may be of any length
        clnd__lower(&rows, 1, move);
    move->args.adjust = c->adjust;
    clnd__spread_blocks(c->planner, move);
    move->args.stream = clnd__rows_go_past_caches(c->planner, move);
    plan->n_buffers = 4;
    // A device that shares its memory with the host can just as well wait for more than the
    // indices.
    plan->checks = c->planner->facts->is_cpu && clnd__problem_rows(c->problem) <= CLND_CHECK_ROWS;
    if (rows.n_coordinates == 0 && move->args.n_slice == 1 &&
        clnd__rows_compile(c->planner, move)) {
        plan->n_buffers = 2;
        clnd__rows_set_kernel(c->planner, move, "copy_rows", "copy_rows");
    } else if (suits) {
        clnd__rows_set_kernel(c->planner, move, "gather_rows", "gather_rows");
    } else if (rows.n_coordinates > 0 && clnd__rows_compile(c->planner, move)) {
        clnd__rows_set_slices(c->planner, move);
    } else {
        move->kernel.options.unit = (int16_t)move->unit;
        clnd__move_set_kernel(move, "gather", "gather");
    }
}

const clnd__gather_strategy clnd__gather_blocks = {"blocks", why_not, pays, plan};
