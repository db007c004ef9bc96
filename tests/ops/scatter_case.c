// SPDX-License-Identifier: Apache-2.0

#include "scatter_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const scatter_case scatter_small = {
    .dtype = CLND_INT32,
    .index_dtype = CLND_INT32,
    .reduce = CLND_REDUCE_ADD,
    .bounds = CLND_BOUNDS_SKIP,
    .into = true,
    .rows = 40,
    .slice = 40,
    .extent = 200,
    .n_dims = {-1, -1, -1},
    .empty = 4,
    .placement = PLACED_STRIDED,
};

bool scatter_is_defined(clnd_dtype dtype, clnd_reduce reduce)
{
    switch (reduce) {
    case CLND_REDUCE_UPDATE:
        return true;
    case CLND_REDUCE_SUB:
        return !values_is_opaque(dtype) && dtype != CLND_BOOL;
    case CLND_REDUCE_MIN:
    case CLND_REDUCE_MAX:
        return !values_is_opaque(dtype) && !values_is_complex(dtype);
    default:
        return !values_is_opaque(dtype);
    }
}

void scatter_draw_options(scatter_case *c, rng *r)
{
    static const clnd_bounds policies[] = {CLND_BOUNDS_ERROR, CLND_BOUNDS_SKIP, CLND_BOUNDS_CLAMP,
                                           CLND_BOUNDS_WRAP};
    c->deterministic = rng_chance(r, 40);
    if (c->bad == 0)
        c->bounds = policies[rng_range(r, 0, 3)];
    c->into = rng_chance(r, 70);
}

bool scatter_may_refuse(const device *d, const scatter_case *c, const placed *updates,
                        const placed *target)
{
    size_t size = ref_size(c->dtype);
    if (!device_lists(c->strategy, "must"))
        return false;
    if (device_lists(c->strategy, "store")) {
        // where two rows may meet, only elements that one store holds are stored whole
        bool whole = size <= 8 && (size & (size - 1)) == 0 && target->host.offset % size == 0 &&
                     updates->host.offset % size == 0;
        return c->reduce != CLND_REDUCE_UPDATE || c->deterministic || !whole;
    }
    if (ref_count(updates->host.rank, updates->host.shape) > device_most_updates(d) &&
        !device_lists(c->strategy, "owner"))
        return true; // they do not divide their loops
    if (device_lists(c->strategy, "sort"))
        return d->facts->max_work_group_size < 64 || d->facts->local_memory < 16384;
    if (device_lists(c->strategy, "buckets"))
        return true; // rows must lie evenly
    if (device_lists(c->strategy, "private")) {
        bool number = values_is_float(c->dtype) || values_is_complex(c->dtype);
        return c->reduce == CLND_REDUCE_UPDATE || // as BUCKETS, and where rows have no gaps
               (c->deterministic && number) || (c->reduce == CLND_REDUCE_MUL && number);
    }
    if (!device_lists(c->strategy, "atomic"))
        return false;
    if (c->deterministic || c->reduce == CLND_REDUCE_UPDATE)
        return true;
    if (values_is_complex(c->dtype) && c->reduce == CLND_REDUCE_MUL)
        return true; // not one word
    if (size < 4)    // the words around the elements must lie inside the buffer
        return target->bytes % 4 != 0;
    return (size == 8 || size == 16) && c->dtype != CLND_COMPLEX64 && !d->facts->int64_atomics;
}

bool scatter_is_ordered(const scatter_case *c)
{
    return c->deterministic || c->in_order || device_lists(c->strategy, "owner") ||
           (device_lists(c->strategy, "private") && c->reduce == CLND_REDUCE_UPDATE) ||
           device_lists(c->strategy, "buckets") || device_lists(c->strategy, "sort");
}

