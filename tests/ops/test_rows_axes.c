// SPDX-License-Identifier: Apache-2.0
//
// Kernels that CPUs compile for rows, where it is the axes that make the difference: short ones,
// whose rows are taken together; exchanged ones, which go by tiles; three elements turned round.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "rows_case.h"

static void begin(problem *p, op_id op, clnd_dtype dtype)
{
    memset(p, 0, sizeof *p);
    p->op = op;
    p->dtype = dtype;
    p->rule = EQUAL_BITS;
    p->deterministic = p->ordered = true;
}

// Elements along the middle axis of [before, extent, behind].
static void play_elements(const device *d, op_id op, const int64_t shape[3], int turn,
                          const char *words)
{
    static const clnd_dtype index_dtypes[] = {CLND_INT32, CLND_INT64, CLND_UINT8};
    static problem p;
    enum { EXTENT = 11 };
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const int64_t table[] = {shape[0], EXTENT, shape[2]};
    const bool gathers = op == OP_GATHER_ELEMENTS;
    rng *r = case_rng();
    begin(&p, op, turn % 2 ? CLND_FLOAT32 : CLND_INT16);
    p.index_dtype = index_dtypes[turn % 3];
    p.reduce = turn % 4 < 2 ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
    p.bounds = p.given_bounds = turn % 5 ? CLND_BOUNDS_SKIP : CLND_BOUNDS_ERROR;
    p.axis = p.said_axis = 1;
    rows_case_place(&p.indices, "indices", r, p.index_dtype, 3, shape, turn % 7 != 6);
    rows_case_indices(&p.indices, r, p.index_dtype, EXTENT,
                      p.bounds == CLND_BOUNDS_SKIP && p.index_dtype != CLND_UINT8 ? 20 : 0);
    rows_case_place(gathers ? &p.input : &p.out, "table", r, p.dtype, 3, table, true);
    rows_case_place(gathers ? &p.out : &p.input, "rows", r, p.dtype, 3, shape, true);
    placed_fill(&p.input, r, &numbers);
    placed_fill(&p.out, r, &numbers);
    case_note("%s, [%d, %d, %d], turn %d, %s", op_names[op], (int)shape[0], (int)shape[1],
              (int)shape[2], turn, words);
    rows_case_play(&p, d, words);
}

// Stretches of which all those of one outer index are short together, or not; others.
Test(rows_axes, short_stretches, .timeout = 300)
{
    static const int64_t shapes[][3] = {{40, 5, 6}, {7, 50, 9},  {1, 300, 2}, {3, 7, 63},
                                        {5, 3, 64}, {600, 1, 3}, {9, 255, 1}, {2, 2, 256}};
    static const char *const scatters[] = {"owner,rows", "outer,rows", "buckets,rows"};
    enum { N_SHAPES = sizeof shapes / sizeof *shapes };
    const device *d = device_get();
    for (int i = 0; i < N_SHAPES * 12; i++) {
        // Two shapes with each op and index dtype, at every level.
        if ((i % N_SHAPES > 1 || i > 6 * N_SHAPES) && !case_is_taken(i))
            continue;
        case_begin("short stretches", i);
        if (i / N_SHAPES % 2)
            play_elements(d, OP_GATHER_ELEMENTS, shapes[i % N_SHAPES], i / 2, "blocks,rows");
        else
            play_elements(d, OP_SCATTER_ELEMENTS, shapes[i % N_SHAPES], i / 2, scatters[i % 3]);
    }
}

// The array's first two axes change places, in its tensor alone.
static void exchange_first(placed *p)
{
    const int64_t shape = p->host.shape[0], stride = p->host.strides[0];
    p->host.shape[0] = p->tensor.shape[0] = p->host.shape[1];
    p->host.strides[0] = p->tensor.strides[0] = p->host.strides[1];
    p->host.shape[1] = p->tensor.shape[1] = shape;
    p->host.strides[1] = p->tensor.strides[1] = stride;
}

