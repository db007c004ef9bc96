// SPDX-License-Identifier: Apache-2.0
//
// copy against the reference: every dtype, layout and size, by each strategy.

#include <criterion/criterion.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

typedef struct copy_case {
    clnd_dtype dtype;
    clnd_strategy strategy;
    int highest_rank;
    int64_t most; // elements
    int empty;    // of 100 shapes so many have a size 0
    unsigned source, target;
    bool large; // about `most`
} copy_case;

static void run_random(const device *d, const copy_case *c)
{
    rng *r = case_rng();
    char lists[3][512];
    int64_t shape[CLND_MAX_RANK];
    int rank = (int)rng_range(r, 0, c->highest_rank);
    placed source, target;
    values bits = {.kind = VALUES_BITS};
    if (c->large)
        cases_large_shape(r, rank, c->most, shape);
    else
        cases_shape(r, rank, c->most, c->empty, shape);
    placed_make(&source, "source", r, c->dtype, rank, shape, c->source);
    placed_make(&target, "target", r, c->dtype, rank, shape, c->target);
    case_note("dtype %llx strategy %d shape %s, strides %s at %zu to %s at %zu",
              (unsigned long long)c->dtype, (int)c->strategy, placed_list(rank, shape, lists[0]),
              placed_list(rank, source.tensor.strides, lists[1]), source.tensor.offset,
              placed_list(rank, target.tensor.strides, lists[2]), target.tensor.offset);
    placed_fill(&source, r, &bits);
    placed_upload(&source, d);
    placed_upload(&target, d);
    clnd_tensor result;
    check_status(clnd_copy_shape(&source.tensor, &result), CLND_OK);
    check(result.rank == rank && result.dtype == c->dtype &&
              memcmp(result.shape, shape, (size_t)rank * sizeof *shape) == 0,
          "clnd_copy_shape");
    clnd_copy_options options = {.strategy = c->strategy};
    launch l;
    launch_pick(&l, d, r);
    clnd_status status = clnd_copy(d->engine, l.queue, &source.tensor, &target.tensor,
                                   c->strategy || rng_chance(r, 50) ? &options : NULL, l.n_wait,
                                   l.wait, l.event_out);
    check_status(status, CLND_OK);
    launch_finish(&l, d, status);
    ref_copy(&source.host, &target.host);
    placed_check(&target, d, EQUAL_BITS, NULL);
    placed_check(&source, d, EQUAL_BITS, NULL);
    placed_free(&source);
    placed_free(&target);
}

static const clnd_strategy strategies[] = {CLND_STRATEGY_AUTO, CLND_STRATEGY_LANES,
                                           CLND_STRATEGY_BLOCKS};

Test(copy, every_dtype)
{
    const device *d = device_get();
    int number = 0;
    for (const clnd_dtype *dtype = values_all_dtypes; *dtype; dtype++) {
        for (int i = 0; i < case_count(24); i++) {
            copy_case c = {*dtype, strategies[i % 3], 5, 500, 4, PLACED_ANY, PLACED_STRIDED, false};
            if (i % 4 == 0)
                c.source = c.target = PLACED_DENSE;
            case_begin("copy every dtype", number++);
            run_random(d, &c);
        }
    }
}

Test(copy, high_ranks)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(150); i++) {
        copy_case c = {i % 2 ? CLND_INT8 : CLND_OPAQUE(12),
                       strategies[i % 3],
                       16,
                       3000,
                       2,
                       PLACED_ANY,
                       PLACED_STRIDED,
                       false};
        case_begin("copy high ranks", i);
        run_random(d, &c);
    }
}

Test(copy, sizes_zero_in_every_position)
{
    const device *d = device_get();
    for (int i = 0; i < case_count(60); i++) {
        copy_case c = {CLND_INT32, strategies[i % 3], 5,    100, 60,
                       PLACED_ANY, PLACED_STRIDED,    false};
        case_begin("copy empty", i);
        run_random(d, &c);
    }
}

Test(copy, large)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT16, CLND_FLOAT32, CLND_COMPLEX128,
                                        CLND_OPAQUE(5)};
    const device *d = device_get();
    device_need_long_loops(d);
    for (int i = 0; i < case_count(90); i++) {
        copy_case c = {dtypes[i % 5], strategies[i % 3], 4,   200000, 0,
                       PLACED_ANY,    PLACED_STRIDED,    true};
        if (i % 2)
            c.source = c.target = PLACED_DENSE;
        case_begin("copy large", i);
        run_random(d, &c);
    }
}

Test(copy, strategy_from_environment)
{
    static const char *const names[] = {"lanes", "blocks", "store", "atomic", "owner", ""};
    const device *d = device_get();
    for (int i = 0; i < case_count(36); i++) {
        copy_case c = {CLND_INT32, CLND_STRATEGY_AUTO, 4,    3000, 2,
                       PLACED_ANY, PLACED_STRIDED,     false};
        case_begin("copy environment", i);
        cases_setenv("CLND_STRATEGY", names[i % 6]);
        run_random(d, &c);
    }
    cases_setenv("CLND_STRATEGY", NULL);
}

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
    device_need_long_loops(d);
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
        clnd_copy_options options = {.strategy = strategies[s]};
        placed_upload(&source, d);
        placed_upload(&target, d);
        check_status(
            clnd_copy(d->engine, NULL, &source.tensor, &target.tensor, &options, 0, NULL, NULL),
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
