// SPDX-License-Identifier: Apache-2.0
//
// Every threshold of the planner, with its unit, what it means and where it comes from. Nothing
// else in host/exec holds a tuned number (tools/lint.py looks).
//
// `cpu` is for work-items that each take a block of rows, `gpu` for work-groups of CLND_LANES. A
// strategy that is forced on the other kind of device uses its own kind's numbers. Both kinds
// use kernel_rows, kernel_bytes, line_bytes and sort_bytes.
//
// Measured: with PoCL 3.1; docs/measurements.md and its two pages have the tables.
// Reported: others' figures for GPUs, or what follows from them.
// Chosen: by reasoning, no measurement is recorded.

#ifndef CLND_EXEC_TUNING_H
#define CLND_EXEC_TUNING_H

#include <stdint.h>

typedef struct clnd__cpu_tuning {
    int64_t item_bytes, items_per_unit, line_bytes, even_rows;
    int64_t kernel_rows, kernel_bytes, longest_row, most_columns, copy_bytes;
    int64_t streamed_bytes, streamed_row;
    int64_t check_rows, check_items_per_unit, check_within_rows;
    int64_t few_bytes, few_rows_per_element, one_owner_bytes;
    int64_t parts_per_unit, part_bytes, chunk_rows;
    int64_t divide_rows, divide_bytes, divide_row_bytes, column_major_elements;
    int64_t outer_run_bytes;
    int64_t round_bytes, round_row_elements;
    int64_t copies_bytes, copies_per_unit, copy_rows_per_element;
    int64_t apart_copies, apart_bytes, apart_columns, apart_rows_per_element;
    int64_t private_rows, private_row_elements;
    int64_t copies_cache_share, copies_bytes_per_row, copies_updates_per_element;
    int64_t last_rows_per_location;
} clnd__cpu_tuning;

typedef struct clnd__gpu_tuning {
    int64_t groups_per_unit, owners_per_unit, near_bytes;
    int64_t check_items_per_unit, convert_groups, route_items_per_unit, route_rows;
    int64_t private_groups_per_unit, private_group, private_kib, private_kib_most, merge_lanes;
    int64_t sort_blocks_per_unit, sort_line_bytes, sort_bytes, sort_share;
    int64_t sample_rows;
} clnd__gpu_tuning;

typedef struct clnd__loop_tuning {
    int64_t iterations_per_step, launch_rows, launches;
} clnd__loop_tuning;

typedef struct clnd__tuning {
    clnd__cpu_tuning cpu;
    clnd__gpu_tuning gpu;
    clnd__loop_tuning loops;
} clnd__tuning;

