// SPDX-License-Identifier: Apache-2.0

#include "distribution.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clnd/dtype.h"
#include "failure.h"
#include "random.h"
#include "sort.h"

enum { GRAIN = 4096, GRID_WIDTH = 432, CLUSTERS = 512, CLUSTER_RADIUS = 12, CORNERS = 8 };

static const struct {
    const char *name;
    enum distribution_kind kind;
    double parameter; // when none is given
    double lowest, highest;
} names[] = {
    // The first of a kind is how it is shown.
    {"uniform", DIST_UNIFORM, 0, 0, 0},   {"uniform-3", DIST_UNIFORM, 0, 0, 0},
    {"sorted", DIST_SORTED, 0, 0, 0},     {"zipf", DIST_ZIPF, 1.05, 0.01, 10},
    {"power", DIST_POWER, 3, 1, 100},     {"hot", DIST_HOT, 0.5, 0, 1},
    {"hot-50", DIST_HOT, 0.5, 0.5, 0.5},  {"skew-90", DIST_HOT, 0.9, 0.9, 0.9},
    {"unique", DIST_UNIQUE, 0, 0, 0},     {"paged", DIST_PAGED, 16, 1, 1 << 20},
    {"paged-16", DIST_PAGED, 16, 16, 16}, {"clustered", DIST_CLUSTERED, 0, 0, 0},
    {"jitter", DIST_JITTER, 0, 0, 0},     {"jitter-3", DIST_JITTER, 0, 0, 0},
    {"pic-unsorted", DIST_PIC, 0, 0, 0},  {"pic-sorted", DIST_PIC_SORTED, 0, 0, 0},
};

enum { N_NAMES = sizeof names / sizeof *names };

bool distribution_parse(const char *text, struct distribution *distribution)
{
    const size_t length = strcspn(text, ":");
    memset(distribution, 0, sizeof *distribution);
    int i = 0;
    while (i < N_NAMES &&
           (strlen(names[i].name) != length || strncmp(text, names[i].name, length) != 0))
        ++i;
    if (i == N_NAMES)
        return fail("--dist takes uniform, sorted, zipf[:S], power[:E], hot[:SHARE], unique, "
                    "paged[:ROWS], clustered, jitter, pic-unsorted or pic-sorted, not '%s'",
                    text);
    distribution->kind = names[i].kind;
    distribution->parameter = names[i].parameter;
    if (!text[length])
        return true;
    char *end;
    errno = 0;
    const double value = strtod(text + length + 1, &end);
    if (errno || *end || end == text + length + 1 ||
        !(value >= names[i].lowest && value <= names[i].highest))
        return fail("--dist %s takes a number from %g to %g behind the colon, not '%s'",
                    names[i].name, names[i].lowest, names[i].highest, text + length + 1);
    distribution->parameter = value;
    return true;
}

void distribution_text(const struct distribution *distribution, char text[32])
{
    int i = 0;
    while (i < N_NAMES && names[i].kind != distribution->kind)
        ++i;
    if (i == N_NAMES)
        snprintf(text, 32, "pattern");
    else if (names[i].lowest < names[i].highest)
        snprintf(text, 32, "%s:%g", names[i].name, distribution->parameter);
    else
        snprintf(text, 32, "%s", names[i].name);
}

bool distribution_is_random(const struct distribution *distribution)
{
    switch (distribution->kind) {
    case DIST_UNIFORM:
    case DIST_ZIPF:
    case DIST_POWER:
    case DIST_HOT:
    case DIST_UNIQUE:
        return true;
    default:
        return false;
    }
}

bool distribution_is_unique(const struct distribution *distribution)
{
    return distribution->kind == DIST_UNIQUE || distribution->kind == DIST_PAGED;
}

// One drawing, as the threads see it.
struct drawing {
    const struct distribution *distribution;
    uint64_t seed;
    const struct index_space *space;
    int64_t n;
    uint32_t places; // rows in the space
    uint32_t *rows;
    float *weights;
    uint32_t *permutation; // perm(m), NULL where none is needed
    double *cumulated;     // zipf: weight of the ranks up to this one
    uint32_t *order;       // pic-sorted: the particles in the order of their cells
};

