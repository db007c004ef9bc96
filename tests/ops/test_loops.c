// SPDX-License-Identifier: Apache-2.0
//
// Work that takes more iterations than Mesa's llvmpipe lets a work-item make: all of it is done
// there as on any other device.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clnd/clnd.h"
#include "device.h"
#include "placed.h"
#include "ref.h"

enum { MILLION = 1000000, ROWS = 20000, PLACES = 65536 };

// The limit is known where it is: it is Mesa's LP_MAX_TGSI_LOOP_ITERATIONS, which 25.0 has no more.
Test(loops, are_probed)
{
    const clnd_device_facts *facts = device_get()->facts;
    const bool ends = strncmp(facts->name, "llvmpipe", 8) == 0 && atoi(facts->driver) < 25;
    check(ends ? facts->loop_iterations >= 1000 && facts->loop_iterations <= 65536
               : facts->loop_iterations == 0,
          "%s ends loops after %llu", facts->name, (unsigned long long)facts->loop_iterations);
}

Test(loops, gather_of_a_million_bytes)
{
    const device *d = device_get();
    placed params, indices, out;
    case_begin("loops gather", 0);
    rng *r = case_rng();
    int32_t *rows = malloc(MILLION * sizeof *rows);
    cr_assert(rows);
    for (int i = 0; i < MILLION; i++)
        rows[i] = (int32_t)(rng_u64(r) % MILLION);
    placed_from(&params, "params", r, CLND_UINT8, 1, (int64_t[]){MILLION}, NULL);
    placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){MILLION, 1}, rows);
    placed_from(&out, "out", r, CLND_UINT8, 1, (int64_t[]){MILLION}, NULL);
    placed_upload(&params, d);
    placed_upload(&indices, d);
    placed_upload(&out, d);
    check_status(clnd_gather_nd(d->engine, d->queue, &params.tensor, &indices.tensor, &out.tensor,
                                NULL, 0, NULL, NULL),
                 CLND_OK);
    check_cl(clFinish(d->queue));
    for (int i = 0; i < MILLION; i++)
        ((unsigned char *)out.host.data)[i] = ((const unsigned char *)params.host.data)[rows[i]];
    placed_check(&out, d, EQUAL_BITS, NULL);
    placed_free(&params);
    placed_free(&indices);
    placed_free(&out);
    free(rows);
}

static void sum_bytes(const char *words, bool deterministic)
{
    const device *d = device_with(device_get(), words);
    static int32_t rows[ROWS];
    placed updates, indices, target;
    rng *r = case_rng();
    for (int i = 0; i < ROWS; i++)
        rows[i] = (int32_t)(rng_u64(r) % (i % 16 ? 3 : PLACES)); // one owner has nearly all
    placed_from(&updates, "updates", r, CLND_UINT8, 1, (int64_t[]){ROWS}, NULL);
    placed_from(&indices, "indices", r, CLND_INT32, 2, (int64_t[]){ROWS, 1}, rows);
    placed_from(&target, "target", r, CLND_UINT8, 1, (int64_t[]){PLACES}, NULL);
    placed_upload(&updates, d);
    placed_upload(&indices, d);
    placed_upload(&target, d);
    const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD, .deterministic = deterministic};
    check_status(clnd_scatter_nd_into(d->engine, d->queue, &indices.tensor, &updates.tensor,
                                      &target.tensor, &add, 0, NULL, NULL),
                 CLND_OK);
    check_cl(clFinish(d->queue));
    unsigned char *sums = target.host.data;
    for (int i = 0; i < ROWS; i++)
        sums[rows[i]] = (unsigned char)(sums[rows[i]] + ((unsigned char *)updates.host.data)[i]);
    placed_check(&target, d, EQUAL_BITS, NULL);
    placed_free(&updates);
    placed_free(&indices);
    placed_free(&target);
}

Test(loops, sums_of_bytes)
{
    static const char *const words[] = {NULL, "owner", "private", "atomic", "sort", "atomic,lanes"};
    for (int i = 0; i < 2 * (int)(sizeof words / sizeof *words); i++) {
        case_begin("loops sums", i);
        sum_bytes(words[i / 2], i % 2);
    }
}
