// SPDX-License-Identifier: Apache-2.0
//
// Parts of the benchmark whose faults show in its times alone: the memory that it keeps, and the C
// loop over float16.

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "baseline_inline.h"
#include "clock.h"
#include "pages.h"
#include "ref.h"

enum { MIB = 1 << 20, HUGE_PAGE = 2 * MIB, HALVES = 1 << 16, LANES = 8 };

static bool is_mapped(void *memory)
{
    return msync(memory, 4096, MS_ASYNC) == 0 || errno != ENOMEM;
}

Test(pages, begin_on_huge_pages_and_can_be_written)
{
    char *memory = pages_take(3 * MIB, PAGES_HUGE);
    cr_assert(memory && (uintptr_t)memory % HUGE_PAGE == 0);
    memset(memory, 1, 4 * MIB);
    cr_assert_null(pages_take(SIZE_MAX, PAGES_HUGE));
    cr_assert_null(pages_take(SIZE_MAX - HUGE_PAGE, PAGES_HUGE));
    pages_give(NULL);
}

Test(pages, are_kept_for_the_next_that_fits)
{
    char *small = pages_take(4 * MIB, PAGES_SMALL), *large = pages_take(8 * MIB, PAGES_SMALL);
    cr_assert(small && large && small != large);
    memset(small, 7, 4 * MIB);
    pages_give(small);
    pages_give(large);
    char *again = pages_take(4 * MIB, PAGES_SMALL);
    cr_assert_eq(again, small, "the smallest that is large enough");
    cr_assert_eq(again[4 * MIB - 1], 7, "with its pages");
    char *other = pages_take(1, PAGES_SMALL);
    cr_assert(other != small && other != large, "no block of which more than half is wasted");
    cr_assert_eq(pages_take(5 * MIB, PAGES_SMALL), large);
}

Test(pages, that_are_dropped_go_back_to_the_system)
{
    char *kept = pages_take(4 * MIB, PAGES_SMALL), *used = pages_take(4 * MIB, PAGES_SMALL);
    pages_give(kept);
    pages_drop();
    cr_assert_not(is_mapped(kept));
    cr_assert(is_mapped(used));
    memset(used, 1, 4 * MIB);
}

// There is a place for 32 blocks. Kept ones make room.
Test(pages, of_many_sizes_do_not_run_out)
{
    for (size_t i = 1; i <= 100; ++i) {
        void *memory = pages_take(i * 3 * HUGE_PAGE, PAGES_SMALL);
        cr_assert(memory, "block %zu", i);
        pages_give(memory);
    }
}

static bool same(uint16_t a, uint16_t b)
{
    return a == b || (isnan(ref_widen(CLND_FLOAT16, a)) && isnan(ref_widen(CLND_FLOAT16, b)));
}

// Rows of eight take the processor's conversions where it has them, shorter ones never do.
Test(halves, give_the_same_in_rows_and_one_by_one)
{
    static const uint16_t addends[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x3c00,
                                       0x3555, 0xbc01, 0x7bff, 0xfbff, 0x7c00, 0x7e00};
    uint16_t *sums = malloc(HALVES * sizeof *sums), *added = malloc(HALVES * sizeof *added);
    cr_assert(sums && added);
    for (size_t k = 0; k < sizeof addends / sizeof *addends; ++k) {
        for (int i = 0; i < HALVES; ++i) {
            sums[i] = (uint16_t)i;
            added[i] = addends[k];
        }
        add_halves(sums, added, HALVES);
        for (int i = 0; i < HALVES; ++i) {
            uint16_t alone = (uint16_t)i;
            add_halves(&alone, &addends[k], 1);
            const float sum =
                ref_widen(CLND_FLOAT16, (uint16_t)i) + ref_widen(CLND_FLOAT16, addends[k]);
            const uint16_t expected = ref_narrow(CLND_FLOAT16, sum);
            cr_assert(same(sums[i], expected) && same(alone, expected),
                      "0x%04x + 0x%04x: 0x%04x in a row, 0x%04x alone, not 0x%04x", i, addends[k],
                      sums[i], alone, expected);
        }
    }
    free(sums);
    free(added);
}

// A virtual machine takes tens of microseconds to say what its processor can do, a row some
// nanoseconds.
Test(halves, ask_the_processor_once)
{
    enum { ROUNDS = 50, ROWS = 100 };
    uint16_t sums[LANES] = {0}, added[LANES] = {0};
    double least = INFINITY;
    for (int round = 0; round < ROUNDS; ++round) {
        const double start = clock_now();
        for (int row = 0; row < ROWS; ++row)
            add_halves(sums, added, LANES);
        least = fmin(least, clock_now() - start);
    }
    cr_assert_lt(least, ROWS * 5e-6, "%g s a row", least / ROWS);
}
