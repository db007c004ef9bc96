// SPDX-License-Identifier: Apache-2.0
//
// The pure part of BUCKETS: for which scatters they are possible, how the target is divided into
// parts and the rows into chunks, and when they are chosen.

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host/exec/scatter_choice.h"
#include "problems.h"

// What an entry has room for: a row of a block, and a place in a part.
enum { BLOCK = 4096, PLACES = 1 << 20, MOST_PARTS = 256, LINE = 64 };

static const clnd_device_facts cpu = {.is_cpu = true,
                                      .platform = "Portable Computing Language",
                                      .max_work_group_size = 64,
                                      .local_memory = 32768,
                                      .max_allocation = INT64_C(1) << 40,
                                      .compute_units = 4};

// Rows of `columns` float32 without gaps, which select one of `places` of them.
static clnd__problem rows_of(int64_t rows, int64_t columns, int64_t places)
{
    clnd__problem p = {.dtype = CLND_FLOAT32,
                       .index_dtype = CLND_INT32,
                       .n_outer = 1,
                       .n_coordinates = 1,
                       .outer = {{rows, 0, 4 * columns, 4}},
                       .coordinates = {{places, 4 * columns}},
                       .index_step = 4};
    if (columns > 1)
        clnd__problem_add_slice(&p, columns, 4, 4);
    return p;
}

static bool is_possible(const clnd__problem *p, clnd_reduce reduce)
{
    return clnd__buckets_are_possible(&cpu, p, reduce, 128);
}

// Which scatters ---------------------------------------------------------------------------------

Test(buckets_plan, devices)
{
    static const struct {
        bool is_cpu;
        const char *platform;
        bool possible;
    } cases[] = {
        {true, "Portable Computing Language", true},
        {true, "Intel(R) OpenCL", true},
        {true, "", true},
        {false, "Portable Computing Language", false},
        {true, "rusticl", false},
        {true, "Oclgrind", false},
        {false, "rusticl", false},
    };
    const clnd__problem p = rows_of(10000, 8, 1000);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        clnd_device_facts facts = cpu;
        case_begin("buckets devices", i);
        facts.is_cpu = cases[i].is_cpu;
        strcpy(facts.platform, cases[i].platform);
        for (int reduce = CLND_REDUCE_UPDATE; reduce <= CLND_REDUCE_ADD; reduce++)
            check(clnd__buckets_are_possible(&facts, &p, (clnd_reduce)reduce, 128) ==
                      cases[i].possible,
                  "%s", cases[i].platform);
    }
}

Test(buckets_plan, coordinates)
{
    for (int n = 0; n <= 5; n++) {
        clnd__problem p = rows_of(10000, 1, 1);
        case_begin("buckets coordinates", n);
        p.n_coordinates = n;
        for (int k = 0; k < n; k++)
            p.coordinates[k] = (clnd__coordinate){3, 4 << 2 * k};
        check(is_possible(&p, CLND_REDUCE_ADD) == (n >= 1 && n <= 3), "%d", n);
    }
}

// Axes of rows that do not merge, because those of data or of the indices do not.
Test(buckets_plan, updates_lie_evenly)
{
    static const struct {
        int n_outer;
        clnd__axis outer[3];
        bool possible;
    } cases[] = {
        {0, {{0}}, true},
        {1, {{100, 0, 12, 4}}, true},
        {1, {{100, 0, -12, 4}}, true},
        {1, {{100, 0, 0, 4}}, true},
        {2, {{7, 400, 40, 44}, {10, 0, 4, 4}}, true},
        {2, {{7, 400, 44, 44}, {10, 0, 4, 4}}, false},
        {2, {{7, 400, 4, 44}, {10, 0, 28, 4}}, false}, // transposed
        {2, {{7, 400, -40, 44}, {10, 0, 4, 4}}, false},
        {2, {{7, 400, -40, 44}, {10, 0, -4, 4}}, true},
        {2, {{7, 400, 0, 44}, {10, 0, 4, 4}}, false}, // repeated
        {2, {{7, 400, 4, 44}, {10, 0, 0, 4}}, false},
        {2, {{7, 400, 0, 44}, {10, 0, 0, 4}}, true},
        {3, {{5, 0, 280, 999}, {7, 400, 40, 44}, {10, 0, 4, 4}}, true},
        {3, {{5, 0, 284, 999}, {7, 400, 40, 44}, {10, 0, 4, 4}}, false},
        {3, {{5, 0, 308, 999}, {7, 400, 44, 44}, {10, 0, 4, 4}}, false},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        clnd__problem p = rows_of(1, 1, 100);
        case_begin("buckets even updates", i);
        p.n_outer = cases[i].n_outer;
        memcpy(p.outer, cases[i].outer, sizeof cases[i].outer);
        case_note("%s", problem_text(&p));
        for (int reduce = CLND_REDUCE_UPDATE; reduce <= CLND_REDUCE_ADD; reduce++)
            check(is_possible(&p, (clnd_reduce)reduce) == cases[i].possible, "expected %d",
                  cases[i].possible);
    }
}

Test(buckets_plan, slices)
{
    static const struct {
        clnd_dtype dtype;
        int n_slice;
        clnd__axis slice[2];
        bool update, reduce;
    } cases[] = {
        {CLND_FLOAT32, 0, {{0}}, true, true},
        {CLND_FLOAT32, 1, {{8, 4, 4, 0}}, true, true},
        {CLND_FLOAT32, 1, {{8, 8, 4, 0}}, false, true},
        {CLND_FLOAT32, 1, {{8, 4, 8, 0}}, false, true},
        {CLND_FLOAT32, 1, {{8, 8, 8, 0}}, false, true},
        {CLND_FLOAT32, 1, {{8, -4, 4, 0}}, false, true},
        {CLND_FLOAT32, 1, {{8, 4, 0, 0}}, false, true},
        {CLND_FLOAT32, 2, {{3, 40, 32, 0}, {8, 4, 4, 0}}, false, false},
        {CLND_FLOAT32, 2, {{3, 4, 32, 0}, {8, 12, 4, 0}}, false, false},
        {CLND_UINT8, 2, {{3, 4, 2, 0}, {2, 1, 1, 0}}, false, false}, // pairs of bytes, one apart
        {CLND_UINT8, 2, {{3, -2, 2, 0}, {2, 1, 1, 0}}, false, false},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        clnd__problem p = rows_of(10000, 1, 100);
        case_begin("buckets slices", i);
        p.dtype = cases[i].dtype;
        p.outer[0].dense = p.coordinates[0].stride = 128;
        p.n_slice = cases[i].n_slice;
        memcpy(p.slice, cases[i].slice, sizeof cases[i].slice);
        case_note("%s", problem_text(&p));
        check(is_possible(&p, CLND_REDUCE_UPDATE) == cases[i].update, "update");
        check(is_possible(&p, CLND_REDUCE_ADD) == cases[i].reduce, "reduction");
    }
}

