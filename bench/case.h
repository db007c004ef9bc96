// SPDX-License-Identifier: Apache-2.0
//
// What a case is: one call of an op at one size, or a list of such calls (a Spatter file).

#ifndef CLND_BENCH_CASE_H
#define CLND_BENCH_CASE_H

#include <stdbool.h>
#include <stdint.h>

#include "clnd/clnd.h"
#include "distribution.h"

enum bench_op {
    OP_GATHER_ND,
    OP_GATHER,
    OP_GATHER_ELEMENTS,
    OP_SCATTER_ND,
    OP_SCATTER_ND_INTO,
    OP_SCATTER_ELEMENTS,
    OP_SLICE,
    OP_SLICE_ASSIGN,
    N_OPS,
};

// Where a case's data and the pace of its measurement come from.
enum bench_kind {
    KIND_PLAIN,   // measured with cold caches
    KIND_SMALL,   // what a call costs: hot caches, many calls a sample, kept out of averages
    KIND_HOST,    // the same, but only the time in which the host enqueues the call
    KIND_SPATTER, // `parts`, measured one by one
};

// The group of cases that nobody tuned for. They have averages of their own.
enum { GROUP_OTHER = 17 };

struct bench_shape {
    int rank;
    int64_t sizes[CLND_MAX_RANK];
};

struct bench_case {
    char id[80];
    int group; // of the proposal that the set came from, or GROUP_OTHER; 0: none
    enum bench_kind kind;
    enum bench_op op;
    clnd_dtype dtype, index_dtype;
    struct bench_shape data;    // params, target or input
    struct bench_shape indices; // not of slices
    struct distribution distribution;
    uint64_t seed;
    clnd_reduce reduce; // of scatters, never DEFAULT
    clnd_bounds bounds;
    const char *strategy; // words for the engine, or NULL
    bool deterministic;
    bool unique_indices;
    bool repeated_indices; // of scatter_elements: along the axes behind theirs
    int32_t axis, batch_dims;
    int32_t row_step; // of gather_nd: rows of params lie so many rows apart; 0 is 1
    char slice[128];
    bool column_major; // of slices: along the input's first dimension elements are contiguous

    const char *sweep; // NULL, or the picture that the case is a point of
    char series[24];   // the line in it
    double x;          // the place on that line

    char file[256]; // KIND_SPATTER: the pattern file
    int n_parts;
    struct bench_case *parts; // owned
};

// Has a slice in place of indices.
static inline bool op_is_slice(enum bench_op op)
{
    return op == OP_SLICE || op == OP_SLICE_ASSIGN;
}

// Writes `data`, a part of it or all.
static inline bool op_is_scatter(enum bench_op op)
{
    return op == OP_SCATTER_ND || op == OP_SCATTER_ND_INTO || op == OP_SCATTER_ELEMENTS ||
           op == OP_SLICE_ASSIGN;
}

// Each update is one element.
static inline bool op_is_elements(enum bench_op op)
{
    return op == OP_GATHER_ELEMENTS || op == OP_SCATTER_ELEMENTS;
}

// "gather-nd", ... and back; N_OPS when there is none of that name.
const char *op_name(enum bench_op op);
enum bench_op op_from_name(const char *name);

// The dtype of the value that the op combines: sums, products, ...; "update" and so on.
const char *reduce_name(clnd_reduce reduce);

// "default" and so on; SKIP is ZERO.
const char *bounds_name(clnd_bounds bounds);

// "f32", "i64", "o12" (opaque elements of 12 bytes) and back; 0 when there is none of that name.
void dtype_text(clnd_dtype dtype, char text[16]);
clnd_dtype dtype_from_text(const char *text);

// All that dtype_from_text knows, and those that indices can have.
#define DTYPE_WORDS       "bool, i8 to i64, u8 to u64, f16, bf16, f32, f64, c64, c128, o1 to o4096"
#define INDEX_DTYPE_WORDS "i8 to i64, u8 to u32"

// "65536x128"; "" is a scalar. False when it is no shape.
bool shape_parse(const char *text, struct bench_shape *shape);

// "f32:65536x128". False after fail(); `name` is what the text is the value of, and `which` says
// in words which dtypes there are.
bool tensor_parse(const char *name, const char *which, const char *text, clnd_dtype *dtype,
                  struct bench_shape *shape);

// "[65536, 128]"
void shape_text(const struct bench_shape *shape, char text[256]);

int64_t shape_count(const struct bench_shape *shape);

// Adds up the sums of floats, whose result depends on their order.
bool case_sums_floats(const struct bench_case *what);

void case_free(struct bench_case *what);

#endif
