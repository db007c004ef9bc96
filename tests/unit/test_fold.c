// SPDX-License-Identifier: Apache-2.0
//
// Problems and their folding: the folded form of layouts that matter, and for random problems that
// folding changes nothing of what is moved, nor the order of rows.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host/shape/nd.h"
#include "problems.h"

// A view of float32 (or of int32, for indices). "2,3,4" is dense; "2,3,4:12,-4,1@8" has strides
// and an offset.
static clnd__view view_from(const char *text, clnd_dtype dtype)
{
    clnd__view view = {.name = "view", .dtype = dtype};
    char *end = (char *)(uintptr_t)text;
    while (*end && *end != ':') {
        view.shape[view.rank++] = strtoll(end, &end, 10);
        end += *end == ',';
    }
    check_status(clnd__make_dense(&view), CLND_OK);
    for (int d = 0; *end && *end != '@'; ++d)
        view.strides[d] = strtoll(end + 1, &end, 10);
    if (*end == '@')
        view.offset = strtoull(end + 1, NULL, 10);
    return view;
}

static void problem_from(const char *data_text, const char *indices_text, const char *dense_text,
                         int batch_dims, clnd__problem *problem)
{
    const clnd__view data = view_from(data_text, CLND_FLOAT32);
    const clnd__view dense = view_from(dense_text, CLND_FLOAT32);
    if (indices_text) {
        const clnd__view indices = view_from(indices_text, CLND_INT32);
        int depth;
        check_status(clnd__nd_check_shapes(&data, &indices, batch_dims, &depth), CLND_OK);
        clnd__nd_problem(&data, &indices, &dense, batch_dims, depth, problem);
        return;
    }
    clnd__problem_begin(problem, &data, &dense, NULL);
    for (int d = 0; d < data.rank; ++d)
        clnd__problem_add_slice(problem, data.shape[d], clnd__stride_bytes(&data, d),
                                clnd__stride_bytes(&dense, d));
}

typedef struct fold_row {
    const char *what, *data, *indices, *dense; // indices NULL: a copy
    int batch_dims;
    const char *folded;
} fold_row;

#define ONES   "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"
#define TWELVE "2,2,2,2,2,2,2,2,2,2,2,2,"
#define NINES  "9,9,9,9,9,9,9,9,9,9,9,9,"
#define TWOS   "2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2"

