// SPDX-License-Identifier: Apache-2.0
//
// The C of docs/porting.md: its functions, called with small tensors.

#include <criterion/criterion.h>

#include "check.h"
#include "device.h"
#include "porting.h" // the functions, taken from the document

enum { MOST = 16 };

// A dense int32 tensor in a buffer of its own; without values every element is -7.
static clnd_tensor tensor_of(const device *d, int rank, const int64_t *shape, const int32_t *values)
{
    clnd_tensor tensor;
    int64_t count = 0;
    int32_t contents[MOST];
    cl_int code = CL_SUCCESS;
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, rank, shape, &tensor), CLND_OK);
    check_status(clnd_tensor_count(&tensor, &count), CLND_OK);
    for (int i = 0; i < count; i++)
        contents[i] = values ? values[i] : -7;
    tensor.buffer =
        clCreateBuffer(d->context, CL_MEM_COPY_HOST_PTR, sizeof contents, contents, &code);
    check_cl(code);
    return tensor;
}

static clnd_tensor vector(const device *d, int64_t size, const int32_t *values)
{
    return tensor_of(d, 1, &size, values);
}

static clnd_tensor matrix(const device *d, int64_t rows, int64_t columns, const int32_t *values)
{
    return tensor_of(d, 2, (int64_t[]){rows, columns}, values);
}

// The first elements of the buffer are these.
static void check_values(const device *d, const clnd_tensor *tensor, int count,
                         const int32_t *expected)
{
    int32_t got[MOST];
    check_cl(
        clEnqueueReadBuffer(d->queue, tensor->buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < count; i++)
        check(got[i] == expected[i], "element %d is %d, expected %d", i, (int)got[i],
              (int)expected[i]);
}

static void release(int n, clnd_tensor *const *tensors)
{
    for (int i = 0; i < n; i++)
        check_cl(clReleaseMemObject(tensors[i]->buffer));
}

#define CHECK_VALUES(tensor, ...)                                                                  \
    check_values(d, tensor, (int)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)),             \
                 (int32_t[]){__VA_ARGS__})
#define RELEASE(...)                                                                               \
    release((int)(sizeof((clnd_tensor *[]){__VA_ARGS__}) / sizeof(clnd_tensor *)),                 \
            (clnd_tensor *[]){__VA_ARGS__})

static const int32_t counting[MOST] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

Test(porting, tf_gather_nd)
{
    const device *d = device_get();
    case_begin("tf_gather_nd", 0);
    clnd_tensor params = matrix(d, 2, 3, counting);
    clnd_tensor indices = matrix(d, 2, 1, (int32_t[]){2, 3}), out = vector(d, 2, NULL);
    check_status(tf_gather_nd(d->engine, d->queue, &params, &indices, &out), CLND_OK);
    CHECK_VALUES(&out, 2, 0);
    RELEASE(&params, &indices, &out);
}

Test(porting, take)
{
    const device *d = device_get();
    case_begin("take", 0);
    clnd_tensor a = matrix(d, 2, 3, counting), indices = vector(d, 2, (int32_t[]){-1, 0});
    clnd_tensor out = matrix(d, 2, 2, NULL);
    check_status(take(d->engine, d->queue, &a, &indices, 1, &out), CLND_OK);
    CHECK_VALUES(&out, 2, 0, 5, 3);
    RELEASE(&a, &indices, &out);
}

Test(porting, take_along_axis)
{
    const device *d = device_get();
    case_begin("take_along_axis", 0);
    clnd_tensor a = matrix(d, 2, 3, counting), one = matrix(d, 2, 1, (int32_t[]){2, 0});
    clnd_tensor indices = matrix(d, 1, 2, (int32_t[]){0, -1});
    clnd_tensor out = matrix(d, 2, 2, NULL), column = matrix(d, 2, 1, NULL);
    check_status(take_along_axis(d->engine, d->queue, &a, indices, 1, &out), CLND_OK);
    CHECK_VALUES(&out, 0, 2, 3, 5);
    check_status(take_along_axis(d->engine, d->queue, &a, one, -1, &column), CLND_OK);
    CHECK_VALUES(&column, 2, 3);
    RELEASE(&a, &one, &indices, &out, &column);
}

