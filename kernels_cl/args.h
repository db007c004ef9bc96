// SPDX-License-Identifier: Apache-2.0
//
// The arguments that the host hands to the kernels by value. This text is compiled by both: the
// host includes it, and it is put before every kernel. Arguments have 64-bit fields only, so both
// lay them out alike.

#ifndef CLND_ARGS_H
#define CLND_ARGS_H

#ifdef __OPENCL_C_VERSION__
typedef long clnd_i64;
typedef uint clnd_u32;
#else
#include <stdint.h>
typedef int64_t clnd_i64;
typedef uint32_t clnd_u32;
#endif

// Bytes of arguments that a device must take: what OpenCL promises.
#define CLND_ARGS_MAX 1024

// Outer and slice axes are 16 at most, and one axis inside an element.
#define CLND_ARGS_AXES        17
#define CLND_ARGS_COORDINATES 16

// Kernels look at the axes one by one, with constant subscripts and no loops: compilers then keep
// the arguments where they are instead of copying them for every work-item. So each kernel exists
// for few axes (-DSMALL=1: at most these) and for all.
#define CLND_SMALL_OUTER       2
#define CLND_SMALL_SLICE       2
#define CLND_SMALL_COORDINATES 3

// Work-items of a group wherever neighbouring work-items work together.
#define CLND_LANES 64

// Bytes of a fill pattern that are stored at once; units divide them.
#define CLND_FILL_PIECE 16

// The kinds of clnd/dtype.h: of elements (-DDTYPE) and of indices (-DINDEX).
#define CLND_KIND_BOOL       1
#define CLND_KIND_INT8       2
#define CLND_KIND_INT16      3
#define CLND_KIND_INT32      4
#define CLND_KIND_INT64      5
#define CLND_KIND_UINT8      6
#define CLND_KIND_UINT16     7
#define CLND_KIND_UINT32     8
#define CLND_KIND_UINT64     9
#define CLND_KIND_FLOAT16    10
#define CLND_KIND_BFLOAT16   11
#define CLND_KIND_FLOAT32    12
#define CLND_KIND_FLOAT64    13
#define CLND_KIND_COMPLEX64  14
#define CLND_KIND_COMPLEX128 15

// What an update does (-DREDUCE): the host has these names from clnd/options.h.
#ifdef __OPENCL_C_VERSION__
#define CLND_REDUCE_UPDATE 1
#define CLND_REDUCE_ADD    2
#define CLND_REDUCE_SUB    3
#define CLND_REDUCE_MUL    4
#define CLND_REDUCE_MIN    5
#define CLND_REDUCE_MAX    6
#endif

// How sums and products of 16-bit floats are made (-DWIDE); those of other elements are plain.
#define CLND_SUMS_PLAIN   0 // rounded after each update
#define CLND_SUMS_WIDE    1 // data is a float32 copy of the target, which is rounded in the end
#define CLND_SUMS_ROUNDED 2 // in float32, rounded once: all updates of an element come at once

// What a kernel has to do with the check of the indices.
#define CLND_GATE_OBEYED  0 // it does nothing where the verdict names a bad row
#define CLND_GATE_DECIDED 1 // one work-item looks at all rows first, and gives the verdict itself
#define CLND_GATE_FOUND   2 // it gives the verdict, and goes on: its output may be anything then

// What a kernel does with an index value that is negative or too large; the rest it treats as bad.
#define CLND_ADJUST_NONE  0
#define CLND_ADJUST_CLAMP 1
#define CLND_ADJUST_WRAP  2

// How updates that may meet are made (-DATOMIC). LOOP: by compare-and-swap loops, or integers' own
// operations. EXCHANGE: sums of floats by two swaps. ORDER: minima and maxima of float32 by those
// of integers. The others: sums that the device adds by itself, asked for by cl_ext_float_atomics,
// by NVIDIA's PTX or by AMD's builtins.
#define CLND_ATOMIC_NONE     0
#define CLND_ATOMIC_LOOP     1
#define CLND_ATOMIC_EXCHANGE 2
#define CLND_ATOMIC_ORDER    3
#define CLND_ATOMIC_OPENCL   4
#define CLND_ATOMIC_PTX      5
#define CLND_ATOMIC_AMD      6

// Rows that one launch of the check numbers: in 32 bits, because not every device has 64-bit
// atomics.
#define CLND_CHECK_ROWS ((clnd_i64)1 << 31)

