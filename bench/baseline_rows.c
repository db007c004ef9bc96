// SPDX-License-Identifier: Apache-2.0
//
// Rows that tuples of indices name.

#include "baseline_inline.h"
#include "baseline_loops.h"

// What the tuples of a case with index dtypes of 4 or 8 bytes are made of.
struct tuples {
    const void *indices;
    int64_t rows, data_rows;        // of a batch
    int64_t strides[CLND_MAX_RANK]; // rows of data
};

static struct tuples tuples_of(const struct run *run, int depth)
{
    const struct bench_case *what = run->what;
    int64_t batches = 1;
    for (int i = 0; i < what->batch_dims; ++i)
        batches *= what->data.sizes[i];
    struct tuples tuples = {
        run->indices.view, run->layout.rows / batches, run->layout.data_rows / batches, {0}};
    for (int64_t k = depth - 1, step = what->row_step ? what->row_step : 1; k >= 0;
         step *= what->data.sizes[what->batch_dims + k--])
        tuples.strides[k] = step;
    return tuples;
}

// The row of data of row i, when all of `size` and `depth` are constants.
ALWAYS_INLINE int64_t row_at(const struct tuples *tuples, size_t size, int depth, int64_t i)
{
    int64_t row = 0;
    for (int k = 0; k < depth; ++k)
        row += index_at(tuples->indices, size, i * depth + k) * tuples->strides[k];
    return row;
}

ALWAYS_INLINE void gather(const struct baseline *baseline, int64_t begin, int64_t end, size_t size,
                          int depth, size_t bytes)
{
    const struct run *run = baseline->run;
    const struct tuples tuples = tuples_of(run, depth);
    const char *data = run->data.view;
    char *out = baseline->output;
    // Batch by batch, so that no row needs a division.
    for (int64_t first = begin, last; first < end; first = last) {
        const int64_t batch = first / tuples.rows;
        const char *from = data + (size_t)(batch * tuples.data_rows) * bytes;
        last = (batch + 1) * tuples.rows < end ? (batch + 1) * tuples.rows : end;
        for (int64_t i = first; i < last; ++i)
            memcpy(out + (size_t)i * bytes, from + (size_t)row_at(&tuples, size, depth, i) * bytes,
                   bytes);
    }
}

// Small rows have loops of their own.
ALWAYS_INLINE void gather_any(const struct baseline *baseline, int64_t begin, int64_t end,
                              size_t size, int depth)
{
    const size_t bytes = (size_t)baseline->run->layout.width * baseline->run->layout.element;
    switch (bytes) {
    case 1:
        gather(baseline, begin, end, size, depth, 1);
        break;
    case 2:
        gather(baseline, begin, end, size, depth, 2);
        break;
    case 4:
        gather(baseline, begin, end, size, depth, 4);
        break;
    case 8:
        gather(baseline, begin, end, size, depth, 8);
        break;
    case 12:
        gather(baseline, begin, end, size, depth, 12);
        break;
    case 16:
        gather(baseline, begin, end, size, depth, 16);
        break;
    case 20:
        gather(baseline, begin, end, size, depth, 20);
        break;
    case 32:
        gather(baseline, begin, end, size, depth, 32);
        break;
    case 64:
        gather(baseline, begin, end, size, depth, 64);
        break;
    default:
        gather(baseline, begin, end, size, depth, bytes);
        break;
    }
}

// Tuples of up to four values have loops of their own.
#define BY_DEPTH(loop, size)                                                                       \
    switch (depth) {                                                                               \
    case 1:                                                                                        \
        loop(baseline, begin, end, size, 1);                                                       \
        break;                                                                                     \
    case 2:                                                                                        \
        loop(baseline, begin, end, size, 2);                                                       \
        break;                                                                                     \
    case 3:                                                                                        \
        loop(baseline, begin, end, size, 3);                                                       \
        break;                                                                                     \
    case 4:                                                                                        \
        loop(baseline, begin, end, size, 4);                                                       \
        break;                                                                                     \
    default:                                                                                       \
        loop(baseline, begin, end, size, depth);                                                   \
        break;                                                                                     \
    }

#define BY_TUPLE(loop)                                                                             \
    {                                                                                              \
        const struct bench_shape *shape = &baseline->run->what->indices;                           \
        const int depth = (int)shape->sizes[shape->rank - 1];                                      \
        const size_t index_size = clnd_dtype_size(baseline->run->what->index_dtype);               \
        if (index_size == 4)                                                                       \
            BY_DEPTH(loop, 4)                                                                      \
        else if (index_size == 8)                                                                  \
            BY_DEPTH(loop, 8)                                                                      \
        else                                                                                       \
            loop(baseline, begin, end, index_size, depth);                                         \
    }

// Along an axis: the rows are known.
static void gather_drawn(const struct baseline *baseline, int64_t begin, int64_t end)
{
    const struct run *run = baseline->run;
    const size_t bytes = (size_t)run->layout.width * run->layout.element;
    for (int64_t i = begin; i < end; ++i)
        memcpy((char *)baseline->output + (size_t)i * bytes,
               (const char *)run->data.view + run->row[i] * bytes, bytes);
}

void loop_gather(void *context, int64_t begin, int64_t end)
{
    const struct baseline *baseline = context;
    if (baseline->run->what->op == OP_GATHER)
        gather_drawn(baseline, begin, end);
    else
        BY_TUPLE(gather_any)
}

ALWAYS_INLINE void scatter(const struct baseline *baseline, int64_t begin, int64_t end, size_t size,
                           int depth, clnd_dtype dtype, clnd_reduce reduce, int64_t width)
{
    const struct run *run = baseline->run;
    const size_t element = run->layout.element, bytes = (size_t)width * element;
    const struct tuples tuples = tuples_of(run, depth);
    const char *updates = run->dense.view;
    char *target = baseline->output;
    for (int64_t i = begin; i < end; ++i) {
        const int64_t row = row_at(&tuples, size, depth, i);
        combine(dtype, reduce, element, target + (size_t)row * bytes, updates + (size_t)i * bytes,
                width);
    }
}

ALWAYS_INLINE void scatter_any(const struct baseline *baseline, int64_t begin, int64_t end,
                               size_t size, int depth)
{
    const struct bench_case *what = baseline->run->what;
    const int64_t width = baseline->run->layout.width;
    const bool add = what->reduce == CLND_REDUCE_ADD;
    if (add && what->dtype == CLND_FLOAT32 && width == 1)
        scatter(baseline, begin, end, size, depth, CLND_FLOAT32, CLND_REDUCE_ADD, 1);
    else if (add && what->dtype == CLND_INT32 && width == 1)
        scatter(baseline, begin, end, size, depth, CLND_INT32, CLND_REDUCE_ADD, 1);
    else if (add && what->dtype == CLND_FLOAT32)
        scatter(baseline, begin, end, size, depth, CLND_FLOAT32, CLND_REDUCE_ADD, width);
    else
        scatter(baseline, begin, end, size, depth, what->dtype, what->reduce, width);
}

void loop_scatter(void *context, int64_t begin, int64_t end)
{
    const struct baseline *baseline = context;
    BY_TUPLE(scatter_any)
}
