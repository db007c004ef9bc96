// SPDX-License-Identifier: Apache-2.0
//
// Every op on host arrays against the reference: random shapes, layouts, dtypes and policies, by
// each way in which memory reaches the device. Guard bands and gaps stay as they were.

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "hosted.h"

static const clnd_bounds gather_policies[] = {CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR,
                                              CLND_BOUNDS_ZERO,    CLND_BOUNDS_FILL,
                                              CLND_BOUNDS_CLAMP,   CLND_BOUNDS_WRAP};
static const clnd_bounds scatter_policies[] = {
    CLND_BOUNDS_DEFAULT, CLND_BOUNDS_ERROR, CLND_BOUNDS_SKIP, CLND_BOUNDS_CLAMP, CLND_BOUNDS_WRAP};

#define PICK(r, list) (list)[rng_range(r, 0, (int64_t)(sizeof(list) / sizeof *(list)) - 1)]

// Data that indices select from, the indices, and what lies densely: out or updates.
typedef struct indexed_case {
    op_id op;
    way way;
    clnd_bounds bounds; // DEFAULT resolved
    int axis, depth;    // of a tuple
    hosted data, indices, dense;
} indexed_case;

// Shapes of indices and dense for the data's shape.
static void pick_shapes(rng *r, indexed_case *c, int rank, const int64_t *data, int *index_rank,
                        int64_t *index_shape, int *dense_rank, int64_t *dense_shape)
{
    int outer = (int)rng_range(r, 0, 2), n = 0;
    c->axis = (int)rng_range(r, 0, rank - 1);
    c->depth = (int)rng_range(r, rng_chance(r, 10) ? 0 : 1, rank);
    if (c->op == GATHER_ELEMENTS || c->op == SCATTER_ELEMENTS) {
        for (int d = 0; d < rank; d++)
            dense_shape[d] = index_shape[d] = rng_range(r, rng_chance(r, 90) && data[d] ? 1 : 0,
                                                        d == c->axis ? data[d] + 2 : data[d]);
        *index_rank = *dense_rank = rank;
        return;
    }
    cases_shape(r, outer, 40, 4, index_shape);
    *index_rank = outer;
    int before = c->op == GATHER ? c->axis : 0, skipped = c->op == GATHER ? 1 : c->depth;
    for (int d = 0; d < before; d++)
        dense_shape[n++] = data[d];
    for (int d = 0; d < outer; d++)
        dense_shape[n++] = index_shape[d];
    for (int d = before + skipped; d < rank; d++)
        dense_shape[n++] = data[d];
    *dense_rank = n;
    if (c->op != GATHER)
        index_shape[(*index_rank)++] = c->depth;
}

static void make_indexed(rng *r, indexed_case *c, clnd_dtype dtype, clnd_reduce reduce)
{
    int64_t shapes[3][CLND_MAX_RANK];
    char lists[3][512];
    int rank = (int)rng_range(r, 1, 4), index_rank, dense_rank;
    bool is_gather = c->op <= GATHER_ELEMENTS;
    bool tuples = c->op == GATHER_ND || c->op == SCATTER_ND || c->op == SCATTER_ND_INTO;
    int bad = rng_chance(r, 60) ? 0 : 20;
    cases_shape(r, rank, 300, 4, shapes[0]);
    pick_shapes(r, c, rank, shapes[0], &index_rank, shapes[1], &dense_rank, shapes[2]);
    unsigned aligned = reduce > CLND_REDUCE_UPDATE ? PLACED_ALIGNED : 0;
    unsigned data = is_gather ? PLACED_ANY : PLACED_STRIDED;
    unsigned dense = is_gather ? PLACED_STRIDED : PLACED_ANY;
    placed_make(&c->data.image, is_gather ? "params" : "target", r, dtype, rank, shapes[0],
                data | aligned);
    placed_make(&c->indices.image, "indices", r, values_pick(values_index_dtypes, r), index_rank,
                shapes[1], PLACED_ANY | PLACED_ALIGNED);
    placed_make(&c->dense.image, is_gather ? "out" : "updates", r, dtype, dense_rank, shapes[2],
                dense | aligned);
    if (tuples)
        cases_indices(r, &c->indices.image, shapes[0], c->depth, c->bounds, bad);
    else
        cases_axis_indices(r, &c->indices.image, shapes[0][c->axis], c->bounds, bad);
    case_note("%s way %d dtype %llx reduce %d bounds %d axis %d: data %s indices %s dense %s",
              hosted_names[c->op], (int)c->way, (unsigned long long)dtype, (int)reduce,
              (int)c->bounds, c->axis, placed_list(rank, shapes[0], lists[0]),
              placed_list(index_rank, shapes[1], lists[1]),
              placed_list(dense_rank, shapes[2], lists[2]));
}

