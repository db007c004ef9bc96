// SPDX-License-Identifier: Apache-2.0
//
// Which atomic scatters look for hot locations, on which devices, and what their plans say.

#include "host/exec/strategies/atomic.c"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plans.h"

enum { LEAST = 16384, TARGET = 1000000 };

typedef enum hot_way {
    HOT_NOTHING, // neither this call nor one with more rows looks for hot locations
    HOT_LATER,   // one with more rows would
    HOT_SAMPLED,
    HOT_ALWAYS,
} hot_way;

// So many rows of 8 elements each.
static planned rows_of(clnd_dtype dtype, clnd_reduce reduce, int64_t rows)
{
    planned p = planned_rows(&plain_gpu, dtype, reduce, rows, 8, TARGET);
    p.memory.size = (size_t)p.end;
    return p;
}

static hot_way way_of(planned *p)
{
    if (strcmp(planned_make(p), "atomic") != 0)
        return HOT_NOTHING;
    const atomic_plan *atomic = own(&p->plan);
    check(!(atomic->sampled && atomic->may_be_sampled), "sampled now and later");
    if (!atomic->sampled)
        return atomic->may_be_sampled ? HOT_LATER : HOT_NOTHING;
    check(atomic->share == CLND_HOT_SHARE || atomic->share == CLND_HOT_SAMPLE, "one in %lld",
          (long long)atomic->share);
    return atomic->share == CLND_HOT_SAMPLE ? HOT_ALWAYS : HOT_SAMPLED;
}

static void check_plan(planned *p, const char *strategy, hot_way expected)
{
    const hot_way way = way_of(p);
    const clnd__scatter_plan *plan = &p->plan;
    check(way == expected, "way %d", (int)way);
    planned_expect(p, strategy);
    // No kernel with atomic operations is compiled to look at its indices itself.
    check(!plan->only == (strcmp(strategy, "store") != 0), "only kernel");
    if (strcmp(strategy, "atomic") != 0)
        return;
    const atomic_plan *atomic = own(&p->plan);
    check(plan->workspace.bytes == (way >= HOT_SAMPLED ? 4 : 0), "workspace");
    const bool by_name = strcmp(plan->reason, "asked for by name") == 0;
    check(by_name || (strstr(plan->reason, "hot") != NULL) == (way >= HOT_SAMPLED), "%s",
          plan->reason);
    check(by_name == (p->words && strstr(p->words, "atomic")), "%s", plan->reason);
    if (way == HOT_NOTHING)
        return;
    check(strcmp(atomic->hot.kernel.source, "scatter_hot") == 0, "what combines");
    const bool sampled = way >= HOT_SAMPLED;
    const clnd_move_args *cold = &atomic->cold.args, *hot = &atomic->hot.args;
    check(cold->part_bytes == (sampled ? atomic->decision : 1) &&
              cold->part_first == (sampled ? CLND_SAMPLE_COLD : CLND_NO_BAD_ROW) &&
              (!sampled ||
               (hot->part_bytes == atomic->decision && hot->part_first == CLND_SAMPLE_HOT)),
          "what the kernels obey");
    check_kernel(&atomic->sample, "scatter_sample", "sample_rows",
                 "-cl-std=CL1.2 -DSMALL=1 -DINDEX=4 -DLANES=1");
}

Test(hot, who_asks)
{
    static const struct {
        clnd_dtype dtype;
        clnd_reduce reduce;
        bool deterministic;
        int64_t rows;
        const char *strategy;
        hot_way way;
    } cases[] = {
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, LEAST, "atomic", HOT_SAMPLED},
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, LEAST - 1, "atomic", HOT_LATER},
        {CLND_INT8, CLND_REDUCE_MUL, false, LEAST, "atomic", HOT_SAMPLED},
        {CLND_INT32, CLND_REDUCE_SUB, true, LEAST, "atomic", HOT_SAMPLED},
        {CLND_FLOAT16, CLND_REDUCE_MAX, false, LEAST, "atomic", HOT_SAMPLED},
        {CLND_FLOAT32, CLND_REDUCE_MUL, false, LEAST, "atomic", HOT_NOTHING},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, LEAST, "sort", HOT_NOTHING},
        {CLND_INT64, CLND_REDUCE_ADD, false, LEAST, "sort", HOT_NOTHING},
        {CLND_FLOAT32, CLND_REDUCE_UPDATE, false, LEAST, "store", HOT_NOTHING},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p = rows_of(cases[i].dtype, cases[i].reduce, cases[i].rows);
        case_begin("hot looks", i);
        p.options.deterministic = cases[i].deterministic;
        check_plan(&p, cases[i].strategy, cases[i].way);
        p.facts.is_cpu = true;
        check(way_of(&p) == HOT_NOTHING, "a CPU looks");
        p.words = "atomic"; // without lanes
        check(way_of(&p) == HOT_NOTHING, "a CPU that is told to looks");
    }
}

