// SPDX-License-Identifier: Apache-2.0
//
// What lanes and tiles are planned: which kernel a problem gets on a GPU, that the axes which it
// walks along name the same bytes as the problem, when 32 bits will do, and the division of rows.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host/exec/gather.h"
#include "host/exec/lanes.h"
#include "plans.h"
#include "problems.h"

static const clnd_device_facts gpu = {
    .compute_units = 20, .max_work_group_size = 256, .local_memory = 32768};
static const clnd__memory aligned = {.alignment = 256};

static clnd_status plan_copy(const clnd_device_facts *facts, const char *words,
                             const clnd__problem *p, clnd__gather_plan *plan)
{
    const clnd__planner planner = clnd__planner_make(facts, words);
    return clnd__gather_plan_make(&planner, *p, CLND_ADJUST_NONE, NULL, &aligned, NULL, &aligned,
                                  plan);
}

static uint32_t divide(uint32_t row, int64_t inverse)
{
    const uint32_t high = (uint32_t)((uint64_t)row * (uint32_t)inverse >> 32);
    return (high + row) >> (inverse >> 32);
}

Test(lanes_plan, division)
{
    case_begin("division", 0);
    rng *r = case_rng();
    for (int i = 0; i < case_count(200000); ++i) {
        const int64_t power = INT64_C(1) << rng_range(r, 1, 30);
        const int64_t size = rng_chance(r, 40) ? power + rng_range(r, -1, 1)
                                               : rng_range(r, 2, rng_chance(r, 50) ? 100 : 1 << 28);
        if (size < 2)
            continue;
        const int64_t inverse = clnd__lanes_inverse(size);
        const int64_t most = INT32_MAX / size;
        const int64_t times = rng_range(r, 0, most) * size;
        const int64_t rows[] = {
            0, size - 1, size, times, times ? times - 1 : 0, INT32_MAX, rng_range(r, 0, INT32_MAX)};
        for (int j = 0; j < 7; ++j)
            check(divide((uint32_t)rows[j], inverse) == rows[j] / size,
                  "%" PRId64 " / %" PRId64 " is %u", rows[j], size,
                  divide((uint32_t)rows[j], inverse));
    }
}

static clnd_move_args two_axes(void)
{
    clnd_move_args args = {.rows = 10, .columns = 10, .n_outer = 1, .n_slice = 1};
    args.axes[0] = (clnd_axis_args){10, 400, 40, 4};
    args.axes[CLND_SLICE_AXIS(0)] = (clnd_axis_args){10, 4, 4, 0};
    args.n_coordinates = 1;
    args.index_step = 4;
    args.coordinates[0] = (clnd_coordinate_args){100, 40};
    return args;
}

