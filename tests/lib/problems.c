// SPDX-License-Identifier: Apache-2.0

#include "problems.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_pairs(const void *left, const void *right)
{
    const pair *a = left, *b = right;
    if (a->data != b->data)
        return a->data < b->data ? -1 : 1;
    return (a->dense > b->dense) - (a->dense < b->dense);
}

void sort_pairs(int n, pair *pairs)
{
    qsort(pairs, (size_t)n, sizeof *pairs, compare_pairs);
}

// Lays dimensions out from the smallest stride up, in row-major or in any order.
static void random_strides(rng *r, int n, const int64_t *sizes, int64_t element, int64_t *strides)
{
    int order[2 * CLND_MAX_RANK];
    const bool permuted = rng_chance(r, 35), padded = rng_chance(r, 35);
    const int reversed = rng_chance(r, 30) ? (rng_chance(r, 50) ? 100 : 40) : 0;
    const int broadcast = rng_chance(r, 15) ? 40 : 0;
    for (int d = 0; d < n; ++d)
        order[d] = d;
    for (int d = n - 1; permuted && d > 0; --d) {
        const int other = (int)rng_range(r, 0, d), kept = order[d];
        order[d] = order[other];
        order[other] = kept;
    }
    int64_t step = element;
    for (int i = n - 1; i >= 0; --i) {
        const int d = order[i];
        if (padded && rng_chance(r, 40))
            step += element * rng_range(r, 1, 4);
        strides[d] = rng_chance(r, reversed) ? -step : step;
        step *= sizes[d];
        if (rng_chance(r, broadcast))
            strides[d] = 0;
    }
}

static void random_sizes(rng *r, int n, int64_t most, int64_t *sizes)
{
    int64_t count = 1;
    const int64_t high = n > 4 ? 2 : 5;
    for (int d = 0; d < n; ++d) {
        sizes[d] = rng_range(r, 1, high);
        if (count * sizes[d] > most)
            sizes[d] = 1;
        count *= sizes[d];
    }
}

void random_problem(rng *r, clnd__problem *problem)
{
    static const clnd_dtype dtypes[] = {CLND_INT8,    CLND_INT16,      CLND_OPAQUE(3),
                                        CLND_FLOAT32, CLND_OPAQUE(6),  CLND_FLOAT64,
                                        CLND_FLOAT32, CLND_OPAQUE(24), CLND_COMPLEX128};
    const bool high = rng_chance(r, 4);
    const clnd_dtype dtype = dtypes[rng_range(r, 0, 8)];
    const int64_t size = (int64_t)clnd_dtype_size(dtype);
    const int n_outer = high ? (int)rng_range(r, 0, 15) : (int)rng_range(r, 0, 4);
    const int n_slice = high ? CLND_MAX_RANK - n_outer : (int)rng_range(r, 0, 4);
    const int n_batch = rng_chance(r, 60) ? 0 : (int)rng_range(r, 0, n_outer);
    const int n_coordinates = (int)rng_range(r, 0, high ? CLND_MAX_RANK : 3);
    const clnd_dtype index_dtype = rng_chance(r, 50) ? CLND_INT32 : CLND_INT64;

    // data [batch, coordinates, slice], dense [outer, slice], indices [outer, tuple]
    int64_t outer[CLND_MAX_RANK], slice[CLND_MAX_RANK], sizes[3 * CLND_MAX_RANK];
    int64_t data[3 * CLND_MAX_RANK], dense[2 * CLND_MAX_RANK], index[CLND_MAX_RANK + 1];
    random_sizes(r, n_outer, MAX_ROWS, outer);
    random_sizes(r, n_slice, MAX_SLICE, slice);
    memcpy(sizes, outer, (size_t)n_outer * sizeof *outer);
    memcpy(sizes + n_outer, slice, (size_t)n_slice * sizeof *slice);
    random_strides(r, n_outer + n_slice, sizes, size, dense);
    sizes[n_outer] = n_coordinates ? n_coordinates : 1;
    random_strides(r, n_outer + 1, sizes, (int64_t)clnd_dtype_size(index_dtype), index);
    random_sizes(r, n_coordinates, 300, sizes + n_batch);
    memcpy(sizes + n_batch + n_coordinates, slice, (size_t)n_slice * sizeof *slice);
    random_strides(r, n_batch + n_coordinates + n_slice, sizes, size, data);

    const int64_t grain = rng_chance(r, 50) ? 16 : size;
    const clnd__view data_view = {.dtype = dtype, .offset = (uint64_t)(grain * rng_range(r, 0, 9))};
    const clnd__view dense_view = {.dtype = dtype,
                                   .offset = (uint64_t)(grain * rng_range(r, 0, 9))};
    const clnd__view index_view = {.dtype = index_dtype, .offset = (uint64_t)rng_range(r, 0, 99)};
    clnd__problem_begin(problem, &data_view, &dense_view, n_coordinates ? &index_view : NULL);
    for (int d = 0; d < n_outer; ++d)
        clnd__problem_add_outer(problem, outer[d], d < n_batch ? data[d] : 0, dense[d], index[d]);
    for (int k = 0; k < n_coordinates; ++k)
        clnd__problem_add_coordinate(problem, sizes[n_batch + k], data[n_batch + k]);
    for (int s = 0; s < n_slice; ++s)
        clnd__problem_add_slice(problem, slice[s], data[n_batch + n_coordinates + s],
                                dense[n_outer + s]);
    problem->index_step = n_coordinates ? index[n_outer] : 0;
}

