// SPDX-License-Identifier: Apache-2.0
//
// A slice through the strides of its view.

#include "baseline_inline.h"
#include "baseline_loops.h"

// The axes that a row has: the innermost, or all innermost ones that are contiguous.
static int row_axes(const clnd_tensor *view, int64_t *length, int64_t *stride)
{
    int axis = view->rank;
    *length = 1;
    *stride = 1;
    while (axis > 0 && (view->strides[axis - 1] == *length || view->shape[axis - 1] == 1))
        *length *= view->shape[--axis];
    if (axis == 0 || *length > 1)
        return axis;
    *stride = view->strides[axis - 1];
    *length = view->shape[axis - 1];
    return axis - 1;
}

int64_t loop_slice_rows(const clnd_tensor *view)
{
    int64_t length, stride, rows = 1;
    const int axes = row_axes(view, &length, &stride);
    for (int k = 0; k < axes; ++k)
        rows *= view->shape[k];
    return rows;
}

ALWAYS_INLINE void copy_elements(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                                 int64_t length, size_t element)
{
    for (int64_t j = 0; j < length; ++j)
        memcpy(to + j * to_stride * (int64_t)element, from + j * from_stride * (int64_t)element,
               element);
}

ALWAYS_INLINE void copy_row(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                            int64_t length, size_t element)
{
    if (to_stride == 1 && from_stride == 1)
        memcpy(to, from, (size_t)length * element);
    else if (element == 4)
        copy_elements(to, to_stride, from, from_stride, length, 4);
    else if (element == 1)
        copy_elements(to, to_stride, from, from_stride, length, 1);
    else
        copy_elements(to, to_stride, from, from_stride, length, element);
}

void loop_slice(void *context, int64_t begin, int64_t end)
{
    const struct baseline *baseline = context;
    const clnd_tensor *view = &baseline->view;
    const struct run *run = baseline->run;
    const size_t element = run->layout.element;
    const bool assigns = run->what->op == OP_SLICE_ASSIGN;
    char *data = (char *)(assigns ? baseline->output : run->data.view) + view->offset;
    char *dense = assigns ? run->dense.view : baseline->output;
    int64_t length, stride, position[CLND_MAX_RANK];
    const int axes = row_axes(view, &length, &stride);
    for (int64_t k = axes - 1, rest = begin; k >= 0; --k) {
        position[k] = rest % view->shape[k];
        rest /= view->shape[k];
    }
    for (int64_t row = begin; row < end; ++row) {
        int64_t place = 0;
        for (int k = 0; k < axes; ++k)
            place += position[k] * view->strides[k];
        char *in_data = data + place * (int64_t)element;
        char *in_dense = dense + (size_t)(row * length) * element;
        if (assigns)
            copy_row(in_data, stride, in_dense, 1, length, element);
        else
            copy_row(in_dense, 1, in_data, stride, length, element);
        for (int k = axes - 1; k >= 0 && ++position[k] == view->shape[k]; --k)
            position[k] = 0;
    }
}
