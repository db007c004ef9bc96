// SPDX-License-Identifier: Apache-2.0

#include "host/shape/problem.h"

#include <string.h>

#include "host/base/checked.h"
#include "host/base/integers.h"

// Bytes of a cache line.
enum { LINE = 64 };

void clnd__problem_begin(clnd__problem *problem, const clnd__view *data, const clnd__view *dense,
                         const clnd__view *indices)
{
    memset(problem, 0, sizeof *problem);
    problem->dtype = data->dtype;
    problem->data_offset = (int64_t)data->offset;
    problem->dense_offset = (int64_t)dense->offset;
    if (indices) {
        problem->index_dtype = indices->dtype;
        problem->index_offset = (int64_t)indices->offset;
    }
}

void clnd__problem_add_outer(clnd__problem *problem, int64_t size, int64_t data, int64_t dense,
                             int64_t index)
{
    problem->outer[problem->n_outer++] = (clnd__axis){size, data, dense, index};
}

void clnd__problem_add_slice(clnd__problem *problem, int64_t size, int64_t data, int64_t dense)
{
    problem->slice[problem->n_slice++] = (clnd__axis){size, data, dense, 0};
}

void clnd__problem_add_coordinate(clnd__problem *problem, int64_t extent, int64_t stride)
{
    problem->coordinates[problem->n_coordinates++] = (clnd__coordinate){extent, stride};
}

// Sizes of 0 are looked for first: beside one, an overflow of the others means nothing.
static int64_t product(int n, const clnd__axis *axes)
{
    int64_t size = 1;
    for (int i = 0; i < n; ++i)
        if (axes[i].size == 0)
            return 0;
    for (int i = 0; i < n; ++i)
        if (!clnd__multiply(size, axes[i].size, &size))
            return INT64_MAX;
    return size;
}

int64_t clnd__problem_rows(const clnd__problem *problem)
{
    return product(problem->n_outer, problem->outer);
}

int64_t clnd__problem_slice_size(const clnd__problem *problem)
{
    return product(problem->n_slice, problem->slice);
}

static int drop_ones(int n, clnd__axis *axes)
{
    int kept = 0;
    for (int i = 0; i < n; ++i)
        if (axes[i].size != 1)
            axes[kept++] = axes[i];
    return kept;
}

// Whether one step of the outer axis is all of the inner one, so that both are one axis.
static bool steps_on(int64_t outer, int64_t inner, int64_t size)
{
    int64_t step;
    return clnd__multiply(inner, size, &step) && outer == step;
}

// Axes merge only if they form one axis in data, dense and indices alike. So rows keep their
// numbers.
static int merge_neighbours(int n, clnd__axis *axes)
{
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        const clnd__axis *inner = &axes[i];
        clnd__axis *outer = kept ? &axes[kept - 1] : NULL;
        if (outer && steps_on(outer->data, inner->data, inner->size) &&
            steps_on(outer->dense, inner->dense, inner->size) &&
            steps_on(outer->index, inner->index, inner->size)) {
            const int64_t size = outer->size * inner->size;
            *outer = *inner;
            outer->size = size;
        } else {
            axes[kept++] = *inner;
        }
    }
    return kept;
}

// The elements of a slice may move in any order, so each axis may run backwards.
static void turn_forward(clnd__problem *problem)
{
    for (int i = 0; i < problem->n_slice; ++i) {
        clnd__axis *axis = &problem->slice[i];
        if (axis->dense > 0 || (axis->dense == 0 && axis->data >= 0))
            continue;
        problem->data_offset += (axis->size - 1) * axis->data;
        problem->dense_offset += (axis->size - 1) * axis->dense;
        axis->data = -axis->data;
        axis->dense = -axis->dense;
    }
}

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

static int steps_further(const clnd__axis *a, const clnd__axis *b)
{
    if (a->dense != b->dense)
        return a->dense > b->dense;
    return magnitude(a->data) > magnitude(b->data);
}

// What one step costs, in bytes of the cache lines that it takes anew. To begin a short axis again
// costs something, too, unless both indices and dense go on in their lines, or nothing does: then
// the axis is no inner one. Measured (docs/measurements-rows.md).
static int64_t cost_of_step(const clnd__axis *axis)
{
    enum { SHORT = 64 };
    const int64_t data = at_most(magnitude(axis->data), LINE);
    const int64_t dense = at_most(magnitude(axis->dense), LINE);
    const int64_t index = at_most(magnitude(axis->index), LINE);
    const int64_t lines = data + dense + index;
    const bool begins = axis->size < SHORT && (dense == LINE || index == LINE) && lines < 3 * LINE;
    return lines + (begins ? LINE / 2 : 0);
}

