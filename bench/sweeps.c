// SPDX-License-Identifier: Apache-2.0

#include "sweeps.h"

#include <stdio.h>
#include <string.h>

// Payload of a point in bytes, which says how many rows it has.
static const int64_t payloads[N_SIZES] = {
    [SIZE_CPU] = 16 << 20,
    [SIZE_GPU] = 128 << 20,
    [SIZE_TINY] = 1 << 12,
};

// A gather's table is as many times its payload; a scatter's target is as large as its updates.
// Rows of the sums with duplicates have so many floats.
enum { TABLE_FACTOR = 8, DUPLICATE_ROW = 16 };

static const struct line {
    const char *name; // NULL ends a list
    const char *words;
} gather_lines[] = {{"lanes", "must,lanes"}, {"blocks", "must,blocks"}, {NULL, NULL}},
  scatter_lines[] = {
      {"atomic", "must,atomic"}, {"owner", "must,owner"}, {"sort", "must,sort"}, {NULL, NULL}};

static const int row_bytes[] = {4, 16, 64, 256, 1024, 4096};
static const int duplicates[] = {1, 4, 16, 64, 256, 1024, 4096, 16384};

enum {
    N_ROW_BYTES = sizeof row_bytes / sizeof *row_bytes,
    N_DUPLICATES = sizeof duplicates / sizeof *duplicates,
};

static bool add(struct bench_case *what, struct case_list *list, const char *series, int64_t x)
{
    what->x = (double)x;
    snprintf(what->series, sizeof what->series, "%s", series);
    // "sweep-gather-lanes-64"
    snprintf(what->id, sizeof what->id, "sweep-%.*s-%s-%lld", (int)strcspn(what->sweep, "-"),
             what->sweep, series, (long long)x);
    return case_list_add(list, what);
}

// A gather or a sum of rows of `width` floats, `target_rows` of them being there to choose from.
static struct bench_case rows_case(enum bench_op op, uint64_t seed, int64_t target_rows,
                                   int64_t rows, int64_t width)
{
    return (struct bench_case){
        .op = op,
        .dtype = CLND_FLOAT32,
        .index_dtype = CLND_INT32,
        .data = {2, {target_rows, width}},
        .indices = {2, {rows, 1}},
        .distribution = {.kind = DIST_UNIFORM},
        .seed = seed,
        .reduce = op_is_scatter(op) ? CLND_REDUCE_ADD : CLND_REDUCE_DEFAULT,
    };
}

static bool add_strategies(const char *sweep, enum bench_op op, const struct line *lines,
                           enum bench_size size, uint64_t seed, struct case_list *list)
{
    for (; lines->name; ++lines)
        for (int i = 0; i < N_ROW_BYTES; ++i) {
            const int64_t rows = payloads[size] / row_bytes[i];
            const int64_t factor = op_is_scatter(op) ? 1 : TABLE_FACTOR;
            struct bench_case what = rows_case(op, seed, rows * factor, rows, row_bytes[i] / 4);
            what.sweep = sweep;
            what.strategy = lines->words;
            if (!add(&what, list, lines->name, row_bytes[i]))
                return false;
        }
    return true;
}

static bool add_duplicates(enum bench_size size, uint64_t seed, struct case_list *list)
{
    static const char *const names[2] = {"default", "deterministic"};
    const int64_t rows = payloads[size] / (DUPLICATE_ROW * (int64_t)sizeof(float));
    for (int line = 0; line < 2; ++line)
        for (int i = 0; i < N_DUPLICATES && duplicates[i] <= rows; ++i) {
            struct bench_case what =
                rows_case(OP_SCATTER_ND_INTO, seed, rows / duplicates[i], rows, DUPLICATE_ROW);
            what.sweep = SWEEP_DUPLICATES;
            what.deterministic = line == 1;
            if (!add(&what, list, names[line], duplicates[i]))
                return false;
        }
    return true;
}

bool sweeps_add(enum bench_size size, uint64_t seed, struct case_list *list)
{
    return add_strategies(SWEEP_GATHER, OP_GATHER_ND, gather_lines, size, seed, list) &&
           add_strategies(SWEEP_SCATTER, OP_SCATTER_ND_INTO, scatter_lines, size, seed, list) &&
           add_duplicates(size, seed, list);
}