typedef enum layout { DENSE, COLUMN_MAJOR, PART, BROADCAST } layout;

// Places a tensor of two dimensions: the first half of longer rows (PART), or a column that stands
// for all (BROADCAST).
static void place_matrix(placed *p, const char *name, rng *r, clnd_dtype dtype,
                         const int64_t shape[2], layout layout)
{
    const int64_t turned[] = {shape[1], shape[0]}, wide[] = {shape[0], 2 * shape[1]};
    const int64_t *whole = layout == COLUMN_MAJOR ? turned : layout == PART ? wide : shape;
    rows_case_place(p, name, r, dtype, 2, whole, true);
    if (layout == COLUMN_MAJOR)
        exchange_first(p);
    if (layout == PART)
        p->host.shape[1] = p->tensor.shape[1] = shape[1];
    if (layout == BROADCAST)
        p->host.strides[1] = p->tensor.strides[1] = 0;
}

// Elements along the last axis by indices that do not lie side by side, with bad ones among them or
// none, or out of a table whose columns lie apart: rows go by blocks, or several stretches at once.
Test(rows_axes, apart)
{
    static const op_id ops[] = {OP_GATHER_ELEMENTS, OP_SCATTER_ELEMENTS};
    static const int64_t shapes[][2] = {{520, 5}, {130, 40}, {40, 300}};
    static const char *const words[] = {"blocks,rows", "outer,rows", "blocks,rows", "buckets,rows"};
    static const layout layouts[] = {COLUMN_MAJOR, PART, BROADCAST, DENSE}; // of indices
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < 48; i++) {
        const int64_t *shape = shapes[i / 4 % 3], extent = 9;
        const int64_t table[] = {shape[0], extent};
        const bool gathers = i % 2 == 0;
        const layout of_indices = layouts[i / 12];
        static problem p;
        rng *r = case_rng();
        case_begin("apart", i);
        begin(&p, ops[i % 2], CLND_FLOAT32);
        p.index_dtype = CLND_INT32;
        p.reduce = CLND_REDUCE_ADD;
        p.bounds = p.given_bounds = CLND_BOUNDS_SKIP;
        p.axis = p.said_axis = 1;
        place_matrix(&p.indices, "indices", r, CLND_INT32, shape, of_indices);
        rows_case_indices(&p.indices, r, CLND_INT32, extent, i % 4 < 2 ? 20 : 0);
        place_matrix(gathers ? &p.input : &p.out, "table", r, p.dtype, table,
                     of_indices == DENSE ? COLUMN_MAJOR : DENSE);
        rows_case_place(gathers ? &p.out : &p.input, "rows", r, p.dtype, 2, shape, true);
        placed_fill(&p.input, r, &numbers);
        placed_fill(&p.out, r, &numbers);
        rows_case_play(&p, d, words[i % 4]);
    }
}

// Work-items whose rows are fewer than a stretch has and lie in two, located in several steps; with
// indices of their own for each stretch, or the same for all, along one outer axis or two.
Test(rows_axes, long_rows_of_short_stretches)
{
    enum { EXTENT = 20 };
    static const int64_t shapes[][4] = {
        {2, 1, 30, 225}, {3, 1, 63, 40}, {5, 1, 25, 300}, {3, 2, 40, 129}};
    static const op_id ops[] = {OP_GATHER, OP_SCATTER};
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < 16; i++) {
        const int64_t *shape = shapes[i / 2 % 4];
        const int batch_dims = i < 8 ? 2 : 0;
        const bool gathers = ops[i % 2] == OP_GATHER;
        static problem p;
        rng *r = case_rng();
        case_begin("long rows", i);
        begin(&p, ops[i % 2], CLND_FLOAT32);
        p.index_dtype = CLND_INT32;
        p.reduce = CLND_REDUCE_ADD;
        p.axis = p.said_axis = 2;
        p.batch_dims = p.said_batch_dims = batch_dims;
        rows_case_place(&p.indices, "indices", r, CLND_INT32, 1 + batch_dims,
                        shape + 2 - batch_dims, true);
        rows_case_indices(&p.indices, r, CLND_INT32, EXTENT, 0);
        rows_case_place(gathers ? &p.input : &p.out, "table", r, p.dtype, 4,
                        (int64_t[]){shape[1], shape[0], EXTENT, shape[3]}, true);
        rows_case_place(gathers ? &p.out : &p.input, "rows", r, p.dtype, 4, shape, true);
        exchange_first(gathers ? &p.input : &p.out);
        placed_fill(&p.input, r, &numbers);
        placed_fill(&p.out, r, &numbers);
        rows_case_play(&p, d, gathers ? "blocks,rows" : "owner,rows");
    }
}