static const fold_row folds[] = {
    {"dense gather_nd is one row axis and one slice axis", "10,20,8,4", "5,6,2", "5,6,8,4", 0,
     "o30(0,128,8) s32(4,4) k10*2560 k20*128 @0,0,0"},
    {"gather_nd of scalars", "10,20", "5,6,2", "5,6", 0, "o30(0,4,8) k10*80 k20*4 @0,0,0"},
    {"one tuple", "10,20", "1", "20", 0, "s20(4,4) k10*80 @0,0,0"},
    {"one element", "10,20", "2", "", 0, "k10*80 k20*4 @0,0,0"},
    {"sizes of 1 go", "1,3,1,2", "1,4,1,1", "1,4,1,3,1,2", 0, "o4(0,24,4) s6(4,4) k1*0 @0,0,0"},
    {"sizes of 1 go whatever their strides", "5,1,3:3,99,1", "1,4,1:77,1,1", "1,4,1,3:7,3,-9,1", 0,
     "o4(0,12,4) s3(4,4) k5*12 @0,0,0"},
    {"K = 0: indices play no part", "2,3", "4,5,0", "4,5,2,3", 0, "o20(0,24,0) s6(4,4) @0,0,0"},
    {"K = 0, strided indices", "2,3", "4,5,0:9,1,1", "4,5,2,3", 0, "o20(0,24,0) s6(4,4) @0,0,0"},
    {"batch dims", "2,5,3", "2,4,1", "2,4,3", 1, "o2(60,48,16) o4(0,12,4) s3(4,4) k5*12 @0,0,0"},
    {"two batch dims merge", "2,3,5,7", "2,3,1", "2,3,7", 2, "o6(140,28,4) s7(4,4) k5*28 @0,0,0"},
    {"batch dims that one operand keeps apart", "2,3,5:16,5,1", "2,3,1", "2,3", 2,
     "o2(64,12,12) o3(20,4,4) k5*4 @0,0,0"},
    {"batch dims that indices keep apart", "2,3,5", "2,3,1:4,1,1", "2,3", 2,
     "o2(60,12,16) o3(20,4,4) k5*4 @0,0,0"},
    {"batch dims that dense keeps apart", "2,3,5", "2,3,1", "2,3:4,1", 2,
     "o2(60,16,12) o3(20,4,4) k5*4 @0,0,0"},
    {"broadcast rows", "5,3", "4,6,1:0,1,1", "4,6,3", 0,
     "o4(0,72,0) o6(0,12,4) s3(4,4) k5*12 @0,0,0"},
    {"rows keep their order: transposed", "5", "4,6,1:1,4,1", "4,6:1,4", 0,
     "o4(0,4,4) o6(0,16,16) k5*4 @0,0,0"},
    {"rows keep their order: reversed", "5", "4,6,1:-6,-1,1@92", "4,6:-6,-1@92", 0,
     "o24(0,-4,-4) k5*4 @0,92,92"},
    {"reversed tuples and coordinates", "5,6:-6,-1@116", "3,2:2,-1@4", "3", 0,
     "o3(0,4,8) k5*-24 k6*-4 @116,0,4"},
    {"dense copy", "2,3,4", NULL, "2,3,4", 0, "s24(4,4) @0,0,0"},
    {"copy of a scalar", "", NULL, "", 0, "@0,0,0"},
    {"copy of ones", "1,1,1", NULL, "1,1,1", 0, "@0,0,0"},
    {"padded rows", "2,3,4:16,4,1", NULL, "2,3,4", 0, "s2(64,48) s12(4,4) @0,0,0"},
    {"padded columns", "2,3,4:15,5,1", NULL, "2,3,4", 0, "s6(20,16) s4(4,4) @0,0,0"},
    {"every second element", "24:2", NULL, "24", 0, "s24(8,4) @0,0,0"},
    {"transposed source", "3,4:1,3", NULL, "3,4", 0, "s3(4,16) s4(12,4) @0,0,0"},
    {"transposed target", "3,4", NULL, "3,4:1,3", 0, "s4(4,12) s3(16,4) @0,0,0"},
    {"both transposed: a dense copy", "3,4:1,3", NULL, "3,4:1,3", 0, "s12(4,4) @0,0,0"},
    {"dimensions in any order, but the same", "2,3,4:4,8,1", NULL, "2,3,4:4,8,1", 0,
     "s24(4,4) @0,0,0"},
    {"reversed source", "5:-1@16", NULL, "5", 0, "s5(-4,4) @16,0,0"},
    {"reversed target", "5", NULL, "5:-1@16", 0, "s5(-4,4) @16,0,0"},
    {"both reversed: forward", "5:-1@16", NULL, "5:-1@16", 0, "s5(4,4) @0,0,0"},
    {"both reversed in both dimensions", "3,4:-4,-1@44", NULL, "3,4:-4,-1@44", 0,
     "s12(4,4) @0,0,0"},
    {"reversed in one dimension", "3,4:-4,1@32", NULL, "3,4:-4,1@32", 0, "s12(4,4) @0,0,0"},
    {"source reversed as a whole", "3,4:-4,-1@44", NULL, "3,4", 0, "s12(-4,4) @44,0,0"},
    {"broadcast over the first", "3,4:0,1", NULL, "3,4", 0, "s3(0,16) s4(4,4) @0,0,0"},
    {"broadcast over the last", "3,4:1,0", NULL, "3,4", 0, "s3(4,16) s4(0,4) @0,0,0"},
    {"broadcast scalar", "3,4:0,0", NULL, "3,4", 0, "s12(0,4) @0,0,0"},
    {"both broadcast, source reversed", "3:-2@16", NULL, "3:0", 0, "s3(8,0) @0,0,0"},
    {"slices of a gather turn and merge too", "7,3,4:12,-4,-1@44", "5,1", "5,3,4:12,-4,-1@44", 0,
     "o5(0,48,4) s12(4,4) k7*48 @0,0,0"},
    {"slices of a gather sort too", "7,3,4:12,1,3", "5,1", "5,3,4:12,1,3", 0,
     "o5(0,48,4) s12(4,4) k7*48 @0,0,0"},
    {"rank 16, dense", TWOS, NULL, TWOS, 0, "s65536(4,4) @0,0,0"},
    {"rank 16 of ones", ONES ",7", NULL, ONES ",7", 0, "s7(4,4) @0,0,0"},
};

