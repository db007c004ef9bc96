// SPDX-License-Identifier: Apache-2.0
//
// gather_nd: worked examples and named corners. Random cases are those of the differential test.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

// Worked examples --------------------------------------------------------------------------------

typedef struct example {
    const char *label;
    const char *params;  // int32
    const char *indices; // int64
    int32_t batch_dims;
    clnd_bounds bounds;
    const char *out; // or
    const char *message;
} example;

#define ERROR_ CLND_BOUNDS_ERROR
#define ZERO_  CLND_BOUNDS_ZERO
#define CLAMP_ CLND_BOUNDS_CLAMP
#define WRAP_  CLND_BOUNDS_WRAP
#define BAD    " does not index into params shape "

// What tests/golden has no case for. `out` also gives the shape of the output of a call that fails.
// clang-format off
static const example worked_examples[] = {
    {"g9 bad index of an empty slice", "3,0:", "2,1: 1 3", 0, ERROR_, "2,0:",
     "indices[1] = [3]" BAD "[3, 0]"},
    {"a single tuple", "2,2", "2: 5 0", 0, ERROR_, ":", "indices = [5, 0]" BAD "[2, 2]"},
    {"row of the issue", "2,2", "2,2: 0 0 5 0", 0, ERROR_, "2", "indices[1] = [5, 0]" BAD "[2, 2]"},
    {"each coordinate is checked", "4,4", "2,2: 0 3 0 7", 0, ERROR_, "2",
     "indices[1] = [0, 7]" BAD "[4, 4]"},
    {"each coordinate is checked, zero", "4,4", "2,2: 0 3 0 7", 0, ZERO_, "2: 3 0", NULL},
    {"rank-0 params", ": 9", "3,0:", 0, ERROR_, "3: 9 9 9", NULL},
    {"rank-0 params, one empty tuple", ": 9", "0:", 0, ERROR_, ": 9", NULL},
    {"wrap once only", "4", "2,1: -4 -5", 0, WRAP_, "2", "indices[1] = [-5] "},
    {"wrap leaves what is past the end", "4", "2,1: -4 4", 0, WRAP_, "2", "indices[1] = [4] "},
    {"clamp in a size of 0 is zero", "0,2:", "1,1: 0", 0, CLAMP_, "1,2: 0 0", NULL},
    {"clamp both ends", "4", "3,1: -9 2 9", 0, CLAMP_, "3: 0 2 3", NULL},
    {"first bad row, row-major", "2,2", "2,2,2: 0 0 1 1 0 9 7 0", 0, ERROR_, "2,2",
     "indices[1,0] = [0, 9]" BAD "[2, 2]"},
    {"bad batch row", "2,2", "2,2,1: 0 1 1 2", 1, ERROR_, "2,2", "indices[1,1] = [2] "},
    {"the batch neighbour is out of reach", "2,2", "2,1: 2 0", 1, ZERO_, "2: 0 2", NULL},
    {"tf: batch_dims, slices", "2,2,2", "2,1: 1 0", 1, ERROR_, "2,2: 2 3 4 5", NULL},
    {"tf: batch_dims, elements", "2,2,2", "2,1,2: 1 0 1 1", 1, ERROR_, "2,1: 2 7", NULL},
};
// clang-format on

static void run_example(const device *d, const example *e)
{
    rng *r = case_rng();
    placed params, indices, out;
    clnd_tensor shape;
    text_tensor(&params, "params", r, CLND_INT32, e->params);
    text_tensor(&indices, "indices", r, CLND_INT64, e->indices);
    text_space(&out, "out", r, CLND_INT32, e->out);
    placed_upload(&params, d);
    placed_upload(&indices, d);
    placed_upload(&out, d);
    clnd_gather_nd_options options = {.batch_dims = e->batch_dims, .bounds = e->bounds};
    check_status(clnd_gather_nd_shape(&params.tensor, &indices.tensor, &options, &shape), CLND_OK);
    check(shape.rank == out.tensor.rank &&
              memcmp(shape.shape, out.tensor.shape, (size_t)shape.rank * sizeof(int64_t)) == 0,
          "wrong shape of the result");
    check_status(clnd_gather_nd(d->engine, NULL, &params.tensor, &indices.tensor, &out.tensor,
                                &options, 0, NULL, NULL),
                 e->message ? CLND_INDEX_OUT_OF_BOUNDS : CLND_OK);
    if (e->message)
        check_message(e->message);
    else
        text_elements(&out, e->out);
    placed_check(&out, d, e->message ? EQUAL_AROUND : EQUAL_BITS, NULL);
    placed_free(&params);
    placed_free(&indices);
    placed_free(&out);
}

Test(gather_nd, worked_examples)
{
    const device *d = device_get();
    for (size_t i = 0; i < sizeof worked_examples / sizeof *worked_examples; i++) {
        case_begin("gather_nd worked examples", (int)i);
        case_note("%s", worked_examples[i].label);
        run_example(d, &worked_examples[i]);
    }
}

