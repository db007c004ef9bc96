// SPDX-License-Identifier: Apache-2.0
//
// Slices of views: the algorithm of tf.strided_slice, on the host, in 64 bits.

#ifndef CLND_SHAPE_SLICE_H
#define CLND_SHAPE_SLICE_H

#include "clnd/slice.h"
#include "host/shape/view.h"

// The part of `input` that `slice` takes, as a view on the same memory, named `name`. The input's
// dtype, rank and shape are valid; its strides need not be.
clnd_status clnd__slice_view(const clnd__view *input, const clnd_slice *slice, const char *name,
                             clnd__view *view);

#endif
