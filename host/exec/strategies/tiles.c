// SPDX-License-Identifier: Apache-2.0
//
// tiles: a copy whose neighbours in the target are none in the source, as a transposition. Groups
// turn tiles round in local memory, so that both sides are coalesced.

#include <stdlib.h>

#include "host/exec/lanes.h"
#include "host/exec/rows.h"
#include "host/exec/strategies/table.h"

static const char *why_not(const clnd__gather_case *c)
{
    clnd__move move;
    if (!clnd__has_lanes(c->planner))
        return "needs work-groups of 64";
    clnd__lower(c->problem, c->unit, &move);
    if (c->problem->n_coordinates > 0 || clnd__lanes_axis_along(&move.args) == 0)
        return "needs an innermost dimension of the target that is not that of the source";
    const int64_t bytes = CLND_TILE(c->unit) * CLND_TILE_PITCH(c->unit) * c->unit;
    return (uint64_t)bytes <= c->planner->facts->local_memory ? NULL : "needs more local memory";
}

// Runs of both tensors are so long, and have so small gaps, that the way through local memory
// spares accesses.
static const char *pays(const clnd__gather_case *c)
{
    clnd__move move;
    if (c->planner->facts->is_cpu || c->problem->n_coordinates > 0)
        return NULL;
    clnd__lower(c->problem, c->unit, &move);
    const int j = clnd__lanes_axis_along(&move.args);
    const int64_t side = CLND_TILE(c->unit), near = c->planner->tuning->gpu.near_bytes;
    const clnd_axis_args *across = &move.args.axes[CLND_SLICE_AXIS(0)];
    const clnd_axis_args *along = &move.args.axes[CLND_SLICE_AXIS(j)];
    return j > 0 && across->size >= side / 2 && along->size >= side / 2 && across->dense < near &&
                   llabs(along->data) < near && llabs(across->data) >= near &&
                   clnd__rows_are_worth_it(c->planner, &move)
               ? "not a CPU: neighbours in the target are none in the source"
               : NULL;
}

// Rows are all axes but the two that a tile lies on.
static void plan(const clnd__gather_case *c, clnd__gather_plan *plan)
{
    clnd__move *move = &plan->move;
    clnd__lower(c->problem, c->unit, move);
    clnd__lanes_slice_to_rows(&move->args, clnd__lanes_axis_along(&move->args));
    clnd__spread_tiles(c->planner, CLND_TILE(move->unit), move);
    clnd__lanes_set_kernel(c->planner, move, "copy_tiles");
    plan->n_buffers = 2;
}

const clnd__gather_strategy clnd__gather_tiles = {"tiles", why_not, pays, plan};