Test(fold, layouts)
{
    for (int i = 0; i < (int)(sizeof folds / sizeof *folds); ++i) {
        const fold_row *row = &folds[i];
        clnd__problem problem;
        case_begin("fold", i);
        case_note("%s", row->what);
        problem_from(row->data, row->indices, row->dense, row->batch_dims, &problem);
        clnd__problem_fold(&problem);
        check(strcmp(problem_text(&problem), row->folded) == 0, "folded to %s, expected %s",
              problem_text(&problem), row->folded);
    }
}

// Sixteen axes that nothing merges stay sixteen, sorted.
Test(fold, sixteen_axes)
{
    clnd__view view = {.dtype = CLND_FLOAT32};
    clnd__problem problem;
    clnd__problem_begin(&problem, &view, &view, NULL);
    for (int d = 0; d < CLND_MAX_RANK; ++d)
        clnd__problem_add_slice(&problem, 2, INT64_C(12) << (CLND_MAX_RANK - 1 - d),
                                INT64_C(4) << d);
    clnd__problem_fold(&problem);
    check(problem.n_slice == CLND_MAX_RANK, "%s", problem_text(&problem));
    for (int s = 0; s < CLND_MAX_RANK; ++s)
        check(problem.slice[s].dense == INT64_C(4) << (CLND_MAX_RANK - 1 - s) &&
                  problem.slice[s].data == INT64_C(12) << s,
              "%s", problem_text(&problem));
}

// A step that needs more than 64 bits is none that another axis goes on with.
Test(fold, steps_beyond_64_bits)
{
    clnd__view view = {.dtype = CLND_FLOAT32};
    clnd__problem problem;
    clnd__problem_begin(&problem, &view, &view, NULL);
    clnd__problem_add_outer(&problem, 2, 0, 16, 0);
    clnd__problem_add_outer(&problem, 4, INT64_C(1) << 62, 4, 0);
    clnd__problem_fold(&problem);
    check(problem.n_outer == 2, "%s", problem_text(&problem));
}

static bool steps_on(const clnd__axis *outer, const clnd__axis *inner)
{
    return outer->data == inner->data * inner->size && outer->dense == inner->dense * inner->size &&
           outer->index == inner->index * inner->size;
}

static void check_small(const clnd__problem *p)
{
    for (int i = 0; i < p->n_outer; ++i) {
        check(p->outer[i].size > 1, "a row axis of size 1: %s", problem_text(p));
        check(i == 0 || !steps_on(&p->outer[i - 1], &p->outer[i]), "row axes could merge: %s",
              problem_text(p));
    }
    for (int i = 0; i < p->n_slice; ++i) {
        const clnd__axis *axis = &p->slice[i];
        check(axis->size > 1, "a slice axis of size 1: %s", problem_text(p));
        check(axis->dense > 0 || (axis->dense == 0 && axis->data >= 0), "runs backward: %s",
              problem_text(p));
        if (i == 0)
            continue;
        check(axis[-1].dense >= axis->dense, "slice axes are not sorted: %s", problem_text(p));
        check(axis[-1].dense > axis->dense || llabs(axis[-1].data) >= llabs(axis->data),
              "equal slice axes are not sorted: %s", problem_text(p));
        check(!steps_on(&axis[-1], axis), "slice axes could merge: %s", problem_text(p));
    }
}

