// SPDX-License-Identifier: Apache-2.0
//
// Radix sort, digit by digit from the lowest, because it is stable and takes the same time for
// every order. Digits in which all keys agree cost nothing.

#include "sort.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = (64 + DIGIT_BITS - 1) / DIGIT_BITS };

static unsigned digit_of(uint64_t key, int pass)
{
    return (unsigned)(key >> pass * DIGIT_BITS) & (DIGITS - 1);
}

bool sort_items(struct sort_item *items, int64_t n)
{
    if (n < 2)
        return true;
    struct sort_item *other = malloc((size_t)n * sizeof *other);
    int64_t(*counts)[DIGITS] = calloc(PASSES, sizeof *counts);
    struct sort_item *from = items, *to = other;
    if (other && counts) {
        for (int64_t i = 0; i < n; ++i)
            for (int pass = 0; pass < PASSES; ++pass)
                ++counts[pass][digit_of(items[i].key, pass)];
        for (int pass = 0; pass < PASSES; ++pass) {
            int64_t *places = counts[pass];
            if (places[digit_of(items[0].key, pass)] == n)
                continue;
            int64_t sum = 0;
            for (int digit = 0; digit < DIGITS; ++digit) {
                const int64_t count = places[digit];
                places[digit] = sum;
                sum += count;
            }
            for (int64_t i = 0; i < n; ++i)
                to[places[digit_of(from[i].key, pass)]++] = from[i];
            struct sort_item *swap = from;
            from = to;
            to = swap;
        }
        if (from != items)
            memcpy(items, from, (size_t)n * sizeof *items);
    }
    const bool good = other && counts;
    free(other);
    free(counts);
    return good;
}
