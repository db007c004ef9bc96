// SPDX-License-Identifier: Apache-2.0
//
// What a sort plans: which keys rows have, how a workspace is laid out, and when it is chosen.

#include "host/exec/strategies/sort.c"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plans.h"
#include "problems.h"

Test(sort, every_location_has_a_key)
{
    for (int i = 0; i < case_count(2000); ++i) {
        case_begin("sort keys", i);
        rng *r = case_rng();
        clnd__problem problem;
        random_problem(r, &problem);
        for (int k = 0; k < problem.n_coordinates; ++k)
            if (problem.coordinates[k].extent == 0)
                problem.coordinates[k].extent = 1;
        clnd__problem_fold(&problem);
        case_note("%s", problem_text(&problem));
        const sort_keys keys = keys_of(&problem);
        check(keys.step > 0 && keys.count > 0, "step %" PRId64, keys.step);
        for (int n = 0; n < 20; ++n) {
            const int64_t at = random_place(r, &problem) - keys.origin;
            check(at >= 0 && at % keys.step == 0 && (uint64_t)(at / keys.step) < keys.count,
                  "byte %" PRId64 " from %" PRId64 " in steps of %" PRId64, at, keys.origin,
                  keys.step);
        }
    }
}

// The numbers of contiguous rows are contiguous, however long the rows are.
Test(sort, keys_are_dense)
{
    const clnd__problem rows = {.n_outer = 1,
                                .n_coordinates = 2,
                                .outer = {{9, 0, 48, 8}},
                                .coordinates = {{70, 4800}, {100, 48}},
                                .data_offset = 96};
    const sort_keys keys = keys_of(&rows);
    check(keys.origin == 96 && keys.step == 48 && keys.count == 7000, "rows");
    const clnd__problem one = {.n_outer = 1, .outer = {{9, 0, 48, 8}}, .data_offset = 5};
    const sort_keys only = keys_of(&one);
    check(only.origin == 5 && only.count == 1, "one location");
    const clnd__problem back = {.n_outer = 1,
                                .n_coordinates = 1,
                                .outer = {{3, -8, 4, 4}},
                                .coordinates = {{10, -24}},
                                .data_offset = 232};
    const sort_keys turned = keys_of(&back);
    check(turned.origin == 0 && turned.step == 8 && turned.count == 30, "backwards");
}

static void check_layout(int64_t rows, uint64_t keys, int64_t most_blocks, uint64_t limit,
                         const sort_layout *layout)
{
    const int64_t tile = CLND_SORT_TILE(layout->key_bytes);
    const uint64_t digits = UINT64_C(1) << layout->digit_bits;
    const uint64_t chunk = (uint64_t)layout->chunk;
    check(layout->chunk > 0 && layout->chunk <= INT64_C(1) << 31, "chunk");
    check(layout->chunks == (rows - 1) / layout->chunk + 1, "chunks %" PRId64, layout->chunks);
    check(layout->key_bytes == (keys <= UINT32_MAX ? 4 : 8), "key bytes");
    check(layout->digit_bits >= 1 && layout->digit_bits <= CLND_SORT_DIGIT_BITS, "digit bits");
    const int bits = layout->passes * layout->digit_bits;
    check(bits >= 64 || keys <= UINT64_C(1) << bits, "%d bits", bits);
    check(layout->passes == 1 || keys > UINT64_C(1) << (layout->passes - 1) * CLND_SORT_DIGIT_BITS,
          "%d passes", layout->passes);
    check(layout->block > 0 && layout->block % tile == 0, "block");
    const int64_t blocks = divide_up(layout->chunk, layout->block);
    check(blocks <= most_blocks, "%" PRId64 " blocks", blocks);
    check(layout->bytes <= limit || layout->chunk == 64, "%" PRIu64 " bytes", layout->bytes);

    const uint64_t begin = (uint64_t)layout->begin;
    const struct {
        uint64_t first, size;
    } parts[] = {{(uint64_t)layout->keys[0], chunk * (uint64_t)layout->key_bytes},
                 {(uint64_t)layout->keys[1], chunk * (uint64_t)layout->key_bytes},
                 {(uint64_t)layout->rows[1], chunk * 4},
                 {(uint64_t)layout->rows[0], layout->passes > 1 ? chunk * 4 : 0},
                 {(uint64_t)layout->counts, digits * (uint64_t)blocks * 4},
                 {(uint64_t)layout->totals, digits * 4},
                 {(uint64_t)layout->kept, 4}};
    for (int i = 0; i < 7; ++i) {
        check(parts[i].first % CLND__WORKSPACE_ALIGNMENT == 0, "part %d at %" PRIu64, i,
              parts[i].first);
        check(parts[i].first >= begin || parts[i].size == 0, "part %d lies before the workspace",
              i);
        check(parts[i].first + parts[i].size <= begin + layout->bytes, "part %d ends outside", i);
        for (int j = 0; j < i && parts[i].size; ++j)
            check(parts[i].first >= parts[j].first + parts[j].size ||
                      parts[j].first >= parts[i].first + parts[i].size,
                  "parts %d and %d overlap", j, i);
    }
}

