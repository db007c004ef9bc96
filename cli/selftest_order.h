// SPDX-License-Identifier: Apache-2.0
//
// Which random problems `clnd selftest` runs, and in which order: grouped by op and reduction, in
// each group by strategies in turn. Kernels cost more than problems, so problems that share theirs
// with others come first.

#ifndef CLND_CLI_SELFTEST_ORDER_H
#define CLND_CLI_SELFTEST_ORDER_H

#include "problem.h"

enum {
    SELFTEST_PROBLEMS = 20000,
    SELFTEST_WAYS = 32,                                                   // at most
    SELFTEST_GROUPS = N_OPS + 4 * (CLND_REDUCE_MAX - CLND_REDUCE_UPDATE), // four ops reduce
};

struct selftest_group {
    op_id op;
    clnd_reduce reduce; // DEFAULT: the op has none
    int way;            // whose turn it is
    int in_a_row;
    bool rest;                    // those that share their kernels are done
    uint32_t next[SELFTEST_WAYS]; // from where on to look for a problem of each
};

struct selftest_order {
    uint8_t group[SELFTEST_PROBLEMS], way[SELFTEST_PROBLEMS];
    bool shares[SELFTEST_PROBLEMS]; // its kernels with others
    struct selftest_group groups[SELFTEST_GROUPS];
};

// Sorts the problems of a seed.
void selftest_order_make(struct selftest_order *order, uint64_t seed);

// The next problem of a group; with `go_on` only one that is likely to find the kernels of the one
// before. False: it has none.
bool selftest_order_next(struct selftest_order *order, int group, bool go_on, uint64_t *number);

#endif
