// SPDX-License-Identifier: Apache-2.0
//
// Every way in which ATOMIC makes updates (the words exchange and packs force what a device
// would not take): rows that meet, alone and two or four elements at a time, special values, and
// many work-items on one element.

#include <criterion/criterion.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "device.h"
#include "placed.h"
#include "text.h"

#define ADD CLND_REDUCE_ADD
#define SUB CLND_REDUCE_SUB
#define MUL CLND_REDUCE_MUL
#define MIN CLND_REDUCE_MIN
#define MAX CLND_REDUCE_MAX

typedef struct scatter {
    clnd_dtype dtype;
    clnd_reduce reduce;
    const char *words;
} scatter;

static bool is_missing(const device *d, clnd_dtype dtype)
{
    return (dtype == CLND_FLOAT64 || dtype == CLND_COMPLEX128) && !d->facts->int64_atomics;
}

// Updates and indices into the target, on the device and by the loop. Whether it took ATOMIC.
static bool play(const device *d, const scatter *s, placed *indices, placed *updates,
                 placed *target)
{
    const clnd_scatter_nd_options options = {.reduce = s->reduce, .bounds = CLND_BOUNDS_SKIP};
    const ref_scatter_options loop = {s->reduce, CLND_BOUNDS_SKIP, false, NULL};
    d = device_with(d, s->words);
    placed_upload(indices, d);
    placed_upload(updates, d);
    placed_upload(target, d);
    clnd_plan plan;
    check_status(clnd_scatter_nd_into_plan(d->engine, &indices->tensor, &updates->tensor,
                                           &target->tensor, &options, &plan),
                 CLND_OK);
    check_status(clnd_scatter_nd_into(d->engine, d->queue, &indices->tensor, &updates->tensor,
                                      &target->tensor, &options, 0, NULL, NULL),
                 CLND_OK);
    ref_scatter_nd_into(&indices->host, &updates->host, &target->host, &loop);
    placed_check(target, d, EQUAL_NUMBERS, NULL);
    return plan_takes(&plan, "atomic");
}

static void free_all(placed *indices, placed *updates, placed *target)
{
    placed_free(indices);
    placed_free(updates);
    placed_free(target);
}

static values values_for(const device *d, const scatter *s, int64_t rows)
{
    const bool is_sum = s->reduce == ADD || s->reduce == SUB;
    const int64_t exact = s->dtype == CLND_BFLOAT16 ? 256 : 2048;
    if (is_sum)
        return (values){.kind = VALUES_SUM, .limit = exact / (rows + 1)};
    return (values){.kind = s->reduce == MUL ? VALUES_PRODUCT : VALUES_ANY,
                    .subnormals = d->subnormals};
}

// 30 rows that meet in 5 places, of 1 to 9 elements.
static void play_rows(const device *d, const scatter *s, int number)
{
    enum { ROWS = 30, PLACES = 5, WIDTHS = 9, TURNS = 3 };
    int played = 0, taken = 0;
    for (int turn = 0; turn < TURNS * WIDTHS; ++turn) {
        placed indices, updates, target;
        const int64_t width = 1 + turn % WIDTHS;
        // Each width has kernels of its own: each way has every third one.
        if (device_lists(s->words, "rows") && width > 1 && (width + number) % 3 &&
            !case_is_taken(100 * number + turn))
            continue;
        case_begin("ways", 100 * number + turn);
        case_note("%s, reduce %d, %s, width %d", clnd_dtype_name(s->dtype), (int)s->reduce,
                  s->words, (int)width);
        rng *r = case_rng();
        const values v = values_for(d, s, ROWS);
        int32_t places[ROWS];
        for (int i = 0; i < ROWS; ++i)
            places[i] = (int32_t)rng_range(r, 0, PLACES); // the last one is outside
        const unsigned layout = PLACED_ALIGNED | (turn >= 2 * WIDTHS ? PLACED_STRIDED : 0);
        placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){ROWS, 1}, places);
        placed_make(&updates, "updates", r, s->dtype, 2, (int64_t[]){ROWS, width}, layout);
        if (turn >= WIDTHS)
            placed_make(&target, "target", r, s->dtype, 2, (int64_t[]){PLACES, width}, layout);
        else
            placed_from(&target, "target", r, s->dtype, 2, (int64_t[]){PLACES, width}, NULL);
        placed_fill(&updates, r, &v);
        placed_fill(&target, r, &v);
        played++;
        taken += play(d, s, &indices, &updates, &target);
        free_all(&indices, &updates, &target);
    }
    check(3 * taken > played, "ATOMIC was taken %d times only", taken);
}

