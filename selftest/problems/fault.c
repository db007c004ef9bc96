// SPDX-License-Identifier: Apache-2.0
//
// Problems with one thing wrong that the host can see: the call must say which, and do nothing.

#include "problem.h"

static int64_t count_of(const clnd_tensor *t)
{
    return ref_count(t->rank, t->shape);
}

static void spoil(problem *p, const char *fault, clnd_status status)
{
    p->fault = fault;
    p->fault_status = status;
}

static void break_rank(problem *p, rng *r, clnd_tensor *any)
{
    any->rank = rng_chance(r, 50) ? -1 : CLND_MAX_RANK + 1;
    spoil(p, "a rank", CLND_INVALID_RANK);
}

static void break_size(problem *p, rng *r, clnd_tensor *any)
{
    if (any->rank == 0)
        return;
    any->shape[rng_range(r, 0, any->rank - 1)] = rng_chance(r, 50) ? -1 : INT64_MIN;
    spoil(p, "a negative size", CLND_INVALID_SHAPE);
}

static void break_dtype(problem *p, rng *r, clnd_tensor *any)
{
    if (op_has_indices(p->op) && rng_chance(r, 30)) {
        p->given_indices.dtype = CLND_FLOAT32;
        spoil(p, "indices of float32", CLND_UNSUPPORTED_DTYPE);
    } else if (rng_chance(r, 50)) {
        any->dtype = 0;
        spoil(p, "no dtype", CLND_INVALID_DTYPE);
    } else {
        p->given_out.dtype = p->dtype == CLND_INT32 ? CLND_UINT32 : CLND_INT32;
        spoil(p, "another dtype", CLND_DTYPE_MISMATCH);
    }
}

// The tensor whose shape follows from the others has another one.
static void break_shape(problem *p, rng *r)
{
    bool input = op_is_scatter(p->op) || p->op == OP_STRIDED_SLICE_GRAD;
    clnd_tensor *t = input ? &p->given_input : &p->given_out;
    if (p->op == OP_STRIDED_SLICE_ASSIGN || t->rank == 0)
        return; // much can be broadcast
    t->shape[rng_range(r, 0, t->rank - 1)]++;
    spoil(p, "a size too many", CLND_INVALID_SHAPE);
}

static void break_memory(problem *p, rng *r)
{
    clnd_tensor *out = &p->given_out;
    if (p->op == OP_STRIDED_SLICE_ASSIGN || count_of(out) == 0)
        return; // of which only the slice is looked at
    switch (rng_range(r, 0, 2)) {
    case 0:
        out->offset += (p->out.bytes / ref_size(p->dtype) + 1) * ref_size(p->dtype);
        spoil(p, "an offset behind the buffer", CLND_BUFFER_TOO_SMALL);
        break;
    case 1:
        out->buffer = NULL;
        spoil(p, "no buffer", CLND_INVALID_BUFFER);
        break;
    default:
        for (int i = 0; i < out->rank && !p->fault; i++) {
            if (out->shape[i] < 2)
                continue;
            out->strides[i] = 0;
            spoil(p, "elements of the output that share memory", CLND_INVALID_STRIDES);
        }
        break;
    }
}

static void break_options(problem *p, rng *r)
{
    bool axis = p->op == OP_GATHER || p->op == OP_GATHER_ELEMENTS || p->op == OP_SCATTER_ELEMENTS ||
                p->op == OP_SCATTER;
    switch (rng_range(r, 0, 2)) {
    case 0:
        p->given_reserved = 1;
        spoil(p, "a reserved field", CLND_INVALID_OPTION);
        break;
    case 1:
        if (!op_has_indices(p->op))
            return;
        p->given_bounds = (clnd_bounds)99;
        spoil(p, "unknown bounds", CLND_INVALID_OPTION);
        break;
    default:
        if (!axis)
            return;
        p->said_axis = rng_chance(r, 50) ? CLND_MAX_RANK : -CLND_MAX_RANK - 1;
        spoil(p, "an axis outside", CLND_INVALID_AXIS);
        break;
    }
}

void problem_break(problem *p, rng *r)
{
    p->given_input = p->input.tensor;
    p->given_indices = p->indices.tensor;
    p->given_out = p->out.tensor;
    p->given_bounds = p->bounds;
    if (!rng_chance(r, 4) || p->slice_status != REF_SLICE_OK)
        return;
    clnd_tensor *tensors[] = {&p->given_input, &p->given_out, &p->given_indices};
    clnd_tensor *any = tensors[rng_range(r, 0, op_has_indices(p->op) ? 2 : 1)];
    switch (rng_range(r, 0, 5)) {
    case 0:
        break_rank(p, r, any);
        break;
    case 1:
        break_size(p, r, any);
        break;
    case 2:
        break_dtype(p, r, any);
        break;
    case 3:
        break_shape(p, r);
        break;
    case 4:
        break_memory(p, r);
        break;
    default:
        break_options(p, r);
        break;
    }
}