// A part has no more places than an entry can tell, in steps of as many bytes as all of them have
// in common, up to a line.
Test(buckets_plan, places_of_a_part)
{
    static const struct {
        int64_t offset, stride, most; // places
        int64_t batch;                // bytes that some rows are away from others; 0: none
    } cases[] = {
        {0, 1, INT64_C(1) << 28, 0},     {0, 2, INT64_C(1) << 28, 0},
        {0, 4, INT64_C(1) << 28, 0},     {0, 12, (INT64_C(1) << 30) / 12 + 1, 0},
        {0, 64, INT64_C(1) << 28, 0},    {0, -64, INT64_C(1) << 28, 0},
        {0, 128, INT64_C(1) << 27, 0},   {0, 4096, INT64_C(1) << 22, 0},
        {6400, 64, INT64_C(1) << 28, 0}, {6404, 64, INT64_C(1) << 24, 0},
        {6401, 64, INT64_C(1) << 22, 0}, {0, 64, (INT64_C(1) << 28) - 1, 64},
        {0, 64, INT64_C(1) << 24, 4},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        clnd__problem p = rows_of(100000, 1, cases[i].most);
        case_begin("buckets places", i);
        p.dtype = CLND_UINT8;
        p.coordinates[0].stride = cases[i].stride;
        p.data_offset = cases[i].offset;
        if (cases[i].batch) {
            p.n_outer = 2;
            p.outer[1] = p.outer[0];
            p.outer[0] = (clnd__axis){2, cases[i].batch, 400000, 400004};
        }
        if (cases[i].stride < 0)
            p.data_offset -= (cases[i].most - 1) * cases[i].stride;
        case_note("%s", problem_text(&p));
        check(is_possible(&p, CLND_REDUCE_ADD), "not possible");
        p.coordinates[0].extent++;
        if (cases[i].stride < 0)
            p.data_offset -= cases[i].stride;
        check(!is_possible(&p, CLND_REDUCE_ADD), "possible");
    }
    clnd__problem p = rows_of(100000, 1, 1 << 30);
    case_begin("buckets places of 2^30", 0);
    p.coordinates[0].stride = 1;
    p.dtype = CLND_UINT8;
    check(!is_possible(&p, CLND_REDUCE_ADD), "bytes");
    p.coordinates[0] = (clnd__coordinate){1 << 24, 64};
    check(is_possible(&p, CLND_REDUCE_ADD), "lines");
}

// Plans ------------------------------------------------------------------------------------------

// A size of any magnitude up to 2^`bits`, often next to a power of two.
static int64_t any_size(rng *r, int bits)
{
    const int64_t power = INT64_C(1) << rng_range(r, 0, bits);
    const int64_t size =
        rng_chance(r, 30) ? power + rng_range(r, -2, 2) : rng_range(r, power / 2 + 1, power);
    return size > 1 ? size : 1;
}

// A folded problem with updates of any number that lie evenly, and a target of any size.
static void any_problem(rng *r, clnd__problem *p)
{
    static const clnd_dtype dtypes[] = {CLND_UINT8, CLND_INT16, CLND_FLOAT32, CLND_COMPLEX128};
    const clnd_dtype dtype = dtypes[rng_range(r, 0, 3)];
    const int64_t size = (int64_t)clnd_dtype_size(dtype);
    const int64_t grain = rng_chance(r, 50) ? 64 : size;
    const clnd__view view = {.dtype = dtype, .offset = (uint64_t)(grain * rng_range(r, 0, 1000))};
    const clnd__view indices = {.dtype = rng_chance(r, 50) ? CLND_INT32 : CLND_INT64};
    clnd__problem_begin(p, &view, &view, &indices);
    const int64_t columns = any_size(r, 6);
    int64_t stride = (columns + (rng_chance(r, 30) ? rng_range(r, 0, 9) : 0)) * size;
    for (int left = (int)rng_range(r, 1, 3); left > 0; left--) {
        const int64_t extent = any_size(r, left == 1 ? 24 : 8);
        const int64_t step = rng_chance(r, 20) ? -stride : stride;
        clnd__problem_add_coordinate(p, extent, step);
        p->data_offset += step < 0 ? (extent - 1) * stride : 0;
        stride *= extent;
    }
    int64_t even = rng_chance(r, 10) ? 0 : columns * size, index = 8;
    if (rng_chance(r, 10))
        even = -even;
    clnd__axis axes[3];
    const int n = (int)rng_range(r, 0, 3);
    for (int i = n - 1; i >= 0; i--) {
        axes[i] = (clnd__axis){any_size(r, i > 0 ? 8 : 30) + 1, 0, even, index};
        if (i < n - 1 && rng_chance(r, 50) && stride < INT64_C(1) << 30) { // batches
            axes[i].data = stride;
            stride *= axes[i].size;
        }
        even *= axes[i].size;
        index = index * axes[i].size + 8;
    }
    for (int i = 0; i < n; i++)
        clnd__problem_add_outer(p, axes[i].size, axes[i].data, axes[i].dense, axes[i].index);
    if (columns > 1)
        clnd__problem_add_slice(p, columns, size, size);
    clnd__problem_fold(p);
}

static uint64_t need_of(int64_t blocks, int64_t parts)
{
    return (uint64_t)blocks * (uint64_t)(BLOCK * 4 + (parts + 1) * 4);
}

