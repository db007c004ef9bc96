// SPDX-License-Identifier: Apache-2.0
//
// The one problem form that every op becomes. All strides and offsets are bytes.
//
//     outer axes    o : rows. Each has a stride into data, indices and dense
//     coordinates   k : what the index values select: extent and stride in data. None for slices
//     slice axes    s : what moves with each row: strides into data and dense
//
//     gather : dense[o, s] = data[o + sum_k index_k(o) * stride_k + s]
//     scatter: data[o + sum_k index_k(o) * stride_k + s] (reduce)= dense[o, s]
//     copy   : a gather without coordinates
//
// Rows are numbered in row-major order of the outer axes. Folding keeps that order.

#ifndef CLND_SHAPE_PROBLEM_H
#define CLND_SHAPE_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "clnd/dtype.h"
#include "host/shape/view.h"

typedef struct clnd__axis {
    int64_t size;
    int64_t data;
    int64_t dense;
    int64_t index; // 0 for slice axes
} clnd__axis;

typedef struct clnd__coordinate {
    int64_t extent; // elements
    int64_t stride; // bytes in data
} clnd__coordinate;

// What the parts of an outer axis leave of it.
typedef struct clnd__rest {
    int parts, axis; // of the problem that is divided
    int64_t size;    // steps behind the last part; 0: nothing is left
} clnd__rest;

typedef struct clnd__problem {
    clnd_dtype dtype;
    clnd_dtype index_dtype;
    int n_outer;
    int n_slice;
    int n_coordinates;
    clnd__axis outer[CLND_MAX_RANK];
    clnd__axis slice[CLND_MAX_RANK];
    clnd__coordinate coordinates[CLND_MAX_RANK];
    int64_t data_offset;
    int64_t dense_offset;
    int64_t index_offset;
    int64_t index_step; // bytes from one value of a tuple to the next
    clnd__rest rest;    // rows of no part, which the axes are without
} clnd__problem;

// Starts a problem without axes. `indices` is NULL where there are none.
void clnd__problem_begin(clnd__problem *problem, const clnd__view *data, const clnd__view *dense,
                         const clnd__view *indices);
void clnd__problem_add_outer(clnd__problem *problem, int64_t size, int64_t data, int64_t dense,
                             int64_t index);
void clnd__problem_add_slice(clnd__problem *problem, int64_t size, int64_t data, int64_t dense);
void clnd__problem_add_coordinate(clnd__problem *problem, int64_t extent, int64_t stride);

// The number of rows, without the rest, and of elements that move with each; INT64_MAX if it is
// larger, which happens only if the other is 0.
int64_t clnd__problem_rows(const clnd__problem *problem);
int64_t clnd__problem_slice_size(const clnd__problem *problem);

// Makes the problem as small as it can be without changing what it does: axes of size 1 go, slice
// axes are reversed until they run forward and sorted by their strides in dense, and neighbouring
// axes that form one longer axis merge. Not for problems without elements.
void clnd__problem_fold(clnd__problem *problem);

// Puts rows in the order in which neighbours share the most cache lines. For problems in which
// their order does not matter: gathers, and scatters unless they are deterministic.
void clnd__problem_sort_rows(clnd__problem *problem);

// Makes outer axes slice axes. For problems in which the order of rows does not matter: a gather
// without coordinates is a copy.
void clnd__problem_rows_to_slice(clnd__problem *problem);

// Leaves in the slice of a folded copy only one axis of units: all others become rows. That is the
// innermost axis, unless its elements are apart and take several units each.
void clnd__problem_split_rows(clnd__problem *problem, int64_t unit);

// Divides an axis into parts of `size` steps. That of the parts goes before an outer axis; what is
// no whole part is the rest, which only outer axes may have. There has to be room for one more.
void clnd__problem_divide(clnd__problem *problem, clnd__axis *axis, int64_t size, int before);

// Steps along outer axis i for which the data that index values select from stays in the caches of
// a core, while rows along the axes around it, which data has not, read it again and again. 0: they
// read it too few times, or too little of each line.
int64_t clnd__problem_near_steps(const clnd__problem *problem, int i);

// Of a folded gather, or of a copy whose rows are split: divides the innermost axis into blocks if
// rows along another one share lines, or select from the same data, which stays in a cache so.
void clnd__problem_block_rows(clnd__problem *problem);

// Whether a folded copy is one contiguous run in data and dense, and how many bytes it has.
bool clnd__problem_is_one_run(const clnd__problem *folded, size_t *size);

// Range of bytes in data at which rows can begin, [*first, *last]. Needs extents > 0.
void clnd__problem_row_range(const clnd__problem *problem, int64_t *first, int64_t *last);

// Whether each row of a folded problem begins *step bytes behind the one before it in dense.
bool clnd__problem_rows_are_even(const clnd__problem *problem, int64_t *step);

// The same problem on a copy of data in which every element is `numerator` / `denominator` as large
// and whose byte 0 is data's byte `origin`.
void clnd__problem_scale_data(clnd__problem *problem, int64_t origin, int64_t numerator,
                              int64_t denominator);

#endif