// Each number that may be too large, alone; and the largest that is not.
Test(lanes_plan, bits_of_offsets)
{
    const int64_t most = INT32_MAX, counted = INT32_MAX / 8;
    clnd_move_args args = two_axes();
    check(clnd__fits_32_bits(&args), "small");
#define TRY(field, largest)                                                                        \
    args = two_axes();                                                                             \
    args.field = (largest);                                                                        \
    check(clnd__fits_32_bits(&args), #field " fits");                                              \
    args.field = (largest) + 1;                                                                    \
    check(!clnd__fits_32_bits(&args), #field " does not fit");                                     \
    args.field = INT64_MAX;                                                                        \
    check(!clnd__fits_32_bits(&args), #field " overflows")
    const int64_t data = 9 * 400 + 9 * 4 + 99 * 40, dense = 9 * 40 + 9 * 4, index = 9 * 4;
    TRY(rows, counted);
    TRY(columns, counted);
    TRY(data_offset, most - data);
    TRY(dense_offset, most - dense);
    TRY(index_offset, most - index);
    TRY(axes[0].data, (most - (data - 9 * 400)) / 9);
    TRY(axes[0].dense, (most - (dense - 9 * 40)) / 9);
    TRY(axes[0].index, most / 9);
    TRY(axes[CLND_SLICE_AXIS(0)].data, (most - (data - 9 * 4)) / 9);
    TRY(axes[CLND_SLICE_AXIS(0)].dense, (most - (dense - 9 * 4)) / 9);
    TRY(coordinates[0].stride, (most - (data - 99 * 40)) / 99);
    args.coordinates[0] = (clnd_coordinate_args){most, 0};
    check(clnd__fits_32_bits(&args), "an extent");
    args.coordinates[0].extent = most + 1;
    check(!clnd__fits_32_bits(&args), "an extent that int32 cannot count to");
    args = two_axes();
    args.n_coordinates = 3;
    args.index_step = (most - index) / 2;
    check(clnd__fits_32_bits(&args), "tuples");
    args.index_step += 1;
    check(!clnd__fits_32_bits(&args), "far tuples");
    args = two_axes();
    args.axes[0].data = -(most - (data - 9 * 400)) / 9;
    check(clnd__fits_32_bits(&args), "backwards");
    args.axes[0].data -= 1;
    check(!clnd__fits_32_bits(&args), "far backwards");
}

// Whole bytes, so that units of any size compare.
static int add_bytes(pair at, int64_t size, int n, pair *bytes)
{
    for (int64_t i = 0; i < size; ++i)
        bytes[n++] = (pair){at.data + i, at.dense + i};
    return n;
}

static int walk(const clnd_move_args *args, int axis, int64_t unit, pair at, int n, pair *bytes)
{
    if (axis == args->n_outer + args->n_slice)
        return add_bytes(at, unit, n, bytes);
    const clnd_axis_args *a =
        &args->axes[axis < args->n_outer ? axis : CLND_SLICE_AXIS(axis - args->n_outer)];
    for (int64_t i = 0; i < a->size; ++i) {
        n = walk(args, axis + 1, unit, at, n, bytes);
        at.data += a->data;
        at.dense += a->dense;
    }
    return n;
}

enum { MOST_BYTES = MAX_ROWS * MAX_SLICE * 24 };

static void check_same_bytes(const clnd__problem *p, const clnd__move *move)
{
    static pair wanted[MOST_BYTES], got[MOST_BYTES], elements[MAX_SLICE];
    const clnd_move_args *args = &move->args;
    int64_t index, rows = 1, columns = 1;
    int n = 0;
    for (int64_t row = 0; row < clnd__problem_rows(p); ++row) {
        const int count = problem_row(p, row, &index, elements);
        for (int e = 0; e < count; ++e)
            n = add_bytes(elements[e], (int64_t)clnd_dtype_size(p->dtype), n, wanted);
    }
    for (int i = 0; i < args->n_outer; ++i)
        rows *= args->axes[i].size;
    for (int j = 0; j < args->n_slice; ++j)
        columns *= args->axes[CLND_SLICE_AXIS(j)].size;
    check(args->rows == rows && args->columns == columns, "%" PRId64 " rows of %" PRId64,
          (int64_t)args->rows, (int64_t)args->columns);
    const int m = walk(args, 0, move->unit, (pair){args->data_offset, args->dense_offset}, 0, got);
    sort_pairs(n, wanted);
    sort_pairs(m, got);
    check(n == m && memcmp(wanted, got, (size_t)n * sizeof *got) == 0, "other bytes");
}

Test(lanes_plan, copies_name_the_same_bytes)
{
    const int count = case_count(3000);
    int tiled = 0, in_words = 0;
    for (int i = 0; i < count; ++i) {
        clnd__problem p;
        clnd__gather_plan plan;
        case_begin("lane copies", i);
        rng *r = case_rng();
        random_problem(r, &p);
        p.n_coordinates = 0;
        case_note("%s", problem_text(&p));
        check_status(plan_copy(&gpu, i % 2 ? "tiles,rows" : "lanes,rows", &p, &plan), CLND_OK);
        if (plan.n_buffers == 0)
            continue;
        const char *kernel = plan.move.kernel.source;
        const bool tiles = strcmp(plan.strategy->name, "tiles") == 0;
        const bool words = strcmp(kernel, "copy_words") == 0;
        tiled += tiles;
        in_words += words;
        check(plan.n_buffers == 2 && plan.move.local == CLND_LANES &&
                  (words || strcmp(kernel, tiles ? "copy_tiles" : "copy_lanes") == 0) &&
                  (words || plan.move.args.n_slice == (tiles ? 2 : 1)),
              "kernel %s", kernel);
        check_same_bytes(&p, &plan.move);
        if (tiles)
            check(llabs(plan.move.args.axes[CLND_SLICE_AXIS(1)].data) <
                      llabs(plan.move.args.axes[CLND_SLICE_AXIS(0)].data),
                  "tiles for nothing");
    }
    check(tiled > count / 40, "only %d of %d copies have tiles", tiled, count);
    check(in_words > count / 40, "only %d of %d copies are words", in_words, count);
}

// dense[i, j] = data[j, i], `rows` times `columns`, of 4 bytes.
static clnd__problem transposition(int64_t rows, int64_t columns)
{
    const clnd__view view = {.dtype = CLND_FLOAT32};
    clnd__problem p;
    clnd__problem_begin(&p, &view, &view, NULL);
    clnd__problem_add_slice(&p, rows, 4, columns * 4);
    clnd__problem_add_slice(&p, columns, rows * 4, 4);
    return p;
}

static void expect(const clnd_device_facts *facts, const char *words, clnd__problem p,
                   const char *strategy, const char *what)
{
    clnd__gather_plan plan;
    check_status(plan_copy(facts, words, &p, &plan), CLND_OK);
    check(strcmp(plan.strategy->name, strategy) == 0, "%s: %s", what, plan.strategy->name);
}

static void refuse_tiles(const clnd_device_facts *facts, clnd__problem p, const char *message)
{
    clnd__gather_plan plan;
    check_status(plan_copy(facts, "must,tiles", &p, &plan), CLND_INVALID_OPTION);
    check_message(message);
}

Test(lanes_plan, when_tiles_are_taken)
{
    clnd_device_facts facts = gpu;
    const clnd__problem big = transposition(500, 700), small = transposition(16, 16);
    case_begin("when tiles are taken", 0);
    expect(&facts, NULL, big, "tiles", "a transposition");
    expect(&facts, "lanes", big, "lanes", "lanes wanted");
    expect(&facts, "must,tiles,lanes", big, "tiles", "both");
    expect(&facts, NULL, transposition(500, 15), "lanes", "narrow rows");
    expect(&facts, NULL, transposition(15, 7000), "lanes", "few rows");
    expect(&facts, NULL, small, "lanes", "a small one");
    expect(&facts, "must,tiles", small, "tiles", "a small one that is wanted");
    clnd__problem p = big; // an axis on which units are 64 bytes apart: no two share a line
    p.slice[0].data *= 16;
    p.slice[1].data *= 16;
    expect(&facts, NULL, p, "lanes", "far units");
    p = big;
    p.slice[0].dense *= 16;
    p.slice[1].dense *= 16;
    expect(&facts, NULL, p, "lanes", "a target with gaps");
    p = big;
    p.slice[1].data = 40; // runs that overlap
    expect(&facts, NULL, p, "lanes", "near units both ways");
    p = big;
    p.slice[1].data = 0; // broadcast along the innermost dimension
    expect(&facts, NULL, p, "lanes", "nothing to turn round");
    refuse_tiles(&facts, p, "strategy tiles needs an innermost dimension of the target");
    facts.is_cpu = true;
    expect(&facts, "lanes,tiles", big, "tiles", "a CPU that is told to");
    expect(&facts, NULL, big, "blocks", "a CPU");
    facts.is_cpu = false;
    facts.local_memory = 32 * 33 * 4;
    expect(&facts, NULL, big, "tiles", "just enough local memory");
    facts.local_memory -= 1;
    expect(&facts, NULL, big, "lanes", "too little local memory");
    refuse_tiles(&facts, big, "strategy tiles needs more local memory");
    facts.max_work_group_size = CLND_LANES - 1;
    expect(&facts, NULL, big, "blocks", "too small groups");
    refuse_tiles(&facts, big, "strategy tiles needs work-groups of 64");
}

// A slice of 1000 rows of 200 elements, `size` bytes each, with a step.
static clnd__kernel_options options_of_step(const char *words, int64_t size, int64_t step,
                                            int64_t offset, int64_t row)
{
    const clnd__view data = {.dtype = CLND_OPAQUE(size), .offset = (uint64_t)offset};
    const clnd__view dense = {.dtype = CLND_OPAQUE(size)};
    clnd__problem p;
    clnd__gather_plan plan;
    clnd__problem_begin(&p, &data, &dense, NULL);
    clnd__problem_add_slice(&p, 1000, row, 208 * size);
    clnd__problem_add_slice(&p, 200, step * size, size);
    check_status(plan_copy(&gpu, words, &p, &plan), CLND_OK);
    return plan.move.kernel.options;
}

Test(lanes_plan, steps_that_are_picked)
{
    case_begin("steps", 0);
    for (int64_t size = 1; size <= 8; size *= 2)
        for (int64_t step = -2; step <= 5; ++step) {
            const int64_t offset = step < 0 ? 16000 - size : 16000;
            const bool picks = step == -1 || step == 2 || (size < 8 && (step == 3 || step == 4));
            case_note("%" PRId64 " bytes, step %" PRId64, size, step);
            clnd__kernel_options options = options_of_step(NULL, size, step, offset, 160000);
            check(options.data_step == (picks ? step : 0), "picks steps of %d", options.data_step);
            check(options.offsets == 4 && options.along == 0, "options");
            options = options_of_step(NULL, size, step, offset + size, 160000);
            check(options.data_step == 0, "off the line");
            options = options_of_step(NULL, size, step, offset, 160000 + size);
            check(options.data_step == 0, "rows off the line");
        }
    check(options_of_step("long", 4, 2, 0, 160000).offsets == 8, "asked for 64 bits");
    check(options_of_step(NULL, 4, 2, 0, 16000000).offsets == 8, "in need of 64 bits");
}

// Gathers: contiguous rows of few axes get their kernel, others the one that takes all.
Test(lanes_plan, gathers)
{
    static const struct {
        int outer, coordinates;
        int64_t rows, element, width, gap;
        const char *source;
        int16_t unit, words, offsets, along, compiled; // options; the last: coordinates
        int shift;                                     // log2 of the lanes that share a row
    } cases[] = {
        {1, 1, 1000, 4, 8, 0, "gather_lanes", 16, 0, 4, 0, 1, 1},
        {2, 3, 1000, 4, 8, 0, "gather_lanes", 16, 0, 4, 0, 3, 1},
        {1, 1, 10, 4, 1024, 0, "gather_lanes", 16, 0, 4, 1, 1, 6},
        {1, 1, 3, 4, 1020, 0, "gather", 16, 0, 0, 0, 0, 6}, // too little
        {1, 1, 1 << 24, 4, 32, 0, "gather_lanes", 16, 0, 8, 0, 1, 3},
        {3, 1, 1000, 4, 8, 0, "gather", 16, 0, 0, 0, 0, 1},
        {1, 4, 1000, 4, 8, 0, "gather", 16, 0, 0, 0, 0, 1},
        {1, 1, 1000, 4, 8, 4, "gather", 4, 0, 0, 0, 0, 3},
        {1, 1, 1000, 1, 3, 0, "gather_lanes", 1, 0, 4, 0, 1, 2}, // no word
        {1, 1, 1000, 1, 5, 0, "gather_lanes", 1, 1, 4, 0, 1, 1},
        {1, 1, 1000, 1, 37, 0, "gather_lanes", 1, 1, 4, 0, 1, 4},
        {1, 1, 1000, 2, 7, 0, "gather_lanes", 2, 1, 4, 0, 1, 2},
        {1, 1, 20, 1, 1015, 0, "gather_lanes", 1, 1, 4, 0, 1, 6},
        {1, 1, 20, 1, 1019, 0, "gather_lanes", 1, 1, 4, 1, 1, 6},
    };
    const clnd__planner planner = clnd__planner_make(&gpu, NULL);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
        const int64_t element = cases[i].element;
        const clnd__view view = {.dtype = CLND_OPAQUE(element)}, ints = {.dtype = CLND_INT32};
        clnd__problem p;
        clnd__gather_plan plan;
        case_begin("lane gathers", i);
        clnd__problem_begin(&p, &view, &view, &ints);
        const int64_t bytes = cases[i].width * element;
        clnd__problem_add_outer(&p, cases[i].rows, 0, cases[i].outer > 1 ? 16 * bytes : bytes, 512);
        for (int d = 1; d < cases[i].outer; ++d) // with gaps, so that they do not merge
            clnd__problem_add_outer(&p, 2, 0, d == 1 ? 4 * bytes : bytes, 64 >> d);
        for (int k = 0; k < cases[i].coordinates; ++k)
            clnd__problem_add_coordinate(&p, 5, 4096 << k);
        clnd__problem_add_slice(&p, cases[i].width, element + cases[i].gap, element);
        p.index_step = 4;
        const int adjust = i % 3 ? CLND_ADJUST_NONE : CLND_ADJUST_CLAMP;
        const bool fills = i % 2, is_own = cases[i].compiled > 0;
        check_status(clnd__gather_plan_make(&planner, p, adjust, fills ? "fill" : NULL, &aligned,
                                            &aligned, &aligned, &plan),
                     CLND_OK);
        check(strcmp(plan.move.kernel.source, cases[i].source) == 0, "kernel %s",
              plan.move.kernel.source);
        const clnd__kernel_options expected = {.small = clnd__move_is_small(&plan.move),
                                               .index = CLND_KIND_INT32,
                                               .lanes = 1,
                                               .unit = cases[i].unit,
                                               .words = cases[i].words,
                                               .unadjusted = is_own && !adjust,
                                               .outer = is_own && cases[i].outer == 1,
                                               .fill = is_own && fills,
                                               .offsets = cases[i].offsets,
                                               .along = cases[i].along,
                                               .coordinates = cases[i].compiled};
        char text[CLND__OPTIONS_TEXT];
        clnd__kernel_options_print(&plan.move.kernel.options, text);
        check(memcmp(&plan.move.kernel.options, &expected, sizeof expected) == 0, "%s", text);
        check(plan.move.args.lanes_shift == cases[i].shift, "2^%d lanes a row",
              (int)plan.move.args.lanes_shift);
    }
}

// CPUs locate rows in 32 bits where the tensors allow it.
Test(lanes_plan, bits_of_locations_on_cpus)
{
    static const struct {
        int64_t rows, stride;
        const char *words;
        int16_t offsets;
    } cases[] = {
        {1000, 4096, NULL, 4},
        {1000, 4096, "long", 8},
        {1000, (INT32_MAX - 31) / 4, NULL, 4},
        {1000, INT32_MAX / 4, NULL, 8},
        {1 << 27, 4096, NULL, 8},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); ++i) {
        const clnd__view view = {.dtype = CLND_FLOAT32}, ints = {.dtype = CLND_INT32};
        const clnd__planner planner = clnd__planner_make(&plain_cpu, cases[i].words);
        clnd__problem p;
        clnd__gather_plan plan;
        case_begin("bits of locations", i);
        clnd__problem_begin(&p, &view, &view, &ints);
        clnd__problem_add_outer(&p, cases[i].rows, 0, 32, 4);
        clnd__problem_add_coordinate(&p, 5, cases[i].stride);
        clnd__problem_add_slice(&p, 8, 4, 4);
        p.index_step = 4;
        check_status(clnd__gather_plan_make(&planner, p, CLND_ADJUST_NONE, NULL, &aligned, &aligned,
                                            &aligned, &plan),
                     CLND_OK);
        check(strcmp(plan.move.kernel.source, "gather_rows") == 0, "kernel %s",
              plan.move.kernel.source);
        check(plan.move.kernel.options.offsets == cases[i].offsets, "%d bytes",
              plan.move.kernel.options.offsets);
    }
}
