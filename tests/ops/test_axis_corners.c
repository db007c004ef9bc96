// SPDX-License-Identifier: Apache-2.0
//
// gather, gather_elements and scatter_elements: index dtypes at their limits, more values than the
// index dtype can count, and which operands may share memory.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"

// A line of `size` int32 that counts, and `count` indices of it. What the three ops do with them is
// `expected` (-1: nothing, which is zero for the gathers), or `bad` is the first bad one.
typedef struct line {
    const device *d;
    int64_t size, count;
    clnd_dtype index_dtype;
    const int64_t *index;
    clnd_bounds bounds;
    const int64_t *expected;
    int64_t bad;
} line;

static void make_line(placed *p, const char *name, int64_t size, int32_t step)
{
    placed_from(p, name, case_rng(), CLND_INT32, 1, &size, NULL);
    for (int64_t i = 0; i < size; i++)
        memcpy(ref_at(&p->host, &i), &(int32_t){(int32_t)i * step}, sizeof(int32_t));
}

static void check_gathers(const line *l, placed *params, placed *indices, bool elements)
{
    placed out;
    clnd_gather_options gather = {.bounds = l->bounds};
    clnd_gather_elements_options pick = {.bounds = l->bounds};
    make_line(&out, "out", l->count, -1);
    placed_upload(&out, l->d);
    clnd_status status =
        elements ? clnd_gather_elements(l->d->engine, NULL, &params->tensor, &indices->tensor,
                                        &out.tensor, &pick, 0, NULL, NULL)
                 : clnd_gather(l->d->engine, NULL, &params->tensor, &indices->tensor, &out.tensor,
                               &gather, 0, NULL, NULL);
    check_status(status, l->bad < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS);
    if (l->bad >= 0)
        cases_check_bad_value(indices, l->bad, elements ? "gather_elements" : "gather", l->size,
                              l->bounds);
    for (int64_t i = 0; i < l->count && l->bad < 0; i++) {
        int32_t value = l->expected[i] < 0 ? 0 : (int32_t)l->expected[i];
        memcpy(ref_at(&out.host, &i), &value, sizeof value);
    }
    placed_check(&out, l->d, l->bad < 0 ? EQUAL_BITS : EQUAL_AROUND, NULL);
    placed_free(&out);
}

// Adds 1 at each index to the line.
static void check_scatter(const line *l, placed *target, placed *indices)
{
    placed ones;
    clnd_scatter_elements_options options = {.reduce = CLND_REDUCE_ADD, .bounds = l->bounds};
    make_line(&ones, "updates", 1, 1);
    memcpy(ones.host.data, &(int32_t){1}, sizeof(int32_t));
    ones.tensor.shape[0] = l->count; // one element, repeated
    ones.tensor.strides[0] = 0;
    placed_upload(&ones, l->d);
    check_status(clnd_scatter_elements(l->d->engine, NULL, &indices->tensor, &ones.tensor,
                                       &target->tensor, &options, 0, NULL, NULL),
                 l->bad < 0 ? CLND_OK : CLND_INDEX_OUT_OF_BOUNDS);
    if (l->bad >= 0)
        cases_check_bad_value(indices, l->bad, "scatter_elements", l->size, l->bounds);
    for (int64_t i = 0; i < l->count && l->bad < 0; i++) {
        int32_t value;
        if (l->expected[i] < 0)
            continue;
        memcpy(&value, ref_at(&target->host, &l->expected[i]), sizeof value);
        value++;
        memcpy(ref_at(&target->host, &l->expected[i]), &value, sizeof value);
    }
    placed_check(target, l->d, EQUAL_BITS, NULL);
    placed_free(&ones);
}

static void check_line(const line *l)
{
    placed data, indices;
    make_line(&data, "data", l->size, 1);
    placed_from(&indices, "indices", case_rng(), l->index_dtype, 1, &l->count, NULL);
    for (int64_t i = 0; i < l->count; i++)
        values_write_index(l->index_dtype, l->index[i], ref_at(&indices.host, &i));
    placed_upload(&data, l->d);
    placed_upload(&indices, l->d);
    check_gathers(l, &data, &indices, false);
    check_gathers(l, &data, &indices, true);
    check_scatter(l, &data, &indices);
    placed_free(&data);
    placed_free(&indices);
}