static void lay_indexed(indexed_case *c)
{
    hosted_lay(&c->data);
    hosted_lay(&c->indices);
    hosted_lay(&c->dense);
}

static void end_indexed(indexed_case *c, clnd_status status, int64_t bad, equality rule,
                        const unsigned char *touched)
{
    hosted *target = c->op <= GATHER_ELEMENTS ? &c->dense : &c->data;
    check(status == (bad < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS), "%s (%s), bad row %lld",
          clnd_status_name(status), clnd_last_error(), (long long)bad);
    if (bad >= 0 && (c->op == GATHER_ND || c->op == SCATTER_ND || c->op == SCATTER_ND_INTO))
        cases_check_bad_row(&c->indices.image, bad, hosted_names[c->op], NULL);
    else if (bad >= 0)
        cases_check_bad_value(&c->indices.image, bad, hosted_names[c->op],
                              c->data.array.shape[c->axis], c->bounds);
    if (bad >= 0 && c->op <= GATHER_ELEMENTS)
        rule = EQUAL_AROUND;
    hosted_check(target, rule, touched);
    hosted_check(&c->indices, EQUAL_BITS, NULL);
    hosted_check(target == &c->data ? &c->dense : &c->data, EQUAL_BITS, NULL);
    hosted_free(&c->data);
    hosted_free(&c->indices);
    hosted_free(&c->dense);
}

static void run_gather(const device *d, op_id op, way w, clnd_dtype dtype)
{
    rng *r = case_rng();
    values bits = {.kind = VALUES_BITS};
    unsigned char fill[256];
    clnd_bounds bounds = PICK(r, gather_policies);
    indexed_case c = {.op = op, .way = w, .bounds = device_bounds(d, bounds)};
    make_indexed(r, &c, dtype, CLND_REDUCE_UPDATE);
    check(clnd_dtype_size(dtype) <= sizeof fill, "fill is too small");
    values_write(&bits, dtype, r, fill);
    lay_indexed(&c);

    clnd_gather_nd_options nd = {.bounds = bounds, .fill = fill};
    clnd_gather_options along = {.axis =
                                     c.axis ? cases_spelled_axis(r, c.axis, c.data.array.rank) : 0,
                                 .bounds = bounds,
                                 .fill = fill};
    clnd_gather_elements_options elements = {
        .axis = cases_spelled_axis(r, c.axis, c.data.array.rank), .bounds = bounds, .fill = fill};
    const void *options[] = {&nd, &along, &elements};
    const clnd_array *arrays[] = {&c.data.array, &c.indices.array, &c.dense.array};
    clnd_status status = hosted_call(d->engine, op, w, arrays, NULL, options[op]);

    const ref_array *params = &c.data.image.host, *indices = &c.indices.image.host;
    const ref_array *out = &c.dense.image.host;
    int64_t bad = op == GATHER_ND ? ref_gather_nd(params, indices, out, 0, c.bounds, fill)
                  : op == GATHER
                      ? ref_gather(params, indices, out, c.axis, 0, c.bounds, fill)
                      : ref_gather_elements(params, indices, out, c.axis, c.bounds, fill);
    end_indexed(&c, status, bad, EQUAL_BITS, NULL);
}

