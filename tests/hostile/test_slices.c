// SPDX-License-Identifier: Apache-2.0
//
// Slices that have sent other libraries into endless loops or outside tensors: all of them are
// taken, assigned and given a gradient, and compared with the reference's walk.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

// A slice of a tensor of this shape, by all three ops.
static void cut(const device *d, int rank, const int64_t *shape, const clnd_slice *slice)
{
    static const op_id ops[] = {OP_STRIDED_SLICE, OP_STRIDED_SLICE_ASSIGN, OP_STRIDED_SLICE_GRAD};
    const values numbers = {.kind = VALUES_SUM, .limit = 1000};
    for (int i = 0; i < 3; i++) {
        problem p = {.op = ops[i], .dtype = CLND_INT32, .taken = *slice, .rule = EQUAL_BITS};
        ref_slice taken = {.rank = 1, .shape = {1}};
        p.slice_status = ref_slice_take(rank, shape, slice, &taken);
        placed *whole = i == 0 ? &p.input : &p.out, *part = i == 0 ? &p.out : &p.input;
        const bool is_part = p.slice_status == REF_SLICE_OK;
        rng *r = case_rng();
        placed_guarded(whole, "whole", r, p.dtype, rank, shape);
        placed_guarded(part, "part", r, p.dtype, is_part ? taken.rank : 1,
                       is_part ? taken.shape : (int64_t[]){1});
        placed_fill(&p.input, r, &numbers);
        placed_upload(&p.input, d);
        placed_upload(&p.out, d);
        p.given_input = p.input.tensor;
        p.given_out = p.out.tensor;
        clnd_status status = problem_call(&p, d, &(launch){0});
        check_cl(clFinish(d->queue));
        problem_judge(&p, d, status);
        placed_check(&p.input, d, EQUAL_BITS, NULL);
        placed_free(&p.input);
        placed_free(&p.out);
        if (is_part)
            ref_slice_free(&taken);
    }
}

// TFLite's StridedSlice looped without end on an ellipsis where it did not expect one. Every choice
// of masks for three entries, on a tensor of two dimensions and one of five.
Test(hostile_slices, CVE_2021_37686_masks_in_every_position, .timeout = 300)
{
    const device *d = device_get();
    const int64_t shape[] = {2, 3, 1, 2, 2};
    clnd_slice slice = {.length = 3, .begin = {1, 0, -1}, .end = {2, 1, 0}, .strides = {1, 2, 1}};
    for (uint32_t masks = 0; masks < 512; masks++) {
        slice.ellipsis_mask = masks & 7;
        slice.new_axis_mask = masks >> 3 & 7;
        slice.shrink_axis_mask = masks >> 6;
        slice.begin_mask = masks * 5 & 7;
        slice.end_mask = masks * 3 & 7;
        case_begin("CVE-2021-37686", (int)masks);
        cut(d, 2, shape, &slice);
        cut(d, 5, shape, &slice);
    }
}

// Bits of the masks behind the last entry mean nothing, also those of entry 31 and up.
Test(hostile_slices, CVE_2021_37686_masks_beyond_the_entries)
{
    const device *d = device_get();
    const int64_t shape[] = {4, 3};
    for (int length = 0; length <= 2; length++) {
        const uint32_t beyond = UINT32_MAX << length;
        const clnd_slice slice = {.length = length,
                                  .begin = {1, -1},
                                  .end = {3, -4},
                                  .strides = {1, -1},
                                  .begin_mask = beyond,
                                  .end_mask = beyond,
                                  .ellipsis_mask = beyond,
                                  .new_axis_mask = beyond,
                                  .shrink_axis_mask = beyond};
        case_begin("masks beyond", length);
        cut(d, 2, shape, &slice);
    }
}

