// SPDX-License-Identifier: Apache-2.0
//
// Faults in pointers, options, dtypes, ranks, shapes and slices.

#include "faults.h"

// Pointers ---------------------------------------------------------------------------------------

static void no_engine(call *c)
{
    c->engine = NULL;
}
static void no_in(call *c)
{
    c->in_arg = NULL;
}
static void no_indices(call *c)
{
    c->indices_arg = NULL;
}
static void no_out(call *c)
{
    c->out_arg = NULL;
}
static void no_slice(call *c)
{
    c->slice_arg = NULL;
}
static void no_wait_list(call *c)
{
    c->n_wait = 2;
    c->wait = NULL;
}
static void no_fill(call *c)
{
    c->gather.bounds = CLND_BOUNDS_FILL;
}

// Options ----------------------------------------------------------------------------------------

static void unknown_bounds(call *c)
{
    c->gather.bounds = c->scatter.bounds = (clnd_bounds)99;
}
static void negative_bounds(call *c)
{
    c->gather.bounds = c->scatter.bounds = (clnd_bounds)-1;
}
static void fill_for_scatter(call *c)
{
    c->scatter.bounds = CLND_BOUNDS_FILL;
}
static void unknown_reduce(call *c)
{
    c->scatter.reduce = (clnd_reduce)7;
}
static void reserved_field(call *c)
{
    call_set_reserved(c, 0);
}
static void store_of_a_sum(call *c)
{
    call_force(c, "must,store");
}
static void atomic_in_order(call *c)
{
    call_force(c, "must,atomic");
    c->scatter.deterministic = true;
}
static void atomic_update(call *c)
{
    call_force(c, "must,atomic");
    c->scatter.reduce = CLND_REDUCE_UPDATE;
}

// Dtypes -----------------------------------------------------------------------------------------

static void no_dtype(call *c)
{
    c->in.dtype = c->out.dtype = 0;
}
static void wrong_dtype_size(call *c)
{
    c->in.dtype = c->out.dtype = CLND_DTYPE_OF(12, 8);
}
static void empty_opaque(call *c)
{
    c->in.dtype = c->out.dtype = CLND_OPAQUE(0);
}
static void bad_index_dtype(call *c)
{
    c->indices.dtype = 99;
}
static void two_dtypes(call *c)
{
    c->out.dtype = CLND_INT32;
}
static void two_opaque_sizes(call *c)
{
    c->in.dtype = CLND_OPAQUE(4);
    c->out.dtype = CLND_OPAQUE(5);
    c->scatter.reduce = CLND_REDUCE_UPDATE;
}
static void float_indices(call *c)
{
    c->indices.dtype = CLND_FLOAT32;
}
static void uint64_indices(call *c)
{
    c->indices.dtype = CLND_UINT64;
}
static void bool_indices(call *c)
{
    c->indices.dtype = CLND_BOOL;
}
static void sum_of_opaque(call *c)
{
    c->in.dtype = c->out.dtype = CLND_OPAQUE(4);
}
static void bool_sub(call *c)
{
    c->in.dtype = c->out.dtype = CLND_BOOL;
    c->scatter.reduce = CLND_REDUCE_SUB;
}
static void complex_min(call *c)
{
    c->in.dtype = c->out.dtype = CLND_COMPLEX64;
    c->scatter.reduce = CLND_REDUCE_MIN;
}
static void complex_max(call *c)
{
    c->in.dtype = c->out.dtype = CLND_COMPLEX128;
    c->scatter.reduce = CLND_REDUCE_MAX;
}

// Ranks and axes ---------------------------------------------------------------------------------

static void rank_17(call *c)
{
    c->in.rank = 17;
}
static void negative_rank(call *c)
{
    c->out.rank = -1;
}
static void scalar_indices(call *c)
{
    c->indices.rank = 0;
}
static void result_rank_17(call *c)
{
    // 14 dimensions of rows and 3 of slices: the rank of out, and of updates
    clnd_tensor *data = c->op == GATHER ? &c->in : &c->out;
    c->indices.rank = 15;
    for (int i = 0; i < 15; i++)
        c->indices.shape[i] = 1;
    data->rank = 4;
    for (int i = 0; i < 4; i++)
        data->shape[i] = 1;
}
static void slice_rank_17(call *c)
{
    c->slice.length = 15;
    c->slice.begin_mask = c->slice.end_mask = c->slice.new_axis_mask = 0x7fff;
}
static void batch_dims_of_indices_rank(call *c)
{
    c->gather.batch_dims = 2;
}
static void negative_batch_dims(call *c)
{
    c->gather.batch_dims = -1;
}
static void batch_dims_above_params_rank(call *c)
{
    c->in.rank = 0;
    c->gather.batch_dims = 1;
}