static void run_scatter(const device *d, op_id op, way w, clnd_dtype dtype)
{
    rng *r = case_rng();
    clnd_bounds bounds = PICK(r, scatter_policies);
    clnd_reduce reduce = (clnd_reduce)rng_range(r, CLND_REDUCE_UPDATE, CLND_REDUCE_MAX);
    if (!values_can_reduce(dtype, reduce) ||
        (values_is_double(dtype) && !d->facts->fp64)) // refusals are the ops' tests
        reduce = CLND_REDUCE_UPDATE;
    indexed_case c = {.op = op, .way = w, .bounds = device_bounds(d, bounds)};
    const bool computes = reduce != CLND_REDUCE_UPDATE;
    equality rule = computes ? EQUAL_NUMBERS : EQUAL_BITS;
    values v = {.kind = computes ? VALUES_ANY : VALUES_BITS, .subnormals = d->subnormals};
    make_indexed(r, &c, dtype, reduce);
    placed_fill(&c.data.image, r, &v);
    placed_fill(&c.dense.image, r, &v);
    lay_indexed(&c);

    clnd_scatter_nd_options nd = {.reduce = reduce, .bounds = bounds, .deterministic = true};
    clnd_scatter_elements_options elements = {.axis =
                                                  cases_spelled_axis(r, c.axis, c.data.array.rank),
                                              .reduce = reduce,
                                              .bounds = bounds,
                                              .deterministic = true};
    const clnd_array *arrays[] = {&c.indices.array, &c.dense.array, &c.data.array};
    clnd_status status = hosted_call(d->engine, op, w, arrays, NULL,
                                     op == SCATTER_ELEMENTS ? (void *)&elements : (void *)&nd);

    unsigned char *touched = calloc(c.data.image.bytes + 1, 1);
    check(touched, "out of memory");
    const ref_array *target = &c.data.image.host, *indices = &c.indices.image.host;
    const ref_array *updates = &c.dense.image.host;
    ref_scatter_options how = {reduce, c.bounds, true, touched};
    int64_t bad = op == SCATTER_ND ? ref_scatter_nd(indices, updates, target, &how)
                  : op == SCATTER_ND_INTO
                      ? ref_scatter_nd_into(indices, updates, target, &how)
                      : ref_scatter_elements(indices, updates, target, c.axis, &how);
    end_indexed(&c, status, bad, rule, touched);
    free(touched);
}

// A slice that can be taken.
static clnd_slice pick_slice(rng *r, int rank, const int64_t *shape)
{
    clnd_slice slice = {.length = (int)rng_range(r, 0, rank)};
    slice.begin_mask = (uint32_t)(rng_u64(r) & rng_u64(r));
    slice.end_mask = (uint32_t)(rng_u64(r) & rng_u64(r));
    for (int i = 0; i < slice.length; i++) {
        slice.strides[i] = rng_chance(r, 60) ? 1 : rng_range(r, 1, 3);
        slice.begin[i] = rng_range(r, -shape[i] - 1, shape[i]);
        slice.end[i] = rng_range(r, -shape[i], shape[i] + 1);
        if (shape[i] > 0 && rng_chance(r, 20)) {
            slice.shrink_axis_mask |= 1u << i;
            slice.begin[i] = rng_range(r, -shape[i], shape[i] - 1);
        } else if (rng_chance(r, 30)) {
            slice.strides[i] = -slice.strides[i];
        }
    }
    return slice;
}