static int costs_more(const clnd__axis *a, const clnd__axis *b)
{
    const int64_t more = cost_of_step(a) - cost_of_step(b);
    return more != 0 ? more > 0 : magnitude(a->dense) > magnitude(b->dense);
}

// The innermost axis comes last. Stable, so that axes that are equal keep the caller's order.
static void sort_axes(int n, clnd__axis *axes,
                      int (*is_outer)(const clnd__axis *, const clnd__axis *))
{
    for (int i = 1; i < n; ++i) {
        const clnd__axis axis = axes[i];
        int place = i;
        for (; place > 0 && is_outer(&axis, &axes[place - 1]); --place)
            axes[place] = axes[place - 1];
        axes[place] = axis;
    }
}

void clnd__problem_fold(clnd__problem *problem)
{
    problem->n_outer = drop_ones(problem->n_outer, problem->outer);
    problem->n_slice = drop_ones(problem->n_slice, problem->slice);
    // No index value is read, so strides of indices must not keep axes apart.
    if (problem->n_coordinates == 0)
        for (int i = 0; i < problem->n_outer; ++i)
            problem->outer[i].index = 0;
    turn_forward(problem);
    sort_axes(problem->n_slice, problem->slice, steps_further);
    problem->n_outer = merge_neighbours(problem->n_outer, problem->outer);
    problem->n_slice = merge_neighbours(problem->n_slice, problem->slice);
}

void clnd__problem_sort_rows(clnd__problem *problem)
{
    problem->n_outer = drop_ones(problem->n_outer, problem->outer);
    problem->n_outer = merge_neighbours(problem->n_outer, problem->outer);
    sort_axes(problem->n_outer, problem->outer, costs_more);
}

void clnd__problem_rows_to_slice(clnd__problem *problem)
{
    // They fit the slice: together they are the dimensions of dense.
    clnd__axis axes[2 * CLND_MAX_RANK];
    int n = 0;
    for (int i = 0; i < problem->n_outer; ++i)
        axes[n++] = problem->outer[i];
    for (int i = 0; i < problem->n_slice; ++i)
        axes[n++] = problem->slice[i];
    problem->n_outer = 0;
    problem->n_slice = 0;
    for (int i = 0; i < n; ++i)
        clnd__problem_add_slice(problem, axes[i].size, axes[i].data, axes[i].dense);
}

static void reach(int64_t steps, int64_t stride, int64_t *first, int64_t *last)
{
    if (stride < 0)
        *first += steps * stride;
    else
        *last += steps * stride;
}

void clnd__problem_row_range(const clnd__problem *problem, int64_t *first, int64_t *last)
{
    *first = *last = problem->data_offset;
    for (int i = 0; i < problem->n_outer; ++i)
        reach(problem->outer[i].size - 1, problem->outer[i].data, first, last);
    for (int k = 0; k < problem->n_coordinates; ++k)
        reach(problem->coordinates[k].extent - 1, problem->coordinates[k].stride, first, last);
}

bool clnd__problem_rows_are_even(const clnd__problem *problem, int64_t *step)
{
    *step = problem->n_outer ? problem->outer[problem->n_outer - 1].dense : 0;
    for (int i = 1; i < problem->n_outer; ++i)
        if (!steps_on(problem->outer[i - 1].dense, problem->outer[i].dense, problem->outer[i].size))
            return false;
    return true;
}

void clnd__problem_scale_data(clnd__problem *problem, int64_t origin, int64_t numerator,
                              int64_t denominator)
{
    problem->data_offset = (problem->data_offset - origin) / denominator * numerator;
    for (int i = 0; i < problem->n_outer; ++i)
        problem->outer[i].data = problem->outer[i].data / denominator * numerator;
    for (int i = 0; i < problem->n_slice; ++i)
        problem->slice[i].data = problem->slice[i].data / denominator * numerator;
    for (int k = 0; k < problem->n_coordinates; ++k)
        problem->coordinates[k].stride = problem->coordinates[k].stride / denominator * numerator;
}

void clnd__problem_split_rows(clnd__problem *problem, int64_t unit)
{
    const int64_t element = (int64_t)clnd_dtype_size(problem->dtype);
    const int n = problem->n_slice;
    if (n == 0)
        return;
    const clnd__axis inner = problem->slice[n - 1];
    const bool is_one_axis = element == unit || (inner.data == element && inner.dense == element);
    problem->n_slice = 0;
    for (int i = 0; i < n - is_one_axis; ++i)
        clnd__problem_add_outer(problem, problem->slice[i].size, problem->slice[i].data,
                                problem->slice[i].dense, 0);
    if (is_one_axis)
        clnd__problem_add_slice(problem, inner.size, inner.data, inner.dense);
}

