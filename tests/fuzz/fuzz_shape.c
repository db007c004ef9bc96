// SPDX-License-Identifier: Apache-2.0
//
// Views, slices, problems and their folding, against arithmetic in 128 bits and against lists of
// the places that belong together, one by one.

#include <stdlib.h>
#include <string.h>

#include "clnd/slice.h"
#include "fuzz.h"
#include "host/shape/indexing.h"
#include "host/shape/slice.h"
#include "problems.h"

__extension__ typedef __int128 wide;

enum { MAX_ELEMENTS = 512 };

const char *fuzz_prepare(void)
{
    return NULL;
}

static clnd_dtype any_dtype(fuzz_input *in)
{
    static const clnd_dtype dtypes[] = {CLND_INT8,    CLND_INT16,      CLND_OPAQUE(3),
                                        CLND_FLOAT32, CLND_FLOAT64,    CLND_COMPLEX128,
                                        CLND_BOOL,    CLND_OPAQUE(24), CLND_OPAQUE(INT32_MAX)};
    return dtypes[fuzz_range(in, 0, 8)];
}

// A view; `rank` -1 is for any. Sizes are not negative.
static clnd__view any_view(fuzz_input *in, const char *name, clnd_dtype dtype, int rank)
{
    const bool is_small = fuzz_byte(in) & 1;
    clnd__view view = {.name = name, .dtype = dtype};
    view.rank = rank < 0 ? fuzz_range(in, 0, is_small ? 5 : CLND_MAX_RANK) : rank;
    for (int d = 0; d < view.rank; ++d) {
        view.shape[d] = is_small ? fuzz_range(in, 0, 5) : fuzz_number(in);
        view.strides[d] = is_small ? fuzz_range(in, -30, 30) : fuzz_number(in);
        if (view.shape[d] < 0)
            view.shape[d] = ~view.shape[d];
    }
    view.offset = is_small ? 1 << 16 : (uint64_t)fuzz_number(in);
    if (fuzz_byte(in) & 1)
        (void)clnd__make_dense(&view);
    return view;
}

// Exactly, or -1 when there are more than 63 bits of them.
static int64_t model_count(int rank, const int64_t *shape)
{
    wide count = 1;
    for (int d = 0; d < rank; ++d)
        if (shape[d] == 0)
            return 0;
    for (int d = 0; d < rank; ++d)
        if ((count *= shape[d]) > INT64_MAX)
            return -1;
    return (int64_t)count;
}

// Bytes from the first element to one, beyond all bounds when they have more than 100 bits.
static wide model_reach(const clnd__view *view, int d, int64_t position)
{
    const wide far = (wide)1 << 100, steps = (wide)position * view->strides[d];
    wide bytes;
    if (__builtin_mul_overflow(steps, (wide)clnd_dtype_size(view->dtype), &bytes) || bytes > far ||
        bytes < -far)
        return steps < 0 ? -far : far;
    return bytes;
}

static wide model_place(const clnd__view *view, const int64_t *position)
{
    wide place = view->offset;
    for (int d = 0; d < view->rank; ++d)
        place += model_reach(view, d, position[d]);
    return place;
}

static bool next_position(int rank, const int64_t *shape, int64_t *position)
{
    for (int d = rank - 1; d >= 0; --d) {
        if (++position[d] < shape[d])
            return true;
        position[d] = 0;
    }
    return false;
}

static void check_extent(const clnd__view *view, int64_t count)
{
    int64_t begin, end;
    const clnd_status status = clnd__extent(view, &begin, &end);
    wide low = view->offset, high = low + (wide)clnd_dtype_size(view->dtype);
    if (count == 0) {
        fuzz_check(!status && !begin && !end, "the extent of nothing");
        return;
    }
    for (int d = 0; d < view->rank; ++d) {
        const wide reach = model_reach(view, d, view->shape[d] - 1);
        *(reach < 0 ? &low : &high) += reach;
    }
    if (count < 0 || high > INT64_MAX)
        fuzz_check(status == CLND_SIZE_OVERFLOW, "an extent beyond 63 bits: %s",
                   clnd_status_name(status));
    else if (low < 0)
        fuzz_check(status == CLND_BUFFER_TOO_SMALL || status == CLND_SIZE_OVERFLOW,
                   "an extent before the buffer: %s", clnd_status_name(status));
    else
        fuzz_check(!status && begin == (int64_t)low && end == (int64_t)high, "an extent");
}