// Stretches that all have the same tuples: of one row up to more than are taken together, with bad
// ones among them or none, for work-items that begin inside a stretch. Few lengths of rows, for
// each of which kernels are compiled.
Test(rows_axes, same_tuples, .timeout = 300)
{
    enum { EXTENT = 70 };
    static const int64_t shapes[][3] = {{900, 3, 1},   {300, 7, 1},   {1500, 1, 1},
                                        {9, 70, 129},  {12, 63, 129}, {12, 64, 129},
                                        {33, 20, 129}, {20, 255, 1},  {20, 256, 1}};
    static const char *const words[] = {"blocks,rows", "owner,rows", "buckets,rows", "store,rows",
                                        "private,rows"};
    enum { N_SHAPES = sizeof shapes / sizeof *shapes, N_WAYS = sizeof words / sizeof *words };
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < N_SHAPES * N_WAYS * 2; i++) {
        const int64_t *shape = shapes[i % N_SHAPES];
        const int way = i / N_SHAPES % N_WAYS;
        const bool gathers = way == 0, has_bad = i / N_SHAPES / N_WAYS != 0;
        static problem p;
        rng *r = case_rng();
        case_begin("same tuples", i);
        begin(&p, gathers ? OP_GATHER : OP_SCATTER, way == 1 ? CLND_UINT8 : CLND_FLOAT32);
        p.index_dtype = way < 2 ? CLND_INT64 : CLND_INT32;
        p.reduce = way >= 3 ? CLND_REDUCE_UPDATE : CLND_REDUCE_ADD;
        p.bounds = p.given_bounds = !has_bad  ? CLND_BOUNDS_ERROR
                                    : gathers ? CLND_BOUNDS_ZERO
                                              : CLND_BOUNDS_SKIP;
        p.axis = p.said_axis = 1;
        rows_case_place(&p.indices, "indices", r, p.index_dtype, 1, shape + 1, true);
        rows_case_indices(&p.indices, r, p.index_dtype, EXTENT, has_bad ? 3 : 0);
        rows_case_place(gathers ? &p.input : &p.out, "table", r, p.dtype, 3,
                        (int64_t[]){shape[0], EXTENT, shape[2]}, true);
        rows_case_place(gathers ? &p.out : &p.input, "rows", r, p.dtype, 3, shape, true);
        placed_fill(&p.input, r, &numbers);
        placed_fill(&p.out, r, &numbers);
        case_note("[%d, %d, %d], %s", (int)shape[0], (int)shape[1], (int)shape[2], words[way]);
        rows_case_play(&p, d, words[way]);
    }
}

