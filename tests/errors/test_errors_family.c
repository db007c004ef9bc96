// SPDX-License-Identifier: Apache-2.0
//
// What gather, gather_elements, scatter_elements, strided_slice_assign and strided_slice_grad
// refuse, by status: nothing is touched, *event is NULL, the text begins with the op's name. The
// shape functions refuse the same.

#include <criterion/criterion.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

enum { TAKE, PICK, PUT, ASSIGN, GRAD, N_FAMILY };

enum {
    ON_TAKE = 1 << TAKE,
    ON_PICK = 1 << PICK,
    ON_PUT = 1 << PUT,
    ON_SLICES = 1 << ASSIGN | 1 << GRAD,
    ON_INDEXED = ON_TAKE | ON_PICK | ON_PUT,
    ON_MOVES = ON_TAKE | ON_PICK | ON_SLICES,
    ON_EACH = ON_INDEXED | ON_SLICES,
};

static const char *const names[N_FAMILY] = {"gather", "gather_elements", "scatter_elements",
                                            "strided_slice_assign", "strided_slice_grad"};

// The larger tensor is [4, 3], the smaller [2, 3], both float32; indices are int32 zeros, [2] for
// gather and else [2, 3]; slices are 1:3. Each buffer has room for [8, 3].
typedef struct good {
    const device *d;
    int op;
    placed memory[3];
    clnd_tensor in, indices, out;
    const clnd_tensor *in_arg, *indices_arg, *out_arg;
    clnd_slice slice;
    const clnd_slice *slice_arg;
    clnd_engine *engine;
    cl_command_queue queue;
    cl_uint n_wait;
    clnd_gather_options take;
    clnd_gather_elements_options pick;
    clnd_scatter_elements_options put;
    clnd_strided_slice_options move;
} good;

static void make(good *g, const device *d, int op)
{
    static const char *const memory_names[] = {"in", "indices", "out"};
    bool shrinks = op == TAKE || op == PICK;
    memset(g, 0, sizeof *g);
    g->d = d;
    g->op = op;
    g->engine = d->engine;
    for (int i = 0; i < 3; i++) {
        text_space(&g->memory[i], memory_names[i], case_rng(), i == 1 ? CLND_INT32 : CLND_FLOAT32,
                   "8,3");
        if (i == 1)
            memset(g->memory[i].host.data, 0, g->memory[i].bytes);
        placed_upload(&g->memory[i], d);
    }
    g->in = g->memory[0].tensor;
    g->indices = g->memory[1].tensor;
    g->out = g->memory[2].tensor;
    g->in.shape[0] = shrinks ? 4 : 2;
    g->out.shape[0] = shrinks ? 2 : 4;
    g->indices.shape[0] = 2;
    if (op == TAKE) {
        g->indices.rank = 1;
        g->indices.strides[0] = 1;
    }
    g->in_arg = &g->in;
    g->indices_arg = &g->indices;
    g->out_arg = &g->out;
    g->slice_arg = &g->slice;
    check_status(clnd_slice_parse("1:3", &g->slice), CLND_OK);
    g->take.bounds = g->pick.bounds = g->put.bounds = CLND_BOUNDS_ERROR;
    g->put.reduce = CLND_REDUCE_ADD;
}

static clnd_status run(good *g, cl_event *event)
{
    switch (g->op) {
    case TAKE:
        return clnd_gather(g->engine, g->queue, g->in_arg, g->indices_arg, g->out_arg, &g->take,
                           g->n_wait, NULL, event);
    case PICK:
        return clnd_gather_elements(g->engine, g->queue, g->in_arg, g->indices_arg, g->out_arg,
                                    &g->pick, g->n_wait, NULL, event);
    case PUT:
        return clnd_scatter_elements(g->engine, g->queue, g->indices_arg, g->in_arg, g->out_arg,
                                     &g->put, g->n_wait, NULL, event);
    case ASSIGN:
        return clnd_strided_slice_assign(g->engine, g->queue, g->in_arg, g->slice_arg, g->out_arg,
                                         &g->move, g->n_wait, NULL, event);
    default:
        return clnd_strided_slice_grad(g->engine, g->queue, g->in_arg, g->slice_arg, g->out_arg,
                                       &g->move, g->n_wait, NULL, event);
    }
}

