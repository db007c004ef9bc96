// SPDX-License-Identifier: Apache-2.0
//
// The problems of gather and of the elements ops pair the right places of data, dense and indices,
// also with strides of any kind, before and after folding.

#include "host/shape/axis.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "elements.h"
#include "problems.h"

// Gives the view an offset and strides: any order, gaps, backwards, now and then broadcast.
static void random_layout(rng *r, clnd__view *view, bool broadcast)
{
    int64_t step = 1;
    bool done[CLND_MAX_RANK] = {false};
    view->offset = (uint64_t)rng_range(r, 0, 9) * 8;
    for (int n = 0; n < view->rank; ++n) {
        int d = view->rank - 1 - n;
        while (done[d] || (n + 1 < view->rank && rng_chance(r, 20)))
            d = (int)rng_range(r, 0, view->rank - 1);
        done[d] = true;
        if (rng_chance(r, 20))
            step += rng_range(r, 1, 3);
        view->strides[d] = rng_chance(r, 25) ? -step : step;
        step *= view->shape[d];
        if (broadcast && rng_chance(r, 10))
            view->strides[d] = 0;
    }
}

static void random_sizes(rng *r, int n, int64_t *sizes)
{
    for (int d = 0; d < n; ++d)
        sizes[d] = rng_range(r, 1, 3);
}

static int64_t place(const clnd__view *view, const int64_t *position)
{
    int64_t at = (int64_t)view->offset;
    for (int d = 0; d < view->rank; ++d)
        at += position[d] * view->strides[d] * (int64_t)clnd_dtype_size(view->dtype);
    return at;
}

// The position of element `number` of these sizes.
static void position_of(int64_t number, int n, const int64_t *sizes, int64_t *position)
{
    for (int d = n - 1; d >= 0; --d) {
        position[d] = number % sizes[d];
        number /= sizes[d];
    }
}

// What a problem must do: for each row where its index lies, and each pair of its elements with an
// index value of 0.
typedef struct wanted_rows {
    int n_rows, slice;
    int64_t index[MAX_ELEMENTS];
    pair pairs[MAX_ELEMENTS]; // row by row, sorted
} wanted_rows;

static void check_rows(const clnd__problem *problem, const wanted_rows *wanted, const char *what)
{
    static pair got[MAX_ELEMENTS];
    check(clnd__problem_rows(problem) == wanted->n_rows, "%s: %" PRId64 " rows, expected %d", what,
          clnd__problem_rows(problem), wanted->n_rows);
    check(clnd__problem_slice_size(problem) == wanted->slice, "%s: other slice size", what);
    for (int row = 0; row < wanted->n_rows; ++row) {
        int64_t index;
        const pair *expected = wanted->pairs + (ptrdiff_t)row * wanted->slice;
        problem_row(problem, row, &index, got);
        check(index == wanted->index[row], "%s: index of row %d at %" PRId64 ", expected %" PRId64,
              what, row, index, wanted->index[row]);
        for (int e = 0; e < wanted->slice; ++e)
            check(got[e].data == expected[e].data && got[e].dense == expected[e].dense,
                  "%s: row %d element %d is %" PRId64 ",%" PRId64 ", expected %" PRId64 ",%" PRId64,
                  what, row, e, got[e].data, got[e].dense, expected[e].data, expected[e].dense);
    }
}

static void check_problem(clnd__problem *problem, const clnd__view *data, int axis,
                          const wanted_rows *wanted)
{
    case_note("%s", problem_text(problem));
    for (int folded = 0; folded < 2; ++folded) {
        check_rows(problem, wanted, folded ? "folded" : "as built");
        const int64_t size = data->shape[axis];
        const int64_t stride = data->strides[axis] * (int64_t)clnd_dtype_size(data->dtype);
        check(problem->n_coordinates == 1 && problem->coordinates[0].extent == size &&
                  (size == 1 || problem->coordinates[0].stride == stride),
              "the coordinate");
        check(problem->dtype == data->dtype && problem->index_dtype == CLND_INT16, "dtypes");
        clnd__problem_fold(problem);
    }
}