values scatter_values(const device *d, const scatter_case *c, bool ordered, equality *rule)
{
    values v = {.kind = VALUES_ANY, .subnormals = d->subnormals};
    *rule = EQUAL_NUMBERS;
    bool sum = c->reduce == CLND_REDUCE_ADD || c->reduce == CLND_REDUCE_SUB;
    if (c->reduce == CLND_REDUCE_UPDATE) {
        v.kind = VALUES_BITS;
        *rule = EQUAL_BITS;
    } else if (c->reduce == CLND_REDUCE_MUL && values_is_complex(c->dtype)) {
        v.kind = ordered ? VALUES_PLAIN : VALUES_PRODUCT;
        *rule = EQUAL_NEARLY;
    } else if (c->reduce == CLND_REDUCE_MUL && !ordered) {
        v.kind = VALUES_PRODUCT;
    } else if (sum && !ordered) {
        v.kind = VALUES_SUM; // bfloat16 counts to 256, float16 to 2048
        int64_t exact = c->dtype == CLND_BFLOAT16 ? 256 : c->dtype == CLND_FLOAT16 ? 2048 : 1 << 20;
        v.limit = exact / (c->rows + 1);
        check(v.limit > 0, "too many rows for exact sums");
    }
    return v;
}

// Whether the index dtype has values for all places.
static bool can_select(clnd_dtype dtype, const int64_t *extents, int depth)
{
    int64_t low, high;
    values_index_limits(dtype, &low, &high);
    for (int k = 0; k < depth; k++)
        if (extents[k] - 1 > high)
            return false;
    return true;
}

// Makes the row at `at` select the place.
static void select_place(placed *indices, int64_t *at, int64_t place, const int64_t *extents,
                         int depth)
{
    int outer = indices->host.rank - 1;
    for (int k = depth - 1; k >= 0; k--) {
        at[outer] = k;
        values_write_index(indices->host.dtype, place % extents[k], ref_at(&indices->host, at));
        place /= extents[k];
    }
}

// Makes the tuples of good rows differ: row n gets the n-th of a stepped walk over the extents.
static bool make_unique(rng *r, placed *indices, const int64_t *extents, int depth)
{
    int64_t at[CLND_MAX_RANK];
    int outer = indices->host.rank - 1;
    int64_t rows = ref_count(outer, indices->host.shape);
    int64_t places = ref_count(depth, extents);
    if (rows > places || rows == 0)
        return rows == 0;
    if (!can_select(indices->host.dtype, extents, depth))
        return false;
    int64_t place = rng_range(r, 0, places - 1);
    for (bool more = ref_first(outer, indices->host.shape, at); more;
         more = ref_next(outer, indices->host.shape, at)) {
        select_place(indices, at, place, extents, depth);
        place = (place + 1) % places;
    }
    return true;
}

// Makes the places of `length` rows at a time ascend from the first to the last one. Where there
// may be bad rows, the last one is.
static void make_sorted(placed *indices, const int64_t *extents, int depth, int64_t length,
                        bool bad)
{
    int64_t at[CLND_MAX_RANK], row = 0;
    int outer = indices->host.rank - 1;
    int64_t rows = ref_count(outer, indices->host.shape);
    int64_t places = ref_count(depth, extents);
    if (places == 0 || !can_select(indices->host.dtype, extents, depth))
        return;
    for (bool more = ref_first(outer, indices->host.shape, at); more;
         more = ref_next(outer, indices->host.shape, at), row++) {
        select_place(indices, at, row % length * places / length, extents, depth);
        if (bad && row == rows - 1) {
            at[outer] = 0;
            values_write_index(indices->host.dtype, extents[0], ref_at(&indices->host, at));
        }
    }
}

bool scatter_is_broadcast(const placed *p)
{
    for (int dim = 0; dim < p->host.rank; dim++)
        if (p->host.strides[dim] == 0 && p->host.shape[dim] > 1)
            return true;
    return false;
}