// The op's shape function; grad has none of its own. *result is zeroed on failure.
static clnd_status shape_of(good *g, clnd_tensor *result)
{
    memset(result, 0, sizeof *result);
    if (g->op != PUT)
        result->rank = 9;
    switch (g->op) {
    case TAKE:
        return clnd_gather_shape(g->in_arg, g->indices_arg, &g->take, result);
    case PICK:
        return clnd_gather_elements_shape(g->in_arg, g->indices_arg, &g->pick, result);
    case PUT:
        return clnd_scatter_elements_check(g->indices_arg, g->in_arg, g->out_arg, &g->put);
    default:
        return clnd_strided_slice_assign_shape(g->in_arg, g->slice_arg, g->out_arg, result);
    }
}

static void check_untouched(good *g, clnd_status status)
{
    const bool written = (g->op == TAKE || g->op == PICK) && status == CLND_INDEX_OUT_OF_BOUNDS;
    check_cl(clFinish(g->d->queue));
    for (int i = 0; i < 3; i++)
        placed_check(&g->memory[i], g->d, i == 2 && written ? EQUAL_AROUND : EQUAL_BITS, NULL);
}

static void drop(good *g)
{
    for (int i = 0; i < 3; i++)
        placed_free(&g->memory[i]);
}

// Ways to break a call ----------------------------------------------------------------------------

// clang-format off
static void no_engine(good *g) { g->engine = NULL; }
static void no_in(good *g) { g->in_arg = NULL; }
static void no_indices(good *g) { g->indices_arg = NULL; }
static void no_out(good *g) { g->out_arg = NULL; }
static void no_slice(good *g) { g->slice_arg = NULL; }
static void no_wait_list(good *g) { g->n_wait = 1; }
static void no_fill(good *g) { g->take.bounds = g->pick.bounds = CLND_BOUNDS_FILL; }
static void fill_for_scatter(good *g) { g->put.bounds = CLND_BOUNDS_FILL; }
static void bounds(good *g) { g->take.bounds = g->pick.bounds = g->put.bounds = (clnd_bounds)6; }
static void reduce(good *g) { g->put.reduce = (clnd_reduce)7; }
static void force(good *g, const char *words)
{
    g->engine = device_with(g->d, words)->engine;
    g->queue = g->d->queue;
}
static void store_of_a_sum(good *g) { force(g, "must,store"); }
static void atomic_in_order(good *g)
{
    force(g, "must,atomic");
    g->put.deterministic = true;
}
static void reserved(good *g)
{
    g->take.reserved[7] = g->pick.reserved[7] = g->put.reserved[7] = g->move.reserved[7] = 3;
}
static void dtype_0(good *g) { g->in.dtype = g->out.dtype = 0; }
static void two_dtypes(good *g) { g->out.dtype = CLND_INT32; }
static void float_indices(good *g) { g->indices.dtype = CLND_FLOAT32; }
static void uint64_indices(good *g) { g->indices.dtype = CLND_UINT64; }
static void opaque_sum(good *g) { g->in.dtype = g->out.dtype = CLND_OPAQUE(4); }
static void bool_sub(good *g)
{
    g->in.dtype = g->out.dtype = CLND_BOOL;
    g->put.reduce = CLND_REDUCE_SUB;
}
static void complex_max(good *g)
{
    g->in.dtype = g->out.dtype = CLND_COMPLEX64;
    g->put.reduce = CLND_REDUCE_MAX;
}
static void rank_17(good *g) { g->in.rank = 17; }
static void negative_rank(good *g) { g->out.rank = -1; }
static void negative_size(good *g) { g->in.shape[1] = -3; }
static void negative_indices(good *g) { g->indices.shape[0] = -2; }
static void long_slice(good *g) { g->slice.length = 33; }
static void stride_0(good *g) { g->slice.strides[0] = 0; }
static void integer_outside(good *g)
{
    check_status(clnd_slice_parse("4", &g->slice), CLND_OK);
}
static void shared_rows(good *g) { g->out.strides[0] = 0; }
static void shared_elements(good *g) { g->out.strides[0] = 2; }
static void far_strides(good *g) { g->in.strides[0] = INT64_MAX; }
static void far_offset(good *g) { g->out.offset = SIZE_MAX; }
static void no_buffer(good *g) { g->in.buffer = NULL; }
static void no_out_buffer(good *g) { g->out.buffer = NULL; }
static void no_index_buffer(good *g) { g->indices.buffer = NULL; }
static void in_past_the_end(good *g) { g->in.offset = 96 - 20; }
static void out_past_the_end(good *g) { g->out.offset = 96 - 20; }
static void below_the_start(good *g) { g->in.strides[0] = -3; }
static void indices_past_the_end(good *g) { g->indices.offset = 96 - 4; }
static void odd_indices(good *g) { g->indices.offset = 2; }
static void odd_updates(good *g) { g->in.offset = 2; }
static void odd_target(good *g) { g->out.offset = 6; }
static void in_is_out(good *g) { g->in.buffer = g->out.buffer; }
static void indices_are_out(good *g) { g->indices.buffer = g->out.buffer; }
// of the target only what lies behind the slice is outside the buffer
static void rest_past_the_end(good *g) { g->out.shape[0] = 9; }
static void bad_index(good *g)
{
    memcpy(g->memory[1].host.data + 4, &(int32_t){-1}, 4);
    placed_upload(&g->memory[1], g->d);
}

