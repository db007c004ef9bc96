// SPDX-License-Identifier: Apache-2.0
//
// What buckets plan: which scatters they can do, how the target is divided into parts and the rows
// into chunks, and when they are chosen.

#include "host/exec/strategies/buckets.c"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "plans.h"
#include "problems.h"

// What an entry has room for: a row of a block, and a location in a part.
enum { BLOCK = 4096, LOCATIONS = 1 << 20, MOST_PARTS = 256, LINE = 64 };

// Rows of `columns` float32 that are added.
static planned rows_of(int64_t rows, int64_t columns, int64_t locations)
{
    return planned_rows(&plain_cpu, CLND_FLOAT32, CLND_REDUCE_ADD, rows, columns, locations);
}

// Whether buckets can do the scatter, one that reduces in the way given.
static bool can_do(planned *p, int reduce)
{
    p->words = "must,buckets";
    p->options.reduce = (clnd_reduce)reduce;
    const clnd_status status = planned_try(p);
    check(status == CLND_OK || status == CLND_INVALID_OPTION, "%s", clnd_status_name(status));
    return status == CLND_OK;
}

// Plans buckets that may use `room` bytes. What they would need is there even if they need more.
static const bucket_plan *force(planned *p, uint64_t room, int64_t offset)
{
    p->words = "must,buckets";
    planned_lend(p, (size_t)offset, (size_t)room);
    check_status(planned_try(p), p->plan.workspace.bytes > room ? CLND_BUFFER_TOO_SMALL : CLND_OK);
    return own(&p->plan);
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
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p = rows_of(10000, 8, 1000);
        case_begin("buckets devices", i);
        p.facts.is_cpu = cases[i].is_cpu;
        strcpy(p.facts.platform, cases[i].platform);
        for (int reduce = CLND_REDUCE_UPDATE; reduce <= CLND_REDUCE_ADD; reduce++)
            check(can_do(&p, reduce) == cases[i].possible, "%s", cases[i].platform);
    }
}

Test(buckets_plan, coordinates)
{
    for (int n = 0; n <= 5; n++) {
        planned p = rows_of(10000, 1, 1);
        case_begin("buckets coordinates", n);
        p.problem.n_coordinates = n;
        for (int k = 0; k < n; k++)
            p.problem.coordinates[k] = (clnd__coordinate){3, 4 << 2 * k};
        check(can_do(&p, CLND_REDUCE_ADD) == (n >= 1), "%d", n);
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
        planned p = rows_of(1, 1, 100);
        case_begin("buckets even updates", i);
        p.problem.n_outer = cases[i].n_outer;
        memcpy(p.problem.outer, cases[i].outer, sizeof cases[i].outer);
        case_note("%s", problem_text(&p.problem));
        for (int reduce = CLND_REDUCE_UPDATE; reduce <= CLND_REDUCE_ADD; reduce++)
            check(can_do(&p, reduce) == cases[i].possible, "expected %d", cases[i].possible);
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
        planned p = rows_of(10000, 1, 100);
        case_begin("buckets slices", i);
        p.problem.dtype = cases[i].dtype;
        p.problem.outer[0].dense = p.problem.coordinates[0].stride = 128;
        p.problem.n_slice = cases[i].n_slice;
        memcpy(p.problem.slice, cases[i].slice, sizeof cases[i].slice);
        case_note("%s", problem_text(&p.problem));
        check(can_do(&p, CLND_REDUCE_UPDATE) == cases[i].update, "update");
        check(can_do(&p, CLND_REDUCE_ADD) == cases[i].reduce, "reduction");
    }
}

