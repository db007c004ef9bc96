// SPDX-License-Identifier: Apache-2.0
//
// Which atomic scatters look for hot places, on which devices, and what their plans say.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host/exec/scatter.h"

enum { LEAST = 16384 };

static const clnd_device_facts gpu = {.max_work_group_size = 64,
                                      .local_memory = 32768,
                                      .max_allocation = 1 << 30,
                                      .compute_units = 20};

// A scatter of so many rows of 8 elements each into many places.
typedef struct planned {
    clnd_device_facts facts;
    clnd__problem problem;
    clnd__scatter_options options;
    clnd__memory memory;
    clnd_workspace lent;
    clnd__scatter_plan plan;
} planned;

static void describe(planned *p, clnd_dtype dtype, clnd_reduce reduce, int64_t rows)
{
    const int64_t size = (int64_t)clnd_dtype_size(dtype), places = 1000000;
    *p = (planned){.facts = gpu,
                   .problem = {.dtype = dtype,
                               .index_dtype = CLND_INT32,
                               .n_outer = 1,
                               .n_slice = 1,
                               .n_coordinates = 1,
                               .outer = {{rows, 0, 8 * size, 4}},
                               .slice = {{8, size, size, 0}},
                               .coordinates = {{places, 8 * size}}},
                   .options = {.reduce = reduce},
                   .memory = {.size = (size_t)(places * 8 * size), .alignment = 128}};
}

static void make_plan(planned *p, int64_t end)
{
    check_status(clnd__scatter_plan_make(&p->facts, p->problem, &p->options, &p->memory, 0, end,
                                         &p->memory, &p->memory, &p->plan),
                 CLND_OK);
}

static void check_plan(planned *p, clnd_strategy strategy, clnd__hot_way way)
{
    make_plan(p, (int64_t)p->memory.size);
    const clnd__scatter_plan *plan = &p->plan;
    const bool asked = way == CLND__HOT_ASKED;
    check(plan->choice.strategy == strategy, "%s", clnd__strategy_name(plan->choice.strategy));
    check(plan->hot.way == way, "way %d", (int)plan->hot.way);
    // No kernel with atomic operations is compiled to look at its indices itself.
    check(!clnd__scatter_only_move(&p->plan) == (strategy != CLND_STRATEGY_STORE), "only kernel");
    if (strategy != CLND_STRATEGY_ATOMIC)
        return;
    check(plan->workspace.bytes == (asked ? 4 : 0), "workspace");
    check((strstr(plan->choice.reason, "crowd") != NULL) == asked, "%s", plan->choice.reason);
    check(plan->hot.may_follow == (way == CLND__HOT_NEVER), "prepared");
    if (way != CLND__HOT_IMPOSSIBLE)
        check(strcmp(plan->hot.scatter.options, plan->move.kernel.options) == 0, "options");
}

Test(hot, who_asks)
{
    static const struct {
        clnd_dtype dtype;
        clnd_reduce reduce;
        bool deterministic;
        int64_t rows;
        clnd_strategy strategy;
        clnd__hot_way way;
    } cases[] = {
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, LEAST, CLND_STRATEGY_ATOMIC, CLND__HOT_ASKED},
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, LEAST - 1, CLND_STRATEGY_ATOMIC, CLND__HOT_NEVER},
        {CLND_INT8, CLND_REDUCE_MUL, false, LEAST, CLND_STRATEGY_ATOMIC, CLND__HOT_ASKED},
        {CLND_INT32, CLND_REDUCE_SUB, true, LEAST, CLND_STRATEGY_ATOMIC, CLND__HOT_ASKED},
        {CLND_FLOAT16, CLND_REDUCE_MAX, false, LEAST, CLND_STRATEGY_ATOMIC, // in pairs
         CLND__HOT_IMPOSSIBLE},
        {CLND_FLOAT32, CLND_REDUCE_MUL, false, LEAST, CLND_STRATEGY_ATOMIC, CLND__HOT_IMPOSSIBLE},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, LEAST, CLND_STRATEGY_SORT, CLND__HOT_IMPOSSIBLE},
        {CLND_INT64, CLND_REDUCE_ADD, false, LEAST, CLND_STRATEGY_SORT, CLND__HOT_IMPOSSIBLE},
        {CLND_FLOAT32, CLND_REDUCE_UPDATE, false, LEAST, CLND_STRATEGY_STORE, CLND__HOT_IMPOSSIBLE},
    };
    clnd__strategy_use(NULL);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p;
        case_begin("hot asks", i);
        describe(&p, cases[i].dtype, cases[i].reduce, cases[i].rows);
        p.options.deterministic = cases[i].deterministic;
        check_plan(&p, cases[i].strategy, cases[i].way);
        p.facts.is_cpu = true;
        make_plan(&p, (int64_t)p.memory.size);
        check(p.plan.hot.way == CLND__HOT_IMPOSSIBLE, "a CPU asks");
    }
}

