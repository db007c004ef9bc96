// SPDX-License-Identifier: Apache-2.0
//
// Lowering: the kernels' arguments, read as kernels_cl/location.clh reads them, name the same bytes
// as the problem.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host/base/dtype.h"
#include "host/exec/move.h"
#include "problems.h"

enum { MAX_CHUNKS = MAX_SLICE * 24 };

typedef struct stretch {
    int64_t data, dense, count, data_step, dense_step;
} stretch;

static void find_row(const clnd_move_args *args, int64_t row, pair *at, int64_t *index)
{
    *at = (pair){args->data_offset, args->dense_offset};
    *index = args->index_offset;
    for (int64_t d = args->n_outer - 1; d >= 0; --d) {
        const clnd_axis_args *axis = &args->axes[d];
        const int64_t rest = d > 0 ? row / axis->size : 0;
        const int64_t i = row - rest * axis->size;
        at->data += i * axis->data;
        at->dense += i * axis->dense;
        *index += i * axis->index;
        row = rest;
    }
}

static stretch find_stretch(const clnd_move_args *args, int64_t column, int64_t last)
{
    const clnd_axis_args *inner = &args->axes[CLND_SLICE_AXIS(0)];
    int64_t rest = args->n_slice > 1 ? column / inner->size : 0;
    const int64_t i = column - rest * inner->size;
    stretch s = {i * inner->data, i * inner->dense, inner->size - i, inner->data, inner->dense};
    if (s.count > last - column)
        s.count = last - column;
    for (int64_t j = 1; j < args->n_slice; ++j) {
        const clnd_axis_args *axis = &args->axes[CLND_SLICE_AXIS(j)];
        const int64_t next = j < args->n_slice - 1 ? rest / axis->size : 0;
        s.data += (rest - next * axis->size) * axis->data;
        s.dense += (rest - next * axis->size) * axis->dense;
        rest = next;
    }
    return s;
}

// The `size` bytes from `at` on in pieces of `grain`.
static void add_chunks(pair at, int64_t size, int64_t grain, int *n, pair *chunks)
{
    for (int64_t byte = 0; byte < size; byte += grain)
        chunks[(*n)++] = (pair){at.data + byte, at.dense + byte};
}

// What a row moves when every work-item takes `columns` columns.
static int moved_by_row(const clnd__move *move, int64_t row, int64_t columns, int64_t grain,
                        int64_t *index, pair *chunks)
{
    const clnd_move_args *args = &move->args;
    int n = 0;
    pair at;
    find_row(args, row, &at, index);
    for (int64_t first = 0; first < args->columns; first += columns) {
        const int64_t last = args->columns - first < columns ? args->columns : first + columns;
        for (int64_t column = first; column < last;) {
            const stretch s = find_stretch(args, column, last);
            check(s.count > 0, "an empty stretch at column %" PRId64, column);
            for (int64_t i = 0; i < s.count; ++i) {
                const pair unit = {at.data + s.data + i * s.data_step,
                                   at.dense + s.dense + i * s.dense_step};
                add_chunks(unit, move->unit, grain, &n, chunks);
            }
            column += s.count;
        }
    }
    sort_pairs(n, chunks);
    return n;
}