// Elements along the first axis of a table that is not near. Every third stretch of indices repeats
// one of them, as where a vector of indices has been broadcast along the second axis, and every
// third one does so to its middle. `last_is_bad`: the last index is.
static void play_first_axis(const device *d, op_id op, clnd_dtype dtype, int64_t extent,
                            int64_t rows, int64_t columns, int turn, bool last_is_bad,
                            const char *words)
{
    static problem p;
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const int64_t shape[] = {rows, columns}, table[] = {extent, columns};
    const bool gathers = op == OP_GATHER_ELEMENTS;
    rng *r = case_rng();
    begin(&p, op, dtype);
    p.index_dtype = turn % 2 ? CLND_INT32 : CLND_INT64;
    p.reduce = turn % 3 ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE;
    p.bounds = p.given_bounds = turn % 4 < 2 ? CLND_BOUNDS_SKIP : CLND_BOUNDS_ERROR;
    rows_case_place(&p.indices, "indices", r, p.index_dtype, 2, shape, true);
    rows_case_indices(&p.indices, r, p.index_dtype, extent, turn % 4 == 0 ? 500 : 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 1; j < (i % 3 == 0 ? columns : i % 3 == 1 ? columns / 2 : 0); j++)
            memcpy(ref_at(&p.indices.host, (int64_t[]){i, j}),
                   ref_at(&p.indices.host, (int64_t[]){i, 0}), clnd_dtype_size(p.index_dtype));
    if (last_is_bad)
        memset(ref_at(&p.indices.host, (int64_t[]){rows - 1, columns - 1}), 0x7f,
               clnd_dtype_size(p.index_dtype));
    rows_case_place(gathers ? &p.input : &p.out, "table", r, dtype, 2, table, true);
    rows_case_place(gathers ? &p.out : &p.input, "rows", r, dtype, 2, shape, true);
    placed_fill(&p.input, r, &numbers);
    placed_fill(&p.out, r, &numbers);
    case_note("%s, dtype %s, [%d, %d], turn %d, %s", op_names[op], clnd_dtype_name(dtype),
              (int)rows, (int)columns, turn, words);
    rows_case_play(&p, d, words);
}

// Stretches of less than a batch and of more; those that work-items divide among themselves do not
// lie behind one another.
Test(rows_axes, along_the_first_axis, .timeout = 300)
{
    static const struct {
        clnd_dtype dtype;
        int64_t rows, columns;
    } cases[] = {{CLND_FLOAT32, 40, 1403}, {CLND_FLOAT32, 3, 1400},   {CLND_INT16, 30, 256},
                 {CLND_UINT8, 9, 600},     {CLND_COMPLEX128, 50, 40}, {CLND_FLOAT32, 1, 700},
                 {CLND_FLOAT64, 100, 65}};
    static const char *const scatters[] = {"outer,rows", "owner,rows", "buckets,rows"};
    enum { N_CASES = sizeof cases / sizeof *cases };
    const device *d = device_get();
    for (int i = 0; i < N_CASES * 12; i++) {
        const int turn = i / N_CASES, k = i % N_CASES;
        // The longest in each way, and one scatter of each other, at every level.
        if ((k > 0 ? turn != 4 * (k % 3) : turn >= 4) && !case_is_taken(i))
            continue;
        case_begin("along the first axis", i);
        const bool gathers = turn % 4 == 3;
        const int64_t row = cases[k].columns * (int64_t)clnd_dtype_size(cases[k].dtype);
        play_first_axis(d, gathers ? OP_GATHER_ELEMENTS : OP_SCATTER_ELEMENTS, cases[k].dtype,
                        300000 / row, cases[k].rows, cases[k].columns, turn / 4 * 5 + turn % 4 + k,
                        false, gathers ? "blocks,rows" : scatters[turn % 4]);
    }
}

// In blocks of columns, of which all that indices select from is near. They leave a rest.
Test(rows_axes, along_the_first_axis_in_blocks)
{
    enum { EXTENT = 64, ROWS = 70, COLUMNS = 8195 };
    const device *d = device_get();
    for (int i = 0; i < 6; i++) {
        const bool gathers = i % 2 == 0, last_is_bad = i >= 4;
        const int turn = last_is_bad ? i - 2 : i;
        case_begin("along the first axis in blocks", i);
        play_first_axis(d, gathers ? OP_GATHER_ELEMENTS : OP_SCATTER_ELEMENTS, CLND_FLOAT32, EXTENT,
                        ROWS, COLUMNS, turn, last_is_bad, gathers ? "blocks,rows" : "outer,rows");
    }
}

