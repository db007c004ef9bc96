// SPDX-License-Identifier: Apache-2.0
//
// Views: counts, extents, strides, and what is said of views that are not valid.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "elements.h"
#include "host/shape/view.h"

enum { MAX_DIMS = 4 };

static clnd__view view_of(clnd_dtype dtype, int rank, const int64_t *shape, const int64_t *strides,
                          uint64_t offset)
{
    clnd__view view = {.name = "thing", .dtype = dtype, .rank = rank, .offset = offset};
    for (int d = 0; d < rank; ++d) {
        view.shape[d] = shape[d];
        view.strides[d] = strides ? strides[d] : 1;
    }
    return view;
}

typedef struct count_row {
    int rank;
    int64_t shape[MAX_DIMS];
    int64_t count; // -1: SIZE_OVERFLOW
} count_row;

#define TWO_TO(n) (INT64_C(1) << (n))

static const count_row counts[] = {
    {0, {0}, 1},
    {1, {0}, 0},
    {1, {7}, 7},
    {1, {INT64_MAX}, INT64_MAX},
    {2, {INT64_MAX, 1}, INT64_MAX},
    {2, {INT64_MAX, 0}, 0},
    {2, {0, INT64_MAX}, 0},
    {4, {INT64_MAX, INT64_MAX, INT64_MAX, 0}, 0},
    {4, {INT64_MAX, 0, INT64_MAX, INT64_MAX}, 0},
    {3, {TWO_TO(31), TWO_TO(31), 1}, TWO_TO(62)},
    {3, {TWO_TO(31), TWO_TO(31), 2}, -1},
    {3, {2, TWO_TO(31), TWO_TO(31)}, -1},
    {2, {TWO_TO(32), TWO_TO(32)}, -1},
    {2, {3037000500, 3037000500}, -1},
    {2, {3037000499, 3037000500}, INT64_C(3037000499) * 3037000500},
    {4, {2, 3, 4, 5}, 120},
};

Test(view, counts)
{
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); ++i) {
        const count_row *row = &counts[i];
        int64_t count = -7;
        case_begin("count", i);
        case_note("%s", clnd__format_list(row->rank, row->shape).text);
        check_status(clnd__count("thing", row->rank, row->shape, &count),
                     row->count < 0 ? CLND_SIZE_OVERFLOW : CLND_OK);
        if (row->count < 0) {
            check_message("thing: the sizes ");
            check_message(clnd__format_list(row->rank, row->shape).text);
        }
        check(count == (row->count < 0 ? 0 : row->count), "count %" PRId64, count);
        const clnd__view view = view_of(CLND_INT8, row->rank, row->shape, NULL, 0);
        check(clnd__is_empty(&view) == (row->count == 0), "empty or not");
    }
}

typedef struct extent_row {
    clnd_dtype dtype;
    int rank;
    int64_t shape[MAX_DIMS];
    int64_t strides[MAX_DIMS];
    uint64_t offset;
    clnd_status status;
    int64_t begin, end;
} extent_row;

