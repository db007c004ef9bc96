// SPDX-License-Identifier: Apache-2.0
//
// The pure part of the sort of scatters: which keys rows have, and how a workspace is laid out.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host/exec/scatter_choice.h"
#include "problems.h"

Test(sort, every_place_has_a_key)
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
        const clnd__sort_keys keys = clnd__sort_keys_of(&problem);
        check(keys.step > 0 && keys.count > 0, "step %" PRId64, keys.step);
        for (int n = 0; n < 20; ++n) {
            const int64_t at = random_place(r, &problem) - keys.origin;
            check(at >= 0 && at % keys.step == 0 && (uint64_t)(at / keys.step) < keys.count,
                  "byte %" PRId64 " from %" PRId64 " in steps of %" PRId64, at, keys.origin,
                  keys.step);
        }
    }
}

// Dense rows are numbered without gaps, however long they are.
Test(sort, keys_are_dense)
{
    const clnd__problem rows = {.n_outer = 1,
                                .n_coordinates = 2,
                                .outer = {{9, 0, 48, 8}},
                                .coordinates = {{70, 4800}, {100, 48}},
                                .data_offset = 96};
    const clnd__sort_keys keys = clnd__sort_keys_of(&rows);
    check(keys.origin == 96 && keys.step == 48 && keys.count == 7000, "rows");
    const clnd__problem one = {.n_outer = 1, .outer = {{9, 0, 48, 8}}, .data_offset = 5};
    const clnd__sort_keys only = clnd__sort_keys_of(&one);
    check(only.origin == 5 && only.count == 1, "one place");
    const clnd__problem back = {.n_outer = 1,
                                .n_coordinates = 1,
                                .outer = {{3, -8, 4, 4}},
                                .coordinates = {{10, -24}},
                                .data_offset = 232};
    const clnd__sort_keys turned = clnd__sort_keys_of(&back);
    check(turned.origin == 0 && turned.step == 8 && turned.count == 30, "backwards");
}

static void check_layout(int64_t rows, uint64_t keys, uint32_t units, uint64_t limit,
                         const clnd__sort_layout *layout)
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
    check(layout->blocks == (layout->chunk - 1) / layout->block + 1, "blocks");
    check(layout->blocks <= 8 * (int64_t)units, "too many blocks");
    check(layout->bytes <= limit || layout->chunk == 64, "%" PRIu64 " bytes", layout->bytes);

    const struct {
        uint64_t first, size;
    } parts[] = {{layout->keys[0], chunk * (uint64_t)layout->key_bytes},
                 {layout->keys[1], chunk * (uint64_t)layout->key_bytes},
                 {layout->rows[1], chunk * 4},
                 {layout->rows[0], layout->passes > 1 ? chunk * 4 : 0},
                 {layout->counts, digits * (uint64_t)layout->blocks * 4},
                 {layout->totals, digits * 4},
                 {layout->kept, 4}};
    for (int i = 0; i < 7; ++i) {
        check(parts[i].first % CLND__SORT_ALIGNMENT == 0, "part %d at %" PRIu64, i, parts[i].first);
        check(parts[i].first + parts[i].size <= layout->bytes, "part %d ends outside", i);
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
        const uint32_t units = (uint32_t)rng_range(r, 1, rng_chance(r, 30) ? 4 : 300);
        const uint64_t limit = rng_chance(r, 10) ? UINT64_MAX : any_number(r, 34);
        clnd__sort_layout layout, more;
        clnd__sort_lay_out(rows, keys, units, limit, &layout);
        case_note("%" PRId64 " rows, %" PRIu64 " keys, %u units, %" PRIu64 " bytes", rows, keys,
                  units, limit);
        check_layout(rows, keys, units, limit, &layout);
        // What is used of a limit is a limit that gives the same; more memory is never worse.
        clnd__sort_lay_out(rows, keys, units, layout.bytes, &more);
        check(more.chunks == layout.chunks && more.bytes <= layout.bytes, "not the same again");
        clnd__sort_lay_out(rows, keys, units, limit > UINT64_MAX / 2 ? limit : 2 * limit, &more);
        check(more.chunks <= layout.chunks, "more memory, more chunks");
    }
}

