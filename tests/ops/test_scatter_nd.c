// SPDX-License-Identifier: Apache-2.0
//
// scatter_nd and scatter_nd_into: worked examples and named corners. Random cases are those of the
// differential test.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "text.h"

typedef struct example {
    const char *label;
    clnd_dtype dtype;
    clnd_reduce reduce;
    clnd_bounds bounds;
    bool deterministic;
    const char *target;  // "zeros 5": scatter_nd with an output of this shape
    const char *indices; // int64
    const char *updates;
    const char *result; // or
    const char *message;
} example;

#define I32     CLND_INT32
#define F32     CLND_FLOAT32
#define ADD     CLND_REDUCE_ADD
#define SUB     CLND_REDUCE_SUB
#define MUL     CLND_REDUCE_MUL
#define MIN     CLND_REDUCE_MIN
#define MAX     CLND_REDUCE_MAX
#define SET     CLND_REDUCE_UPDATE
#define DEFAULT CLND_REDUCE_DEFAULT
#define ERR     CLND_BOUNDS_ERROR
#define SKIP    CLND_BOUNDS_SKIP
#define CLAMP   CLND_BOUNDS_CLAMP
#define WRAP    CLND_BOUNDS_WRAP
#define BAD     " does not index into shape "

// clang-format off
// What tests/golden has no case for: of tf.tensor_scatter_nd_*'s and ONNX ScatterND's own examples,
// of dtypes, policies and reductions.
static const example worked_examples[] = {
    {"s6 empty slice, bad index", I32, DEFAULT, ERR, false, "zeros 3,0", "1,1: 3", "1,0:", NULL,
     "scatter_nd: indices[0] = [3]" BAD "[3, 0]"},
    {"s7 one empty tuple", I32, DEFAULT, ERR, false, "zeros 3", "0:", "3: 1 2 3", "3: 1 2 3", NULL},
    {"s9 update by default", I32, DEFAULT, ERR, false, "3: 1 1 1", "1,1: 1", "1: 5",
     "3: 1 5 1", NULL},
    {"s12 float16 rounded each time", CLND_FLOAT16, ADD, ERR, false, "1: 2048", "4,1: 0 0 0 0",
     "4: 1 1 1 1", "1: 2048", NULL},
    {"s12 bfloat16 rounded once", CLND_BFLOAT16, ADD, ERR, true, "1: 256", "4,1: 0 0 0 0",
     "4: 1 1 1 1", "1: 260", NULL},
    {"s12 bfloat16 rounded each time", CLND_BFLOAT16, ADD, ERR, false, "1: 256", "4,1: 0 0 0 0",
     "4: 1 1 1 1", "1: 256", NULL},
    {"first bad row, row-major", I32, ADD, ERR, false, "5,2: 0 1 2 3 4 5 6 7 8 9",
     "2,2,2: 0 0 5 0 1 2 4 1", "2,2: 1 1 1 1", NULL,
     "scatter_nd_into: indices[0,1] = [5, 0]" BAD "[5, 2]"},
    {"a single tuple", I32, ADD, ERR, false, "2,2: 0 1 2 3", "2: -1 0", ": 1", NULL,
     "scatter_nd_into: indices = [-1, 0]" BAD "[2, 2]"},
    {"each coordinate is checked", I32, ADD, SKIP, false, "2,2: 0 1 2 3", "3,2: 0 3 0 1 -1 2",
     "3: 9 9 9", "2,2: 0 10 2 3", NULL},
    {"wrap", I32, ADD, WRAP, false, "4: 0 0 0 0", "3,1: -1 -4 -1", "3: 1 2 3", "4: 2 0 0 4", NULL},
    {"wrap once only", I32, ADD, WRAP, false, "4: 0 0 0 0", "2,1: -1 -5", "2: 1 2", NULL,
     "scatter_nd_into: indices[1] = [-5] "},
    {"clamp", I32, ADD, CLAMP, false, "4: 0 0 0 0", "3,1: -9 9 4", "3: 1 2 3", "4: 1 0 0 5", NULL},
    {"clamp in a size of 0 drops", I32, SET, CLAMP, false, "0,2:", "1,1: 3", "1,2: 1 1",
     "0,2:", NULL},
    {"rank-0 target", I32, ADD, ERR, false, ": 5", "3,0:", "3: 1 2 3", ": 11", NULL},
    {"zeros take part: update", I32, SET, ERR, false, "zeros 3", "1,1: 1", "1: 7",
     "3: 0 7 0", NULL},
    {"zeros take part: mul", I32, MUL, ERR, false, "zeros 2", "1,1: 1", "1: 7", "2: 0 0", NULL},
    {"sub", I32, SUB, ERR, false, "2: 1 2", "3,1: 0 0 1", "3: 5 6 7", "2: -10 -5", NULL},
    {"mul", I32, MUL, ERR, false, "2: 3 2", "3,1: 0 0 1", "3: 5 -1 7", "2: -15 14", NULL},
    {"bool MUL is AND", CLND_BOOL, MUL, ERR, false, "3: 1 1 0", "3,1: 0 1 2", "3: 1 0 1",
     "3: 1 0 0",
     NULL},
    {"bool MIN is AND", CLND_BOOL, MIN, ERR, false, "3: 1 1 0", "3,1: 0 1 2", "3: 1 0 1",
     "3: 1 0 0",
     NULL},
    {"bool MAX is OR", CLND_BOOL, MAX, ERR, false, "3: 1 0 0", "3,1: 0 1 2", "3: 0 1 0", "3: 1 1 0",
     NULL},
    {"complex add", CLND_COMPLEX64, ADD, ERR, false, "1: 1,2", "2,1: 0 0", "2: 1,0 0,-5", "1: 2,-3",
     NULL},
    {"complex mul", CLND_COMPLEX64, MUL, ERR, false, "1: 1,2", "1,1: 0", "1: 3,-1", "1: 5,5", NULL},
    // (x + xi)^2 with x = 1 + 2^-12, 1 + 2^-27: x * x is not exact. A fused multiply-add keeps what
    // rounding takes away, so that the difference of two of them is not 0.
    {"complex mul, each product rounded", CLND_COMPLEX64, MUL, ERR, true,
     "1: 1.000244140625,1.000244140625", "1,1: 0", "1: 1.000244140625,1.000244140625",
     "1: 0,2.0009765625", NULL},
    {"complex128 mul, each product rounded", CLND_COMPLEX128, MUL, ERR, true,
     "1: 1.000000007450580596923828125,1.000000007450580596923828125", "1,1: 0",
     "1: 1.000000007450580596923828125,1.000000007450580596923828125",
     "1: 0,2.0000000298023223876953125", NULL},
    {"complex sub", CLND_COMPLEX64, SUB, ERR, false, "1: 1,2", "1,1: 0", "1: 3,-1",
     "1: -2,3", NULL},
    {"tf: slices", I32, DEFAULT, ERR, false, "zeros 4,2", "2,1: 1 3", "2,2: 5 6 7 8",
     "4,2: 0 0 5 6 0 0 7 8", NULL},
    {"tf: update of elements", I32, DEFAULT, ERR, false, "8: 1 1 1 1 1 1 1 1", "4,1: 4 3 1 7",
     "4: 9 10 11 12", "8: 1 11 1 10 9 1 1 12", NULL},
    {"tf: update of a matrix", I32, DEFAULT, ERR, false, "3,3: 1 1 1 1 1 1 1 1 1",
     "3,2: 0 1 1 2 2 0", "3: 5 6 7", "3,3: 1 5 1 1 1 6 7 1 1", NULL},
    {"tf: max", I32, MAX, ERR, false, "8: 0 0 0 0 0 0 0 0", "3,1: 1 4 5", "3: 1 -1 1",
     "8: 0 1 0 0 0 1 0 0", NULL},
    {"onnx: add", I32, ADD, ERR, false, "2,2: 1 2 3 4", "2,1: 0 0", "2,2: 5 5 1 1", "2,2: 7 8 3 4",
     NULL},
    {"onnx: multiply", I32, MUL, ERR, false, "2,2: 1 2 3 4", "2,1: 0 0", "2,2: 5 5 2 1",
     "2,2: 10 10 3 4", NULL},
    // signed zeros, NaN, infinities
    {"max of -0 and +0", F32, MAX, ERR, false, "2: -0 0", "2,1: 0 1", "2: 0 -0", "2: 0 0", NULL},
    {"min of -0 and +0", F32, MIN, ERR, false, "2: -0 0", "2,1: 0 1", "2: 0 -0", "2: -0 -0", NULL},
    {"max of float16 zeros", CLND_FLOAT16, MAX, ERR, false, "2: -0 0", "2,1: 0 1", "2: 0 -0",
     "2: 0 0", NULL},
    {"min of float16 zeros", CLND_FLOAT16, MIN, ERR, false, "2: -0 0", "2,1: 0 1", "2: 0 -0",
     "2: -0 -0", NULL},
    {"min with NaN in the target", F32, MIN, ERR, false, "1: nan", "2,1: 0 0", "2: -inf 1",
     "1: nan", NULL},
    {"min with NaN between", F32, MIN, ERR, true, "1: 5", "3,1: 0 0 0", "3: 1 nan -inf",
     "1: nan", NULL},
    {"max with NaN, float16", CLND_FLOAT16, MAX, ERR, true, "1: 5", "2,1: 0 0", "2: nan inf",
     "1: nan", NULL},
    {"min with NaN, bfloat16", CLND_BFLOAT16, MIN, ERR, false, "1: 5", "2,1: 0 0", "2: nan 1",
     "1: nan", NULL},
    {"inf - inf", F32, ADD, ERR, true, "1: 0", "2,1: 0 0", "2: inf -inf", "1: nan", NULL},
    {"differences of floats", F32, SUB, ERR, false, "3: 10 20 30", "3,1: 1 1 2", "3: 1 2 4",
     "3: 10 17 26", NULL},
    {"sub of inf", F32, SUB, ERR, true, "1: inf", "1,1: 0", "1: inf", "1: nan", NULL},
    {"inf * 0", F32, MUL, ERR, true, "1: inf", "1,1: 0", "1: 0", "1: nan", NULL},
    {"-0 + -0", F32, ADD, ERR, false, "1: -0", "1,1: 0", "1: -0", "1: -0", NULL},
    {"0 - 0", F32, SUB, ERR, false, "1: -0", "1,1: 0", "1: 0", "1: -0", NULL},
    {"update keeps -0", F32, SET, ERR, false, "1: 0", "1,1: 0", "1: -0", "1: -0", NULL},
    {"float16 overflow", CLND_FLOAT16, ADD, ERR, false, "1: 65504", "1,1: 0", "1: 65504",
     "1: inf", NULL},
    {"float16 ties to even", CLND_FLOAT16, ADD, ERR, false, "2: 2048 2050", "2,1: 0 1", "2: 1 1",
     "2: 2048 2052", NULL},
    {"bfloat16 ties to even", CLND_BFLOAT16, ADD, ERR, false, "2: 256 258", "2,1: 0 1", "2: 1 1",
     "2: 256 260", NULL},
    {"float16 sum beyond its range and back, rounded once", CLND_FLOAT16, ADD, ERR, true,
     "1: 65504",
     "2,1: 0 0", "2: 65504 -65504", "1: 65504", NULL},
    {"float16 product, rounded once", CLND_FLOAT16, MUL, ERR, true, "1: 60000", "2,1: 0 0",
     "2: 4 0.25", "1: 60000", NULL},
    {"float32 row order", F32, ADD, ERR, true, "1: 16777216", "3,1: 0 0 0", "3: 1 1 -16777216",
     "1: 0", NULL},
    // wrap-around
    {"int8 wraps", CLND_INT8, ADD, ERR, false, "3: 127 -128 100", "3,1: 0 1 2", "3: 1 -1 100",
     "3: -128 127 -56", NULL},
    {"int8 sub of the smallest", CLND_INT8, SUB, ERR, false, "2: 0 -1", "2,1: 0 1", "2: -128 -128",
     "2: -128 127", NULL},
    {"int8 mul wraps", CLND_INT8, MUL, ERR, false, "2: 16 -128", "2,1: 0 1", "2: 16 -1",
     "2: 0 -128", NULL},
    {"int16 wraps", CLND_INT16, ADD, ERR, false, "2: 32767 -32768", "2,1: 0 1", "2: 1 -1",
     "2: -32768 32767", NULL},
    {"uint16 mul wraps", CLND_UINT16, MUL, ERR, false, "1: 65535", "1,1: 0", "1: 65535",
     "1: 1", NULL},
    {"int32 wraps", I32, ADD, ERR, false, "2: 2147483647 -2147483648", "2,1: 0 1", "2: 1 -1",
     "2: -2147483648 2147483647", NULL},
    {"uint32 wraps below 0", CLND_UINT32, SUB, ERR, false, "1: 0", "1,1: 0", "1: 1",
     "1: 4294967295", NULL},
    {"int64 wraps", CLND_INT64, ADD, ERR, false, "1: 9223372036854775807", "1,1: 0", "1: 1",
     "1: -9223372036854775808", NULL},
    {"uint64 mul wraps", CLND_UINT64, MUL, ERR, false, "1: 18446744073709551615", "1,1: 0",
     "1: 18446744073709551615", "1: 1", NULL},
    {"int8 min is signed", CLND_INT8, MIN, ERR, false, "2: 1 -1", "2,1: 0 1", "2: -1 1",
     "2: -1 -1", NULL},
    {"uint8 min is unsigned", CLND_UINT8, MIN, ERR, false, "2: 1 255", "2,1: 0 1", "2: 255 1",
     "2: 1 1", NULL},
    {"int64 max is signed", CLND_INT64, MAX, ERR, false, "1: -9223372036854775808", "1,1: 0",
     "1: -5", "1: -5", NULL},
    {"uint64 max is unsigned", CLND_UINT64, MAX, ERR, false, "1: 5", "1,1: 0",
     "1: 18446744073709551615",
     "1: 18446744073709551615", NULL},
    {"uint32 max is unsigned", CLND_UINT32, MAX, ERR, false, "1: 5", "1,1: 0", "1: 4294967295",
     "1: 4294967295", NULL},
    {"int16 max is signed", CLND_INT16, MAX, ERR, false, "1: -5", "1,1: 0", "1: -3", "1: -3", NULL},
};
// clang-format on

