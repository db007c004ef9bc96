// SPDX-License-Identifier: Apache-2.0
//
// An attack: one call of an op with indices, whose values or sizes mean harm. It is a problem of
// the differential test, made by hand: the reference judges results, message, and every byte of
// every buffer with the guard bands around the tensors.

#ifndef HOSTILE_ATTACK_H
#define HOSTILE_ATTACK_H

#include "problem.h"

typedef struct attack {
    const device *d;
    op_id op;
    clnd_dtype index_dtype;
    int rank, index_rank;
    int64_t shape[CLND_MAX_RANK]; // of params, or of the target
    int64_t index_shape[CLND_MAX_RANK];
    int axis, batch_dims;
    clnd_reduce reduce;    // DEFAULT: that of the op
    const int64_t *values; // index values, used again and again until there are enough
    int n_values;
    bool forces_none; // only the strategies that the planner takes
} attack;

// Makes the tensors, of int32, and the call: under ERROR, with nothing else asked for.
void attack_make(problem *p, const attack *a);

// Plays it once, under this policy, words for the engine and, if asked, with a report, and compares
// everything with the reference.
void attack_play(const attack *a, clnd_bounds bounds, const char *strategy, bool report);

// Plays it under every policy that the op takes, by all strategies unless it forces none, and with
// a report.
void attack_everywhere(const attack *a);

// The call, and its plan, are refused with this status and a text that has `piece` in it; nothing
// is touched. Frees the problem.
void attack_refused(problem *p, const device *d, clnd_status status, const char *piece);

#endif
