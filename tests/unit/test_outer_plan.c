// SPDX-License-Identifier: Apache-2.0
//
// What outer plans: which axis work-items share out, and that no two of them write to one location.

#include "host/exec/gather.h"
#include "host/exec/strategies/outer.c"

#include <criterion/criterion.h>
#include <string.h>

#include "check.h"
#include "plans.h"

// scatter_elements of float32 along axis 1 of [before, extent, behind].
static planned elements(int64_t before, int64_t extent, int64_t behind)
{
    planned p = planned_rows(&plain_cpu, CLND_FLOAT32, CLND_REDUCE_ADD, 1, 1, extent);
    const int64_t row = behind * 4, all = extent * row;
    p.problem.n_outer = 3;
    p.problem.outer[0] = (clnd__axis){before, all, all, all};
    p.problem.outer[1] = (clnd__axis){extent, 0, row, row};
    p.problem.outer[2] = (clnd__axis){behind, 4, 4, 4};
    p.problem.coordinates[0] = (clnd__coordinate){extent, row};
    p.end = before * all;
    return p;
}

// So many steps of an axis are left; 0: none.
static void check_rest(const clnd__rest *rest, int parts, int axis, int64_t size)
{
    check(rest->size == size, "%lld steps are left, not %lld", (long long)rest->size,
          (long long)size);
    check(size == 0 || (rest->parts == parts && rest->axis == axis), "of axes %d and %d",
          rest->parts, rest->axis);
}

// The launch for what is left has so many rows, and begins where the last part of float32 ends.
static void check_rest_launch(const clnd__move *move, int64_t rows, int64_t taken)
{
    const clnd__move rest = clnd__move_rest(move);
    const clnd_move_args *args = &rest.args;
    check(args->rows == rows, "%lld rows are left, not %lld", (long long)args->rows,
          (long long)rows);
    check(args->data_offset == taken * 4 && args->dense_offset == taken * 4 &&
              args->index_offset == taken * 4,
          "from byte %lld on", (long long)args->data_offset);
    check((int64_t)rest.global[1] == divide_up(rows, args->rows_per_item), "%zu work-items",
          rest.global[1]);
}

// Which axis, in how many parts of how many rows; 0: it cannot be done.
Test(outer_plan, axes)
{
    static const struct {
        int64_t before, extent, behind;
        int64_t indices; // along the first axis of the plan
        int64_t data;    // its step
    } cases[] = {
        {100, 7, 9, 100, 7 * 9 * 4},
        {2, 7, 4000, 2, 7 * 4000 * 4},
        {1, 1000, 2000, 4, 500 * 4},
        {1, 1000, 2003, 4, 500 * 4},
        {1, 1000, 131, 4, 32 * 4},
        {1, 1000, 127, 0, 0},
        {1, 100000, 1, 0, 0},
        // What they select from is near.
        {1, 1000, 4000, 8, 500 * 4},
        {1, 64, 2100, 4, 525 * 4},
        {1, 64, 5900, 8, 737 * 4},
        {1, 64, 100003, 100, 1000 * 4},
        {1, 2, 1 << 20, 32, (1 << 15) * 4},
        {1, 1025, 4000, 4, 1000 * 4},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p = elements(cases[i].before, cases[i].extent, cases[i].behind);
        case_begin("outer axes", i);
        p.words = "must,outer";
        const clnd_status status = planned_try(&p);
        check(status == (cases[i].indices ? CLND_OK : CLND_INVALID_OPTION), "%s",
              clnd_status_name(status));
        if (status)
            continue;
        const clnd__move *move = (const clnd__move *)&p.plan.own;
        const clnd_move_args *args = &move->args;
        const int64_t taken = cases[i].indices * cases[i].data / 4;
        const bool has_rest = cases[i].before == 1 && taken < cases[i].behind;
        const int64_t behind = has_rest ? taken : cases[i].behind;
        const int64_t rows = cases[i].before * cases[i].extent * behind;
        check(args->axes[0].size == cases[i].indices && args->axes[0].data == cases[i].data,
              "%lld indices, %lld bytes apart", (long long)args->axes[0].size,
              (long long)args->axes[0].data);
        check(args->rows == rows && args->rows_per_item % (rows / cases[i].indices) == 0,
              "%lld of %lld rows for a work-item", (long long)args->rows_per_item,
              (long long)args->rows);
        check((int64_t)move->global[1] == divide_up(rows, args->rows_per_item), "items");
        check(has_rest == (p.plan.only == NULL), "one kernel");
        check_rest(&move->rest, 0, 2, has_rest ? cases[i].behind - taken : 0);
        if (!has_rest)
            continue;
        check_rest_launch(move, cases[i].extent * (cases[i].behind - taken), taken);
        check(clnd__move_rest(move).global[1] == 1, "rows that meet are one work-item's");
    }
}