// A part has no more locations than an entry can tell, in steps of as many bytes as all of them
// have in common, up to a line.
Test(buckets_plan, locations_of_a_part)
{
    static const struct {
        int64_t offset, stride, most; // locations
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
        planned p = rows_of(100000, 1, cases[i].most);
        clnd__problem *problem = &p.problem;
        case_begin("buckets locations", i);
        problem->dtype = CLND_UINT8;
        problem->coordinates[0].stride = cases[i].stride;
        problem->data_offset = cases[i].offset;
        if (cases[i].batch) {
            problem->n_outer = 2;
            problem->outer[1] = problem->outer[0];
            problem->outer[0] = (clnd__axis){2, cases[i].batch, 400000, 400004};
        }
        if (cases[i].stride < 0)
            problem->data_offset -= (cases[i].most - 1) * cases[i].stride;
        case_note("%s", problem_text(problem));
        check(can_do(&p, CLND_REDUCE_ADD), "not possible");
        problem->coordinates[0].extent++;
        if (cases[i].stride < 0)
            problem->data_offset -= cases[i].stride;
        check(!can_do(&p, CLND_REDUCE_ADD), "possible");
    }
    planned p = rows_of(100000, 1, 1 << 30);
    case_begin("buckets locations of 2^30", 0);
    p.problem.coordinates[0].stride = 1;
    p.problem.dtype = CLND_UINT8;
    check(!can_do(&p, CLND_REDUCE_ADD), "bytes");
    p.problem.coordinates[0] = (clnd__coordinate){1 << 24, 64};
    check(can_do(&p, CLND_REDUCE_ADD), "lines");
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
    return (uint64_t)blocks * BLOCK * 4 + (uint64_t)(parts + 2) * (uint64_t)(blocks + 16) * 4;
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
          "the last location is in part %" PRId64, (last - begin) / bytes);
    check(bytes >> args->move.lanes_shift <= LOCATIONS, "locations in steps of 2^%" PRId64,
          (int64_t)args->move.lanes_shift);
    // Some for each thread, as far as lines go, and for caches as far as the number goes.
    const int64_t wanted = 8 * (int64_t)facts->compute_units;
    const int64_t most = wanted < MOST_PARTS ? wanted : MOST_PARTS;
    check(bytes == LINE || 3 * args->parts >= most, "too few");
    check(bytes <= 1 << 17 || 3 * args->parts >= MOST_PARTS, "too large for caches");
    check(args->parts <= most || bytes > 1 << 15, "too many");
}

static void check_locations(rng *r, const clnd__problem *p, const clnd_bucket_args *args)
{
    for (int n = 0; n < 20; n++) {
        const int64_t at = random_place(r, p) - args->move.part_first;
        const int64_t inside = at & (args->move.part_bytes - 1);
        check(at >= 0 && at / args->move.part_bytes < args->parts, "byte %" PRId64, at);
        check(at % (INT64_C(1) << args->move.lanes_shift) == 0, "byte %" PRId64 " is between steps",
              at);
        check(inside >> args->move.lanes_shift < LOCATIONS, "byte %" PRId64 " of a part", inside);
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

static void check_chunk(const planned *p, uint64_t room)
{
    const bucket_plan *plan = (const bucket_plan *)&p->plan.own;
    const int64_t rows = plan->args.move.rows, parts = plan->args.parts;
    const uint64_t bytes = p->plan.workspace.bytes;
    const int64_t blocks = plan->chunk / BLOCK;
    const int64_t all = rows / BLOCK + (rows % BLOCK != 0);
    const int64_t most = all < (1 << 23) / BLOCK ? all : (1 << 23) / BLOCK;
    case_note("%" PRId64 " rows, %" PRId64 " parts, %" PRIu64 " bytes: chunks of %" PRId64, rows,
              parts, room, plan->chunk);
    check(blocks >= 1 && plan->chunk % BLOCK == 0 && blocks <= most, "no whole blocks");
    check(bytes == need_of(blocks, parts), "%" PRIu64 " bytes", bytes);
    check(bytes <= room || blocks == 1, "%" PRIu64 " bytes", bytes);
    check(blocks == most || need_of(blocks + 1, parts) > room, "there is room for more");
    check(bytes < 35 << 20, "%" PRIu64 " bytes", bytes);
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
        planned p = rows_of(1, 1, 1);
        p.end = INT64_MAX / 2;
        p.facts.compute_units = (uint32_t)rng_range(r, 1, rng_chance(r, 50) ? 8 : 200);
        p.options.adjust = CLND_ADJUST_CLAMP;
        const clnd_reduce reduce = rng_chance(r, 50) ? CLND_REDUCE_UPDATE : CLND_REDUCE_ADD;
        const int64_t offset = 128 * rng_range(r, 0, 1000);
        any_problem(r, &p.problem);
        case_note("%u units, %s", p.facts.compute_units, problem_text(&p.problem));
        if (!can_do(&p, (int)reduce))
            continue;
        n_possible++;
        const bucket_plan *plan = force(&p, UINT64_MAX, offset);
        const clnd_bucket_args *args = &plan->args;
        check(args->move.rows == clnd__problem_rows(&p.problem) && args->move.first_row == 0 &&
                  args->move.adjust == CLND_ADJUST_CLAMP && args->entries == offset,
              "arguments");
        check_parts(&p.facts, &p.problem, args);
        check_locations(r, &p.problem, args);
        check_updates(r, &p.problem, args);
        check_chunk(&p, UINT64_MAX);
        const uint64_t room = any_room(r, args->parts);
        const int64_t chunk = force(&p, room, offset)->chunk;
        const uint64_t bytes = p.plan.workspace.bytes;
        check_chunk(&p, room);
        // What is used of a room is a room that gives the same; less room is no larger chunk.
        check(force(&p, bytes, offset)->chunk == chunk && p.plan.workspace.bytes == bytes,
              "not the same again");
        check(force(&p, room / 2, offset)->chunk <= chunk && p.plan.workspace.bytes <= bytes,
              "less room, larger chunk");
    }
    check(n_possible > case_count(30000) / 2, "only %d", n_possible);
}

// A plan holds nothing of what was there before.
Test(buckets_plan, plans_are_complete)
{
    planned p = rows_of(100000, 4, 1000), other = p;
    case_begin("buckets complete", 0);
    memset(&p.plan, 0, sizeof p.plan);
    memset(&other.plan, 0x55, sizeof other.plan);
    const bucket_plan *a = force(&p, 100000, 256), *b = force(&other, 100000, 256);
    check(memcmp(&a->args, &b->args, sizeof a->args) == 0, "arguments");
    check(a->chunk == b->chunk && p.plan.workspace.bytes == other.plan.workspace.bytes, "chunk");
    check(memcmp(&a->divide.options, &b->divide.options, sizeof a->divide.options) == 0 &&
              memcmp(&a->apply.options, &b->apply.options, sizeof a->apply.options) == 0,
          "options");
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
    enum { TARGET = 4000 };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p = rows_of(10000, cases[i].columns, TARGET);
        case_begin("buckets zeros", i);
        p.problem.data_offset = cases[i].data_offset;
        p.begin = cases[i].begin;
        p.end += p.problem.data_offset + 4 * cases[i].end;
        check(force(&p, 100000, 0)->args.zero_bytes == 0 && !p.plan.zeroes, "not asked for");
        p.options.zeros = true;
        const int64_t bytes = force(&p, 100000, 0)->args.zero_bytes;
        check(p.plan.zeroes == cases[i].possible, "%d", p.plan.zeroes);
        check(bytes == (cases[i].possible ? p.end - p.begin : 0), "%" PRId64 " bytes", bytes);
    }
    for (size_t alignment = 1; alignment <= 128; alignment *= 2) {
        planned p = rows_of(10000, 1, TARGET);
        case_begin("buckets zeros of words", (int)alignment);
        p.memory.alignment = alignment;
        p.options.zeros = true;
        force(&p, 100000, 0);
        check(p.plan.zeroes == (alignment >= 8), "memory");
    }
}