static const scatter of_float32[] = {
    {CLND_FLOAT32, ADD, "atomic,lanes"},
    {CLND_FLOAT32, SUB, "atomic,blocks"},
    {CLND_FLOAT32, SUB, "atomic,lanes,exchange"},
    {CLND_FLOAT32, ADD, "atomic,blocks,exchange"},
    {CLND_FLOAT32, ADD, "atomic,lanes,rows,exchange,packs"},
    {CLND_COMPLEX64, SUB, "atomic,lanes,exchange"},
    {CLND_FLOAT32, MAX, "atomic,lanes"},
    {CLND_FLOAT32, MIN, "atomic,blocks"},
    {CLND_FLOAT32, MUL, "atomic,lanes,exchange"},
    {CLND_FLOAT32, ADD, "atomic,lanes,rows"},
    {CLND_COMPLEX64, ADD, "atomic,lanes,rows,exchange"},
};
static const scatter of_16_bits[] = {
    {CLND_FLOAT16, ADD, "atomic,lanes"},
    {CLND_FLOAT16, SUB, "atomic,blocks,exchange"},
    {CLND_FLOAT16, MIN, "atomic,lanes"},
    {CLND_BFLOAT16, SUB, "atomic,lanes,exchange"},
    {CLND_BFLOAT16, MUL, "atomic,lanes"},
    {CLND_INT16, SUB, "atomic,blocks"},
    {CLND_INT16, ADD, "atomic,lanes,rows"},
    {CLND_FLOAT16, SUB, "atomic,lanes,rows"},
    {CLND_BFLOAT16, ADD, "atomic,lanes,rows,exchange"},
    {CLND_FLOAT16, ADD, "atomic,lanes,rows,exchange,packs"},
    {CLND_UINT16, MAX, "atomic,lanes"},
};
static const scatter of_64_bits[] = {
    {CLND_FLOAT64, ADD, "atomic,blocks"},
    {CLND_FLOAT64, SUB, "atomic,lanes,exchange"},
    {CLND_COMPLEX128, SUB, "atomic,lanes,exchange"},
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void play_all(const scatter *list, int count)
{
    const device *d = device_get();
    for (int i = 0; i < count; ++i)
        if (!is_missing(d, list[i].dtype))
            play_rows(d, &list[i], i);
}

Test(atomics, ways_of_float32, .timeout = 300)
{
    play_all(of_float32, COUNT(of_float32));
}

Test(atomics, ways_of_16_bits, .timeout = 300)
{
    play_all(of_16_bits, COUNT(of_16_bits));
}

Test(atomics, ways_of_64_bits, .timeout = 300)
{
    play_all(of_64_bits, COUNT(of_64_bits));
}

// Sums with one result in any order: zeros of both signs, infinities, NaN.
Test(atomics, special_sums, .timeout = 300)
{
    static const scatter sums[] = {
        {CLND_FLOAT32, ADD, "atomic,lanes"},          {CLND_FLOAT32, SUB, "atomic,lanes,exchange"},
        {CLND_FLOAT16, ADD, "atomic,lanes"},          {CLND_BFLOAT16, SUB, "atomic,lanes,exchange"},
        {CLND_FLOAT64, ADD, "atomic,lanes,exchange"},
    };
    static const char *const elements = "1,12: -0 -0 0 -0 0 nan 1 inf -inf inf 0 -0";
    static const char *const added = "2,12: -0 0 -0 0 0 1 nan 1 -inf -inf -0 -0 "
                                     "-0 -0 -0 0 -0 2 1 inf 5 1 -0 1";
    const device *d = device_get();
    for (int i = 0; i < COUNT(sums); ++i) {
        placed indices, updates, target;
        if (is_missing(d, sums[i].dtype))
            continue;
        case_begin("special sums", i);
        case_note("%s, reduce %d, %s", clnd_dtype_name(sums[i].dtype), (int)sums[i].reduce,
                  sums[i].words);
        text_tensor(&indices, "indices", case_rng(), CLND_INT32, "2,1: 0 0");
        text_tensor(&updates, "updates", case_rng(), sums[i].dtype, added);
        text_tensor(&target, "target", case_rng(), sums[i].dtype, elements);
        check(play(d, &sums[i], &indices, &updates, &target), "not ATOMIC");
        free_all(&indices, &updates, &target);
    }
}

// NaN of both signs, and with all payloads, stays, whichever comes first.
Test(atomics, special_extremes, .timeout = 300)
{
    static const uint32_t bits[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff, 0x7fffffff,
                                    0x7f800000, 0xff800000, 0x00000000, 0x80000000, 0x3f800000,
                                    0xbf800000, 0xc0000000, 0x00800000, 0x80800000, 0x7f7fffff};
    enum { N = sizeof bits / sizeof *bits, ROWS = 3 };
    static const scatter extremes[] = {{CLND_FLOAT32, MAX, "atomic,lanes"},
                                       {CLND_FLOAT32, MIN, "atomic,lanes"}};
    static const int32_t places[ROWS];
    const device *d = device_get();
    for (int i = 0; i < COUNT(extremes); ++i) {
        for (int turn = 0; turn < 4; ++turn) {
            uint32_t first[N * N], then[ROWS][N * N];
            placed indices, updates, target;
            case_begin("special extremes", 10 * i + turn);
            rng *r = case_rng();
            for (int at = 0; at < N * N; ++at) {
                first[at] = bits[at / N];
                then[0][at] = bits[at % N];
                for (int row = 1; row < ROWS; ++row)
                    then[row][at] = turn ? bits[rng_range(r, 0, N - 1)] : then[0][at];
            }
            placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){ROWS, 1}, places);
            placed_from(&updates, "updates", r, CLND_FLOAT32, 2, (int64_t[]){ROWS, N * N}, then);
            placed_from(&target, "target", r, CLND_FLOAT32, 2, (int64_t[]){1, N * N}, first);
            check(play(d, &extremes[i], &indices, &updates, &target), "not ATOMIC");
            free_all(&indices, &updates, &target);
        }
    }
}