static void check_parts(const clnd_device_facts *facts, const clnd__problem *p,
                        const clnd_bucket_args *args)
{
    int64_t first, last;
    clnd__problem_row_range(p, &first, &last);
    const int64_t begin = args->move.part_first, bytes = args->move.part_bytes;
    case_note("%s: %" PRId64 " parts of %" PRId64 " bytes from %" PRId64, problem_text(p),
              (int64_t)args->parts, bytes, begin);
    check(begin % LINE == 0 && begin <= first && first - begin < LINE, "begin");
    check(bytes >= LINE && (bytes & (bytes - 1)) == 0, "bytes");
    check(args->parts >= 1 && args->parts <= MOST_PARTS, "number");
    check(last / bytes >= begin / bytes && (last - begin) / bytes == args->parts - 1,
          "the last place is in part %" PRId64, (last - begin) / bytes);
    check(bytes >> args->place_shift <= PLACES, "places in steps of 2^%" PRId64,
          (int64_t)args->place_shift);
    // Some for each thread, as far as lines go, and for caches as far as the number goes.
    const int64_t wanted = 8 * (int64_t)facts->compute_units;
    const int64_t most = wanted < MOST_PARTS ? wanted : MOST_PARTS;
    check(bytes == LINE || 3 * args->parts >= most, "too few");
    check(bytes <= 1 << 17 || 3 * args->parts >= MOST_PARTS, "too large for caches");
    check(args->parts <= most || bytes > 1 << 15, "too many");
}

static void check_places(rng *r, const clnd__problem *p, const clnd_bucket_args *args)
{
    for (int n = 0; n < 20; n++) {
        const int64_t at = random_place(r, p) - args->move.part_first;
        const int64_t inside = at & (args->move.part_bytes - 1);
        check(at >= 0 && at / args->move.part_bytes < args->parts, "byte %" PRId64, at);
        check(at % (INT64_C(1) << args->place_shift) == 0, "byte %" PRId64 " is between steps", at);
        check(inside >> args->place_shift < PLACES, "byte %" PRId64 " of a part", inside);
    }
}

// What the kernels make of a row's number: where its update begins.
static void check_updates(rng *r, const clnd__problem *p, const clnd_bucket_args *args)
{
    for (int n = 0; n < 20; n++) {
        int64_t row = 0, at = 0;
        for (int i = 0; i < p->n_outer; i++) {
            const int64_t value = rng_range(r, 0, p->outer[i].size - 1);
            row = row * p->outer[i].size + value;
            at += value * p->outer[i].dense;
        }
        check(at == row * args->update_step, "row %" PRId64 " in steps of %" PRId64, row,
              (int64_t)args->update_step);
    }
}

static void check_chunk(uint64_t room, const clnd__bucket_plan *plan)
{
    const int64_t rows = plan->args.move.rows, parts = plan->args.parts;
    const int64_t blocks = plan->chunk / BLOCK;
    const int64_t all = rows / BLOCK + (rows % BLOCK != 0);
    const int64_t most = all < (1 << 20) / BLOCK ? all : (1 << 20) / BLOCK;
    case_note("%" PRId64 " rows, %" PRId64 " parts, %" PRIu64 " bytes: chunks of %" PRId64, rows,
              parts, room, plan->chunk);
    check(blocks >= 1 && plan->chunk % BLOCK == 0 && blocks <= most, "no whole blocks");
    check(plan->bytes == need_of(blocks, parts), "%" PRIu64 " bytes", plan->bytes);
    check(plan->bytes <= room || blocks == 1, "%" PRIu64 " bytes", plan->bytes);
    check(blocks == most || need_of(blocks + 1, parts) > room, "there is room for more");
    check(plan->bytes < 5 << 20, "%" PRIu64 " bytes", plan->bytes);
}

static void make_plan(const clnd_device_facts *facts, const clnd__problem *p, clnd_reduce reduce,
                      uint64_t room, int64_t offset, clnd__bucket_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    clnd__buckets_plan_make(facts, p, reduce, CLND_ADJUST_CLAMP, CLND__SUMS_PLAIN, 128, room,
                            offset, plan);
}

static uint64_t any_room(rng *r, int64_t parts)
{
    const int64_t blocks = rng_range(r, 0, 1 << rng_range(r, 0, 9));
    if (rng_chance(r, 10))
        return UINT64_MAX;
    return need_of(blocks, parts) + (uint64_t)rng_range(r, 0, 2) - (blocks > 0);
}

Test(buckets_plan, plans)
{
    int n_possible = 0;
    for (int i = 0; i < case_count(30000); i++) {
        case_begin("buckets plans", i);
        rng *r = case_rng();
        clnd_device_facts facts = cpu;
        facts.compute_units = (uint32_t)rng_range(r, 1, rng_chance(r, 50) ? 8 : 200);
        const clnd_reduce reduce = rng_chance(r, 50) ? CLND_REDUCE_UPDATE : CLND_REDUCE_ADD;
        const int64_t offset = 128 * rng_range(r, 0, 1000);
        clnd__problem p;
        any_problem(r, &p);
        case_note("%u units, %s", facts.compute_units, problem_text(&p));
        if (!clnd__buckets_are_possible(&facts, &p, reduce, 128))
            continue;
        n_possible++;
        clnd__bucket_plan plan, other;
        make_plan(&facts, &p, reduce, UINT64_MAX, offset, &plan);
        const clnd_bucket_args *args = &plan.args;
        check(args->move.rows == clnd__problem_rows(&p) && args->move.first_row == 0 &&
                  args->move.adjust == CLND_ADJUST_CLAMP && args->entries == offset,
              "arguments");
        check_parts(&facts, &p, args);
        check_places(r, &p, args);
        check_updates(r, &p, args);
        check_chunk(UINT64_MAX, &plan);
        const uint64_t room = any_room(r, args->parts);
        make_plan(&facts, &p, reduce, room, offset, &plan);
        check_chunk(room, &plan);
        // What is used of a room is a room that gives the same; less room is no larger chunk.
        make_plan(&facts, &p, reduce, plan.bytes, offset, &other);
        check(other.chunk == plan.chunk && other.bytes == plan.bytes, "not the same again");
        make_plan(&facts, &p, reduce, room / 2, offset, &other);
        check(other.chunk <= plan.chunk && other.bytes <= plan.bytes, "less room, larger chunk");
    }
    check(n_possible > case_count(30000) / 2, "only %d", n_possible);
}