// What a check of indices leaves in memory. The values are there only when it has been asked.
typedef struct clnd_verdict {
    clnd_u32 row;    // the first bad one of its launch, or CLND_NO_BAD_ROW
    clnd_u32 launch; // the first one that found any, or CLND_NO_BAD_ROW;
                     // alone (CLND_GATE_DECIDED, CLND_GATE_FOUND): there is one, whichever it is
    clnd_i64 values[CLND_ARGS_COORDINATES]; // of the bad row, as they stand in the indices
} clnd_verdict;

#define CLND_NO_BAD_ROW 0xffffffffu

typedef struct clnd_axis_args {
    clnd_i64 size;  // steps
    clnd_i64 data;  // bytes a step
    clnd_i64 dense; // bytes a step
    clnd_i64 index; // bytes a step
} clnd_axis_args;

typedef struct clnd_coordinate_args {
    clnd_i64 extent; // valid values are 0 to extent - 1
    clnd_i64 stride; // bytes in data a step
} clnd_coordinate_args;

// One lowered problem (host/shape/problem.h) and the part of it that each work-item takes.
typedef struct clnd_move_args {
    clnd_i64 rows;      // row-major over the outer axes
    clnd_i64 first_row; // check, owners, buckets, sort: rows before it are not looked at; else 0
    clnd_i64 columns;   // units a row: product of the slice axes
    clnd_i64 n_outer;
    clnd_i64 n_slice; // at least one
    clnd_i64 n_coordinates;
    clnd_i64 data_offset;      // bytes
    clnd_i64 dense_offset;     // bytes
    clnd_i64 index_offset;     // bytes
    clnd_i64 index_step;       // bytes between the values of a tuple
    clnd_i64 index_kind;       // a CLND_KIND_*; not looked at where -DINDEX is given
    clnd_i64 adjust;           // CLND_ADJUST_*
    clnd_i64 fill_units;       // length of the fill pattern, whole CLND_FILL_PIECEs; 0: zeros
    clnd_i64 rows_per_item;    // blocks and check: rows a work-item takes; owners: rows a launch;
                               // lanes of 32 bits: what divides by axes[1].size (`divide` in
                               // lanes.clh)
    clnd_i64 columns_per_item; // blocks and owners: columns a work-item takes; words: what divides
                               // by the size of slice axis 0
    clnd_i64 lanes_shift;      // lanes: log2 of the work-items that share a row; buckets: log2 of
                               // the bytes that locations and parts are multiples of
    clnd_i64 part_first; // owners, buckets, sort: byte of data at which the first part begins;
                         // private copies: byte at which the first begins; merged ones: 1:
                         // data is to begin as zeros, and does not yet; atomics: the value
                         // that a word of the gate must have
    clnd_i64 part_bytes; // bytes of data a part, or of a copy; atomics: which word of 32 bits
    clnd_u32 stream;     // rows: 1: stores go past the caches, where the compiler can do it
    clnd_u32 gate;       // CLND_GATE_*; with lanes always OBEYED
    // The outer axes from the front, outermost first; the slice axes from the back, innermost last.
    clnd_axis_args axes[CLND_ARGS_AXES];
    clnd_coordinate_args coordinates[CLND_ARGS_COORDINATES];
} clnd_move_args;

// Slice axis j, counted from the innermost.
#define CLND_SLICE_AXIS(j) (CLND_ARGS_AXES - 1 - (j))

// Units along the side of a tile of a transposition, so that a line of it fills a cache line where
// local memory allows it; and from one line to the next, such that the units of a column are in
// different banks.
#define CLND_TILE(unit)       ((unit) >= 8 ? 16 : (unit) == 4 ? 32 : 64)
#define CLND_TILE_PITCH(unit) (CLND_TILE(unit) + ((unit) < 4 ? 4 / (unit) : 1))

// A stable sort of rows by the location that their indices select. Work-groups take one block of
// keys each and go through it tile by tile; a tile is what they hold in local memory.
#define CLND_SORT_DIGIT_BITS      8 // at most
#define CLND_SORT_TILE(key_bytes) (4096 / (key_bytes))

// Positions of sorted rows that a work-group of sort_reduce takes into local memory, at most: a
// stretch for each row lane.
#define CLND_SORT_STRETCHES 512
#define CLND_SORT_STRETCH(row_lanes)                                                               \
    ((row_lanes) > CLND_SORT_STRETCHES / 32 ? CLND_SORT_STRETCHES / (row_lanes) : 32)

// Makes the keys of the rows [move.first_row, move.rows) and counts their lowest digits. The key of
// a row that begins at byte `at` of data is (at - move.part_first) / move.part_bytes. Offsets are
// bytes of the workspace.
typedef struct clnd_sort_keys_args {
    clnd_move_args move;
    clnd_i64 step_shift;   // move.part_bytes is 2^step_shift times an odd number,
    clnd_i64 step_inverse; // and this is the inverse of that modulo 2^64
    clnd_i64 block;        // keys a work-group takes: whole tiles
    clnd_i64 digit_bits;
    clnd_i64 keys;   // offset
    clnd_i64 counts; // offset of 32-bit numbers, [digit][block]
} clnd_sort_keys_args;