static const extent_row extents[] = {
    {CLND_FLOAT32, 0, {0}, {0}, 12, CLND_OK, 12, 16},
    {CLND_FLOAT32, 2, {2, 3}, {3, 1}, 8, CLND_OK, 8, 32},
    {CLND_FLOAT32, 2, {2, 3}, {1, 2}, 0, CLND_OK, 0, 24},
    {CLND_FLOAT32, 2, {2, 3}, {10, 1}, 0, CLND_OK, 0, 52},
    {CLND_FLOAT32, 2, {2, 3}, {-3, -1}, 20, CLND_OK, 0, 24},
    {CLND_FLOAT32, 2, {2, 3}, {-3, 1}, 20, CLND_OK, 8, 32},
    {CLND_FLOAT32, 2, {1000, 3}, {0, 1}, 4, CLND_OK, 4, 16},
    {CLND_FLOAT32, 2, {1000, 1000}, {0, 0}, 4, CLND_OK, 4, 8},
    {CLND_OPAQUE(3), 1, {4}, {-2}, 18, CLND_OK, 0, 21},
    {CLND_FLOAT32, 1, {1}, {INT64_MAX}, 0, CLND_OK, 0, 4},
    {CLND_FLOAT32, 1, {1}, {INT64_MIN}, 0, CLND_OK, 0, 4},
    {CLND_FLOAT32, 2, {0, 5}, {INT64_MIN, INT64_MAX}, UINT64_MAX, CLND_OK, 0, 0},
    {CLND_FLOAT32, 3, {INT64_MAX, INT64_MAX, 0}, {9, 9, 9}, 1, CLND_OK, 0, 0},
    // To the last byte that 63 bits count.
    {CLND_INT8, 1, {INT64_MAX}, {1}, 0, CLND_OK, 0, INT64_MAX},
    {CLND_INT8, 1, {INT64_MAX}, {1}, 1, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 0, {0}, {0}, INT64_MAX - 1, CLND_OK, INT64_MAX - 1, INT64_MAX},
    {CLND_INT8, 0, {0}, {0}, INT64_MAX, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 0, {0}, {0}, (uint64_t)INT64_MAX + 1, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 0, {0}, {0}, UINT64_MAX, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 1, {INT64_MAX}, {-1}, INT64_MAX - 1, CLND_OK, 0, INT64_MAX},
    // Sizes, strides times sizes, times bytes, sums of dimensions, sums with the offset.
    {CLND_INT8, 2, {TWO_TO(32), TWO_TO(32)}, {0, 0}, 0, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 1, {3}, {TWO_TO(62)}, 0, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 1, {3}, {INT64_MIN}, 0, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT16, 1, {2}, {TWO_TO(62)}, 0, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 2, {2, 2}, {TWO_TO(62), TWO_TO(62)}, 0, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 3, {2, 2, 2}, {-TWO_TO(62), -TWO_TO(62), -1}, 0, CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 1, {2}, {TWO_TO(62)}, TWO_TO(62), CLND_SIZE_OVERFLOW, 0, 0},
    {CLND_INT8, 1, {2}, {TWO_TO(62)}, TWO_TO(62) - 2, CLND_OK, TWO_TO(62) - 2, INT64_MAX},
    {CLND_INT8, 2, {2, 2}, {TWO_TO(62), -TWO_TO(62)}, TWO_TO(62) - 2, CLND_BUFFER_TOO_SMALL, 0, 0},
    // Below byte 0.
    {CLND_FLOAT32, 1, {4}, {-1}, 11, CLND_BUFFER_TOO_SMALL, 0, 0},
    {CLND_FLOAT32, 1, {4}, {-1}, 12, CLND_OK, 0, 16},
    {CLND_INT8, 1, {2}, {INT64_MIN}, 0, CLND_BUFFER_TOO_SMALL, 0, 0},
};

Test(view, extents)
{
    for (int i = 0; i < (int)(sizeof extents / sizeof *extents); ++i) {
        const extent_row *row = &extents[i];
        int64_t begin = -7, end = -7;
        case_begin("extent", i);
        case_note("%s by %s at %" PRIu64, clnd__format_list(row->rank, row->shape).text,
                  clnd__format_list(row->rank, row->strides).text, row->offset);
        const clnd__view view =
            view_of(row->dtype, row->rank, row->shape, row->strides, row->offset);
        check_status(clnd__extent(&view, &begin, &end), row->status);
        check(begin == row->begin && end == row->end, "[%" PRId64 ", %" PRId64 ")", begin, end);
    }
}

Test(view_errors, extent_messages_name_what_overflows)
{
    int64_t begin, end;
    const clnd__view wide = view_of(CLND_INT8, 1, (const int64_t[]){3}, &(int64_t){TWO_TO(62)}, 5);
    check_status(clnd__extent(&wide, &begin, &end), CLND_SIZE_OVERFLOW);
    check_message("thing of shape [3], strides [4611686018427387904] and offset 5 reaches beyond "
                  "63 bits");
    const clnd__view low = view_of(CLND_INT16, 1, (const int64_t[]){3}, &(int64_t){-2}, 5);
    check_status(clnd__extent(&low, &begin, &end), CLND_BUFFER_TOO_SMALL);
    check_message("thing of shape [3], strides [-2] and offset 5 begins 3 bytes before its buffer");
    const clnd__view lowest = view_of(CLND_INT8, 1, (const int64_t[]){2}, &(int64_t){INT64_MIN}, 0);
    check_status(clnd__extent(&lowest, &begin, &end), CLND_BUFFER_TOO_SMALL);
    check_message("offset 0 begins 9223372036854775808 bytes before its buffer");
}

