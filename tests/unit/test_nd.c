// SPDX-License-Identifier: Apache-2.0
//
// Shapes of the ops: TensorFlow's worked examples, our answer where we differ, and every refusal
// with its text.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clnd/clnd.h"

// Shapes are written "2,3"; "" is a scalar.
static clnd_tensor tensor(clnd_dtype dtype, const char *shape)
{
    clnd_tensor t = {.dtype = dtype};
    while (*shape) {
        char *end;
        t.shape[t.rank++] = strtoll(shape, &end, 10);
        shape = end + (*end == ',');
    }
    return t;
}

static void check_shape(const clnd_tensor *got, const char *expected, clnd_dtype dtype)
{
    const clnd_tensor wanted = tensor(dtype, expected);
    uint64_t stride = 1; // beside a size of 0 it may wrap
    check(got->rank == wanted.rank && got->dtype == dtype && !got->buffer && got->offset == 0,
          "rank %d dtype %" PRIx64, got->rank, got->dtype);
    for (int d = wanted.rank - 1; d >= 0; --d) {
        check(got->shape[d] == wanted.shape[d], "size %" PRId64 " at %d, expected [%s]",
              got->shape[d], d, expected);
        check((uint64_t)got->strides[d] == stride || stride == 0 || wanted.shape[0] == 0,
              "stride %" PRId64 " at %d", got->strides[d], d);
        stride *= (uint64_t)got->shape[d];
    }
}

static void check_zeroed(const clnd_tensor *t)
{
    static const clnd_tensor zeros;
    check(memcmp(t, &zeros, sizeof zeros) == 0, "the result is not zeroed");
}

typedef struct gather_row {
    const char *params, *indices;
    int batch_dims;
    clnd_status status;
    const char *result; // shape, or message
} gather_row;

static const gather_row gathers[] = {
    {"2,3", "1,2", 0, CLND_OK, "1"},
    {"2,3", "2", 0, CLND_OK, ""},
    {"2,3", "2,1", 0, CLND_OK, "2,3"},
    {"2,3", "2,0", 0, CLND_OK, "2,2,3"},
    {"2,3", "0", 0, CLND_OK, "2,3"},
    {"2,3", "0,1", 0, CLND_OK, "0,3"},
    {"2,3", "0,2", 0, CLND_OK, "0"},
    {"2,3", "1,2,1", 0, CLND_OK, "1,2,3"},
    {"2,3", "1,3", 0, CLND_INVALID_SHAPE,
     "indices of shape [1, 3] hold tuples of 3 values, but params of shape [2, 3] has 2 dimensions "
     "to index"},
    {"0,3", "1,1", 0, CLND_OK, "1,3"},
    {"3,0", "1,1", 0, CLND_OK, "1,0"},
    {"0,3", "0,1", 0, CLND_OK, "0,3"},
    {"2,3", "2,1", 1, CLND_OK, "2"},
    {"", "4,0", 0, CLND_OK, "4"},
    {"", "0", 0, CLND_OK, ""},
    {"", "1", 0, CLND_INVALID_SHAPE,
     "indices of shape [1] hold tuples of 1 value, but params of shape [] has 0 dimensions to "
     "index; single indices have shape [1, 1], or go to gather or scatter"},
    {"5", "3", 0, CLND_INVALID_SHAPE,
     "tuples of 3 values, but params of shape [5] has 1 dimension to index; single indices have "
     "shape [3, 1], or go to gather or scatter"},
    {"4,5,6,7", "4,5,8,1", 2, CLND_OK, "4,5,8,7"},
    {"4,5", "4,5,0", 2, CLND_OK, "4,5"},
    {"4,5", "4,5,3,0", 2, CLND_OK, "4,5,3"},
    {"4,5,6,7", "4,5,8,3", 2, CLND_INVALID_SHAPE,
     "indices of shape [4, 5, 8, 3] hold tuples of 3 values, but params of shape [4, 5, 6, 7] has "
     "2 dimensions to index beside the batch"},
    {"4,5,6", "4,6,1", 2, CLND_INVALID_SHAPE, "batch dimension 1 is 5 in params and 6 in indices"},
    {"4,5,6", "3,5,1", 1, CLND_INVALID_SHAPE, "batch dimension 0 is 4 in params and 3 in indices"},
    {"2,3", "", 0, CLND_INVALID_RANK, "indices has rank 0, at least 1 is needed"},
    {"2,3", "2,1", -1, CLND_INVALID_AXIS,
     "batch_dims is -1, allowed are 0 to 1 (rank of indices - 1)"},
    {"2,3", "2,1", 2, CLND_INVALID_AXIS,
     "batch_dims is 2, allowed are 0 to 1 (rank of indices - 1)"},
    {"2", "2,3,1", 2, CLND_INVALID_AXIS, "batch_dims is 2, allowed are 0 to 1 (rank of params)"},
    {"2,3", "2,1", INT32_MAX, CLND_INVALID_AXIS, "batch_dims is 2147483647"},
    {"2,3", "2,1", INT32_MIN, CLND_INVALID_AXIS, "batch_dims is -2147483648"},
    {"2,-3", "2,1", 0, CLND_INVALID_SHAPE, "params has the negative size -3 at dimension 1"},
    {"2,3", "-2,1", 0, CLND_INVALID_SHAPE, "indices has the negative size -2 at dimension 0"},
    {"2,3", "2,-1", 0, CLND_INVALID_SHAPE, "indices has the negative size -1 at dimension 1"},
    {"2,3", "9223372036854775807", 0, CLND_INVALID_SHAPE, "tuples of 9223372036854775807 values"},
    {"2,3", "4294967296,0", 0, CLND_OK, "4294967296,2,3"},
    {"2,3", "4294967297", 0, CLND_INVALID_SHAPE, "tuples of 4294967297 values"},
    {"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,7", "2,1", 0, CLND_OK, "2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,7"},
    {"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,7", "2,2,1", 0, CLND_INVALID_RANK,
     "out would have rank 17, at most 16 is possible"},
    {"1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,7", "16", 0, CLND_OK, ""},
    {"8,4611686018427387904", "3,0", 0, CLND_SIZE_OVERFLOW, "out: the sizes [3, 8, "},
    {"8,1152921504606846976", "3,1", 0, CLND_SIZE_OVERFLOW,
     "out of shape [3, 1152921504606846976] has more than 63 bits of bytes"},
    {"8,4611686018427387904", "0,0", 0, CLND_OK, "0,8,4611686018427387904"},
};

