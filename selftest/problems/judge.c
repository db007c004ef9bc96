// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

// Indices ----------------------------------------------------------------------------------------

// What the call says of row `bad`, the first bad one (-1: none is).
static void check_rows(const problem *p, clnd_status status, int64_t bad, clnd_bounds bounds)
{
    const ref_array *data = op_is_gather(p->op) ? &p->input.host : &p->out.host;
    char ending[600], list[512];
    check(status == (bad < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS), "%s (%s), bad row %" PRId64,
          clnd_status_name(status), clnd_last_error(), bad);
    if (bad < 0)
        return;
    check(!p->report || p->result.row == bad, "the report has row %" PRId64 ", expected %" PRId64,
          p->result.row, bad);
    if (p->op == OP_GATHER || p->op == OP_GATHER_ELEMENTS || p->op == OP_SCATTER_ELEMENTS ||
        p->op == OP_SCATTER) {
        cases_check_bad_value(&p->indices, bad, op_names[p->op], data->shape[p->axis], bounds);
        return;
    }
    snprintf(ending, sizeof ending, " does not index into %sshape %s",
             op_is_gather(p->op) ? "params " : "", placed_list(data->rank, data->shape, list));
    bool fixed = p->batch_dims == 0 && bounds == CLND_BOUNDS_ERROR;
    cases_check_bad_row(&p->indices, bad, op_names[p->op], fixed ? ending : NULL);
}

static void judge_gather(problem *p, const device *d, clnd_status status)
{
    const ref_array *params = &p->input.host, *indices = &p->indices.host, *out = &p->out.host;
    clnd_bounds bounds = device_bounds(d, p->bounds);
    int64_t bad;
    if (p->op == OP_GATHER_ND)
        bad = ref_gather_nd(params, indices, out, p->batch_dims, bounds, p->fill);
    else if (p->op == OP_GATHER)
        bad = ref_gather(params, indices, out, p->axis, p->batch_dims, bounds, p->fill);
    else
        bad = ref_gather_elements(params, indices, out, p->axis, bounds, p->fill);
    check_rows(p, status, bad, bounds);
    placed_check(&p->out, d, bad < 0 || p->reported ? EQUAL_BITS : EQUAL_AROUND, NULL);
}

// Scatters ---------------------------------------------------------------------------------------

static int64_t scatter(const problem *p, clnd_reduce reduce, clnd_bounds bounds,
                       unsigned char *touched)
{
    ref_scatter_options how = {reduce, bounds, p->deterministic, touched};
    const ref_array *indices = &p->indices.host, *updates = &p->input.host;
    if (p->op == OP_SCATTER)
        return ref_scatter(indices, updates, &p->out.host, p->axis, p->batch_dims, &how);
    if (p->op == OP_SCATTER_ELEMENTS)
        return ref_scatter_elements(indices, updates, &p->out.host, p->axis, &how);
    return (p->op == OP_SCATTER_ND ? ref_scatter_nd : ref_scatter_nd_into)(indices, updates,
                                                                           &p->out.host, &how);
}

// UPDATE without an order: each element must be one of its updates, whole. What the device chose
// goes into the image, the rest of which stays to be compared.
static void adopt_choice(problem *p, const device *d, clnd_bounds bounds)
{
    unsigned char *actual = placed_read(&p->out, d);
    unsigned char *touched = calloc(p->out.bytes + 1, 1);
    check(touched, "out of memory");
    // The image holds the result of the serial loop; the loop once more changes nothing but tells
    // what the rows address.
    ref_scatter_options again = {CLND_REDUCE_UPDATE, bounds, false, touched};
    ref_array after = p->out.host;
    size_t wrong = 0;
    bool possible;
    after.data = actual;
    if (p->op == OP_SCATTER) {
        ref_scatter(&p->indices.host, &p->input.host, &p->out.host, p->axis, p->batch_dims, &again);
        possible = ref_scatter_is_possible(&p->indices.host, &p->input.host, &after, p->axis,
                                           p->batch_dims, bounds, &wrong);
    } else if (p->op == OP_SCATTER_ELEMENTS) {
        ref_scatter_elements(&p->indices.host, &p->input.host, &p->out.host, p->axis, &again);
        possible = ref_scatter_elements_is_possible(&p->indices.host, &p->input.host, &after,
                                                    p->axis, bounds, &wrong);
    } else {
        ref_scatter_nd_into(&p->indices.host, &p->input.host, &p->out.host, &again);
        possible =
            ref_scatter_nd_is_possible(&p->indices.host, &p->input.host, &after, bounds, &wrong);
    }
    check(possible, "element at byte %zu of the target is none of its updates", wrong);
    for (size_t i = 0; i < p->out.bytes; i++)
        if (touched[i])
            p->out.host.data[i] = actual[i];
    free(touched);
    free(actual);
}

// Whether one store holds an element whole, of updates and target.
static bool is_whole(const problem *p)
{
    size_t size = ref_size(p->dtype);
    return size <= 8 && (size & (size - 1)) == 0 && p->out.host.offset % size == 0 &&
           p->input.host.offset % size == 0;
}