static int compare_wide(const void *left, const void *right)
{
    const wide a = *(const wide *)left, b = *(const wide *)right;
    return (a > b) - (a < b);
}

// Reaches beyond all bounds say nothing about where two elements lie: they may cancel each other.
static bool has_places(const clnd__view *view)
{
    for (int d = 0; d < view->rank; ++d) {
        const wide reach = model_reach(view, d, view->shape[d] - 1);
        if (reach > INT64_MAX || reach < INT64_MIN)
            return false;
    }
    return true;
}

// An output that is accepted has no element twice.
static void check_output(const clnd__view *view, int64_t count)
{
    static wide places[MAX_ELEMENTS];
    const clnd_status status = clnd__check_output_strides(view);
    int64_t position[CLND_MAX_RANK] = {0};
    fuzz_check(!status || status == CLND_INVALID_STRIDES, "%s", clnd_status_name(status));
    if (status || count < 1 || count > MAX_ELEMENTS || !has_places(view))
        return;
    for (int64_t i = 0; i < count; ++i) {
        places[i] = model_place(view, position);
        next_position(view->rank, view->shape, position);
    }
    qsort(places, (size_t)count, sizeof *places, compare_wide);
    for (int64_t i = 1; i < count; ++i)
        fuzz_check(places[i] - places[i - 1] >= (wide)clnd_dtype_size(view->dtype) ||
                       places[i] > INT64_MAX || places[i - 1] < 0,
                   "an output in which elements share memory is accepted");
}

static void check_dense(const clnd__view *view, int64_t count)
{
    clnd__view dense;
    const clnd_status status =
        clnd__dense_view("dense", view->dtype, view->rank, view->shape, &dense);
    const wide bytes = (wide)count * (wide)clnd_dtype_size(view->dtype);
    fuzz_check(status == (count < 0 || bytes > INT64_MAX ? CLND_SIZE_OVERFLOW : CLND_OK),
               "a dense view: %s", clnd_status_name(status));
    if (status || !count)
        return;
    int64_t step = 1;
    for (int d = view->rank - 1; d >= 0; step *= view->shape[d--])
        fuzz_check(dense.strides[d] == step, "a dense stride");
    fuzz_check(clnd__check_output_strides(&dense) == CLND_OK, "a dense view is no output");
}

static void check_broadcast(const clnd__view *source, const clnd__view *target)
{
    clnd__view seen;
    const clnd_status status = clnd__broadcast_view(source, target, &seen);
    bool fits = true;
    for (int back = 1; back <= source->rank; ++back) {
        const int64_t size = source->shape[source->rank - back];
        fits = fits &&
               (size == 1 || (back <= target->rank && size == target->shape[target->rank - back]));
    }
    fuzz_check(status == (fits ? CLND_OK : CLND_INVALID_SHAPE), "a broadcast: %s",
               clnd_status_name(status));
    if (status)
        return;
    fuzz_check(seen.rank == target->rank && seen.offset == source->offset, "a broadcast's rank");
    for (int back = 1; back <= target->rank; ++back) {
        const int from = source->rank - back, d = target->rank - back;
        const bool repeats = from < 0 || source->shape[from] == 1;
        fuzz_check(seen.shape[d] == target->shape[d] &&
                       seen.strides[d] == (repeats ? 0 : source->strides[from]),
                   "dimension %d of a broadcast", d);
    }
}

static void run_views(fuzz_input *in)
{
    const clnd__view view = any_view(in, "view", any_dtype(in), -1);
    const clnd__view other = any_view(in, "other", view.dtype, -1);
    const int64_t count = model_count(view.rank, view.shape);
    int64_t got;
    const clnd_status status = clnd__count("view", view.rank, view.shape, &got);
    fuzz_check(status == (count < 0 ? CLND_SIZE_OVERFLOW : CLND_OK) &&
                   got == (count < 0 ? 0 : count),
               "a count: %s", clnd_status_name(status));
    fuzz_check(clnd__is_empty(&view) == (count == 0), "emptiness");
    check_extent(&view, count);
    check_output(&view, count);
    check_dense(&view, count);
    check_broadcast(&view, &other);
}