Test(gather_nd_shape, worked_examples)
{
    for (int i = 0; i < (int)(sizeof gathers / sizeof *gathers); ++i) {
        const gather_row *row = &gathers[i];
        case_begin("gather_nd_shape", i);
        case_note("params [%s] indices [%s] batch_dims %d", row->params, row->indices,
                  row->batch_dims);
        const clnd_tensor params = tensor(CLND_FLOAT32, row->params);
        const clnd_tensor indices = tensor(CLND_INT64, row->indices);
        const clnd_gather_nd_options options = {.batch_dims = row->batch_dims};
        clnd_tensor out = tensor(CLND_INT8, "9,9");
        check_status(
            clnd_gather_nd_shape(&params, &indices, row->batch_dims ? &options : NULL, &out),
            row->status);
        if (row->status == CLND_OK) {
            check_shape(&out, row->result, CLND_FLOAT32);
        } else {
            check_message("gather_nd: ");
            check_message(row->result);
            check_zeroed(&out);
        }
    }
}

Test(gather_nd_shape_errors, pointers_options_and_dtypes)
{
    clnd_tensor params = tensor(CLND_FLOAT32, "2,3"), indices = tensor(CLND_INT32, "1,1"), out;
    check_status(clnd_gather_nd_shape(NULL, &indices, NULL, &out), CLND_NULL_POINTER);
    check_message("params");
    check_status(clnd_gather_nd_shape(&params, NULL, NULL, &out), CLND_NULL_POINTER);
    check_message("indices");
    check_status(clnd_gather_nd_shape(&params, &indices, NULL, NULL), CLND_NULL_POINTER);
    check_message("out");
    clnd_gather_nd_options options = {.bounds = (clnd_bounds)6};
    check_status(clnd_gather_nd_shape(&params, &indices, &options, &out), CLND_INVALID_OPTION);
    check_message("options->bounds is 6");
    options = (clnd_gather_nd_options){.bounds = CLND_BOUNDS_FILL};
    check_status(clnd_gather_nd_shape(&params, &indices, &options, &out), CLND_NULL_POINTER);
    options = (clnd_gather_nd_options){.reserved = {[7] = 3}};
    check_status(clnd_gather_nd_shape(&params, &indices, &options, &out), CLND_INVALID_OPTION);
    check_message("options->reserved[7] is 3, must be 0");
    params.dtype = 0;
    check_status(clnd_gather_nd_shape(&params, &indices, NULL, &out), CLND_INVALID_DTYPE);
    check_message("params has dtype 0");
    params.dtype = CLND_OPAQUE(7);
    check_status(clnd_gather_nd_shape(&params, &indices, NULL, &out), CLND_OK);
    check_shape(&out, "1,3", CLND_OPAQUE(7));
    indices.dtype = CLND_UINT64;
    check_status(clnd_gather_nd_shape(&params, &indices, NULL, &out), CLND_UNSUPPORTED_DTYPE);
    check_message("indices has dtype uint64, allowed are int8 to int64 and uint8 to uint32; "
                  "int64 holds every valid index");
    params.rank = 17;
    indices.dtype = CLND_UINT8;
    check_status(clnd_gather_nd_shape(&params, &indices, NULL, &out), CLND_INVALID_RANK);
    check_message("params has rank 17, allowed are 0 to 16");
}

