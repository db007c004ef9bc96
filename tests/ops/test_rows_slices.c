// SPDX-License-Identifier: Apache-2.0
//
// Gathers by kernels for rows whose slices are no contiguous rows, in data or in dense.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "rows_case.h"

typedef struct slices {
    const char *what;
    clnd_dtype dtype;
    int64_t shape[2];      // of a slice
    int64_t data[2];       // what lies in memory of the table, of which that is the middle
    int64_t dense[2];      // likewise of the output
    bool turned[2];        // the axes of the slice are swapped in data; in dense
    bool rows_are_columns; // the output's rows lie side by side, column by column
    clnd_bounds bounds;
} slices;

// Takes the middle of an axis.
static void crop(placed *p, int axis, int64_t size)
{
    const int64_t skipped = (p->host.shape[axis] - size) / 2 * p->host.strides[axis];
    const int64_t bytes = skipped * (int64_t)clnd_dtype_size(p->tensor.dtype);
    p->tensor.offset += (uint64_t)bytes;
    p->host.offset += (uint64_t)bytes;
    p->host.shape[axis] = p->tensor.shape[axis] = size;
}

static void swap(int64_t *a, int64_t *b)
{
    const int64_t kept = *a;
    *a = *b;
    *b = kept;
}

static void swap_axes(placed *p, int a, int b)
{
    swap(&p->tensor.shape[a], &p->tensor.shape[b]);
    swap(&p->tensor.strides[a], &p->tensor.strides[b]);
    swap(&p->host.shape[a], &p->host.shape[b]);
    swap(&p->host.strides[a], &p->host.strides[b]);
}

// A tensor of slices whose first axes are `rows`.
static void place(placed *p, const char *name, rng *r, const slices *s, int n_rows,
                  const int64_t *rows, const int64_t *whole, bool turned)
{
    int64_t shape[CLND_MAX_RANK];
    memcpy(shape, rows, (size_t)n_rows * sizeof *shape);
    shape[n_rows] = whole[turned];
    shape[n_rows + 1] = whole[!turned];
    placed_guarded(p, name, r, s->dtype, n_rows + 2, shape);
    if (turned)
        swap_axes(p, n_rows, n_rows + 1);
    crop(p, n_rows, s->shape[0]);
    crop(p, n_rows + 1, s->shape[1]);
}

static void gather(const device *d, const slices *s, int k, const char *words)
{
    enum { EXTENT = 7, ROWS = 301 };
    static problem p;
    static const int64_t table[] = {EXTENT, EXTENT};
    const values bits = {.kind = VALUES_BITS};
    rng *r = case_rng();
    memset(&p, 0, sizeof p);
    p.op = OP_GATHER_ND;
    p.dtype = s->dtype;
    p.index_dtype = CLND_INT32;
    p.bounds = p.given_bounds = s->bounds;
    p.rule = EQUAL_BITS;
    p.ordered = true;
    p.fill = calloc(1, 16);
    check(p.fill, "out of memory");
    for (int i = 0; i < 16; i++)
        ((unsigned char *)p.fill)[i] = (unsigned char)(0x5a + i);
    placed_guarded(&p.indices, "indices", r, p.index_dtype, 2, (int64_t[]){ROWS, k});
    rows_case_indices(&p.indices, r, p.index_dtype, EXTENT,
                      s->bounds == CLND_BOUNDS_ERROR ? 0 : 150);
    place(&p.input, "table", r, s, k, table, s->data, s->turned[0]);
    place(&p.out, "rows", r, s, 1, (int64_t[]){ROWS}, s->dense, s->turned[1]);
    if (s->rows_are_columns) { // the same memory, of as many slices in another order
        placed_free(&p.out);
        placed_guarded(&p.out, "rows", r, s->dtype, 3, (int64_t[]){s->shape[1], s->shape[0], ROWS});
        swap_axes(&p.out, 0, 2);
    }
    placed_fill(&p.input, r, &bits);
    placed_fill(&p.out, r, &bits);
    case_note("%s, %d coordinates, %s", s->what, k, words);
    rows_case_play(&p, d, words);
}

Test(rows_slices, gathered, .timeout = 300)
{
    static const slices cases[] = {
        {"crops of single rows' parts",
         CLND_FLOAT32,
         {6, 6},
         {8, 8},
         {6, 6},
         {0},
         false,
         CLND_BOUNDS_FILL},
        {"parts of two bytes", CLND_UINT8, {5, 2}, {5, 4}, {5, 2}, {0}, false, CLND_BOUNDS_ERROR},
        {"long parts", CLND_FLOAT64, {3, 33}, {3, 35}, {4, 33}, {0}, false, CLND_BOUNDS_FILL},
        {"gaps in the output", CLND_FLOAT32, {8, 8}, {8, 8}, {8, 10}, {0}, false, CLND_BOUNDS_ZERO},
        {"turned in data",
         CLND_INT16,
         {3, 4},
         {5, 4},
         {3, 4},
         {true, false},
         false,
         CLND_BOUNDS_FILL},
        {"turned in dense",
         CLND_COMPLEX128,
         {2, 3},
         {2, 3},
         {4, 3},
         {false, true},
         false,
         CLND_BOUNDS_ERROR},
        {"long, turned in data",
         CLND_FLOAT32,
         {2, 70},
         {2, 70},
         {2, 70},
         {true, false},
         false,
         CLND_BOUNDS_FILL},
        {"elements of three units",
         CLND_OPAQUE(12),
         {2, 3},
         {2, 3},
         {2, 3},
         {true, false},
         false,
         CLND_BOUNDS_FILL},
        {"columns of rows", CLND_UINT8, {4, 5}, {4, 7}, {0}, {0}, true, CLND_BOUNDS_ERROR},
    };
    static const char *const words[] = {"blocks,rows", "blocks,rows,stream", "blocks,rows,long"};
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        case_begin("slices", i);
        gather(d, &cases[i], 1 + i % 2, words[i % 3]);
    }
}
