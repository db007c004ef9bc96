// SPDX-License-Identifier: Apache-2.0

#include "verify.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "ref.h"
#include "verify_scatter.h"

enum { GRAIN = 256 };

bool verifier_create(struct verifier *verifier, const struct run *run)
{
    const int64_t n = run->layout.rows;
    *verifier = (struct verifier){.run = run};
    if (!op_is_scatter(run->what->op))
        return true;
    verifier->items = malloc((size_t)n * sizeof *verifier->items);
    if (verifier->items)
        for (int64_t i = 0; i < n; ++i)
            verifier->items[i] = (struct sort_item){run->row[i], (uint64_t)i};
    if (!verifier->items || !sort_items(verifier->items, n))
        return fail_memory("the check of a scatter", (double)n * 2 * sizeof *verifier->items);
    for (int64_t i = 0, first = 0; i < n; ++i) {
        if (verifier->items[i].key != verifier->items[first].key)
            first = i;
        verifier->distinct_rows += first == i;
    }
    return true;
}

void verifier_free(struct verifier *verifier)
{
    free(verifier->items);
    verifier->items = NULL;
}

// One check, as the threads see it.
struct check {
    const struct verifier *verifier;
    const unsigned char *result;
    enum verify_mode mode;
    const ref_slice *slice;
    _Atomic int64_t bad; // the lowest row that is wrong, or as many as there are
};

static void note(struct check *check, int64_t row)
{
    int64_t known = atomic_load(&check->bad);
    while (row < known && !atomic_compare_exchange_weak(&check->bad, &known, row)) {
    }
}

static void check_gather(void *context, int64_t begin, int64_t end)
{
    struct check *check = context;
    const struct run *run = check->verifier->run;
    const int64_t width = run->layout.width;
    const size_t bytes = (size_t)width * run->layout.element;
    for (int64_t i = begin; i < end; ++i)
        if (!contents_equal(&run->data_contents, check->result + (size_t)i * bytes,
                            run->row[i] * width, width)) {
            note(check, i);
            return;
        }
}

static void check_scatter(void *context, int64_t begin, int64_t end)
{
    struct check *check = context;
    const int64_t bad = verify_scatter(check->verifier, check->result, check->mode, begin, end);
    if (bad < end)
        note(check, bad);
}

// Rows along the last axis of the result.
static void check_slice(void *context, int64_t begin, int64_t end)
{
    struct check *check = context;
    const ref_slice *slice = check->slice;
    const struct run *run = check->verifier->run;
    const struct contents *contents = &run->data_contents;
    const int last = slice->rank - 1;
    const int64_t length = slice->rank ? slice->shape[last] : 1;
    const int axis = slice->rank ? slice->dimension[last] : -1; // of the input; -1: none
    const int64_t *strides = run->operands.data.strides;
    for (int64_t row = begin; row < end; ++row) {
        int64_t position[CLND_MAX_RANK] = {0}, input[CLND_MAX_RANK], base = 0;
        for (int64_t d = last - 1, rest = row; d >= 0; --d) {
            position[d] = rest % slice->shape[d];
            rest /= slice->shape[d];
        }
        ref_slice_position(slice, position, input);
        for (int k = 0; k < slice->input_rank; ++k)
            base += k == axis ? 0 : input[k] * strides[k];
        const unsigned char *at = check->result + (size_t)(row * length) * run->layout.element;
        for (int64_t j = 0; j < length; ++j, at += run->layout.element) {
            const int64_t place = base + (axis < 0 ? 0 : slice->positions[axis][j] * strides[axis]);
            if (memcmp(at, contents_at(contents, place), run->layout.element) != 0) {
                note(check, row);
                return;
            }
        }
    }
}

static bool verify_slice(struct check *check)
{
    const struct run *run = check->verifier->run;
    ref_slice slice;
    if (ref_slice_take(run->what->data.rank, run->what->data.sizes, &run->operands.slice, &slice))
        return fail("the reference cannot take the slice %s", run->what->slice);
    const int64_t rows = slice.rank ? run->layout.dense_count / slice.shape[slice.rank - 1] : 1;
    check->slice = &slice;
    atomic_store(&check->bad, rows);
    team_for(run->device->team, rows, GRAIN, check_slice, check);
    ref_slice_free(&slice);
    return check->bad == rows ||
           fail("wrong result: row %lld of the output along its last axis", (long long)check->bad);
}

bool verify(const struct verifier *verifier, const void *result, enum verify_mode mode)
{
    const struct run *run = verifier->run;
    const bool scatter = op_is_scatter(run->what->op);
    struct check check = {verifier, result, mode, NULL, 0};
    if (run->what->op == OP_SLICE)
        return verify_slice(&check);
    const int64_t rows = scatter ? run->layout.data_rows : run->layout.rows;
    atomic_store(&check.bad, rows);
    team_for(run->device->team, rows, GRAIN, scatter ? check_scatter : check_gather, &check);
    if (check.bad == rows)
        return true;
    return fail("wrong result: row %lld of %lld of the %s, elements %lld to %lld",
                (long long)check.bad, (long long)rows, scatter ? "target" : "output",
                (long long)(check.bad * run->layout.width),
                (long long)((check.bad + 1) * run->layout.width - 1));
}