Test(hot, what_it_takes)
{
    clnd__strategy_use(NULL);
    case_begin("hot takes", 0);
    planned p;
    describe(&p, CLND_FLOAT32, CLND_REDUCE_ADD, LEAST);
    p.facts.max_work_group_size = 63;
    check_plan(&p, CLND_STRATEGY_ATOMIC, CLND__HOT_IMPOSSIBLE);
    p.facts = gpu;
    p.facts.local_memory = 8191;
    check_plan(&p, CLND_STRATEGY_ATOMIC, CLND__HOT_IMPOSSIBLE);
    p.facts = gpu;
    p.options.workspace = &p.lent;
    p.lent.size = 3;
    check_plan(&p, CLND_STRATEGY_ATOMIC, CLND__HOT_IMPOSSIBLE);
    p.lent = (clnd_workspace){.size = 4, .offset = 256};
    check_plan(&p, CLND_STRATEGY_ATOMIC, CLND__HOT_ASKED);
    check(p.plan.hot.decision == 256, "byte %lld", (long long)p.plan.hot.decision);
    p.problem.n_outer = 3; // which do not fold
    for (int i = 0; i < 3; i++)
        p.problem.outer[i] = (clnd__axis){100, 0, 32 + 1000 * i, 4 + 1000 * i};
    check_plan(&p, CLND_STRATEGY_ATOMIC, CLND__HOT_IMPOSSIBLE);
    p.problem.n_outer = 2;
    check_plan(&p, CLND_STRATEGY_ATOMIC, CLND__HOT_NEVER);
    p.problem.outer[0].size = 1000;
    check_plan(&p, CLND_STRATEGY_ATOMIC, CLND__HOT_ASKED);
    // Places that do not fit the words that are sorted.
    make_plan(&p, INT64_C(1) << 55);
    check(p.plan.hot.way == CLND__HOT_IMPOSSIBLE, "place 2^55");
    make_plan(&p, (INT64_C(1) << 55) - 1);
    check(p.plan.hot.way == CLND__HOT_ASKED, "place 2^55 - 1");
    describe(&p, CLND_COMPLEX128, CLND_REDUCE_ADD, LEAST);
    p.facts.int64_atomics = true;
    for (int fp64 = 0; fp64 < 2; fp64++) {
        p.facts.fp64 = fp64;
        check_plan(&p, CLND_STRATEGY_ATOMIC, CLND__HOT_ASKED);
    }
}

Test(hot, words_of_the_environment)
{
    static const struct {
        const char *words;
        bool is_cpu;
        clnd__hot_way way;
        bool may_follow;
    } cases[] = {
        {"plain", false, CLND__HOT_NEVER, true},
        {"sample", false, CLND__HOT_ASKED, false},
        {"aggregate", false, CLND__HOT_ALWAYS, false},
        {"atomic", true, CLND__HOT_IMPOSSIBLE, false},
        {"atomic,lanes", true, CLND__HOT_NEVER, false},
        {"atomic,lanes,sample", true, CLND__HOT_ASKED, false},
        {"aggregate,atomic,lanes", true, CLND__HOT_ALWAYS, false},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p;
        case_begin("hot words", i);
        describe(&p, CLND_FLOAT32, CLND_REDUCE_ADD, 100);
        p.facts.is_cpu = cases[i].is_cpu;
        clnd__strategy_use(cases[i].words);
        make_plan(&p, (int64_t)p.memory.size);
        check(p.plan.choice.strategy == CLND_STRATEGY_ATOMIC, "strategy");
        check(p.plan.hot.way == cases[i].way, "way %d", (int)p.plan.hot.way);
        check(p.plan.hot.may_follow == cases[i].may_follow, "prepared");
    }
    clnd__strategy_use(NULL);
}
