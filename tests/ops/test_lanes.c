// SPDX-License-Identifier: Apache-2.0
//
// The ways in which groups of work-items move rows, slices and tiles on GPUs (CLND_STRATEGY's words
// lanes, tiles, rows and long), on any device: each unit, rows that a lane, a few lanes, a group or
// several turns of one take, a row more and less than go together, tiles that end anywhere.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "rows_case.h"

// Each compiles a kernel: what else differs is looked at while it runs.
typedef struct kind {
    clnd_dtype dtype;
    int64_t width;
    int k;
    clnd_dtype index_dtype;
    bool aligned, far;
} kind;

static const kind kinds[] = {
    {CLND_UINT8, 1, 1, CLND_INT32, true, false},
    {CLND_FLOAT32, 1, 1, CLND_INT32, true, false},
    {CLND_FLOAT32, 5, 2, CLND_UINT8, true, false},
    {CLND_FLOAT32, 4, 1, CLND_INT64, true, false},
    {CLND_FLOAT64, 1, 3, CLND_INT64, true, true},
    {CLND_FLOAT64, 130, 1, CLND_INT32, true, true},
    {CLND_FLOAT32, 259, 2, CLND_INT32, true, true},
    {CLND_FLOAT32, 1036, 1, CLND_INT32, true, false},
    {CLND_FLOAT64, 3, 2, CLND_INT32, false, false},
};
static const kind summed[] = {
    {CLND_FLOAT32, 1, 1, CLND_INT32, true, false},  {CLND_FLOAT32, 5, 2, CLND_UINT8, true, false},
    {CLND_FLOAT32, 36, 1, CLND_INT64, true, false}, {CLND_FLOAT32, 1036, 1, CLND_INT32, true, true},
    {CLND_INT32, 259, 2, CLND_INT32, true, false},  {CLND_INT16, 6, 3, CLND_INT32, true, false},
    {CLND_COMPLEX64, 3, 1, CLND_INT64, true, true}, {CLND_FLOAT32, 8, 3, CLND_INT32, false, false},
};
static const int64_t counts[] = {1, 2, 63, 64, 65, 700};
static const clnd_bounds policies[] = {CLND_BOUNDS_ERROR, CLND_BOUNDS_ZERO, CLND_BOUNDS_FILL,
                                       CLND_BOUNDS_CLAMP, CLND_BOUNDS_WRAP};
enum { N_COUNTS = 6, N_POLICIES = 5 };

static void play_kinds(op_id op, clnd_reduce reduce, const char *words)
{
    const device *d = device_get();
    const bool gathers = op_is_gather(op), update = reduce == CLND_REDUCE_UPDATE;
    const kind *list = update ? kinds : summed;
    const int n = (int)(update ? sizeof kinds : sizeof summed) / (int)sizeof *kinds;
    for (int t = 0; t < n; t++)
        for (int c = 0; c < N_COUNTS * N_POLICIES; c += update ? 1 : 4) {
            const kind *one = &list[t];
            const clnd_bounds bounds = policies[c % N_POLICIES];
            // By default one policy a kind: most are compiled.
            if (case_count(N_POLICIES) < N_POLICIES && (t + c) % N_POLICIES > 0)
                continue;
            if (!gathers && (bounds == CLND_BOUNDS_FILL || clnd_dtype_size(one->dtype) > 8))
                continue;
            char text[64];
            snprintf(text, sizeof text, "%s%s", words, one->far ? ",long" : "");
            const by_rows rows = {.op = op,
                                  .dtype = one->dtype,
                                  .n = counts[c / N_POLICIES],
                                  .width = one->width,
                                  .k = one->k,
                                  .bounds = bounds,
                                  .reduce = reduce,
                                  .aligned = one->aligned,
                                  .odds = c % N_POLICIES ? 5 : 0,
                                  .index_dtype = one->index_dtype,
                                  .any_order = !gathers};
            if (one->index_dtype == CLND_UINT8 && bounds == CLND_BOUNDS_WRAP)
                continue; // -1 is none of its values
            case_begin("lanes", t * 100 + c);
            rows_case_run(d, &rows, text);
        }
}

Test(lanes, gather, .timeout = 300)
{
    play_kinds(OP_GATHER_ND, CLND_REDUCE_UPDATE, "lanes,rows");
}