static bool has(uint32_t mask, int i)
{
    return mask >> i & 1;
}

// Python's slice.indices and range, in 128 bits: the first place and how many.
static void model_range(const clnd_slice *s, int i, int64_t size, wide *first, wide *count)
{
    const wide step = s->strides[i], lowest = step > 0 ? 0 : -1, highest = lowest + size;
    wide begin = s->begin[i], end = s->end[i];
    begin += begin < 0 ? size : 0;
    end += end < 0 ? size : 0;
    begin = begin < lowest ? lowest : begin > highest ? highest : begin;
    end = end < lowest ? lowest : end > highest ? highest : end;
    if (has(s->begin_mask, i))
        begin = step > 0 ? lowest : highest;
    if (has(s->end_mask, i))
        end = step > 0 ? highest : lowest;
    *first = begin;
    *count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
    *count = *count < 0 ? 0 : *count;
}

typedef struct model_slice {
    int rank;
    int64_t shape[2 * CLND_MAX_SLICE_ENTRIES];
    int from[2 * CLND_MAX_SLICE_ENTRIES]; // dimension of the input, -1: a new axis
    wide step[2 * CLND_MAX_SLICE_ENTRIES];
    wide first[CLND_MAX_RANK]; // place in each dimension of the input
} model_slice;

static void model_append(model_slice *m, int from, wide size, wide step)
{
    m->from[m->rank] = from;
    m->step[m->rank] = step;
    m->shape[m->rank++] = (int64_t)size;
}

static bool model_take(const clnd__view *input, const clnd_slice *s, model_slice *m)
{
    int ellipses = 0, taken = 0, at = 0;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < s->length; ++i) {
        ellipses += has(s->ellipsis_mask, i);
        taken += !has(s->ellipsis_mask, i) && !has(s->new_axis_mask, i);
    }
    if (ellipses > 1 || taken > input->rank)
        return false;
    for (int i = 0; i <= s->length; ++i) {
        const bool fills = i == s->length ? !ellipses : has(s->ellipsis_mask, i);
        if (fills)
            for (int rest = input->rank - taken; rest > 0; --rest, ++at)
                model_append(m, at, input->shape[at], 1);
        if (fills || i == s->length)
            continue;
        if (has(s->new_axis_mask, i)) {
            model_append(m, -1, 1, 0);
            continue;
        }
        const int64_t size = input->shape[at];
        wide count;
        if (s->strides[i] == 0)
            return false;
        if (has(s->shrink_axis_mask, i)) {
            m->first[at] = (wide)s->begin[i] + (s->begin[i] < 0 ? size : 0);
            if (s->strides[i] < 0 || m->first[at] < 0 || m->first[at] >= size)
                return false;
        } else {
            model_range(s, i, size, &m->first[at], &count);
            model_append(m, at, count, s->strides[i]);
        }
        ++at;
    }
    return m->rank <= CLND_MAX_RANK;
}

// The element at a position of the slice is that of the input at the place that it means.
static void check_slice_place(const clnd__view *input, const clnd__view *view, const model_slice *m,
                              const int64_t *position)
{
    int64_t in_input[CLND_MAX_RANK];
    for (int d = 0; d < input->rank; ++d)
        in_input[d] = (int64_t)m->first[d];
    for (int d = 0; d < m->rank; ++d)
        if (m->from[d] >= 0)
            in_input[m->from[d]] += (int64_t)(m->step[d] * position[d]);
    for (int d = 0; d < input->rank; ++d)
        fuzz_check(in_input[d] >= 0 && in_input[d] < input->shape[d], "the model is wrong");
    fuzz_check(model_place(view, position) == model_place(input, in_input),
               "an element of a slice is another");
}

