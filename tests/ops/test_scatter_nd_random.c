// SPDX-License-Identifier: Apache-2.0
//
// scatter_nd and scatter_nd_into against the reference: random cases by dtype, reduction, index
// dtype, policy, strategy, determinism, rank, layout and number of duplicates.

#include <criterion/criterion.h>
#include <string.h>

#include "scatter_case.h"

static const clnd_bounds policies[] = {CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR, CLND_BOUNDS_SKIP,
                                       CLND_BOUNDS_CLAMP, CLND_BOUNDS_WRAP};
enum { N_POLICIES = sizeof policies / sizeof *policies };

static const clnd_reduce reductions[] = {CLND_REDUCE_UPDATE, CLND_REDUCE_ADD, CLND_REDUCE_SUB,
                                         CLND_REDUCE_MUL,    CLND_REDUCE_MIN, CLND_REDUCE_MAX};
enum { N_REDUCTIONS = sizeof reductions / sizeof *reductions };

// The ways to run one reduction.
static const struct {
    clnd_strategy strategy;
    bool deterministic;
    bool unique;
} ways[] = {
    {CLND_STRATEGY_AUTO, false, false},   {CLND_STRATEGY_AUTO, true, false},
    {CLND_STRATEGY_OWNER, false, false},  {CLND_STRATEGY_OWNER, true, false},
    {CLND_STRATEGY_ATOMIC, false, false}, {CLND_STRATEGY_ATOMIC, true, false},
    {CLND_STRATEGY_STORE, false, false},  {CLND_STRATEGY_STORE, false, true},
    {CLND_STRATEGY_STORE, true, true},    {CLND_STRATEGY_AUTO, false, true},
    {CLND_STRATEGY_SORT, false, false},   {CLND_STRATEGY_SORT, true, false},
};
enum { N_WAYS = sizeof ways / sizeof *ways };

// Every way of one reduction of these dtypes. A forced strategy that is never done is no strategy.
static void run_reduction(clnd_reduce reduce, const clnd_dtype *dtypes, const char *test)
{
    const device *d = device_get();
    int number = 0, done[N_WAYS] = {0};
    for (; *dtypes; dtypes++) {
        if (!scatter_is_defined(*dtypes, reduce))
            continue;
        for (int way = 0; way < N_WAYS; way++) {
            for (int i = 0; i < case_count(5); i++) {
                scatter_case c = scatter_small;
                case_begin(test, number++);
                c.dtype = *dtypes;
                c.reduce = reduce;
                c.strategy = ways[way].strategy;
                c.deterministic = ways[way].deterministic;
                c.unique = ways[way].unique;
                c.into = i % 3 != 0;
                c.bounds = policies[rng_range(case_rng(), 0, N_POLICIES - 1)];
                c.extent = i == 1 ? 4 : 200; // many duplicates
                c.placement = i % 2 ? PLACED_STRIDED : PLACED_DENSE;
                done[way] += scatter_run(d, &c);
            }
        }
    }
    for (int way = 0; way < N_WAYS; way++) {
        clnd_strategy strategy = ways[way].strategy;
        bool possible = true;
        if (strategy == CLND_STRATEGY_ATOMIC)
            possible = reduce != CLND_REDUCE_UPDATE;
        if (strategy == CLND_STRATEGY_STORE && !ways[way].unique)
            possible = reduce == CLND_REDUCE_UPDATE;
        cr_assert(done[way] || !possible, "strategy %d never ran", (int)strategy);
    }
}

Test(scatter_nd, update_of_every_dtype)
{
    run_reduction(CLND_REDUCE_UPDATE, values_all_dtypes, "scatter_nd update");
}

Test(scatter_nd, add_of_every_dtype)
{
    run_reduction(CLND_REDUCE_ADD, values_number_dtypes, "scatter_nd add");
}

Test(scatter_nd, sub_of_every_dtype)
{
    run_reduction(CLND_REDUCE_SUB, values_number_dtypes, "scatter_nd sub");
}

Test(scatter_nd, mul_of_every_dtype)
{
    run_reduction(CLND_REDUCE_MUL, values_number_dtypes, "scatter_nd mul");
}

Test(scatter_nd, min_of_every_dtype)
{
    run_reduction(CLND_REDUCE_MIN, values_number_dtypes, "scatter_nd min");
}

Test(scatter_nd, max_of_every_dtype)
{
    run_reduction(CLND_REDUCE_MAX, values_number_dtypes, "scatter_nd max");
}

Test(scatter_nd, every_index_dtype_and_policy)
{
    static const clnd_strategy strategies[] = {CLND_STRATEGY_AUTO, CLND_STRATEGY_OWNER,
                                               CLND_STRATEGY_ATOMIC, CLND_STRATEGY_STORE,
                                               CLND_STRATEGY_SORT};
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_index_dtypes; *dtype; dtype++) {
        for (int p = 0; p < N_POLICIES; p++) {
            for (int i = 0; i < case_count(20); i++) {
                scatter_case c = scatter_small;
                c.index_dtype = *dtype;
                c.bounds = policies[p];
                c.strategy = strategies[i % 5];
                c.reduce = i % 5 == 3 ? CLND_REDUCE_UPDATE : CLND_REDUCE_ADD;
                c.into = i % 6 != 0;
                c.extent = i % 2 ? 500 : 60;
                case_begin("scatter_nd every index dtype", number++);
                scatter_run(d, &c);
            }
        }
    }
}