// Rows of an odd number of bytes, moved in words, at any address: of a word and a bit, of many, of
// several turns, of 2-byte units, of elements longer than a unit.
Test(lanes, words, .timeout = 300)
{
    static const kind in_words[] = {
        {CLND_UINT8, 5, 1, CLND_INT32, false, false},
        {CLND_UINT8, 37, 2, CLND_INT64, false, true},
        {CLND_UINT8, 1100, 1, CLND_INT32, false, false},
        {CLND_INT16, 7, 3, CLND_INT32, false, false},
        {CLND_OPAQUE(3), 13, 1, CLND_INT64, false, false},
    };
    const device *d = device_get();
    for (int i = 0; i < 2 * (int)(sizeof in_words / sizeof *in_words); i++) {
        const kind *one = &in_words[i / 2];
        const bool gathers = i % 2;
        if (!gathers && clnd_dtype_size(one->dtype) == 3)
            continue; // not stored whole
        const by_rows rows = {.op = gathers ? OP_GATHER_ND : OP_SCATTER_ND_INTO,
                              .dtype = one->dtype,
                              .n = 301,
                              .width = one->width,
                              .k = one->k,
                              .bounds = gathers ? CLND_BOUNDS_FILL : CLND_BOUNDS_SKIP,
                              .reduce = CLND_REDUCE_UPDATE,
                              .odds = 5,
                              .index_dtype = one->index_dtype,
                              .any_order = !gathers};
        char text[64];
        snprintf(text, sizeof text, "%s%s", gathers ? "lanes,rows" : "store,lanes,rows",
                 one->far ? ",long" : "");
        case_begin("words", i);
        rows_case_run(d, &rows, text);
    }
}

Test(lanes, update, .timeout = 300)
{
    play_kinds(OP_SCATTER_ND_INTO, CLND_REDUCE_UPDATE, "store,lanes,rows");
}

// Whole numbers, whose sums are the same in any order.
Test(lanes, sum, .timeout = 300)
{
    play_kinds(OP_SCATTER_ND_INTO, CLND_REDUCE_ADD, "atomic,lanes,rows");
}

Test(lanes, difference_in_packs, .timeout = 300)
{
    play_kinds(OP_SCATTER_ND_INTO, CLND_REDUCE_SUB, "atomic,exchange,packs,lanes,rows");
}

// A report turns the kernels off.
Test(lanes, reported, .timeout = 300)
{
    const device *d = device_get();
    for (int i = 0; i < 8; i++) {
        const bool gathers = i % 2;
        const by_rows one = {.op = gathers ? OP_GATHER_ND : OP_SCATTER_ND_INTO,
                             .dtype = CLND_FLOAT32,
                             .n = 600,
                             .width = 4,
                             .k = 1,
                             .bounds = CLND_BOUNDS_ERROR,
                             .reduce = CLND_REDUCE_UPDATE,
                             .aligned = true,
                             .odds = i / 2 % 2 ? 50 : 0,
                             .index_dtype = CLND_INT32,
                             .any_order = !gathers,
                             .reported = true};
        case_begin("lanes reported", i);
        rows_case_run(d, &one, gathers ? "lanes,rows" : "store,lanes,rows");
    }
}

// Two row axes, which do not merge: the inner one's size divides the number of a row.
Test(lanes, row_axes, .timeout = 300)
{
    static const int64_t shapes[][2] = {{37, 53}, {2, 700}, {700, 2},
                                        {300, 3}, {64, 64}, {41, 129}};
    const device *d = device_get();
    for (int i = 0; i < 12; i++) {
        static problem p;
        const int64_t *shape = shapes[i / 2], data[] = {shape[0] + 3, shape[1] + 3};
        const values numbers = {.kind = VALUES_SUM, .limit = 100};
        case_begin("lanes row axes", i);
        rng *r = case_rng();
        memset(&p, 0, sizeof p);
        p.op = OP_GATHER_ELEMENTS;
        p.dtype = CLND_FLOAT32;
        p.index_dtype = CLND_INT32;
        p.bounds = p.given_bounds = CLND_BOUNDS_ZERO;
        p.axis = p.said_axis = i / 2 % 2;
        p.ordered = true;
        rows_case_place(&p.input, "params", r, p.dtype, 2, data, true);
        rows_case_place(&p.out, "out", r, p.dtype, 2, shape, true);
        rows_case_place(&p.indices, "indices", r, p.index_dtype, 2, shape, true);
        rows_case_indices(&p.indices, r, p.index_dtype, data[p.axis], 9);
        placed_fill(&p.input, r, &numbers);
        rows_case_play(&p, d, i % 2 ? "lanes,rows" : "lanes,rows,long");
    }
}

// Views of the tensors ----------------------------------------------------------------------------

static void swap_axes(placed *p, int a, int b)
{
    clnd_tensor *t = &p->tensor;
    const int64_t shape = t->shape[a], stride = t->strides[a];
    p->host.shape[a] = t->shape[a] = t->shape[b];
    p->host.strides[a] = t->strides[a] = t->strides[b];
    p->host.shape[b] = t->shape[b] = shape;
    p->host.strides[b] = t->strides[b] = stride;
}

