// SPDX-License-Identifier: Apache-2.0
//
// copy: ranks, broadcasting, and what shares a buffer.

#include <criterion/criterion.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

static const char *const strategies[] = {NULL, "must,lanes", "must,blocks"};

Test(copy, rank_0)
{
    const device *d = device_get();
    placed source, target;
    case_begin("copy ranks", 0);
    text_tensor(&source, "source", case_rng(), CLND_INT64, ": -7");
    text_space(&target, "target", case_rng(), CLND_INT64, ":");
    placed_upload(&source, d);
    placed_upload(&target, d);
    check_status(clnd_copy(d->engine, NULL, &source.tensor, &target.tensor, NULL, 0, NULL, NULL),
                 CLND_OK);
    text_elements(&target, ": -7");
    placed_check(&target, d, EQUAL_BITS, NULL);
    placed_free(&source);
    placed_free(&target);
}

// Sixteen dimensions of size 2 that do not merge: the source is read back to front, the target
// written with its dimensions in reversed order.
Test(copy, rank_16)
{
    const device *d = device_get();
    placed source, target;
    int64_t shape[16];
    case_begin("copy ranks", 1);
    for (int i = 0; i < 16; i++)
        shape[i] = 2;
    placed_from(&source, "source", case_rng(), CLND_UINT8, 16, shape, NULL);
    placed_from(&target, "target", case_rng(), CLND_UINT8, 16, shape, NULL);
    for (int i = 0; i < 16; i++) {
        target.host.strides[i] = target.tensor.strides[i] = (int64_t)1 << i;
        source.host.strides[i] = source.tensor.strides[i] = -((int64_t)1 << (15 - i));
    }
    source.host.offset = source.tensor.offset = 65535;
    for (size_t s = 0; s < 3; s++) {
        clnd_engine *engine = device_with(d, strategies[s])->engine;
        placed_upload(&source, d);
        placed_upload(&target, d);
        check_status(
            clnd_copy(engine, d->queue, &source.tensor, &target.tensor, NULL, 0, NULL, NULL),
            CLND_OK);
        ref_copy(&source.host, &target.host);
        placed_check(&target, d, EQUAL_BITS, NULL);
        memset(target.host.data, (int)s, target.bytes);
    }
    placed_free(&source);
    placed_free(&target);
}

// A source of one element broadcast to a large target, with strides of 0.
Test(copy, broadcast)
{
    const device *d = device_get();
    placed source, target;
    case_begin("copy broadcast", 0);
    text_tensor(&source, "source", case_rng(), CLND_INT32, "3: 1 2 3");
    text_space(&target, "target", case_rng(), CLND_INT32, "2,3,2");
    placed_upload(&source, d);
    placed_upload(&target, d);
    clnd_tensor wide = {.buffer = source.tensor.buffer,
                        .dtype = CLND_INT32,
                        .rank = 3,
                        .shape = {2, 3, 2},
                        .strides = {0, 1, 0}};
    check_status(clnd_copy(d->engine, NULL, &wide, &target.tensor, NULL, 0, NULL, NULL), CLND_OK);
    text_elements(&target, ": 1 1 2 2 3 3 1 1 2 2 3 3");
    placed_check(&target, d, EQUAL_BITS, NULL);
    placed_free(&source);
    placed_free(&target);
}

// Neighbouring parts of one buffer do not overlap, and bytes between interleaved tensors stay.
Test(copy, within_one_buffer)
{
    const device *d = device_get();
    placed whole;
    case_begin("copy within a buffer", 0);
    text_tensor(&whole, "whole", case_rng(), CLND_INT32, "8: 1 2 3 4 0 0 0 0");
    placed_upload(&whole, d);
    clnd_tensor source = whole.tensor, target = whole.tensor;
    source.shape[0] = target.shape[0] = 4;
    target.offset = 16;
    check_status(clnd_copy(d->engine, NULL, &source, &target, NULL, 0, NULL, NULL), CLND_OK);
    text_elements(&whole, ": 1 2 3 4 1 2 3 4");
    placed_check(&whole, d, EQUAL_BITS, NULL);
    target.offset = 12;
    check_status(clnd_copy(d->engine, NULL, &source, &target, NULL, 0, NULL, NULL), CLND_OVERLAP);
    placed_check(&whole, d, EQUAL_BITS, NULL);
    placed_free(&whole);
}

Test(copy, one_long_run)
{
    enum { BYTES = 80 << 20 };
    const device *d = device_get();
    placed source, target;
    case_begin("copy run", 0);
    const int64_t shape[] = {BYTES};
    placed_from(&source, "source", case_rng(), CLND_UINT8, 1, shape, NULL);
    placed_from(&target, "target", case_rng(), CLND_UINT8, 1, shape, NULL);
    placed_upload(&source, d);
    placed_upload(&target, d);
    check_status(clnd_copy(d->engine, NULL, &source.tensor, &target.tensor, NULL, 0, NULL, NULL),
                 CLND_OK);
    ref_copy(&source.host, &target.host);
    placed_check(&target, d, EQUAL_BITS, NULL);
    placed_free(&source);
    placed_free(&target);
}