// Random small views against all their elements.
static void random_view(rng *r, clnd__view *view)
{
    static const clnd_dtype dtypes[] = {CLND_INT8, CLND_INT16, CLND_OPAQUE(3), CLND_COMPLEX128};
    *view = (clnd__view){.name = "thing", .dtype = dtypes[rng_range(r, 0, 3)]};
    view->rank = (int)rng_range(r, 0, MAX_DIMS);
    const int64_t reach = rng_chance(r, 50) ? 5 : 40;
    for (int d = 0; d < view->rank; ++d) {
        view->shape[d] = rng_range(r, rng_chance(r, 4) ? 0 : 1, 4);
        view->strides[d] = rng_range(r, -reach, reach);
    }
    view->offset = (uint64_t)rng_range(r, 0, 3000);
}

static void note_view(const clnd__view *view)
{
    case_note("%s by %s at %" PRIu64, clnd__format_list(view->rank, view->shape).text,
              clnd__format_list(view->rank, view->strides).text, view->offset);
}

Test(view, random_extents_are_those_of_the_elements)
{
    for (int i = 0; i < case_count(50000); ++i) {
        clnd__view view;
        int64_t begin, end, first = INT64_MAX, last = INT64_MIN;
        case_begin("random extent", i);
        random_view(case_rng(), &view);
        note_view(&view);
        const elements all = elements_of(&view);
        for (int e = 0; e < all.count; ++e) {
            first = all.at[e] < first ? all.at[e] : first;
            last = all.at[e] > last ? all.at[e] : last;
        }
        if (all.count == 0)
            first = 0;
        check_status(clnd__extent(&view, &begin, &end),
                     first < 0 ? CLND_BUFFER_TOO_SMALL : CLND_OK);
        if (first < 0)
            first = last = 0;
        else
            last = all.count ? last + (int64_t)clnd_dtype_size(view.dtype) : 0;
        check(begin == first && end == last,
              "[%" PRId64 ", %" PRId64 "), expected [%" PRId64 ", %" PRId64 ")", begin, end, first,
              last);
    }
}

typedef struct strides_row {
    int rank;
    int64_t shape[MAX_DIMS];
    int64_t strides[MAX_DIMS];
    int refused; // dimension along which elements share memory, or -1
} strides_row;

static const strides_row outputs[] = {
    {0, {0}, {0}, -1},
    {1, {5}, {1}, -1},
    {1, {5}, {-1}, -1},
    {1, {5}, {0}, 0},
    {1, {1}, {0}, -1},
    {2, {3, 4}, {4, 1}, -1},   // dense
    {2, {3, 4}, {1, 3}, -1},   // transposed
    {2, {3, 4}, {7, 1}, -1},   // padded
    {2, {3, 4}, {8, 2}, -1},   // padded in every dimension
    {2, {3, 4}, {-4, -1}, -1}, // reversed
    {2, {3, 4}, {1, -3}, -1},
    {2, {3, 4}, {3, 1}, 0}, // the last of a row is the first of the next
    {2, {3, 4}, {1, 2}, 1},
    {2, {3, 4}, {1, 1}, 1},
    {2, {3, 4}, {-1, 1}, 1},
    {2, {3, 4}, {0, 1}, 0},
    {2, {1, 4}, {0, 1}, -1},
    {2, {0, 4}, {0, 0}, -1},
    {3, {2, 3, 4}, {12, 4, 1}, -1},
    {3, {2, 3, 4}, {11, 4, 1}, 0},
    {3, {2, 3, 4}, {INT64_MIN, 4, 1}, -1},
    {3, {2, 3, 4}, {INT64_MAX, INT64_MIN, 1}, 1},
    {2, {2, 7}, {INT64_MIN, TWO_TO(62)}, -1}, // beyond 64 bits: the extent's to refuse
    {3, {INT64_MAX, INT64_MAX, 2}, {INT64_MAX, INT64_MAX, 0}, 2},
};