// Pieces and the rest have one kernel: offsets have 32 bits only if those of the rest fit, too.
Test(outer_plan, offsets_of_the_rest)
{
    const int64_t extent = 1000, behind = 2003, left = 3;
    const int64_t last = ((extent - 1) * behind + behind - 1) * 4; // byte, from the first one
    for (int64_t more = 0; more <= left; more++) {
        planned p = elements(1, extent, behind);
        case_begin("outer, offsets of the rest", (int)more);
        p.words = "must,outer";
        p.problem.data_offset = INT32_MAX - last + more * 4;
        check_status(planned_try(&p), CLND_OK);
        const clnd__move *move = (const clnd__move *)&p.plan.own;
        check_rest(&move->rest, 0, 2, left);
        check(move->kernel.options.offsets == (more ? 8 : 4), "offsets of %d bytes",
              move->kernel.options.offsets);
    }
}

// Where loops have to be short, those of the rest are.
Test(outer_plan, loops_of_the_rest)
{
    const int64_t rows = 64, behind = 100003, block = 960;
    planned p = elements(1, rows, behind);
    const clnd__planner planner = clnd__planner_make(&p.facts, NULL);
    case_begin("loops of the rest", 0);
    p.facts.loop_iterations = 1 << 16;
    clnd__problem_block_rows(&p.problem);
    clnd__move move;
    clnd__lower(&p.problem, 4, &move);
    clnd__spread_blocks(&planner, &move);
    check_rest_launch(&move, rows * (behind % block), behind - behind % block);
    const clnd__move rest = clnd__move_rest(&move);
    check(rest.args.rows_per_item <= clnd__most_steps(&planner), "%lld rows in a loop",
          (long long)rest.args.rows_per_item);
}

// A gather finds out itself whether a row is bad only if one launch of a check has room for all
// rows, those of the rest too.
Test(outer_plan, check_of_the_rest)
{
    const int64_t rows = 64, most = CLND_CHECK_ROWS / rows;
    const clnd__memory memory = {0};
    for (int64_t more = 0; more < 2; more++) {
        const planned p = elements(1, rows, most + more);
        const clnd__planner planner = clnd__planner_make(&p.facts, NULL);
        clnd__gather_plan plan;
        case_begin("check of the rest", (int)more);
        check_status(clnd__gather_plan_make(&planner, p.problem, CLND_ADJUST_NONE, NULL, &memory,
                                            &memory, &memory, &plan),
                     CLND_OK);
        check(plan.move.args.rows <= CLND_CHECK_ROWS && (plan.move.rest.size > 0) == more,
              "without the rest there is room");
        check(plan.checks == !more, "%lld rows", (long long)(rows * (most + more)));
    }
}