static void run_move(const device *d, op_id op, way w, clnd_dtype dtype)
{
    rng *r = case_rng();
    values bits = {.kind = VALUES_BITS};
    int64_t shape[CLND_MAX_RANK];
    char lists[2][512];
    hosted whole, part; // the sliced array, and what is the slice of it
    ref_slice taken;
    int rank = (int)rng_range(r, 0, 4);
    cases_shape(r, rank, 400, 4, shape);
    clnd_slice slice = {0};
    if (op != COPY)
        slice = pick_slice(r, rank, shape);
    check(ref_slice_take(rank, shape, &slice, &taken) == REF_SLICE_OK, "the slice");
    if (op == STRIDED_SLICE_ASSIGN)
        for (int i = 0; i < taken.rank; i++)
            if (rng_chance(r, 20))
                taken.shape[i] = 1; // is broadcast
    bool into_whole = op == STRIDED_SLICE_ASSIGN || op == STRIDED_SLICE_GRAD;
    placed_make(&whole.image, "whole", r, dtype, rank, shape,
                into_whole ? PLACED_STRIDED : PLACED_ANY);
    placed_make(&part.image, "part", r, dtype, taken.rank, taken.shape,
                into_whole ? PLACED_ANY : PLACED_STRIDED);
    placed_fill(into_whole ? &part.image : &whole.image, r, &bits);
    case_note("%s way %d dtype %llx whole %s part %s", hosted_names[op], (int)w,
              (unsigned long long)dtype, placed_list(rank, shape, lists[0]),
              placed_list(taken.rank, taken.shape, lists[1]));
    hosted_lay(&whole);
    hosted_lay(&part);

    const bool part_first = op == STRIDED_SLICE_GRAD;
    const clnd_array *arrays[] = {part_first ? &part.array : &whole.array,
                                  part_first ? &whole.array : &part.array};
    check_status(hosted_call(d->engine, op, w, arrays, &slice, NULL), CLND_OK);
    const ref_array *a = &whole.image.host, *b = &part.image.host;
    if (op == COPY)
        ref_copy(a, b);
    else
        check((op == STRIDED_SLICE          ? ref_strided_slice(a, &slice, b)
               : op == STRIDED_SLICE_ASSIGN ? ref_strided_slice_assign(a, &slice, b)
                                            : ref_strided_slice_grad(b, &slice, a)) == REF_SLICE_OK,
              "the reference");
    hosted_check(&whole, EQUAL_BITS, NULL);
    hosted_check(&part, EQUAL_BITS, NULL);
    ref_slice_free(&taken);
    hosted_free(&whole);
    hosted_free(&part);
}

static void run(const device *d, op_id op, way w, clnd_dtype dtype)
{
    if (op <= GATHER_ELEMENTS)
        run_gather(d, op, w, dtype);
    else if (op <= SCATTER_ELEMENTS)
        run_scatter(d, op, w, dtype);
    else
        run_move(d, op, w, dtype);
}

static void run_every_dtype(op_id op)
{
    const device *d = device_get();
    char label[64];
    int n_dtypes = 0;
    snprintf(label, sizeof label, "host %s", hosted_names[op]);
    while (values_all_dtypes[n_dtypes])
        n_dtypes++;
    for (int i = 0; i < case_turns(4 * N_WAYS * n_dtypes); i++)
        if (i < N_WAYS || case_is_taken(i)) {
            // Also of few cases each op and way takes other dtypes.
            const int way_of_case = i % N_WAYS, dtype = i / N_WAYS + 3 * way_of_case + 5 * (int)op;
            case_begin(label, i);
            run(d, op, (way)way_of_case, values_all_dtypes[dtype % n_dtypes]);
        }
}

#define EVERY_DTYPE(id, name)                                                                      \
    Test(arrays, name)                                                                             \
    {                                                                                              \
        run_every_dtype(id);                                                                       \
    }

EVERY_DTYPE(GATHER_ND, gather_nd)
EVERY_DTYPE(GATHER, gather)
EVERY_DTYPE(GATHER_ELEMENTS, gather_elements)
EVERY_DTYPE(SCATTER_ND, scatter_nd)
EVERY_DTYPE(SCATTER_ND_INTO, scatter_nd_into)
EVERY_DTYPE(SCATTER_ELEMENTS, scatter_elements)
EVERY_DTYPE(STRIDED_SLICE, strided_slice)
EVERY_DTYPE(STRIDED_SLICE_ASSIGN, strided_slice_assign)
EVERY_DTYPE(STRIDED_SLICE_GRAD, strided_slice_grad)
EVERY_DTYPE(COPY, copy)
