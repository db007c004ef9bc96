// SPDX-License-Identifier: Apache-2.0
//
// How work is spread over work-items: every row, column and part is taken exactly once, on devices
// and for sizes of all kinds; which kernel that asks for; and which strategy words force.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host/exec/gather.h"
#include "host/exec/rows.h"
#include "host/exec/zeros.h"
#include "plans.h"

enum { MANY = 5000 };

static int64_t ceiling(int64_t a, int64_t b)
{
    return a / b + (a % b ? 1 : 0);
}

// A size of any magnitude up to 2^`bits`, often next to a power of two.
static int64_t any_size(rng *r, int bits)
{
    const int64_t power = INT64_C(1) << rng_range(r, 0, bits);
    const int64_t size =
        rng_chance(r, 30) ? power + rng_range(r, -2, 2) : rng_range(r, power / 2 + 1, power);
    return size > 1 ? size : 1;
}

static clnd_device_facts any_device(rng *r)
{
    clnd_device_facts facts = {.is_cpu = rng_chance(r, 50), .max_work_group_size = 256};
    facts.compute_units = (uint32_t)rng_range(r, 1, rng_chance(r, 30) ? 8 : 200);
    return facts;
}

static void any_move(rng *r, int row_bits, int column_bits, clnd__move *move)
{
    static const int64_t units[] = {1, 2, 4, 8, 16};
    memset(move, 0, sizeof *move);
    move->unit = units[rng_range(r, 0, 4)];
    move->args.rows = any_size(r, row_bits);
    move->args.columns = any_size(r, column_bits);
}

// Blocks [i * share, (i + 1) * share), cut at `size`, of `items` work-items: none is empty and
// together they are [0, size). Sizes that can be enumerated are.
static void check_blocks(const char *what, int64_t size, int64_t share, size_t items)
{
    check(share > 0 && items > 0, "%zu items of %" PRId64 " %s", items, share, what);
    check((int64_t)items == ceiling(size, share), "%zu items of %" PRId64 " %s for %" PRId64, items,
          share, what, size);
    if (size > MANY)
        return;
    unsigned char taken[MANY] = {0};
    for (size_t item = 0; item < items; ++item)
        for (int64_t i = (int64_t)item * share; i < ((int64_t)item + 1) * share && i < size; ++i)
            ++taken[i];
    for (int64_t i = 0; i < size; ++i)
        check(taken[i] == 1, "%s number %" PRId64 " is taken %d times", what, i, taken[i]);
}

static void note_move(const clnd_device_facts *facts, const clnd__move *move)
{
    case_note("%s of %u units: %" PRId64 " rows of %" PRId64 " columns of %" PRId64 " bytes",
              facts->is_cpu ? "CPU" : "GPU", facts->compute_units, (int64_t)move->args.rows,
              (int64_t)move->args.columns, move->unit);
}

Test(spread, blocks_take_everything_once)
{
    for (int i = 0; i < case_count(60000); ++i) {
        clnd__move move;
        case_begin("random blocks", i);
        rng *r = case_rng();
        const clnd_device_facts facts = any_device(r);
        const clnd__planner planner = clnd__planner_make(&facts, NULL);
        const bool small = rng_chance(r, 30);
        any_move(r, small ? 12 : 40, small ? 12 : 18, &move);
        note_move(&facts, &move);
        clnd__spread_blocks(&planner, &move);
        check(move.local == 1, "groups of %zu", move.local);
        check_blocks("rows", move.args.rows, move.args.rows_per_item, move.global[1]);
        check_blocks("columns", move.args.columns, move.args.columns_per_item, move.global[0]);
        // Enough for the whole device, not many more, and none too small to be worth its start.
        const int64_t items = (int64_t)(move.global[0] * move.global[1]);
        const int64_t bytes = move.args.rows * move.args.columns * move.unit;
        check(items <= 2 * 8 * (int64_t)facts.compute_units, "%" PRId64 " items", items);
        check(items == 1 ||
                  move.args.rows_per_item * move.args.columns_per_item * move.unit >= 16384 ||
                  move.args.columns_per_item >= move.args.columns,
              "items of %" PRId64 " rows and %" PRId64 " columns", (int64_t)move.args.rows_per_item,
              (int64_t)move.args.columns_per_item);
        check(bytes > 16384 || items == 1, "%" PRId64 " items for %" PRId64 " bytes", items, bytes);
        if (move.args.columns * move.unit <= 16384 && bytes / 16384 > 16 * facts.compute_units)
            check(items >= facts.compute_units, "only %" PRId64 " items", items);
    }
}