Test(buckets_plan, least_and_most_bytes)
{
    planned p = rows_of(1, 1, 1);
    case_begin("buckets bytes", 0);
    check(force(&p, 0, 0)->args.parts == 1, "parts");
    check(p.plan.workspace.bytes == 16384 + 12 + 192, "%" PRIu64, p.plan.workspace.bytes);
    p = rows_of(INT64_C(1) << 40, 1, INT64_C(1) << 28);
    check(force(&p, 0, 0)->args.parts == 256, "parts");
    check(p.plan.workspace.bytes == 17416 + 258 * 64, "%" PRIu64, p.plan.workspace.bytes);
    check(force(&p, UINT64_MAX, 0)->chunk == 1 << 23, "chunk");
    check(p.plan.workspace.bytes == 2048 * 17416 + 258 * 64, "%" PRIu64, p.plan.workspace.bytes);
}

typedef struct kernel_row {
    const char *what;
    clnd_dtype dtype, index_dtype;
    clnd_reduce reduce;
    int64_t columns, extent;
    int adjust, n_coordinates, sums;
    bool soft;
    const char *index, *tuples; // what the options say of indices
    const char *row, *updates;  // and of updates
} kernel_row;

static const kernel_row kernels[] = {
    {"update", CLND_FLOAT32, CLND_INT32, CLND_REDUCE_UPDATE, 8, 10, CLND_ADJUST_NONE, 1,
     CLND_SUMS_PLAIN, false, " -DINDEX=4", "1 -DUNADJUSTED=1", " -DUNIT=1 -DROW=32", " -DREDUCE=1"},
    {"update of any length", CLND_FLOAT32, CLND_INT64, CLND_REDUCE_UPDATE, 7, 10, CLND_ADJUST_WRAP,
     2, CLND_SUMS_PLAIN, false, " -DINDEX=5", "2", " -DUNIT=1 -DROW=28", " -DREDUCE=1"},
    {"update of scalars", CLND_UINT8, CLND_UINT8, CLND_REDUCE_UPDATE, 1, 10, CLND_ADJUST_CLAMP, 3,
     CLND_SUMS_PLAIN, false, " -DINDEX=6", "3", " -DUNIT=1 -DROW=1", " -DREDUCE=1"},
    {"sum", CLND_FLOAT32, CLND_INT32, CLND_REDUCE_ADD, 4, 10, CLND_ADJUST_NONE, 3, CLND_SUMS_PLAIN,
     false, " -DINDEX=4", "3 -DUNADJUSTED=1", "", " -DDTYPE=12 -DREDUCE=2 -DCOLUMNS=4"},
    {"wide product", CLND_FLOAT16, CLND_INT32, CLND_REDUCE_MUL, 2, 10, CLND_ADJUST_NONE, 1,
     CLND_SUMS_WIDE, false, " -DINDEX=4", "1 -DUNADJUSTED=1", "",
     " -DDTYPE=10 -DREDUCE=4 -DWIDE=1 -DCOLUMNS=2"},
    {"rounded sum", CLND_BFLOAT16, CLND_INT32, CLND_REDUCE_ADD, 4, 2500, CLND_ADJUST_NONE, 1,
     CLND_SUMS_ROUNDED, false, " -DINDEX=4", "1 -DUNADJUSTED=1", "",
     " -DDTYPE=11 -DREDUCE=2 -DWIDE=2 -DCOLUMNS=4"},
    {"sum of doubles", CLND_FLOAT64, CLND_INT32, CLND_REDUCE_ADD, 3, 10, CLND_ADJUST_NONE, 1,
     CLND_SUMS_PLAIN, true, " -DINDEX=4", "1 -DUNADJUSTED=1", "",
     " -DDTYPE=13 -DREDUCE=2 -DSOFT_FP64=1 -DCOLUMNS=3"},
    {"long rows", CLND_INT32, CLND_INT32, CLND_REDUCE_ADD, 17, 10, CLND_ADJUST_NONE, 1,
     CLND_SUMS_PLAIN, false, " -DINDEX=4", "1 -DUNADJUSTED=1", "", " -DDTYPE=4 -DREDUCE=2"},
};