static clnd_slice any_slice(fuzz_input *in)
{
    clnd_slice s = {.length = fuzz_range(in, 0, 40) - 2};
    if (s.length > 6 && fuzz_byte(in) & 3)
        s.length %= 6;
    const bool has_masks = fuzz_byte(in) & 1;
    for (int i = 0; i < s.length && i < CLND_MAX_SLICE_ENTRIES; ++i) {
        s.begin[i] = fuzz_number(in);
        s.end[i] = fuzz_number(in);
        s.strides[i] = fuzz_number(in);
    }
    if (has_masks) {
        s.begin_mask = (uint32_t)fuzz_word(in);
        s.end_mask = (uint32_t)fuzz_word(in);
        s.ellipsis_mask = fuzz_byte(in);
        s.new_axis_mask = (uint32_t)fuzz_word(in);
        s.shrink_axis_mask = fuzz_byte(in);
    }
    return s;
}

static void run_slice(fuzz_input *in)
{
    const clnd__view input = any_view(in, "input", any_dtype(in), -1);
    const clnd_slice slice = any_slice(in);
    clnd__view view;
    model_slice model;
    const bool is_length = slice.length >= 0 && slice.length <= CLND_MAX_SLICE_ENTRIES;
    const bool is_good = is_length && model_take(&input, &slice, &model);
    const clnd_status status = clnd__slice_view(&input, &slice, "slice", &view);
    fuzz_check((status == CLND_OK) == is_good, "a slice: %s", clnd_status_name(status));
    if (status) {
        fuzz_check(status == CLND_INVALID_SLICE || status == CLND_INVALID_RANK, "%s",
                   clnd_status_name(status));
        fuzz_check_line(clnd_last_error());
        return;
    }
    fuzz_check(view.rank == model.rank && view.dtype == input.dtype, "rank of a slice");
    for (int d = 0; d < model.rank; ++d)
        fuzz_check(view.shape[d] == model.shape[d], "dimension %d of a slice", d);
    int64_t begin, end, position[CLND_MAX_RANK] = {0};
    if (clnd__extent(&input, &begin, &end) || clnd__is_empty(&input) || clnd__is_empty(&view))
        return;
    int64_t inner_begin, inner_end;
    fuzz_check(!clnd__extent(&view, &inner_begin, &inner_end) && inner_begin >= begin &&
                   inner_end <= end,
               "a slice reaches outside its input");
    check_slice_place(&input, &view, &model, position);
    for (int i = 0; i < MAX_ELEMENTS && next_position(view.rank, view.shape, position); ++i)
        check_slice_place(&input, &view, &model, position);
    for (int d = 0; d < view.rank; ++d)
        position[d] = view.shape[d] - 1;
    check_slice_place(&input, &view, &model, position);
}

// What one element of dense is: where its tuple and, before index values, its element of data lie.
typedef struct moved {
    int64_t index;
    pair at;
} moved;

enum way { TUPLES, ALONG_AXIS, ELEMENTS };

typedef struct indexed {
    enum way way;
    const clnd__view *data, *indices, *dense;
    int batch_dims, axis, depth;
} indexed;

// `position` of dense taken apart by the formulas of the headers. Returns how many leading
// dimensions of dense number the rows.
static int model_positions(const indexed *x, const int64_t *position, int64_t *index, int64_t *data)
{
    const int n_index = x->indices->rank;
    memset(index, 0, CLND_MAX_RANK * sizeof *index);
    memset(data, 0, CLND_MAX_RANK * sizeof *data);
    if (x->way == ELEMENTS) {
        for (int d = 0; d < n_index; ++d) {
            index[d] = position[d];
            data[d] = d == x->axis ? 0 : position[d];
        }
        return n_index;
    }
    if (x->way == TUPLES) {
        for (int d = 0; d < n_index - 1; ++d)
            index[d] = position[d];
        for (int d = 0; d < x->batch_dims; ++d)
            data[d] = position[d];
        for (int d = x->batch_dims + x->depth; d < x->data->rank; ++d)
            data[d] = position[n_index - 1 + d - x->batch_dims - x->depth];
        return n_index - 1;
    }
    const int n_places = n_index - x->batch_dims;
    for (int d = 0; d < x->batch_dims; ++d)
        index[d] = position[d];
    for (int d = 0; d < x->axis; ++d)
        data[d] = position[d];
    for (int d = 0; d < n_places; ++d)
        index[x->batch_dims + d] = position[x->axis + d];
    for (int d = x->axis + 1; d < x->data->rank; ++d)
        data[d] = position[n_places + d - 1];
    return x->axis + n_places;
}