static uint64_t stream_of(const struct drawing *d, uint64_t number)
{
    return random_stream(d->seed, number);
}

static void draw_uniform(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    for (int64_t i = begin; i < end; ++i) {
        uint64_t row = 0;
        for (int k = 0; k < d->space->depth; ++k) {
            const uint32_t extent = (uint32_t)d->space->extents[k];
            row = row * extent + random_below(stream_of(d, (uint64_t)k + 1), (uint64_t)i, extent);
        }
        d->rows[i] = (uint32_t)row;
    }
}

static void draw_zipf(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    const uint64_t stream = stream_of(d, 1);
    for (int64_t i = begin; i < end; ++i) {
        const double place = random_unit(stream, (uint64_t)i) * d->cumulated[d->places - 1];
        uint32_t low = 0, high = d->places - 1; // the first rank whose sum exceeds `place`
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (d->cumulated[middle] > place)
                high = middle;
            else
                low = middle + 1;
        }
        d->rows[i] = d->permutation[low];
    }
}

static void draw_power(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    const uint64_t stream = stream_of(d, 1);
    for (int64_t i = begin; i < end; ++i) {
        const double u = random_unit(stream, (uint64_t)i);
        const double rank = floor(d->places * pow(u, d->distribution->parameter));
        d->rows[i] = d->permutation[rank < d->places ? (uint32_t)rank : d->places - 1];
    }
}

static void draw_hot(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    const uint64_t hot = stream_of(d, 3), stream = stream_of(d, 1);
    for (int64_t i = begin; i < end; ++i)
        d->rows[i] = random_unit(hot, (uint64_t)i) < d->distribution->parameter
                         ? 0
                         : random_below(stream, (uint64_t)i, d->places);
}

static void draw_unique(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    memcpy(d->rows + begin, d->permutation + begin, (size_t)(end - begin) * sizeof *d->rows);
}

static void draw_paged(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    const uint32_t page = (uint32_t)d->distribution->parameter;
    for (int64_t i = begin; i < end; ++i)
        d->rows[i] = page * d->permutation[i / page] + (uint32_t)(i % page);
}

static int64_t clamp(int64_t value, int64_t size)
{
    return value < 0 ? 0 : value >= size ? size - 1 : value;
}

static void draw_clustered(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    const int64_t sizes[2] = {d->places / GRID_WIDTH, GRID_WIDTH};
    for (int64_t i = begin; i < end; ++i) {
        const uint64_t cluster = (uint64_t)(CLUSTERS * i / d->n), number = (uint64_t)i;
        int64_t place[2];
        for (int k = 0; k < 2; ++k) {
            const uint64_t first = 4 + 3 * (uint64_t)k; // streams 4, 5, 6 and 7, 8, 9
            const double step = random_unit(stream_of(d, first + 1), number) +
                                random_unit(stream_of(d, first + 2), number) - 1;
            place[k] = clamp(random_below(stream_of(d, first), cluster, (uint32_t)sizes[k]) +
                                 (int64_t)floor((double)CLUSTER_RADIUS * step),
                             sizes[k]);
        }
        d->rows[i] = (uint32_t)(place[0] * GRID_WIDTH + place[1]);
    }
}

static void draw_jitter(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    const int64_t step = d->places / d->n, *extents = d->space->extents;
    for (int64_t i = begin; i < end; ++i) {
        int64_t rest = i * step, place[CLND_MAX_RANK], row = 0;
        for (int k = d->space->depth - 1; k >= 0; --k) {
            place[k] = rest % extents[k];
            rest /= extents[k];
        }
        for (int k = 0; k < d->space->depth; ++k) {
            const int64_t jitter =
                (int64_t)random_below(stream_of(d, (uint64_t)k + 1), (uint64_t)i, 9) - 4;
            row = row * extents[k] + clamp(place[k] + jitter, extents[k]);
        }
        d->rows[i] = (uint32_t)row;
    }
}