// What divides the rows writes to the workspace only, so it does not wait for a verdict.
Test(buckets_plan, kernels)
{
    for (int i = 0; i < (int)(sizeof kernels / sizeof *kernels); i++) {
        const kernel_row *row = &kernels[i];
        planned p = planned_rows(&plain_cpu, row->dtype, row->reduce, 10000, row->columns, 1);
        case_begin("buckets kernels", i);
        case_note("%s", row->what);
        p.facts.fp64 = !row->soft;
        p.options.deterministic = true;
        p.options.adjust = row->adjust;
        p.problem.index_dtype = row->index_dtype;
        p.problem.n_coordinates = row->n_coordinates;
        for (int k = 0; k < row->n_coordinates; k++)
            p.problem.coordinates[k] = (clnd__coordinate){row->extent, p.end << 4 * k};
        p.end *= row->extent << 4 * (row->n_coordinates - 1);
        const bucket_plan *plan = force(&p, UINT64_MAX, 0);
        const bool rounded = row->sums == CLND_SUMS_ROUNDED;
        check(p.plan.wide == (row->sums == CLND_SUMS_WIDE), "a copy: %d", p.plan.wide);
        char divide[256], apply[256];
        snprintf(divide, sizeof divide, "-cl-std=CL1.2 -DSMALL=1%s -DOFFSETS=4 -DCOORDINATES=%s%s",
                 row->index, row->tuples, rounded ? " -DWIDE=2" : "");
        if (rounded) // looks at no indices
            snprintf(apply, sizeof apply, "-cl-std=CL1.2 -DSMALL=1%s", row->updates);
        else
            snprintf(apply, sizeof apply,
                     "-cl-std=CL1.2 -DSMALL=1%s -DOFFSETS=4%s -DCOORDINATES=%s%s", row->index,
                     row->row, row->tuples, row->updates);
        check_kernel(&plan->divide, "scatter_buckets", "bucket_rows", divide);
        check_kernel(&plan->apply, rounded ? "scatter_buckets_rounded" : "scatter_buckets_apply",
                     rounded ? "bucket_round" : "bucket_apply", apply);
        check(plan->rounded == rounded, "rounded: %d", plan->rounded);
    }
}

// The choice -------------------------------------------------------------------------------------

// Whether buckets are preferred where owners are the only other ones.
static bool are_better(planned *p, uint32_t units)
{
    p->words = NULL;
    p->facts.compute_units = units;
    p->options.deterministic = true;
    p->options.reduce = CLND_REDUCE_ADD;
    const bool better = strcmp(planned_make(p), "buckets") == 0;
    check(strstr(p->plan.reason, better ? "a CPU: rows" : "a CPU: atomics"), "%s", p->plan.reason);
    return better;
}

