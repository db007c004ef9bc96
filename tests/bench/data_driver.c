// SPDX-License-Identifier: Apache-2.0
//
// Prints the rows that a distribution draws, one a line, with the weights of particles.
//
//     data-driver DISTRIBUTION SEED ROWS EXTENT...

#include <stdio.h>
#include <stdlib.h>

#include "clnd/dtype.h"
#include "distribution.h"
#include "failure.h"

enum { FIRST_EXTENT = 4, THREADS = 3 };

int main(int argc, char **argv)
{
    struct distribution distribution;
    int64_t extents[CLND_MAX_RANK];
    if (argc <= FIRST_EXTENT || argc > FIRST_EXTENT + CLND_MAX_RANK)
        return 2;
    const struct index_space space = {argc - FIRST_EXTENT, extents};
    for (int i = FIRST_EXTENT; i < argc; ++i)
        extents[i - FIRST_EXTENT] = atoll(argv[i]);
    const int64_t n = atoll(argv[3]);
    uint32_t *rows = calloc((size_t)n, sizeof *rows);
    float *weights = calloc((size_t)n, sizeof *weights);
    struct team *team = team_create(THREADS);
    const bool good =
        rows && weights && team && distribution_parse(argv[1], &distribution) &&
        distribution_draw(&distribution, (uint64_t)atoll(argv[2]), team, &space, n, rows, weights);
    if (!good)
        fprintf(stderr, "%s\n", failure_text());
    for (int64_t i = 0; good && i < n; ++i)
        printf("%u %.9g\n", rows[i], (double)weights[i]);
    team_destroy(team);
    free(rows);
    free(weights);
    return good ? 0 : 1;
}
