// SPDX-License-Identifier: Apache-2.0
//
// What tensors hold: a short list of elements, over and over.

#ifndef CLND_BENCH_CONTENTS_H
#define CLND_BENCH_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clnd/dtype.h"
#include "team.h"

enum contents_kind {
    CONTENTS_ZERO,
    CONTENTS_MOVED,  // i mod 1021, of 8-bit types i mod 251
    CONTENTS_SUMMED, // (i mod 1021 - 510) / 1024; of integers 1
    CONTENTS_SIGNS,  // 1 and -1 in turn: products are exact
};

struct contents {
    size_t size; // of an element
    int64_t period;
    unsigned char *elements; // two periods, one behind the other
};

// False after fail(); free with contents_free in any case.
bool contents_create(enum contents_kind kind, clnd_dtype dtype, struct contents *contents);
void contents_free(struct contents *contents);

// Element number `i` of a tensor.
static inline const unsigned char *contents_at(const struct contents *contents, int64_t i)
{
    return contents->elements + (size_t)(i % contents->period) * contents->size;
}

// Fills memory with elements 0 to count - 1.
void contents_fill(const struct contents *contents, struct team *team, void *memory, int64_t count);

// Whether `memory` holds elements first to first + count - 1, byte by byte.
bool contents_equal(const struct contents *contents, const void *memory, int64_t first,
                    int64_t count);

#endif