// One pass of the sort, by one digit.
typedef struct clnd_sort_args {
    clnd_i64 rows;  // of the chunk
    clnd_i64 first; // 1: the first pass. It numbers the rows, drops bad ones and sets `kept`
    clnd_i64 shift; // bits of the key below the digit
    clnd_i64 digit_bits;
    clnd_i64 block;     // keys a work-group takes: whole tiles
    clnd_i64 blocks;    // work-groups that take keys
    clnd_i64 keys_from; // the rest are offsets
    clnd_i64 rows_from;
    clnd_i64 keys_to;
    clnd_i64 rows_to;
    clnd_i64 counts; // [digit][block]
    clnd_i64 totals; // [digit]
    clnd_i64 kept;   // how many rows are not bad
} clnd_sort_args;

// Applies the sorted rows to data. Rows count from move.first_row.
typedef struct clnd_sort_apply_args {
    clnd_move_args move;
    clnd_i64 keys; // offsets
    clnd_i64 rows;
    clnd_i64 kept;
} clnd_sort_apply_args;

// How rows are grouped by shard, in device memory because the arguments have no room for it; the
// offsets of the shards follow. The table of counts has one for each shard in each column; steps
// are numbers of counts. Offsets and steps of results are bytes.
typedef struct clnd_route_layout {
    clnd_i64 shards;
    clnd_i64 block; // rows of a block that go to a shard in turn; 0: offsets say
    clnd_i64 inner; // elements of a row
    clnd_i64 columns;
    clnd_i64 column_step;
    clnd_i64 shard_step;
    clnd_i64 places_offset;
    clnd_i64 places_step;
    clnd_i64 counts_offset;
    clnd_i64 counts_step;
} clnd_route_layout;

// Rows that a work-group puts together before it touches data, rows of all that are looked at to
// see whether that pays, and that it does when one in so many of these selects the same location:
// some 8 rows of each block.
#define CLND_HOT_ROW_BITS 8
#define CLND_HOT_BLOCK    (1 << CLND_HOT_ROW_BITS)
#define CLND_HOT_SAMPLE   1024
#define CLND_HOT_SHARE    32

// Work-items that look at the sample, each at a few rows, one after the other: as many as
// work-groups of all GPUs may have.
#define CLND_SAMPLE_LANES 256

// What a sample says of hot locations, which many rows select: one of the kernels that follow runs.
#define CLND_SAMPLE_COLD    0u // there is none
#define CLND_SAMPLE_HOT     1u
#define CLND_SAMPLE_REFUSED 2u // a row is bad: neither runs

typedef struct clnd_sample_args {
    clnd_move_args move;
    clnd_i64 share;    // one in so many rows makes a location hot
    clnd_i64 decision; // 32-bit word of the workspace's buffer: a CLND_SAMPLE_*
} clnd_sample_args;

// Rows that a work-item divides among parts of the target, and parts that there are at most.
#define CLND_BUCKET_ROW_BITS 12
#define CLND_BUCKET_BLOCK    (1 << CLND_BUCKET_ROW_BITS)
#define CLND_BUCKET_PARTS    256

// A block notes where each part begins in it. With this bit in the distance from part to part, the
// lines that it writes lie in different sets of the cache.
#define CLND_BUCKET_APART 16

// Puts the rows [move.first_row, move.rows) into buckets, one for each part of the target, and
// applies them part by part. A part has move.part_bytes, a power of two.
typedef struct clnd_bucket_args {
    clnd_move_args move;
    clnd_i64 parts;
    clnd_i64 entries;     // offset in the workspace
    clnd_i64 update_step; // bytes in dense from one row to the next
    clnd_i64 zero_bytes;  // bytes of data, from the first part on, that begin as zeros
} clnd_bucket_args;

// Moves the last row of each location. move.columns are the locations, move.rows the copies that
// their last rows have been found in.
typedef struct clnd_last_args {
    clnd_move_args move;
    clnd_i64 row_bytes;
    clnd_i64 updates;     // offset of the first row in dense
    clnd_i64 update_step; // bytes in dense from one row to the next
} clnd_last_args;

// 16-bit floats to float32 and back.
typedef struct clnd_widen_args {
    clnd_i64 offset;      // bytes into the tensor's buffer
    clnd_i64 wide_offset; // bytes into the buffer of the float32 copy
    clnd_i64 count;       // elements
} clnd_widen_args;

#endif