static int64_t common_grain(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void check_lowered(rng *r, const clnd__problem *p, int64_t unit)
{
    static pair wanted[MAX_CHUNKS], got[MAX_CHUNKS], elements[MAX_SLICE];
    const int64_t size = (int64_t)clnd_dtype_size(p->dtype), grain = common_grain(unit, size);
    clnd__move move;
    memset(&move, 0x55, sizeof move);
    clnd__lower(p, unit, &move);
    const clnd_move_args *args = &move.args;
    check(move.unit == unit && args->rows == clnd__problem_rows(p) &&
              args->columns * unit == clnd__problem_slice_size(p) * size,
          "unit %" PRId64 ", %" PRId64 " rows of %" PRId64 " columns", move.unit, args->rows,
          args->columns);
    check(args->n_slice >= 1 && args->n_outer == p->n_outer &&
              args->n_outer + args->n_slice <= CLND_ARGS_AXES,
          "%" PRId64 " row axes, %" PRId64 " slice axes", args->n_outer, args->n_slice);
    check(args->n_coordinates == p->n_coordinates && args->index_step == p->index_step &&
              args->index_kind == clnd__dtype_kind(p->index_dtype),
          "tuples are read otherwise");
    for (int k = 0; k < p->n_coordinates; ++k)
        check(args->coordinates[k].extent == p->coordinates[k].extent &&
                  args->coordinates[k].stride == p->coordinates[k].stride,
              "coordinate %d", k);
    check(args->first_row == 0 && args->adjust == 0 && args->fill_units == 0, "not cleared");
    for (int64_t row = 0; row < args->rows; ++row) {
        int64_t wanted_index, got_index;
        int n = 0;
        const int count = problem_row(p, row, &wanted_index, elements);
        for (int e = 0; e < count; ++e)
            add_chunks(elements[e], size, grain, &n, wanted);
        sort_pairs(n, wanted);
        const int64_t columns = rng_chance(r, 50) ? args->columns : rng_range(r, 1, args->columns);
        const int m = moved_by_row(&move, row, columns, grain, &got_index, got);
        check(n == m && memcmp(wanted, got, (size_t)n * sizeof *got) == 0,
              "row %" PRId64 " moves other bytes in blocks of %" PRId64 " columns", row, columns);
        check(p->n_coordinates == 0 || wanted_index == got_index,
              "row %" PRId64 " reads its tuple at another place", row);
    }
}

// Whether everything that a kernel adds to an address is a multiple of `unit`, places of tuples
// aside, and rows divide into units.
static bool all_divisible(const clnd__problem *p, int64_t unit, size_t alignment)
{
    const int64_t size = (int64_t)clnd_dtype_size(p->dtype);
    const clnd__axis *last = p->n_slice ? &p->slice[p->n_slice - 1] : NULL;
    const bool run = last && last->data == size && last->dense == size;
    bool good =
        alignment % (size_t)unit == 0 && p->data_offset % unit == 0 && p->dense_offset % unit == 0;
    good = good && (run ? last->size * size : size) % unit == 0;
    for (int i = 0; i < p->n_outer; ++i)
        good = good && p->outer[i].data % unit == 0 && p->outer[i].dense % unit == 0;
    for (int i = 0; i < p->n_slice - run; ++i)
        good = good && p->slice[i].data % unit == 0 && p->slice[i].dense % unit == 0;
    for (int k = 0; k < p->n_coordinates; ++k)
        good = good && p->coordinates[k].stride % unit == 0;
    return good;
}

Test(lower, random_problems_name_the_same_bytes)
{
    const int count = case_count(30000);
    int wide = 0, widest[17] = {0};
    for (int i = 0; i < count; ++i) {
        clnd__problem p;
        case_begin("random lower", i);
        rng *r = case_rng();
        random_problem(r, &p);
        clnd__problem_fold(&p);
        const size_t alignment = (size_t)1 << rng_range(r, rng_chance(r, 20) ? 0 : 4, 7);
        const int64_t unit = clnd__widest_unit(&p, alignment);
        case_note("%s of %zu bytes aligned to %zu, unit %" PRId64, problem_text(&p),
                  clnd_dtype_size(p.dtype), alignment, unit);
        check(unit == 1 || unit == 2 || unit == 4 || unit == 8 || unit == 16, "no unit");
        check(all_divisible(&p, unit, alignment), "does not divide everything");
        check(unit == 16 || !all_divisible(&p, 2 * unit, alignment), "twice as much would");
        ++widest[unit];
        wide += (size_t)unit > clnd_dtype_size(p.dtype);
        check_lowered(r, &p, unit);
        check_lowered(r, &p, 1);
        check_lowered(r, &p, (int64_t)clnd_dtype_size(p.dtype));
    }
    check(wide > count / 60, "only %d units are wider than an element", wide);
    for (int unit = 1; unit <= 16; unit *= 2)
        check(widest[unit] > count / 100, "only %d units of %d", widest[unit], unit);
}

// Each place that can spoil a unit of 16, alone.
Test(lower, widest_unit_looks_everywhere)
{
    const clnd__view view = {.dtype = CLND_INT8}, ints = {.dtype = CLND_INT32};
    clnd__problem good, p;
    clnd__problem_begin(&good, &view, &view, &ints);
    clnd__problem_add_outer(&good, 3, 64, 32, 4);
    clnd__problem_add_outer(&good, 3, 160, 96, 4);
    clnd__problem_add_slice(&good, 2, 16, 16);
    clnd__problem_add_slice(&good, 16, 1, 1);
    clnd__problem_add_coordinate(&good, 5, 640);
    clnd__problem_add_coordinate(&good, 5, 64);
    good.index_step = 4;
    check(clnd__widest_unit(&good, 64) == 16, "16");
    check(clnd__widest_unit(&good, 8) == 8, "alignment");
    check(clnd__widest_unit(&good, 64 | 4) == 4, "alignment of two buffers");
    p = good;
    p.index_offset = 4;
    check(clnd__widest_unit(&p, 64) == 16, "indices are read on their own");
#define SPOIL(field, by)                                                                           \
    for (int64_t unit = 8; unit >= 1; unit /= 2) {                                                 \
        p = good;                                                                                  \
        p.field by unit;                                                                           \
        check(clnd__widest_unit(&p, 64) == unit, #field " " #by " %" PRId64, unit);                \
    }
    SPOIL(data_offset, +=)
    SPOIL(dense_offset, +=)
    SPOIL(outer[0].data, -=)
    SPOIL(outer[1].data, +=)
    SPOIL(outer[0].dense, +=)
    SPOIL(outer[1].dense, -=)
    SPOIL(slice[0].data, +=)
    SPOIL(slice[0].dense, +=)
    SPOIL(slice[1].size, +=)
    SPOIL(coordinates[0].stride, +=)
    SPOIL(coordinates[1].stride, -=)
#undef SPOIL
    // An innermost axis with gaps is no run: elements move one by one.
    p = good;
    p.slice[1].data = 2;
    check(clnd__widest_unit(&p, 64) == 1, "gaps in data");
    p = good;
    p.slice[1].dense = 32;
    check(clnd__widest_unit(&p, 64) == 1, "gaps in dense");
    p = good;
    p.dtype = CLND_COMPLEX128;
    p.slice[1] = (clnd__axis){4, 24, 16, 0};
    check(clnd__widest_unit(&p, 64) == 8, "the innermost axis counts where it is no run");
}

// An element wider than 16 bytes is a slice axis of its own.
Test(lower, seventeen_axes)
{
    const clnd__view view = {.dtype = CLND_OPAQUE(48)};
    clnd__problem p;
    clnd__move move;
    clnd__problem_begin(&p, &view, &view, NULL);
    for (int d = 0; d < CLND_MAX_RANK; ++d)
        clnd__problem_add_slice(&p, 2, INT64_C(48) << d, INT64_C(96) << (CLND_MAX_RANK - d));
    clnd__lower(&p, clnd__widest_unit(&p, 16), &move);
    check(move.unit == 16 && move.args.n_slice == 17 && move.args.columns == 3 << 16,
          "unit %" PRId64 ", %" PRId64 " axes", move.unit, (int64_t)move.args.n_slice);
    const clnd_axis_args *inner = &move.args.axes[CLND_SLICE_AXIS(0)];
    check(inner->size == 3 && inner->data == 16 && inner->dense == 16 && inner->index == 0, "run");
    for (int j = 1; j < 17; ++j)
        check(move.args.axes[CLND_SLICE_AXIS(j)].data == INT64_C(48) << (16 - j), "axis %d", j);
}
