// SPDX-License-Identifier: Apache-2.0

#include "rng.h"

#include <stdlib.h>

uint64_t rng_base_seed(void)
{
    const char *text = getenv("CLND_TEST_SEED");
    return text && *text ? strtoull(text, NULL, 0) : 20240607;
}

rng rng_for(const char *label, int number)
{
    return rng_of(rng_base_seed(), label, (uint64_t)number);
}

rng rng_of(uint64_t seed, const char *label, uint64_t number)
{
    uint64_t hash = 1469598103934665603u; // FNV-1a
    for (const char *c = label; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    rng r = {hash ^ seed * 0x9e3779b97f4a7c15u};
    r.state = rng_u64(&r) + number;
    r.state = rng_u64(&r);
    return r;
}

uint64_t rng_u64(rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t rng_range(rng *r, int64_t low, int64_t high)
{
    uint64_t span = (uint64_t)high - (uint64_t)low + 1;
    uint64_t value = rng_u64(r);
    return (int64_t)((uint64_t)low + (span ? value % span : value));
}

bool rng_chance(rng *r, int percent)
{
    return rng_range(r, 1, 100) <= percent;
}