// Sizes at which nothing may wrap.
Test(buckets_plan, sizes_near_the_end_of_64_bits)
{
    static const int64_t sizes[] = {INT64_C(1) << 40, (INT64_C(1) << 40) - 1, INT64_C(1) << 55,
                                    (INT64_C(1) << 60) + 1};
    for (int i = 0; i < 8; i++) {
        const int64_t size = sizes[i & 3];
        const uint32_t units = i & 4 ? 200 : 1;
        case_begin("huge buckets", i);
        // rows
        planned p = rows_of(size, 1, 200000);
        p.facts.compute_units = units;
        p.memory.alignment = 1;
        p.problem.outer[0].dense = p.problem.outer[0].index = 1;
        const bucket_plan *plan = force(&p, SIZE_MAX, INT64_C(1) << 40);
        check(plan->args.move.rows == size && plan->args.entries == INT64_C(1) << 40, "rows");
        check_chunk(&p, UINT64_MAX);
        check(are_better(&p, units) == (i >= 4), "many rows");
        // extents, of bytes and of lines
        p = rows_of(100000, 1, 1);
        p.facts.compute_units = units;
        p.problem.coordinates[0] = (clnd__coordinate){size, 1};
        p.end = size;
        check(!can_do(&p, CLND_REDUCE_ADD) && !are_better(&p, units), "large target");
        p.problem.coordinates[0] = (clnd__coordinate){size >> 6, 64};
        check(!can_do(&p, CLND_REDUCE_ADD) && !are_better(&p, units), "large target of lines");
        // the end of what offsets can be
        p = rows_of(100000, 1, 100);
        p.facts.compute_units = units;
        p.problem.data_offset = p.begin = INT64_MAX / 2;
        p.end += p.begin;
        check_parts(&p.facts, &p.problem, &force(&p, UINT64_MAX, 0)->args);
        // updates far apart
        p = rows_of(1024, 1, 100);
        p.facts.compute_units = units;
        p.problem.outer[0].dense = INT64_MAX / 1024 / 4 * 4;
        check(force(&p, UINT64_MAX, 0)->args.update_step == INT64_MAX / 1024 / 4 * 4,
              "far updates");
        p.problem.n_outer = 2;
        p.problem.outer[0] = (clnd__axis){2, 400, 4, 4};
        p.problem.outer[1] = (clnd__axis){4, 0, INT64_C(1) << 62, 8};
        check(!can_do(&p, CLND_REDUCE_ADD), "a step beyond");
        // long rows, near one another
        p = rows_of(2000, size >> 3, 1);
        p.problem.coordinates[0] = (clnd__coordinate){1000, LINE};
        p.end += 999 * LINE;
        check(are_better(&p, units) == (i >= 4), "long rows");
    }
}

// From 1024 rows on, if they and their updates are some 2 MiB.
Test(buckets_plan, advantage)
{
    static const struct {
        int64_t columns, rows;
    } least[] = {{1, 131072}, {2, 104857}, {13, 32768}, {125, 4096}, {509, 1024}, {1024, 1024}};
    for (int i = 0; i < (int)(sizeof least / sizeof *least); i++) {
        case_begin("buckets advantage", i);
        planned p = rows_of(least[i].rows, least[i].columns, 10000);
        check(are_better(&p, 4), "%" PRId64 " rows", least[i].rows);
        check(are_better(&p, 2), "two units");
        check(!are_better(&p, 1), "one unit");
        p.problem.outer[0].size--;
        check(!are_better(&p, 4), "%" PRId64 " rows", least[i].rows - 1);
    }
    case_begin("buckets advantage, room", 0);
    planned p = rows_of(131072, 1, 1 << 20);
    check(force(&p, 0, 0)->args.parts == 32, "parts");
    const size_t block = (size_t)p.plan.workspace.bytes;
    planned_lend(&p, 0, block);
    check(are_better(&p, 4), "room for a block");
    planned_lend(&p, 0, block - 1);
    check(!are_better(&p, 4), "a byte less");
    planned_lend(&p, 0, 0);
    check(!are_better(&p, 4), "no room");
    case_begin("buckets advantage, parts", 0); // of more threads than one owner is as fast as
    p = rows_of(131072, 1, 16);
    check(!are_better(&p, 14), "one line");
    p = rows_of(131072, 1, 17);
    check(are_better(&p, 14), "two lines");
}