static uint64_t any_number(rng *r, int bits)
{
    const uint64_t power = UINT64_C(1) << rng_range(r, 0, bits);
    return rng_chance(r, 40) ? power + (uint64_t)rng_range(r, 0, 2) : power + rng_u64(r) % power;
}

Test(sort, layouts)
{
    for (int i = 0; i < case_count(20000); ++i) {
        case_begin("sort layouts", i);
        rng *r = case_rng();
        const int64_t rows = (int64_t)any_number(r, 40);
        const uint64_t keys = any_number(r, 62);
        const int64_t blocks = 8 * rng_range(r, 1, rng_chance(r, 30) ? 4 : 300);
        const uint64_t limit = rng_chance(r, 10) ? UINT64_MAX : any_number(r, 34);
        sort_layout layout = {.begin = 128 * rng_range(r, 0, 100)}, more = layout;
        lay_out(rows, keys, blocks, limit, &layout);
        case_note("%" PRId64 " rows, %" PRIu64 " keys, %" PRId64 " blocks, %" PRIu64 " bytes", rows,
                  keys, blocks, limit);
        check_layout(rows, keys, blocks, limit, &layout);
        // What is used of a limit is a limit that gives the same; more memory is never worse.
        lay_out(rows, keys, blocks, layout.bytes, &more);
        check(more.chunks == layout.chunks && more.bytes <= layout.bytes, "not the same again");
        lay_out(rows, keys, blocks, limit > UINT64_MAX / 2 ? limit : 2 * limit, &more);
        check(more.chunks <= layout.chunks, "more memory, more chunks");
    }
}

// Rows of one element, of float32 if nothing else is said, in the locations of a GPU's target.
static planned rows_of(clnd_dtype dtype, clnd_reduce reduce, int64_t rows, int64_t locations)
{
    planned p = planned_rows(&plain_gpu, dtype, reduce, rows, 1, locations);
    p.words = "must,sort";
    return p;
}

// A workspace that is not lent has a bound, and what a device allocates is another.
Test(sort, room)
{
    planned p = rows_of(CLND_FLOAT32, CLND_REDUCE_ADD, INT64_C(1) << 40, 1 << 20);
    case_begin("sort room", 0);
    for (uint64_t most = UINT64_C(1) << 30; most >= 1 << 20; most /= 4) {
        const uint64_t room = most < 64 << 20 ? most : 64 << 20;
        p.facts.max_allocation = most;
        planned_make(&p);
        const uint64_t bytes = p.plan.workspace.bytes;
        check(bytes <= room && bytes > room - room / 100, "%" PRIu64 " of %" PRIu64, bytes, room);
    }
    planned_lend(&p, 256, 123456);
    planned_expect(&p, "sort");
    check(p.plan.workspace.bytes > 120000, "%" PRIu64, p.plan.workspace.bytes);
    check_layout(INT64_C(1) << 40, 1 << 20, 8 * 20, 123456, &own(&p.plan)->layout);
    check(own(&p.plan)->layout.begin == 256, "not at the beginning of what is lent");
}

// A CPU does not sort, unless what it would rather do needs more than it is lent.
Test(sort, small_workspaces_of_cpus)
{
    planned p = planned_rows(&plain_cpu, CLND_FLOAT16, CLND_REDUCE_ADD, 10, 1, 1 << 20);
    case_begin("sort of CPUs", 0);
    p.options.deterministic = true;
    planned_expect(&p, "buckets");
    planned_lend(&p, 0, 8192);
    planned_expect(&p, "sort");
    const size_t least = (size_t)p.plan.workspace.bytes;
    planned_lend(&p, 0, least - 1);
    check_status(planned_try(&p), CLND_BUFFER_TOO_SMALL);
    planned_lend(&p, 0, least);
    planned_expect(&p, "sort");
}