int64_t random_place(rng *r, const clnd__problem *problem)
{
    int64_t at = problem->data_offset;
    for (int i = 0; i < problem->n_outer; ++i)
        at += rng_range(r, 0, problem->outer[i].size - 1) * problem->outer[i].data;
    for (int k = 0; k < problem->n_coordinates; ++k)
        at += rng_range(r, 0, problem->coordinates[k].extent - 1) * problem->coordinates[k].stride;
    return at;
}

static void walk_slice(const clnd__problem *problem, int s, pair at, int *n, pair *pairs)
{
    if (s == problem->n_slice) {
        pairs[(*n)++] = at;
        return;
    }
    const clnd__axis *axis = &problem->slice[s];
    for (int64_t i = 0; i < axis->size; ++i) {
        const pair next = {at.data + i * axis->data, at.dense + i * axis->dense};
        walk_slice(problem, s + 1, next, n, pairs);
    }
}

int problem_row(const clnd__problem *problem, int64_t row, int64_t *index, pair *pairs)
{
    pair at = {problem->data_offset, problem->dense_offset};
    *index = problem->index_offset;
    for (int d = problem->n_outer - 1; d >= 0; --d) {
        const clnd__axis *axis = &problem->outer[d];
        const int64_t i = row % axis->size;
        at.data += i * axis->data;
        at.dense += i * axis->dense;
        *index += i * axis->index;
        row /= axis->size;
    }
    int n = 0;
    walk_slice(problem, 0, at, &n, pairs);
    sort_pairs(n, pairs);
    return n;
}

const char *problem_text(const clnd__problem *problem)
{
    static char text[4096];
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < problem->n_outer; ++i)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "o%" PRId64 "(%" PRId64 ",%" PRId64 ",%" PRId64 ") ",
                                   problem->outer[i].size, problem->outer[i].data,
                                   problem->outer[i].dense, problem->outer[i].index);
    for (int i = 0; i < problem->n_slice; ++i)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "s%" PRId64 "(%" PRId64 ",%" PRId64 ") ", problem->slice[i].size,
                                   problem->slice[i].data, problem->slice[i].dense);
    for (int i = 0; i < problem->n_coordinates; ++i)
        length += (size_t)snprintf(text + length, sizeof text - length, "k%" PRId64 "*%" PRId64 " ",
                                   problem->coordinates[i].extent, problem->coordinates[i].stride);
    snprintf(text + length, sizeof text - length, "@%" PRId64 ",%" PRId64 ",%" PRId64,
             problem->data_offset, problem->dense_offset, problem->index_offset);
    return text;
}