// Shapes -----------------------------------------------------------------------------------------

static void negative_size(call *c)
{
    c->in.shape[0] = -4;
}
static void other_out_size(call *c)
{
    c->out.shape[c->out.rank - 1] = 2;
}
static void other_update_size(call *c)
{
    c->in.shape[0] = 3;
}
static void other_out_rank(call *c)
{
    c->out.rank = 3;
    c->out.shape[2] = 1;
}
static void depth_above_rank(call *c)
{
    c->indices.shape[1] = 3;
}
static void batch_mismatch(call *c)
{
    c->gather.batch_dims = 1;
}

// Slices -----------------------------------------------------------------------------------------

static void long_slice(call *c)
{
    c->slice.length = 33;
}
static void negative_slice(call *c)
{
    c->slice.length = -1;
}
static void two_ellipses(call *c)
{
    c->slice.length = 2;
    c->slice.ellipsis_mask = 3;
}
static void too_many_entries(call *c)
{
    check_status(clnd_slice_parse(":, :, :", &c->slice), CLND_OK);
}
static void stride_0(call *c)
{
    check_status(clnd_slice_parse(":, ::0", &c->slice), CLND_OK);
}
static void integer_outside(call *c)
{
    check_status(clnd_slice_parse("0:2, -4", &c->slice), CLND_OK);
}
static void integer_with_negative_stride(call *c)
{
    check_status(clnd_slice_parse("2", &c->slice), CLND_OK);
    c->slice.strides[0] = -1;
}