// Sums that are rounded once are complete at the end of a chunk, if that is the only one; else they
// are made in a float32 copy, which lies before the rest. What the copy takes goes to the chunk.
Test(sort, rounded_sums)
{
    enum { TARGET = 1 << 22 };
    static const struct {
        int64_t rows;
        size_t lent; // 0: nothing
        int sums;
    } cases[] = {
        {1 << 22, 0, CLND_SUMS_ROUNDED}, // 16 bytes a row: 64 MiB, and more than that with counts
        {1 << 23, 0, CLND_SUMS_WIDE},        {1 << 22, 128 << 20, CLND_SUMS_ROUNDED},
        {1 << 22, 40 << 20, CLND_SUMS_WIDE}, {100, 100000, CLND_SUMS_ROUNDED},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
        planned p = rows_of(CLND_FLOAT16, CLND_REDUCE_ADD, cases[i].rows, TARGET);
        case_begin("sort rounded sums", i);
        p.options.deterministic = true;
        if (cases[i].lent)
            planned_lend(&p, 128, cases[i].lent);
        planned_expect(&p, "sort");
        const sort_plan *plan = own(&p.plan);
        const uint64_t before = cases[i].sums == CLND_SUMS_WIDE ? 4 * TARGET : 0;
        check(p.plan.wide == (before > 0), "a copy: %d", p.plan.wide);
        check(plan->apply.kernel.options.wide == cases[i].sums, "sums");
        check((plan->layout.chunks == 1) == (before == 0), "%" PRId64 " chunks",
              plan->layout.chunks);
        check(plan->layout.begin == (int64_t)(before + (cases[i].lent ? 128 : 0)), "begin");
        check(p.plan.workspace.bytes == before + plan->layout.bytes, "bytes");
        p.options.deterministic = false;
        planned_expect(&p, "sort");
        check(!p.plan.wide && plan->apply.kernel.options.wide == CLND_SUMS_PLAIN, "in any order");
    }
}

// The host's share of the kernels' exact division by the step.
Test(sort, division_by_the_step)
{
    enum { LOCATIONS = 4000000 };
    for (int i = 0; i < case_count(500); ++i) {
        case_begin("sort division", i);
        rng *r = case_rng();
        const int64_t step = (int64_t)any_number(r, 40);
        planned p = rows_of(CLND_INT8, CLND_REDUCE_ADD, 1000, LOCATIONS);
        p.problem.coordinates[0].stride = step;
        planned_make(&p);
        const sort_plan *plan = own(&p.plan);
        for (int n = 0; n < 20; ++n) {
            const uint64_t key = (uint64_t)rng_range(r, 0, LOCATIONS - 1);
            const uint64_t at = key * (uint64_t)step;
            check((at >> plan->step_shift) * (uint64_t)plan->step_inverse == key,
                  "%" PRIu64 " / %" PRId64, at, step);
        }
    }
}

// What applies the rows looks at no index: neither the dtype of indices nor their coordinates, of
// which those of voxels and a batch are four, ask for another program.
Test(sort, options_of_what_applies)
{
    static const char *const reduced =
        "-cl-std=CL1.2 -DSMALL=1 -DLANES=1 -DOUTER=1 -DKEY=4 -DDTYPE=12 -DREDUCE=2";
    static const char *const updated =
        "-cl-std=CL1.2 -DSMALL=1 -DLANES=1 -DUNIT=4 -DKEY=4 -DREDUCE=1";
    for (int n = 1; n <= CLND_MAX_RANK; ++n) {
        planned p = rows_of(CLND_FLOAT32, CLND_REDUCE_ADD, 1000, 1);
        case_begin("sort options", n);
        p.problem.index_dtype = n % 2 ? CLND_INT32 : CLND_INT64;
        p.problem.n_coordinates = n;
        for (int k = 0; k < n; ++k)
            p.problem.coordinates[k] = (clnd__coordinate){2, INT64_C(4) << k};
        planned_make(&p);
        const sort_plan *plan = own(&p.plan);
        check_kernel(&plan->apply.kernel, "sort_reduce", "sort_reduce", reduced);
        check(plan->select.n_coordinates == n, "%" PRId64, (int64_t)plan->select.n_coordinates);
        check(plan->keys.options.small == (n <= CLND_SMALL_COORDINATES), "keys");
        check(plan->keys.options.index == (int)(p.problem.index_dtype & 0xff), "keys of indices");
        check(plan->keys.ungated && plan->place.ungated, "they write to the workspace only");
        p.options.reduce = CLND_REDUCE_UPDATE;
        planned_make(&p);
        check_kernel(&plan->apply.kernel, "sort_update", "sort_update", updated);
    }
}

