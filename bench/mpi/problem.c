// SPDX-License-Identifier: Apache-2.0

#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distribution.h"
#include "failure.h"

void need(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "clnd-bench-mpi: %s failed: %s\n", what, failure_text());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void *take(int64_t count, size_t size)
{
    void *memory = calloc(count ? (size_t)count : 1, size);
    need(memory != NULL, "memory");
    return memory;
}

void problem_create(struct problem *p, int64_t rows, int64_t asked, const char *distribution)
{
    struct distribution how;
    struct team *team = team_create(1);
    MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
    need(rows > 0 && rows % p->ranks == 0 && rows <= UINT32_MAX, "dividing the rows evenly");
    p->rows = rows;
    p->mine = rows / p->ranks;
    p->first = p->mine * p->rank;
    p->asked = asked;
    p->drawn = take(asked * p->ranks, sizeof *p->drawn);
    p->indices = take(asked, sizeof *p->indices);
    p->table = take(p->mine, ROW_BYTES);
    p->dense = take(asked, ROW_BYTES);
    need(team && distribution_parse(distribution, &how) &&
             distribution_draw(&how, 1, team, &(struct index_space){1, &rows}, asked * p->ranks,
                               p->drawn, NULL),
         "drawing indices");
    team_destroy(team);
    for (int64_t i = 0; i < asked; i++)
        p->indices[i] = p->drawn[p->rank * asked + i];
}

void problem_free(struct problem *p)
{
    free(p->drawn);
    free(p->indices);
    free(p->table);
    free(p->dense);
}

static bool is_mine(const struct problem *p, int64_t row)
{
    return row >= p->first && row < p->first + p->mine;
}

struct traffic problem_traffic(const struct problem *p)
{
    struct traffic traffic = {0, 0};
    unsigned char *seen = take(p->rows, 1);
    for (int64_t i = 0; i < p->asked * p->ranks; i++)
        traffic.served += is_mine(p, p->drawn[i]);
    for (int64_t i = 0; i < p->asked; i++) {
        const int64_t row = p->indices[i];
        traffic.distinct += !is_mine(p, row) && !seen[row];
        seen[row] = 1;
    }
    free(seen);
    return traffic;
}

// Small integers, so that sums are exact in any order.
static double update(int64_t row, int column)
{
    return (double)(1 + (row + column) % 7);
}

void problem_fill(struct problem *p, bool scatters)
{
    for (int64_t i = 0; i < p->mine; i++)
        for (int j = 0; j < WIDTH; j++)
            p->table[i * WIDTH + j] = scatters ? 0 : (double)((p->first + i) * WIDTH + j);
    for (int64_t i = 0; i < p->asked; i++)
        for (int j = 0; j < WIDTH; j++)
            p->dense[i * WIDTH + j] = scatters ? update(p->rank * p->asked + i, j) : -1;
}

static bool gathered(const struct problem *p)
{
    for (int64_t i = 0; i < p->asked; i++)
        for (int j = 0; j < WIDTH; j++)
            if (p->dense[i * WIDTH + j] != (double)(p->indices[i] * WIDTH + j))
                return false;
    return true;
}

static bool summed(const struct problem *p)
{
    double *expected = take(p->mine, ROW_BYTES);
    for (int64_t i = 0; i < p->asked * p->ranks; i++)
        if (is_mine(p, p->drawn[i]))
            for (int j = 0; j < WIDTH; j++)
                expected[(p->drawn[i] - p->first) * WIDTH + j] += update(i, j);
    const bool same = memcmp(expected, p->table, (size_t)p->mine * ROW_BYTES) == 0;
    free(expected);
    return same;
}

bool problem_holds(const struct problem *p, bool scatters)
{
    return scatters ? summed(p) : gathered(p);
}