static void check_same_rows(const clnd__problem *before, const clnd__problem *after)
{
    static pair wanted[MAX_SLICE], got[MAX_SLICE];
    int64_t wanted_index, got_index;
    const int64_t rows = clnd__problem_rows(before);
    check(clnd__problem_rows(after) == rows &&
              clnd__problem_slice_size(after) == clnd__problem_slice_size(before),
          "rows or slice size change: %s", problem_text(after));
    for (int64_t row = 0; row < rows; ++row) {
        const int n = problem_row(before, row, &wanted_index, wanted);
        const int m = problem_row(after, row, &got_index, got);
        check(n == m && n == clnd__problem_slice_size(before), "%d elements, %d before", m, n);
        check(before->n_coordinates == 0 || wanted_index == got_index,
              "row %" PRId64 " reads its tuple at another place: %s", row, problem_text(after));
        check(memcmp(wanted, got, (size_t)n * sizeof *got) == 0,
              "row %" PRId64 " has other elements: %s", row, problem_text(after));
    }
}

static void check_same_tuples(const clnd__problem *before, const clnd__problem *after)
{
    check(before->n_coordinates == after->n_coordinates &&
              before->index_step == after->index_step && before->dtype == after->dtype &&
              before->index_dtype == after->index_dtype &&
              memcmp(before->coordinates, after->coordinates, sizeof before->coordinates) == 0,
          "coordinates change");
}

Test(fold, random_problems_move_the_same)
{
    const int count = case_count(60000);
    int smaller = 0;
    for (int i = 0; i < count; ++i) {
        clnd__problem before, after, again;
        case_begin("random fold", i);
        random_problem(case_rng(), &before);
        case_note("%s", problem_text(&before));
        after = before;
        clnd__problem_fold(&after);
        check_small(&after);
        check_same_rows(&before, &after);
        check_same_tuples(&before, &after);
        again = after;
        clnd__problem_fold(&again);
        char once[1024];
        snprintf(once, sizeof once, "%s", problem_text(&after));
        check(strncmp(once, problem_text(&again), sizeof once - 1) == 0, "folds again: %s", once);
        smaller += after.n_outer + after.n_slice + 1 < before.n_outer + before.n_slice;
    }
    check(smaller > count / 10, "only %d of %d problems shrank by two axes", smaller, count);
}

// Neighbours share lines of as many of data, indices and dense as can be.
Test(fold, order_of_rows)
{
    static const fold_row rows[] = {
        {"row-major rows stay as they are", "90,80", "70,60,1", "70,60,80", 0,
         "o4200(0,320,4) s80(4,4) k90*320 @0,0,0"},
        {"column-major ones merge", "90", "70,60,1:1,70,1", "70,60:1,70", 0,
         "o4200(0,4,4) k90*4 @0,0,0"},
        {"of indices and dense that differ the longer axis is the inner one", "90",
         "70,60,1:1,70,1", "70,60", 0, "o60(0,4,280) o70(0,240,4) k90*4 @0,0,0"},
        {"backwards in dense", "90", "70,60,1:1,70,1", "70,60:1,-70@16520", 0,
         "o60(0,-280,280) o70(0,4,4) k90*4 @0,16520,0"},
        {"large steps backwards, too", "90,80", "80,70,1:7000,100,1", "80,70,80:-5600,80,1@1769600",
         0, "o80(0,-22400,28000) o70(0,320,400) s80(4,4) k90*320 @0,1769600,0"},
        {"short stretches of many batches", "90,28,54", "90,28,84,1", "90,28,84", 2,
         "o2520(216,336,336) o84(0,4,4) k54*4 @0,0,0"},
        {"of batches that cannot merge", "90,28,54:1600,54,1", "90,28,84,1", "90,28,84", 2,
         "o90(6400,9408,9408) o28(216,336,336) o84(0,4,4) k54*4 @0,0,0"},
        {"axes that merge are one before they are sorted", "70,28,54,90:0,54,1,2000", "70,28,54,1",
         "70,28,54", 3, "o70(0,6048,6048) o1512(4,4,4) k90*8000 @0,0,0"},
        {"data and dense outweigh indices", "7,900:900,1", "7,900,1:1,7,1", "7,900:900,1", 1,
         "o7(3600,3600,4) o900(0,4,28) k900*4 @0,0,0"},
    };
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); ++i) {
        clnd__problem problem;
        case_begin("order of rows", i);
        case_note("%s", rows[i].what);
        problem_from(rows[i].data, rows[i].indices, rows[i].dense, rows[i].batch_dims, &problem);
        clnd__problem_sort_rows(&problem);
        clnd__problem_fold(&problem);
        check(strcmp(problem_text(&problem), rows[i].folded) == 0, "sorted to %s, expected %s",
              problem_text(&problem), rows[i].folded);
    }
}

