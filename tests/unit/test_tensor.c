// SPDX-License-Identifier: Apache-2.0
//
// Descriptions of tensors: strides of the caller's, and dimensions in another order.

#include <criterion/criterion.h>
#include <string.h>

#include "check.h"
#include "clnd/tensor.h"

static const clnd_tensor nothing;

static void check_zeroed(const clnd_tensor *tensor)
{
    check(memcmp(tensor, &nothing, sizeof nothing) == 0, "the tensor is not zeroed");
}

Test(tensor, strided)
{
    const int64_t shape[] = {2, 3, 4}, strides[] = {-5, 0, 7};
    clnd_tensor tensor, dense;
    case_begin("tensor strided", 0);
    check_status(clnd_tensor_strided(NULL, 40, CLND_INT16, 3, shape, strides, &tensor), CLND_OK);
    check_status(clnd_tensor_dense(NULL, 40, CLND_INT16, 3, shape, &dense), CLND_OK);
    memcpy(dense.strides, strides, sizeof strides);
    check(memcmp(&tensor, &dense, sizeof tensor) == 0, "not what was described");
    check_status(clnd_tensor_strided(NULL, 40, CLND_INT16, 0, NULL, NULL, &tensor), CLND_OK);
    check(tensor.rank == 0 && tensor.offset == 40, "rank 0");
}

Test(tensor, strided_refuses)
{
    const int64_t shape[] = {2, -3}, good[] = {2, 3}, strides[] = {1, 1};
    clnd_tensor tensor = {.rank = 5};
    case_begin("tensor strided refused", 0);
    check_status(clnd_tensor_strided(NULL, 0, CLND_INT16, 2, good, NULL, &tensor),
                 CLND_NULL_POINTER);
    check_message("tensor_strided: strides is NULL");
    check_zeroed(&tensor);
    tensor.rank = 5;
    check_status(clnd_tensor_strided(NULL, 0, CLND_INT16, 2, shape, strides, &tensor),
                 CLND_INVALID_SHAPE);
    check_message("tensor_strided: ");
    check_zeroed(&tensor);
    check_status(clnd_tensor_strided(NULL, 0, CLND_INT16, 17, good, strides, &tensor),
                 CLND_INVALID_RANK);
    check_status(clnd_tensor_strided(NULL, 0, 0, 2, good, strides, &tensor), CLND_INVALID_DTYPE);
    check_status(clnd_tensor_strided(NULL, 0, CLND_INT16, 2, good, strides, NULL),
                 CLND_NULL_POINTER);
}

Test(tensor, permute)
{
    const int64_t shape[] = {2, 3, 4}, strides[] = {20, 5, 1};
    const struct {
        const int32_t *axes;
        int64_t shape[3], strides[3];
    } cases[] = {
        {(int32_t[]){0, 1, 2}, {2, 3, 4}, {20, 5, 1}},
        {(int32_t[]){2, 0, 1}, {4, 2, 3}, {1, 20, 5}},
        {(int32_t[]){-2, -1, -3}, {3, 4, 2}, {5, 1, 20}},
        {NULL, {4, 3, 2}, {1, 5, 20}},
    };
    clnd_tensor tensor, permuted;
    check_status(clnd_tensor_strided(NULL, 8, CLND_FLOAT32, 3, shape, strides, &tensor), CLND_OK);
    for (int i = 0; i < 4; i++) {
        case_begin("tensor permute", i);
        check_status(clnd_tensor_permute(&tensor, cases[i].axes, &permuted), CLND_OK);
        clnd_tensor expected = tensor, same = tensor;
        memcpy(expected.shape, cases[i].shape, sizeof shape);
        memcpy(expected.strides, cases[i].strides, sizeof strides);
        check(memcmp(&permuted, &expected, sizeof expected) == 0, "another order");
        check_status(clnd_tensor_permute(&same, cases[i].axes, &same), CLND_OK);
        check(memcmp(&same, &expected, sizeof expected) == 0, "in place");
    }
}

Test(tensor, permute_refuses)
{
    const int64_t shape[] = {2, 3, 4};
    const struct {
        int32_t axes[3];
        const char *message;
    } cases[] = {
        {{0, 1, 3}, "axes[2] is 3, the tensor has rank 3"},
        {{-4, 1, 2}, "axes[0] is -4, the tensor has rank 3"},
        {{0, 2, 2}, "axes[2] is 2, which was named before"},
        {{0, 2, -1}, "axes[2] is -1, which was named before"},
        {{INT32_MIN, 2, 1}, "axes[0] is -2147483648"},
    };
    clnd_tensor tensor, permuted;
    check_status(clnd_tensor_dense(NULL, 0, CLND_FLOAT32, 3, shape, &tensor), CLND_OK);
    for (int i = 0; i < 5; i++) {
        case_begin("tensor permute refused", i);
        permuted.rank = 7;
        check_status(clnd_tensor_permute(&tensor, cases[i].axes, &permuted), CLND_INVALID_AXIS);
        check_message(cases[i].message);
        check_zeroed(&permuted);
    }
    check_status(clnd_tensor_permute(NULL, NULL, &permuted), CLND_NULL_POINTER);
    check_status(clnd_tensor_permute(&tensor, NULL, NULL), CLND_NULL_POINTER);
    tensor.rank = 17;
    check_status(clnd_tensor_permute(&tensor, NULL, &permuted), CLND_INVALID_RANK);
    check_zeroed(&permuted);
}