// Not of long rows whose elements lie in a line each.
Test(buckets_plan, column_major_updates)
{
    static const struct {
        int64_t columns, step;
        uint32_t units;
        bool better;
    } cases[] = {{16, 64, 4, false}, {15, 64, 4, true},   {16, 60, 4, true},
                 {16, 4, 4, true},   {20, 64, 20, false}, {20, 64, 21, true}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p = rows_of(1 << 16, cases[i].columns, 10000);
        case_begin("buckets of column-major updates", i);
        p.problem.slice[0].dense = cases[i].step;
        check(are_better(&p, cases[i].units) == cases[i].better, "%d columns %d apart",
              (int)cases[i].columns, (int)cases[i].step);
    }
}

Test(buckets_plan, choice)
{
    enum { MANY = 1 << 20, LARGE = 1 << 20, SMALL = 256, FEW = 1000 };
    static const struct {
        clnd_dtype dtype;
        clnd_reduce reduce;
        bool deterministic, unique;
        int64_t rows, locations;
        const char *strategy;
    } cases[] = {
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, MANY, LARGE, "buckets"},
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, false, MANY, LARGE, "buckets"},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, FEW, LARGE, "owner"},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, true, MANY, LARGE, "store"},
        {CLND_FLOAT32, CLND_REDUCE_ADD, false, false, MANY, SMALL, "private"},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, MANY, SMALL, "owner"},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, 4 * MANY, 131072, "owner"},
        {CLND_FLOAT32, CLND_REDUCE_ADD, true, false, 4 * MANY, 131073, "buckets"},
        {CLND_INT32, CLND_REDUCE_ADD, true, false, MANY, SMALL, "private"},
        {CLND_INT32, CLND_REDUCE_ADD, true, false, MANY, LARGE, "buckets"},
        {CLND_INT32, CLND_REDUCE_UPDATE, true, false, MANY, LARGE, "buckets"},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, false, MANY, LARGE, "store"},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, false, MANY, SMALL, "private"},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, true, MANY, SMALL, "store"},
        {CLND_INT32, CLND_REDUCE_UPDATE, true, false, MANY, SMALL, "private"},
        {CLND_INT32, CLND_REDUCE_UPDATE, true, false, MANY, MANY / 2, "private"},
        {CLND_INT32, CLND_REDUCE_UPDATE, false, false, MANY, MANY / 2, "store"},
        {CLND_FLOAT16, CLND_REDUCE_ADD, true, false, MANY, LARGE, "buckets"},
        {CLND_FLOAT16, CLND_REDUCE_ADD, true, false, FEW, LARGE, "buckets"},
        {CLND_FLOAT16, CLND_REDUCE_ADD, false, false, FEW, LARGE, "owner"},
        {CLND_FLOAT16, CLND_REDUCE_MAX, true, false, FEW, LARGE, "owner"},
        {CLND_FLOAT16, CLND_REDUCE_ADD, true, false, 1 << 22, 1 << 25, "buckets"}, // a wide copy
        {CLND_FLOAT16, CLND_REDUCE_ADD, true, false, 1 << 22, 1 << 29, "owner"},
        {CLND_UINT8, CLND_REDUCE_MAX, false, false, MANY, 1 << 28, "buckets"},
        {CLND_UINT8, CLND_REDUCE_MAX, false, false, MANY, 1 << 29, "owner"},
        {CLND_FLOAT64, CLND_REDUCE_MUL, false, false, MANY, SMALL, "owner"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p = planned_rows(&plain_cpu, cases[i].dtype, cases[i].reduce, cases[i].rows, 1,
                                 cases[i].locations);
        case_begin("buckets choice", i);
        p.options.deterministic = cases[i].deterministic;
        p.options.unique = cases[i].unique;
        planned_expect(&p, cases[i].strategy);
        check(!p.plan.only == (p.plan.wide || !strcmp(cases[i].strategy, "buckets") ||
                               !strcmp(cases[i].strategy, "private")),
              "more launches than one");
        if (strcmp(cases[i].strategy, "buckets") != 0)
            continue;
        const bucket_plan *plan = own(&p.plan);
        const uint64_t before = p.plan.wide ? 4 * (uint64_t)cases[i].locations : 0;
        const bool rounded = cases[i].dtype == CLND_FLOAT16 && !p.plan.wide;
        const uint64_t lists = rounded ? 16 * (uint64_t)cases[i].rows : 0;
        const int64_t blocks = divide_up(plan->chunk, BLOCK);
        check(p.plan.workspace.bytes == before + need_of(blocks, plan->args.parts) + lists,
              "workspace");
        p.facts.is_cpu = false;
        check(strcmp(planned_make(&p), "buckets") != 0, "on a GPU");
        planned_refuse(&p, "buckets");
    }
}