// Rows that share lines with those along another axis go by blocks of the innermost one.
Test(problem, blocks_of_rows)
{
    static const fold_row rows[] = {
        {"pixels, rows and columns exchanged", "400,256,3:3,1200,1", NULL, "400,256,3", 0,
         "o2(614400,1536,0) o400(12,3072,0) o128(4800,12,0) s3(4,4) @0,0,0"},
        {"every second element", "400,384:2,1000", NULL, "400,384", 0,
         "o3(512000,512,0) o400(8,1536,0) s128(4000,4) @0,0,0"},
        {"a length with no divisor that suits", "400,262,3:3,1200,1", NULL, "400,262,3", 0,
         "o400(12,3144,0) o262(4800,12,0) s3(4,4) @0,0,0"},
        {"short rows", "400,128,3:3,1200,1", NULL, "400,128,3", 0,
         "o400(12,1536,0) o128(4800,12,0) s3(4,4) @0,0,0"},
        {"rows in other lines", "400,256,3:16,6400,1", NULL, "400,256,3", 0,
         "o400(64,3072,0) o256(25600,12,0) s3(4,4) @0,0,0"},
        {"more axes than there is room for", "2," TWELVE "400,256,3:9," NINES "3,1200,1", NULL,
         "2," TWELVE "400,256,3", 0,
         "o2(36,5033164800,0) o2(36,2516582400,0) o2(36,1258291200,0) o2(36,629145600,0) "
         "o2(36,314572800,0) o2(36,157286400,0) o2(36,78643200,0) o2(36,39321600,0) "
         "o2(36,19660800,0) o2(36,9830400,0) o2(36,4915200,0) o2(36,2457600,0) o2(36,1228800,0) "
         "o400(12,3072,0) o256(4800,12,0) s3(4,4) @0,0,0"},
        {"a row", "256:20", NULL, "256", 0, "s256(80,4) @0,0,0"},
        {"column-major indices of short rows", "10,256,90:1,10,2560", "10,256,1", "10,256:1,10", 2,
         "o2(5120,5120,512) o10(4,4,1024) o128(40,40,4) k90*10240 @0,0,0"},
        {"of rows that take lines of their own", "10,256,90:1,16,4096", "10,256,1", "10,256:1,10",
         2, "o10(4,4,1024) o256(64,40,4) k90*16384 @0,0,0"},
        {"one element", "", NULL, "", 0, "@0,0,0"},
    };
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); ++i) {
        clnd__problem problem;
        case_begin("blocks of rows", i);
        case_note("%s", rows[i].what);
        problem_from(rows[i].data, rows[i].indices, rows[i].dense, rows[i].batch_dims, &problem);
        clnd__problem_fold(&problem);
        if (!rows[i].indices)
            clnd__problem_split_rows(&problem, sizeof(float));
        clnd__problem_block_rows(&problem);
        check(strcmp(problem_text(&problem), rows[i].folded) == 0, "%s, expected %s",
              problem_text(&problem), rows[i].folded);
    }
}