// An element beside those that are added to, in one word with them, keeps the bits of its NaN.
Test(atomics, neighbours_keep_their_bits)
{
    static const char *const ways[] = {"atomic,lanes", "atomic,lanes,exchange"};
    const device *d = device_get();
    for (int i = 0; i < 2; ++i) {
        placed indices, updates, target;
        uint16_t halves[8] = {0x7c01, 0, 0, 0xfc01, 0x7c01, 0, 0, 0xffff};
        const uint16_t twice[2] = {0x4000, 0x4000};
        case_begin("neighbours", i);
        rng *r = case_rng();
        text_tensor(&indices, "indices", r, CLND_INT32, "3,1: 0 1 0");
        text_tensor(&updates, "updates", r, CLND_FLOAT16, "3,2: 1 1 2 2 1 1");
        placed_from(&target, "target", r, CLND_FLOAT16, 2, (int64_t[]){2, 4}, halves);
        placed_upload(&indices, d);
        placed_upload(&updates, d);
        placed_upload(&target, d);
        clnd_tensor inner = target.tensor; // columns 1 and 2, which lie in two words
        inner.offset += 2;
        inner.shape[1] = 2;
        const clnd_scatter_nd_options add = {.reduce = ADD};
        d = device_with(d, ways[i]);
        check_status(clnd_scatter_nd_into(d->engine, d->queue, &indices.tensor, &updates.tensor,
                                          &inner, &add, 0, NULL, NULL),
                     CLND_OK);
        memcpy(halves + 1, twice, sizeof twice);
        memcpy(halves + 5, twice, sizeof twice);
        memcpy(target.host.data, halves, sizeof halves);
        placed_check(&target, d, EQUAL_BITS, NULL);
        free_all(&indices, &updates, &target);
    }
}