// Rows or columns of all work-items of a LANES launch: `groups` groups, of which each has `lanes`
// of them next to one another, and goes on `step` further.
static void check_strided(const char *what, int64_t size, int64_t lanes, size_t groups)
{
    check(groups > 0 && lanes > 0, "%zu groups of %" PRId64 " %s", groups, lanes, what);
    check(((int64_t)groups - 1) * lanes < size, "%zu groups of %" PRId64 " for %" PRId64 " %s",
          groups, lanes, size, what);
    if (size > MANY)
        return;
    unsigned char taken[MANY] = {0};
    for (int64_t group = 0; group < (int64_t)groups; ++group)
        for (int64_t lane = 0; lane < lanes; ++lane)
            for (int64_t i = group * lanes + lane; i < size; i += (int64_t)groups * lanes)
                ++taken[i];
    for (int64_t i = 0; i < size; ++i)
        check(taken[i] == 1, "%s number %" PRId64 " is taken %d times", what, i, taken[i]);
}

Test(spread, lanes_take_everything_once)
{
    for (int i = 0; i < case_count(60000); ++i) {
        clnd__move move;
        case_begin("random lanes", i);
        rng *r = case_rng();
        const clnd_device_facts facts = any_device(r);
        const clnd__planner planner = clnd__planner_make(&facts, NULL);
        const bool small = rng_chance(r, 30);
        any_move(r, small ? 12 : 41, small ? 12 : 41, &move);
        note_move(&facts, &move);
        clnd__spread_lanes(&planner, &move);
        check(move.local == CLND_LANES && move.global[0] % CLND_LANES == 0, "groups of %zu in %zu",
              move.local, move.global[0]);
        const int64_t lanes = INT64_C(1) << move.args.lanes_shift;
        check(move.args.lanes_shift >= 0 && lanes <= CLND_LANES, "shift");
        check(lanes >= move.args.columns || lanes == CLND_LANES, "few lanes share a row");
        check(lanes < 2 * move.args.columns, "more lanes than columns share a row");
        check_strided("columns", move.args.columns, lanes, move.global[0] / CLND_LANES);
        check_strided("rows", move.args.rows, CLND_LANES / lanes, move.global[1]);
        const int64_t groups = (int64_t)(move.global[0] / CLND_LANES * move.global[1]);
        const int64_t wanted = planner.tuning->gpu.groups_per_unit * facts.compute_units;
        check(groups <= 2 * wanted, "%" PRId64 " groups", groups);
        // As many as the work has room for, up to that.
        check((int64_t)move.global[1] == wanted ||
                  (int64_t)move.global[1] == ceiling(move.args.rows, CLND_LANES / lanes),
              "%zu groups of rows", move.global[1]);
        check(groups >= wanted ||
                  (int64_t)move.global[0] == ceiling(move.args.columns, lanes) * CLND_LANES,
              "%" PRId64 " groups", groups);
    }
}

// A folded problem that agrees with the move, and a range of rows of any length.
static void any_target(rng *r, const clnd__move *move, clnd__problem *p)
{
    const clnd__view view = {.dtype = CLND_INT8, .offset = (uint64_t)rng_range(r, 0, 1 << 20)};
    clnd__problem_begin(p, &view, &view, NULL);
    clnd__problem_add_slice(p, move->args.columns * move->unit, 1, 1);
    if (rng_chance(r, 10))
        return; // one location for all rows
    const int64_t extent = any_size(r, 30);
    const int64_t stride = move->unit * (rng_chance(r, 50) ? move->args.columns : 1);
    clnd__problem_add_coordinate(p, extent, rng_chance(r, 20) ? -stride : stride);
    if (p->coordinates[0].stride < 0)
        p->data_offset += (extent - 1) * stride;
}