Test(view, output_strides)
{
    for (int i = 0; i < (int)(sizeof outputs / sizeof *outputs); ++i) {
        const strides_row *row = &outputs[i];
        const clnd__view view = view_of(CLND_FLOAT32, row->rank, row->shape, row->strides, 0);
        case_begin("output strides", i);
        note_view(&view);
        check_status(clnd__check_output_strides(&view),
                     row->refused < 0 ? CLND_OK : CLND_INVALID_STRIDES);
        if (row->refused < 0)
            continue;
        char expected[1024];
        snprintf(expected, sizeof expected,
                 "thing of shape %s and strides %s is written, but elements share memory along "
                 "dimension %d",
                 clnd__format_list(row->rank, row->shape).text,
                 clnd__format_list(row->rank, row->strides).text, row->refused);
        check_message(expected);
    }
}

// The rule as tensor.h states it, without sorting: a stride steps over all that smaller ones reach.
static bool steps_over_smaller(const clnd__view *view)
{
    for (int d = 0; d < view->rank; ++d) {
        const int64_t stride = view->strides[d] < 0 ? -view->strides[d] : view->strides[d];
        int64_t reach = 0;
        if (view->shape[d] <= 1)
            continue;
        for (int e = 0; e < view->rank; ++e) {
            const int64_t other = view->strides[e] < 0 ? -view->strides[e] : view->strides[e];
            if (e != d && view->shape[e] > 1 && other == stride)
                return false;
            if (other < stride)
                reach += (view->shape[e] - 1) * other;
        }
        if (stride <= reach)
            return false;
    }
    return true;
}

static bool has_coincidence(const elements *all)
{
    for (int a = 0; a < all->count; ++a)
        for (int b = 0; b < a; ++b)
            if (all->at[a] == all->at[b])
                return true;
    return false;
}

Test(view, accepted_outputs_have_no_shared_elements)
{
    int accepted = 0;
    const int count = case_count(50000);
    for (int i = 0; i < count; ++i) {
        clnd__view view;
        case_begin("random output", i);
        random_view(case_rng(), &view);
        note_view(&view);
        const bool good = clnd__is_empty(&view) || steps_over_smaller(&view);
        check_status(clnd__check_output_strides(&view), good ? CLND_OK : CLND_INVALID_STRIDES);
        if (!good)
            continue;
        ++accepted;
        const elements all = elements_of(&view);
        check(!has_coincidence(&all), "accepted, but two elements coincide");
    }
    check(accepted > count / 10, "only %d of %d accepted", accepted, count);
}

Test(view, dense)
{
    clnd__view view = view_of(CLND_FLOAT32, 3, (const int64_t[]){2, 3, 4}, NULL, 77);
    check_status(clnd__make_dense(&view), CLND_OK);
    check(view.strides[0] == 12 && view.strides[1] == 4 && view.strides[2] == 1 && view.offset == 0,
          "%s", clnd__format_list(3, view.strides).text);
    view = view_of(CLND_FLOAT32, 0, NULL, NULL, 77);
    check_status(clnd__make_dense(&view), CLND_OK);
    check(view.offset == 0, "offset %" PRIu64, view.offset);
    view = view_of(CLND_FLOAT32, 3, (const int64_t[]){2, 0, 4}, NULL, 0);
    check_status(clnd__make_dense(&view), CLND_OK);
    check(view.strides[1] == 4 && view.strides[2] == 1, "%s",
          clnd__format_list(3, view.strides).text);
    view = view_of(CLND_FLOAT32, 4, (const int64_t[]){INT64_MAX, 0, INT64_MAX, INT64_MAX}, NULL, 0);
    check_status(clnd__make_dense(&view), CLND_OK);
    view = view_of(CLND_INT8, 1, (const int64_t[]){INT64_MAX}, NULL, 0);
    check_status(clnd__make_dense(&view), CLND_OK);
    view = view_of(CLND_INT16, 1, (const int64_t[]){TWO_TO(62)}, NULL, 0);
    check_status(clnd__make_dense(&view), CLND_SIZE_OVERFLOW);
    check_message("thing of shape [4611686018427387904] has more than 63 bits of bytes");
    view = view_of(CLND_INT8, 2, (const int64_t[]){TWO_TO(32), TWO_TO(32)}, NULL, 0);
    check_status(clnd__make_dense(&view), CLND_SIZE_OVERFLOW);
    check_message("thing: the sizes [4294967296, 4294967296] multiply to more than 63 bits");
}

