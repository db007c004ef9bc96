// SPDX-License-Identifier: Apache-2.0
//
// What the options of several ops have in common: index policies, reductions, strategies.
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
           // order; outputs are untouched. The call waits for a check of the indices, unless it
           // is given a report (report.h), which then has the failure
    CLND_BOUNDS_ZERO = 2, // gather: all bytes of the row's result are zero; scatter: row is dropped
    CLND_BOUNDS_SKIP = 2, // the same policy, by its name for scatters
    CLND_BOUNDS_FILL = 3, // gather: the row's result is filled with a given value; not for scatters
    CLND_BOUNDS_CLAMP = 4, // the nearest valid index; a dimension of size 0 has none: as ZERO
    CLND_BOUNDS_WRAP = 5,  // a negative value counts from the end, once; then as ERROR
} clnd_bounds;

// How an update combines with the element that it meets. Duplicates accumulate.
//
// Integers wrap around in two's complement. bool: ADD and MAX are OR, MUL and MIN are AND, SUB is
// refused. MIN and MAX propagate NaN and order -0 below +0; they are not defined for complex
// dtypes. float16 and bfloat16 are computed in float32 and rounded to nearest even: once at the end
// when `deterministic` is set; by default after each update, or less often where the strategy
// gathers several updates before they meet the element. Without `deterministic`, sums by ATOMIC may
// take subnormal floats for 0, as GPUs' own additions do. Opaque elements take UPDATE only.
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

// The way in which a call uses the device. AUTO lets clnd choose from the device's facts and the
// sizes; anything else is for tests and benchmarks. A strategy that cannot do what the call asks
// for is refused with INVALID_OPTION. The environment variable CLND_STRATEGY replaces AUTO: a list
// of words (lanes, blocks, tiles, store, atomic, owner, buckets, sort, private) separated by
// commas, of which those that are possible count and the others are ignored. There, lanes and
// blocks also say how STORE, ATOMIC and PRIVATE spread. `rows` compiles kernels for rows without
// gaps and for slices however few there are; `stream` has those of CPUs store past the caches
// however small the output is, `long` has those of GPUs compute in 64 bits however near all places
// are. `exchange` and `cas` keep ATOMIC from what the device adds by itself, and `cas`, on few
// axes, from exchanges as well; `packs` lets it take up to four float32 at once. Where it spreads
// as lanes, `aggregate` has rows that select one place combined first, `plain` does not, and
// `sample` lets some rows decide, however few there are. clnd_<op>_plan (plan.h) tells which
// strategy a call takes.
typedef enum clnd_strategy {
    CLND_STRATEGY_AUTO = 0,
    CLND_STRATEGY_LANES = 1, // gather, copy: neighbouring work-items move neighbouring bytes (GPUs)
    CLND_STRATEGY_BLOCKS = 2,   // gather, copy: each work-item moves a block of rows (CPUs)
    CLND_STRATEGY_STORE = 3,    // scatter, UPDATE: plain stores, all rows at once
    CLND_STRATEGY_ATOMIC = 4,   // scatter: atomic operations, all rows at once; where many select
                                // one place, they are combined first
    CLND_STRATEGY_OWNER = 5,    // scatter: each work-item owns a part of the target and applies all
                                // rows to it in row order: no atomics, deterministic
    CLND_STRATEGY_SORT = 6,     // scatter: rows are sorted by the place that they select; rows that
                                // meet are applied in row order: no atomics, deterministic (GPUs)
    CLND_STRATEGY_PRIVATE = 7,  // scatter: copies of a small target are filled, then combined with
                                // it; those of UPDATE hold numbers of rows, so that only the last
                                // row at a place is moved (CPUs)
    CLND_STRATEGY_BUFFER = 8,   // copy: one gapless run, left to OpenCL's own copy. A result of
                                // clnd_<op>_plan only
    CLND_STRATEGY_TILES = 9,    // copy, where units that are neighbours in the target are none in
                                // the source: groups turn tiles round in local memory (GPUs)
    CLND_STRATEGY_BUCKETS = 10, // scatter: rows are divided by the part of the target that they
                                // select, then each work-item applies those of a part in row order:
                                // no atomics, deterministic (CPUs)
} clnd_strategy;

// The word for a strategy, as CLND_STRATEGY takes it ("auto" for AUTO); "unknown" for a number that
// is none. Static text. Thread-safety: Safe.
CLND_API const char *clnd_strategy_name(clnd_strategy strategy);

#ifdef __cplusplus
}
#endif

#endif