static void run_example(const device *d, const example *e, const char *words)
{
    rng *r = case_rng();
    placed indices, updates, target;
    bool into = strncmp(e->target, "zeros ", 6) != 0;
    if (into)
        text_tensor(&target, "target", r, e->dtype, e->target);
    else
        text_space(&target, "target", r, e->dtype, e->target + 6);
    text_tensor(&indices, "indices", r, CLND_INT64, e->indices);
    text_tensor(&updates, "updates", r, e->dtype, e->updates);
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    placed_upload(&target, d);
    clnd_scatter_nd_options options = {
        .reduce = e->reduce, .bounds = e->bounds, .deterministic = e->deterministic};
    clnd_status status = (into ? clnd_scatter_nd_into : clnd_scatter_nd)(
        device_with(d, words)->engine, d->queue, &indices.tensor, &updates.tensor, &target.tensor,
        &options, 0, NULL, NULL);
    if (status != CLND_INVALID_OPTION ||
        (!device_lists(words, "atomic") && !device_lists(words, "private"))) {
        check(status == (e->message ? CLND_INDEX_OUT_OF_BOUNDS : CLND_OK), "%s: %s",
              clnd_status_name(status), clnd_last_error());
        if (e->message)
            check(strncmp(clnd_last_error(), e->message, strlen(e->message)) == 0,
                  "message \"%s\", expected \"%s\"", clnd_last_error(), e->message);
        else
            text_elements(&target, e->result);
    }
    placed_check(&target, d, EQUAL_NUMBERS, NULL);
    placed_free(&indices);
    placed_free(&updates);
    placed_free(&target);
}