// Dimension d of the array becomes the one that was dimension order[d].
static void permute(placed *p, const int order[3])
{
    const placed old = *p;
    for (int i = 0; i < 3; i++) {
        p->host.shape[i] = p->tensor.shape[i] = old.host.shape[order[i]];
        p->host.strides[i] = p->tensor.strides[i] = old.host.strides[order[i]];
    }
}

// Rows that lie as far apart as their columns take, which are not contiguous: every third element
// along the second axis of [stretches, columns, extent]. Their indices ascend.
Test(rows_axes, rows_between_columns)
{
    enum { EXTENT = 30000, COLUMNS = 3, ROWS = 40 };
    static const int64_t table[] = {4, COLUMNS, EXTENT * COLUMNS}, updates[] = {4, ROWS, COLUMNS},
                         tuples[] = {4, ROWS + 7};
    static const clnd_reduce reductions[] = {CLND_REDUCE_ADD, CLND_REDUCE_UPDATE, CLND_REDUCE_MAX};
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < 3; i++) {
        static problem p;
        rng *r = case_rng();
        case_begin("rows between columns", i);
        begin(&p, OP_SCATTER, CLND_FLOAT32);
        p.index_dtype = CLND_INT32;
        p.reduce = reductions[i];
        p.axis = p.said_axis = 1;
        p.batch_dims = p.said_batch_dims = 1;
        rows_case_place(&p.indices, "indices", r, p.index_dtype, 2, tuples, true);
        rows_case_place(&p.out, "table", r, p.dtype, 3, table, true);
        rows_case_place(&p.input, "rows", r, p.dtype, 3, updates, true);
        p.indices.host.shape[1] = p.indices.tensor.shape[1] = ROWS;
        permute(&p.out, (const int[]){0, 2, 1});
        p.out.host.shape[1] = p.out.tensor.shape[1] = EXTENT;
        p.out.host.strides[1] *= COLUMNS;
        p.out.tensor.strides[1] *= COLUMNS;
        for (int64_t j = 0; j < table[0] * ROWS; j++)
            *(int32_t *)ref_at(&p.indices.host, (int64_t[]){j / ROWS, j % ROWS}) =
                (int32_t)(j % ROWS);
        placed_fill(&p.input, r, &numbers);
        placed_fill(&p.out, r, &numbers);
        rows_case_play(&p, d, "outer,rows");
    }
}

// From the last one to the first.
static void turn_round(placed *p, int axis)
{
    const int64_t last = (p->host.shape[axis] - 1) * p->host.strides[axis];
    const int64_t bytes = last * (int64_t)clnd_dtype_size(p->tensor.dtype);
    p->host.offset += (uint64_t)bytes;
    p->tensor.offset += (uint64_t)bytes;
    p->host.strides[axis] *= -1;
    p->tensor.strides[axis] *= -1;
}

// Less than a tile on either side, whole tiles, and lines of the target that are not the caches';
// half of them in reverse along the axis on which the input is contiguous, as if rotated.
Test(rows_axes, exchanged, .timeout = 300)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT16, CLND_FLOAT32, CLND_FLOAT64,
                                        CLND_COMPLEX128};
    static const int64_t shapes[][3] = {{2, 140, 70}, {1, 64, 64},  {3, 16, 17}, {40, 3, 65},
                                        {5, 8, 128},  {130, 1, 64}, {2, 33, 5},  {64, 2, 192}};
    static const int orders[][3] = {{0, 2, 1}, {2, 1, 0}, {1, 2, 0}};
    static const char *const words[] = {"blocks,rows", "blocks,rows,stream"};
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < 5 * 8 * 3 * 2; i++) {
        const int t = i % 5, s = i / 5 % 8, o = i / 40 % 3;
        static problem p;
        if (((s != 0 && s != 2) || o > 0) && !case_is_taken(i)) // whole tiles, and less than one
            continue;
        rng *r = case_rng();
        case_begin("exchanged axes", i);
        case_note("dtype %s, shape %d, order %d", clnd_dtype_name(dtypes[t]), s, o);
        begin(&p, OP_COPY, dtypes[t]);
        rows_case_place(&p.input, "input", r, p.dtype, 3, shapes[s], true);
        permute(&p.input, orders[o]);
        if ((t + i / 120) % 2)
            turn_round(&p.input, o == 0 ? 1 : o == 1 ? 0 : 1);
        rows_case_place(&p.out, "out", r, p.dtype, 3, p.input.host.shape, i % 4 != 3);
        placed_fill(&p.input, r, &numbers);
        rows_case_play(&p, d, words[i / 120]);
    }
}