typedef struct scatter_row {
    const char *indices, *updates, *target;
    clnd_status status;
    const char *message;
} scatter_row;

static const scatter_row scatters[] = {
    {"3,1", "3", "5", CLND_OK, NULL},
    {"2,2", "2", "2,2", CLND_OK, NULL},
    {"2", "", "3,3", CLND_OK, NULL}, // rank-1 indices are one tuple
    {"2", "2", "3,3", CLND_INVALID_SHAPE, "updates has shape [2], expected []"},
    {"0,1", "0", "3", CLND_OK, NULL},
    {"0,1", "0,4", "0,4", CLND_OK, NULL},
    {"1,1", "1,0", "3,0", CLND_OK, NULL}, // no elements: nothing to do
    {"2,0", "2,3", "3", CLND_OK, NULL},   // K = 0: rows address the whole target
    {"1,1", "2", "4", CLND_INVALID_SHAPE, "updates has shape [2], expected [1]"},
    {"4,4,4", "4", "4,4,4,4", CLND_INVALID_SHAPE, "updates has shape [4], expected [4, 4]"},
    {"4,4,5", "4,4", "4,4,4,4", CLND_INVALID_SHAPE,
     "indices of shape [4, 4, 5] hold tuples of 5 values, but target of shape [4, 4, 4, 4] has 4 "
     "dimensions to index"},
    {"2,1", "2,3", "5,4", CLND_INVALID_SHAPE, "updates has shape [2, 3], expected [2, 4]"},
    {"2,1", "2,4,1", "5,4", CLND_INVALID_SHAPE, "updates has shape [2, 4, 1], expected [2, 4]"},
    {"", "1", "4", CLND_INVALID_RANK, "indices has rank 0, at least 1 is needed"},
    {"1,0", "1", "", CLND_OK, NULL},
    {"1,1", "1", "", CLND_INVALID_SHAPE, "target of shape [] has 0 dimensions to index"},
    {"1,1", "1", "-4", CLND_INVALID_SHAPE, "target has the negative size -4 at dimension 0"},
    {"1,1", "1", "9223372036854775807", CLND_SIZE_OVERFLOW,
     "target of shape [9223372036854775807] has more than 63 bits of bytes"},
    {"1,3", "1", "1,4294967296,4294967296", CLND_SIZE_OVERFLOW, "target: the sizes"},
    {"2305843009213693952,1", "2305843009213693952", "4", CLND_SIZE_OVERFLOW, "indices"},
    {"2,2,1", "2,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "5,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
     CLND_INVALID_RANK, "updates would have rank 17, at most 16 is possible"},
};

Test(scatter_nd_shape, worked_examples)
{
    for (int i = 0; i < (int)(sizeof scatters / sizeof *scatters); ++i) {
        const scatter_row *row = &scatters[i];
        case_begin("scatter_nd_shape", i);
        case_note("indices [%s] updates [%s] target [%s]", row->indices, row->updates, row->target);
        const clnd_tensor indices = tensor(CLND_INT32, row->indices);
        const clnd_tensor updates = tensor(CLND_FLOAT32, row->updates);
        const clnd_tensor target = tensor(CLND_FLOAT32, row->target);
        check_status(clnd_scatter_nd_check(&indices, &updates, &target, NULL), row->status);
        if (row->message) {
            check_message("scatter_nd: ");
            check_message(row->message);
        }
    }
}

