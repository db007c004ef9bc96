// SPDX-License-Identifier: Apache-2.0
//
// The problems of gather and of the elements ops hold, row by row and in row-major order, the
// elements that plain loops over the definitions give, before and after they are folded.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host/shape/axis.h"
#include "problems.h"

// A dense view: "2,3"; "" is a scalar.
static clnd__view view_of(const char *name, clnd_dtype dtype, const char *text)
{
    clnd__view view = {.name = name, .dtype = dtype};
    while (*text) {
        char *end;
        view.shape[view.rank++] = strtoll(text, &end, 10);
        text = end + (*end == ',');
    }
    check_status(clnd__make_dense(&view), CLND_OK);
    return view;
}

// clang-format off
static const struct {
    const char *what, *data, *indices, *dense;
    int axis, batch_dims; // batch_dims -1: an elements op
    const char *folded;
} folds[] = {
    {"rows", "10,20", "5", "5,20", 0, 0, "o5(0,80,4) s20(4,4) k10*80 @0,0,0"},
    {"columns", "2,3", "4", "2,4", 1, 0, "o2(12,16,0) o4(0,4,4) k3*4 @0,0,0"},
    {"one row", "10,20", "", "20", 0, 0, "s20(4,4) k10*80 @0,0,0"},
    {"one column", "10,20", "", "10", 1, 0, "o10(80,4,0) k20*4 @0,0,0"},
    {"a batch", "2,5,3", "2,4", "2,4,3", 1, 1, "o2(60,48,16) o4(0,12,4) s3(4,4) k5*12 @0,0,0"},
    {"a batch of single values", "2,3", "2", "2", 1, 1, "o2(12,4,4) k3*4 @0,0,0"},
    {"a batch and what is before the axis", "2,3,5", "2,4", "2,3,4", 2, 1,
     "o2(60,48,16) o3(20,16,0) o4(0,4,4) k5*4 @0,0,0"},
    {"what is before the axis merges", "2,3,5,7", "4", "2,3,4,7", 2, 0,
     "o6(140,112,0) o4(0,28,4) s7(4,4) k5*28 @0,0,0"},
    {"what indices span merges", "5,7", "3,4", "3,4,7", 0, 0, "o12(0,28,4) s7(4,4) k5*28 @0,0,0"},
    {"elements of rows", "3,4", "2,4", "2,4", 0, -1, "o2(0,16,16) o4(4,4,4) k3*16 @0,0,0"},
    {"elements of columns", "3,4", "3,4", "3,4", 1, -1, "o3(16,16,16) o4(0,4,4) k4*4 @0,0,0"},
    {"elements of fewer columns", "3,4", "2,2", "2,2", 1, -1, "o2(16,8,8) o2(0,4,4) k4*4 @0,0,0"},
    {"elements, dimensions before the axis merge", "2,3,4", "2,3,4", "2,3,4", 2, -1,
     "o6(16,16,16) o4(0,4,4) k4*4 @0,0,0"},
    {"elements, smaller ones do not", "2,3,4", "2,2,4", "2,2,4", 2, -1,
     "o2(48,32,32) o2(16,16,16) o4(0,4,4) k4*4 @0,0,0"},
    {"elements of a line", "7", "5", "5", 0, -1, "o5(0,4,4) k7*4 @0,0,0"},
    {"one element", "7", "1", "1", 0, -1, "k7*4 @0,0,0"},
};
// clang-format on

Test(axis_problems, fold_to)
{
    for (int i = 0; i < (int)(sizeof folds / sizeof *folds); ++i) {
        const clnd__view data = view_of("data", CLND_FLOAT32, folds[i].data);
        const clnd__view indices = view_of("indices", CLND_INT32, folds[i].indices);
        const clnd__view dense = view_of("dense", CLND_FLOAT32, folds[i].dense);
        clnd__problem problem;
        case_begin("axis problems", i);
        case_note("%s", folds[i].what);
        if (folds[i].batch_dims < 0)
            clnd__elements_problem(&data, &indices, &dense, folds[i].axis, &problem);
        else
            clnd__gather_problem(&data, &indices, &dense, folds[i].axis, folds[i].batch_dims,
                                 &problem);
        clnd__problem_fold(&problem);
        check(strcmp(problem_text(&problem), folds[i].folded) == 0, "folded to %s, expected %s",
              problem_text(&problem), folds[i].folded);
    }
}

enum { MAX_PLACES = 4096 };

// What a problem is to hold: `n_rows` rows of `slice` places each.
typedef struct places_list {
    int64_t n_rows, slice;
    int64_t index[MAX_PLACES]; // of each row, where its value lies
    pair pairs[MAX_PLACES];
} places_list;

static int64_t address(const clnd__view *view, const int64_t *at)
{
    int64_t byte = (int64_t)view->offset;
    for (int d = 0; d < view->rank; ++d)
        byte += at[d] * view->strides[d] * (int64_t)clnd_dtype_size(view->dtype);
    return byte;
}

static bool next_place(const clnd__view *view, int64_t *at)
{
    for (int d = view->rank - 1; d >= 0; --d) {
        if (++at[d] < view->shape[d])
            return true;
        at[d] = 0;
    }
    return false;
}