Test(sort, room)
{
    clnd_device_facts facts = {.max_allocation = UINT64_C(1) << 30};
    const clnd_workspace lent = {.size = 12345};
    check(clnd__sort_room(&facts, NULL) == 64 << 20, "default");
    check(clnd__sort_room(&facts, &lent) == 12345, "lent");
    facts.max_allocation = 1 << 20;
    check(clnd__sort_room(&facts, NULL) == 1 << 20, "small device");
}

// The host's share of the kernels' exact division by the step.
Test(sort, division_by_the_step)
{
    const clnd_device_facts facts = {.max_work_group_size = 64, .compute_units = 4};
    for (int i = 0; i < case_count(500); ++i) {
        case_begin("sort division", i);
        rng *r = case_rng();
        const int64_t step = (int64_t)any_number(r, 40);
        const clnd__problem problem = {.dtype = CLND_INT8,
                                       .index_dtype = CLND_INT32,
                                       .n_outer = 1,
                                       .n_coordinates = 1,
                                       .outer = {{1000, 0, 1, 4}},
                                       .coordinates = {{4000000, step}}};
        clnd__sort_layout layout;
        clnd__sort_plan plan;
        clnd__sort_lay_out(1000, 4000000, 4, UINT64_MAX, &layout);
        clnd__sort_plan_make(&facts, &problem, CLND_REDUCE_ADD, CLND_ADJUST_NONE, 128,
                             CLND__SUMS_PLAIN, &layout, &plan);
        for (int n = 0; n < 20; ++n) {
            const uint64_t key = (uint64_t)rng_range(r, 0, 3999999);
            const uint64_t at = key * (uint64_t)step;
            check((at >> plan.step_shift) * (uint64_t)plan.step_inverse == key,
                  "%" PRIu64 " / %" PRId64, at, step);
        }
    }
}

static void plan_rows(const clnd__problem *problem, int64_t rows, clnd_reduce reduce,
                      clnd__sort_plan *plan)
{
    const clnd_device_facts facts = {.max_work_group_size = 64, .compute_units = 4};
    clnd__sort_layout layout;
    clnd__sort_lay_out(rows, 65536, facts.compute_units, UINT64_MAX, &layout);
    clnd__sort_plan_make(&facts, problem, reduce, CLND_ADJUST_NONE, 4, CLND__SUMS_PLAIN, &layout,
                         plan);
}

// What applies the rows looks at no index: neither the dtype of indices nor their coordinates, of
// which those of voxels and a batch are four, ask for another program.
Test(sort, options_of_what_applies)
{
    static const char *const reduced =
        "-DSMALL=1 -DINDEX=0 -DLANES=1 -cl-std=CL1.2 -DKEY=4 -DDTYPE=12 -DREDUCE=2 -DWIDE=0";
    static const char *const updated =
        "-DSMALL=1 -DINDEX=0 -DLANES=1 -cl-std=CL1.2 -DKEY=4 -DUNIT=4";
    for (int n = 1; n <= CLND_MAX_RANK; ++n) {
        clnd__problem problem = {.dtype = CLND_FLOAT32,
                                 .index_dtype = n % 2 ? CLND_INT32 : CLND_INT64,
                                 .n_outer = 1,
                                 .n_coordinates = n,
                                 .outer = {{1000, 0, 4, 4}}};
        for (int k = 0; k < n; ++k)
            problem.coordinates[k] = (clnd__coordinate){2, INT64_C(4) << k};
        clnd__sort_plan plan;
        case_begin("sort options", n);
        plan_rows(&problem, 1000, CLND_REDUCE_ADD, &plan);
        check(strcmp(plan.apply.kernel.options, reduced) == 0, "%s", plan.apply.kernel.options);
        check(plan.select.n_coordinates == n, "%" PRId64, (int64_t)plan.select.n_coordinates);
        plan_rows(&problem, 1000, CLND_REDUCE_UPDATE, &plan);
        check(strcmp(plan.apply.kernel.options, updated) == 0, "%s", plan.apply.kernel.options);
        check((strstr(plan.keys.options, "-DSMALL=1") != NULL) == (n <= CLND_SMALL_COORDINATES),
              "%s", plan.keys.options);
    }
}