Test(scatter_nd_shape_errors, options_and_dtypes)
{
    clnd_tensor indices = tensor(CLND_INT32, "1,1"), updates = tensor(CLND_BOOL, "1");
    clnd_tensor target = tensor(CLND_BOOL, "4");
    clnd_scatter_nd_options options = {.bounds = CLND_BOUNDS_FILL};
    check_status(clnd_scatter_nd_check(NULL, &updates, &target, NULL), CLND_NULL_POINTER);
    check_status(clnd_scatter_nd_check(&indices, NULL, &target, NULL), CLND_NULL_POINTER);
    check_status(clnd_scatter_nd_check(&indices, &updates, NULL, NULL), CLND_NULL_POINTER);
    check_status(clnd_scatter_nd_check(&indices, &updates, &target, &options), CLND_INVALID_OPTION);
    check_message("bounds is FILL, which is for gathers, not scatters");
    options = (clnd_scatter_nd_options){.reduce = (clnd_reduce)7};
    check_status(clnd_scatter_nd_check(&indices, &updates, &target, &options), CLND_INVALID_OPTION);
    check_message("options->reduce is 7");
    options = (clnd_scatter_nd_options){.reduce = CLND_REDUCE_SUB};
    check_status(clnd_scatter_nd_check(&indices, &updates, &target, &options),
                 CLND_UNSUPPORTED_DTYPE);
    check_message("reduction SUB is not defined for dtype bool");
    updates.dtype = target.dtype = CLND_COMPLEX64;
    options.reduce = CLND_REDUCE_MAX;
    check_status(clnd_scatter_nd_check(&indices, &updates, &target, &options),
                 CLND_UNSUPPORTED_DTYPE);
    check_message("reduction MAX is not defined for dtype complex64");
    updates.dtype = target.dtype = CLND_OPAQUE(5);
    options.reduce = CLND_REDUCE_ADD;
    check_status(clnd_scatter_nd_check(&indices, &updates, &target, &options),
                 CLND_UNSUPPORTED_DTYPE);
    options.reduce = CLND_REDUCE_UPDATE;
    check_status(clnd_scatter_nd_check(&indices, &updates, &target, &options), CLND_OK);
    updates.dtype = CLND_OPAQUE(6);
    check_status(clnd_scatter_nd_check(&indices, &updates, &target, &options), CLND_DTYPE_MISMATCH);
    check_message("updates is opaque of size 6, target is opaque of size 5");
    updates.dtype = CLND_OPAQUE(5);
    indices.dtype = CLND_FLOAT32;
    check_status(clnd_scatter_nd_check(&indices, &updates, &target, NULL), CLND_UNSUPPORTED_DTYPE);
}

Test(strided_slice_shape, of_a_slice)
{
    const clnd_tensor input = tensor(CLND_INT16, "3,4,5");
    clnd_slice slice;
    clnd_tensor out;
    check_status(clnd_slice_parse("1, ..., newaxis, ::-2", &slice), CLND_OK);
    check_status(clnd_strided_slice_shape(&input, &slice, &out), CLND_OK);
    check_shape(&out, "4,1,3", CLND_INT16);
    check_status(clnd_slice_parse("3", &slice), CLND_OK);
    check_status(clnd_strided_slice_shape(&input, &slice, &out), CLND_INVALID_SLICE);
    check_message("strided_slice: index 3 of entry 0 is outside dimension 0 of input, which has "
                  "size 3");
    check_zeroed(&out);
    check_status(clnd_strided_slice_shape(&input, NULL, &out), CLND_NULL_POINTER);
    check_message("strided_slice: slice is NULL");
    check_zeroed(&out);
    check_status(clnd_strided_slice_shape(NULL, &slice, &out), CLND_NULL_POINTER);
    check_zeroed(&out);
    check_status(clnd_strided_slice_shape(&input, &slice, NULL), CLND_NULL_POINTER);
}

