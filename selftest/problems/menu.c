// SPDX-License-Identifier: Apache-2.0

#include "menu.h"

#include <stdio.h>

#include "values.h"

// A new strategy is one line.
const way ways[] = {
    {CLND_STRATEGY_AUTO, NULL, CLND_STRATEGY_AUTO},
    {CLND_STRATEGY_AUTO, NULL, CLND_STRATEGY_LANES},
    {CLND_STRATEGY_AUTO, NULL, CLND_STRATEGY_BLOCKS},
    {CLND_STRATEGY_AUTO, "rows,stream", CLND_STRATEGY_BLOCKS},
    {CLND_STRATEGY_AUTO, "rows", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_AUTO, "rows,long", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_AUTO, "rows,tiles", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_AUTO, "tiles", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_STORE, "store", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_STORE, "store,rows", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_STORE, "store", CLND_STRATEGY_BLOCKS},
    {CLND_STRATEGY_ATOMIC, "atomic", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_ATOMIC, "atomic", CLND_STRATEGY_BLOCKS},
    {CLND_STRATEGY_ATOMIC, "atomic,cas", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_ATOMIC, "atomic,exchange,packs", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_ATOMIC, "atomic,exchange", CLND_STRATEGY_BLOCKS},
    {CLND_STRATEGY_ATOMIC, "atomic,aggregate", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_ATOMIC, "atomic,sample", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_OWNER, "owner", CLND_STRATEGY_AUTO},
    {CLND_STRATEGY_OWNER, "owner,rows", CLND_STRATEGY_AUTO},
    {CLND_STRATEGY_BUCKETS, "buckets", CLND_STRATEGY_AUTO},
    {CLND_STRATEGY_SORT, "sort", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_SORT, "sort", CLND_STRATEGY_BLOCKS},
    {CLND_STRATEGY_PRIVATE, "private", CLND_STRATEGY_LANES},
    {CLND_STRATEGY_PRIVATE, "private", CLND_STRATEGY_BLOCKS},
};
const int n_ways = sizeof ways / sizeof *ways;

void way_text(const way *w, char text[64])
{
    const char *movement = w->movement == CLND_STRATEGY_LANES    ? "lanes"
                           : w->movement == CLND_STRATEGY_BLOCKS ? "blocks"
                                                                 : "";
    const char *word = w->word ? w->word : "";
    snprintf(text, 64, "%s%s%s", word, *word && *movement ? "," : "", movement);
}

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
        m.ways[i] = &ways[walk(seed, "ways", block * MENU_WAYS + i, (uint64_t)n_ways)];
    find_pair(walk(seed, "pairs", block, n_pairs), &m.dtype, &m.reduce);
    // independent of how the ways and pairs take turns
    rng r = rng_of(seed, "menu", block);
    m.index_dtype = index_dtypes[rng_range(&r, 0, 2)];
    m.high_ranks = rng_chance(&r, 15);
    m.reports = rng_chance(&r, 12);
    return m;
}