Test(view, stride_bytes)
{
    const int64_t strides[] = {5, 9, -7};
    clnd__view view = view_of(CLND_COMPLEX64, 3, (const int64_t[]){2, 1, 3}, strides, 0);
    static const int64_t expected[] = {40, 0, -56};
    for (int d = 0; d < 3; ++d)
        check(clnd__stride_bytes(&view, d) == expected[d], "%" PRId64 " at %d",
              clnd__stride_bytes(&view, d), d);
    // Without elements there is no next one, however wild the strides.
    view = view_of(CLND_COMPLEX64, 2, (const int64_t[]){9, 0}, (const int64_t[]){INT64_MAX, 1}, 0);
    check(clnd__stride_bytes(&view, 0) == 0 && clnd__stride_bytes(&view, 1) == 0, "empty");
}

typedef struct broadcast_row {
    int rank;
    int64_t shape[MAX_DIMS];
    int64_t strides[MAX_DIMS];
    int target_rank;
    int64_t target[MAX_DIMS];
    int64_t seen[MAX_DIMS]; // strides; seen[0] = -1: refused
} broadcast_row;

static const broadcast_row broadcasts[] = {
    {0, {0}, {0}, 0, {0}, {0}},
    {0, {0}, {0}, 2, {3, 4}, {0, 0}},
    {1, {4}, {7}, 2, {3, 4}, {0, 7}},
    {1, {1}, {7}, 2, {3, 4}, {0, 0}},
    {2, {3, 1}, {7, 5}, 2, {3, 4}, {7, 0}},
    {2, {1, 4}, {7, 5}, 2, {3, 4}, {0, 5}},
    {2, {3, 4}, {7, -5}, 2, {3, 4}, {7, -5}},
    {4, {1, 1, 3, 4}, {9, 8, 7, 5}, 2, {3, 4}, {7, 5}},
    {2, {1, 1}, {9, 8}, 0, {0}, {0}},
    {1, {1}, {9}, 2, {3, 0}, {0, 0}},
    {1, {0}, {9}, 2, {3, 0}, {0, 9}},
    {2, {1, 1}, {9, 9}, 2, {1, 1}, {0, 0}},
    {1, {3}, {7}, 2, {3, 4}, {-1}},
    {1, {0}, {7}, 1, {1}, {-1}},
    {1, {2}, {7}, 1, {1}, {-1}},
    {1, {2}, {7}, 0, {0}, {-1}},
    {1, {4}, {7}, 1, {0}, {-1}},
    {3, {2, 3, 4}, {9, 7, 5}, 2, {3, 4}, {-1}},
    {3, {0, 3, 4}, {9, 7, 5}, 2, {3, 4}, {-1}},
};

Test(view, broadcasts)
{
    for (int i = 0; i < (int)(sizeof broadcasts / sizeof *broadcasts); ++i) {
        const broadcast_row *row = &broadcasts[i];
        const clnd__view source = view_of(CLND_INT16, row->rank, row->shape, row->strides, 6);
        const clnd__view target = view_of(CLND_INT8, row->target_rank, row->target, NULL, 0);
        clnd__view seen;
        case_begin("broadcast", i);
        case_note("%s into %s", clnd__format_list(row->rank, row->shape).text,
                  clnd__format_list(row->target_rank, row->target).text);
        if (row->seen[0] < 0) {
            char expected[1024];
            check_status(clnd__broadcast_view(&source, &target, &seen), CLND_INVALID_SHAPE);
            snprintf(expected, sizeof expected,
                     "thing of shape %s cannot be broadcast into shape %s",
                     clnd__format_list(row->rank, row->shape).text,
                     clnd__format_list(row->target_rank, row->target).text);
            check_message(expected);
            continue;
        }
        check_status(clnd__broadcast_view(&source, &target, &seen), CLND_OK);
        check(seen.rank == row->target_rank && seen.dtype == CLND_INT16 && seen.offset == 6 &&
                  seen.name == source.name,
              "rank, dtype, offset or name");
        for (int d = 0; d < seen.rank; ++d)
            check(seen.shape[d] == row->target[d] && seen.strides[d] == row->seen[d],
                  "size %" PRId64 " stride %" PRId64 " at %d", seen.shape[d], seen.strides[d], d);
    }
}