Test(scatter_nd, worked_examples)
{
    static const char *const strategies[] = {NULL, "must,owner", "must,atomic", "must,private"};
    const device *d = device_get();
    for (size_t i = 0; i < sizeof worked_examples / sizeof *worked_examples; i++) {
        const example *e = &worked_examples[i];
        for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
            if (strategies[s] && !case_is_taken((int)(4 * i + s)))
                continue;
            case_begin("scatter_nd worked examples", (int)i);
            case_note("%s, number %d", e->label, (int)s);
            if (device_lists(strategies[s], "private") && strstr(e->label, "rounded each time"))
                continue; // they are not: test_private.c
            run_example(d, e, strategies[s]);
        }
    }
}

// Named corners ----------------------------------------------------------------------------------

static void scatter_into(const device *d, placed *indices, placed *updates, placed *target,
                         const clnd_scatter_nd_options *options, clnd_status expected)
{
    placed_upload(indices, d);
    placed_upload(updates, d);
    placed_upload(target, d);
    check_status(clnd_scatter_nd_into(d->engine, d->queue, &indices->tensor, &updates->tensor,
                                      &target->tensor, options, 0, NULL, NULL),
                 expected);
}

// Sub-word atomics work on the words around an element: its neighbours, the guard bytes and what
// lies after the end of an odd-sized buffer must stay as they are.
Test(scatter_nd, neighbours_of_narrow_elements_are_untouched)
{
    static const clnd_dtype dtypes[] = {CLND_INT8, CLND_BOOL, CLND_FLOAT16};
    static const char *const strategies[] = {NULL, "must,owner", "must,atomic", "must,private"};
    const device *d = device_get();
    int number = 0;
    for (int t = 0; t < 3; t++) {
        for (int64_t size = 1; size <= 9; size++) {
            for (int64_t at = 0; at<size; at += size> 1 ? size - 1 : 1) {
                for (int s = 0; s < 4; s++) {
                    placed indices, updates, target;
                    case_begin("scatter_nd neighbours", number++);
                    case_note("dtype %s, element %d of %d, strategy %d", clnd_dtype_name(dtypes[t]),
                              (int)at, (int)size, s);
                    rng *r = case_rng();
                    placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){3, 1}, NULL);
                    placed_from(&updates, "updates", r, dtypes[t], 1, (int64_t[]){3}, NULL);
                    placed_from(&target, "target", r, dtypes[t], 1, &size, NULL);
                    for (int64_t i = 0; i < 3; i++)
                        values_write_index(CLND_INT32, at, indices.host.data + 4 * i);
                    // all ones everywhere: what carries or spills shows
                    memset(target.host.data, 0xff, target.bytes);
                    text_elements(&updates, ": 1 1 1");
                    if (dtypes[t] == CLND_FLOAT16)
                        memset(target.host.data + 2 * at, 0, 2);
                    clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_ADD,
                                                       .bounds = CLND_BOUNDS_ERROR};
                    placed_upload(&target, d);
                    bool odd = target.bytes % 4 != 0;
                    placed_upload(&indices, d);
                    placed_upload(&updates, d);
                    clnd_status status = clnd_scatter_nd_into(
                        device_with(d, strategies[s])->engine, d->queue, &indices.tensor,
                        &updates.tensor, &target.tensor, &options, 0, NULL, NULL);
                    if (status == CLND_OK) {
                        ref_scatter_options how = {CLND_REDUCE_ADD, CLND_BOUNDS_ERROR, false, NULL};
                        ref_scatter_nd_into(&indices.host, &updates.host, &target.host, &how);
                    } else {
                        check(s == 2 && odd && status == CLND_INVALID_OPTION, "%s: %s",
                              clnd_status_name(status), clnd_last_error());
                    }
                    placed_check(&target, d, EQUAL_NUMBERS, NULL);
                    placed_free(&indices);
                    placed_free(&updates);
                    placed_free(&target);
                }
            }
        }
    }
}