// Rows that are divided into blocks, because they share lines with those along another axis.
Test(rows_axes, exchanged_in_blocks)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_FLOAT32};
    static const int64_t shapes[][3] = {{260, 40, 3}, {1, 384, 90}};
    static const int orders[][3] = {{1, 0, 2}, {0, 2, 1}};
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < 4; i++) {
        const int s = i / 2;
        static problem p;
        rng *r = case_rng();
        case_begin("exchanged in blocks", i);
        begin(&p, OP_COPY, dtypes[i % 2]);
        rows_case_place(&p.input, "input", r, p.dtype, 3, shapes[s], true);
        if (s == 1) { // every second element
            p.input.host.shape[2] = p.input.tensor.shape[2] = shapes[s][2] / 2;
            p.input.host.strides[2] = p.input.tensor.strides[2] = 2;
        }
        permute(&p.input, orders[s]);
        rows_case_place(&p.out, "out", r, p.dtype, 3, p.input.host.shape, true);
        placed_fill(&p.input, r, &numbers);
        rows_case_play(&p, d, "blocks,rows");
    }
}

// Pixels of three elements, next to one another or not, also from the last one on; nothing lies
// behind the last one that is taken.
static void play_pixels(const char *title, const int64_t steps[3], int64_t inner)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT16, CLND_FLOAT32, CLND_FLOAT64};
    static const int64_t widths[] = {1, 15, 16, 17, 64, 65, 200};
    static const char *const words[] = {"blocks,rows", "blocks,rows,stream"};
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < 4 * 7 * 3 * 2; i++) {
        const int t = i % 4, s = i / 28 % 3;
        const int64_t width = widths[i / 4 % 7], reach = (width - 1) * llabs(steps[s]) + 1;
        const int64_t whole[] = {3, reach, 3}, part[] = {3, width, 3};
        static problem p;
        if ((t % 3 > 0 || s > 0 || width < 64) && !case_is_taken(i))
            continue;
        rng *r = case_rng();
        case_begin(title, i);
        case_note("dtype %s, %d of step %d", clnd_dtype_name(dtypes[t]), (int)width, (int)steps[s]);
        begin(&p, OP_STRIDED_SLICE, dtypes[t]);
        p.taken = (clnd_slice){
            .length = 3, .begin_mask = 7, .end_mask = 7, .strides = {1, steps[s], inner}};
        rows_case_place(&p.input, "input", r, p.dtype, 3, whole, i % 3 != 2);
        rows_case_place(&p.out, "out", r, p.dtype, 3, part, i % 4 != 3);
        placed_fill(&p.input, r, &numbers);
        rows_case_play(&p, d, words[i / 84]);
    }
}

Test(rows_axes, pixels_turned, .timeout = 300)
{
    play_pixels("pixels turned", (const int64_t[]){1, 2, -1}, -1);
}

Test(rows_axes, pixels_picked, .timeout = 300)
{
    play_pixels("pixels picked", (const int64_t[]){2, -1, 3}, 1);
}