// Rows of many batches lie one behind the other in dense, wherever they go.
Test(sort, axes_of_what_applies)
{
    planned p = rows_of(CLND_FLOAT32, CLND_REDUCE_ADD, 1, 1);
    p.problem.n_outer = 4;
    p.problem.outer[0] = (clnd__axis){2, 80000, 480, 0};
    p.problem.outer[1] = (clnd__axis){3, 24000, 160, 0};
    p.problem.outer[2] = (clnd__axis){5, 0, 32, 8};
    p.problem.outer[3] = (clnd__axis){4, 4000, 8, 0};
    p.problem.coordinates[0] = (clnd__coordinate){500, 8};
    for (int gap = 0; gap < 2; ++gap) {
        case_begin("sort axes", gap);
        p.problem.outer[0].dense = gap ? 488 : 480;
        planned_make(&p);
        const sort_plan *plan = own(&p.plan);
        const clnd_move_args *args = &plan->apply.args;
        check(plan->select.n_outer == 4, "keys: %" PRId64 " axes", (int64_t)plan->select.n_outer);
        check(args->n_outer == (gap ? 4 : 1), "%" PRId64 " axes", (int64_t)args->n_outer);
        check(args->rows == 120, "%" PRId64 " rows", (int64_t)args->rows);
        if (!gap)
            check(args->axes[0].size == 120 && args->axes[0].dense == 8, "rows in dense");
        check(plan->apply.kernel.options.small == !gap && !plan->keys.options.small, "small");
    }
}

// What is taken where nobody asks for a strategy: the order matters, or there are no atomics.
Test(sort, choice)
{
    enum { GPU, CPU, SMALL_GROUPS, LITTLE_MEMORY, DEVICES };
    static const struct {
        clnd_dtype dtype;
        clnd_reduce reduce;
        bool deterministic, unique;
        const char *on_gpu;
    } cases[] = {
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, "sort"},
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, false, "atomic"},
        {CLND_INT32, CLND_REDUCE_ADD, true, false, "atomic"},
        {CLND_INT64, CLND_REDUCE_ADD, false, false, "sort"},
        {CLND_UINT8, CLND_REDUCE_MAX, false, false, "sort"}, // half a word at the end
        {CLND_INT32, CLND_REDUCE_UPDATE, true, false, "sort"},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, false, "store"},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, true, "store"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases) * DEVICES; ++i) {
        const int n = i / DEVICES, on = i % DEVICES;
        planned p = rows_of(cases[n].dtype, cases[n].reduce, 100, 10);
        case_begin("sort choice", i);
        p.memory.size = (size_t)(p.end = 4091);
        p.facts.local_memory = on == LITTLE_MEMORY ? 16383 : 16384; // none for private copies
        p.facts.max_work_group_size = on == SMALL_GROUPS ? 63 : 64;
        p.facts.is_cpu = on == CPU;
        p.options.deterministic = cases[n].deterministic;
        p.options.unique = cases[n].unique;
        const char *expected = cases[n].on_gpu;
        const bool sorts = strcmp(expected, "sort") == 0, stores = strcmp(expected, "store") == 0;
        if ((on == CPU && !stores) || (on != GPU && sorts))
            expected = "owner";
        p.words = NULL;
        planned_expect(&p, expected);
        p.words = "must,sort";
        if (on == SMALL_GROUPS || on == LITTLE_MEMORY)
            planned_refuse(&p, "sort");
        else
            planned_expect(&p, "sort");
    }
}

// A device's own memory gives a sort more room, so that it takes fewer chunks.
Test(sort, room_by_memory)
{
    static const struct {
        uint64_t memory, largest;
        bool unified, in_one;
    } cases[] = {
        {0, UINT64_MAX, false, false},
        {UINT64_C(16) << 30, UINT64_MAX, false, true},
        {UINT64_C(16) << 30, UINT64_MAX, true, false},
        {UINT64_C(16) << 30, 64 << 20, false, false},
        {UINT64_C(1) << 30, UINT64_MAX, false, false},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
        planned p = planned_rows(&plain_gpu, CLND_FLOAT32, CLND_REDUCE_ADD, 20000000, 1, 1000000);
        case_begin("sort room", i);
        p.options.deterministic = true;
        p.facts.global_memory = cases[i].memory;
        p.facts.max_allocation = cases[i].largest;
        p.facts.unified_memory = cases[i].unified;
        planned_expect(&p, "sort");
        const int64_t chunks = own(&p.plan)->layout.chunks;
        check((chunks == 1) == cases[i].in_one, "%d chunks", (int)chunks);
        check(p.plan.workspace.bytes <= (cases[i].in_one ? cases[i].memory / 16 : 64 << 20),
              "workspace");
    }
}
