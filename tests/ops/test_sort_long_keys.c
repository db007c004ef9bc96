// SPDX-License-Identifier: Apache-2.0
//
// The sort with keys of 64 bits, which a call takes for more than 2^32 locations: the order of a
// chunk against a plain stable sort, and what is made of it against the reference.

#include "host/exec/strategies/sort.c"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "placed.h"
#include "plans.h"
#include "ref.h"

enum { ROWS = 5000 };

static cl_mem new_buffer(const device *d, size_t size)
{
    cl_int code;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE, size, NULL, &code);
    check_cl(code);
    const unsigned char pattern = 0xa5; // so that nothing is zero by chance
    check_cl(clEnqueueFillBuffer(d->queue, buffer, &pattern, 1, 0, size, 0, NULL, NULL));
    return buffer;
}

typedef struct keyed_row {
    uint64_t key;
    uint32_t row;
} keyed_row;

static int compare(const void *left, const void *right)
{
    const keyed_row *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

// Sorts the first chunk, or scatters all.
static void run(const device *d, planned *p, cl_mem workspace, bool scatter)
{
    clnd__call call;
    p->plan.workspace.buffer = workspace;
    check_status(clnd__call_begin(&call, d->engine, d->queue, 0, NULL), CLND_OK);
    check_status(prepare(&call, &p->plan), CLND_OK);
    const clnd_status status = scatter ? enqueue(&call, &p->plan, p->plan.target)
                                       : sort_chunk(&call, &p->plan, own(&p->plan), 0);
    check_status(clnd__call_end(&call, status, NULL), CLND_OK);
    check_cl(clFinish(d->queue));
}

static void read_at(const device *d, cl_mem buffer, int64_t at, size_t size, void *to)
{
    check_cl(clEnqueueReadBuffer(d->queue, buffer, CL_TRUE, (size_t)at, size, to, 0, NULL, NULL));
}

// Rows of `columns` elements; locations are `stride` bytes apart.
static planned rows_of(const device *d, clnd_reduce reduce, int64_t rows, int64_t columns,
                       int64_t extent, int64_t stride)
{
    planned p = planned_rows(d->facts, CLND_FLOAT32, reduce, rows, columns, 1);
    p.words = "must,sort";
    p.problem.index_dtype = CLND_INT64;
    p.problem.outer[0].index = 8;
    p.problem.coordinates[0] = (clnd__coordinate){extent, stride};
    return p;
}

static void check_order(const device *d, int64_t extent, int64_t stride, int64_t rows)
{
    rng *r = case_rng();
    static int64_t indices[ROWS];
    static keyed_row expected[ROWS];
    static uint64_t keys[ROWS];
    static uint32_t numbers[ROWS];
    uint32_t kept = 0, n = 0;
    for (int64_t i = 0; i < rows; i++) {
        // a few values often, the last ones, and any
        indices[i] = rng_chance(r, 30)   ? rng_range(r, 0, 3) * (extent / 4)
                     : rng_chance(r, 10) ? extent - rng_range(r, 0, 3)
                                         : rng_range(r, 0, extent - 1);
        if (indices[i] < extent)
            expected[kept++] = (keyed_row){(uint64_t)indices[i], (uint32_t)i};
    }
    qsort(expected, kept, sizeof *expected, compare);

    planned p = rows_of(d, CLND_REDUCE_ADD, rows, 1, extent, stride);
    const sort_keys found = keys_of(&p.problem);
    check(found.origin == 0 && found.step == stride && found.count == (uint64_t)extent, "keys");
    const sort_layout *layout = &own(&p.plan)->layout;
    planned_expect(&p, "sort");
    check(layout->chunks == 1 && layout->key_bytes == 8, "layout");
    cl_mem workspace = new_buffer(d, layout->bytes);
    p.plan.indices = new_buffer(d, sizeof indices);
    check_cl(clEnqueueWriteBuffer(d->queue, p.plan.indices, CL_TRUE, 0, sizeof indices, indices, 0,
                                  NULL, NULL));
    run(d, &p, workspace, false);
    const int sorted = layout->passes % 2;
    read_at(d, workspace, layout->kept, sizeof n, &n);
    check(n == kept, "%u rows are kept, not %u", n, kept);
    if (n > 0) {
        read_at(d, workspace, layout->keys[sorted], n * sizeof *keys, keys);
        read_at(d, workspace, layout->rows[sorted], n * sizeof *numbers, numbers);
    }
    for (uint32_t i = 0; i < n; i++)
        check(keys[i] == expected[i].key && numbers[i] == expected[i].row,
              "position %u has row %u with key %llu, not row %u with key %llu", i, numbers[i],
              (unsigned long long)keys[i], expected[i].row, (unsigned long long)expected[i].key);
    check_cl(clReleaseMemObject(p.plan.indices));
    check_cl(clReleaseMemObject(workspace));
}

static void need_sort(const device *d)
{
    if (!device_sorts(d))
        cr_skip_test("the device's work-groups are too small for SORT");
}

Test(sort_long_keys, order)
{
    static const int64_t strides[] = {1, 4, 12, 68, 1023};
    const device *d = device_get();
    need_sort(d);
    for (int i = 0; i < case_count(20); i++) {
        case_begin("sort_long_keys order", i);
        rng *r = case_rng();
        const int64_t extent = (INT64_C(1) << rng_range(r, 33, 48)) + rng_range(r, -2, 2);
        check_order(d, extent, strides[i % 5], i % 4 ? rng_range(r, 1, ROWS) : ROWS);
    }
}

static void check_result(const device *d, clnd_reduce reduce, int64_t extent, int64_t columns)
{
    rng *r = case_rng();
    placed indices, updates, target;
    values v = {.kind = VALUES_ANY, .subnormals = d->subnormals};
    placed_from(&indices, "indices", r, CLND_INT64, 2, (int64_t[]){ROWS, 1}, NULL);
    placed_from(&updates, "updates", r, CLND_FLOAT32, 2, (int64_t[]){ROWS, columns}, NULL);
    placed_from(&target, "target", r, CLND_FLOAT32, 2, (int64_t[]){extent, columns}, NULL);
    cases_indices(r, &indices, &extent, 1, CLND_BOUNDS_SKIP, 10);
    placed_fill(&updates, r, &v);
    placed_fill(&target, r, &v);
    placed_upload(&indices, d);
    placed_upload(&updates, d);
    placed_upload(&target, d);
    // A larger target is planned for, so that its keys have 64 bits.
    planned p = rows_of(d, reduce, ROWS, columns, INT64_C(1) << 40, 4 * columns);
    sort_plan *plan = own(&p.plan);
    planned_lend(&p, 0, 40000);
    planned_expect(&p, "sort");
    check(plan->layout.chunks > 1 && plan->layout.key_bytes == 8, "layout");
    plan->select.coordinates[0].extent = extent;
    p.plan.target = target.tensor.buffer;
    p.plan.indices = indices.tensor.buffer;
    p.plan.dense = updates.tensor.buffer;
    cl_mem workspace = new_buffer(d, plan->layout.bytes);
    run(d, &p, workspace, true);
    const ref_scatter_options how = {reduce, CLND_BOUNDS_SKIP, true, NULL};
    ref_scatter_nd_into(&indices.host, &updates.host, &target.host, &how);
    placed_check(&target, d, EQUAL_NUMBERS, NULL);
    check_cl(clReleaseMemObject(workspace));
    placed_free(&indices);
    placed_free(&updates);
    placed_free(&target);
}

Test(sort_long_keys, result)
{
    const device *d = device_get();
    need_sort(d);
    for (int i = 0; i < 6; i++) {
        case_begin("sort_long_keys result", i);
        check_result(d, i % 2 ? CLND_REDUCE_ADD : CLND_REDUCE_UPDATE, i < 2 ? 3 : 800,
                     i < 4 ? 5 : 70);
    }
}