Test(view, lists_as_text)
{
    int64_t lowest[CLND_MAX_RANK];
    char expected[512] = "[";
    check(strcmp(clnd__format_list(0, NULL).text, "[]") == 0, "empty");
    check(strcmp(clnd__format_list(1, (const int64_t[]){-3}).text, "[-3]") == 0, "one");
    check(strcmp(clnd__format_list(3, (const int64_t[]){0, 10, -2}).text, "[0, 10, -2]") == 0,
          "three");
    for (int d = 0; d < CLND_MAX_RANK; ++d) {
        lowest[d] = INT64_MIN;
        strcat(expected, d ? ", -9223372036854775808" : "-9223372036854775808");
    }
    strcat(expected, "]");
    check(strcmp(clnd__format_list(CLND_MAX_RANK, lowest).text, expected) == 0, "sixteen: %s",
          clnd__format_list(CLND_MAX_RANK, lowest).text);
}

Test(view_errors, invalid_dtype)
{
    const clnd__view good = view_of(CLND_BOOL, 0, NULL, NULL, 0);
    const clnd__view bad = view_of(0x1234, 0, NULL, NULL, 0);
    check_status(clnd__check_dtype(&good), CLND_OK);
    check_status(clnd__check_dtype(&bad), CLND_INVALID_DTYPE);
    check_message("thing has dtype 0x1234, which is none of clnd's");
}

Test(view_errors, invalid_rank)
{
    clnd__view view = {.name = "thing", .rank = 17};
    check_status(clnd__check_rank(&view), CLND_INVALID_RANK);
    check_message("thing has rank 17, allowed are 0 to 16");
    view.rank = -1;
    check_status(clnd__check_rank(&view), CLND_INVALID_RANK);
    check_message("thing has rank -1, allowed are 0 to 16");
    view.rank = 16;
    check_status(clnd__check_rank(&view), CLND_OK);
    view.rank = 0;
    check_status(clnd__check_rank(&view), CLND_OK);
}

Test(view_errors, negative_sizes_are_invalid_shape)
{
    clnd__view view = view_of(CLND_BOOL, 3, (const int64_t[]){2, 0, INT64_MIN}, NULL, 0);
    check_status(clnd__check_shape(&view), CLND_INVALID_SHAPE);
    check_message("thing has the negative size -9223372036854775808 at dimension 2");
    view.rank = 2;
    check_status(clnd__check_shape(&view), CLND_OK);
    view.shape[0] = -1;
    check_status(clnd__check_shape(&view), CLND_INVALID_SHAPE);
    check_message("thing has the negative size -1 at dimension 0");
}

Test(view_errors, dtype_mismatch)
{
    clnd__view a = view_of(CLND_FLOAT32, 0, NULL, NULL, 0), b = a;
    b.name = "other";
    check_status(clnd__check_same_dtype(&a, &b), CLND_OK);
    b.dtype = CLND_OPAQUE(12);
    check_status(clnd__check_same_dtype(&a, &b), CLND_DTYPE_MISMATCH);
    check_message("thing is float32 of size 4, other is opaque of size 12; they must be the "
                  "same");
}

Test(view_errors, another_shape_is_invalid_shape)
{
    const clnd__view a = view_of(CLND_BOOL, 2, (const int64_t[]){2, 3}, NULL, 0);
    const clnd__view same = view_of(CLND_INT8, 2, (const int64_t[]){2, 3}, (int64_t[]){9, 9}, 4);
    const clnd__view longer = view_of(CLND_BOOL, 3, (const int64_t[]){2, 3, 1}, NULL, 0);
    const clnd__view other = view_of(CLND_BOOL, 2, (const int64_t[]){2, 4}, NULL, 0);
    check_status(clnd__check_expected_shape(&a, &same), CLND_OK);
    check_status(clnd__check_expected_shape(&a, &longer), CLND_INVALID_SHAPE);
    check_message("thing has shape [2, 3], expected [2, 3, 1]");
    check_status(clnd__check_expected_shape(&longer, &a), CLND_INVALID_SHAPE);
    check_status(clnd__check_expected_shape(&a, &other), CLND_INVALID_SHAPE);
    check_message("thing has shape [2, 3], expected [2, 4]");
}