// The lowest corner of a particle's cell, and how far into the cell it is.
static void particle(const struct drawing *d, uint64_t number, int64_t cell[3], double part[3])
{
    for (int k = 0; k < 3; ++k) {
        const int64_t extent = d->space->extents[k];
        const double place =
            random_unit(stream_of(d, (uint64_t)k + 1), number) * (double)(extent - 1);
        cell[k] = (int64_t)place < extent - 2 ? (int64_t)place : extent - 2;
        part[k] = place - (double)cell[k];
    }
}

static uint32_t row_of(const struct drawing *d, const int64_t place[3])
{
    const int64_t *extents = d->space->extents;
    return (uint32_t)((place[0] * extents[1] + place[1]) * extents[2] + place[2]);
}

static void draw_particles(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    for (int64_t p = begin; p < end; ++p) {
        int64_t cell[3];
        double part[3];
        particle(d, d->order ? d->order[p] : (uint64_t)p, cell, part);
        for (int corner = 0; corner < CORNERS && p * CORNERS + corner < d->n; ++corner) {
            double weight = 1;
            int64_t place[3];
            for (int k = 0; k < 3; ++k) {
                const int step = corner >> (2 - k) & 1;
                place[k] = cell[k] + step;
                weight *= step ? part[k] : 1 - part[k];
            }
            d->rows[p * CORNERS + corner] = row_of(d, place);
            if (d->weights)
                d->weights[p * CORNERS + corner] = (float)weight;
        }
    }
}

static void draw_pattern(void *context, int64_t begin, int64_t end)
{
    const struct drawing *d = context;
    const struct distribution *pattern = d->distribution;
    for (int64_t i = begin; i < end; ++i)
        d->rows[i] = (uint32_t)(pattern->pattern[i % pattern->length] +
                                pattern->delta * (i / pattern->length));
}

// Rows 0 to m-1 in ascending order of number `row` of stream 2.
static uint32_t *permute(const struct drawing *d, uint32_t m)
{
    const uint64_t stream = stream_of(d, 2);
    struct sort_item *items = malloc((m ? m : 1) * sizeof *items);
    uint32_t *permutation = malloc((m ? m : 1) * sizeof *permutation);
    bool good = items && permutation;
    if (good) {
        for (uint32_t row = 0; row < m; ++row)
            items[row] = (struct sort_item){random_at(stream, row), row};
        good = sort_items(items, m);
    }
    for (uint32_t i = 0; good && i < m; ++i)
        permutation[i] = (uint32_t)items[i].value;
    free(items);
    if (good)
        return permutation;
    free(permutation);
    fail_memory("a permutation", (double)m * 2 * sizeof *items);
    return NULL;
}

static double *cumulate(const struct drawing *d)
{
    double *sums = malloc(d->places * sizeof *sums), sum = 0;
    if (!sums) {
        fail_memory("the weights of a Zipf distribution", (double)d->places * sizeof *sums);
        return NULL;
    }
    for (uint32_t k = 0; k < d->places; ++k)
        sums[k] = sum += pow(k + 1.0, -d->distribution->parameter);
    return sums;
}

static bool sort_rows(const struct drawing *d)
{
    struct sort_item *items = malloc((size_t)d->n * sizeof *items);
    bool good = items != NULL;
    for (int64_t i = 0; good && i < d->n; ++i)
        items[i].key = d->rows[i];
    good = good && sort_items(items, d->n);
    for (int64_t i = 0; good && i < d->n; ++i)
        d->rows[i] = (uint32_t)items[i].key;
    free(items);
    return good || fail_memory("sorted indices", (double)d->n * 2 * sizeof *items);
}

// The particles in the order of their cells.
static uint32_t *sort_particles(const struct drawing *d, int64_t n)
{
    struct sort_item *items = malloc((size_t)n * sizeof *items);
    uint32_t *order = malloc((size_t)n * sizeof *order);
    bool good = items && order;
    for (int64_t p = 0; good && p < n; ++p) {
        int64_t cell[3];
        double part[3];
        particle(d, (uint64_t)p, cell, part);
        items[p] = (struct sort_item){row_of(d, cell), (uint64_t)p};
    }
    good = good && sort_items(items, n);
    for (int64_t p = 0; good && p < n; ++p)
        order[p] = (uint32_t)items[p].value;
    free(items);
    if (good)
        return order;
    free(order);
    fail_memory("sorted particles", (double)n * 2 * sizeof *items);
    return NULL;
}