typedef struct family_fault {
    clnd_status status;
    unsigned ops;
    bool of_shapes; // the shape function refuses it too
    void (*put)(good *g);
    const char *piece; // of the text
} family_fault;

static const family_fault faults[] = {
    {CLND_NULL_POINTER, ON_EACH, false, no_engine, "engine is NULL"},
    {CLND_NULL_POINTER, ON_EACH, true, no_in, " is NULL"},
    {CLND_NULL_POINTER, ON_INDEXED, true, no_indices, "indices is NULL"},
    {CLND_NULL_POINTER, ON_TAKE | ON_PICK, false, no_out, "out is NULL"},
    {CLND_NULL_POINTER, ON_PUT | ON_SLICES, true, no_out, " is NULL"},
    {CLND_NULL_POINTER, ON_SLICES, true, no_slice, "slice is NULL"},
    {CLND_NULL_POINTER, ON_EACH, false, no_wait_list, "wait is NULL"},
    {CLND_NULL_POINTER, ON_TAKE | ON_PICK, true, no_fill, "fill is NULL"},
    {CLND_INVALID_OPTION, ON_PUT, true, fill_for_scatter, "FILL"},
    {CLND_INVALID_OPTION, ON_INDEXED, true, bounds, "options->bounds is 6"},
    {CLND_INVALID_OPTION, ON_PUT, true, reduce, "options->reduce is 7"},
    {CLND_INVALID_OPTION, ON_PUT, false, store_of_a_sum, "strategy store"},
    {CLND_INVALID_OPTION, ON_PUT, false, atomic_in_order, "strategy atomic"},
    {CLND_INVALID_OPTION, ON_INDEXED, true, reserved, "options->reserved[7] is 3"},
    {CLND_INVALID_OPTION, ON_SLICES, false, reserved, "options->reserved[7] is 3"},
    {CLND_INVALID_DTYPE, ON_EACH, true, dtype_0, "dtype"},
    {CLND_DTYPE_MISMATCH, ON_PUT | ON_SLICES, true, two_dtypes, "int32"},
    {CLND_DTYPE_MISMATCH, ON_TAKE | ON_PICK, false, two_dtypes, "int32"},
    {CLND_UNSUPPORTED_DTYPE, ON_INDEXED, true, float_indices, "indices has dtype float32"},
    {CLND_UNSUPPORTED_DTYPE, ON_INDEXED, true, uint64_indices, "indices has dtype uint64"},
    {CLND_UNSUPPORTED_DTYPE, ON_PUT, true, opaque_sum, "ADD"},
    {CLND_UNSUPPORTED_DTYPE, ON_PUT, true, bool_sub, "SUB"},
    {CLND_UNSUPPORTED_DTYPE, ON_PUT, true, complex_max, "MAX"},
    {CLND_INVALID_RANK, ON_EACH, true, rank_17, "17"},
    {CLND_INVALID_RANK, ON_TAKE | ON_PICK, false, negative_rank, "-1"},
    {CLND_INVALID_RANK, ON_PUT | ON_SLICES, true, negative_rank, "-1"},
    {CLND_INVALID_SHAPE, ON_EACH, true, negative_size, "-3"},
    {CLND_INVALID_SHAPE, ON_INDEXED, true, negative_indices, "-2"},
    {CLND_INVALID_SLICE, ON_SLICES, true, long_slice, "33"},
    {CLND_INVALID_SLICE, ON_SLICES, true, stride_0, "stride"},
    {CLND_INVALID_SLICE, ON_SLICES, true, integer_outside, "index 4"},
    {CLND_INVALID_STRIDES, ON_EACH, false, shared_rows, "share memory"},
    {CLND_INVALID_STRIDES, ON_EACH, false, shared_elements, "share memory"},
    {CLND_SIZE_OVERFLOW, ON_EACH, false, far_strides, ""},
    {CLND_SIZE_OVERFLOW, ON_EACH, false, far_offset, ""},
    {CLND_INVALID_BUFFER, ON_EACH, false, no_buffer, "buffer"},
    {CLND_INVALID_BUFFER, ON_EACH, false, no_out_buffer, "buffer"},
    {CLND_INVALID_BUFFER, ON_INDEXED, false, no_index_buffer, "indices"},
    {CLND_BUFFER_TOO_SMALL, ON_EACH, false, in_past_the_end, "96"},
    {CLND_BUFFER_TOO_SMALL, ON_EACH, false, out_past_the_end, "96"},
    {CLND_BUFFER_TOO_SMALL, ON_EACH, false, below_the_start, ""},
    {CLND_BUFFER_TOO_SMALL, ON_INDEXED, false, indices_past_the_end, "indices"},
    {CLND_BUFFER_TOO_SMALL, ON_PUT | ON_SLICES, false, rest_past_the_end, "96"},
    {CLND_MISALIGNED, ON_INDEXED, false, odd_indices, "indices"},
    {CLND_MISALIGNED, ON_PUT, false, odd_updates, "updates"},
    {CLND_MISALIGNED, ON_PUT, false, odd_target, "target"},
    {CLND_OVERLAP, ON_EACH, false, in_is_out, "overlap"},
    {CLND_OVERLAP, ON_INDEXED, false, indices_are_out, "overlap"},
    {CLND_INDEX_OUT_OF_BOUNDS, ON_INDEXED, false, bad_index, "1] = -1 is not in [0, 4)"},
};
// clang-format on