static void check_rows(const clnd__problem *problem, const moved *places, int64_t rows,
                       int64_t slice, bool with_index)
{
    static pair pairs[MAX_ELEMENTS], expected[MAX_ELEMENTS];
    fuzz_check(clnd__problem_rows(problem) == rows && clnd__problem_slice_size(problem) == slice,
               "%s is not of %lld rows of %lld", problem_text(problem), (long long)rows,
               (long long)slice);
    for (int64_t row = 0; row < rows; ++row) {
        int64_t index;
        const int n = problem_row(problem, row, &index, pairs);
        for (int64_t i = 0; i < slice; ++i)
            expected[i] = places[row * slice + i].at;
        sort_pairs((int)slice, expected);
        fuzz_check(!with_index || index == places[row * slice].index, "row %lld of %s: its indices",
                   (long long)row, problem_text(problem));
        fuzz_check(n == slice && memcmp(pairs, expected, (size_t)n * sizeof *pairs) == 0,
                   "row %lld of %s: its elements", (long long)row, problem_text(problem));
    }
}

// The problem before and after folding moves what the formulas say.
static void check_problem(const indexed *x, clnd__problem *problem)
{
    static moved places[MAX_ELEMENTS];
    const clnd__view *dense = x->dense;
    const int64_t count = model_count(dense->rank, dense->shape);
    int64_t position[CLND_MAX_RANK] = {0}, index[CLND_MAX_RANK], data[CLND_MAX_RANK], rows = 1;
    int n_outer = 0;
    if (count < 1 || count > MAX_ELEMENTS)
        return;
    for (int64_t i = 0; i < count; ++i) {
        n_outer = model_positions(x, position, index, data);
        places[i].index = (int64_t)model_place(x->indices, index);
        places[i].at.dense = (int64_t)model_place(dense, position);
        places[i].at.data = (int64_t)model_place(x->data, data);
        next_position(dense->rank, dense->shape, position);
    }
    for (int d = 0; d < n_outer; ++d)
        rows *= dense->shape[d];
    fuzz_check(problem->n_coordinates == x->depth, "%d coordinates", problem->n_coordinates);
    for (int k = 0; k < x->depth; ++k) {
        const int d = x->way == TUPLES ? x->batch_dims + k : x->axis;
        const int64_t extent = x->data->shape[d];
        fuzz_check(problem->coordinates[k].extent == extent &&
                       (extent < 2 || problem->coordinates[k].stride == model_reach(x->data, d, 1)),
                   "coordinate %d", k);
    }
    if (x->depth > 1)
        fuzz_check(problem->index_step == model_reach(x->indices, x->indices->rank - 1, 1),
                   "the step from value to value");
    check_rows(problem, places, rows, count / rows, x->depth > 0);
    clnd__problem_fold(problem);
    check_rows(problem, places, rows, count / rows, x->depth > 0);
    int64_t first, last;
    if (clnd__is_empty(x->data))
        return;
    clnd__problem_row_range(problem, &first, &last);
    for (int64_t row = 0; row < rows && count == rows; ++row)
        fuzz_check(places[row].at.data >= first && places[row].at.data <= last,
                   "row %lld begins outside the range of rows", (long long)row);
}

