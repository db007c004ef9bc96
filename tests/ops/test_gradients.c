// SPDX-License-Identifier: Apache-2.0
//
// The compositions that the headers name as gradients. For an op that is linear in x, y = A x, the
// gradient is A's transpose T: (g, A x) = (T g, x) for every g and x. Here x and g are small random
// integers, so both sides are exact.

#include <criterion/criterion.h>
#include <string.h>

#include "check.h"
#include "device.h"

enum { MOST = 64, MOST_BUFFERS = 32, ROUNDS = 20 };

static const device *d;
static cl_mem buffers[MOST_BUFFERS];
static int n_buffers;

static void begin(const char *test, int number)
{
    d = device_get();
    case_begin(test, number);
}

static void end(void)
{
    while (n_buffers > 0)
        check_cl(clReleaseMemObject(buffers[--n_buffers]));
}

#define SHAPE(...)                                                                                 \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[])                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

// A dense int32 tensor in a buffer of its own, with values from lowest to highest.
static clnd_tensor random_tensor(int32_t lowest, int32_t highest, int rank, const int64_t *shape)
{
    clnd_tensor tensor;
    int32_t values[MOST];
    cl_int code;
    for (int i = 0; i < MOST; i++)
        values[i] = (int32_t)rng_range(case_rng(), lowest, highest);
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, rank, shape, &tensor), CLND_OK);
    tensor.buffer = clCreateBuffer(d->context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &code);
    check_cl(code);
    check(n_buffers < MOST_BUFFERS, "too many buffers");
    buffers[n_buffers++] = tensor.buffer;
    return tensor;
}

static clnd_tensor values_tensor(const int32_t *values, int rank, const int64_t *shape)
{
    clnd_tensor tensor = random_tensor(0, 0, rank, shape);
    int64_t count;
    check_status(clnd_tensor_count(&tensor, &count), CLND_OK);
    check_cl(clEnqueueWriteBuffer(d->queue, tensor.buffer, CL_TRUE, 0,
                                  (size_t)count * sizeof *values, values, 0, NULL, NULL));
    return tensor;
}

#define RANDOM(...)       random_tensor(-9, 9, SHAPE(__VA_ARGS__))
#define EQUAL(value, ...) random_tensor(value, value, SHAPE(__VA_ARGS__))
#define ZEROS(...)        EQUAL(0, __VA_ARGS__)

static clnd_tensor copy_of(const clnd_tensor *tensor)
{
    clnd_tensor copy = random_tensor(0, 0, tensor->rank, tensor->shape);
    check_status(clnd_copy(d->engine, d->queue, tensor, &copy, NULL, 0, NULL, NULL), CLND_OK);
    return copy;
}

// The same buffer, described with other sizes and strides.
static clnd_tensor seen(const clnd_tensor *tensor, int rank, const int64_t *shape,
                        const int64_t *strides)
{
    clnd_tensor other = *tensor;
    other.rank = rank;
    memcpy(other.shape, shape, (size_t)rank * sizeof *shape);
    memcpy(other.strides, strides, (size_t)rank * sizeof *strides);
    return other;
}

// Indices without values: tuples of length 0.
static clnd_tensor rows_of_nothing(int64_t rows)
{
    clnd_tensor tensor;
    check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, SHAPE(rows, 0), &tensor), CLND_OK);
    return tensor;
}

// Sum of the products of two dense tensors.
static int64_t dot(const clnd_tensor *a, const clnd_tensor *b)
{
    int32_t values[2][MOST];
    int64_t count, other, sum = 0;
    check_status(clnd_tensor_count(a, &count), CLND_OK);
    check_status(clnd_tensor_count(b, &other), CLND_OK);
    check(count == other && count <= MOST, "sizes %d and %d", (int)count, (int)other);
    const size_t size = (size_t)count * sizeof(int32_t);
    check_cl(clEnqueueReadBuffer(d->queue, a->buffer, CL_TRUE, 0, size, values[0], 0, NULL, NULL));
    check_cl(clEnqueueReadBuffer(d->queue, b->buffer, CL_TRUE, 0, size, values[1], 0, NULL, NULL));
    for (int64_t i = 0; i < count; i++)
        sum += (int64_t)values[0][i] * values[1][i];
    return sum;
}

#define CHECK_EQUAL(forward, backward)                                                             \
    do {                                                                                           \
        const int64_t left = forward, right = backward;                                            \
        check(left == right, "forward %d, backward %d", (int)left, (int)right);                    \
    } while (0)