// A plan holds nothing of what was there before.
Test(buckets_plan, plans_are_complete)
{
    const clnd__problem p = rows_of(100000, 4, 1000);
    clnd__bucket_plan plan, other;
    case_begin("buckets complete", 0);
    make_plan(&cpu, &p, CLND_REDUCE_ADD, 100000, 256, &plan);
    memset(&other, 0x55, sizeof other);
    clnd__buckets_plan_make(&cpu, &p, CLND_REDUCE_ADD, CLND_ADJUST_CLAMP, CLND__SUMS_PLAIN, 128,
                            100000, 256, &other);
    check(memcmp(&plan.args, &other.args, sizeof plan.args) == 0, "arguments");
    check(plan.chunk == other.chunk && plan.bytes == other.bytes, "chunk");
    check(other.divide.gate == plan.divide.gate && other.apply.gate == plan.apply.gate, "gates");
}

// A part's thread may make zeros of it only where no other part's row reaches into it.
Test(buckets_plan, zeros)
{
    static const struct {
        int64_t columns, data_offset, begin, end; // end: elements behind the last row
        bool possible;
    } cases[] = {
        {1, 0, 0, 0, true},     {4, 0, 0, 0, true},   {16, 0, 0, 0, true},
        {3, 0, 0, 0, false},    {32, 0, 0, 0, false}, // across lines
        {4, 128, 128, 0, true}, {4, 64, 64, 0, true}, {4, 32, 32, 0, false},
        {4, 64, 0, 0, false}, // elements before the first row
        {1, 4, 4, 0, false},    {4, 0, 0, 8, true},   {1, 0, 0, 1 << 20, false},
    };
    enum { PLACES_HERE = 4000 };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        clnd__problem p = rows_of(10000, cases[i].columns, PLACES_HERE);
        clnd__bucket_plan plan;
        case_begin("buckets zeros", i);
        p.data_offset = cases[i].data_offset;
        const int64_t end = p.data_offset + 4 * (PLACES_HERE * cases[i].columns + cases[i].end);
        make_plan(&cpu, &p, CLND_REDUCE_ADD, 100000, 0, &plan);
        check(plan.args.zero_bytes == 0, "not asked for");
        check(clnd__buckets_zero_first(&plan, cases[i].begin, end) == cases[i].possible, "%d",
              cases[i].possible);
        check(plan.args.zero_bytes == (cases[i].possible ? end - cases[i].begin : 0), "%lld bytes",
              (long long)plan.args.zero_bytes);
    }
    for (size_t alignment = 1; alignment <= 128; alignment *= 2) {
        const clnd__problem p = rows_of(10000, 1, PLACES_HERE);
        clnd__bucket_plan plan = {.chunk = 0};
        case_begin("buckets zeros of words", (int)alignment);
        clnd__buckets_plan_make(&cpu, &p, CLND_REDUCE_ADD, CLND_ADJUST_CLAMP, CLND__SUMS_PLAIN,
                                alignment, 100000, 0, &plan);
        check(clnd__buckets_zero_first(&plan, 0, 4 * PLACES_HERE) == (alignment >= 8), "memory");
    }
}

Test(buckets_plan, least_and_most_bytes)
{
    clnd__bucket_plan plan;
    clnd__problem p = rows_of(1, 1, 1);
    case_begin("buckets bytes", 0);
    make_plan(&cpu, &p, CLND_REDUCE_ADD, 0, 0, &plan);
    check(plan.args.parts == 1 && plan.bytes == 16384 + 8, "%" PRIu64, plan.bytes);
    p = rows_of(INT64_C(1) << 40, 1, INT64_C(1) << 28);
    make_plan(&cpu, &p, CLND_REDUCE_ADD, 0, 0, &plan);
    check(plan.args.parts == 256 && plan.bytes == 17412, "%" PRIu64, plan.bytes);
    make_plan(&cpu, &p, CLND_REDUCE_ADD, UINT64_MAX, 0, &plan);
    check(plan.chunk == 1 << 20 && plan.bytes == 256 * 17412, "%" PRIu64, plan.bytes);
}

typedef struct kernel_row {
    const char *what;
    clnd_dtype dtype, index_dtype;
    clnd_reduce reduce;
    int64_t columns;
    int adjust, n_coordinates;
    clnd__sums sums;
    bool soft;
    const char *divide, *apply;
} kernel_row;

#define DIVIDE(index) "-DSMALL=1 -DINDEX=" #index " -DLANES=0 -cl-std=CL1.2 -DCOORDINATES="
#define APPLY         "-DSMALL=1 -DINDEX=0 -DLANES=0 -cl-std=CL1.2 "

static const kernel_row kernels[] = {
    {"update", CLND_FLOAT32, CLND_INT32, CLND_REDUCE_UPDATE, 8, CLND_ADJUST_NONE, 1,
     CLND__SUMS_PLAIN, false, DIVIDE(4) "1 -DADJUST=0", APPLY "-DREDUCE=1 -DUNIT=16 -DROW=32"},
    {"update of any length", CLND_FLOAT32, CLND_INT64, CLND_REDUCE_UPDATE, 7, CLND_ADJUST_WRAP, 2,
     CLND__SUMS_PLAIN, false, DIVIDE(8) "2", APPLY "-DREDUCE=1 -DUNIT=4 -DROW=0"},
    {"update of scalars", CLND_UINT8, CLND_UINT8, CLND_REDUCE_UPDATE, 1, CLND_ADJUST_CLAMP, 3,
     CLND__SUMS_PLAIN, false, DIVIDE(0) "3", APPLY "-DREDUCE=1 -DUNIT=1 -DROW=1"},
    {"sum", CLND_FLOAT32, CLND_INT32, CLND_REDUCE_ADD, 4, CLND_ADJUST_NONE, 3, CLND__SUMS_PLAIN,
     false, DIVIDE(4) "3 -DADJUST=0", APPLY "-DDTYPE=12 -DREDUCE=2 -DWIDE=0 -DCOLUMNS=4"},
    {"wide product", CLND_FLOAT16, CLND_INT32, CLND_REDUCE_MUL, 2, CLND_ADJUST_NONE, 1,
     CLND__SUMS_WIDE, false, DIVIDE(4) "1 -DADJUST=0",
     APPLY "-DDTYPE=10 -DREDUCE=4 -DWIDE=1 -DCOLUMNS=2"},
    {"rounded sum", CLND_BFLOAT16, CLND_INT32, CLND_REDUCE_ADD, 4, CLND_ADJUST_NONE, 1,
     CLND__SUMS_ROUNDED, false, DIVIDE(4) "1 -DADJUST=0",
     APPLY "-DDTYPE=11 -DREDUCE=2 -DWIDE=2 -DCOLUMNS=4"},
    {"sum of doubles", CLND_FLOAT64, CLND_INT32, CLND_REDUCE_ADD, 3, CLND_ADJUST_NONE, 1,
     CLND__SUMS_PLAIN, true, DIVIDE(4) "1 -DADJUST=0",
     APPLY "-DDTYPE=13 -DREDUCE=2 -DWIDE=0 -DCOLUMNS=0 -DSOFT_FP64=1"},
};