// Sums of 16 bits that are rounded once go by a float32 copy of the target. An element that no row
// selects keeps its bits all the same, also those of a signalling NaN.
Test(scatter_nd, elements_without_updates_keep_their_bits)
{
    enum { STEP = 17, PATTERNS = 0xffff / STEP + 1 };
    static const clnd_dtype dtypes[] = {CLND_FLOAT16, CLND_BFLOAT16};
    static uint16_t patterns[PATTERNS];
    const int32_t places[] = {0, 0}; // of one row, nothing would be rounded twice
    const device *d = device_get();
    for (int i = 0; i < PATTERNS; i++)
        patterns[i] = (uint16_t)(STEP * i);
    for (int t = 0; t < 2; t++) {
        placed indices, updates, target;
        case_begin("scatter_nd elements without updates", t);
        rng *r = case_rng();
        placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){2, 1}, places);
        placed_from(&updates, "updates", r, dtypes[t], 1, (int64_t[]){2}, NULL);
        placed_from(&target, "target", r, dtypes[t], 1, (int64_t[]){PATTERNS}, patterns);
        text_elements(&updates, ": 1 1");
        const clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_ADD, .deterministic = true};
        scatter_into(device_with(d, "must,owner"), &indices, &updates, &target, &options, CLND_OK);
        const ref_scatter_options how = {CLND_REDUCE_ADD, CLND_BOUNDS_ERROR, true, NULL};
        ref_scatter_nd_into(&indices.host, &updates.host, &target.host, &how);
        placed_check(&target, d, EQUAL_BITS, NULL);
        placed_free(&indices);
        placed_free(&updates);
        placed_free(&target);
    }
}