// All rows meet in the same few elements, on all threads at once: `rows` times 1.
static void meet(const device *d, const scatter *s, int64_t rows, const char *zeros,
                 const char *ones, const char *sums)
{
    placed place, one, target;
    case_note("%s, reduce %d, %s", clnd_dtype_name(s->dtype), (int)s->reduce, s->words);
    text_tensor(&place, "indices", case_rng(), CLND_INT32, "1,1: 0");
    text_tensor(&one, "updates", case_rng(), s->dtype, ones);
    text_tensor(&target, "target", case_rng(), s->dtype, zeros);
    placed_upload(&place, d);
    placed_upload(&one, d);
    placed_upload(&target, d);
    clnd_tensor updates = one.tensor, indices = place.tensor;
    updates.shape[0] = indices.shape[0] = rows;
    updates.strides[0] = indices.strides[0] = 0;
    const clnd_scatter_nd_options options = {.reduce = s->reduce};
    d = device_with(d, s->words);
    check_status(clnd_scatter_nd_into(d->engine, d->queue, &indices, &updates, &target.tensor,
                                      &options, 0, NULL, NULL),
                 CLND_OK);
    text_elements(&target, sums);
    placed_check(&target, d, EQUAL_BITS, NULL);
    free_all(&place, &one, &target);
}

Test(atomics, lose_nothing, .timeout = 300)
{
    const device *d = device_get();
    static const scatter sums[] = {
        {CLND_FLOAT32, ADD, "atomic,lanes,exchange"}, {CLND_FLOAT32, SUB, "atomic,blocks"},
        {CLND_FLOAT64, ADD, "atomic,lanes,exchange"}, {CLND_FLOAT32, ADD, "atomic,lanes"},
        {CLND_FLOAT32, ADD, "atomic,lanes,packs"},    {CLND_FLOAT64, ADD, "atomic,blocks"},
    };
    for (int i = 0; i < COUNT(sums); ++i) {
        if (is_missing(d, sums[i].dtype))
            continue;
        case_begin("lose nothing", i);
        const bool takes = sums[i].reduce == SUB;
        meet(d, &sums[i], 1 << 17, "1,4: 40 0 -40 8", "1,4: 1 1 1 -1",
             takes ? "1,4: -131032 -131072 -131112 131080" : "1,4: 131112 131072 131032 -131064");
    }
}

// Up to where float16 and bfloat16 count.
Test(atomics, halves_lose_nothing, .timeout = 300)
{
    static const scatter sums[] = {
        {CLND_FLOAT16, ADD, "atomic,lanes"},
        {CLND_FLOAT16, ADD, "atomic,lanes,exchange"},
    };
    const device *d = device_get();
    for (int i = 0; i < COUNT(sums); ++i) {
        for (int turn = 0; turn < 20; ++turn) {
            case_begin("halves lose nothing", 100 * i + turn);
            meet(d, &sums[i], 2000, "1,4: 0 40 -8 1", "1,4: 1 1 1 -1", "1,4: 2000 2040 1992 -1999");
        }
    }
}