static const clnd__tuning clnd__default_tuning = {
    .cpu =
        {
            // Bytes. A work-item that moves less is not worth its start. Chosen.
            .item_bytes = 16384,
            // Work-items. Enough that an uneven share evens out, few enough to cost nothing.
            // Chosen.
            .items_per_unit = 8,
            // Bytes. Threads that store to one cache line take it from one another, so blocks of
            // columns and parts of a target begin with lines. x86-64 and most of Arm.
            .line_bytes = 64,
            // Rows of a block from which on its end is moved to where a line ends; of fewer that
            // would leave threads without work. Chosen.
            .even_rows = 512,

            // Rows, or bytes, of a call that is worth kernels for its kind of rows: to compile one
            // takes longer than smaller calls do. Measured.
            .kernel_rows = 512,
            .kernel_bytes = 16384,
            // Bytes. Longer rows share one kernel; for these the length is compiled in: rows of 100
            // and of 300 bytes then take 8 and 10 % less (2 cores of a Xeon 6), of 256 and 512
            // bytes 15 and 18 % in one run, 45 % in another (of an EPYC). Measured.
            .longest_row = 512,
            // Elements. Of updates that are applied in order the number in a row is compiled in up
            // to here: sums of 3 float32 then take 0.61 of the time, of 5 0.81, of 8 0.88, of 16
            // 0.94 (2 cores of an EPYC of family 26). Measured.
            .most_columns = 16,
            // Bytes. From here on threads copy faster than OpenCL's own copy, for which drivers
            // take one thread. Chosen.
            .copy_bytes = 1 << 20,

            // Bytes. Outputs from here on are stored past the caches. It is faster even if the
            // output is read next, unless all that the call reads is in the caches. Measured
            // (caches of 32 and of 480 MiB).
            .streamed_bytes = 4 << 20,
            // Bytes. Rows that share lines and are not put together to whole ones are stored past
            // the caches only from here on, since of shorter ones too many lines would be stored in
            // two ways. Measured (rows of 68 bytes to 80 KB).
            .streamed_row = 256,

            // Rows that a work-item checks at least, and work-items. Chosen.
            .check_rows = 2048,
            .check_items_per_unit = 8,
            // Rows. With more the check is worth work-items of its own. Chosen.
            .check_within_rows = 512,

            // Bytes of a target that counts as few locations, where this many rows meet in each
            // element: its lines are contended. Measured (Spatter's LULESH entry 0; two threads,
            // targets of 60 to 500 KB).
            .few_bytes = 1 << 19,
            .few_rows_per_element = 16,
            // Bytes a row, for each thread but the first, up to which one owner applies rows to few
            // locations faster than threads can share them: 0.1 ns a byte, against 6 ns to put a
            // row into a bucket. Measured (two threads; rows of 8 to 256 bytes).
            .one_owner_bytes = 48,

            // Parts of a target for each thread, so that an uneven share evens out. Chosen.
            .parts_per_unit = 8,
            // Bytes of a part that a thread's caches keep beside the updates. Chosen.
            .part_bytes = 1 << 17,
            // Rows that are divided at a time; it bounds the workspace to 34 MiB, which the engine
            // keeps for the next call. Chunks of 2^20 took up to 1.7 times as long. Measured.
            .chunk_rows = 1 << 23,

            // To divide rows among threads first pays from so many rows on, and from so many bytes
            // of updates, each row counted with so many more. Measured (gnn, sparse-grad, pic).
            .divide_rows = 1024,
            .divide_bytes = 2 << 20,
            .divide_row_bytes = 12,

            // Elements a row, from which on it does not pay where updates are column-major: as many
            // as threads, each of which would look at all rows, and so many. Measured with two.
            .column_major_elements = 16,

            // Bytes along an axis of the target that a work-item takes at least, where the axis is
            // divided among them: two lines, so that few lines are written by two of them. With
            // eight work-items in place of two it took up to 1.8 times as long. Measured
            // (scatter_elements along axis 0).
            .outer_run_bytes = 128,

            // Bytes of workspace that sums of 16 bits which are rounded once may take. Measured.
            .round_bytes = 64 << 20,
            // Elements a row, from which on bringing rows together always beats a float32 copy of
            // the target. Measured.
            .round_row_elements = 32,

            // Bytes of all private copies together; beyond the caches they are no good. Chosen.
            .copies_bytes = 64 << 20,
            // Copies for each thread where so many rows meet in each element: a thread that begins
            // late then leaves a part of its share to others. Measured (hist-i32-skew).
            .copies_per_unit = 8,
            .copy_rows_per_element = 8,
            // Copies that one work-item fills in turn, so that updates of one location do not wait
            // for one another; bytes of all of them, columns a row, and rows for each element of a
            // copy up to and from which that pays. Measured (hist-f32-skew).
            .apart_copies = 4,
            .apart_bytes = 8192,
            .apart_columns = 4,
            .apart_rows_per_element = 8,
            // Private copies pay where rows are more than so many, and each further one stands
            // against so many elements. Measured.
            .private_rows = 1024,
            .private_row_elements = 8,
            // Where rows could be divided instead: all copies take at most one such share of the
            // largest cache, and a row stands against so many of their bytes, or, of long rows,
            // so many elements of updates against one of theirs. Measured (voxelize-f32 and sizes
            // around it; rows of 1 to 333 elements of 4 and 8 bytes; two threads).
            .copies_cache_share = 2,
            .copies_bytes_per_row = 8,
            .copies_updates_per_element = 12,
            // Rows for each location from which to find the last ones pays. Measured (two threads;
            // targets of 1 to 25 MB, rows of 4 to 1024 bytes).
            .last_rows_per_location = 2,
        },
    .gpu =
        {
            // Work-groups, several times as many as are resident, so that none is left with more
            // than its share. Measured (H200: with 32, gather-elements-f32 takes 1.20 times as
            // long, slice-hflip-nhwc-u8 1.16, other-rows-37 1.15, slice-step2-nhwc-f32 1.07).
            .groups_per_unit = 128,
            // Owners. Every one reads all indices, so GPUs avoid them. Not measured.
            .owners_per_unit = 64,
            // Bytes. Units nearer than this share what a GPU fetches at once. Reported.
            .near_bytes = 64,

            // Work-items that check. Chosen.
            .check_items_per_unit = 2048,
            // Work-groups that convert to float32 and back. Not measured.
            .convert_groups = 64,

            // Work-items that group rows by shard, and rows that each takes at least. Chosen.
            .route_items_per_unit = 512,
            .route_rows = 16,

            // Work-groups that fill private copies in local memory, as many as have room on most,
            // and work-items of each. Reported.
            .private_groups_per_unit = 4,
            .private_group = 256,
            // KiB of local memory for copies: what leaves room for several groups, and what every
            // device of OpenCL's full profile has.
            .private_kib = 16,
            .private_kib_most = 32,
            // log2 of the columns that a group merges: 8 neighbours read whole sectors.
            .merge_lanes = 3,

            // Blocks of keys: enough that their loads overlap. Each has a column in the table of
            // counts, so many more would cost what they save. Measured (H200: 32 are 6 % faster at
            // most).
            .sort_blocks_per_unit = 8,
            // Bytes of a row that a group of lanes covers: a cache line, so that wide rows give
            // work to many groups also where all updates are of one row. Reported.
            .sort_line_bytes = 128,
            // Bytes of workspace that a sort takes where none is lent, 4 million rows a chunk, or
            // that part of a memory of the device's own. Each chunk takes all launches once more.
            // Chosen.
            .sort_bytes = 64 << 20,
            .sort_share = 16,

            // Rows from which on a sample of them may be looked at first: with fewer its launch,
            // some 10 us, is no small part of the call. Reported (XLA issue 26371).
            .sample_rows = 16384,
        },
    .loops = // of drivers that end them early
    {
        // Iterations that a work-item makes for a row of one column, or for a column. A loop
        // counts as one where it makes none. Measured (Mesa 22.3): gathers and slices are right
        // with 10, sums with 13, with one less they are not. More than 15, and a call of 2^24 rows
        // would take more launches than there may be.
        .iterations_per_step = 15,
        // Rows that a launch of owners takes at least; they get fewer columns each. Chosen.
        .launch_rows = 64,
        // Launches of a call. Mesa 22.3 overflows its stack when it releases a chain of 7,687.
        // Measured.
        .launches = 4096,
    },
};

#endif