Test(spread, owners_own_everything_once)
{
    for (int i = 0; i < case_count(60000); ++i) {
        clnd__move move;
        clnd__problem p;
        int64_t first, last;
        case_begin("random owners", i);
        rng *r = case_rng();
        const clnd_device_facts facts = any_device(r);
        const clnd__planner planner = clnd__planner_make(&facts, NULL);
        any_move(r, 40, rng_chance(r, 50) ? 4 : 18, &move);
        any_target(r, &move, &p);
        note_move(&facts, &move);
        const int64_t most =
            rng_chance(r, 20) ? 1 : (int64_t)facts.compute_units * (facts.is_cpu ? 1 : 64);
        clnd__spread_owners(&planner, &p, most, &move);
        clnd__problem_row_range(&p, &first, &last);
        check(move.local == 1, "groups of %zu", move.local);
        check_blocks("columns", move.args.columns, move.args.columns_per_item, move.global[0]);
        // Parts begin with cache lines.
        check(move.args.part_first == first / 64 * 64 && move.args.part_bytes % 64 == 0,
              "the first part begins at %" PRId64 ", %" PRId64 " bytes each",
              (int64_t)move.args.part_first, (int64_t)move.args.part_bytes);
        first = move.args.part_first;
        check_blocks("bytes of data", last - first + 1, move.args.part_bytes, move.global[1]);
        // Owners of columns do not share a cache line.
        check(move.global[0] == 1 || move.args.columns_per_item * move.unit % 64 == 0,
              "an owner has %" PRId64 " columns", (int64_t)move.args.columns_per_item);
        const int64_t owners = (int64_t)(move.global[0] * move.global[1]);
        check(owners <= 2 * most && (most > 1 || owners == 1), "%" PRId64 " owners", owners);
        const int64_t bytes = move.args.rows * move.args.columns * move.unit;
        check(bytes > 16384 - move.args.columns * move.unit || owners == 1,
              "%" PRId64 " owners for %" PRId64 " bytes", owners, bytes);
        if (bytes >= 2 * 16384 && last - first + 1 >= 64 * most * most)
            check(owners >= ceiling(most, 2), "only %" PRId64 " owners", owners);
    }
}

// Llvmpipe's limit, and others.
Test(spread, loops_end_in_time)
{
    for (int i = 0; i < case_count(30000); ++i) {
        clnd__move move;
        clnd__problem p;
        case_begin("random limits of loops", i);
        rng *r = case_rng();
        clnd_device_facts facts = any_device(r);
        facts.loop_iterations = rng_chance(r, 50) ? 65535 : (uint64_t)rng_range(r, 5000, 1000000);
        const clnd__planner planner = clnd__planner_make(&facts, NULL);
        const int64_t most = clnd__most_steps(&planner);
        check(most > 0 && most <= (int64_t)facts.loop_iterations / 15, "%" PRId64 " steps", most);
        any_move(r, 24, 24, &move);
        note_move(&facts, &move);
        clnd__spread_blocks(&planner, &move);
        check_blocks("rows", move.args.rows, move.args.rows_per_item, move.global[1]);
        check_blocks("columns", move.args.columns, move.args.columns_per_item, move.global[0]);
        const int64_t columns = move.args.columns < move.args.columns_per_item
                                    ? move.args.columns
                                    : move.args.columns_per_item;
        check(move.args.rows_per_item * columns <= most, "%" PRId64 " rows of %" PRId64,
              (int64_t)move.args.rows_per_item, columns);
        clnd__spread_lanes(&planner, &move);
        const int64_t lanes = INT64_C(1) << move.args.lanes_shift;
        const int64_t row_steps =
            ceiling(move.args.rows, (int64_t)move.global[1] * (CLND_LANES / lanes));
        const int64_t column_steps =
            ceiling(move.args.columns, (int64_t)move.global[0] / CLND_LANES * lanes);
        check(row_steps * column_steps <= most, "%" PRId64 " by %" PRId64 " steps", row_steps,
              column_steps);
        any_target(r, &move, &p);
        clnd__spread_owners(&planner, &p, facts.compute_units, &move);
        check_blocks("columns", move.args.columns, move.args.columns_per_item, move.global[0]);
        const int64_t own = move.args.columns < move.args.columns_per_item
                                ? move.args.columns
                                : move.args.columns_per_item;
        check(move.args.rows_per_item >= 1 && move.args.rows_per_item * own <= most,
              "launches of %" PRId64 " rows of %" PRId64, (int64_t)move.args.rows_per_item, own);
    }
}