// Sums that are rounded once: of the rows of a location, where to sort them costs less than a
// float32 copy of the target and there is room for all rows; else in such a copy.
Test(buckets_plan, rounded_sums)
{
    enum { WHOLE = 64 << 20 }; // bytes that the lists may take
    static const struct {
        int64_t rows, columns, locations;
        int sums;
    } cases[] = {
        {10000, 1, 10000, CLND_SUMS_ROUNDED},   {10001, 1, 10000, CLND_SUMS_WIDE},
        {10000, 31, 322, CLND_SUMS_WIDE},       {10000, 31, 323, CLND_SUMS_ROUNDED},
        {100000, 32, 100, CLND_SUMS_ROUNDED},   {1, 1, 1, CLND_SUMS_PLAIN},
        {2, 1, 1000, CLND_SUMS_ROUNDED},        {3100000, 64, 1000, CLND_SUMS_ROUNDED},
        {WHOLE / 16, 64, 1000, CLND_SUMS_WIDE}, {WHOLE / 16 + 1, 64, 1000, CLND_SUMS_WIDE},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        planned p = planned_rows(&plain_cpu, CLND_BFLOAT16, CLND_REDUCE_SUB, cases[i].rows,
                                 cases[i].columns, cases[i].locations);
        case_begin("rounded sums", i);
        p.options.deterministic = true;
        p.words = "must,buckets";
        planned_expect(&p, "buckets");
        const bucket_plan *plan = own(&p.plan);
        const bool rounded = cases[i].sums == CLND_SUMS_ROUNDED;
        check(p.plan.wide == (cases[i].sums == CLND_SUMS_WIDE), "a copy: %d", p.plan.wide);
        check(!strcmp(plan->apply.source, "scatter_buckets_rounded") == rounded, "%s",
              plan->apply.source);
        if (!rounded)
            continue;
        const int64_t blocks = (cases[i].rows + BLOCK - 1) / BLOCK;
        const size_t bytes = (size_t)p.plan.workspace.bytes;
        check(plan->chunk == cases[i].rows, "%" PRId64 " rows at once", plan->chunk);
        check(bytes == need_of(blocks, plan->args.parts) + 16 * (uint64_t)cases[i].rows &&
                  bytes <= WHOLE,
              "%zu bytes", bytes);
        p.words = NULL;
        planned_lend(&p, 0, bytes);
        planned_expect(&p, "buckets");
        check(!p.plan.wide, "a copy with enough room");
        planned_lend(&p, 0, bytes - 1);
        check(strcmp(planned_make(&p), "buckets") != 0 || p.plan.wide, "too little room");
        if (4 * cases[i].locations * cases[i].columns >= 8 * cases[i].rows)
            continue;
        p.words = "must,buckets";
        planned_expect(&p, "buckets");
        check(p.plan.wide, "no copy, though it takes half as much as the lists");
    }
}

// Few locations have one owner: short sums take one thread less time than it takes a few to divide
// them.
Test(buckets_plan, few_locations_of_many_threads)
{
    for (uint32_t units = 12; units < 16; units++) {
        planned p = planned_rows(&plain_cpu, CLND_FLOAT32, CLND_REDUCE_ADD, 1 << 20, 1, 256);
        case_begin("few locations of many threads", (int)units);
        p.options.deterministic = true;
        p.facts.compute_units = units;
        const bool one = units <= 13;
        planned_expect(&p, one ? "owner" : "buckets");
        check(strstr(p.plan.reason, "few locations") || !one, "%s", p.plan.reason);
        check(!one || p.plan.only->global[0] * p.plan.only->global[1] == 1, "more work-items");
    }
}

// Private copies that do not fit what is lent are left to buckets, or to owners, who need nothing.
Test(buckets_plan, no_room_for_copies)
{
    planned p = rows_of(1 << 20, 1, 1 << 16);
    case_begin("no room for copies", 0);
    planned_expect(&p, "private");
    const size_t copies = (size_t)p.plan.workspace.bytes;
    planned_lend(&p, 0, copies);
    planned_expect(&p, "private");
    planned_lend(&p, 0, copies - 1);
    planned_expect(&p, "buckets");
    planned_lend(&p, 0, 0);
    planned_expect(&p, "owner");
    p.words = "must,private";
    check_status(planned_try(&p), CLND_BUFFER_TOO_SMALL);
    check(p.plan.workspace.bytes == copies, "the plan tells what is needed");
    p.words = "private";
    planned_expect(&p, "owner");
}