static void reverse(placed *p, int axis)
{
    const int64_t bytes = p->tensor.strides[axis] * (int64_t)clnd_dtype_size(p->tensor.dtype);
    p->host.offset = p->tensor.offset += (size_t)((p->tensor.shape[axis] - 1) * bytes);
    p->host.strides[axis] = p->tensor.strides[axis] = -p->tensor.strides[axis];
}

// The first `size` of an axis.
static void narrow(placed *p, int axis, int64_t size)
{
    p->host.shape[axis] = p->tensor.shape[axis] = size;
}

static void begin_copy(problem *p, clnd_dtype dtype)
{
    memset(p, 0, sizeof *p);
    p->op = OP_COPY;
    p->dtype = dtype;
    p->rule = EQUAL_BITS;
}

static void fill_and_play(problem *p, const device *d, const char *expected, const char *words)
{
    const values bits = {.kind = VALUES_BITS};
    placed_fill(&p->input, case_rng(), &bits);
    rows_case_play(p, d, words);
    check(!expected || plan_takes(&p->plan, expected), "strategy %s", p->plan.strategy);
}

// Steps of which whole pieces are picked out of rows that begin where they must, and other steps;
// rows of no piece, of some, of many turns. Buffers end with the last unit that is read.
static void play_step(const device *d, clnd_dtype dtype, int64_t step, int64_t width, bool whole)
{
    static problem p;
    enum { ROWS = 5, GRAIN = 16 };
    const int64_t reach = (width - 1) * llabs(step) + 1;
    const int64_t rows = whole ? 1 : ROWS;
    const int64_t in = whole ? reach : (reach + GRAIN - 1) / GRAIN * GRAIN;
    const int64_t out = whole ? width : (width + GRAIN - 1) / GRAIN * GRAIN;
    const int64_t from[] = {rows, in}, to[] = {rows, out};
    case_note("%s, %d of step %d", clnd_dtype_name(dtype), (int)width, (int)step);
    begin_copy(&p, dtype);
    placed_from(&p.input, "source", case_rng(), dtype, 2, from, NULL);
    placed_from(&p.out, "target", case_rng(), dtype, 2, to, NULL);
    if (step < 0)
        reverse(&p.input, 1);
    p.input.host.strides[1] = p.input.tensor.strides[1] = step;
    narrow(&p.input, 1, width);
    narrow(&p.out, 1, width);
    fill_and_play(&p, d, "lanes", "lanes,rows");
}

Test(lanes, slice, .timeout = 300)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_FLOAT16, CLND_FLOAT32, CLND_FLOAT64};
    static const int64_t steps[] = {-1, 2, 3, 4, -2};
    static const int64_t widths[] = {2, 16, 17, 31, 64, 80, 333};
    const device *d = device_get();
    for (int i = 0; i < 4 * 5 * 7 * 2; i++) {
        case_begin("lanes slice", i);
        play_step(d, dtypes[i / 70], steps[i / 14 % 5], widths[i / 2 % 7], i % 2);
    }
    case_begin("lanes long slice", 0);
    play_step(d, CLND_UINT8, 2, 16400, false);
    case_begin("lanes long slice", 1);
    play_step(d, CLND_FLOAT32, -2, 1500, false);
}

// The same units from so many elements on.
static void shift(placed *p, int64_t elements)
{
    const size_t bytes = (size_t)elements * clnd_dtype_size(p->tensor.dtype);
    p->host.offset = p->tensor.offset += bytes;
}

// Pixels of `size` units in rows that begin anywhere, forwards or backwards, where words of dense
// are put together. Neighbours of each row are guards, or lie outside of the buffer.
static void play_pixels(const device *d, clnd_dtype dtype, int64_t pixels, int64_t size, bool back)
{
    static problem p;
    enum { ROWS = 6, MOST_SHIFT = 16 };
    rng *r = case_rng();
    const int64_t in_shift = rng_range(r, 0, MOST_SHIFT - 1),
                  out_shift = rng_range(r, 0, MOST_SHIFT - 1);
    const int64_t in = pixels * size + in_shift + rng_range(r, 0, 3);
    const int64_t out = pixels * size + out_shift + rng_range(r, 0, 3);
    const int64_t from[] = {ROWS, in, 1}, to[] = {ROWS, out, 1};
    case_note("%s, %d pixels of %d, from %d to %d%s", clnd_dtype_name(dtype), (int)pixels,
              (int)size, (int)in_shift, (int)out_shift, back ? ", backwards" : "");
    begin_copy(&p, dtype);
    placed_from(&p.input, "source", r, dtype, 3, from, NULL);
    placed_from(&p.out, "target", r, dtype, 3, to, NULL);
    placed *both[] = {&p.input, &p.out};
    for (int i = 0; i < 2; i++) {
        shift(both[i], i ? out_shift : in_shift);
        both[i]->host.strides[1] = both[i]->tensor.strides[1] = size;
        both[i]->host.strides[2] = both[i]->tensor.strides[2] = 1;
        narrow(both[i], 1, pixels);
        narrow(both[i], 2, size);
    }
    if (back)
        reverse(&p.input, 1);
    fill_and_play(&p, d, "lanes", pixels % 8 ? "lanes,rows" : "lanes,rows,long");
}

