// SPDX-License-Identifier: Apache-2.0
//
// Single index values along one axis: gather, gather_elements and their scatters.

#ifndef CLND_SHAPE_AXIS_H
#define CLND_SHAPE_AXIS_H

#include "host/shape/problem.h"
#include "host/shape/view.h"

// Counts a negative `axis` from the end. INVALID_AXIS when it is outside -rank to rank - 1.
clnd_status clnd__resolve_axis(const clnd__view *data, int64_t axis, int *resolved);

// gather: data [batch..., before..., axis, after...], indices [batch..., places...],
// dense [batch..., before..., places..., after...].

// Counts a negative number of batch dims from the rank of indices; then batch <= axis. `axis` is
// NULL for its default, which is the number of batch dims.
clnd_status clnd__gather_resolve(const clnd__view *data, const clnd__view *indices,
                                 const int64_t *axis_option, int64_t batch_option, int *axis,
                                 int *batch_dims);
clnd_status clnd__gather_check_shapes(const clnd__view *data, const clnd__view *indices,
                                      int batch_dims);
clnd_status clnd__gather_dense_shape(const clnd__view *data, const clnd__view *indices, int axis,
                                     int batch_dims, const char *name, clnd__view *dense);
void clnd__gather_problem(const clnd__view *data, const clnd__view *indices,
                          const clnd__view *dense, int axis, int batch_dims,
                          clnd__problem *problem);

// elements: data, indices and dense have one rank; indices and dense have one shape, which is that
// of data, or smaller outside `axis`.

clnd_status clnd__elements_check_ranks(const clnd__view *data, const clnd__view *indices);
clnd_status clnd__elements_check_shapes(const clnd__view *data, const clnd__view *indices,
                                        int axis);
void clnd__elements_problem(const clnd__view *data, const clnd__view *indices,
                            const clnd__view *dense, int axis, clnd__problem *problem);

#endif
