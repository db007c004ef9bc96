// SPDX-License-Identifier: Apache-2.0

#ifndef CLND_BENCH_SORT_H
#define CLND_BENCH_SORT_H

#include <stdbool.h>
#include <stdint.h>

struct sort_item {
    uint64_t key;
    uint64_t value;
};

// Sorts by key, ascending and stably. Takes as much memory again; false without it.
bool sort_items(struct sort_item *items, int64_t n);

#endif