// Sizes at which nothing may wrap.
Test(spread, sizes_near_the_end_of_64_bits)
{
    static const int64_t sizes[] = {INT64_C(1) << 40, (INT64_C(1) << 40) - 1,
                                    (INT64_C(1) << 40) + 1, INT64_C(1) << 55};
    for (int i = 0; i < 32; ++i) {
        const int64_t rows = i & 4 ? sizes[i & 3] : 1, columns = i & 4 ? 1 : sizes[i & 3];
        const clnd_device_facts facts = {.is_cpu = i & 8, .compute_units = i & 16 ? 200 : 1};
        const clnd__planner planner = clnd__planner_make(&facts, NULL);
        clnd__move move = {.unit = 1, .args = {.rows = rows, .columns = columns}};
        clnd__problem p = {.data_offset = 7, .n_coordinates = 1, .coordinates = {{rows, columns}}};
        case_begin("huge spread", i);
        note_move(&facts, &move);
        clnd__spread_blocks(&planner, &move);
        check_blocks("rows", rows, move.args.rows_per_item, move.global[1]);
        check_blocks("columns", columns, move.args.columns_per_item, move.global[0]);
        check((int64_t)(move.global[0] * move.global[1]) == 8 * (int64_t)facts.compute_units,
              "%zu x %zu items", move.global[0], move.global[1]);
        clnd__spread_lanes(&planner, &move);
        check_strided("rows", rows, CLND_LANES >> move.args.lanes_shift, move.global[1]);
        check_strided("columns", columns, INT64_C(1) << move.args.lanes_shift,
                      move.global[0] / CLND_LANES);
        clnd__spread_owners(&planner, &p, 64, &move);
        check_blocks("columns", columns, move.args.columns_per_item, move.global[0]);
        check_blocks("bytes", 7 + (rows - 1) * columns + 1, move.args.part_bytes, move.global[1]);
    }
}

typedef struct kernel_row {
    int n_outer, n_slice, n_coordinates;
    clnd_dtype index_dtype;
    size_t local;
    const char *options;
} kernel_row;

static const kernel_row kernels[] = {
    {2, 2, 3, CLND_INT32, 1, "-cl-std=CL1.2 -DSMALL=1 -DINDEX=4 -DUNIT=8"},
    {3, 2, 3, CLND_INT64, 64, "-cl-std=CL1.2 -DINDEX=5 -DLANES=1 -DUNIT=8"},
    {2, 3, 3, CLND_INT8, 64, "-cl-std=CL1.2 -DLANES=1 -DUNIT=8"},
    {2, 2, 4, CLND_UINT32, 1, "-cl-std=CL1.2 -DUNIT=8"},
    {0, 1, 0, 0, 1, "-cl-std=CL1.2 -DSMALL=1 -DUNIT=8"},
    {16, 1, 16, CLND_UINT8, 1, "-cl-std=CL1.2 -DUNIT=8"},
};

Test(kernel_of_move, options)
{
    for (int i = 0; i < (int)(sizeof kernels / sizeof *kernels); ++i) {
        const kernel_row *row = &kernels[i];
        clnd__move move = {.local = row->local, .kernel.options.unit = 8};
        case_begin("kernel", i);
        move.args.n_outer = row->n_outer;
        move.args.n_slice = row->n_slice;
        move.args.n_coordinates = row->n_coordinates;
        move.args.index_kind = (int64_t)(row->index_dtype & 0xff);
        clnd__move_set_kernel(&move, "file", "function");
        check_kernel(&move.kernel, "file", "function", row->options);
    }
}