static void gather_nd(const clnd_tensor *params, const clnd_tensor *indices, clnd_bounds bounds,
                      int batch_dims, const clnd_tensor *out)
{
    const clnd_gather_nd_options options = {.batch_dims = batch_dims, .bounds = bounds};
    check_status(clnd_gather_nd(d->engine, d->queue, params, indices, out, &options, 0, NULL, NULL),
                 CLND_OK);
}

static void scatter_nd(const clnd_tensor *indices, const clnd_tensor *updates, clnd_bounds bounds,
                       const clnd_tensor *out)
{
    const clnd_scatter_nd_options options = {.bounds = bounds};
    check_status(
        clnd_scatter_nd(d->engine, d->queue, indices, updates, out, &options, 0, NULL, NULL),
        CLND_OK);
}

static void scatter_nd_into(const clnd_tensor *indices, const clnd_tensor *updates,
                            clnd_reduce reduce, const clnd_tensor *target)
{
    const clnd_scatter_nd_options options = {
        .reduce = reduce, .bounds = CLND_BOUNDS_SKIP, .deterministic = true};
    check_status(clnd_scatter_nd_into(d->engine, d->queue, indices, updates, target, &options, 0,
                                      NULL, NULL),
                 CLND_OK);
}

static void scatter_elements(const clnd_tensor *indices, const clnd_tensor *updates, int axis,
                             clnd_reduce reduce, const clnd_tensor *target)
{
    const clnd_scatter_elements_options options = {
        .axis = axis, .reduce = reduce, .bounds = CLND_BOUNDS_SKIP, .deterministic = true};
    check_status(clnd_scatter_elements(d->engine, d->queue, indices, updates, target, &options, 0,
                                       NULL, NULL),
                 CLND_OK);
}

// target (reduce)= tensor, by K = 0.
static void combine(const clnd_tensor *tensor, clnd_reduce reduce, const clnd_tensor *target)
{
    const clnd_tensor indices = rows_of_nothing(1);
    clnd_tensor updates = *tensor;
    updates.rank = tensor->rank + 1;
    updates.shape[0] = 1;
    updates.strides[0] = 0;
    for (int i = 0; i < tensor->rank; i++) {
        updates.shape[i + 1] = tensor->shape[i];
        updates.strides[i + 1] = tensor->strides[i];
    }
    scatter_nd_into(&indices, &updates, reduce, target);
}

static clnd_slice slice_of(const char *text)
{
    clnd_slice slice;
    check_status(clnd_slice_parse(text, &slice), CLND_OK);
    return slice;
}

Test(gradients, gather_nd_without_batch)
{
    static const clnd_bounds pairs[][2] = {{CLND_BOUNDS_ZERO, CLND_BOUNDS_SKIP},
                                           {CLND_BOUNDS_CLAMP, CLND_BOUNDS_CLAMP}};
    for (int round = 0; round < ROUNDS; round++) {
        begin("gather_nd_without_batch", round);
        const clnd_tensor params = RANDOM(2, 3, 4), g = RANDOM(5, 4), out = ZEROS(5, 4);
        const clnd_tensor indices = random_tensor(-1, 3, SHAPE(5, 2)), gradient = EQUAL(7, 2, 3, 4);
        gather_nd(&params, &indices, pairs[round % 2][0], 0, &out);
        scatter_nd(&indices, &g, pairs[round % 2][1], &gradient);
        CHECK_EQUAL(dot(&g, &out), dot(&gradient, &params));
        end();
    }
}

Test(gradients, gather_nd_with_batch_and_single_values)
{
    for (int round = 0; round < ROUNDS; round++) {
        begin("gather_nd_with_batch_and_single_values", round);
        const clnd_tensor params = RANDOM(2, 3, 4), g = RANDOM(2, 2, 2, 4), out = ZEROS(2, 2, 2, 4);
        const clnd_tensor indices = random_tensor(-1, 3, SHAPE(2, 2, 2, 1));
        const clnd_tensor gradient = ZEROS(2, 3, 4);
        gather_nd(&params, &indices, CLND_BOUNDS_ZERO, 1, &out);
        const clnd_tensor repeated = seen(&indices, SHAPE(2, 4, 4), (const int64_t[]){4, 1, 0});
        const clnd_tensor rows = seen(&g, SHAPE(2, 4, 4), (const int64_t[]){16, 4, 1});
        scatter_elements(&repeated, &rows, 1, CLND_REDUCE_ADD, &gradient);
        CHECK_EQUAL(dot(&g, &out), dot(&gradient, &params));
        end();
    }
}