static void check_kernel(const clnd__kernel_id *kernel, const char *source, const char *function,
                         clnd__gate_use gate, const char *options)
{
    check(strcmp(kernel->source, source) == 0, "file %s", kernel->source);
    check(strcmp(kernel->function, function) == 0, "function %s", kernel->function);
    check(kernel->gate == gate, "gate %d of %s", (int)kernel->gate, function);
    check(strcmp(kernel->options, options) == 0, "\"%s\", expected \"%s\"", kernel->options,
          options);
}

// What divides the rows writes to the workspace only, so it does not wait for a verdict.
Test(buckets_plan, kernels)
{
    for (int i = 0; i < (int)(sizeof kernels / sizeof *kernels); i++) {
        const kernel_row *row = &kernels[i];
        const int64_t size = (int64_t)clnd_dtype_size(row->dtype);
        const int64_t data = row->sums == CLND__SUMS_WIDE ? (int64_t)sizeof(float) : size;
        clnd__problem p = {.dtype = row->dtype, .index_dtype = row->index_dtype};
        clnd_device_facts facts = cpu;
        case_begin("buckets kernels", i);
        case_note("%s", row->what);
        facts.fp64 = !row->soft;
        clnd__problem_add_outer(&p, 10000, 0, row->columns * size, 24);
        for (int k = 0; k < row->n_coordinates; k++)
            clnd__problem_add_coordinate(&p, 10, row->columns * data << 4 * k);
        if (row->columns > 1)
            clnd__problem_add_slice(&p, row->columns, data, size);
        check(clnd__buckets_are_possible(&facts, &p, row->reduce, 128), "not possible");
        clnd__bucket_plan plan = {.chunk = 0};
        clnd__buckets_plan_make(&facts, &p, row->reduce, row->adjust, row->sums, 128, UINT64_MAX, 0,
                                &plan);
        const bool rounded = row->sums == CLND__SUMS_ROUNDED;
        check_kernel(&plan.divide, "scatter_buckets", "bucket_rows", CLND__GATE_IGNORED,
                     row->divide);
        check_kernel(&plan.apply, rounded ? "scatter_buckets_rounded" : "scatter_buckets",
                     rounded ? "bucket_round" : "bucket_apply", CLND__GATE_OBEYED, row->apply);
    }
}

// Sizes at which nothing may wrap.
Test(buckets_plan, sizes_near_the_end_of_64_bits)
{
    static const int64_t sizes[] = {INT64_C(1) << 40, (INT64_C(1) << 40) - 1, INT64_C(1) << 55,
                                    (INT64_C(1) << 60) + 1};
    for (int i = 0; i < 8; i++) {
        const int64_t size = sizes[i & 3];
        clnd__bucket_plan plan;
        clnd_device_facts facts = cpu;
        case_begin("huge buckets", i);
        facts.compute_units = i & 4 ? 200 : 1;
        // rows
        clnd__problem p = rows_of(size, 1, 1000);
        p.outer[0].dense = p.outer[0].index = 1;
        check(clnd__buckets_are_possible(&facts, &p, CLND_REDUCE_ADD, 1), "many rows");
        make_plan(&facts, &p, CLND_REDUCE_ADD, UINT64_MAX, INT64_C(1) << 40, &plan);
        check(plan.args.move.rows == size && plan.args.entries == INT64_C(1) << 40, "rows");
        check_chunk(UINT64_MAX, &plan);
        check((clnd__buckets_advantage(&facts, &p, UINT64_MAX) != NULL) == (i >= 4), "many rows");
        // extents, of bytes and of lines
        p = rows_of(100000, 1, size);
        p.coordinates[0].stride = 1;
        check(!clnd__buckets_are_possible(&facts, &p, CLND_REDUCE_ADD, 128), "large target");
        check(!clnd__buckets_advantage(&facts, &p, 17411), "room");
        p.coordinates[0] = (clnd__coordinate){size >> 6, 64};
        check(!clnd__buckets_are_possible(&facts, &p, CLND_REDUCE_ADD, 128), "large target");
        // the end of what offsets can be
        p = rows_of(100000, 1, 100);
        p.data_offset = INT64_MAX / 2;
        check(clnd__buckets_are_possible(&facts, &p, CLND_REDUCE_ADD, 1), "far target");
        make_plan(&facts, &p, CLND_REDUCE_ADD, UINT64_MAX, 0, &plan);
        check_parts(&facts, &p, &plan.args);
        // updates far apart
        p.data_offset = 0;
        p.outer[0] = (clnd__axis){1024, 0, INT64_MAX / 1024 / 4 * 4, 4};
        check(clnd__buckets_are_possible(&facts, &p, CLND_REDUCE_ADD, 128), "far updates");
        make_plan(&facts, &p, CLND_REDUCE_ADD, UINT64_MAX, 0, &plan);
        check(plan.args.update_step == INT64_MAX / 1024 / 4 * 4, "far updates");
        p.n_outer = 2;
        p.outer[0] = (clnd__axis){2, 400, 4, 4};
        p.outer[1] = (clnd__axis){4, 0, INT64_C(1) << 62, 8};
        check(!clnd__buckets_are_possible(&facts, &p, CLND_REDUCE_ADD, 128), "a step beyond");
        // long rows
        p = rows_of(2000, size >> 3, 3);
        check((clnd__buckets_advantage(&facts, &p, UINT64_MAX) != NULL) == (i >= 4), "long rows");
    }
}

// The choice -------------------------------------------------------------------------------------

static bool is_better(uint32_t units, const clnd__problem *p, uint64_t room)
{
    clnd_device_facts facts = cpu;
    facts.compute_units = units;
    const char *reason = clnd__buckets_advantage(&facts, p, room);
    check(!reason || strstr(reason, "a CPU: "), "%s", reason);
    return reason != NULL;
}