// More rows than the index dtype can count, all of them counted; and the last of them bad.
Test(scatter_nd, more_rows_than_the_index_dtype_counts)
{
    enum { ROWS = 70001, PLACES = 100 };
    const device *d = device_get();
    int32_t *ones = malloc(ROWS * sizeof *ones);
    int16_t *index = malloc(ROWS * sizeof *index);
    cr_assert(ones && index);
    for (int i = 0; i < ROWS; i++) {
        ones[i] = 1;
        index[i] = (int16_t)(i * 7 % PLACES);
    }
    for (int bad = 0; bad < 2; bad++) {
        for (int s = 0; s < 2; s++) {
            placed indices, updates, target;
            int32_t counts[PLACES] = {0};
            case_begin("scatter_nd many rows", 2 * bad + s);
            rng *r = case_rng();
            index[ROWS - 1] = (int16_t)(bad ? PLACES : 0);
            placed_from(&indices, "indices", r, CLND_INT16, 2, (int64_t[]){ROWS, 1}, index);
            placed_from(&updates, "updates", r, CLND_INT32, 1, (int64_t[]){ROWS}, ones);
            placed_from(&target, "target", r, CLND_INT32, 1, (int64_t[]){PLACES}, counts);
            clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_ADD,
                                               .bounds = CLND_BOUNDS_ERROR};
            scatter_into(device_with(d, s ? "must,atomic" : NULL), &indices, &updates, &target,
                         &options, bad ? CLND_INDEX_OUT_OF_BOUNDS : CLND_OK);
            if (bad)
                check_message("scatter_nd_into: indices[70000] = [100]" BAD "[100]");
            for (int i = 0; i < ROWS && !bad; i++)
                counts[index[i]]++;
            memcpy(target.host.data, counts, sizeof counts);
            placed_check(&target, d, EQUAL_BITS, NULL);
            placed_free(&indices);
            placed_free(&updates);
            placed_free(&target);
        }
    }
    free(ones);
    free(index);
}