Test(errors_family, each_is_refused_and_leaves_everything_as_it_was)
{
    static char somewhere;
    const device *d = device_get();
    for (int i = 0; i < N_FAMILY * (int)(sizeof faults / sizeof *faults); i++) {
        const family_fault *fault = &faults[i / N_FAMILY];
        good g;
        if (!(fault->ops >> i % N_FAMILY & 1))
            continue;
        case_begin("errors family", i);
        case_note("%s: %s, fault %d", names[i % N_FAMILY], clnd_status_name(fault->status),
                  i / N_FAMILY);
        make(&g, d, i % N_FAMILY);
        fault->put(&g);
        clnd_tensor shape, zeros = {0};
        clnd_status status = shape_of(&g, &shape);
        if (g.op != GRAD) {
            check((status != CLND_OK) == fault->of_shapes, "the shape function gave %s (%s)",
                  clnd_status_name(status), clnd_last_error());
            check(!status || (status == fault->status && !memcmp(&shape, &zeros, sizeof zeros)),
                  "the shape function gave %s", clnd_status_name(status));
        }
        cl_event event = (cl_event)(void *)&somewhere;
        check_status(run(&g, &event), fault->status);
        check(event == NULL, "*event is not NULL");
        size_t length = strlen(names[g.op]);
        check(strncmp(clnd_last_error(), names[g.op], length) == 0 &&
                  strncmp(clnd_last_error() + length, ": ", 2) == 0,
              "message \"%s\"", clnd_last_error());
        check_message(fault->piece);
        check_untouched(&g, fault->status);
        drop(&g);
    }
}

// A good call is good: nothing above is refused for another reason.
Test(errors_family, unbroken_calls_succeed)
{
    const device *d = device_get();
    for (int op = 0; op < N_FAMILY; op++) {
        good g;
        clnd_tensor shape;
        case_begin("errors family unbroken", op);
        make(&g, d, op);
        check_status(shape_of(&g, &shape), CLND_OK);
        check_status(run(&g, NULL), CLND_OK);
        check_cl(clFinish(d->queue));
        drop(&g);
    }
}

