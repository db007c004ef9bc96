// SPDX-License-Identifier: Apache-2.0
//
// Rows of indices, grouped by the shard that owns what they select; a stable counting sort. Each
// work-item takes rows that follow one another, and has a column of its own in the table of counts,
// so there are no atomics.
//
// Arguments    those named below, args: the table of the caller with elements of one byte is data,
//              the positions are dense
// Options      -DINDEX, -DSMALL (common.clh)
//
// route_count  (indices, layout, table)  how many rows of each work-item go to each shard.
//              Work size: one work-item for each column but the last.
// route_scan   (layout, table)  counts become the number of rows in the columns before, the last
//              column what all of them have. Work size: one group a shard, of 1 or CLND_LANES.
// route_place  (indices, layout, table, positions, places, counts)  Work size: as route_count.

typedef struct owned {
    long shard; // BAD_ROW: nobody
    long place; // in its part of the table
} owned;

// The last shard that begins at or before the row: others that own nothing may begin there, too.
static inline long find_shard(__global const long *offsets, long shards, long row)
{
    long low = 0;
    long high = shards - 1;
    while (low < high) {
        const long middle = low + (high - low + 1) / 2;
        if (offsets[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// As if each element of the table were a byte: a location is its number.
static inline owned find_owner(const clnd_move_args *args, const clnd_route_layout *layout,
                               __global const long *offsets, __global const uchar *indices,
                               row_start start)
{
    const long location = select_row(args, indices, start);
    owned o = {BAD_ROW, 0};
    if (location == BAD_ROW)
        return o;
    const long row = location / layout->inner;
    const long rest = location - row * layout->inner;
    long mine;
    if (layout->block > 0) {
        const long block = row / layout->block;
        const long turn = block / layout->shards;
        o.shard = block - turn * layout->shards;
        mine = turn * layout->block + row - block * layout->block;
    } else {
        o.shard = find_shard(offsets, layout->shards, row);
        mine = row - offsets[o.shard];
    }
    o.place = mine * layout->inner + rest;
    return o;
}

static inline range rows_of_column(const clnd_move_args *args)
{
    const long first = min((long)get_global_id(0) * args->rows_per_item, args->rows);
    const range rows = {first, min(first + args->rows_per_item, args->rows), 1};
    return rows;
}

#define OFFSETS_BEHIND(layout) ((__global const long *)((layout) + 1))

__kernel void route_count(__global const uchar *indices, __global const clnd_route_layout *layout,
                          __global long *table, clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const clnd_route_layout l = *layout;
    __global long *column = table + get_global_id(0) * l.column_step;
    for (long shard = 0; shard < l.shards; ++shard)
        column[shard * l.shard_step] = 0;
    const range rows = rows_of_column(&args);
    for (long row = rows.first; row < rows.last; ++row) {
        const owned o =
            find_owner(&args, &l, OFFSETS_BEHIND(layout), indices, find_row(&args, row));
        if (o.shard != BAD_ROW)
            ++column[o.shard * l.shard_step];
    }
}

__kernel void route_scan(__global const clnd_route_layout *layout, __global long *table,
                         clnd_move_args args GATE_PARAMETER)
{
    __local long sums[CLND_LANES];
    if (GATE_IS_SHUT)
        return;
    const clnd_route_layout l = *layout;
    const long lane = get_local_id(0);
    const long lanes = get_local_size(0);
    __global long *counts = table + get_group_id(0) * l.shard_step;
    const long run = (l.columns + lanes - 1) / lanes;
    const long first = min(lane * run, l.columns);
    const long last = min(first + run, l.columns);
    long sum = 0;
    for (long column = first; column < last; ++column)
        sum += counts[column * l.column_step];
    sums[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    long before = 0;
    for (long i = 0; i < lane; ++i)
        before += sums[i];
    for (long column = first; column < last; ++column) {
        const long here = counts[column * l.column_step];
        counts[column * l.column_step] = before;
        before += here;
    }
    if (lane == lanes - 1)
        counts[l.columns * l.column_step] = before;
}

// Makes positions of the work-item's counts; the first work-item stores what each shard has.
static inline void begin_column(const clnd_route_layout *layout, __global long *table,
                                __global long *column, __global uchar *counts)
{
    __global const long *all = table + layout->columns * layout->column_step;
    long before = 0; // rows of lower shards
    for (long shard = 0; shard < layout->shards; ++shard) {
        const long here = all[shard * layout->shard_step];
        column[shard * layout->shard_step] += before;
        before += here;
        if (get_global_id(0) == 0)
            *(__global long *)(counts + layout->counts_offset + shard * layout->counts_step) = here;
    }
}

__kernel void route_place(__global const uchar *indices, __global const clnd_route_layout *layout,
                          __global long *table, __global uchar *positions, __global uchar *places,
                          __global uchar *counts, clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const clnd_route_layout l = *layout;
    __global long *column = table + get_global_id(0) * l.column_step;
    begin_column(&l, table, column, counts);
    const range rows = rows_of_column(&args);
    for (long row = rows.first; row < rows.last; ++row) {
        const row_start start = find_row(&args, row);
        const owned o = find_owner(&args, &l, OFFSETS_BEHIND(layout), indices, start);
        long position = -1;
        if (o.shard != BAD_ROW) {
            position = column[o.shard * l.shard_step]++;
            *(__global long *)(places + l.places_offset + position * l.places_step) = o.place;
        }
        *(__global long *)(positions + start.dense) = position;
    }
}