// Named corners ----------------------------------------------------------------------------------

// One dimension, int32 elements 0, 1, 2, ...; a row for each index. -1 in `expected`: zero.
static void gather_row(const device *d, int64_t size, clnd_dtype index_dtype, int64_t rows,
                       const int64_t *index, clnd_bounds bounds, const int64_t *expected,
                       int64_t bad)
{
    rng *r = case_rng();
    placed params, indices, out;
    int64_t index_shape[2] = {rows, 1};
    placed_from(&params, "params", r, CLND_INT32, 1, &size, NULL);
    placed_from(&indices, "indices", r, index_dtype, 2, index_shape, NULL);
    placed_from(&out, "out", r, CLND_INT32, 1, &rows, NULL);
    for (int64_t i = 0; i < size; i++)
        memcpy(ref_at(&params.host, &i), &(int32_t){(int32_t)i}, sizeof(int32_t));
    for (int64_t i = 0; i < rows; i++)
        values_write_index(index_dtype, index[i], ref_at(&indices.host, (int64_t[]){i, 0}));
    placed_upload(&params, d);
    placed_upload(&indices, d);
    placed_upload(&out, d);
    clnd_gather_nd_options options = {.bounds = bounds};
    check_status(clnd_gather_nd(d->engine, d->queue, &params.tensor, &indices.tensor, &out.tensor,
                                &options, 0, NULL, NULL),
                 bad < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS);
    if (bad >= 0)
        cases_check_bad_row(&indices, bad, "gather_nd", NULL);
    for (int64_t i = 0; i < rows && bad < 0; i++) {
        int32_t value = expected[i] < 0 ? 0 : (int32_t)expected[i];
        memcpy(ref_at(&out.host, &i), &value, sizeof value);
    }
    placed_check(&out, d, bad < 0 ? EQUAL_BITS : EQUAL_AROUND, NULL);
    placed_free(&params);
    placed_free(&indices);
    placed_free(&out);
}

Test(gather_nd, extreme_index_values)
{
    static const int64_t index[] = {INT64_MIN, 2, INT64_MAX, INT64_MIN + 1, 1, -1};
    const device *d = device_get();
    case_begin("gather_nd extreme indices", 0);
    gather_row(d, 5, CLND_INT64, 6, index, CLND_BOUNDS_ZERO, (int64_t[]){-1, 2, -1, -1, 1, -1}, -1);
    gather_row(d, 5, CLND_INT64, 6, index, CLND_BOUNDS_CLAMP, (int64_t[]){0, 2, 4, 0, 1, 0}, -1);
    gather_row(d, 5, CLND_INT64, 6, index, CLND_BOUNDS_ERROR, NULL, 0);
    gather_row(d, 5, CLND_INT64, 6, index, CLND_BOUNDS_WRAP, NULL, 0);
    gather_row(d, 5, CLND_INT64, 1, index + 5, CLND_BOUNDS_WRAP, (int64_t[]){4}, -1);
}

// CPUs refuse bad rows, other devices give zeros.
Test(gather_nd, default_policy)
{
    const device *d = device_get();
    case_begin("gather_nd default policy", 0);
    const bool refuses = d->facts->is_cpu;
    gather_row(d, 5, CLND_INT32, 3, (int64_t[]){4, 5, 0}, CLND_BOUNDS_DEFAULT,
               refuses ? NULL : (int64_t[]){4, -1, 0}, refuses ? 1 : -1);
}

// uint8 255 is an index, not -1; int8 -1 is none. Under WRAP, too, uint32 4294967295 is out of
// bounds. Kernels for rows have each dtype compiled in.
Test(gather_nd, narrow_index_dtypes_are_widened)
{
    const device *d = device_get();
    for (int rows = 0; rows < 2; rows++) {
        const device *taken = device_with(d, rows ? "rows" : "");
        case_begin("gather_nd narrow indices", rows);
        gather_row(taken, 300, CLND_UINT8, 3, (int64_t[]){255, 200, 128}, CLND_BOUNDS_ERROR,
                   (int64_t[]){255, 200, 128}, -1);
        gather_row(taken, 300, CLND_INT8, 3, (int64_t[]){127, -1, -128}, CLND_BOUNDS_ZERO,
                   (int64_t[]){127, -1, -1}, -1);
        gather_row(taken, 300, CLND_INT8, 3, (int64_t[]){127, -1, -128}, CLND_BOUNDS_WRAP,
                   (int64_t[]){127, 299, 172}, -1);
        gather_row(taken, 70000, CLND_INT16, 3, (int64_t[]){32767, -1, -32768}, CLND_BOUNDS_WRAP,
                   (int64_t[]){32767, 69999, 37232}, -1);
        gather_row(taken, 70000, CLND_UINT16, 2, (int64_t[]){65535, 40000}, CLND_BOUNDS_WRAP,
                   (int64_t[]){65535, 40000}, -1);
        gather_row(taken, 3, CLND_UINT32, 2, (int64_t[]){4294967295, 2}, CLND_BOUNDS_CLAMP,
                   (int64_t[]){2, 2}, -1);
        gather_row(taken, 3, CLND_UINT32, 2, (int64_t[]){2, 4294967295}, CLND_BOUNDS_WRAP, NULL, 1);
    }
}