// From 1024 rows on, if they and their updates are some 2 MiB.
Test(buckets_plan, advantage)
{
    static const struct {
        int64_t columns, rows;
    } least[] = {{1, 131072}, {2, 104857}, {13, 32768}, {125, 4096}, {509, 1024}, {1024, 1024}};
    for (int i = 0; i < (int)(sizeof least / sizeof *least); i++) {
        case_begin("buckets advantage", i);
        clnd__problem p = rows_of(least[i].rows, least[i].columns, 1000);
        check(is_better(4, &p, UINT64_MAX), "%" PRId64 " rows", least[i].rows);
        check(is_better(2, &p, UINT64_MAX), "two units");
        check(!is_better(1, &p, UINT64_MAX), "one unit");
        p.outer[0].size--;
        check(!is_better(4, &p, UINT64_MAX), "%" PRId64 " rows", least[i].rows - 1);
    }
    case_begin("buckets advantage, room", 0);
    clnd__bucket_plan plan;
    clnd__problem p = rows_of(131072, 1, 1 << 20);
    make_plan(&cpu, &p, CLND_REDUCE_ADD, 0, 0, &plan);
    check(plan.args.parts == 32, "parts");
    check(is_better(4, &p, plan.bytes), "room for a block");
    check(!is_better(4, &p, plan.bytes - 1), "a byte less");
    check(!is_better(4, &p, 0), "no room");
    case_begin("buckets advantage, parts", 0);
    p = rows_of(131072, 1, 16);
    check(!is_better(4, &p, UINT64_MAX), "one line");
    p = rows_of(131072, 1, 17);
    check(is_better(4, &p, UINT64_MAX), "two lines");
}

// A scatter as a whole.
typedef struct planned {
    clnd_device_facts facts;
    clnd__problem problem;
    clnd__scatter_options options;
    clnd__memory memory;
    clnd_workspace lent;
    int64_t begin, end;
    clnd__scatter_plan plan;
} planned;

static void describe(planned *p, clnd_dtype dtype, clnd_reduce reduce, int64_t rows, int64_t places)
{
    const int64_t size = (int64_t)clnd_dtype_size(dtype);
    *p = (planned){.facts = cpu,
                   .problem = rows_of(rows, 1, places),
                   .options = {.reduce = reduce},
                   .memory = {.size = SIZE_MAX / 2, .alignment = 128},
                   .end = places * size};
    p->problem.dtype = dtype;
    p->problem.outer[0].dense = p->problem.coordinates[0].stride = size;
}

static clnd_status try_plan(planned *p)
{
    clnd__strategy_use(NULL);
    return clnd__scatter_plan_make(&p->facts, p->problem, &p->options, &p->memory, p->begin, p->end,
                                   &p->memory, &p->memory, &p->plan);
}

static clnd_strategy choose(planned *p)
{
    check_status(try_plan(p), CLND_OK);
    return p->plan.choice.strategy;
}

static void check_choice(planned *p, clnd_strategy expected)
{
    const clnd_strategy got = choose(p);
    check(got == expected, "%s: %s", clnd__strategy_name(got), p->plan.choice.reason);
    check(!p->options.workspace || p->plan.workspace.bytes <= p->lent.size,
          "chosen, but %" PRIu64 " bytes are needed of %zu", p->plan.workspace.bytes, p->lent.size);
}

Test(buckets_plan, choice)
{
    enum { MANY = 1 << 20, LARGE = 1 << 20, SMALL = 256, FEW = 1000 };
    static const struct {
        clnd_dtype dtype;
        clnd_reduce reduce;
        bool deterministic, unique;
        int64_t rows, places;
        clnd_strategy strategy;
    } cases[] = {
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, MANY, LARGE, CLND_STRATEGY_BUCKETS},
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, false, MANY, LARGE, CLND_STRATEGY_BUCKETS},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, FEW, LARGE, CLND_STRATEGY_OWNER},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, true, MANY, LARGE, CLND_STRATEGY_STORE},
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, false, MANY, SMALL, CLND_STRATEGY_PRIVATE},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, MANY, SMALL, CLND_STRATEGY_OWNER},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, MANY, 8192, CLND_STRATEGY_OWNER},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, MANY, 8193, CLND_STRATEGY_BUCKETS},
        {CLND_INT32, CLND_REDUCE_ADD, true, false, MANY, SMALL, CLND_STRATEGY_PRIVATE},
        {CLND_INT32, CLND_REDUCE_ADD, true, false, MANY, LARGE, CLND_STRATEGY_BUCKETS},
        {CLND_INT32, CLND_REDUCE_UPDATE, true, false, MANY, LARGE, CLND_STRATEGY_BUCKETS},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, false, MANY, LARGE, CLND_STRATEGY_STORE},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, false, MANY, SMALL, CLND_STRATEGY_PRIVATE},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, true, MANY, SMALL, CLND_STRATEGY_STORE},
        {CLND_INT32, CLND_REDUCE_UPDATE, true, false, MANY, SMALL, CLND_STRATEGY_PRIVATE},
        {CLND_INT32, CLND_REDUCE_UPDATE, true, false, MANY, MANY / 2, CLND_STRATEGY_PRIVATE},
        {CLND_INT32, CLND_REDUCE_UPDATE, true, false, MANY, MANY / 2 + 1, CLND_STRATEGY_BUCKETS},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, false, MANY, MANY / 2, CLND_STRATEGY_STORE},
        {CLND_FLOAT16, CLND_REDUCE_ADD, true, false, MANY, LARGE, CLND_STRATEGY_BUCKETS},
        {CLND_FLOAT16, CLND_REDUCE_ADD, true, false, FEW, LARGE, CLND_STRATEGY_BUCKETS},
        {CLND_FLOAT16, CLND_REDUCE_ADD, false, false, FEW, LARGE, CLND_STRATEGY_OWNER},
        {CLND_FLOAT16, CLND_REDUCE_MAX, true, false, FEW, LARGE, CLND_STRATEGY_OWNER},
        {CLND_FLOAT16, CLND_REDUCE_ADD, true, false, 1 << 22, 1 << 25, CLND_STRATEGY_SORT},
        {CLND_UINT8, CLND_REDUCE_MAX, false, false, MANY, 1 << 28, CLND_STRATEGY_BUCKETS},
        {CLND_UINT8, CLND_REDUCE_MAX, false, false, MANY, 1 << 29, CLND_STRATEGY_OWNER},
        {CLND_FLOAT64, CLND_REDUCE_MUL, false, false, MANY, SMALL, CLND_STRATEGY_OWNER},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p;
        case_begin("buckets choice", i);
        describe(&p, cases[i].dtype, cases[i].reduce, cases[i].rows, cases[i].places);
        p.options.deterministic = cases[i].deterministic;
        p.options.unique = cases[i].unique;
        check_choice(&p, cases[i].strategy);
        check(cases[i].strategy != CLND_STRATEGY_BUCKETS ||
                  (!clnd__scatter_only_move(&p.plan) &&
                   p.plan.workspace.bytes == p.plan.behind_wide + p.plan.buckets.bytes),
              "workspace");
        if (cases[i].strategy != CLND_STRATEGY_BUCKETS)
            continue;
        p.facts.is_cpu = false;
        check(choose(&p) != CLND_STRATEGY_BUCKETS, "on a GPU");
        p.options.strategy = CLND_STRATEGY_BUCKETS;
        check_status(try_plan(&p), CLND_INVALID_OPTION);
        check_message("BUCKETS cannot do this scatter");
    }
}