// UPDATE without an order: each element must be one of its updates, whole. What the device chose
// goes into the image, the rest of which stays to be compared.
static void adopt_choice(const device *d, const placed *indices, const placed *updates,
                         placed *target, clnd_bounds bounds)
{
    unsigned char *actual = placed_read(target, d);
    unsigned char *touched = calloc(target->bytes + 1, 1);
    check(touched, "out of memory");
    // The image holds the result of the serial loop; the loop once more changes nothing but tells
    // what the rows address.
    ref_scatter_options again = {CLND_REDUCE_UPDATE, bounds, false, touched};
    ref_scatter_nd_into(&indices->host, &updates->host, &target->host, &again);
    ref_array after = target->host;
    size_t wrong = 0;
    after.data = actual;
    bool possible =
        ref_scatter_nd_is_possible(&indices->host, &updates->host, &after, bounds, &wrong);
    check(possible, "element at byte %zu of the target is none of its updates", wrong);
    for (size_t i = 0; i < target->bytes; i++)
        if (touched[i])
            target->host.data[i] = actual[i];
    free(touched);
    free(actual);
}

static void check_bad_row(const scatter_case *c, const placed *indices, const placed *target,
                          int64_t row, clnd_bounds bounds)
{
    char ending[600], list[512];
    snprintf(ending, sizeof ending, " does not index into shape %s",
             placed_list(target->host.rank, target->host.shape, list));
    cases_check_bad_row(indices, row, c->into ? "scatter_nd_into" : "scatter_nd",
                        bounds == CLND_BOUNDS_ERROR ? ending : NULL);
}

enum { GUARD = 128 };

// Bytes lent to the call, with guards around them.
static void lend(const device *d, const scatter_case *c, clnd_workspace *workspace)
{
    const unsigned char pattern = 0xa5;
    cl_int code;
    const size_t size = c->workspace + 2 * GUARD;
    *workspace = (clnd_workspace){.offset = GUARD, .size = c->workspace};
    workspace->buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, size, NULL, &code);
    check_cl(code);
    check_cl(clEnqueueFillBuffer(d->queue, workspace->buffer, &pattern, 1, 0, size, 0, NULL, NULL));
    check_cl(clFinish(d->queue));
}

static void take_back(const device *d, const clnd_workspace *workspace)
{
    unsigned char guards[2][GUARD];
    const size_t ends[2] = {0, workspace->offset + workspace->size};
    for (int i = 0; i < 2; i++) {
        check_cl(clEnqueueReadBuffer(d->queue, workspace->buffer, CL_TRUE, ends[i], GUARD,
                                     guards[i], 0, NULL, NULL));
        for (int at = 0; at < GUARD; at++)
            check(guards[i][at] == 0xa5, "byte %d %s the workspace has changed", at,
                  i ? "behind" : "before");
    }
    check_cl(clReleaseMemObject(workspace->buffer));
}