Test(axis_pairs, gather_problems)
{
    static wanted_rows wanted;
    for (int i = 0; i < case_count(10000); ++i) {
        clnd__view data = {.name = "params", .dtype = i % 2 ? CLND_FLOAT64 : CLND_UINT8};
        clnd__view indices = {.name = "indices", .dtype = CLND_INT16}, dense;
        case_begin("gather problems", i);
        rng *r = case_rng();
        const int batch = (int)rng_range(r, 0, 1), places = (int)rng_range(r, 0, 2);
        const int axis = batch + (int)rng_range(r, 0, 1),
                  after = (int)rng_range(r, 0, axis + places > 3 ? 1 : 2);
        data.rank = axis + 1 + after;
        indices.rank = batch + places;
        random_sizes(r, data.rank, data.shape);
        random_sizes(r, indices.rank, indices.shape);
        memcpy(indices.shape, data.shape, (size_t)batch * sizeof *data.shape);
        random_layout(r, &data, true);
        random_layout(r, &indices, true);
        check_status(clnd__gather_dense_shape(&data, &indices, axis, batch, "out", &dense),
                     CLND_OK);
        random_layout(r, &dense, false);

        const elements all = elements_of(&dense);
        const int outer = axis + places;
        wanted.slice = 1;
        for (int d = axis + 1; d < data.rank; ++d)
            wanted.slice *= (int)data.shape[d];
        wanted.n_rows = all.count / wanted.slice;
        for (int n = 0; n < all.count; ++n) {
            int64_t at[CLND_MAX_RANK], from[CLND_MAX_RANK] = {0}, value[CLND_MAX_RANK];
            position_of(n, dense.rank, dense.shape, at);
            memcpy(from, at, (size_t)axis * sizeof *at);
            memcpy(from + axis + 1, at + outer, (size_t)after * sizeof *at);
            memcpy(value, at, (size_t)batch * sizeof *at);
            memcpy(value + batch, at + axis, (size_t)places * sizeof *at);
            wanted.index[n / wanted.slice] = place(&indices, value);
            wanted.pairs[n] = (pair){.data = place(&data, from), .dense = all.at[n]};
        }
        for (int row = 0; row < wanted.n_rows; ++row)
            sort_pairs(wanted.slice, wanted.pairs + (ptrdiff_t)row * wanted.slice);
        clnd__problem problem;
        clnd__gather_problem(&data, &indices, &dense, axis, batch, &problem);
        check_problem(&problem, &data, axis, &wanted);
    }
}

Test(axis_pairs, elements_problems)
{
    static wanted_rows wanted;
    for (int i = 0; i < case_count(10000); ++i) {
        clnd__view data = {.name = "params", .dtype = i % 2 ? CLND_FLOAT64 : CLND_UINT8};
        clnd__view indices = {.name = "indices", .dtype = CLND_INT16};
        case_begin("elements problems", i);
        rng *r = case_rng();
        data.rank = indices.rank = (int)rng_range(r, 1, 4);
        const int axis = (int)rng_range(r, 0, data.rank - 1);
        random_sizes(r, data.rank, data.shape);
        for (int d = 0; d < data.rank; ++d)
            indices.shape[d] = rng_range(r, 1, d == axis ? 4 : data.shape[d]);
        clnd__view dense = indices;
        dense.name = "out";
        dense.dtype = data.dtype;
        random_layout(r, &data, true);
        random_layout(r, &indices, true);
        random_layout(r, &dense, false);

        const elements all = elements_of(&dense), values = elements_of(&indices);
        wanted.slice = 1;
        wanted.n_rows = all.count;
        for (int n = 0; n < all.count; ++n) {
            int64_t from[CLND_MAX_RANK];
            position_of(n, dense.rank, dense.shape, from);
            from[axis] = 0;
            wanted.index[n] = values.at[n];
            wanted.pairs[n] = (pair){.data = place(&data, from), .dense = all.at[n]};
        }
        clnd__problem problem;
        clnd__elements_problem(&data, &indices, &dense, axis, &problem);
        check_problem(&problem, &data, axis, &wanted);
    }
}