Test(gradients, gather_nd_with_batch_and_tuples)
{
    for (int round = 0; round < ROUNDS; round++) {
        begin("gather_nd_with_batch_and_tuples", round);
        const clnd_tensor params = RANDOM(2, 3, 2, 3), g = RANDOM(2, 4, 3), out = ZEROS(2, 4, 3);
        const clnd_tensor indices = random_tensor(-1, 3, SHAPE(2, 4, 2));
        const clnd_tensor gradient = ZEROS(2, 3, 2, 3);
        gather_nd(&params, &indices, CLND_BOUNDS_ZERO, 1, &out);
        // A scatter for each batch row...
        for (size_t b = 0; b < 2; b++) {
            clnd_tensor part = seen(&gradient, SHAPE(3, 2, 3), gradient.strides + 1);
            clnd_tensor tuples = seen(&indices, SHAPE(4, 2), indices.strides + 1);
            clnd_tensor rows = seen(&g, SHAPE(4, 3), g.strides + 1);
            part.offset = b * 18 * sizeof(int32_t);
            tuples.offset = b * 8 * sizeof(int32_t);
            rows.offset = b * 12 * sizeof(int32_t);
            scatter_nd_into(&tuples, &rows, CLND_REDUCE_ADD, &part);
        }
        CHECK_EQUAL(dot(&g, &out), dot(&gradient, &params));
        // ... or one for all, with the batch coordinate before each tuple.
        const clnd_tensor whole = ZEROS(2, 4, 3), again = ZEROS(2, 3, 2, 3);
        const clnd_tensor batch = values_tensor((const int32_t[]){0, 1}, SHAPE(2, 1));
        const clnd_slice first = slice_of("..., 0"), others = slice_of("..., 1:");
        check_status(clnd_strided_slice_assign(d->engine, d->queue, &batch, &first, &whole, NULL, 0,
                                               NULL, NULL),
                     CLND_OK);
        check_status(clnd_strided_slice_assign(d->engine, d->queue, &indices, &others, &whole, NULL,
                                               0, NULL, NULL),
                     CLND_OK);
        scatter_nd_into(&whole, &g, CLND_REDUCE_ADD, &again);
        CHECK_EQUAL(dot(&g, &out), dot(&again, &params));
        end();
    }
}

Test(gradients, gather_along_an_axis)
{
    const clnd_gather_options forward = {.axis = 1, .bounds = CLND_BOUNDS_ZERO};
    for (int round = 0; round < ROUNDS; round++) {
        begin("gather_along_an_axis", round);
        const clnd_tensor params = RANDOM(2, 3, 4), g = RANDOM(2, 2, 2, 4), out = ZEROS(2, 2, 2, 4);
        const clnd_tensor indices = random_tensor(-1, 3, SHAPE(2, 2)), gradient = ZEROS(2, 3, 4);
        check_status(
            clnd_gather(d->engine, d->queue, &params, &indices, &out, &forward, 0, NULL, NULL),
            CLND_OK);
        // [p, n, s] as [n, p, s], and [p, i, i, s] as [i, i, p, s]
        const clnd_tensor target = seen(&gradient, SHAPE(3, 2, 4), (const int64_t[]){4, 12, 1});
        const clnd_tensor rows = seen(&g, SHAPE(2, 2, 2, 4), (const int64_t[]){8, 4, 16, 1});
        const clnd_tensor tuples = seen(&indices, SHAPE(2, 2, 1), (const int64_t[]){2, 1, 1});
        scatter_nd(&tuples, &rows, CLND_BOUNDS_SKIP, &target);
        CHECK_EQUAL(dot(&g, &out), dot(&gradient, &params));
        end();
    }
}