// Sums that are rounded once: of the rows of a place, where to sort them costs less than a float32
// copy of the target and there is room for all rows; else in such a copy.
Test(buckets_plan, rounded_sums)
{
    enum { WHOLE = 64 << 20 }; // bytes that the lists may take
    static const struct {
        int64_t rows, columns, places;
        clnd__sums sums;
    } cases[] = {
        {10000, 1, 10000, CLND__SUMS_ROUNDED},   {10001, 1, 10000, CLND__SUMS_WIDE},
        {10000, 31, 322, CLND__SUMS_WIDE},       {10000, 31, 323, CLND__SUMS_ROUNDED},
        {100000, 32, 100, CLND__SUMS_ROUNDED},   {1, 1, 1, CLND__SUMS_PLAIN},
        {2, 1, 1000, CLND__SUMS_ROUNDED},        {3100000, 64, 1000, CLND__SUMS_ROUNDED},
        {WHOLE / 16, 64, 1000, CLND__SUMS_WIDE}, {WHOLE / 16 + 1, 64, 1000, CLND__SUMS_WIDE},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        const int64_t columns = cases[i].columns;
        planned p;
        case_begin("rounded sums", i);
        describe(&p, CLND_BFLOAT16, CLND_REDUCE_SUB, cases[i].rows, cases[i].places);
        p.options.deterministic = true;
        p.options.strategy = CLND_STRATEGY_BUCKETS;
        p.problem.outer[0].dense = p.problem.coordinates[0].stride = 2 * columns;
        p.end *= columns;
        if (columns > 1)
            clnd__problem_add_slice(&p.problem, columns, 2, 2);
        check_status(try_plan(&p), CLND_OK);
        const clnd__bucket_plan *plan = &p.plan.buckets;
        const bool rounded = cases[i].sums == CLND__SUMS_ROUNDED;
        check(p.plan.wide == (cases[i].sums == CLND__SUMS_WIDE), "a copy: %d", p.plan.wide);
        check(!strcmp(plan->apply.source, "scatter_buckets_rounded") == rounded, "%s",
              plan->apply.source);
        if (!rounded)
            continue;
        const int64_t blocks = (cases[i].rows + BLOCK - 1) / BLOCK;
        check(plan->chunk == cases[i].rows, "%" PRId64 " rows at once", plan->chunk);
        check(plan->bytes == need_of(blocks, plan->args.parts) + 16 * (uint64_t)cases[i].rows &&
                  plan->bytes <= WHOLE,
              "%" PRIu64 " bytes", plan->bytes);
        p.options.strategy = CLND_STRATEGY_AUTO;
        p.options.workspace = &p.lent;
        p.lent = (clnd_workspace){.size = plan->bytes};
        check_choice(&p, CLND_STRATEGY_BUCKETS);
        check(!p.plan.wide, "a copy with enough room");
        p.lent.size--;
        check(choose(&p) != CLND_STRATEGY_BUCKETS || p.plan.wide, "too little room");
    }
}

// What a thread does alone, many do faster.
Test(buckets_plan, few_places_of_many_threads)
{
    for (uint32_t units = 7; units < 11; units++) {
        planned p;
        case_begin("few places of many threads", (int)units);
        describe(&p, CLND_FLOAT32, CLND_REDUCE_ADD, 1 << 20, 256);
        p.options.deterministic = true;
        p.facts.compute_units = units;
        check_choice(&p, units <= 8 ? CLND_STRATEGY_OWNER : CLND_STRATEGY_BUCKETS);
        const size_t items = p.plan.move.global[0] * p.plan.move.global[1];
        check(units > 8 || items == 1, "%zu work-items", items);
    }
}

// Private copies that do not fit what is lent are left to buckets, or to owners, who need nothing.
Test(buckets_plan, no_room_for_copies)
{
    planned p;
    case_begin("no room for copies", 0);
    describe(&p, CLND_FLOAT32, CLND_REDUCE_ADD, 1 << 20, 1 << 16);
    check_choice(&p, CLND_STRATEGY_PRIVATE);
    const size_t copies = (size_t)p.plan.workspace.bytes;
    p.options.workspace = &p.lent;
    p.lent = (clnd_workspace){.size = copies};
    check_choice(&p, CLND_STRATEGY_PRIVATE);
    p.lent.size = copies - 1;
    check_choice(&p, CLND_STRATEGY_BUCKETS);
    p.lent.size = 0;
    check_choice(&p, CLND_STRATEGY_OWNER);
    p.options.strategy = CLND_STRATEGY_PRIVATE;
    check_status(try_plan(&p), CLND_OK);
    check(p.plan.workspace.bytes == copies, "the plan tells what is needed");
}

// Nor do numbers of rows: then one owner makes all updates of few places.
Test(buckets_plan, no_room_for_numbers)
{
    planned p;
    case_begin("no room for numbers", 0);
    describe(&p, CLND_INT32, CLND_REDUCE_UPDATE, 1 << 20, 256);
    check_choice(&p, CLND_STRATEGY_PRIVATE);
    p.options.workspace = &p.lent;
    p.lent = (clnd_workspace){.size = (size_t)p.plan.workspace.bytes - 1};
    check_choice(&p, CLND_STRATEGY_OWNER);
    check(p.plan.move.global[0] * p.plan.move.global[1] == 1, "more work-items than one");
}