Test(hot, what_it_takes)
{
    case_begin("hot takes", 0);
    planned p = rows_of(CLND_FLOAT32, CLND_REDUCE_ADD, LEAST);
    p.facts.max_work_group_size = 63;
    check_plan(&p, "atomic", HOT_NOTHING);
    p.facts.max_work_group_size = 255;
    check_plan(&p, "atomic", HOT_NOTHING);
    p.facts.max_work_group_size = 256;
    check_plan(&p, "atomic", HOT_SAMPLED);
    p.facts = plain_gpu;
    p.facts.local_memory = 8191;
    check_plan(&p, "atomic", HOT_NOTHING);
    p.facts.local_memory = 8192;
    check_plan(&p, "atomic", HOT_SAMPLED);
    p.facts = plain_gpu;
    planned_lend(&p, 0, 3);
    check_plan(&p, "atomic", HOT_NOTHING);
    planned_lend(&p, 256, 4);
    check_plan(&p, "atomic", HOT_SAMPLED);
    check(own(&p.plan)->decision == 64, "word %lld", (long long)own(&p.plan)->decision);
    planned_lend(&p, (size_t)3 << 33, 4);
    check_plan(&p, "atomic", HOT_SAMPLED);
    check(own(&p.plan)->decision == INT64_C(3) << 31, "a word from 24 GiB on");
    p.problem.n_outer = 3; // which do not fold
    for (int i = 0; i < 3; i++)
        p.problem.outer[i] = (clnd__axis){100, 0, 32 + 1000 * i, 4 + 1000 * i};
    check_plan(&p, "atomic", HOT_NOTHING);
    p.problem.n_outer = 2;
    check_plan(&p, "atomic", HOT_LATER);
    p.problem.outer[0].size = 1000;
    check_plan(&p, "atomic", HOT_SAMPLED);
    // Locations that do not fit the words that are sorted.
    p.end = INT64_C(1) << 55;
    check_plan(&p, "atomic", HOT_NOTHING);
    p.end -= 1;
    check_plan(&p, "atomic", HOT_SAMPLED);
    check(own(&p.plan)->hot.kernel.options.pack == 0, "packs");
    // What the device adds four at a time, rows that are combined first add four at a time too.
    p = rows_of(CLND_FLOAT32, CLND_REDUCE_ADD, LEAST);
    p.facts.float_atomics =
        (clnd_float_atomics){.language = CLND_ATOMICS_PTX, .float32 = true, .float32_packs = true};
    check_plan(&p, "atomic", HOT_SAMPLED);
    check(own(&p.plan)->cold.kernel.options.pack == 4, "no packs");
    check(own(&p.plan)->hot.kernel.options.pack == 4, "no packs of what is combined");
    // Two halves are in a word, but the smaller of two is not found a word at a time.
    p = rows_of(CLND_BFLOAT16, CLND_REDUCE_SUB, LEAST);
    check_plan(&p, "atomic", HOT_SAMPLED);
    check(own(&p.plan)->hot.kernel.options.pack == 2, "no words");
    p.options.reduce = CLND_REDUCE_MIN;
    check_plan(&p, "atomic", HOT_SAMPLED);
    check(own(&p.plan)->hot.kernel.options.pack == 0, "words of minima");
    p = rows_of(CLND_COMPLEX128, CLND_REDUCE_ADD, LEAST);
    p.facts.int64_atomics = true;
    for (int fp64 = 0; fp64 < 2; fp64++) {
        p.facts.fp64 = fp64;
        check_plan(&p, "atomic", HOT_SAMPLED);
    }
}

Test(hot, words)
{
    static const struct {
        const char *words;
        bool is_cpu;
        int64_t rows;
        hot_way way;
    } cases[] = {
        {"plain", false, LEAST, HOT_LATER},
        {"sample", false, 100, HOT_SAMPLED},
        {"aggregate", false, 100, HOT_ALWAYS},
        {"atomic,lanes", true, 100, HOT_NOTHING},
        {"atomic,lanes,sample", true, 100, HOT_SAMPLED},
        {"aggregate,atomic,lanes", true, 100, HOT_ALWAYS},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p = rows_of(CLND_FLOAT32, CLND_REDUCE_ADD, cases[i].rows);
        case_begin("hot words", i);
        p.facts.is_cpu = cases[i].is_cpu;
        p.words = cases[i].words;
        check_plan(&p, "atomic", cases[i].way);
    }
}