// All rows meet in one element, on all threads at once. On a busy machine threads seldom run at the
// same time: the calls must take long enough that one is interrupted while another goes on.
Test(scatter_nd, atomic_sums_lose_nothing, .timeout = 300)
{
    enum { ROWS = 1 << 24, CALLS = 2 };
    static const clnd_dtype dtypes[] = {CLND_INT32, CLND_INT64};
    const device *d = device_get();
    for (int i = 0; i < 1 + d->facts->int64_atomics; i++) {
        placed one, place, target;
        int64_t numbers[] = {1, 0, 40}; // the low halves come first, also of int64
        int32_t narrow[] = {1, 0, 40};
        void *from = i ? (void *)numbers : narrow;
        const size_t size = ref_size(dtypes[i]);
        case_begin("scatter_nd atomic sums", i);
        placed_from(&one, "updates", case_rng(), dtypes[i], 1, (int64_t[]){1}, from);
        placed_from(&place, "indices", case_rng(), CLND_INT32, 2, (int64_t[]){1, 1}, &narrow[1]);
        placed_from(&target, "target", case_rng(), dtypes[i], 1, (int64_t[]){1},
                    (char *)from + 2 * size);
        placed_upload(&one, d);
        placed_upload(&place, d);
        placed_upload(&target, d);
        clnd_tensor updates = one.tensor, indices = place.tensor;
        updates.shape[0] = indices.shape[0] = ROWS;
        updates.strides[0] = indices.strides[0] = 0;
        const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD};
        clnd_engine *engine = device_with(d, "must,atomic")->engine;
        for (int call = 0; call < CALLS; call++)
            check_status(clnd_scatter_nd_into(engine, d->queue, &indices, &updates, &target.tensor,
                                              &add, 0, NULL, NULL),
                         CLND_OK);
        check_cl(clFinish(d->queue));
        numbers[2] += (int64_t)ROWS * CALLS;
        memcpy(target.host.data, &numbers[2], size);
        placed_check(&target, d, EQUAL_BITS, NULL);
        placed_free(&one);
        placed_free(&place);
        placed_free(&target);
    }
}