// Rows of many batches lie one behind the other in dense, wherever they go.
Test(sort, axes_of_what_applies)
{
    clnd__problem problem = {
        .dtype = CLND_FLOAT32,
        .index_dtype = CLND_INT32,
        .n_outer = 4,
        .n_coordinates = 1,
        .outer = {{2, 72000, 480, 0}, {3, 24000, 160, 0}, {5, 0, 32, 8}, {4, 4000, 8, 0}},
        .coordinates = {{500, 8}}};
    for (int gap = 0; gap < 2; ++gap) {
        problem.outer[0].dense = gap ? 488 : 480;
        clnd__sort_plan plan;
        case_begin("sort axes", gap);
        plan_rows(&problem, 120, CLND_REDUCE_ADD, &plan);
        const clnd_move_args *args = &plan.apply.args;
        check(plan.select.n_outer == 4, "keys: %" PRId64 " axes", (int64_t)plan.select.n_outer);
        check(args->n_outer == (gap ? 4 : 1), "%" PRId64 " axes", (int64_t)args->n_outer);
        check(args->rows == 120, "%" PRId64 " rows", (int64_t)args->rows);
        if (!gap)
            check(args->axes[0].size == 120 && args->axes[0].dense == 8, "rows in dense");
        check((strstr(plan.apply.kernel.options, "-DSMALL=1") != NULL) == !gap, "%s",
              plan.apply.kernel.options);
        check(strstr(plan.keys.options, "-DSMALL=0") != NULL, "%s", plan.keys.options);
    }
}

// What is taken where nobody asks for a strategy: the order matters, or there are no atomics.
Test(sort, choice)
{
    enum { GPU, CPU, SMALL_GROUPS, LITTLE_MEMORY, DEVICES };
    static const clnd_device_facts devices[DEVICES] = {
        {.max_work_group_size = 64, .local_memory = 16384},
        {.max_work_group_size = 64, .local_memory = 16384, .is_cpu = true},
        {.max_work_group_size = 63, .local_memory = 16384},
        {.max_work_group_size = 64, .local_memory = 16383},
    };
    static const struct {
        clnd_dtype dtype;
        clnd_reduce reduce;
        bool deterministic, unique;
        clnd_strategy on_gpu;
    } cases[] = {
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, CLND_STRATEGY_SORT},
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, false, CLND_STRATEGY_ATOMIC},
        {CLND_INT32, CLND_REDUCE_ADD, true, false, CLND_STRATEGY_ATOMIC},
        {CLND_INT64, CLND_REDUCE_ADD, false, false, CLND_STRATEGY_SORT},
        {CLND_UINT8, CLND_REDUCE_MAX, false, false, CLND_STRATEGY_SORT}, // half a word at the end
        {CLND_INT32, CLND_REDUCE_UPDATE, true, false, CLND_STRATEGY_SORT},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, false, CLND_STRATEGY_STORE},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, true, CLND_STRATEGY_STORE},
    };
    const clnd__memory memory = {.size = 4091, .alignment = 128};
    clnd__strategy_use(NULL);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases) * DEVICES; ++i) {
        const int c = i / DEVICES, on = i % DEVICES;
        const int64_t size = (int64_t)clnd_dtype_size(cases[c].dtype);
        const clnd__problem problem = {.dtype = cases[c].dtype,
                                       .index_dtype = CLND_INT32,
                                       .n_outer = 1,
                                       .n_coordinates = 1,
                                       .outer = {{100, 0, size, 4}},
                                       .coordinates = {{10, size}}};
        clnd__scatter_options options = {.reduce = cases[c].reduce,
                                         .deterministic = cases[c].deterministic,
                                         .unique = cases[c].unique};
        const clnd__scatter_case scatter = {&devices[on], &problem, &options, &memory,
                                            &memory,      0,        4091,     NULL};
        clnd_strategy expected = cases[c].on_gpu;
        if (expected != CLND_STRATEGY_STORE && on == CPU)
            expected = CLND_STRATEGY_OWNER;
        if (expected == CLND_STRATEGY_SORT && on != GPU)
            expected = CLND_STRATEGY_OWNER;
        clnd__choice choice;
        case_begin("sort choice", i);
        check_status(clnd__scatter_choose(&scatter, &choice), CLND_OK);
        check(choice.strategy == expected, "%s", clnd__strategy_name(choice.strategy));
        options.strategy = CLND_STRATEGY_SORT;
        const bool small = on == SMALL_GROUPS || on == LITTLE_MEMORY;
        check_status(clnd__scatter_choose(&scatter, &choice),
                     small ? CLND_INVALID_OPTION : CLND_OK);
        if (small)
            check_message("SORT cannot do this scatter");
    }
}