// Runs of few rows, many of them at equal distances, around which another axis begins anew; into a
// target between whose elements others lie, too.
Test(rows_axes, short_runs, .timeout = 300)
{
    enum { OUTER = 3, AROUND = 40, REACH = 9, WIDTH = 21 };
    static const int64_t rows[] = {2, 3, 8, 9}, steps[] = {1, -1, 4};
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_FLOAT32, CLND_INT16};
    static const char *const words[] = {"blocks,rows", "blocks,rows,stream"};
    static const int64_t whole[] = {OUTER, AROUND + 1, REACH, WIDTH};
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < 4 * 3 * 3 * 2; i++) {
        const int64_t n = rows[i % 4], step = steps[i / 4 % 3], back = i % 3 == 1;
        const int64_t width = (WIDTH - 3 + llabs(step) - 1) / llabs(step);
        const int64_t part[] = {OUTER, AROUND, n, width};
        static problem p;
        if (step != 1 && !case_is_taken(i))
            continue;
        rng *r = case_rng();
        case_begin("short runs", i);
        case_note("%d rows %s, step %d", (int)n, back ? "backwards" : "forwards", (int)step);
        begin(&p, i / 36 ? OP_STRIDED_SLICE_ASSIGN : OP_STRIDED_SLICE, dtypes[i / 12 % 3]);
        p.taken = (clnd_slice){.length = 4,
                               .begin = {0, 1, back ? n - 1 : 0, step < 0 ? WIDTH - 2 : 1},
                               .end = {0, 0, back ? -REACH - 1 : n, step < 0 ? 1 : WIDTH - 2},
                               .strides = {1, 1, back ? -1 : 1, step},
                               .begin_mask = 1,
                               .end_mask = 3};
        const bool assigns = p.op == OP_STRIDED_SLICE_ASSIGN;
        rows_case_place(&p.input, "input", r, p.dtype, 4, assigns ? part : whole, i % 5 != 4);
        rows_case_place(&p.out, "out", r, p.dtype, 4, assigns ? whole : part, i % 7 != 6);
        placed_fill(&p.input, r, &numbers);
        placed_fill(&p.out, r, &numbers);
        rows_case_play(&p, d, words[i / 4 % 2]);
    }
}

// Rows that are stored past the caches, put together to lines or by themselves: shorter than a line
// and longer, of whole lines and not, in lines of the target and beside them, with and without room
// between the blocks of the target.
Test(rows_axes, streamed, .timeout = 300)
{
    static const int64_t widths[] = {1, 3, 6, 13, 20, 37, 63, 64, 65, 100, 200, 333, 640, 1000};
    static const int64_t steps[] = {1, -1, 2};
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_FLOAT32, CLND_UINT16};
    enum { N_WIDTHS = sizeof widths / sizeof *widths, BLOCKS = 3, ROWS = 70 };
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < N_WIDTHS * 3 * 2 * 2; i++) {
        const int64_t width = widths[i % N_WIDTHS], step = steps[i / N_WIDTHS % 3];
        const int64_t reach = (width - 1) * llabs(step) + 1, room = i / N_WIDTHS / 3 % 2;
        static problem p;
        if (step == 2 && width < 333 && !case_is_taken(i))
            continue;
        rng *r = case_rng();
        case_begin("streamed rows", i);
        case_note("rows of %d, step %d, room %d", (int)width, (int)step, (int)room);
        begin(&p, OP_STRIDED_SLICE, dtypes[i / N_WIDTHS % 3]);
        p.taken = (clnd_slice){.length = 3,
                               .begin = {0, 0, reach - 1},
                               .end = {0, 0, reach},
                               .strides = {1, 1, step},
                               .begin_mask = step > 0 ? 7 : 3,
                               .end_mask = step > 0 ? 3 : 7};
        rows_case_place(&p.input, "input", r, p.dtype, 3, (int64_t[]){BLOCKS, ROWS, reach + 1},
                        i % 3 != 2);
        rows_case_place(&p.out, "out", r, p.dtype, 3, (int64_t[]){BLOCKS, ROWS + room, width},
                        i / N_WIDTHS / 6 == 0);
        p.out.host.shape[1] = p.out.tensor.shape[1] = ROWS;
        placed_fill(&p.input, r, &numbers);
        rows_case_play(&p, d, "blocks,rows,stream");
    }
}