// Each owner has some bytes of the target: what two of them had would be added twice. Tuples of
// four values are read by the kernels that take any number of them. The longest target has several
// owners on CPUs too: few locations would have one.
Test(scatter_nd, owners_have_no_byte_in_common)
{
    enum { ROWS = 20000, LONGEST = 4 };
    static const int64_t extents[] = {2, 3, 7, 64, 4001};
    static int32_t tuples[ROWS][LONGEST];
    static unsigned char sums[4001];
    const device *d = device_get();
    for (int i = 0; i < 10; i++) {
        const int64_t extent = extents[i / 2], k = i % 2 ? LONGEST : 1;
        const int64_t shape[] = {i % 2 ? 1 : extent, 1, 1, extent};
        placed one, places, target;
        case_begin("scatter_nd owners", i);
        memset(sums, 0, sizeof sums);
        for (int row = 0; row < ROWS; row++)
            tuples[row][LONGEST - 1] = (int32_t)(rng_u64(case_rng()) % (uint64_t)extent);
        placed_from(&one, "updates", case_rng(), CLND_UINT8, 1, (int64_t[]){1}, "\1");
        placed_from(&places, "indices", case_rng(), CLND_INT32, 2, (int64_t[]){ROWS, LONGEST},
                    tuples);
        placed_from(&target, "target", case_rng(), CLND_UINT8, (int)k, shape, sums);
        placed_upload(&one, d);
        placed_upload(&places, d);
        placed_upload(&target, d);
        clnd_tensor updates = one.tensor, indices = places.tensor;
        updates.shape[0] = ROWS;
        updates.strides[0] = 0;
        indices.shape[1] = k;
        indices.offset += (size_t)(LONGEST - k) * sizeof(int32_t);
        const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD};
        check_status(clnd_scatter_nd_into(device_with(d, "must,owner")->engine, d->queue, &indices,
                                          &updates, &target.tensor, &add, 0, NULL, NULL),
                     CLND_OK);
        check_cl(clFinish(d->queue));
        for (int row = 0; row < ROWS; row++)
            ++((unsigned char *)target.host.data)[tuples[row][LONGEST - 1]];
        placed_check(&target, d, EQUAL_BITS, NULL);
        placed_free(&one);
        placed_free(&places);
        placed_free(&target);
    }
}

Test(scatter_nd, extreme_index_values)
{
    static const int64_t index[] = {INT64_MIN, 2, INT64_MAX, INT64_MIN + 1, 1, -1};
    static const struct {
        clnd_bounds bounds;
        const char *result; // or NULL: row 0 is bad
    } rows[] = {{SKIP, ": 0 16 2 0"}, {CLAMP, ": 41 16 2 4"}, {WRAP, NULL}, {ERR, NULL}};
    const device *d = device_get();
    for (int i = 0; i < 4; i++) {
        placed indices, updates, target;
        case_begin("scatter_nd extreme indices", i);
        rng *r = case_rng();
        placed_from(&indices, "indices", r, CLND_INT64, 2, (int64_t[]){6, 1}, index);
        text_tensor(&updates, "updates", r, CLND_INT32, "6: 1 2 4 8 16 32");
        text_tensor(&target, "target", r, CLND_INT32, "4: 0 0 0 0");
        clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_ADD, .bounds = rows[i].bounds};
        scatter_into(d, &indices, &updates, &target, &options,
                     rows[i].result ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS);
        if (rows[i].result)
            text_elements(&target, rows[i].result);
        else
            check_message("scatter_nd_into: indices[0] = [-9223372036854775808]");
        placed_check(&target, d, EQUAL_BITS, NULL);
        placed_free(&indices);
        placed_free(&updates);
        placed_free(&target);
    }
}