Test(buckets_plan, lent_workspaces)
{
    planned p = rows_of(1 << 20, 1, 1 << 20);
    case_begin("buckets workspace", 0);
    p.options.deterministic = true;
    const uint64_t least = need_of(1, 32);
    planned_lend(&p, 1280, least);
    planned_expect(&p, "buckets");
    check(p.plan.workspace.bytes == least && own(&p.plan)->args.entries == 1280, "entries");
    planned_lend(&p, 1280, need_of(3, 32) + 5);
    planned_expect(&p, "buckets");
    check(p.plan.workspace.bytes == need_of(3, 32) && own(&p.plan)->chunk == 3 * BLOCK, "chunk");
    planned_lend(&p, 1280, least - 1);
    planned_expect(&p, "owner");
    planned_lend(&p, 1280, 0);
    planned_expect(&p, "owner");
    force(&p, 0, 1280); // needs what there is not
    check(p.plan.workspace.bytes == least, "need");
}

// A float32 copy of the target lies before the entries, which begin at a multiple of 128: where
// that leaves no room for them, buckets are not chosen.
Test(buckets_plan, room_behind_a_wide_copy)
{
    enum { TARGET = 100001 };
    planned p = planned_rows(&plain_cpu, CLND_FLOAT16, CLND_REDUCE_ADD, 1 << 20, 1, TARGET);
    p.options.deterministic = true;
    planned_lend(&p, 256, SIZE_MAX / 4);
    case_begin("buckets behind a wide copy", 0);
    planned_expect(&p, "buckets");
    const uint64_t wide = TARGET * 4, behind = (wide + 127) / 128 * 128;
    const clnd_bucket_args *args = &own(&p.plan)->args;
    const int64_t parts = args->parts;
    check(p.plan.wide && p.plan.widen.wide_offset == 256 && p.plan.widen.count == TARGET, "copy");
    check(args->entries == 256 + (int64_t)behind, "entries");
    check(args->move.part_first == 256 && parts * args->move.part_bytes >= (int64_t)wide, "parts");
    for (int less = -3; less <= 140; less++) {
        case_begin("buckets behind a wide copy", less + 10);
        planned_lend(&p, 256, (size_t)(behind + need_of(1, parts) - (uint64_t)less));
        planned_expect(&p, less <= 0 ? "buckets" : "owner");
    }
}

// A float32 copy has twice as many bytes, so a target may have room in entries that its copy has
// not; and what begins at its lowest byte may be aligned otherwise.
Test(buckets_plan, locations_of_a_wide_copy)
{
    static const struct {
        int64_t columns; // of float16
        int64_t extent;
        bool backwards, possible;
    } cases[] = {
        {1, INT64_C(1) << 27, false, true},  {1, INT64_C(1) << 28, false, true},
        {1, INT64_C(1) << 29, false, false}, {16, INT64_C(1) << 28, false, true},
        {32, INT64_C(1) << 27, false, true}, {32, INT64_C(1) << 28, false, false},
        {32, INT64_C(1) << 28, true, false}, {32, INT64_C(1) << 24, true, false},
        {32, INT64_C(1) << 22, true, true},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        const int64_t columns = cases[i].columns;
        planned p = planned_rows(&plain_cpu, CLND_FLOAT16, CLND_REDUCE_ADD, INT64_C(1) << 40,
                                 columns, cases[i].extent);
        case_begin("buckets in a wide copy", i);
        p.options.deterministic = true;
        p.options.zeros = true;
        if (cases[i].backwards) {
            p.problem.slice[0].data = -2;
            p.begin = 64 - 2 * (columns - 1);
            p.end += p.begin;
            p.problem.data_offset = 64;
        }
        planned_expect(&p, cases[i].possible ? "buckets" : "owner");
        check(p.plan.wide && !p.plan.zeroes, "no copy, or zeros of it");
        if (!cases[i].possible) {
            planned_refuse(&p, "buckets");
            continue;
        }
        const clnd_bucket_args *args = &own(&p.plan)->args;
        clnd__problem wide = p.problem;
        clnd__problem_scale_data(&wide, p.begin, 4, 2);
        check_parts(&p.facts, &wide, args);
        check_locations(case_rng(), &wide, args);
    }
}

// Where no two rows meet there is no copy, and the locations that count are those of the target.
Test(buckets_plan, locations_without_a_wide_copy)
{
    planned p = planned_rows(&plain_cpu, CLND_FLOAT16, CLND_REDUCE_ADD, 1 << 20, 32, 1 << 24);
    case_begin("buckets without a wide copy", 0);
    p.problem.data_offset = p.begin = 2; // so that locations of the copy are steps of a line
    p.end += 2;
    p.options.deterministic = true;
    p.words = "must,buckets";
    planned_expect(&p, "buckets");
    p.options.unique = true;
    planned_refuse(&p, "buckets");
    p.problem.data_offset = p.begin = 64;
    planned_expect(&p, "buckets");
    check(!p.plan.wide && own(&p.plan)->args.entries == 0, "a copy");
}