Test(strided_slice_shape, of_invalid_and_huge_inputs)
{
    clnd_slice slice;
    clnd_tensor out, input = tensor(CLND_INT16, "3,-4");
    check_status(clnd_slice_parse("", &slice), CLND_OK);
    check_status(clnd_strided_slice_shape(&input, &slice, &out), CLND_INVALID_SHAPE);
    input = tensor(CLND_INT16, "3");
    input.rank = -1;
    check_status(clnd_strided_slice_shape(&input, &slice, &out), CLND_INVALID_RANK);
    input = tensor(5, "3");
    check_status(clnd_strided_slice_shape(&input, &slice, &out), CLND_INVALID_DTYPE);
    input = tensor(CLND_INT16, "9223372036854775807");
    check_status(clnd_strided_slice_shape(&input, &slice, &out), CLND_SIZE_OVERFLOW);
    check_zeroed(&out);
    check_status(clnd_slice_parse("5:9", &slice), CLND_OK);
    check_status(clnd_strided_slice_shape(&input, &slice, &out), CLND_OK);
    check_shape(&out, "4", CLND_INT16);
}

Test(strided_slice_view, describes_the_place_in_the_buffer)
{
    clnd_tensor input, view;
    clnd_slice slice;
    const int64_t shape[] = {3, 4, 5};
    check_status(clnd_tensor_dense(NULL, 6, CLND_INT16, 3, shape, &input), CLND_OK);
    check_status(clnd_slice_parse("1, newaxis, 3:0:-2, 2:", &slice), CLND_OK);
    check_status(clnd_strided_slice_view(&input, &slice, &view), CLND_OK);
    check(view.rank == 3 && view.shape[0] == 1 && view.shape[1] == 2 && view.shape[2] == 3,
          "shape of rank %d", view.rank);
    check(view.strides[0] == 0 && view.strides[1] == -10 && view.strides[2] == 1, "strides");
    check(view.offset == 6 + 2 * (20 + 15 + 2), "offset %zu", view.offset);
    check_status(clnd_slice_parse("1, 2:2", &slice), CLND_OK);
    check_status(clnd_strided_slice_view(&input, &slice, &view), CLND_OK);
    check(view.offset == 6 && view.shape[0] == 0, "an empty slice keeps the offset");
    input.strides[0] = INT64_MAX;
    check_status(clnd_strided_slice_view(&input, &slice, &view), CLND_SIZE_OVERFLOW);
    check_message("strided_slice_view: ");
    check_zeroed(&view);
}

Test(copy_shape, is_the_source_s)
{
    clnd_tensor target, source = tensor(CLND_COMPLEX128, "2,0,7");
    check_status(clnd_copy_shape(&source, &target), CLND_OK);
    check_shape(&target, "2,0,7", CLND_COMPLEX128);
    source = tensor(CLND_COMPLEX128, "");
    check_status(clnd_copy_shape(&source, &target), CLND_OK);
    check_shape(&target, "", CLND_COMPLEX128);
    source = tensor(CLND_COMPLEX128, "576460752303423488");
    check_status(clnd_copy_shape(&source, &target), CLND_SIZE_OVERFLOW);
    check_message("copy: source of shape [576460752303423488] has more than 63 bits of bytes");
    check_zeroed(&target);
    check_status(clnd_copy_shape(NULL, &target), CLND_NULL_POINTER);
    check_zeroed(&target);
    check_status(clnd_copy_shape(&source, NULL), CLND_NULL_POINTER);
    source = tensor(CLND_COMPLEX128, "2,-1");
    check_status(clnd_copy_shape(&source, &target), CLND_INVALID_SHAPE);
    check_zeroed(&target);
}

// No rank reads beyond its array, whatever the other operand is.
Test(tensor_dense, scalars_need_no_shape)
{
    clnd_tensor t;
    check_status(clnd_tensor_dense(NULL, 4, CLND_INT32, 0, NULL, &t), CLND_OK);
    check(t.rank == 0 && t.offset == 4 && t.dtype == CLND_INT32, "tensor");
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, 1, NULL, &t), CLND_NULL_POINTER);
    check_status(clnd_tensor_dense(NULL, SIZE_MAX, CLND_INT32, 0, NULL, &t), CLND_SIZE_OVERFLOW);
    check_zeroed(&t);
}
