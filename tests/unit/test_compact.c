// SPDX-License-Identifier: Apache-2.0
//
// Copies of a scatter's target without gaps: every element that a row can address has a place of
// its own there, in the order of addresses, and comes back from it.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "host/shape/compact.h"
#include "problems.h"

enum { MAX_ELEMENTS = 4096, SIZE = 8 };

// All places in data that `row` can address: its elements, shifted by every tuple of good indices.
static int all_places(const clnd__problem *p, int64_t row, pair *places)
{
    static pair elements[MAX_SLICE];
    int64_t index, tuple[CLND_MAX_RANK] = {0};
    const int n = problem_row(p, row, &index, elements);
    int count = 0;
    for (;;) {
        int64_t shift = 0;
        int k = 0;
        for (int j = 0; j < p->n_coordinates; ++j)
            shift += tuple[j] * p->coordinates[j].stride;
        for (int e = 0; e < n && count < MAX_ELEMENTS; ++e)
            places[count++] = (pair){elements[e].data + shift, elements[e].dense};
        while (k < p->n_coordinates && ++tuple[k] == p->coordinates[k].extent)
            tuple[k++] = 0;
        if (k == p->n_coordinates)
            return count;
    }
}

// data of the target, dense of a copy: the slice axes of a merge, element by element.
static int merged_places(const clnd__problem *merge, pair *pairs)
{
    int64_t at[CLND_MAX_RANK] = {0};
    for (int count = 0;;) {
        pair place = {merge->data_offset, merge->dense_offset};
        int i = 0;
        for (int j = 0; j < merge->n_slice; ++j) {
            place.data += at[j] * merge->slice[j].data;
            place.dense += at[j] * merge->slice[j].dense;
        }
        check(count < MAX_ELEMENTS, "more elements than the target");
        pairs[count++] = place;
        while (i < merge->n_slice && ++at[i] == merge->slice[i].size)
            at[i++] = 0;
        if (i == merge->n_slice)
            return count;
    }
}

// A scatter whose target is an array of its own: dimensions nested in one another in any order,
// with gaps and backwards, each one an outer axis, a coordinate or a slice axis.
static void random_scatter(rng *r, clnd__problem *p)
{
    const clnd__view data = {.dtype = CLND_INT32}, indices = {.dtype = CLND_INT32};
    clnd__problem_begin(p, &data, &data, &indices);
    int64_t stride = 4, dense = 4;
    const int rank = (int)rng_range(r, 1, 5);
    for (int i = 0; i < rank; ++i) {
        const int64_t size = rng_range(r, 1, i < 3 ? 4 : 1 + (dense < 32)); // MAX_SLICE
        const int64_t signed_stride = rng_chance(r, 30) ? -stride : stride;
        const int role = (int)rng_range(r, 0, 3);
        if (signed_stride < 0)
            p->data_offset += (size - 1) * stride;
        if (role == 0)
            clnd__problem_add_outer(p, size, signed_stride, dense, 4);
        else if (role == 1)
            clnd__problem_add_slice(p, size, signed_stride, dense);
        else
            clnd__problem_add_coordinate(p, size, signed_stride);
        if (role < 2)
            dense *= size;
        stride = stride * size + 4 * rng_range(r, 0, rng_chance(r, 50) ? 0 : 3);
    }
    if (rng_chance(r, 50)) // rows that all meet
        clnd__problem_add_outer(p, rng_range(r, 1, 3), 0, dense, 4);
    p->data_offset += 4 * rng_range(r, 0, 20);
    p->index_step = 4;
    clnd__problem_fold(p);
}

static int64_t find(int n, const pair *pairs, int64_t dense)
{
    for (int i = 0; i < n; ++i)
        if (pairs[i].dense == dense)
            return pairs[i].data;
    return -1;
}

Test(compact, every_element_has_a_place_of_its_own)
{
    static pair wanted[MAX_ELEMENTS], got[MAX_ELEMENTS], pairs[MAX_ELEMENTS];
    int gaps = 0, backwards = 0;
    const int cases = case_count(6500);
    for (int i = 0; i < cases; ++i) {
        clnd__problem p, fill, merge;
        int64_t count;
        case_begin("compact", i);
        random_scatter(case_rng(), &p);
        case_note("%s", problem_text(&p));
        check(clnd__problem_compact(&p, SIZE, &fill, &merge, &count), "does not fit");
        const int64_t rows = clnd__problem_rows(&p);
        check(clnd__problem_rows(&fill) == rows, "other rows");
        const int n = merged_places(&merge, pairs);
        check(n == count, "%d places for %" PRId64 " elements", n, count);
        sort_pairs(n, pairs);
        for (int e = 0; e < n; ++e)
            check(pairs[e].dense == (int64_t)e * SIZE, "place %d of the copy lies at %" PRId64, e,
                  pairs[e].dense);
        for (int64_t row = 0; row < rows; ++row) {
            const int m = all_places(&p, row, wanted);
            check(all_places(&fill, row, got) == m, "row %" PRId64 " has other elements", row);
            for (int e = 0; e < m; ++e)
                check(find(n, pairs, got[e].data) == wanted[e].data &&
                          got[e].dense == wanted[e].dense,
                      "row %" PRId64 " goes to byte %" PRId64 " of a copy, which is byte %" PRId64
                      " of the target, not %" PRId64,
                      row, got[e].data, find(n, pairs, got[e].data), wanted[e].data);
        }
        clnd__problem_fold(&merge);
        gaps += merge.n_slice > 1;
        for (int s = 0; s < p.n_slice; ++s)
            backwards += p.slice[s].data < 0;
        for (int k = 0; k < p.n_coordinates; ++k)
            backwards += p.coordinates[k].stride < 0;
    }
    check(gaps > cases / 20 && backwards > cases / 20, "%d with gaps, %d backwards", gaps,
          backwards);
}

Test(compact, sizes_beyond_64_bits)
{
    const clnd__view view = {.dtype = CLND_INT8}, indices = {.dtype = CLND_INT32};
    clnd__problem p, fill, merge;
    int64_t count;
    clnd__problem_begin(&p, &view, &view, &indices);
    clnd__problem_add_outer(&p, 3, 0, 1, 4);
    clnd__problem_add_coordinate(&p, INT64_MAX / 4, 1);
    check(clnd__problem_compact(&p, 4, &fill, &merge, &count), "as many as can be");
    check(count == INT64_MAX / 4, "%" PRId64, count);
    check(!clnd__problem_compact(&p, 8, &fill, &merge, &count), "twice as many");
}
