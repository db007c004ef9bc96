// SPDX-License-Identifier: Apache-2.0
//
// Which row of the data each index row names. docs/benchmarking.md defines the distributions.

#ifndef CLND_BENCH_DISTRIBUTION_H
#define CLND_BENCH_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "team.h"

enum distribution_kind {
    DIST_UNIFORM,
    DIST_SORTED,
    DIST_ZIPF,  // parameter: the exponent
    DIST_POWER, // parameter: the exponent of u
    DIST_HOT,   // parameter: the share of row 0
    DIST_UNIQUE,
    DIST_PAGED,     // parameter: rows of a page
    DIST_CLUSTERED, // on a grid 432 wide
    DIST_JITTER,
    DIST_PIC,
    DIST_PIC_SORTED,
    DIST_PATTERN, // Spatter: row i, column j is pattern[j] + delta * i
};

struct distribution {
    enum distribution_kind kind;
    double parameter;
    int64_t *pattern; // DIST_PATTERN: `length` numbers, owned by the case
    int64_t length;
    int64_t delta;
};

// What the index rows select from: the sizes that a tuple of `depth` index values indexes.
struct index_space {
    int depth;
    const int64_t *extents;
};

// Reads "zipf:1.05", "uniform", ...; also the names of the table of cases (hot-50, skew-90,
// paged-16, uniform-3, jitter-3). False after fail().
bool distribution_parse(const char *text, struct distribution *distribution);

// The text that distribution_parse reads.
void distribution_text(const struct distribution *distribution, char text[32]);

// Whether neighbouring index rows name places that are far apart, so that the device's rate of
// random accesses is a limit.
bool distribution_is_random(const struct distribution *distribution);

// Whether no two index rows are equal.
bool distribution_is_unique(const struct distribution *distribution);

// Draws `n` rows, each the row-major number of a place in the space. `weights`, for DIST_PIC and
// DIST_PIC_SORTED, receives the weights of the corners; it may be NULL. False after fail().
bool distribution_draw(const struct distribution *distribution, uint64_t seed, struct team *team,
                       const struct index_space *space, int64_t n, uint32_t *rows, float *weights);

#endif