// NULL options: axis 0, no batch dims, UPDATE, the device's default index policy.
Test(errors_family, null_options_are_the_defaults)
{
    const device *d = device_get();
    placed params, indices, updates, out;
    case_begin("family defaults", 0);
    rng *r = case_rng();
    text_tensor(&params, "params", r, CLND_INT32, "2,2: 1 2 3 4");
    text_tensor(&indices, "indices", r, CLND_INT32, "1,2: 1 0");
    text_tensor(&updates, "updates", r, CLND_INT32, "1,2: 8 9");
    text_space(&out, "out", r, CLND_INT32, "1,2,2");
    placed *const all[] = {&params, &indices, &updates, &out};
    for (int i = 0; i < 4; i++)
        placed_upload(all[i], d);
    clnd_tensor pair = out.tensor;
    pair.rank = 2;
    pair.strides[1] = 1;
    check_status(clnd_gather(d->engine, NULL, &params.tensor, &indices.tensor, &out.tensor, NULL, 0,
                             NULL, NULL),
                 CLND_OK);
    text_elements(&out, ": 3 4 1 2");
    placed_check(&out, d, EQUAL_BITS, NULL);
    check_status(clnd_gather_elements(d->engine, NULL, &params.tensor, &indices.tensor, &pair, NULL,
                                      0, NULL, NULL),
                 CLND_OK);
    text_elements(&out, ": 3 2 1 2");
    placed_check(&out, d, EQUAL_BITS, NULL);
    check_status(clnd_scatter_elements(d->engine, NULL, &indices.tensor, &updates.tensor,
                                       &params.tensor, NULL, 0, NULL, NULL),
                 CLND_OK);
    text_elements(&params, ": 1 9 8 4");
    placed_check(&params, d, EQUAL_BITS, NULL);
    clnd_slice slice;
    check_status(clnd_slice_parse("1", &slice), CLND_OK);
    check_status(clnd_strided_slice_assign(d->engine, NULL, &updates.tensor, &slice, &params.tensor,
                                           NULL, 0, NULL, NULL),
                 CLND_OK);
    text_elements(&params, ": 1 9 8 9");
    placed_check(&params, d, EQUAL_BITS, NULL);
    for (int i = 0; i < 4; i++)
        placed_free(all[i]);
}

// Results and operands whose bytes do not fit 63 bits, of shapes that go together.
Test(errors_family, shapes_beyond_63_bits)
{
    case_begin("family sizes", 0);
    clnd_tensor large = {
        .dtype = CLND_FLOAT32, .rank = 2, .shape = {INT64_MAX, 1}, .strides = {1, 1}};
    clnd_tensor few = {.dtype = CLND_FLOAT32, .rank = 2, .shape = {4, 1}, .strides = {1, 1}};
    clnd_tensor indices = large, result, zeros = {0};
    indices.dtype = CLND_INT8;
    check_status(clnd_gather_elements_shape(&few, &indices, NULL, &result), CLND_SIZE_OVERFLOW);
    check(!memcmp(&result, &zeros, sizeof zeros), "*out is not zeroed");
    check_status(clnd_scatter_elements_check(&indices, &large, &few, NULL), CLND_SIZE_OVERFLOW);
    large.shape[1] = 3;
    clnd_tensor value = {.dtype = CLND_FLOAT32};
    const clnd_slice all = {0};
    check_status(clnd_strided_slice_assign_shape(&value, &all, &large, &result),
                 CLND_SIZE_OVERFLOW);
    check(!memcmp(&result, &zeros, sizeof zeros), "*broadcast is not zeroed");
    large.shape[1] = 1;
    indices.rank = 1;
    check_status(clnd_gather_shape(&few, &indices, NULL, &result), CLND_SIZE_OVERFLOW);
    check(!memcmp(&result, &zeros, sizeof zeros), "*out is not zeroed");
    indices.shape[0] = 0; // no elements, no bytes
    check_status(clnd_gather_shape(&large, &indices, NULL, &result), CLND_OK);
}
