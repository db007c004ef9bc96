// SPDX-License-Identifier: Apache-2.0

#include "menu.h"

#include <string.h>

#include "check.h"
#include "device.h"
#include "values.h"

const char *const strategy_names[N_STRATEGIES] = {
    "none",   "lanes", "blocks", "tiles",   "buffer", "store",
    "atomic", "owner", "outer",  "buckets", "sort",   "private",
};

strategy_id strategy_of_plan(const clnd_plan *plan)
{
    int s = BY_NONE;
    while (s < N_STRATEGIES && strcmp(plan->strategy, strategy_names[s]) != 0)
        s++;
    check(s < N_STRATEGIES, "'%s' is no strategy", plan->strategy);
    return (strategy_id)s;
}

strategy_id strategy_in(const char *words)
{
    for (int s = BY_STORE; s < N_STRATEGIES; s++)
        if (device_lists(words, strategy_names[s]))
            return (strategy_id)s;
    return BY_NONE;
}

// A new strategy is one line. Ways of one strategy are neighbours.
const char *const ways[] = {
    "",
    "lanes",
    "blocks",
    "rows,stream,blocks",
    "rows,long,blocks",
    "rows,lanes",
    "rows,long,lanes",
    "rows,tiles,lanes",
    "tiles,lanes",
    "store,lanes",
    "store,rows,lanes",
    "store,blocks",
    "atomic,lanes",
    "atomic,blocks",
    "atomic,cas,lanes",
    "atomic,exchange,packs,lanes",
    "atomic,exchange,blocks",
    "atomic,aggregate,lanes",
    "atomic,sample,lanes",
    "owner",
    "owner,rows",
    "owner,rows,long",
    "outer,rows",
    "buckets",
    "buckets,long",
    "sort,lanes",
    "sort,blocks",
    "private,lanes",
    "private,blocks",
    "private,rows,long,blocks",
};
const int n_ways = sizeof ways / sizeof *ways;

// Number `i` of a walk over `count` things that passes all of them before the first comes again.
static uint64_t walk(uint64_t seed, const char *label, uint64_t i, uint64_t count)
{
    rng r = rng_of(seed, label, 0);
    uint64_t first = rng_u64(&r) % count, step, a, b;
    do {
        step = 1 + rng_u64(&r) % count;
        for (a = step, b = count; b;) { // until they have no common divisor
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
    } while (a != 1);
    return (first + i % count * step) % count;
}

// The pair of this number, or how many there are.
static uint64_t find_pair(uint64_t number, clnd_dtype *dtype, clnd_reduce *reduce)
{
    uint64_t count = 0;
    for (const clnd_dtype *d = values_number_dtypes; *d; d++) {
        for (int r = CLND_REDUCE_ADD; r <= CLND_REDUCE_MAX; r++) {
            if (!values_can_reduce(*d, (clnd_reduce)r))
                continue;
            if (count == number) {
                *dtype = *d;
                *reduce = (clnd_reduce)r;
            }
            count++;
        }
    }
    return count;
}

uint64_t menu_problems = MENU_PROBLEMS;

menu menu_of(uint64_t seed, uint64_t block)
{
    static const clnd_dtype index_dtypes[] = {CLND_INT32, CLND_INT64, 0};
    menu m;
    uint64_t n_pairs = find_pair(UINT64_MAX, NULL, NULL);
    for (uint64_t i = 0; i < MENU_WAYS; i++)
        m.ways[i] = (int)walk(seed, "ways", block * MENU_WAYS + i, (uint64_t)n_ways);
    find_pair(walk(seed, "pairs", block, n_pairs), &m.dtype, &m.reduce);
    // independent of how the ways and pairs take turns
    rng r = rng_of(seed, "menu", block);
    m.index_dtype = index_dtypes[rng_range(&r, 0, 2)];
    m.high_ranks = rng_chance(&r, 15);
    m.reports = rng_chance(&r, 12);
    return m;
}
