// SPDX-License-Identifier: Apache-2.0
//
// The three ways in which indices select locations in data, as one interface. A gather and its
// scatters have the same one.

#ifndef CLND_SHAPE_INDEXING_H
#define CLND_SHAPE_INDEXING_H

#include "host/shape/problem.h"
#include "host/shape/view.h"

// What the options say, and what it means for tensors of given ranks and shapes.
typedef struct clnd__place {
    int64_t wanted_axis;       // as given; with clnd__along_axis, 0 is the default
    int64_t wanted_batch_dims; // as given
    int axis;                  // after check_ranks
    int batch_dims;            // after check_ranks
    int depth;                 // values of a tuple, after dense_shape
} clnd__place;

typedef struct clnd__indexing {
    bool tuples; // the last dimension of indices holds a tuple; otherwise each value is a row
    clnd_status (*check_ranks)(const clnd__view *data, const clnd__view *indices,
                               clnd__place *place);
    // Checks the shapes of data and indices and gives the shape of dense, named `name`.
    clnd_status (*dense_shape)(const clnd__view *data, const clnd__view *indices,
                               clnd__place *place, const char *name, clnd__view *dense);
    void (*problem)(const clnd__view *data, const clnd__view *indices, const clnd__view *dense,
                    const clnd__place *place, clnd__problem *problem);
} clnd__indexing;

extern const clnd__indexing clnd__by_tuples;   // gather_nd, scatter_nd
extern const clnd__indexing clnd__along_axis;  // gather
extern const clnd__indexing clnd__by_elements; // gather_elements, scatter_elements

#endif
