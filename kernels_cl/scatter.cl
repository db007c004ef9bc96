// SPDX-License-Identifier: Apache-2.0
//
// scatter: data[o + selected(o) + s] (reduce)= dense[o, s]. Bad rows are dropped.
//
// Arguments     data, indices, dense, args. A column is one element.
// Options       -DREDUCE, -DDTYPE, -DWIDE (reduce.clh), of CLND_REDUCE_UPDATE -DUNIT (units.clh);
//               -DATOMIC (atomic_word.clh), -DINDEX, -DLANES, -DSMALL (common.clh)
//               -DOFFSETS, -DCOORDINATES, -DUNADJUSTED (common.clh), -DCOLUMNS (in_order.clh), of
//               UPDATE -DROW (rows.clh): columns along one axis, of UPDATE contiguous rows. Not
//               with ATOMIC or LANES
//
// scatter        all rows at once. Of updates that meet, without ATOMIC, some unit wins: elements
//                stay whole when a unit holds whole elements, or rows do not meet.
//                Work size as gather.
// scatter_owner  each work-item owns the rows of data that begin in its part, and its block of
//                columns, and takes the rows [args.first_row, args.rows) in order: the serial
//                loop's result, of updates the last one. Work size: groups of 1 x 1; blocks of
//                columns along dimension 0, parts along 1.

#if COORDINATES && REDUCE == CLND_REDUCE_UPDATE

// How many locations rows can select.
static inline long count_locations(const clnd_move_args *args)
{
    long count = 1;
    for (long d = 0; d < args->n_outer; ++d)
        count *= args->axes[d].data == 0 ? 1 : args->axes[d].size;
#define STEP(k)                                                                                    \
    if (k < COORDINATES)                                                                           \
        count *= args->coordinates[k].extent;
    EACH_COORDINATE(STEP)
#undef STEP
    return count;
}

// Whether so many rows meet that only the last ones are worth moving.
static inline bool has_last_rows(const clnd_move_args *args, range columns)
{
    const column_run s = find_columns(args, columns.first, columns.last);
    return args->part_bytes <= CLND_LAST_ROWS_TARGET && bytes_of_row(s) >= CLND_LAST_ROW_BYTES &&
           (args->rows - args->first_row) / 2 > count_locations(args);
}

// A bit for each location, of which no two are closer than rows are long. One more is for bad rows,
// which have none.
typedef uint stored_bits[CLND_LAST_ROWS_TARGET / CLND_LAST_ROW_BYTES / 32 + 1];

static inline offset_bits bit_of(const clnd_move_args *args, offset location)
{
    return min((offset_bits)(location - (offset)args->part_first), (offset_bits)args->part_bytes) /
           CLND_LAST_ROW_BYTES;
}

static inline bool is_stored(const uint *stored, offset_bits bit)
{
    return stored[bit / 32] >> (bit % 32) & 1;
}

// Rows that are left out together if all select the location of the row behind them.
#define LEFT_OUT_AT_ONCE 16

// Keeps those of the rows [first, last) whose locations have no update yet, from the last one on,
// and asks for their updates.
static inline void keep_last_rows(const clnd_move_args *args, __global const uchar *indices,
                                  __global const uchar *dense, long first, long last,
                                  const uint *stored, long bytes, long ahead, kept_rows *kept)
{
    offset locations[LOOK_AT + 1];
    row_run run;
    run_memory memory;
    start_located_runs(args, indices, first, last, &memory, &run);
    run.index_ahead = -LOOK_AT * TUPLE_BYTES;
    while (next_run(args, &run))
        locate_rows(args, indices, &run, 0, run.count, locations + (run.row - first));
    locations[last - first] = BAD_ROW;
    long count = 0;
    for (long end = last - first, begin; end > 0; end = begin) {
        begin = max(end - LEFT_OUT_AT_ONCE, 0L);
        offset differ = 0;
        for (long i = begin; i < end; ++i)
            differ |= locations[i] ^ locations[i + 1];
        for (long i = end - 1; i >= begin && differ != 0; --i) {
            kept->locations[count] = locations[i];
            kept->updates[count] = first + i;
            count +=
                (locations[i] != locations[i + 1]) & !is_stored(stored, bit_of(args, locations[i]));
        }
    }
    kept->count = count;
    for (long i = 0; i < count; ++i) {
        kept->updates[i] = find_row(args, kept->updates[i]).dense;
        FETCH_ROW(FETCH_AHEAD, dense + kept->updates[i], bytes, ahead);
    }
}

// Rows are taken from the last one on, until each location has its update. Most need not be looked
// at then, unless their indices are sorted.
COMPILED_ONCE void store_last_rows(__global uchar *restrict data, __global const uchar *indices,
                                   __global const uchar *restrict dense,
                                   const clnd_move_args *restrict args, range rows, range columns)
{
    const column_run s = find_columns(args, columns.first, columns.last);
    const long bytes = bytes_of_row(s);
    stored_bits stored;
    for (long i = 0; i <= args->part_bytes / CLND_LAST_ROW_BYTES / 32; ++i)
        stored[i] = 0;
    const offset_bits none = bit_of(args, BAD_ROW);
    stored[none / 32] = 1u << (none % 32);
    data += s.data;
    dense += s.dense;
    const long ahead = bytes_ahead(dense + args->dense_offset, bytes);
    kept_rows kept[2];
    kept[1].count = 0;
    long left = count_locations(args);
    // While kept rows are stored the next ones are on their way into the caches.
    for (long last = rows.last, current = 0, begun = 1; left > 0 && begun; current ^= 1) {
        const kept_rows *now = &kept[current ^ 1];
        const long first = max(last - LOOK_AT, (long)rows.first);
        begun = first < last;
        keep_last_rows(args, indices, dense, first, last, stored, bytes, ahead, &kept[current]);
        last = first;
        for (long i = 0; i < now->count; ++i) {
            const offset_bits bit = bit_of(args, now->locations[i]);
            if (is_stored(stored, bit))
                continue;
            stored[bit / 32] |= 1u << (bit % 32);
            --left;
            MOVE_ROW(dense + now->updates[i], data + now->locations[i], s.count, false);
        }
    }
}

#endif

__kernel void scatter(__global uchar *restrict data, __global const uchar *indices,
                      __global const uchar *restrict dense, clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args), columns = columns_of_item(&args);
#if COORDINATES
    if (has_stretches(&args))
        combine_stretches(data, indices, dense, &args, rows, columns);
    else
        combine_rows(data, indices, dense, &args, rows, columns,
                     selected_bytes(&args) <= NEAR_DATA);
#else
    combine_each(data, indices, dense, &args, rows, columns, EVERYWHERE);
#endif
}

__kernel void scatter_owner(__global uchar *restrict data, __global const uchar *indices,
                            __global const uchar *restrict dense,
                            clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range all = {args.first_row, args.rows, 1}, columns = columns_of_item(&args);
#if COORDINATES
    const bool alone = get_global_size(1) == 1;
#if REDUCE == CLND_REDUCE_UPDATE
    if (alone && has_last_rows(&args, columns)) {
        store_last_rows(data, indices, dense, &args, all, columns);
        return;
    }
#endif
    if (alone && args.part_bytes <= NEAR_TARGET)
        combine_rows(data, indices, dense, &args, all, columns, true);
    else
        combine_own_rows(data, indices, dense, &args, all, columns, part_of_item(&args));
#else
    combine_each(data, indices, dense, &args, all, columns, part_of_item(&args));
#endif
}