Test(buckets_plan, lent_workspaces)
{
    planned p;
    case_begin("buckets workspace", 0);
    describe(&p, CLND_FLOAT32, CLND_REDUCE_ADD, 1 << 20, 1 << 20);
    p.options.deterministic = true;
    p.options.workspace = &p.lent;
    const uint64_t least = need_of(1, 32);
    p.lent = (clnd_workspace){.size = least, .offset = 1280};
    check_choice(&p, CLND_STRATEGY_BUCKETS);
    check(p.plan.workspace.bytes == least && p.plan.buckets.args.entries == 1280, "place");
    p.lent.size = 3 * least + 5;
    check_choice(&p, CLND_STRATEGY_BUCKETS);
    check(p.plan.workspace.bytes == 3 * least && p.plan.buckets.chunk == 3 * BLOCK, "chunk");
    p.lent.size = least - 1;
    check_choice(&p, CLND_STRATEGY_OWNER);
    p.lent.size = 0;
    check_choice(&p, CLND_STRATEGY_OWNER);
    p.options.strategy = CLND_STRATEGY_BUCKETS; // needs what there is not
    check_status(try_plan(&p), CLND_OK);
    check(p.plan.workspace.bytes == least, "need");
}

// A float32 copy of the target lies before the entries, which begin at a multiple of 128: where
// that leaves no room for them, they are not chosen.
Test(buckets_plan, room_behind_a_wide_copy)
{
    enum { PLACES_OF_TARGET = 100001 };
    planned p;
    describe(&p, CLND_FLOAT16, CLND_REDUCE_ADD, 1 << 20, PLACES_OF_TARGET);
    p.options.deterministic = true;
    p.options.workspace = &p.lent;
    p.lent.offset = 256;
    p.lent.size = SIZE_MAX / 4;
    case_begin("buckets behind a wide copy", 0);
    check_choice(&p, CLND_STRATEGY_BUCKETS);
    const uint64_t wide = PLACES_OF_TARGET * 4, behind = (wide + 127) / 128 * 128;
    const int64_t parts = p.plan.buckets.args.parts;
    check(p.plan.behind_wide == behind && p.plan.widen.wide_offset == 256, "copy");
    check(p.plan.buckets.args.entries == 256 + (int64_t)behind, "entries");
    check(p.plan.buckets.args.move.part_first == 256 &&
              parts * p.plan.buckets.args.move.part_bytes >= PLACES_OF_TARGET * 4,
          "parts");
    for (int less = -3; less <= 140; less++) {
        case_begin("buckets behind a wide copy", less + 10);
        p.lent.size = behind + need_of(1, parts) - (uint64_t)less;
        check_choice(&p, less <= 0 ? CLND_STRATEGY_BUCKETS : CLND_STRATEGY_OWNER);
    }
}

// A float32 copy has twice as many bytes, so a target may have room in entries that its copy has
// not; and what begins at its lowest byte may be aligned otherwise.
Test(buckets_plan, places_of_a_wide_copy)
{
    static const struct {
        int64_t columns; // of float16
        int64_t extent;
        bool backwards;
        clnd_strategy strategy;
    } cases[] = {
        {1, INT64_C(1) << 27, false, CLND_STRATEGY_BUCKETS},
        {1, INT64_C(1) << 28, false, CLND_STRATEGY_BUCKETS},
        {1, INT64_C(1) << 29, false, CLND_STRATEGY_OWNER},
        {16, INT64_C(1) << 28, false, CLND_STRATEGY_BUCKETS},
        {32, INT64_C(1) << 27, false, CLND_STRATEGY_BUCKETS},
        {32, INT64_C(1) << 28, false, CLND_STRATEGY_OWNER},
        {32, INT64_C(1) << 28, true, CLND_STRATEGY_OWNER},
        {32, INT64_C(1) << 24, true, CLND_STRATEGY_OWNER},
        {32, INT64_C(1) << 22, true, CLND_STRATEGY_BUCKETS},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p;
        case_begin("buckets in a wide copy", i);
        describe(&p, CLND_FLOAT16, CLND_REDUCE_ADD, INT64_C(1) << 40, 1);
        p.options.deterministic = true;
        const int64_t columns = cases[i].columns;
        p.problem.outer[0].dense = p.problem.coordinates[0].stride = 2 * columns;
        p.problem.coordinates[0].extent = cases[i].extent;
        p.end = 2 * columns * cases[i].extent;
        if (columns > 1)
            clnd__problem_add_slice(&p.problem, columns, cases[i].backwards ? -2 : 2, 2);
        if (cases[i].backwards) {
            p.begin = 64 - 2 * (columns - 1);
            p.end += p.begin;
            p.problem.data_offset = 64;
        }
        check_choice(&p, cases[i].strategy);
        if (cases[i].strategy == CLND_STRATEGY_BUCKETS) {
            clnd__problem wide = p.problem;
            clnd__problem_scale_data(&wide, p.begin, 4, 2);
            check_parts(&p.facts, &wide, &p.plan.buckets.args);
            check_places(case_rng(), &wide, &p.plan.buckets.args);
            continue;
        }
        p.options.strategy = CLND_STRATEGY_BUCKETS;
        check_status(try_plan(&p), CLND_INVALID_OPTION);
    }
}

// Where no two rows meet there is no copy, and the places that count are those of the target.
Test(buckets_plan, places_without_a_wide_copy)
{
    planned p;
    case_begin("buckets without a wide copy", 0);
    describe(&p, CLND_FLOAT16, CLND_REDUCE_ADD, 1 << 20, 1 << 24);
    p.problem.outer[0].dense = p.problem.coordinates[0].stride = 64;
    clnd__problem_add_slice(&p.problem, 32, 2, 2);
    p.problem.data_offset = p.begin = 2; // so that places of the copy are steps of a line
    p.end = (INT64_C(1) << 30) + 2;
    p.options.deterministic = true;
    p.options.strategy = CLND_STRATEGY_BUCKETS;
    check_choice(&p, CLND_STRATEGY_BUCKETS);
    p.options.unique = true;
    check_status(try_plan(&p), CLND_INVALID_OPTION);
    p.problem.data_offset = p.begin = 64;
    check_choice(&p, CLND_STRATEGY_BUCKETS);
    check(!p.plan.wide && p.plan.workspace.bytes == p.plan.buckets.bytes, "a copy");
}
