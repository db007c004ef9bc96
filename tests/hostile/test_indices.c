// SPDX-License-Identifier: Apache-2.0
//
// Index values that have read or written outside tensors in other libraries. Each test names the
// advisory; all of them run under every policy, and with int32 indices by every strategy. With all
// cases other index dtypes take every strategy too.

#include <criterion/criterion.h>

#include "attack.h"

enum { N_SHAPES = 7 };

// params or target [3, 4] as all ops with indices see it, with six index values, or three tuples.
static void six_values(const device *d, clnd_dtype index_dtype, const int64_t six[6])
{
    static const struct {
        op_id op;
        int index_rank;
        int64_t index_shape[2];
        int axis;
        clnd_reduce reduce;
    } shapes[N_SHAPES] = {
        {OP_GATHER_ND, 2, {3, 2}, 0, 0},
        {OP_GATHER, 1, {6}, 1, 0},
        {OP_GATHER_ELEMENTS, 2, {2, 3}, 0, 0},
        {OP_SCATTER_ND, 2, {3, 2}, 0, 0},
        {OP_SCATTER_ND_INTO, 2, {6, 1}, 0, CLND_REDUCE_ADD},
        {OP_SCATTER_ND_INTO, 2, {3, 2}, 0, 0},
        {OP_SCATTER_ELEMENTS, 2, {2, 3}, 1, 0},
    };
    for (int i = 0; i < N_SHAPES; i++) {
        attack a = {.d = d,
                    .op = shapes[i].op,
                    .index_dtype = index_dtype,
                    .rank = 2,
                    .shape = {3, 4},
                    .index_rank = shapes[i].index_rank,
                    .index_shape = {shapes[i].index_shape[0], shapes[i].index_shape[1]},
                    .axis = shapes[i].axis,
                    .reduce = shapes[i].reduce,
                    .values = six,
                    .n_values = 6,
                    // Each forced strategy compiles a kernel for each width of indices.
                    .forces_none = index_dtype != CLND_INT32 && !case_are_all()};
        attack_everywhere(&a);
    }
}

// TFLite's Gather and GatherNd took a negative index for an offset before the tensor.
Test(hostile_indices, CVE_2021_37687_negative)
{
    const device *d = device_get();
    case_begin("CVE-2021-37687", 0);
    six_values(d, CLND_INT32, (int64_t[]){0, -1, 2, 1, -1, 0});
    six_values(d, CLND_INT64, (int64_t[]){1, 1, -3, -4, 0, -5});
    six_values(d, CLND_INT8, (int64_t[]){-1, -1, -1, -1, -1, -1});
}

// TFLite's segment_sum added to what lies before the sums.
Test(hostile_indices, CVE_2020_15212_negative_place_of_a_sum)
{
    const device *d = device_get();
    case_begin("CVE-2020-15212", 0);
    const attack a = {.d = d,
                      .op = OP_SCATTER_ND_INTO,
                      .rank = 2,
                      .shape = {5, 3},
                      .index_rank = 2,
                      .index_shape = {40, 1},
                      .reduce = CLND_REDUCE_ADD,
                      .values = (int64_t[]){0, 0, -1, 1, 3, -2, 4, -100},
                      .n_values = 8};
    attack_everywhere(&a);
}

// TFLite's GatherNd read rows behind params.
Test(hostile_indices, CVE_2022_35937_at_and_behind_the_dimension)
{
    const device *d = device_get();
    case_begin("CVE-2022-35937", 0);
    six_values(d, CLND_INT32, (int64_t[]){2, 3, 3, 0, 0, 4});
    six_values(d, CLND_UINT8, (int64_t[]){3, 3, 255, 0, 2, 128});
}

// TFLite Micro's GatherNd; the index is inside params, counted flat, but not in its dimension.
Test(hostile_indices, CVE_2022_35938_inside_params_but_not_in_the_dimension)
{
    const device *d = device_get();
    case_begin("CVE-2022-35938", 0);
    six_values(d, CLND_INT32, (int64_t[]){0, 5, 1, 4, 0, 11});
    six_values(d, CLND_INT64, (int64_t[]){2, -1, 1, -1, 2, -4});
}