// UPDATE of one place by many rows: each element is one row's, whole; the default keeps the promise
// for elements that no single store holds, too.
Test(scatter_nd, update_with_many_duplicates_leaves_whole_elements)
{
    enum { ROWS = 20000 };
    static const clnd_dtype dtypes[] = {CLND_UINT8,      CLND_INT32,       CLND_COMPLEX64,
                                        CLND_COMPLEX128, CLND_OPAQUE(100), CLND_OPAQUE(7)};
    const device *d = device_get();
    for (int t = 0; t < 6; t++) {
        placed indices, updates, target;
        size_t size = ref_size(dtypes[t]);
        case_begin("scatter_nd update duplicates", t);
        rng *r = case_rng();
        placed_from(&indices, "indices", r, CLND_UINT8, 2, (int64_t[]){ROWS, 1}, NULL);
        placed_from(&updates, "updates", r, dtypes[t], 2, (int64_t[]){ROWS, 3}, NULL);
        placed_from(&target, "target", r, dtypes[t], 2, (int64_t[]){2, 3}, NULL);
        for (size_t i = 0; i < ROWS; i++) {
            indices.host.data[i] &= 1;
            for (size_t e = 0; e < 3; e++) // an element's bytes are all the same
                memset(updates.host.data + (3 * i + e) * size, (int)(i % 251), size);
        }
        clnd_scatter_nd_options options = {.bounds = CLND_BOUNDS_ERROR};
        scatter_into(d, &indices, &updates, &target, &options, CLND_OK);
        unsigned char *after = placed_read(&target, d);
        for (size_t e = 0; e < 6; e++)
            for (size_t i = 1; i < size; i++)
                check(after[e * size + i] == after[e * size], "dtype %llx: a torn element",
                      (unsigned long long)dtypes[t]);
        free(after);
        placed_free(&indices);
        placed_free(&updates);
        placed_free(&target);
    }
}

// The last row wins also where the rows of one place lie on both sides of a border between
// work-items: runs of rows for one place begin in the middle of what a work-item could take.
Test(scatter_nd, deterministic_update_takes_the_last_row)
{
    enum { ROWS = 1 << 17, RUN = 1 << 10, PLACES = ROWS / RUN + 1 };
    const device *d = device_get();
    int32_t *numbers = malloc(ROWS * sizeof *numbers);
    cr_assert(numbers);
    for (int round = 0; round < 5; round++) {
        placed indices, updates, target;
        case_begin("scatter_nd last row", round);
        rng *r = case_rng();
        int half = RUN / 2 + 37 * round;
        for (int i = 0; i < ROWS; i++)
            numbers[i] = (i + half) / RUN;
        placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){ROWS, 1}, numbers);
        for (int i = 0; i < ROWS; i++)
            numbers[i] = i;
        placed_from(&updates, "updates", r, CLND_INT32, 1, (int64_t[]){ROWS}, numbers);
        placed_from(&target, "target", r, CLND_INT32, 1, (int64_t[]){PLACES}, NULL);
        clnd_scatter_nd_options options = {.bounds = CLND_BOUNDS_SKIP, .deterministic = true};
        scatter_into(d, &indices, &updates, &target, &options, CLND_OK);
        for (int i = 0; i < ROWS; i++)
            memcpy(target.host.data + (size_t)((i + half) / RUN) * 4, &i, sizeof i);
        placed_check(&target, d, EQUAL_BITS, NULL);
        placed_free(&indices);
        placed_free(&updates);
        placed_free(&target);
    }
    free(numbers);
}

// Indices and updates may share memory: scatter the indices themselves.
Test(scatter_nd, indices_and_updates_may_overlap)
{
    const device *d = device_get();
    placed updates, target;
    clnd_tensor indices;
    case_begin("scatter_nd overlapping inputs", 0);
    text_tensor(&updates, "updates", case_rng(), CLND_INT32, "3: 2 0 2");
    text_tensor(&target, "target", case_rng(), CLND_INT32, "3: 5 5 5");
    placed_upload(&updates, d);
    placed_upload(&target, d);
    check_status(
        clnd_tensor_dense(updates.tensor.buffer, 0, CLND_INT32, 2, (int64_t[]){3, 1}, &indices),
        CLND_OK);
    clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_ADD};
    check_status(clnd_scatter_nd_into(d->engine, d->queue, &indices, &updates.tensor,
                                      &target.tensor, &options, 0, NULL, NULL),
                 CLND_OK);
    text_elements(&target, ": 5 5 9");
    placed_check(&target, d, EQUAL_BITS, NULL);
    placed_free(&updates);
    placed_free(&target);
}