// Gathers have the innermost axis in blocks of which all that they select from is near. They are
// not much shorter than they may be, and little is left of the axis.
Test(outer_plan, blocks_of_gathers)
{
    static const struct {
        const char *what;
        int64_t rows, extent, behind, block; // 0: it is not divided
    } cases[] = {
        {"many blocks", 64, 64, 100000, 960},   {"few rows", 8, 64, 100000, 960},
        {"too few", 7, 64, 100000, 0},          {"a row", 1, 2, 100000, 0},
        {"all is near", 64, 64, 8192, 0},       {"a step more", 64, 64, 8193, 896},
        {"whole blocks", 64, 64, 16384, 1024},  {"a prime", 64, 64, 100003, 960},
        {"a long axis", 1024, 1024, 4608, 512}, {"too long", 1025, 1025, 9999, 0},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        const int64_t before = 3, behind = cases[i].behind, block = cases[i].block;
        planned p = elements(before, cases[i].extent, behind);
        clnd__problem *problem = &p.problem;
        case_begin("blocks of gathers", i);
        case_note("%s", cases[i].what);
        problem->outer[1].size = cases[i].rows;
        clnd__problem_block_rows(problem);
        check(problem->n_outer == (block ? 4 : 3), "%d axes", problem->n_outer);
        check_rest(&problem->rest, 1, 3, block ? behind % block : 0);
        if (problem->n_outer != 4)
            continue;
        const clnd__axis *axis = problem->outer;
        check(axis[0].size == before && axis[2].size == cases[i].rows, "the axes around");
        check(axis[1].size == behind / block && axis[3].size == block, "%lld blocks of %lld",
              (long long)axis[1].size, (long long)axis[3].size);
        check(axis[1].data == 4 * block && axis[1].dense == 4 * block && axis[1].index == 4 * block,
              "%lld bytes apart", (long long)axis[1].data);
    }
}

// A piece is one more axis, for which there is no room beside as many as a tensor may have.
Test(outer_plan, most_axes)
{
    for (int n_slice = 0; n_slice <= 1; n_slice++) {
        planned p = elements(1, 3, 1 << 12);
        case_begin("outer, most axes", n_slice);
        p.options.deterministic = true;
        p.problem.n_outer = CLND_MAX_RANK - 1;
        p.problem.outer[0] = (clnd__axis){3, 0, 1 << 28, 1 << 28};
        p.problem.outer[1] = (clnd__axis){1 << 12, 1 << 6, 1 << 16, 1 << 16};
        for (int i = 2; i < p.problem.n_outer; i++)
            p.problem.outer[i] = (clnd__axis){2, 4, 4, 4}; // none is part of the one before it
        p.problem.n_slice = n_slice;
        p.problem.slice[0] = (clnd__axis){2, 8, 8, 0};
        if (n_slice == 0)
            planned_expect(&p, "outer");
        else
            planned_refuse(&p, "outer");
    }
}

// It is for CPUs, for enough indices to share out, and not where sums are to be rounded once.
Test(outer_plan, choice)
{
    static const struct {
        int64_t before;
        clnd_dtype dtype;
        clnd_reduce reduce;
        bool deterministic, is_cpu;
        const char *strategy;
    } cases[] = {
        {4, CLND_FLOAT32, CLND_REDUCE_ADD, false, true, "outer"},
        {4, CLND_FLOAT32, CLND_REDUCE_ADD, true, true, "outer"},
        {4, CLND_FLOAT32, CLND_REDUCE_UPDATE, true, true, "outer"},
        {4, CLND_FLOAT32, CLND_REDUCE_UPDATE, false, true, "store"},
        {3, CLND_FLOAT32, CLND_REDUCE_ADD, true, true, "buckets"},
        {4, CLND_FLOAT32, CLND_REDUCE_ADD, false, false, "atomic"},
        {4, CLND_FLOAT16, CLND_REDUCE_MAX, true, true, "outer"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p = elements(cases[i].before, 100000, 1);
        case_begin("outer choice", i);
        p.problem.dtype = cases[i].dtype;
        p.options.reduce = cases[i].reduce;
        p.options.deterministic = cases[i].deterministic;
        p.facts.is_cpu = cases[i].is_cpu;
        planned_expect(&p, cases[i].strategy);
    }
    // Behind the first axis, copies of a small target go first.
    for (int i = 0; i < 2; i++) {
        planned behind = elements(1, i ? 1000 : 100000, 256);
        case_begin("outer behind the first axis", i);
        behind.facts.cache = 32 << 20;
        behind.problem.outer[1].size = 100000;
        planned_expect(&behind, i ? "private" : "outer");
    }
    planned p = elements(4, 100000, 1);
    case_begin("outer choice", 100);
    p.problem.dtype = CLND_FLOAT16;
    p.options.deterministic = true;
    planned_refuse(&p, "outer");
}