// The largest divisor of n up to `most`.
static int64_t divisor_of(int64_t n, int64_t most)
{
    while (n % most)
        --most;
    return most;
}

// How many of n steps a block has: up to `most`, so that little is left, and whole lines of
// elements of any size.
static int64_t even_blocks(int64_t n, int64_t most)
{
    return n / divide_up(n, most) / LINE * LINE;
}

static bool is_within_lines(const clnd__axis *axis)
{
    return magnitude(axis->data) < LINE && magnitude(axis->dense) < LINE &&
           magnitude(axis->index) < LINE;
}

static bool goes_on_in_line(int64_t step, int64_t inner)
{
    return step != 0 && magnitude(step) < at_most(magnitude(inner), LINE);
}

// Whether steps along an axis go on in lines that steps along the inner one leave.
static bool shares_lines(const clnd__axis *axis, const clnd__axis *inner)
{
    return goes_on_in_line(axis->data, inner->data) || goes_on_in_line(axis->dense, inner->dense) ||
           goes_on_in_line(axis->index, inner->index);
}

// NEAR is NEAR_DATA of kernels. Stretches of fewer steps than LEAST take longer to begin than they
// save, and of steps of more bytes than MOST_BYTES they would not be near. Each line has to be read
// READS times. Measured (docs/measurements-rows.md).
int64_t clnd__problem_near_steps(const clnd__problem *problem, int i)
{
    enum { NEAR = 1 << 18, LEAST = 512, MOST_BYTES = 1 << 12, READS = 2 };
    int64_t bytes = magnitude(problem->outer[i].data), rows = 1; // of a step, around it
    for (int k = 0; k < problem->n_coordinates && bytes <= MOST_BYTES; ++k)
        bytes *= at_most(problem->coordinates[k].extent, MOST_BYTES + 1);
    for (int k = i - 1; k >= 0 && problem->outer[k].data == 0; --k)
        rows *= problem->outer[k].size;
    if (bytes == 0 || bytes > MOST_BYTES || rows < at_least(READS * bytes / LINE, 2))
        return 0;
    return at_least(NEAR / bytes, LEAST);
}

void clnd__problem_divide(clnd__problem *problem, clnd__axis *axis, int64_t size, int before)
{
    const clnd__axis parts = {axis->size / size, axis->data * size, axis->dense * size,
                              axis->index * size};
    const int64_t left = axis->size - parts.size * size;
    if (left > 0)
        problem->rest = (clnd__rest){before, (int)(axis - problem->outer) + 1, left};
    axis->size = size;
    clnd__axis *at = &problem->outer[before];
    memmove(at + 1, at, (size_t)(problem->n_outer - before) * sizeof *at);
    *at = parts;
    ++problem->n_outer;
}

// So few blocks of near data gain nothing: measured (docs/measurements-rows.md).
#define FEW_BLOCKS 8

void clnd__problem_block_rows(clnd__problem *problem)
{
    enum { LEAST = 32, MOST = 128 };
    const bool copies = problem->n_coordinates == 0;
    const bool apart = copies && problem->n_slice > 0 && magnitude(problem->slice[0].data) >= LINE;
    const int n = problem->n_outer - !apart;
    if (n <= 0 || problem->n_outer + problem->n_slice >= CLND_MAX_RANK)
        return;
    clnd__axis *inner = apart ? &problem->slice[0] : &problem->outer[n];
    int around = 0;
    while (around < n && !shares_lines(&problem->outer[around], inner))
        ++around;
    const int64_t near = copies ? 0 : clnd__problem_near_steps(problem, n);
    const int64_t most = around < n ? MOST : FEW_BLOCKS * near;
    if (most == 0 || inner->size <= most || !(copies || is_within_lines(inner)))
        return;
    const int64_t size =
        around < n ? divisor_of(inner->size, MOST) : even_blocks(inner->size, near);
    if (size >= LEAST)
        clnd__problem_divide(problem, inner, size, around < n ? around : n - 1);
}

bool clnd__problem_is_one_run(const clnd__problem *folded, size_t *size)
{
    const int64_t element = (int64_t)clnd_dtype_size(folded->dtype);
    const clnd__axis *axis = &folded->slice[0];
    if (folded->n_coordinates > 0 || folded->n_outer > 0 || folded->n_slice > 1 ||
        (folded->n_slice > 0 && (axis->data != element || axis->dense != element)))
        return false;
    *size = (size_t)(folded->n_slice > 0 ? axis->size * element : element);
    return true;
}