static void run_indexed(fuzz_input *in)
{
    static const clnd__indexing *const indexings[] = {&clnd__by_tuples, &clnd__along_axis,
                                                      &clnd__by_elements};
    const enum way way = (enum way)fuzz_range(in, 0, 2);
    clnd__view data = any_view(in, "data", any_dtype(in), -1);
    const clnd_dtype index_dtype = fuzz_byte(in) & 1 ? CLND_INT64 : CLND_INT8;
    clnd__view indices = any_view(in, "indices", index_dtype, way == ELEMENTS ? data.rank : -1);
    clnd__place place = {.wanted_axis = fuzz_number(in), .wanted_batch_dims = fuzz_number(in)};
    const int likely = fuzz_range(in, 0, 3);
    int64_t begin, end;
    place.wanted_batch_dims = (int32_t)place.wanted_batch_dims; // as in the options
    // Shapes that go together are too rare to wait for.
    for (int d = 0; d < likely && d < data.rank && d < indices.rank; ++d)
        indices.shape[d] = data.shape[d];
    if (way == TUPLES && likely && indices.rank && indices.shape[indices.rank - 1] > data.rank)
        indices.shape[indices.rank - 1] %= data.rank + 1;
    clnd__view dense;
    clnd_status status = indexings[way]->check_ranks(&data, &indices, &place);
    if (!status)
        status = indexings[way]->dense_shape(&data, &indices, &place, "dense", &dense);
    if (status) {
        fuzz_check(status == CLND_INVALID_RANK || status == CLND_INVALID_AXIS ||
                       status == CLND_INVALID_SHAPE,
                   "%s", clnd_status_name(status));
        fuzz_check_line(clnd_last_error());
        return;
    }
    fuzz_check(dense.rank >= 0 && dense.rank <= CLND_MAX_RANK && dense.dtype == data.dtype,
               "rank %d of dense", dense.rank);
    const clnd__view strides = any_view(in, "strides", dense.dtype, dense.rank);
    memcpy(dense.strides, strides.strides, sizeof dense.strides);
    dense.offset = strides.offset;
    if (fuzz_byte(in) & 1 && clnd__make_dense(&dense))
        return;
    if (clnd__extent(&data, &begin, &end) || clnd__extent(&indices, &begin, &end) ||
        clnd__extent(&dense, &begin, &end) || clnd__is_empty(&data) || clnd__is_empty(&dense))
        return;
    if (clnd__is_empty(&indices) && !(way == TUPLES && place.depth == 0))
        return;
    const indexed x = {way, &data, &indices, &dense, place.batch_dims, place.axis, place.depth};
    clnd__problem problem;
    indexings[way]->problem(&data, &indices, &dense, &place, &problem);
    check_problem(&x, &problem);
}

// Rows of any axes, not only of those that ops make; afterwards all of them as a slice.
static void run_fold(fuzz_input *in)
{
    rng r = {(uint64_t)fuzz_word(in)};
    clnd__problem problem, folded;
    static pair before[MAX_ROWS * MAX_SLICE], after[MAX_ROWS * MAX_SLICE];
    random_problem(&r, &problem);
    for (int i = 0; i < problem.n_outer; ++i)
        problem.outer[i].data += fuzz_range(in, 0, 3) == 3 ? fuzz_range(in, -20, 20) : 0;
    for (int i = 0; i < problem.n_slice; ++i)
        problem.slice[i].dense += fuzz_range(in, 0, 3) == 3 ? fuzz_range(in, -20, 20) : 0;
    folded = problem;
    clnd__problem_fold(&folded);
    const int64_t rows = clnd__problem_rows(&problem);
    fuzz_check(clnd__problem_rows(&folded) == rows, "rows");
    int total = 0;
    for (int64_t row = 0; row < rows; ++row) {
        int64_t index, folded_index;
        pair *pairs = &before[total];
        const int n = problem_row(&problem, row, &index, pairs);
        fuzz_check(problem_row(&folded, row, &folded_index, after) == n, "elements");
        fuzz_check(memcmp(pairs, after, (size_t)n * sizeof *pairs) == 0 &&
                       (!problem.n_coordinates || index == folded_index),
                   "row %lld of %s", (long long)row, problem_text(&folded));
        total += n;
    }
    if (folded.n_outer + folded.n_slice > CLND_MAX_RANK)
        return;
    int64_t index;
    clnd__problem_rows_to_slice(&folded);
    clnd__problem_fold(&folded);
    sort_pairs(total, before);
    fuzz_check(problem_row(&folded, 0, &index, after) == total &&
                   memcmp(before, after, (size_t)total * sizeof *before) == 0,
               "rows as a slice: %s", problem_text(&folded));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = fuzz_begin(data, size);
    switch (fuzz_range(&in, 0, 3)) {
    case 0:
        run_views(&in);
        break;
    case 1:
        run_slice(&in);
        break;
    case 2:
        run_indexed(&in);
        break;
    default:
        run_fold(&in);
    }
    return 0;
}