static void any_reduction(scatter_case *c, rng *r)
{
    c->reduce = reductions[rng_range(r, 0, N_REDUCTIONS - 1)];
    c->deterministic = rng_chance(r, 40);
    c->into = rng_chance(r, 60);
    c->bounds = policies[rng_range(r, 0, N_POLICIES - 1)];
}

Test(scatter_nd, high_ranks)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(80); i++) {
        scatter_case c = scatter_small;
        case_begin("scatter_nd high ranks", i);
        rng *r = case_rng();
        any_reduction(&c, r);
        c.dtype = i % 2 ? CLND_INT16 : CLND_FLOAT32;
        // outer + 1, index + slice and outer + slice are at most 16
        c.n_dims[0] = (int)rng_range(r, 0, 15);
        c.n_dims[2] = (int)rng_range(r, 0, 16 - c.n_dims[0]);
        c.n_dims[1] = (int)rng_range(r, 0, 16 - c.n_dims[2]);
        c.empty = 2;
        scatter_run(d, &c);
    }
}

Test(scatter_nd, sizes_zero_in_every_position)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(120); i++) {
        scatter_case c = scatter_small;
        case_begin("scatter_nd empty", i);
        any_reduction(&c, case_rng());
        c.empty = 35;
        scatter_run(d, &c);
    }
}

// Enough work that it is spread over many work-items: rows, slices, both, and many duplicates.
Test(scatter_nd, many_rows_and_long_slices)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8,   CLND_FLOAT16, CLND_INT32,
                                        CLND_FLOAT32, CLND_INT64,   CLND_OPAQUE(12)};
    static const int64_t sizes[][3] = {
        {20000, 7, 3000}, {30, 9000, 20}, {1, 200000, 3}, {2000, 100, 500}, {20000, 3, 10}};
    const device *d = device_get();
    device_need_long_loops(d);
    for (int i = 0; i < case_count(120); i++) {
        scatter_case c = scatter_small;
        case_begin("scatter_nd large", i);
        rng *r = case_rng();
        c.large = true;
        c.dtype = dtypes[i % 6];
        c.strategy = ways[i / 6 % N_WAYS].strategy;
        c.deterministic = ways[i / 6 % N_WAYS].deterministic;
        c.unique = ways[i / 6 % N_WAYS].unique;
        c.reduce = i % 3 == 0 || values_is_opaque(c.dtype) ? CLND_REDUCE_UPDATE : CLND_REDUCE_ADD;
        c.bounds = policies[rng_range(r, 0, N_POLICIES - 1)];
        c.empty = 0;
        c.n_dims[0] = (int)rng_range(r, 1, 2);
        c.n_dims[1] = (int)rng_range(r, 1, 2);
        c.n_dims[2] = (int)rng_range(r, 1, 2);
        c.rows = sizes[i % 5][0];
        c.slice = sizes[i % 5][1];
        c.extent = sizes[i % 5][2];
        if (c.dtype == CLND_FLOAT16 && c.rows > 2000)
            c.rows = 2000; // sums are exact up to 2048
        c.placement = i % 2 ? PLACED_DENSE : PLACED_STRIDED;
        scatter_run(d, &c);
    }
}

// The environment's lanes spread STORE and ATOMIC as GPUs do, on CPUs too.
Test(scatter_nd, spread_over_lanes)
{
    const device *d = device_get();
    int number = 0;
    cases_setenv("CLND_STRATEGY", "lanes");
    for (const clnd_dtype *dtype = values_all_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(10); i++) {
            scatter_case c = scatter_small;
            case_begin("scatter_nd lanes", number++);
            c.dtype = *dtype;
            c.strategy = i % 2 ? CLND_STRATEGY_ATOMIC : CLND_STRATEGY_STORE;
            c.reduce = i % 2 ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
            if (i % 10 == 9)
                c.reduce = CLND_REDUCE_MUL;
            c.unique = i % 4 == 2;
            c.large = i % 5 == 4 && *dtype != CLND_BFLOAT16; // which counts to 256 only
            if (c.large) {
                c.rows = 500;
                c.slice = 100;
            }
            if (scatter_is_defined(*dtype, c.reduce))
                scatter_run(d, &c);
        }
    }
    cases_setenv("CLND_STRATEGY", NULL);
}

// The names replace AUTO where they can and are ignored where they cannot; nothing is refused.
Test(scatter_nd, strategy_from_environment)
{
    static const char *const names[] = {
        "lanes",       "blocks",       "store",        "atomic",       "owner",         "",
        "store,lanes", "atomic,lanes", "owner,atomic", "blocks,store", "none,, atomic", "sort"};
    const device *d = device_get();
    for (int i = 0; i < case_count(120); i++) {
        scatter_case c = scatter_small;
        case_begin("scatter_nd environment", i);
        any_reduction(&c, case_rng());
        c.dtype = i % 2 ? CLND_INT32 : CLND_FLOAT32;
        cases_setenv("CLND_STRATEGY", names[i % 12]);
        cr_assert(scatter_run(d, &c), "the environment made a call fail");
    }
    cases_setenv("CLND_STRATEGY", NULL);
}

// Under "owner" even a call that asks for no order is the serial loop: the variable has an effect.
Test(scatter_nd, owner_from_environment_is_in_row_order)
{
    const device *d = device_get();
    cases_setenv("CLND_STRATEGY", "owner");
    for (int i = 0; i < case_count(10); i++) {
        scatter_case c = scatter_small;
        case_begin("scatter_nd environment owner", i);
        c.dtype = CLND_FLOAT32;
        c.bounds = policies[i % N_POLICIES];
        c.extent = 8;
        c.in_order = true;
        scatter_run(d, &c);
    }
    cases_setenv("CLND_STRATEGY", NULL);
}