Test(fold, rows_to_slice_moves_the_same)
{
    static pair wanted[MAX_ROWS * MAX_SLICE], got[MAX_ROWS * MAX_SLICE];
    for (int i = 0; i < case_count(3000); ++i) {
        clnd__problem before, after;
        int64_t index;
        case_begin("random rows to slice", i);
        random_problem(case_rng(), &before);
        before.n_coordinates = 0;
        case_note("%s", problem_text(&before));
        after = before;
        clnd__problem_rows_to_slice(&after);
        check(after.n_outer == 0, "rows are left");
        int n = 0;
        for (int64_t row = 0; row < clnd__problem_rows(&before); ++row)
            n += problem_row(&before, row, &index, wanted + n);
        sort_pairs(n, wanted);
        check(clnd__problem_slice_size(&after) == n, "other size");
        check(problem_row(&after, 0, &index, got) == n &&
                  memcmp(wanted, got, (size_t)n * sizeof *got) == 0,
              "other elements: %s", problem_text(&after));
    }
}

Test(problem, split_rows_are_one_axis_of_units)
{
    static pair wanted[MAX_SLICE], got[MAX_SLICE];
    int apart = 0;
    for (int i = 0; i < case_count(3000); ++i) {
        clnd__problem before, after;
        int64_t index;
        case_begin("random split", i);
        random_problem(case_rng(), &before);
        before.n_coordinates = before.n_outer = 0;
        clnd__problem_fold(&before);
        case_note("%s", problem_text(&before));
        const int64_t size = (int64_t)clnd_dtype_size(before.dtype);
        const int64_t unit = size % 2 || rng_range(case_rng(), 0, 1) ? size : size / 2;
        const clnd__axis *inner = before.n_slice > 0 ? &before.slice[before.n_slice - 1] : NULL;
        const bool is_run = inner && inner->data == size && inner->dense == size;
        after = before;
        clnd__problem_split_rows(&after, unit);
        const int kept = inner && (unit == size || is_run);
        check(after.n_slice == kept, "%d slice axes: %s", after.n_slice, problem_text(&after));
        check(clnd__problem_slice_size(&after) * clnd__problem_rows(&after) ==
                  clnd__problem_slice_size(&before),
              "other size: %s", problem_text(&after));
        int n = 0;
        for (int64_t row = 0; row < clnd__problem_rows(&after); ++row)
            n += problem_row(&after, row, &index, got + n);
        sort_pairs(n, got);
        check(problem_row(&before, 0, &index, wanted) == n &&
                  memcmp(wanted, got, (size_t)n * sizeof *got) == 0,
              "other elements: %s", problem_text(&after));
        apart += inner && kept == 0;
    }
    check(apart > 0, "no elements lay apart");
}

static void walk_coordinates(const clnd__problem *p, int k, int64_t at, int64_t *first,
                             int64_t *last)
{
    if (k == p->n_coordinates) {
        *first = at < *first ? at : *first;
        *last = at > *last ? at : *last;
        return;
    }
    for (int64_t value = 0; value < p->coordinates[k].extent; ++value)
        walk_coordinates(p, k + 1, at + value * p->coordinates[k].stride, first, last);
}

Test(problem, row_range_is_that_of_all_tuples)
{
    for (int i = 0; i < case_count(5000); ++i) {
        clnd__problem problem;
        case_begin("random row range", i);
        random_problem(case_rng(), &problem);
        if (problem.n_coordinates > 5)
            problem.n_coordinates = 5;
        case_note("%s", problem_text(&problem));
        int64_t wanted_first = INT64_MAX, wanted_last = INT64_MIN, first, last, index;
        clnd__problem rows = problem;
        rows.n_slice = 0;
        for (int64_t row = 0; row < clnd__problem_rows(&problem); ++row) {
            pair at;
            problem_row(&rows, row, &index, &at);
            walk_coordinates(&problem, 0, at.data, &wanted_first, &wanted_last);
        }
        clnd__problem_row_range(&problem, &first, &last);
        check(first == wanted_first && last == wanted_last,
              "[%" PRId64 ", %" PRId64 "], expected [%" PRId64 ", %" PRId64 "]", first, last,
              wanted_first, wanted_last);
    }
}

