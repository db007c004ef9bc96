// SPDX-License-Identifier: Apache-2.0
//
// Problems of rows that are drawn but for what a test says of them.

#ifndef OPS_ROWS_CASE_H
#define OPS_ROWS_CASE_H

#include "problem.h"

typedef struct by_rows {
    op_id op;
    clnd_dtype dtype;
    int64_t n, width;
    int k; // coordinates
    clnd_bounds bounds;
    clnd_reduce reduce;
    bool aligned;
    uint64_t odds;          // of a bad index value
    clnd_dtype index_dtype; // 0: int32 or int64
    bool any_order;         // updates that meet
    bool reported;
    bool gaps;      // in any tensor, and dimensions in any order
    int64_t extent; // of each coordinate; 0: few
} by_rows;

// Plays one gather or scatter by an engine with these words.
void rows_case_run(const device *d, const by_rows *c, const char *strategy);

// Uploads, plans, calls, judges and frees.
void rows_case_play(problem *p, const device *d, const char *strategy);

// A dense tensor between guard bands, or at any multiple of an element.
void rows_case_place(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                     const int64_t *shape, bool aligned);

// Index values in [0, extent), one of `odds` of them outside; 0: none.
void rows_case_indices(placed *indices, rng *r, clnd_dtype dtype, int64_t extent, uint64_t odds);

#endif