static int64_t count_of(int n, const int64_t *shape)
{
    int64_t count = 1;
    for (int d = 0; d < n; ++d)
        count *= shape[d];
    return count;
}

// The definition of gather: a place of dense is [batch..., before..., places..., after...].
static void list_gather(const clnd__view *data, const clnd__view *indices, const clnd__view *dense,
                        int axis, int batch_dims, places_list *list)
{
    int64_t at[CLND_MAX_RANK] = {0}, n = 0;
    const int n_places = indices->rank - batch_dims;
    list->slice = count_of(data->rank - axis - 1, data->shape + axis + 1);
    list->n_rows = count_of(dense->rank, dense->shape) / list->slice;
    do {
        int64_t from[CLND_MAX_RANK] = {0}, index[CLND_MAX_RANK] = {0};
        memcpy(from, at, (size_t)axis * sizeof *at);
        memcpy(index, at, (size_t)batch_dims * sizeof *at);
        memcpy(index + batch_dims, at + axis, (size_t)n_places * sizeof *at);
        memcpy(from + axis + 1, at + axis + n_places, (size_t)(data->rank - axis - 1) * sizeof *at);
        list->index[n / list->slice] = address(indices, index);
        list->pairs[n] = (pair){address(data, from), address(dense, at)};
        ++n;
    } while (next_place(dense, at));
    for (int64_t row = 0; row < list->n_rows; ++row)
        sort_pairs((int)list->slice, list->pairs + row * list->slice);
}

// That of the elements ops: every place of indices is a row of one element.
static void list_elements(const clnd__view *data, const clnd__view *indices,
                          const clnd__view *dense, int axis, places_list *list)
{
    int64_t at[CLND_MAX_RANK] = {0}, n = 0;
    list->slice = 1;
    list->n_rows = count_of(indices->rank, indices->shape);
    do {
        int64_t from[CLND_MAX_RANK];
        memcpy(from, at, sizeof from);
        from[axis] = 0;
        list->index[n] = address(indices, at);
        list->pairs[n] = (pair){address(data, from), address(dense, at)};
        ++n;
    } while (next_place(indices, at));
}

static void check_holds(const clnd__problem *problem, const places_list *list, const char *when)
{
    static pair pairs[MAX_PLACES];
    check(clnd__problem_rows(problem) == list->n_rows, "%s: %" PRId64 " rows of %" PRId64 ": %s",
          when, clnd__problem_rows(problem), list->n_rows, problem_text(problem));
    for (int64_t row = 0; row < list->n_rows; ++row) {
        int64_t index;
        int n = problem_row(problem, row, &index, pairs);
        check(n == list->slice, "%s: row %" PRId64 " of %d elements: %s", when, row, n,
              problem_text(problem));
        check(index == list->index[row], "%s: row %" PRId64 " reads byte %" PRId64 ": %s", when,
              row, index, problem_text(problem));
        check(memcmp(pairs, list->pairs + row * list->slice, (size_t)n * sizeof *pairs) == 0,
              "%s: row %" PRId64 " moves other elements: %s", when, row, problem_text(problem));
    }
}

static void check_problem(clnd__problem *problem, const clnd__view *data, int axis,
                          const places_list *list)
{
    const int64_t size = (int64_t)clnd_dtype_size(data->dtype);
    check(problem->n_coordinates == 1 && problem->coordinates[0].extent == data->shape[axis],
          "coordinates: %s", problem_text(problem));
    check(problem->coordinates[0].stride == data->strides[axis] * size || data->shape[axis] == 1,
          "stride of the coordinate: %s", problem_text(problem));
    check_holds(problem, list, "built");
    clnd__problem_fold(problem);
    check_holds(problem, list, "folded");
    check(problem->n_coordinates == 1 && problem->coordinates[0].extent == data->shape[axis],
          "folded coordinates: %s", problem_text(problem));
}

// Row-major, with gaps, turned, or repeating; somewhere in the buffer.
static void lay_out(rng *r, clnd__view *view)
{
    int64_t step = 1;
    const bool plain = rng_chance(r, 40);
    view->offset = (uint64_t)rng_range(r, 1 << 20, 1 << 21) * clnd_dtype_size(view->dtype);
    for (int d = view->rank - 1; d >= 0; --d) {
        if (!plain && rng_chance(r, 30))
            step += rng_range(r, 1, 3);
        view->strides[d] = !plain && rng_chance(r, 25) ? -step : step;
        step *= view->shape[d];
        if (!plain && rng_chance(r, 10))
            view->strides[d] = 0;
    }
}

static int add_sizes(rng *r, int n, int64_t most, int64_t *shape)
{
    for (int d = 0; d < n; ++d) {
        shape[d] = rng_range(r, 1, n > 3 ? 2 : 4);
        if (shape[d] > most)
            shape[d] = 1;
        most /= shape[d];
    }
    return n;
}