// A strategy that was taken although it cannot do it. Elements that are torn once in a million
// times, or bytes behind a buffer that are read, do not show in the result.
static void check_taken(const problem *p)
{
    const ref_array *indices = &p->indices.host;
    int tuple = p->op == OP_SCATTER_ELEMENTS || p->op == OP_SCATTER ? 0 : 1;
    size_t begin, end;
    if (strategy_of_plan(&p->plan) == BY_STORE)
        check(p->unique || ref_count(indices->rank - tuple, indices->shape) == 1 ||
                  (p->reduce == CLND_REDUCE_UPDATE && !p->deterministic && is_whole(p)),
              "STORE where rows may meet");
    if (strategy_of_plan(&p->plan) != BY_ATOMIC || ref_size(p->dtype) >= 4)
        return;
    check_status(clnd_tensor_extent(&p->out.tensor, &begin, &end), CLND_OK);
    check((end + 3) / 4 * 4 <= p->out.bytes, "ATOMIC on words that reach outside the buffer");
}

// Whether the strategy that the call must take may be impossible for it.
static bool may_refuse(const problem *p, const device *d)
{
    size_t size = ref_size(p->dtype);
    const strategy_id strategy = strategy_in(p->forced);
    if (!p->must)
        return false;
    if (strategy != BY_STORE && strategy != BY_OWNER &&
        ref_count(p->input.host.rank, p->input.host.shape) > device_most_updates(d))
        return true; // it does not divide its loops
    switch (strategy) {
    case BY_NONE:
    case BY_OWNER:
    case BY_SORT:
        return false;
    case BY_STORE:
        return !p->unique && (p->reduce != CLND_REDUCE_UPDATE || p->deterministic || !is_whole(p));
    case BY_ATOMIC:
        if (p->deterministic || p->reduce == CLND_REDUCE_UPDATE)
            return true;
        if (values_is_complex(p->dtype) && p->reduce == CLND_REDUCE_MUL)
            return true; // not one word
        if (size < 4)    // the words around the elements must lie inside the buffer
            return p->out.bytes % 4 != 0;
        return (size == 8 || size == 16) && p->dtype != CLND_COMPLEX64 && !d->facts->int64_atomics;
    case BY_OUTER:
    case BY_BUCKETS:
        return true; // rows must have an outer axis of data, or lie evenly in dense
    case BY_PRIVATE:
        if (p->reduce == CLND_REDUCE_UPDATE)
            return true;
        return (p->deterministic || p->reduce == CLND_REDUCE_MUL) &&
               (values_is_float(p->dtype) || values_is_complex(p->dtype));
    default:
        return !device_sorts(d);
    }
}

static void judge_scatter(problem *p, const device *d, clnd_status status)
{
    bool computes = p->reduce != CLND_REDUCE_UPDATE;
    if (status == CLND_INVALID_OPTION && may_refuse(p, d)) {
        check_message("strategy");
        placed_check(&p->out, d, EQUAL_BITS, NULL);
        return;
    }
    // Sums of 16-bit floats that are rounded once need memory; others have a strategy without,
    // unless its loops are too long.
    bool half = p->dtype == CLND_FLOAT16 || p->dtype == CLND_BFLOAT16;
    if (status == CLND_BUFFER_TOO_SMALL && p->lent.buffer &&
        (p->must || d->facts->loop_iterations || (half && computes && p->deterministic))) {
        check_message("workspace");
        placed_check(&p->out, d, EQUAL_BITS, NULL);
        return;
    }
    unsigned char *touched = calloc(p->out.bytes + 1, 1);
    check(touched, "out of memory");
    clnd_bounds bounds = device_bounds(d, p->bounds);
    int64_t bad = scatter(p, p->reduce, bounds, touched);
    check_rows(p, status, bad, bounds);
    if (status == CLND_OK)
        check_taken(p);
    if (bad < 0 && !computes && !p->ordered)
        adopt_choice(p, d, bounds);
    placed_check(&p->out, d, p->rule, touched);
    free(touched);
}

// Slices -----------------------------------------------------------------------------------------

static void judge_slice(problem *p, const device *d, clnd_status status)
{
    const ref_array *in = &p->input.host, *out = &p->out.host;
    bool writes = p->op == OP_STRIDED_SLICE_ASSIGN || p->op == OP_STRIDED_SLICE_GRAD;
    int rank = writes ? out->rank : in->rank;
    if (p->slice_status != REF_SLICE_OK) {
        bool high = rank + p->taken.length > CLND_MAX_RANK; // with both faults, either is reported
        bool fits =
            (status == CLND_INVALID_SLICE && p->slice_status == REF_SLICE_INVALID) ||
            (status == CLND_INVALID_RANK && (p->slice_status == REF_SLICE_TOO_HIGH || high));
        check(fits, "gave %s (%s), the reference %d", clnd_status_name(status), clnd_last_error(),
              (int)p->slice_status);
    } else {
        check(status == CLND_OK, "%s (%s)", clnd_status_name(status), clnd_last_error());
        if (p->op == OP_COPY)
            ref_copy(in, out);
        else if (p->op == OP_STRIDED_SLICE_ASSIGN)
            ref_strided_slice_assign(out, &p->taken, in);
        else if (p->op == OP_STRIDED_SLICE_GRAD)
            ref_strided_slice_grad(in, &p->taken, out);
        else
            ref_strided_slice(in, &p->taken, out);
    }
    placed_check(&p->out, d, EQUAL_BITS, NULL);
}

void problem_judge(problem *p, const device *d, clnd_status status)
{
    if (p->fault) {
        check_status(status, p->fault_status);
        placed_check(&p->out, d, EQUAL_BITS, NULL);
    } else if (op_is_gather(p->op)) {
        judge_gather(p, d, status);
    } else if (op_is_scatter(p->op)) {
        judge_scatter(p, d, status);
    } else {
        judge_slice(p, d, status);
    }
}