// Whether the distribution can be drawn from the space.
static bool check(const struct drawing *d)
{
    const double parameter = d->distribution->parameter;
    switch (d->distribution->kind) {
    case DIST_UNIQUE:
        if (d->n > d->places)
            return fail("%lld unique rows cannot be drawn from %u", (long long)d->n, d->places);
        return true;
    case DIST_PAGED:
        if (parameter != floor(parameter) || d->places % (uint32_t)parameter || d->n > d->places)
            return fail("pages of %g rows take a whole number of pages, and no more index rows "
                        "than rows: %lld from %u",
                        parameter, (long long)d->n, d->places);
        return true;
    case DIST_CLUSTERED:
        if (d->places % GRID_WIDTH)
            return fail("clusters take a multiple of %d rows, not %u", GRID_WIDTH, d->places);
        return true;
    case DIST_PIC:
    case DIST_PIC_SORTED:
        if (d->space->depth != 3 || d->n % CORNERS)
            return fail("particles take indices of 3 values, in multiples of %d rows", CORNERS);
        for (int k = 0; k < 3; ++k)
            if (d->space->extents[k] < 2)
                return fail("particles take a grid of at least 2 cells in each direction");
        return true;
    case DIST_JITTER:
        if (d->n > d->places)
            return fail("a walk of %lld steps does not fit into %u rows", (long long)d->n,
                        d->places);
        return true;
    default:
        return true;
    }
}

static bool prepare(struct drawing *d)
{
    switch (d->distribution->kind) {
    case DIST_ZIPF:
        return (d->cumulated = cumulate(d)) && (d->permutation = permute(d, d->places));
    case DIST_POWER:
    case DIST_UNIQUE:
        return (d->permutation = permute(d, d->places));
    case DIST_PAGED:
        return (d->permutation = permute(d, d->places / (uint32_t)d->distribution->parameter));
    case DIST_PIC_SORTED:
        return (d->order = sort_particles(d, d->n / CORNERS));
    default:
        return true;
    }
}

bool distribution_draw(const struct distribution *distribution, uint64_t seed, struct team *team,
                       const struct index_space *space, int64_t n, uint32_t *rows, float *weights)
{
    static team_work *const works[] = {
        [DIST_UNIFORM] = draw_uniform,
        [DIST_SORTED] = draw_uniform,
        [DIST_ZIPF] = draw_zipf,
        [DIST_POWER] = draw_power,
        [DIST_HOT] = draw_hot,
        [DIST_UNIQUE] = draw_unique,
        [DIST_PAGED] = draw_paged,
        [DIST_CLUSTERED] = draw_clustered,
        [DIST_JITTER] = draw_jitter,
        [DIST_PIC] = draw_particles,
        [DIST_PIC_SORTED] = draw_particles,
        [DIST_PATTERN] = draw_pattern,
    };
    struct drawing d = {.distribution = distribution,
                        .seed = seed,
                        .space = space,
                        .n = n,
                        .rows = rows,
                        .weights = weights};
    double places = 1;
    for (int k = 0; k < space->depth; ++k)
        places *= (double)space->extents[k];
    if (n == 0)
        return true;
    if (places < 1 || places > UINT32_MAX)
        return fail("indices can be drawn from 1 to %u rows, not from %.0f", UINT32_MAX, places);
    d.places = (uint32_t)places;
    bool good = check(&d) && prepare(&d);
    const bool particles = distribution->kind == DIST_PIC || distribution->kind == DIST_PIC_SORTED;
    if (good)
        team_for(team, particles ? n / CORNERS : n, GRAIN, works[distribution->kind], &d);
    if (good && distribution->kind == DIST_SORTED)
        good = sort_rows(&d);
    free(d.permutation);
    free(d.cumulated);
    free(d.order);
    return good;
}