Test(lanes, pixels, .timeout = 300)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 6};
    const device *d = device_get();
    for (int i = 0; i < 200; i++) {
        case_begin("lanes pixels", i);
        const int64_t pixels = i < 20 ? 1 + i / 5 : rng_range(case_rng(), 1, 100);
        play_pixels(d, i % 3 ? CLND_UINT8 : CLND_FLOAT16, pixels, sizes[i % 5], i % 2);
    }
    for (int i = 0; i < 6; i++) {
        case_begin("lanes long pixels", i);
        play_pixels(d, i % 3 ? CLND_UINT8 : CLND_FLOAT16, 1400 + i, sizes[2 + i % 3], i % 2);
    }
}

// Two axes that change places, of any length, among others, backwards, out of wider tensors.
Test(lanes, tiles, .timeout = 300)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_FLOAT16, CLND_FLOAT32, CLND_FLOAT64,
                                        CLND_COMPLEX128};
    static const int64_t sizes[][2] = {{2, 2},  {16, 16},  {64, 64}, {33, 31},
                                       {1, 70}, {65, 130}, {3, 200}};
    const device *d = device_get();
    for (int i = 0; i < 5 * 7 * 4; i++) {
        static problem p;
        const int64_t *size = sizes[i / 4 % 7];
        const int64_t from[] = {3, size[0] + i % 2, size[1] + 1}, to[] = {3, size[1] + 1, size[0]};
        case_begin("tiles", i);
        begin_copy(&p, dtypes[i / 28]);
        placed_from(&p.input, "source", case_rng(), p.dtype, 3, from, NULL);
        placed_from(&p.out, "target", case_rng(), p.dtype, 3, to, NULL);
        if (i & 2) {
            reverse(&p.input, 2);
            reverse(&p.out, 0);
        }
        narrow(&p.input, 1, size[0]);
        swap_axes(&p.input, 1, 2);
        // An axis of size 1 leaves none to change places with.
        fill_and_play(&p, d, size[0] > 1 ? "tiles" : NULL,
                      i % 28 == 27 ? "tiles,lanes,rows,long" : "tiles,lanes,rows");
    }
}

// Fourteen axes beside the two.
Test(lanes, tiles_of_rank_16, .timeout = 300)
{
    static problem p;
    const device *d = device_get();
    int64_t shape[16];
    case_begin("tiles of rank 16", 0);
    for (int i = 0; i < 16; i++)
        shape[i] = i % 5 == 0 ? 2 : 1 + i % 2;
    shape[0] = 5;
    shape[15] = 3;
    begin_copy(&p, CLND_INT16);
    placed_from(&p.input, "source", case_rng(), p.dtype, 16, shape, NULL);
    placed_from(&p.out, "target", case_rng(), p.dtype, 16, shape, NULL);
    for (int i = 0; i < 16; i++) { // the target's dimensions lie in reversed order
        int64_t stride = 1;
        for (int j = 0; j < i; j++)
            stride *= shape[j];
        p.out.host.strides[i] = p.out.tensor.strides[i] = stride;
    }
    for (int i = 1; i < 16; i += 3)
        reverse(&p.input, i);
    fill_and_play(&p, d, "tiles", "tiles");
}

Test(lanes, tiles_are_refused)
{
    static problem p;
    const device *d = device_get();
    const int64_t shape[] = {4, 40, 4};
    case_begin("tiles refused", 0);
    begin_copy(&p, CLND_FLOAT32);
    placed_from(&p.input, "source", case_rng(), p.dtype, 3, shape, NULL);
    placed_from(&p.out, "target", case_rng(), p.dtype, 3, shape, NULL);
    reverse(&p.input, 1);
    placed_upload(&p.input, d);
    placed_upload(&p.out, d);
    check_status(clnd_copy(device_with(d, "must,tiles")->engine, d->queue, &p.input.tensor,
                           &p.out.tensor, NULL, 0, NULL, NULL),
                 CLND_INVALID_OPTION);
    check_message("strategy tiles needs an innermost dimension of the target that is not that of "
                  "the source");
    placed_check(&p.out, d, EQUAL_BITS, NULL);
    placed_free(&p.input);
    placed_free(&p.out);
}