Test(gradients, gather_with_batch)
{
    const clnd_gather_options forward = {.axis = 2, .batch_dims = 1, .bounds = CLND_BOUNDS_ZERO};
    for (int round = 0; round < ROUNDS; round++) {
        begin("gather_with_batch", round);
        const clnd_tensor params = RANDOM(2, 2, 3, 2), g = RANDOM(2, 2, 2, 2, 2);
        const clnd_tensor out = ZEROS(2, 2, 2, 2, 2), gradient = ZEROS(2, 2, 3, 2);
        const clnd_tensor indices = random_tensor(-1, 3, SHAPE(2, 2, 2));
        check_status(
            clnd_gather(d->engine, d->queue, &params, &indices, &out, &forward, 0, NULL, NULL),
            CLND_OK);
        const clnd_tensor repeated =
            seen(&indices, SHAPE(2, 2, 4, 2), (const int64_t[]){4, 0, 1, 0});
        const clnd_tensor rows = seen(&g, SHAPE(2, 2, 4, 2), (const int64_t[]){16, 8, 2, 1});
        scatter_elements(&repeated, &rows, 2, CLND_REDUCE_ADD, &gradient);
        CHECK_EQUAL(dot(&g, &out), dot(&gradient, &params));
        end();
    }
}

Test(gradients, gather_elements)
{
    const clnd_gather_elements_options forward = {.axis = 1, .bounds = CLND_BOUNDS_ZERO};
    for (int round = 0; round < ROUNDS; round++) {
        begin("gather_elements", round);
        const clnd_tensor params = RANDOM(3, 4), g = RANDOM(2, 6), out = ZEROS(2, 6);
        const clnd_tensor indices = random_tensor(-1, 4, SHAPE(2, 6)), gradient = ZEROS(3, 4);
        check_status(clnd_gather_elements(d->engine, d->queue, &params, &indices, &out, &forward, 0,
                                          NULL, NULL),
                     CLND_OK);
        scatter_elements(&indices, &g, 1, CLND_REDUCE_ADD, &gradient);
        CHECK_EQUAL(dot(&g, &out), dot(&gradient, &params));
        end();
    }
}

Test(gradients, scatter_nd_sums)
{
    for (int round = 0; round < ROUNDS; round++) {
        begin("scatter_nd_sums", round);
        const bool subtract = round % 2;
        const clnd_tensor old = RANDOM(4, 3), updates = RANDOM(6, 3), g = RANDOM(4, 3);
        const clnd_tensor indices = random_tensor(-1, 4, SHAPE(6, 1)), part = ZEROS(6, 3);
        const clnd_tensor result = copy_of(&old), gradient = ZEROS(6, 3);
        scatter_nd_into(&indices, &updates, subtract ? CLND_REDUCE_SUB : CLND_REDUCE_ADD, &result);
        gather_nd(&g, &indices, CLND_BOUNDS_ZERO, 0, &part);
        combine(&part, subtract ? CLND_REDUCE_SUB : CLND_REDUCE_ADD, &gradient);
        CHECK_EQUAL(dot(&g, &result), dot(&g, &old) + dot(&gradient, &updates));
        end();
    }
}

Test(gradients, scatter_nd_update)
{
    for (int round = 0; round < ROUNDS; round++) {
        begin("scatter_nd_update", round);
        const clnd_tensor old = RANDOM(4, 3), updates = RANDOM(6, 3), g = RANDOM(4, 3);
        const clnd_tensor indices = random_tensor(-1, 4, SHAPE(6, 1)), last = EQUAL(-1, 4);
        const clnd_tensor result = copy_of(&old), of_old = copy_of(&g), of_updates = ZEROS(6, 3);
        const clnd_tensor numbers = values_tensor((const int32_t[]){0, 1, 2, 3, 4, 5}, SHAPE(6));
        scatter_nd_into(&indices, &updates, CLND_REDUCE_UPDATE, &result);
        clnd_tensor zero = ZEROS(6, 3);
        zero.strides[0] = zero.strides[1] = 0;
        scatter_nd_into(&indices, &zero, CLND_REDUCE_UPDATE, &of_old);
        scatter_nd_into(&indices, &numbers, CLND_REDUCE_UPDATE, &last);
        const clnd_tensor rows = seen(&last, SHAPE(4, 1), (const int64_t[]){1, 1});
        scatter_nd(&rows, &g, CLND_BOUNDS_SKIP, &of_updates);
        CHECK_EQUAL(dot(&g, &result), dot(&of_old, &old) + dot(&of_updates, &updates));
        end();
    }
}