// Each row of updates as far behind the one before it, as a walk over all rows sees it.
Test(problem, rows_are_even)
{
    int n_even = 0, n_uneven = 0;
    const int cases = case_count(21000);
    for (int i = 0; i < cases; ++i) {
        clnd__problem problem;
        case_begin("random even rows", i);
        random_problem(case_rng(), &problem);
        clnd__problem_fold(&problem);
        problem.n_slice = 0;
        case_note("%s", problem_text(&problem));
        const int64_t rows = clnd__problem_rows(&problem);
        int64_t index, step, wanted = 0, last = problem.dense_offset;
        bool even = true;
        for (int64_t row = 1; row < rows; ++row) {
            pair at;
            problem_row(&problem, row, &index, &at);
            wanted = row == 1 ? at.dense - last : wanted;
            even &= at.dense - last == wanted;
            last = at.dense;
        }
        check(clnd__problem_rows_are_even(&problem, &step) == even, "expected %d", even);
        check(!even || step == wanted, "step %" PRId64 ", expected %" PRId64, step, wanted);
        n_even += even && problem.n_outer > 1;
        n_uneven += !even;
    }
    check(n_even > cases / 20 && n_uneven > cases / 20, "%d even, %d not", n_even, n_uneven);
}

// A step that needs more than 64 bits is none that another axis goes on with.
Test(problem, even_rows_beyond_64_bits)
{
    const clnd__problem problem = {.n_outer = 2,
                                   .outer = {{2, 0, 0, 0}, {4, 4, INT64_C(1) << 62, 0}}};
    int64_t step;
    case_begin("even rows beyond 64 bits", 0);
    check(!clnd__problem_rows_are_even(&problem, &step), "step %" PRId64, step);
}

Test(problem, scaled_data)
{
    static pair wanted[MAX_SLICE], got[MAX_SLICE];
    for (int i = 0; i < case_count(3000); ++i) {
        clnd__problem before, after;
        int64_t index;
        case_begin("random scale", i);
        random_problem(case_rng(), &before);
        case_note("%s", problem_text(&before));
        const int64_t size = (int64_t)clnd_dtype_size(before.dtype);
        const int64_t origin = before.data_offset % size + size * rng_range(case_rng(), -9, 3);
        after = before;
        clnd__problem_scale_data(&after, origin, 2 * size, size);
        for (int64_t row = 0; row < clnd__problem_rows(&before); ++row) {
            const int n = problem_row(&before, row, &index, wanted);
            problem_row(&after, row, &index, got);
            for (int e = 0; e < n; ++e)
                check(got[e].data == 2 * (wanted[e].data - origin) &&
                          got[e].dense == wanted[e].dense,
                      "element %d of row %" PRId64, e, row);
        }
        for (int k = 0; k < before.n_coordinates; ++k)
            check(after.coordinates[k].stride == 2 * before.coordinates[k].stride &&
                      after.coordinates[k].extent == before.coordinates[k].extent,
                  "coordinate %d", k);
    }
}

Test(problem, counts)
{
    const clnd__view view = {.dtype = CLND_FLOAT32};
    clnd__problem problem;
    clnd__problem_begin(&problem, &view, &view, NULL);
    check(clnd__problem_rows(&problem) == 1 && clnd__problem_slice_size(&problem) == 1, "scalar");
    clnd__problem_add_outer(&problem, INT64_C(1) << 40, 0, 0, 0);
    clnd__problem_add_slice(&problem, 7, 4, 4);
    clnd__problem_add_slice(&problem, 3, 4, 4);
    check(clnd__problem_rows(&problem) == INT64_C(1) << 40, "rows");
    check(clnd__problem_slice_size(&problem) == 21, "slice");
    clnd__problem_add_outer(&problem, INT64_C(1) << 40, 0, 0, 0);
    check(clnd__problem_rows(&problem) == INT64_MAX, "rows beyond 63 bits");
    clnd__problem_add_outer(&problem, 0, 0, 0, 0);
    check(clnd__problem_rows(&problem) == 0, "no rows");
    clnd__problem_add_slice(&problem, 0, 4, 4);
    check(clnd__problem_slice_size(&problem) == 0, "no elements");
}
