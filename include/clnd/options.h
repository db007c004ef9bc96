// SPDX-License-Identifier: Apache-2.0
//
// What the options of several ops have in common: index policies and reductions.
//
// Every op takes a pointer to an options struct of its own. NULL and a zero-initialised struct both
// mean the defaults. `reserved` fields must be zero; later versions give them meanings, so a
// program that zero-initialises its options keeps working unchanged.

#ifndef CLND_OPTIONS_H
#define CLND_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "clnd/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// What happens to a row of indices of which a value lies outside its dimension. Index values are
// checked one by one, unsigned and in 64 bits, before any offset is made of them, under every
// policy: nothing outside a tensor is ever read or written. TensorFlow's bad_indices_policy is the
// model of DEFAULT and ERROR; CLAMP is XLA's rule, WRAP NumPy's and ONNX's.
typedef enum clnd_bounds {
    CLND_BOUNDS_DEFAULT = 0, // ERROR on CPU devices, ZERO on all others
    CLND_BOUNDS_ERROR =
        1, // the call fails with INDEX_OUT_OF_BOUNDS for the first bad row in row-major
           // order. The target of a scatter is untouched, the elements of a gather's output are
           // unspecified. The call waits for a check of the indices, unless it is given a report
           // (report.h), which then has the failure; then gathers too leave their output alone
    CLND_BOUNDS_ZERO = 2, // gather: all bytes of the row's result are zero; scatter: row is dropped
    CLND_BOUNDS_SKIP = 2, // the same policy, by its name for scatters
    CLND_BOUNDS_FILL = 3, // gather: the row's result is filled with a given value; not for scatters
    CLND_BOUNDS_CLAMP = 4, // the nearest valid index; a dimension of size 0 has none: as ZERO
    CLND_BOUNDS_WRAP = 5,  // a negative value counts from the end, once; then as ERROR
} clnd_bounds;

// How an update combines with the element that it meets. Duplicates accumulate.
//
// Integers wrap around in two's complement. bool: ADD and MAX are OR, MUL and MIN are AND, SUB is
// refused. The product of complex a + bi and c + di is (ac - bd) + (ad + bc)i: each of the four
// products is rounded, then their difference and their sum; there is no fused multiply-add, and no
// special rule for infinities and NaN. MIN and MAX propagate NaN and order -0 below +0; they are
// not defined for complex dtypes. float16 and bfloat16 are computed in float32 and rounded to
// nearest even: once at the end when `deterministic` is set; by default after each update, or less
// often where several updates are combined before they meet the element. Without `deterministic`,
// atomic sums may take subnormal floats for 0, as GPUs' own additions do. Opaque elements take
// UPDATE only.
// The rules are TensorFlow's for ADD, SUB, MIN and MAX and ONNX's for MUL.
typedef enum clnd_reduce {
    CLND_REDUCE_DEFAULT = 0, // what the op's header says
    CLND_REDUCE_UPDATE = 1,  // the update replaces the element
    CLND_REDUCE_ADD = 2,
    CLND_REDUCE_SUB = 3,
    CLND_REDUCE_MUL = 4,
    CLND_REDUCE_MIN = 5,
    CLND_REDUCE_MAX = 6,
} clnd_reduce;

#ifdef __cplusplus
}
#endif

#endif