// clang-format off
const fault argument_faults[] = {
    {CLND_NULL_POINTER, "engine", ON_ALL, POINTERS, true, no_engine, {"engine is NULL"}},
    {CLND_NULL_POINTER, "input", ON_ALL, POINTERS, true, no_in, {" is NULL"}},
    {CLND_NULL_POINTER, "indices", ON_INDEXED, POINTERS, true, no_indices, {"indices is NULL"}},
    {CLND_NULL_POINTER, "output", ON_ALL, POINTERS, true, no_out, {" is NULL"}},
    {CLND_NULL_POINTER, "slice", ON_SLICE, POINTERS, true, no_slice, {"slice is NULL"}},
    {CLND_NULL_POINTER, "wait", ON_ALL, POINTERS, true, no_wait_list,
     {"wait is NULL", "n_wait is 2"}},
    {CLND_NULL_POINTER, "fill", ON_GATHER, POINTERS, false, no_fill, {"FILL", "fill is NULL"}},
    {CLND_INVALID_OPTION, "bounds", ON_INDEXED, OPTIONS, false, unknown_bounds, {"bounds", "99"}},
    {CLND_INVALID_OPTION, "bounds below 0", ON_INDEXED, OPTIONS, false, negative_bounds,
     {"bounds", "-1"}},
    {CLND_INVALID_OPTION, "FILL for a scatter", ON_SCATTERS, OPTIONS, false, fill_for_scatter,
     {"bounds", "FILL"}},
    {CLND_INVALID_OPTION, "reduce", ON_SCATTERS, OPTIONS, false, unknown_reduce, {"reduce", "7"}},
    {CLND_INVALID_OPTION, "reserved", ON_ALL, OPTIONS, true, reserved_field,
     {"reserved[0]", "5", "0"}},
    {CLND_INVALID_OPTION, "STORE of sums", ON_SCATTERS, OPTIONS, false, store_of_a_sum,
     {"strategy", "store"}},
    {CLND_INVALID_OPTION, "ATOMIC and deterministic", ON_SCATTERS, OPTIONS, false, atomic_in_order,
     {"strategy", "atomic"}},
    {CLND_INVALID_OPTION, "ATOMIC and UPDATE", ON_SCATTERS, OPTIONS, false, atomic_update,
     {"strategy", "atomic"}},
    {CLND_INVALID_DTYPE, "dtype 0", ON_ALL, DTYPES, true, no_dtype, {"dtype"}},
    {CLND_INVALID_DTYPE, "float32 of 8 bytes", ON_ALL, DTYPES, true, wrong_dtype_size, {"dtype"}},
    {CLND_INVALID_DTYPE, "opaque of 0 bytes", ON_ALL, DTYPES, true, empty_opaque, {"dtype"}},
    {CLND_INVALID_DTYPE, "dtype 99 of indices", ON_INDEXED, DTYPES, true, bad_index_dtype,
     {"indices", "dtype"}},
    {CLND_DTYPE_MISMATCH, "float32 and int32", ON_ALL, DTYPES, true, two_dtypes,
     {"float32", "int32"}},
    {CLND_DTYPE_MISMATCH, "opaque of 4 and 5 bytes", ON_ALL, DTYPES, false, two_opaque_sizes,
     {"4", "5"}},
    {CLND_UNSUPPORTED_DTYPE, "float32 indices", ON_INDEXED, DTYPES, true, float_indices,
     {"indices", "float32", "int8 to int64"}},
    {CLND_UNSUPPORTED_DTYPE, "uint64 indices", ON_INDEXED, DTYPES, true, uint64_indices,
     {"indices", "uint64"}},
    {CLND_UNSUPPORTED_DTYPE, "bool indices", ON_INDEXED, DTYPES, true, bool_indices,
     {"indices", "bool"}},
    {CLND_UNSUPPORTED_DTYPE, "ADD of opaque", ON_SCATTERS, DTYPES, true, sum_of_opaque,
     {"ADD", "opaque"}},
    {CLND_UNSUPPORTED_DTYPE, "SUB of bool", ON_SCATTERS, DTYPES, false, bool_sub, {"SUB", "bool"}},
    {CLND_UNSUPPORTED_DTYPE, "MIN of complex64", ON_SCATTERS, DTYPES, false, complex_min,
     {"MIN", "complex64"}},
    {CLND_UNSUPPORTED_DTYPE, "MAX of complex128", ON_SCATTERS, DTYPES, false, complex_max,
     {"MAX", "complex128"}},
    {CLND_INVALID_RANK, "rank 17", ON_ALL, RANKS, true, rank_17, {"rank 17", "16"}},
    {CLND_INVALID_RANK, "rank -1", ON_ALL, RANKS, false, negative_rank, {"rank -1", "0"}},
    {CLND_INVALID_RANK, "indices of rank 0", ON_INDEXED, RANKS, true, scalar_indices,
     {"indices", "rank 0", "1"}},
    {CLND_INVALID_RANK, "result of rank 17", ON_INDEXED, RANKS, false, result_rank_17,
     {"rank 17", "16"}},
    {CLND_INVALID_RANK, "slice of rank 17", ON_SLICE, RANKS, false, slice_rank_17,
     {"16", "dimensions"}},
    {CLND_INVALID_AXIS, "batch_dims = rank of indices", ON_GATHER, RANKS, true,
     batch_dims_of_indices_rank, {"batch_dims is 2", "0 to 1"}},
    {CLND_INVALID_AXIS, "batch_dims -1", ON_GATHER, RANKS, true, negative_batch_dims,
     {"batch_dims is -1", "0 to 1"}},
    {CLND_INVALID_AXIS, "batch_dims above the rank of params", ON_GATHER, RANKS, false,
     batch_dims_above_params_rank, {"batch_dims is 1", "params", "0"}},
    {CLND_INVALID_SHAPE, "negative size", ON_ALL, SHAPES, true, negative_size, {"-4"}},
    {CLND_INVALID_SHAPE, "size of out", ON_MOVES, SHAPES, true, other_out_size,
     {"[2, 2]", "[2, 3]"}},
    {CLND_INVALID_SHAPE, "size of updates", ON_SCATTERS, SHAPES, true, other_update_size,
     {"updates", "[3, 3]", "[2, 3]"}},
    {CLND_INVALID_SHAPE, "rank of out", ON_MOVES, SHAPES, false, other_out_rank,
     {"[2, 3, 1]", "[2, 3]"}},
    {CLND_INVALID_SHAPE, "depth above rank", ON_INDEXED, SHAPES, false, depth_above_rank,
     {"indices", "[2, 3]", "[4, 3]"}},
    {CLND_INVALID_SHAPE, "batch mismatch", ON_GATHER, SHAPES, true, batch_mismatch,
     {"batch dimension 0", "4", "2"}},
    {CLND_INVALID_SLICE, "33 entries", ON_SLICE, SHAPES, true, long_slice, {"33", "32"}},
    {CLND_INVALID_SLICE, "-1 entries", ON_SLICE, SHAPES, true, negative_slice, {"-1", "32"}},
    {CLND_INVALID_SLICE, "two ellipses", ON_SLICE, SHAPES, true, two_ellipses, {"2 ellipses"}},
    {CLND_INVALID_SLICE, "more entries than dimensions", ON_SLICE, SHAPES, true, too_many_entries,
     {"3 dimensions", "[4, 3]", "2"}},
    {CLND_INVALID_SLICE, "stride 0", ON_SLICE, SHAPES, true, stride_0,
     {"entry 1", "stride 0", "dimension 1"}},
    {CLND_INVALID_SLICE, "integer outside", ON_SLICE, SHAPES, true, integer_outside,
     {"-4", "dimension 1", "3"}},
    {CLND_INVALID_SLICE, "integer and stride -1", ON_SLICE, SHAPES, true,
     integer_with_negative_stride, {"stride -1", "positive"}},
};
// clang-format on
const int n_argument_faults = sizeof argument_faults / sizeof *argument_faults;
