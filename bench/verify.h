// SPDX-License-Identifier: Apache-2.0
//
// Whether a result is right: plain loops over the definition of the data, apart from the library.

#ifndef CLND_BENCH_VERIFY_H
#define CLND_BENCH_VERIFY_H

#include "run.h"
#include "sort.h"

enum verify_mode {
    VERIFY_VALUE,  // bit for bit, but float sums within a bound and any of several updates
    VERIFY_SERIAL, // bit for bit what the loop over the rows gives
};

struct verifier {
    const struct run *run;
    struct sort_item *items; // of scatters: (row of data, row of dense), in that order
    int64_t distinct_rows;
};

// False after fail(). verifier_free in any case.
bool verifier_create(struct verifier *verifier, const struct run *run);
void verifier_free(struct verifier *verifier);

// Whether `result` is what the output holds after one call on what run_reset makes. False after
// fail(), which says where it is not.
bool verify(const struct verifier *verifier, const void *result, enum verify_mode mode);

#endif