// The first fix of TFLite's ScatterNd compared the sum of the offsets in 32 bits: what it let pass
// wraps around to a place inside. Products of these with the dimension's 4, or 16 bytes, do.
Test(hostile_indices, CVE_2022_35939_offsets_that_wrap_around)
{
    const device *d = device_get();
    static const int64_t in_32_bits[][6] = {
        {1 << 30, 0, 1 << 28, 1, (1 << 30) + 1, 3},
        {0, INT32_MAX, 0, INT32_MIN, 2, INT32_MIN + 1},
        {-(1 << 30), 0, -(1 << 28), 0, INT32_MIN, INT32_MIN},
    };
    static const int64_t in_64_bits[][6] = {
        {INT64_C(1) << 32, 0, INT64_C(1) << 30, 1, 1, INT64_C(1) << 32},
        {INT64_C(1) << 62, 0, INT64_C(1) << 60, 0, 0, (INT64_C(1) << 62) + 1},
        {INT64_MIN, 0, 0, INT64_MIN, -(INT64_C(1) << 60), 1},
    };
    for (int i = 0; i < 3; i++) {
        case_begin("CVE-2022-35939", i);
        six_values(d, CLND_INT32, in_32_bits[i]);
        six_values(d, CLND_INT64, in_64_bits[i]);
    }
}

// The offsets of the coordinates are outside one by one, and cancel each other.
Test(hostile_indices, flat_offsets_that_cancel)
{
    const device *d = device_get();
    case_begin("offsets that cancel", 0);
    six_values(d, CLND_INT32, (int64_t[]){1, -4, -1, 4, 4, -12});
    six_values(d, CLND_INT64,
               (int64_t[]){1 << 30, -(INT64_C(1) << 32), -1, 7, INT64_C(1) << 61, 1});
}

// Every index dtype's smallest and largest values, and the neighbours of those and of the bounds.
static void extremes_of(clnd_dtype index_dtype)
{
    const device *d = device_get();
    int64_t low, high;
    values_index_limits(index_dtype, &low, &high);
    const bool is_signed = low < 0;
    case_begin("extremes of index dtypes", (int)index_dtype);
    six_values(d, index_dtype, (int64_t[]){low, high, low + 1, high - 1, 0, 2});
    six_values(d, index_dtype, (int64_t[]){high, high, 1, is_signed ? -1 : 3, 2, high / 2 + 1});
    six_values(d, index_dtype, (int64_t[]){0, 3, is_signed ? -3 : 2, is_signed ? -4 : 0, 2, low});
}

Test(hostile_indices, extremes_of_int32)
{
    extremes_of(CLND_INT32);
}
Test(hostile_indices, extremes_of_int64)
{
    extremes_of(CLND_INT64);
}
// Small calls by them share kernels.
Test(hostile_indices, extremes_of_other_dtypes)
{
    static const clnd_dtype others[] = {CLND_INT8, CLND_INT16, CLND_UINT8, CLND_UINT16,
                                        CLND_UINT32};
    for (int i = 0; i < 5; i++)
        extremes_of(others[i]);
}

// All sixteen coordinates of a tuple are judged, wherever the bad one stands.
Test(hostile_indices, rank_16_each_coordinate_bad_in_turn)
{
    const device *d = device_get();
    for (int bad = 0; bad < 16; bad++) {
        int64_t tuples[32];
        case_begin("rank 16", bad);
        for (int k = 0; k < 32; k++)
            tuples[k] = k % 3 == 1;
        tuples[16 + bad] = bad % 2 ? INT64_MIN : 2;
        attack a = {.d = d,
                    .op = bad % 4 == 3 ? OP_SCATTER_ND_INTO : OP_GATHER_ND,
                    .index_dtype = CLND_INT64,
                    .rank = 16,
                    .index_rank = 2,
                    .index_shape = {3, 16},
                    .values = tuples,
                    .n_values = 32};
        for (int k = 0; k < 16; k++)
            a.shape[k] = 2;
        attack_play(&a, CLND_BOUNDS_ERROR, "", false);
        attack_play(&a, CLND_BOUNDS_ZERO, "", false);
        attack_play(&a, CLND_BOUNDS_WRAP, "", false);
    }
}