Test(gradients, scatter_nd_update_with_unique_indices)
{
    for (int round = 0; round < ROUNDS; round++) {
        begin("scatter_nd_update_with_unique_indices", round);
        const clnd_tensor old = RANDOM(4, 3), updates = RANDOM(2, 3), g = RANDOM(4, 3);
        const clnd_tensor indices = values_tensor((const int32_t[]){3, 1}, SHAPE(2, 1));
        const clnd_tensor result = copy_of(&old), of_old = copy_of(&g), of_updates = ZEROS(2, 3);
        const clnd_tensor zeros = ZEROS(2, 3);
        scatter_nd_into(&indices, &updates, CLND_REDUCE_UPDATE, &result);
        scatter_nd_into(&indices, &zeros, CLND_REDUCE_UPDATE, &of_old);
        gather_nd(&g, &indices, CLND_BOUNDS_ZERO, 0, &of_updates);
        CHECK_EQUAL(dot(&g, &result), dot(&of_old, &old) + dot(&of_updates, &updates));
        end();
    }
}

Test(gradients, scatter_nd_product)
{
    for (int round = 0; round < ROUNDS; round++) {
        begin("scatter_nd_product", round);
        // Linear in the old target, also where indices repeat.
        const clnd_tensor old = RANDOM(4, 3), updates = RANDOM(5, 3), g = RANDOM(4, 3);
        const clnd_tensor indices = random_tensor(-1, 4, SHAPE(5, 1));
        const clnd_tensor result = copy_of(&old), of_old = copy_of(&g);
        scatter_nd_into(&indices, &updates, CLND_REDUCE_MUL, &result);
        scatter_nd_into(&indices, &updates, CLND_REDUCE_MUL, &of_old);
        CHECK_EQUAL(dot(&g, &result), dot(&of_old, &old));
        // Linear in the updates, up to the elements that none of them touches.
        const clnd_tensor unique = values_tensor((const int32_t[]){3, 1}, SHAPE(2, 1));
        const clnd_tensor factors = RANDOM(2, 3), zeros = ZEROS(2, 3), product = copy_of(&old);
        const clnd_tensor untouched = copy_of(&g), of_updates = ZEROS(2, 3), part = ZEROS(2, 3);
        scatter_nd_into(&unique, &factors, CLND_REDUCE_MUL, &product);
        scatter_nd_into(&unique, &zeros, CLND_REDUCE_UPDATE, &untouched);
        gather_nd(&g, &unique, CLND_BOUNDS_ZERO, 0, &of_updates);
        gather_nd(&old, &unique, CLND_BOUNDS_ZERO, 0, &part);
        combine(&part, CLND_REDUCE_MUL, &of_updates);
        CHECK_EQUAL(dot(&g, &product), dot(&untouched, &old) + dot(&of_updates, &factors));
        end();
    }
}

