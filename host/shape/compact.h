// SPDX-License-Identifier: Apache-2.0
//
// Scatters by way of contiguous copies of the target.

#ifndef CLND_SHAPE_COMPACT_H
#define CLND_SHAPE_COMPACT_H

#include <stdbool.h>

#include "host/shape/problem.h"

// Splits a folded scatter, whose target's elements never share memory, in two. Only elements that
// rows can address are numbered, in the order of their addresses.
//
//     fill    the same scatter, folded, on a copy: its data are the places in a copy whose elements
//             have `size` bytes
//     merge   without coordinates: the slice axes go over all elements of a copy, in order; their
//             dense is the copy, their data the target. Not folded yet
//
// *count is the number of elements. False: they are more than 64 bits can address.
bool clnd__problem_compact(const clnd__problem *folded, int64_t size, clnd__problem *fill,
                           clnd__problem *merge, int64_t *count);

#endif
