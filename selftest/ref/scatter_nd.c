// SPDX-License-Identifier: Apache-2.0

#include "ref.h"

#include <stdlib.h>
#include <string.h>

// Visits every pair of an update and the element that it meets, in row order.
typedef void visitor(void *context, unsigned char *element, const unsigned char *update);

static int64_t first_bad_row(const ref_array *indices, const ref_array *target, clnd_bounds bounds)
{
    int outer = indices->rank - 1;
    int depth = (int)indices->shape[outer];
    int64_t row[CLND_MAX_RANK], tuple[CLND_MAX_RANK];
    for (bool more = ref_first(outer, indices->shape, row); more;
         more = ref_next(outer, indices->shape, row))
        if (!ref_tuple(indices, row, target->shape, depth, bounds, tuple))
            return ref_row(indices, row);
    return -1;
}

static void visit(const ref_array *indices, const ref_array *updates, const ref_array *target,
                  clnd_bounds bounds, visitor *function, void *context)
{
    int outer = indices->rank - 1;
    int depth = (int)indices->shape[outer];
    int slice_rank = target->rank - depth;
    int64_t row[CLND_MAX_RANK], tuple[CLND_MAX_RANK], slice[CLND_MAX_RANK];
    for (bool more = ref_first(outer, indices->shape, row); more;
         more = ref_next(outer, indices->shape, row)) {
        if (!ref_tuple(indices, row, target->shape, depth, bounds, tuple))
            continue;
        for (bool rest = ref_first(slice_rank, target->shape + depth, slice); rest;
             rest = ref_next(slice_rank, target->shape + depth, slice)) {
            int64_t from[CLND_MAX_RANK], to[CLND_MAX_RANK];
            for (int d = 0; d < outer; d++)
                from[d] = row[d];
            for (int d = 0; d < slice_rank; d++)
                from[outer + d] = slice[d];
            for (int d = 0; d < depth; d++)
                to[d] = tuple[d];
            for (int d = 0; d < slice_rank; d++)
                to[depth + d] = slice[d];
            function(context, ref_at(target, to), ref_at(updates, from));
        }
    }
}

// Rounding once ----------------------------------------------------------------------------------

typedef struct scatter {
    const ref_array *target;
    const ref_scatter_options *options;
    float *sums;    // rounding once: the float32 value of the element at this byte of the target
    bool *has_sum;  // and whether there is one
    size_t n_bytes; // of both
} scatter;

static void apply(void *context, unsigned char *element, const unsigned char *update)
{
    scatter *s = context;
    clnd_dtype dtype = s->target->dtype;
    size_t at = (size_t)(element - s->target->data);
    if (s->options->touched)
        memset(s->options->touched + at, 1, ref_size(dtype));
    if (!s->sums) {
        ref_reduce(dtype, s->options->reduce, element, update);
        return;
    }
    uint16_t bits;
    if (!s->has_sum[at]) {
        memcpy(&bits, element, sizeof bits);
        s->sums[at] = ref_widen(dtype, bits);
        s->has_sum[at] = true;
    }
    memcpy(&bits, update, sizeof bits);
    s->sums[at] = ref_reduce_float(s->options->reduce, s->sums[at], ref_widen(dtype, bits));
}

static void round_sums(const scatter *s)
{
    for (size_t at = 0; at < s->n_bytes; at++) {
        if (s->has_sum[at]) {
            uint16_t bits = ref_narrow(s->target->dtype, s->sums[at]);
            memcpy(s->target->data + at, &bits, sizeof bits);
        }
    }
}

// Bytes from the target's data to the end of its last element.
static size_t end_of(const ref_array *array)
{
    int64_t last[CLND_MAX_RANK];
    if (ref_count(array->rank, array->shape) == 0)
        return 0;
    for (int d = 0; d < array->rank; d++)
        last[d] = array->strides[d] > 0 ? array->shape[d] - 1 : 0;
    return (size_t)(ref_at(array, last) - array->data) + ref_size(array->dtype);
}

int64_t ref_scatter_nd_into(const ref_array *indices, const ref_array *updates,
                            const ref_array *target, const ref_scatter_options *options)
{
    if (ref_refuses(options->bounds)) {
        int64_t bad = first_bad_row(indices, target, options->bounds);
        if (bad >= 0)
            return bad;
    }
    scatter s = {.target = target, .options = options};
    if (options->round_once && options->reduce != CLND_REDUCE_UPDATE &&
        (target->dtype == CLND_FLOAT16 || target->dtype == CLND_BFLOAT16)) {
        s.n_bytes = end_of(target);
        s.sums = calloc(s.n_bytes + 1, sizeof *s.sums);
        s.has_sum = calloc(s.n_bytes + 1, sizeof *s.has_sum);
        if (!s.sums || !s.has_sum)
            abort();
    }
    visit(indices, updates, target, options->bounds, apply, &s);
    if (s.sums)
        round_sums(&s);
    free(s.sums);
    free(s.has_sum);
    return -1;
}

int64_t ref_scatter_nd(const ref_array *indices, const ref_array *updates, const ref_array *out,
                       const ref_scatter_options *options)
{
    if (ref_refuses(options->bounds)) {
        int64_t bad = first_bad_row(indices, out, options->bounds);
        if (bad >= 0)
            return bad;
    }
    size_t size = ref_size(out->dtype);
    int64_t at[CLND_MAX_RANK];
    for (bool more = ref_first(out->rank, out->shape, at); more;
         more = ref_next(out->rank, out->shape, at)) {
        unsigned char *element = ref_at(out, at);
        memset(element, 0, size);
        if (options->touched)
            memset(options->touched + (element - out->data), 1, size);
    }
    return ref_scatter_nd_into(indices, updates, out, options);
}

// Any of the duplicates --------------------------------------------------------------------------

typedef struct candidates {
    const ref_array *after;
    unsigned char *state; // by byte of `after`: 0 not addressed, 1 addressed, 2 one of the updates
} candidates;

static void compare(void *context, unsigned char *element, const unsigned char *update)
{
    candidates *c = context;
    unsigned char *state = c->state + (element - c->after->data);
    if (*state != 2)
        *state = memcmp(element, update, ref_size(c->after->dtype)) == 0 ? 2 : 1;
}

bool ref_scatter_nd_is_possible(const ref_array *indices, const ref_array *updates,
                                const ref_array *after, clnd_bounds bounds, size_t *wrong)
{
    size_t n_bytes = end_of(after);
    candidates c = {.after = after, .state = calloc(n_bytes + 1, 1)};
    bool possible = true;
    if (!c.state)
        abort();
    visit(indices, updates, after, bounds, compare, &c);
    for (size_t at = 0; at < n_bytes && possible; at++) {
        if (c.state[at] == 1) {
            possible = false;
            *wrong = at;
        }
    }
    free(c.state);
    return possible;
}