// The same of rows that are gathered, some of which are filled instead.
Test(rows_axes, gathered_together, .timeout = 300)
{
    static const int64_t widths[] = {3, 37, 100, 1000};
    static const int64_t counts[] = {1, 63, 301};
    enum { N_WIDTHS = sizeof widths / sizeof *widths };
    const device *d = device_get();
    for (int i = 0; i < N_WIDTHS * 3 * 2; i++) {
        const by_rows one = {.op = OP_GATHER_ND,
                             .dtype = CLND_UINT8,
                             .n = counts[i / N_WIDTHS % 3],
                             .width = widths[i % N_WIDTHS],
                             .k = 1,
                             .bounds = i % 2 ? CLND_BOUNDS_ERROR : CLND_BOUNDS_ZERO,
                             .aligned = i / N_WIDTHS / 3 == 0,
                             .odds = i % 2 ? 0 : 100};
        case_begin("gathered together", i);
        rows_case_run(d, &one, "blocks,rows,stream");
    }
}

// Each row is gathered from data of its own, by tuples that are located a few at a time.
Test(rows_axes, batches_of_long_tuples)
{
    static problem p;
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < 6; i++) {
        const int64_t n = 100 + 37 * i, k = 2 + i % 3;
        const int64_t tables[][6] = {{n, 3, 3, 5}, {n, 3, 3, 3, 5}, {n, 3, 3, 3, 3, 5}};
        rng *r = case_rng();
        case_begin("batches of long tuples", i);
        begin(&p, OP_GATHER_ND, CLND_FLOAT32);
        p.index_dtype = CLND_INT64;
        p.batch_dims = p.said_batch_dims = 1;
        p.bounds = p.given_bounds = CLND_BOUNDS_ERROR;
        rows_case_place(&p.indices, "indices", r, p.index_dtype, 2, (int64_t[]){n, k}, true);
        rows_case_indices(&p.indices, r, p.index_dtype, 3, 0);
        rows_case_place(&p.input, "table", r, p.dtype, (int)k + 2, tables[k - 2], true);
        rows_case_place(&p.out, "rows", r, p.dtype, 2, (int64_t[]){n, 5}, true);
        placed_fill(&p.input, r, &numbers);
        placed_fill(&p.out, r, &numbers);
        rows_case_play(&p, d, "blocks,rows");
    }
}

// Batches whose near data comes together, and of whose rows few fit what they are streamed from;
// enough of them for work-items to take several.
Test(rows_axes, batches_of_staged_rows)
{
    enum { BATCHES = 40, ROWS = 70, EXTENT = 4 };
    static const int64_t widths[] = {999, 585};
    static problem p;
    const values numbers = {.kind = VALUES_SUM, .limit = 100};
    const device *d = device_get();
    for (int i = 0; i < 2; i++) {
        const int64_t tuples[] = {BATCHES, ROWS, 1}, table[] = {BATCHES, EXTENT, widths[i]},
                      rows[] = {BATCHES, ROWS, widths[i]};
        rng *r = case_rng();
        case_begin("batches of staged rows", i);
        begin(&p, OP_GATHER_ND, CLND_UINT8);
        p.index_dtype = CLND_INT32;
        p.batch_dims = p.said_batch_dims = 1;
        p.bounds = p.given_bounds = CLND_BOUNDS_ERROR;
        rows_case_place(&p.indices, "indices", r, p.index_dtype, 3, tuples, true);
        rows_case_indices(&p.indices, r, p.index_dtype, EXTENT, 0);
        rows_case_place(&p.input, "table", r, p.dtype, 3, table, true);
        rows_case_place(&p.out, "rows", r, p.dtype, 3, rows, true);
        placed_fill(&p.input, r, &numbers);
        placed_fill(&p.out, r, &numbers);
        rows_case_play(&p, d, "blocks,rows,stream");
    }
}