Test(axis_problems, of_gather_hold_what_the_definition_says)
{
    static places_list list;
    for (int i = 0; i < case_count(4000); ++i) {
        case_begin("gather problems", i);
        rng *r = case_rng();
        const int high = i % 20 == 0 ? 4 : 2;
        int64_t batch[4], before[4], after[8];
        const int b = add_sizes(r, (int)rng_range(r, 0, high), 4, batch);
        const int p = add_sizes(r, (int)rng_range(r, 0, high), 8, before);
        const int s = add_sizes(r, (int)rng_range(r, 0, 15 - b - p < high ? 0 : high), 12, after);
        clnd__view data = {.name = "data", .dtype = CLND_FLOAT32, .rank = b + p + 1 + s};
        clnd__view indices = {.name = "indices", .dtype = CLND_INT64};
        clnd__view dense;
        memcpy(data.shape, batch, (size_t)b * sizeof *batch);
        memcpy(data.shape + b, before, (size_t)p * sizeof *batch);
        data.shape[b + p] = rng_range(r, 1, 9);
        memcpy(data.shape + b + p + 1, after, (size_t)s * sizeof *batch);
        memcpy(indices.shape, batch, (size_t)b * sizeof *batch);
        indices.rank = b + add_sizes(r, (int)rng_range(r, 0, high), 8, indices.shape + b);
        check_status(clnd__gather_dense_shape(&data, &indices, b + p, b, "dense", &dense), CLND_OK);
        lay_out(r, &data);
        lay_out(r, &indices);
        lay_out(r, &dense);
        clnd__problem problem;
        clnd__gather_problem(&data, &indices, &dense, b + p, b, &problem);
        case_note("params %s indices %s axis %d batch dims %d",
                  clnd__format_list(data.rank, data.shape).text,
                  clnd__format_list(indices.rank, indices.shape).text, b + p, b);
        list_gather(&data, &indices, &dense, b + p, b, &list);
        check_problem(&problem, &data, b + p, &list);
    }
}

Test(axis_problems, of_elements_hold_what_the_definition_says)
{
    static places_list list;
    for (int i = 0; i < case_count(4000); ++i) {
        case_begin("elements problems", i);
        rng *r = case_rng();
        const int rank = (int)rng_range(r, 1, i % 20 == 0 ? CLND_MAX_RANK : 4);
        const int axis = (int)rng_range(r, 0, rank - 1);
        clnd__view data = {.name = "data", .dtype = CLND_COMPLEX128, .rank = rank};
        clnd__view indices = {.name = "indices", .dtype = CLND_INT16, .rank = rank};
        add_sizes(r, rank, 256, indices.shape);
        for (int d = 0; d < rank; ++d)
            data.shape[d] = indices.shape[d] + (rng_chance(r, 20) ? 1 : 0);
        data.shape[axis] = rng_range(r, 1, 9);
        clnd__view dense = indices;
        dense.dtype = data.dtype;
        lay_out(r, &data);
        lay_out(r, &indices);
        lay_out(r, &dense);
        clnd__problem problem;
        clnd__elements_problem(&data, &indices, &dense, axis, &problem);
        case_note("data %s indices %s axis %d", clnd__format_list(rank, data.shape).text,
                  clnd__format_list(rank, indices.shape).text, axis);
        list_elements(&data, &indices, &dense, axis, &list);
        check_problem(&problem, &data, axis, &list);
    }
}

// Sizes of 0 wherever they are: no row, or rows of nothing.
Test(axis_problems, without_elements)
{
    static const struct {
        const char *data, *indices, *dense;
        int axis, batch_dims;
        int64_t rows, slice;
    } rows[] = {
        {"0,3", "4", "0,4", 1, 0, 0, 1},     {"2,3", "0", "2,0", 1, 0, 0, 1},
        {"2,3,0", "4", "2,4,0", 1, 0, 8, 0}, {"0,3,5", "0,4", "0,4,5", 1, 1, 0, 5},
        {"2,0,5", "3", "2,3,5", 1, 0, 6, 5}, {"2,0", "0", "2,0", 1, 0, 0, 1},
        {"2,3", "0,3", "0,3", 0, -1, 0, 1},  {"2,3", "2,0", "2,0", 0, -1, 0, 1},
        {"0,3", "0,3", "0,3", 1, -1, 0, 1},  {"0,3", "2,3", "2,3", 0, -1, 6, 1},
    };
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); ++i) {
        const clnd__view data = view_of("data", CLND_FLOAT32, rows[i].data);
        const clnd__view indices = view_of("indices", CLND_INT32, rows[i].indices);
        const clnd__view dense = view_of("dense", CLND_FLOAT32, rows[i].dense);
        clnd__problem problem;
        case_begin("axis problems without elements", i);
        if (rows[i].batch_dims < 0)
            clnd__elements_problem(&data, &indices, &dense, rows[i].axis, &problem);
        else
            clnd__gather_problem(&data, &indices, &dense, rows[i].axis, rows[i].batch_dims,
                                 &problem);
        check(clnd__problem_rows(&problem) == rows[i].rows &&
                  clnd__problem_slice_size(&problem) == rows[i].slice,
              "%" PRId64 " rows of %" PRId64 ": %s", clnd__problem_rows(&problem),
              clnd__problem_slice_size(&problem), problem_text(&problem));
    }
}
