// SPDX-License-Identifier: Apache-2.0
//
// Random numbers for tests (splitmix64). The same on every machine for the same seed.

#ifndef SUPPORT_RNG_H
#define SUPPORT_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

// The seed of this run: CLND_TEST_SEED, else a fixed number.
uint64_t rng_base_seed(void);

// The generator of case `number` of the test `label` in this run.
rng rng_for(const char *label, int number);

// The same for any seed.
rng rng_of(uint64_t seed, const char *label, uint64_t number);

uint64_t rng_u64(rng *r);
int64_t rng_range(rng *r, int64_t low, int64_t high); // low <= result <= high
bool rng_chance(rng *r, int percent);

#endif
