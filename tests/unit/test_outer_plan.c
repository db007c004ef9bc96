// SPDX-License-Identifier: Apache-2.0
//
// What outer plans: which axis work-items share out, and that no two of them write to one location.

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

// What is left of an axis behind its pieces: so many rows, from where the last piece ends.
static void check_rest(const outer_plan *outer, int64_t extent, int64_t behind, int64_t taken)
{
    const int64_t rows = extent * (behind - taken);
    const clnd_move_args *args = &outer->rest.args;
    check(args->rows == rows && args->rows_per_item == rows && outer->rest.global[1] == 1,
          "the rest has %lld rows, not %lld", (long long)args->rows, (long long)rows);
    check(args->axes[0].size == 1 && args->axes[1].size == extent &&
              args->axes[2].size == behind - taken,
          "its axes");
    check(args->data_offset == taken * 4 && args->dense_offset == taken * 4 &&
              args->index_offset == taken * 4,
          "it begins at byte %lld", (long long)args->data_offset);
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
        const outer_plan *outer = own(&p.plan);
        const clnd_move_args *args = &outer->pieces.args;
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
        check((int64_t)outer->pieces.global[1] == divide_up(rows, args->rows_per_item), "items");
        check(has_rest == (p.plan.only == NULL), "one kernel");
        if (has_rest)
            check_rest(outer, cases[i].extent, cases[i].behind, taken);
        else
            check(outer->rest.args.rows == 0, "there is no rest");
    }
}

// Gathers have the innermost axis in blocks of which all that they select from is near. They divide
// the axis, and are not much shorter than they may be.
Test(outer_plan, blocks_of_gathers)
{
    static const struct {
        const char *what;
        int64_t rows, extent, behind, block; // 0: it is not divided
    } cases[] = {
        {"many blocks", 64, 64, 100000, 1000},  {"few rows", 8, 64, 100000, 1000},
        {"too few", 7, 64, 100000, 0},          {"a row", 1, 2, 100000, 0},
        {"all is near", 64, 64, 1024, 0},       {"a bit more", 64, 64, 2048, 1024},
        {"a prime", 64, 64, 100003, 0},         {"short blocks", 64, 64, 5 * 509, 0},
        {"a long axis", 1024, 1024, 4096, 512}, {"too long", 1025, 1025, 4096, 0},
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