Test(porting, segment_sum)
{
    const device *d = device_get();
    case_begin("segment_sum", 0);
    clnd_tensor data = matrix(d, 4, 2, counting), ids = vector(d, 4, (int32_t[]){2, 0, 2, -1});
    clnd_tensor out = matrix(d, 3, 2, NULL);
    check_status(segment_sum(d->engine, d->queue, &data, ids, &out), CLND_OK);
    CHECK_VALUES(&out, 2, 3, 0, 0, 4, 6);
    RELEASE(&data, &ids, &out);
}

Test(porting, index_add)
{
    const device *d = device_get();
    case_begin("index_add", 0);
    clnd_tensor x = matrix(d, 2, 3, counting), indices = vector(d, 2, (int32_t[]){2, 2});
    clnd_tensor source = matrix(d, 2, 2, (int32_t[]){10, 20, 30, 40});
    check_status(index_add(d->engine, d->queue, &x, -1, &indices, &source), CLND_OK);
    CHECK_VALUES(&x, 0, 1, 32, 3, 4, 75);
    RELEASE(&x, &indices, &source);
}

Test(porting, scatter_amax)
{
    const device *d = device_get();
    case_begin("scatter_amax", 0);
    clnd_tensor x = matrix(d, 2, 3, counting), indices = matrix(d, 2, 2, (int32_t[]){1, 1, 0, 2});
    clnd_tensor source = matrix(d, 2, 2, (int32_t[]){9, 8, 1, 7});
    check_status(scatter_amax(d->engine, d->queue, &x, 1, &indices, &source), CLND_OK);
    CHECK_VALUES(&x, 0, 9, 2, 3, 4, 7);
    RELEASE(&x, &indices, &source);
}

Test(porting, flip_rest)
{
    const device *d = device_get();
    case_begin("flip_rest", 0);
    clnd_tensor x = matrix(d, 3, 2, counting), out = matrix(d, 2, 2, NULL);
    check_status(flip_rest(d->engine, d->queue, &x, &out), CLND_OK);
    CHECK_VALUES(&out, 3, 2, 5, 4);
    RELEASE(&x, &out);
}

Test(porting, onnx_slice)
{
    const device *d = device_get();
    case_begin("onnx_slice", 0);
    const int64_t starts[] = {3, 0}, ends[] = {INT64_MIN, INT64_MAX}, axes[] = {-1, 0};
    const int64_t steps[] = {-2, 2};
    clnd_tensor data = matrix(d, 3, 4, counting), out = matrix(d, 2, 2, NULL), view;
    check_status(onnx_slice(&data, 2, starts, ends, axes, steps, &view), CLND_OK);
    check_status(clnd_copy(d->engine, d->queue, &view, &out, NULL, 0, NULL, NULL), CLND_OK);
    CHECK_VALUES(&out, 3, 1, 11, 9);
    RELEASE(&data, &out);
}

Test(porting, set_first_column)
{
    const device *d = device_get();
    case_begin("set_first_column", 0);
    clnd_tensor x = matrix(d, 2, 3, counting), v = vector(d, 2, (int32_t[]){-1, -2});
    check_status(set_first_column(d->engine, d->queue, &x, &v), CLND_OK);
    CHECK_VALUES(&x, -1, 1, 2, -2, 4, 5);
    RELEASE(&x, &v);
}

Test(porting, transpose)
{
    const device *d = device_get();
    case_begin("transpose", 0);
    clnd_tensor x = matrix(d, 2, 3, counting), out = matrix(d, 3, 2, NULL);
    check_status(transpose(d->engine, d->queue, &x, &out), CLND_OK);
    CHECK_VALUES(&out, 0, 3, 1, 4, 2, 5);
    RELEASE(&x, &out);
}