// A walk that ends when a sum has come by its end would step over it: begin, end and stride at the
// ends of 64 bits, in a dimension of five elements, of one and of none.
Test(hostile_slices, extremes_of_64_bits, .timeout = 300)
{
    static const int64_t extremes[] = {INT64_MIN, INT64_MIN + 1, INT32_MIN, -1,           0,
                                       1,         INT32_MAX,     INT64_MAX, INT64_MAX - 1};
    enum { N = sizeof extremes / sizeof *extremes };
    const device *d = device_get();
    for (int i = 0; i < N * N * N; i++) {
        const int64_t shape[] = {i % 7 == 0 ? 0 : i % 7 == 1 ? 1 : 5};
        const clnd_slice slice = {.length = 1,
                                  .begin = {extremes[i % N]},
                                  .end = {extremes[i / N % N]},
                                  .strides = {extremes[i / N / N]}};
        case_begin("extremes of slices", i);
        cut(d, 1, shape, &slice);
    }
}

// A single element by its number: at the ends of 64 bits, and around those of the dimension.
Test(hostile_slices, integers_outside)
{
    static const int64_t places[] = {INT64_MIN, INT64_MIN + 4, -5, -4, -1,           0, 3, 4,
                                     INT32_MAX, INT64_MAX - 3, 1,  2,  INT64_MIN + 3};
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof places / sizeof *places); i++) {
        const int64_t shape[] = {2, 4};
        const clnd_slice slice = {.length = 2,
                                  .begin = {0, places[i]},
                                  .end = {2, 0},
                                  .strides = {1, 1},
                                  .shrink_axis_mask = 2};
        case_begin("integers outside", i);
        cut(d, 2, shape, &slice);
    }
}

// 32 entries on 16 dimensions, of which 16 are new ones: one dimension too many, or just enough.
Test(hostile_slices, most_entries)
{
    const device *d = device_get();
    int64_t shape[CLND_MAX_RANK];
    for (int i = 0; i < CLND_MAX_RANK; i++)
        shape[i] = 1 + i % 2;
    for (int shrunk = 0; shrunk <= 16; shrunk += 8) {
        clnd_slice slice = {.length = 32, .new_axis_mask = 0x55555555};
        case_begin("most entries", shrunk);
        for (int i = 0; i < 32; i++) {
            slice.end[i] = 1;
            slice.strides[i] = 1;
            if (i % 2 && i / 2 < shrunk)
                slice.shrink_axis_mask |= UINT32_C(1) << i;
        }
        cut(d, 16, shape, &slice);
    }
}

// Sizes of 2^62 that no memory has, through a stride of 0.
Test(hostile_slices, sizes_near_the_end_of_63_bits)
{
    static const int32_t seven = 7;
    const device *d = device_get();
    const int64_t step = INT64_C(1) << 60;
    case_begin("huge slices", 0);
    placed one, out;
    placed_from(&one, "one", case_rng(), CLND_INT32, 1, (int64_t[]){1}, &seven);
    placed_guarded(&out, "out", case_rng(), CLND_INT32, 1, (int64_t[]){4});
    placed_upload(&one, d);
    placed_upload(&out, d);
    clnd_tensor huge = one.tensor, view;
    huge.shape[0] = INT64_C(1) << 62;
    huge.strides[0] = 0;
    for (int64_t i = 0; i < 4; i++)
        memcpy(ref_at(&out.host, &i), &seven, sizeof seven);
    const clnd_slice slices[] = {
        {.length = 1, .begin = {3}, .end = {INT64_MAX}, .strides = {step}},
        {.length = 1, .begin = {INT64_MAX}, .end = {INT64_MIN}, .strides = {-step}},
        {.length = 1, .begin = {-4 * step}, .end = {INT64_MAX}, .strides = {step}},
    };
    for (int i = 0; i < 3; i++) {
        check_status(clnd_strided_slice_view(&huge, &slices[i], &view), CLND_OK);
        check(view.shape[0] == 4, "%lld elements", (long long)view.shape[0]);
        check_status(clnd_strided_slice(d->engine, NULL, &huge, &slices[i], &out.tensor, NULL, 0,
                                        NULL, NULL),
                     CLND_OK);
        placed_check(&out, d, EQUAL_BITS, NULL);
    }
    // As an output it would hold elements that share memory.
    check_status(clnd_strided_slice_assign(d->engine, NULL, &out.tensor, &slices[0], &huge, NULL, 0,
                                           NULL, NULL),
                 CLND_INVALID_STRIDES);
    placed_check(&one, d, EQUAL_BITS, NULL);
    placed_free(&one);
    placed_free(&out);
}