bool scatter_run(const device *d, const scatter_case *c)
{
    rng *r = case_rng();
    char lists[3][512];
    int64_t outer[CLND_MAX_RANK], shape[CLND_MAX_RANK], update_shape[CLND_MAX_RANK];
    int o = c->n_dims[0] >= 0 ? c->n_dims[0] : (int)rng_range(r, 0, 2);
    int k = c->n_dims[1] >= 0 ? c->n_dims[1] : (int)rng_range(r, rng_chance(r, 10) ? 0 : 1, 3);
    int s = c->n_dims[2] >= 0 ? c->n_dims[2] : (int)rng_range(r, 0, 2);
    if (c->large) {
        cases_large_shape(r, o, c->rows, outer);
        cases_large_shape(r, k, c->extent, shape);
        cases_large_shape(r, s, c->slice, shape + k);
    } else {
        cases_shape(r, o, c->rows, c->empty, outer);
        cases_shape(r, k, c->extent, c->empty, shape);
        cases_shape(r, s, c->slice, c->empty, shape + k);
    }
    for (int dim = 0; dim < o && c->unique; dim++) // not more rows than places
        while (ref_count(o, outer) > ref_count(k, shape) && outer[dim] > 1)
            outer[dim]--;
    memcpy(update_shape, outer, (size_t)o * sizeof *outer);
    memcpy(update_shape + o, shape + k, (size_t)s * sizeof *outer);
    outer[o] = k;

    placed indices, updates, target;
    placed_make(&indices, "indices", r, c->index_dtype, o + 1, outer,
                PLACED_ALIGNED | (c->unique || c->sorted > 0 ? PLACED_STRIDED : PLACED_ANY));
    unsigned aligned = c->reduce == CLND_REDUCE_UPDATE ? 0 : PLACED_ALIGNED;
    placed_make(&updates, "updates", r, c->dtype, o + s, update_shape,
                c->placement | PLACED_BROADCAST | aligned);
    placed_make(&target, "target", r, c->dtype, k + s, shape, c->placement | aligned);
    cases_indices(r, &indices, shape, k, c->bounds,
                  c->bad > 0          ? c->bad
                  : rng_chance(r, 60) ? 0
                                      : 20);
    if (c->sorted > 0)
        make_sorted(&indices, shape, k, c->sorted, c->bad > 0);
    bool unique = (c->unique || (c->sorted == 0 && rng_chance(r, 10))) &&
                  !scatter_is_broadcast(&indices) && make_unique(r, &indices, shape, k);
    case_note("%s dtype %llx index %s reduce %d bounds %d strategy %s%s%s target %s indices %s "
              "updates %s",
              c->into ? "into" : "zeros", (unsigned long long)c->dtype,
              clnd_dtype_name(c->index_dtype), (int)c->reduce, (int)c->bounds,
              c->strategy ? c->strategy : "any", c->deterministic ? " deterministic" : "",
              unique ? " unique" : "", placed_list(k + s, shape, lists[0]),
              placed_list(o + 1, outer, lists[1]), placed_list(o + s, update_shape, lists[2]));

    bool ordered = scatter_is_ordered(c) || unique;
    equality rule;
    values v = scatter_values(d, c, ordered, &rule);
    placed_fill(&updates, r, &v);
    placed_fill(&target, r, &v);
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    placed_upload(&target, d);

    clnd_scatter_nd_options options = {.reduce = c->reduce,
                                       .bounds = c->bounds,
                                       .deterministic = c->deterministic,
                                       .unique_indices = unique};
    clnd_workspace workspace;
    if (c->workspace > 0) {
        lend(d, c, &workspace);
        options.workspace = &workspace;
    }
    launch l;
    const device *with = device_with(d, c->strategy);
    launch_pick(&l, with, r);
    check_status(clnd_scatter_nd_check(&indices.tensor, &updates.tensor, &target.tensor, &options),
                 CLND_OK);
    clnd_status status = (c->into ? clnd_scatter_nd_into : clnd_scatter_nd)(
        with->engine, l.queue, &indices.tensor, &updates.tensor, &target.tensor, &options, l.n_wait,
        l.wait, l.event_out);
    launch_finish(&l, d, status);
    if (c->workspace > 0)
        take_back(d, &workspace);

    bool done = false;
    if (status == CLND_INVALID_OPTION && scatter_may_refuse(d, c, &updates, &target)) {
        check_message("strategy");
    } else {
        unsigned char *touched = calloc(target.bytes + 1, 1);
        check(touched, "out of memory");
        clnd_bounds bounds = device_bounds(d, c->bounds);
        ref_scatter_options how = {c->reduce, bounds, c->deterministic, touched};
        int64_t bad = (c->into ? ref_scatter_nd_into : ref_scatter_nd)(&indices.host, &updates.host,
                                                                       &target.host, &how);
        check(status == (bad < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS), "%s (%s), bad row %lld",
              clnd_status_name(status), clnd_last_error(), (long long)bad);
        if (bad >= 0)
            check_bad_row(c, &indices, &target, bad, bounds);
        else if (c->reduce == CLND_REDUCE_UPDATE && !ordered)
            adopt_choice(d, &indices, &updates, &target, bounds);
        placed_check(&target, d, rule, touched);
        free(touched);
        done = true;
    }
    if (!done)
        placed_check(&target, d, EQUAL_BITS, NULL);
    placed_check(&updates, d, EQUAL_BITS, NULL);
    placed_check(&indices, d, EQUAL_BITS, NULL);
    placed_free(&indices);
    placed_free(&updates);
    placed_free(&target);
    return done;
}