static const char *option_text(const char *name, int value)
{
    static char text[40];
    snprintf(text, sizeof text, " -D%s=%d", name, value);
    return text;
}

// Every option has its text, in this order, and all of them have room.
Test(kernel_of_move, text_of_options)
{
    clnd__kernel_options options = {0};
    char text[CLND__OPTIONS_TEXT];
    case_begin("text of options", 0);
    clnd__kernel_options_print(&options, text);
    check(strcmp(text, "-cl-std=CL1.2") == 0, "%s", text);
    int n = 0;
#define COUNT(field, name) options.field = (int16_t)(-32700 - n++);
    CLND__KERNEL_OPTIONS(COUNT)
    clnd__kernel_options_print(&options, text);
    const char *at = text;
    n = 0;
#define FIND(field, name)                                                                          \
    at = strstr(at, option_text(#name, -32700 - n++));                                             \
    check(at, "%s lacks %s, or has it too early", text, #name);
    CLND__KERNEL_OPTIONS(FIND)
    check(strcmp(at, option_text("FIRST_CACHE", -32700 - n + 1)) == 0, "%s ends otherwise", text);
    options = (clnd__kernel_options){.atomic = CLND_ATOMIC_OPENCL};
    clnd__kernel_options_print(&options, text);
    check(strcmp(text, "-cl-std=CL3.0 -DATOMIC=4") == 0, "%s", text);
}

Test(strategy, words_of_scatters)
{
    static const struct {
        const char *what, *words, *strategy;
        bool refused;
    } cases[] = {
        {"automatic", NULL, "store", false},
        {"no words", "", "store", false},
        {"forced", "owner", "owner", false},
        {"impossible ones are ignored", "atomic", "store", false},
        {"the possible one of a list", "lanes,atomic,owner", "owner", false},
        {"parts of words are no words", "own,,ownership,owner ,buffe", "store", false},
        {"other words are ignored", "owners", "store", false},
        {"one that must be", "must,owner", "owner", false},
        {"one that must be and cannot", "must,atomic", NULL, true},
        {"wherever the word is", "atomic,must", NULL, true},
        {"must, but nothing in particular", "must", "store", false},
        {"must, of those of gathers", "must,lanes", "store", false},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
        planned p = planned_rows(&plain_cpu, CLND_INT32, CLND_REDUCE_UPDATE, 100, 1, 1000);
        case_begin("words of scatters", i);
        case_note("%s", cases[i].what);
        p.words = cases[i].words;
        if (cases[i].refused) {
            check_status(planned_try(&p), CLND_INVALID_OPTION);
            check_message("strategy atomic cannot do this scatter");
            continue;
        }
        planned_expect(&p, cases[i].strategy);
        const bool forced = strcmp(cases[i].strategy, "store") != 0;
        check(forced == !strcmp(p.plan.reason, "asked for by name"), "%s", p.plan.reason);
    }
}

// A copy that is more than one run, and a fill, move in the same way.
// What does not divide its loops is no choice where the driver ends them, but for few updates; and
// more rows than launches can take are refused.
Test(strategy, where_the_driver_ends_loops)
{
    static const char *const others[] = {"private", "buckets", "sort", "atomic"};
    clnd_device_facts facts = plain_cpu;
    facts.loop_iterations = 65535;
    const int64_t most = 65535 / 15;
    for (int i = 0; i < (int)(sizeof others / sizeof *others); ++i) {
        case_begin("loops", i);
        planned p = planned_rows(&facts, CLND_FLOAT32, CLND_REDUCE_ADD, most / 2, 1, 100);
        p.words = others[i];
        check(strcmp(planned_make(&p), others[i]) == 0, "not %s", others[i]);
        p = planned_rows(&facts, CLND_FLOAT32, CLND_REDUCE_ADD, most / 2 + 1, 1, 100);
        planned_refuse(&p, others[i]);
    }
    // One instruction an update: no loop.
    planned p = planned_rows(&facts, CLND_INT32, CLND_REDUCE_ADD, 1 << 20, 1, 100);
    p.words = "atomic";
    check(strcmp(planned_make(&p), "atomic") == 0, "sums of int32 by %s", p.plan.strategy->name);
    p = planned_rows(&facts, CLND_FLOAT32, CLND_REDUCE_ADD, 4096 * (most + 1) - 1, 1, 100);
    check(strcmp(planned_make(&p), "owner") == 0, "most rows by %s", p.plan.strategy->name);
    p = planned_rows(&facts, CLND_FLOAT32, CLND_REDUCE_ADD, 4096 * (most + 1), 1, 100);
    check_status(planned_try(&p), CLND_UNSUPPORTED_DEVICE);
    check_message("the driver ends loops early, and 17899520 rows are too many for it");
}

Test(strategy, movement)
{
    static const struct {
        bool is_cpu;
        size_t group;
        const char *words, *strategy; // NULL: refused
    } cases[] = {
        {true, CLND_LANES, NULL, "blocks"},         {true, CLND_LANES, "lanes", "lanes"},
        {false, CLND_LANES, NULL, "lanes"},         {false, CLND_LANES, "blocks", "blocks"},
        {false, CLND_LANES - 1, NULL, "blocks"},    {false, CLND_LANES - 1, "lanes", "blocks"},
        {false, CLND_LANES, "must,lanes", "lanes"}, {false, CLND_LANES - 1, "must,lanes", NULL},
    };
    const clnd__memory memory = {.alignment = 128};
    const clnd__view view = {.dtype = CLND_INT32, .rank = 1, .shape = {100}, .strides = {2}};
    clnd__problem p;
    clnd__problem_begin(&p, &view, &view, NULL);
    clnd__problem_add_slice(&p, 100, 4, 8);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
        const clnd_device_facts facts = {
            .is_cpu = cases[i].is_cpu, .max_work_group_size = cases[i].group, .compute_units = 4};
        const clnd__planner planner = clnd__planner_make(&facts, cases[i].words);
        const char *expected = cases[i].strategy;
        clnd__gather_plan plan;
        case_begin("movement", i);
        const clnd_status status = clnd__gather_plan_make(&planner, p, CLND_ADJUST_NONE, NULL,
                                                          &memory, NULL, &memory, &plan);
        check_status(status, expected ? CLND_OK : CLND_INVALID_OPTION);
        if (!expected) {
            check_message("strategy lanes needs work-groups of 64");
            continue;
        }
        check(strcmp(plan.strategy->name, expected) == 0, "%s", plan.strategy->name);
        clnd__zeros_plan zeros;
        clnd__zeros_plan_make(&planner, &view, &memory, true, &zeros);
        check(strcmp(zeros.strategy, expected) == 0, "a fill by %s", zeros.strategy);
    }
}

// Outputs from 4 MiB on go past the caches of CPUs; words ask for it as well.
Test(spread, past_the_caches)
{
    enum { MIB = 1 << 20, ROW = 64 };
    static const struct {
        int64_t bytes;
        const char *words;
        bool past;
    } cases[] = {
        {4 * MIB - ROW, NULL, false},
        {4 * MIB, NULL, true},
        {ROW, "stream", true},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        clnd_device_facts facts = {.is_cpu = true};
        const clnd__planner planner = clnd__planner_make(&facts, cases[i].words);
        clnd__move move = {.args = {.rows = cases[i].bytes / ROW, .columns = ROW}, .unit = 1};
        case_begin("past the caches", i);
        check(clnd__rows_go_past_caches(&planner, &move) == cases[i].past, "%d",
              (int)!cases[i].past);
        facts.is_cpu = false;
        check(clnd__rows_go_past_caches(&planner, &move) == (cases[i].words != NULL), "not a CPU");
    }
}