// More rows than the index dtype can count (int16: 32767, int8: 127).
Test(gather_nd, more_rows_than_the_index_dtype_counts)
{
    enum { ROWS = 70001 };
    const device *d = device_get();
    int64_t *index = malloc(ROWS * sizeof *index);
    cr_assert(index);
    for (int i = 0; i < ROWS; i++)
        index[i] = i * 7 % 100;
    case_begin("gather_nd many rows", 0);
    gather_row(d, 100, CLND_INT16, ROWS, index, CLND_BOUNDS_ERROR, index, -1);
    gather_row(d, 100, CLND_INT8, ROWS, index, CLND_BOUNDS_ZERO, index, -1);
    index[ROWS - 1] = 100;
    gather_row(d, 100, CLND_INT16, ROWS, index, CLND_BOUNDS_ERROR, NULL, ROWS - 1);
    index[40000] = -2;
    gather_row(d, 100, CLND_INT16, ROWS, index, CLND_BOUNDS_ERROR, NULL, 40000);
    free(index);
}

// Params and indices may share memory: the tensor that indexes itself.
Test(gather_nd, params_and_indices_may_overlap)
{
    static const int32_t self[] = {3, 0, 1, 2};
    static const int32_t expected[] = {2, 3, 0, 1};
    const device *d = device_get();
    placed params, out;
    case_begin("gather_nd overlapping inputs", 0);
    placed_from(&params, "params", case_rng(), CLND_INT32, 1, (int64_t[]){4}, self);
    placed_from(&out, "out", case_rng(), CLND_INT32, 1, (int64_t[]){4}, NULL);
    placed_upload(&params, d);
    placed_upload(&out, d);
    clnd_tensor indices;
    check_status(
        clnd_tensor_dense(params.tensor.buffer, 0, CLND_INT32, 2, (int64_t[]){4, 1}, &indices),
        CLND_OK);
    check_status(
        clnd_gather_nd(d->engine, NULL, &params.tensor, &indices, &out.tensor, NULL, 0, NULL, NULL),
        CLND_OK);
    memcpy(out.host.data, expected, sizeof expected);
    placed_check(&out, d, EQUAL_BITS, NULL);
    placed_free(&params);
    placed_free(&out);
}

// Of three rows of `slice` elements two are bad.
static void gather_with_fill(const device *d, int64_t size, int64_t slice)
{
    const unsigned char fill[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                  13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
    check(size <= (int64_t)sizeof fill, "the fill value is too short");
    rng *r = case_rng();
    placed params, indices, out;
    placed_from(&params, "params", r, CLND_OPAQUE(size), 2, (int64_t[]){2, slice}, NULL);
    placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){3, 1}, (int32_t[]){2, 1, -1});
    placed_guarded(&out, "out", r, CLND_OPAQUE(size), 2, (int64_t[]){3, slice});
    placed_upload(&params, d);
    placed_upload(&indices, d);
    placed_upload(&out, d);
    const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_FILL, .fill = fill};
    check_status(clnd_gather_nd(d->engine, d->queue, &params.tensor, &indices.tensor, &out.tensor,
                                &options, 0, NULL, NULL),
                 CLND_OK);
    for (int64_t c = 0; c < slice; c++) {
        const void *good = ref_at(&params.host, (int64_t[]){1, c});
        for (int64_t row = 0; row < 3; row++)
            memcpy(ref_at(&out.host, (int64_t[]){row, c}), row == 1 ? good : fill, (size_t)size);
    }
    placed_check(&out, d, EQUAL_BITS, NULL);
    placed_free(&params);
    placed_free(&indices);
    placed_free(&out);
}

// The pattern of a fill value is a whole number of elements and of units.
Test(gather_nd, fill_values_of_several_units)
{
    static const struct {
        int64_t element, slice;
    } rows[] = {
        {12, 1}, // units of 4: 3 in an element
        {12, 2}, // of 8: 3 in two elements
        {12, 4}, // of 16: 3 in four elements
        {3, 4},  // of 4: 3 in four elements
        {24, 1}, // of 8: 3 in an element
        {5, 16}, // of 16: 5 in 16 elements
    };
    static const char *const strategies[] = {"must,lanes", "must,blocks"};
    const device *d = device_get();
    for (int i = 0; i < 2 * (int)(sizeof rows / sizeof *rows); i++) {
        case_begin("gather_nd fill values", i);
        case_note("rows of %d x %d bytes, %s", (int)rows[i / 2].slice, (int)rows[i / 2].element,
                  strategies[i % 2]);
        gather_with_fill(device_with(d, strategies[i % 2]), rows[i / 2].element, rows[i / 2].slice);
    }
}