Test(gradients, scatter_elements)
{
    const clnd_gather_elements_options gather = {.axis = 1, .bounds = CLND_BOUNDS_ZERO};
    for (int round = 0; round < ROUNDS; round++) {
        begin("scatter_elements", round);
        const clnd_tensor old = RANDOM(3, 4), updates = RANDOM(2, 6), g = RANDOM(3, 4);
        const clnd_tensor indices = random_tensor(-1, 4, SHAPE(2, 6)), of_updates = ZEROS(2, 6);
        const clnd_tensor sum = copy_of(&old), result = copy_of(&old), of_old = copy_of(&g);
        scatter_elements(&indices, &updates, 1, CLND_REDUCE_ADD, &sum);
        check_status(clnd_gather_elements(d->engine, d->queue, &g, &indices, &of_updates, &gather,
                                          0, NULL, NULL),
                     CLND_OK);
        CHECK_EQUAL(dot(&g, &sum), dot(&g, &old) + dot(&of_updates, &updates));

        const clnd_tensor numbers =
            values_tensor((const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, SHAPE(2, 6));
        const clnd_tensor zeros = ZEROS(2, 6), last = EQUAL(-1, 3, 4), flat = ZEROS(12);
        scatter_elements(&indices, &updates, 1, CLND_REDUCE_UPDATE, &result);
        scatter_elements(&indices, &zeros, 1, CLND_REDUCE_UPDATE, &of_old);
        scatter_elements(&indices, &numbers, 1, CLND_REDUCE_UPDATE, &last);
        const clnd_tensor rows = seen(&last, SHAPE(3, 4, 1), (const int64_t[]){4, 1, 1});
        scatter_nd(&rows, &g, CLND_BOUNDS_SKIP, &flat);
        CHECK_EQUAL(dot(&g, &result), dot(&of_old, &old) + dot(&flat, &updates));
        end();
    }
}

Test(gradients, strided_slice)
{
    for (int round = 0; round < ROUNDS; round++) {
        begin("strided_slice", round);
        const clnd_slice slice = slice_of("::-2, None, 1:");
        const clnd_tensor x = RANDOM(3, 4), g = RANDOM(2, 1, 3), out = ZEROS(2, 1, 3);
        const clnd_tensor gradient = EQUAL(7, 3, 4), there = RANDOM(3, 4), sum = copy_of(&there);
        clnd_tensor view;
        check_status(clnd_strided_slice(d->engine, d->queue, &x, &slice, &out, NULL, 0, NULL, NULL),
                     CLND_OK);
        check_status(clnd_strided_slice_grad(d->engine, d->queue, &g, &slice, &gradient, NULL, 0,
                                             NULL, NULL),
                     CLND_OK);
        CHECK_EQUAL(dot(&g, &out), dot(&gradient, &x));
        check_status(clnd_strided_slice_view(&sum, &slice, &view), CLND_OK);
        combine(&g, CLND_REDUCE_ADD, &view);
        CHECK_EQUAL(dot(&there, &x) + dot(&g, &out), dot(&sum, &x));

        // The other way round: strided_slice_grad, of which x is dy's counterpart.
        const clnd_tensor of_grad = ZEROS(2, 1, 3), dy = RANDOM(2, 1, 3), dx = ZEROS(3, 4);
        check_status(
            clnd_strided_slice_grad(d->engine, d->queue, &dy, &slice, &dx, NULL, 0, NULL, NULL),
            CLND_OK);
        check_status(
            clnd_strided_slice(d->engine, d->queue, &there, &slice, &of_grad, NULL, 0, NULL, NULL),
            CLND_OK);
        CHECK_EQUAL(dot(&there, &dx), dot(&of_grad, &dy));
        end();
    }
}

Test(gradients, strided_slice_assign)
{
    for (int round = 0; round < ROUNDS; round++) {
        begin("strided_slice_assign", round);
        const clnd_slice slice = slice_of("1:, ::-1, ::2");
        const clnd_tensor old = RANDOM(3, 2, 4), value = RANDOM(2, 1), g = RANDOM(3, 2, 4);
        const clnd_tensor result = copy_of(&old), of_old = copy_of(&g), of_value = ZEROS(2, 1);
        const clnd_tensor zero = ZEROS(1);
        clnd_tensor view, indices;
        check_status(clnd_strided_slice_assign(d->engine, d->queue, &value, &slice, &result, NULL,
                                               0, NULL, NULL),
                     CLND_OK);
        check_status(clnd_strided_slice_assign(d->engine, d->queue, &zero, &slice, &of_old, NULL, 0,
                                               NULL, NULL),
                     CLND_OK);
        // The slice is [2, 2, 2]; the value repeats along the first and the last dimension.
        check_status(clnd_strided_slice_view(&g, &slice, &view), CLND_OK);
        const clnd_tensor rows =
            seen(&view, SHAPE(2, 2, 2, 1),
                 (const int64_t[]){view.strides[0], view.strides[2], view.strides[1], 1});
        check_status(clnd_tensor_dense(NULL, 0, CLND_INT32, SHAPE(2, 2, 0), &indices), CLND_OK);
        scatter_nd(&indices, &rows, CLND_BOUNDS_SKIP, &of_value);
        CHECK_EQUAL(dot(&g, &result), dot(&of_old, &old) + dot(&of_value, &value));
        end();
    }
}

Test(gradients, copy)
{
    for (int round = 0; round < ROUNDS; round++) {
        begin("copy", round);
        const clnd_tensor x = RANDOM(3), g = RANDOM(2, 3), target = ZEROS(2, 3),
                          gradient = ZEROS(3);
        const clnd_tensor repeated = seen(&x, SHAPE(2, 3), (const int64_t[]){0, 1});
        const clnd_tensor indices = rows_of_nothing(2);
        check_status(clnd_copy(d->engine, d->queue, &repeated, &target, NULL, 0, NULL, NULL),
                     CLND_OK);
        scatter_nd(&indices, &g, CLND_BOUNDS_SKIP, &gradient);
        CHECK_EQUAL(dot(&g, &target), dot(&gradient, &x));
        end();
    }
}
