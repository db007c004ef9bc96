// SPDX-License-Identifier: Apache-2.0
//
// Single elements along an axis: a loop over the rows of the last axis, and one along it.

#include "baseline_inline.h"
#include "baseline_loops.h"

int64_t loop_elements_rows(const struct run *run)
{
    const struct bench_shape *indices = &run->what->indices;
    return run->layout.index_rows / indices->sizes[indices->rank - 1];
}

// Where a row of the last axis begins in data, without what the index says; `step` and `scale` are
// what one place along it and one index value move, in elements.
struct line {
    int64_t base, step, scale, length;
};

static struct line line_at(const struct run *run, int64_t row)
{
    const struct bench_case *what = run->what;
    const int last = what->data.rank - 1, axis = run->layout.axis;
    struct line line = {0, axis != last, 1, what->indices.sizes[last]};
    int64_t stride = what->data.sizes[last];
    for (int k = last - 1; k >= 0; --k) {
        if (k == axis)
            line.scale = stride;
        else
            line.base += row % what->indices.sizes[k] * stride;
        row /= what->indices.sizes[k];
        stride *= what->data.sizes[k];
    }
    return line;
}

ALWAYS_INLINE void gather_line(const struct line *line, const void *indices, size_t size,
                               const char *data, char *out, size_t element)
{
    for (int64_t j = 0; j < line->length; ++j) {
        const int64_t place = index_at(indices, size, j) * line->scale + j * line->step;
        memcpy(out + (size_t)j * element, data + (size_t)(line->base + place) * element, element);
    }
}

ALWAYS_INLINE void scatter_line(const struct line *line, const void *indices, size_t size,
                                const char *updates, char *target, size_t element, clnd_dtype dtype,
                                clnd_reduce reduce)
{
    for (int64_t j = 0; j < line->length; ++j) {
        const int64_t place = index_at(indices, size, j) * line->scale + j * line->step;
        combine(dtype, reduce, element, target + (size_t)(line->base + place) * element,
                updates + (size_t)j * element, 1);
    }
}

void loop_gather_elements(void *context, int64_t begin, int64_t end)
{
    const struct baseline *baseline = context;
    const struct run *run = baseline->run;
    const size_t element = run->layout.element, size = run->layout.index_width;
    for (int64_t row = begin; row < end; ++row) {
        const struct line line = line_at(run, row);
        const size_t first = (size_t)(row * line.length);
        const char *indices = (const char *)run->indices.view + first * size;
        char *out = (char *)baseline->output + first * element;
        if (element == 4 && size == 8)
            gather_line(&line, indices, 8, run->data.view, out, 4);
        else if (element == 4 && size == 4)
            gather_line(&line, indices, 4, run->data.view, out, 4);
        else
            gather_line(&line, indices, size, run->data.view, out, element);
    }
}

void loop_scatter_elements(void *context, int64_t begin, int64_t end)
{
    const struct baseline *baseline = context;
    const struct run *run = baseline->run;
    const struct bench_case *what = run->what;
    const size_t element = run->layout.element, size = run->layout.index_width;
    const bool float_add = what->dtype == CLND_FLOAT32 && what->reduce == CLND_REDUCE_ADD;
    for (int64_t row = begin; row < end; ++row) {
        const struct line line = line_at(run, row);
        const size_t first = (size_t)(row * line.length);
        const char *indices = (const char *)run->indices.view + first * size;
        const char *updates = (const char *)run->dense.view + first * element;
        if (float_add && size == 8)
            scatter_line(&line, indices, 8, updates, baseline->output, 4, CLND_FLOAT32,
                         CLND_REDUCE_ADD);
        else if (float_add && size == 4)
            scatter_line(&line, indices, 4, updates, baseline->output, 4, CLND_FLOAT32,
                         CLND_REDUCE_ADD);
        else
            scatter_line(&line, indices, size, updates, baseline->output, element, what->dtype,
                         what->reduce);
    }
}
