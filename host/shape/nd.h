// SPDX-License-Identifier: Apache-2.0
//
// Tuples of indices: what gather_nd and its scatters share. `data` is params or the target, `dense`
// the result or the updates:
//
//     data [batch..., coordinates..., slice...]
//     indices [batch..., outer..., K]
//     dense [batch..., outer..., slice...]

#ifndef CLND_SHAPE_ND_H
#define CLND_SHAPE_ND_H

#include "host/shape/problem.h"
#include "host/shape/view.h"

// Ranks and depth: rank of indices >= 1, batch dims inside both, and in *depth the tuple's length
// K.
clnd_status clnd__nd_check_ranks(const clnd__view *data, const clnd__view *indices, int batch_dims);
clnd_status clnd__nd_check_shapes(const clnd__view *data, const clnd__view *indices, int batch_dims,
                                  int *depth);

// indices.shape[:-1] + data.shape[batch_dims + depth:], with data's dtype, under `name`.
clnd_status clnd__nd_dense_shape(const clnd__view *data, const clnd__view *indices, int batch_dims,
                                 int depth, const char *name, clnd__view *dense);

void clnd__nd_problem(const clnd__view *data, const clnd__view *indices, const clnd__view *dense,
                      int batch_dims, int depth, clnd__problem *problem);

#endif