Test(axis_corners, extreme_and_narrow_index_values)
{
    static const struct {
        int64_t size, count;
        clnd_dtype index_dtype;
        clnd_bounds bounds;
        int64_t index[4], expected[4], bad;
    } rows[] = {
        {5, 4, CLND_INT64, CLND_BOUNDS_ZERO, {INT64_MIN, 2, INT64_MAX, -1}, {-1, 2, -1, -1}, -1},
        {5, 4, CLND_INT64, CLND_BOUNDS_CLAMP, {INT64_MIN, 2, INT64_MAX, -1}, {0, 2, 4, 0}, -1},
        {5, 4, CLND_INT64, CLND_BOUNDS_ERROR, {1, INT64_MIN, INT64_MAX, -1}, {0}, 1},
        {5, 4, CLND_INT64, CLND_BOUNDS_WRAP, {1, -5, INT64_MIN, INT64_MAX}, {0}, 2},
        {5, 4, CLND_INT64, CLND_BOUNDS_WRAP, {-1, -5, 4, 0}, {4, 0, 4, 0}, -1},
        {300, 3, CLND_UINT8, CLND_BOUNDS_ERROR, {255, 200, 128}, {255, 200, 128}, -1},
        {300, 3, CLND_INT8, CLND_BOUNDS_WRAP, {127, -1, -128}, {127, 299, 172}, -1},
        {300, 3, CLND_INT8, CLND_BOUNDS_ZERO, {127, -1, -128}, {127, -1, -1}, -1},
        {70000, 3, CLND_UINT16, CLND_BOUNDS_WRAP, {65535, 40000, 0}, {65535, 40000, 0}, -1},
        {3, 2, CLND_UINT32, CLND_BOUNDS_CLAMP, {4294967295, 1}, {2, 1}, -1},
        {3, 2, CLND_UINT32, CLND_BOUNDS_WRAP, {1, 4294967295}, {0}, 1},
    };
    const device *d = device_get();
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        case_begin("axis corners", i);
        check_line(&(line){d, rows[i].size, rows[i].count, rows[i].index_dtype, rows[i].index,
                           rows[i].bounds, rows[i].expected, rows[i].bad});
    }
}

// More values than int8 and int16 can count; the last of them bad, or one in the middle.
Test(axis_corners, more_values_than_the_index_dtype_counts)
{
    enum { COUNT = 70001 };
    const device *d = device_get();
    int64_t *index = malloc(COUNT * sizeof *index);
    cr_assert(index);
    for (int i = 0; i < COUNT; i++)
        index[i] = i * 7 % 100;
    line l = {d, 100, COUNT, CLND_INT8, index, CLND_BOUNDS_ERROR, index, -1};
    case_begin("axis corners, many", 0);
    check_line(&l);
    l.index_dtype = CLND_INT16;
    check_line(&l);
    l.bad = COUNT - 1;
    index[COUNT - 1] = 100;
    check_line(&l);
    index[40000] = -2;
    l.bad = 40000;
    check_line(&l);
    free(index);
}

// One buffer: data at 0, indices behind it, or shared with an input.
Test(axis_corners, inputs_may_overlap_and_outputs_may_not)
{
    const device *d = device_get();
    for (size_t at = 0; at <= 6; at++) {
        placed all;
        case_begin("axis corners, overlap", (int)at);
        make_line(&all, "all", 8, 1);
        memset(all.host.data, 0, 2 * sizeof(int32_t)); // the indices
        placed_upload(&all, d);
        clnd_tensor first = all.tensor, indices = all.tensor, last = all.tensor;
        first.shape[0] = 4; // shares memory with the indices
        indices.shape[0] = last.shape[0] = 2;
        last.offset = 4 * at;
        clnd_gather_elements_options pick = {.bounds = CLND_BOUNDS_ERROR};
        clnd_scatter_elements_options put = {.bounds = CLND_BOUNDS_ERROR};
        check_status(
            clnd_gather_elements(d->engine, NULL, &first, &indices, &last, &pick, 0, NULL, NULL),
            at < 4 ? CLND_OVERLAP : CLND_OK);
        if (at >= 4)
            memset(all.host.data + last.offset, 0, 8);
        placed_check(&all, d, EQUAL_BITS, NULL);
        // into [0, 4) from `last`: the target holds the indices
        check_status(
            clnd_scatter_elements(d->engine, NULL, &indices, &last, &first, &put, 0, NULL, NULL),
            CLND_OVERLAP);
        // into [4, 8): only updates inside it are in the way; indices as updates are not
        first.offset = 16;
        bool apart = at <= 2;
        check_status(
            clnd_scatter_elements(d->engine, NULL, &indices, &last, &first, &put, 0, NULL, NULL),
            apart ? CLND_OK : CLND_OVERLAP);
        if (apart) { // UPDATE of element 4 by either of the two
            unsigned char *after = placed_read(&all, d);
            const unsigned char *updates = all.host.data + last.offset;
            check(!memcmp(after + 16, updates, 4) || !memcmp(after + 16, updates + 4, 4),
                  "element 4 is neither update");
            memcpy(all.host.data + 16, after + 16, 4);
            free(after);
        }
        placed_check(&all, d, EQUAL_BITS, NULL);
        placed_free(&all);
    }
}
