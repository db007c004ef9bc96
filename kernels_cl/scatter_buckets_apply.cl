// SPDX-License-Identifier: Apache-2.0
//
// bucket_apply   makes its part zeros, where it is to begin as that, and applies the rows that
//                scatter_buckets.cl has put into its bucket, block by block: in row order.
//                Arguments  data, workspace, dense, indices, args
//                Options    -DINDEX, -DSMALL, -DOFFSETS, -DCOORDINATES, -DUNADJUSTED (common.clh);
//                           -DREDUCE; of CLND_REDUCE_UPDATE -DUNIT, -DROW (rows.clh), of others
//                           -DDTYPE, -DWIDE (reduce.clh), -DCOLUMNS (in_order.clh)
//                Work size  groups of 1 x 1; parts along dimension 1

// A part's rows that are still to come.
typedef struct bucket {
    long block;
    long at;
    long end;
} bucket;

// Where some rows are in the part, and their updates, which count from the chunk's first.
typedef struct taken_rows {
    offset locations[MOST_AT_ONCE]; // bytes
    uint updates[MOST_AT_ONCE];     // rows
} taken_rows;

// The next of them: `at_once`, less only where block `last` begins. Returns how many.
static inline long take_rows(__global uchar *workspace, const clnd_bucket_args *args, long part,
                             long last, long at_once, bucket *from, taken_rows *taken)
{
    __global const uint *starts = starts_of(workspace, args, part);
    __global const uint *ends = starts_of(workspace, args, part + 1);
    long count = 0;
    while (count < at_once) {
        if (from->at == from->end) {
            if (++from->block >= last)
                break;
            from->at = starts[from->block];
            from->end = ends[from->block];
            const long next = from->block + 1;
            if (next < last && starts[next] < ends[next])
                FETCH_AHEAD(entries_of(workspace, args, next) + starts[next]);
        }
        __global const uint *entries = entries_of(workspace, args, from->block) + from->at;
        const long n = min(from->end - from->at, at_once - count);
        const uint block = (uint)from->block << CLND_BUCKET_ROW_BITS;
        VECTORS_OF(uint)
        for (long i = 0; i < n; ++i) {
            taken->locations[count + i] = (offset)(entries[i] >> CLND_BUCKET_ROW_BITS)
                                          << args->move.lanes_shift;
            taken->updates[count + i] = block + (entries[i] & (CLND_BUCKET_BLOCK - 1));
        }
        count += n;
        from->at += n;
    }
    return count;
}

// Parts so small that they are in the first-level cache after a few rows: no prefetch pays. Nor
// does it for a part that has just been made zeros, which the second-level cache still has.
#define NEAR_PART 16384

#define UPDATE_OF(rows, i) ((long)(rows)->updates[i] * update_step)
// Asks for the update and the target of row i of those that are applied next.
#define FETCH_NEXT(i)                                                                              \
    {                                                                                              \
        FETCH_ROW(FETCH_AHEAD, dense + UPDATE_OF(next, i), bytes, updates_ahead);                  \
        FETCH_ROW(FETCH_AHEAD_TO_WRITE, data + next->locations[i], bytes, ahead);                  \
    }

// Applies the part's rows of the blocks [first, last) by their entries.
COMPILED_ONCE void apply_entries(__global uchar *restrict data, __global uchar *restrict workspace,
                                 __global const uchar *restrict dense, const clnd_bucket_args *args,
                                 long part, long first, long last, bool near)
{
    const long update_step = args->update_step;
    dense = first_update(dense, args);
    const column_run s = find_columns(&args->move, 0, args->move.columns);
    const long bytes = bytes_of_row(s);
    const long ahead = near || args->move.stream ? 0 : bytes_ahead(data, bytes, true);
    const long at_once = rows_at_once(bytes, false);
    // Updates side by side, of which lines are asked for where rows follow one another.
    const bool are_short = update_step == bytes_of_updates(s) && update_step <= 64;
    bucket from = {first - 1, 0, 0};
    taken_rows taken[2];
    for (long current = 0, count = 0, more = 1; more > 0; count = more, current ^= 1) {
        const taken_rows *now = &taken[current];
        taken_rows *next = &taken[current ^ 1];
        more = take_rows(workspace, args, part, last, at_once, &from, next);
        const bool follow =
            are_short && more > 0 && next->updates[more - 1] - next->updates[0] == more - 1;
        const long updates_ahead = follow ? 0 : bytes_ahead(dense, bytes, false);
        const bool later = FETCHES_APART && more == count;
        if (follow)
            fetch_stream(dense + UPDATE_OF(next, 0), more * update_step, 0);
        for (long i = later ? more : 0; i < more; ++i)
            FETCH_NEXT(i)
        const bool apart = are_apart(now->locations, count, args->move.stream);
        ONE_BY_ONE
        for (long i = 0; i < count; ++i) {
            if (later)
                FETCH_NEXT(i)
            combine_row(data + now->locations[i], dense + UPDATE_OF(now, i), s, apart);
        }
    }
}

// Applies the part's rows of blocks in order, which have no entries: all that follow one another at
// once, from block to block.
static inline void apply_in_order(__global uchar *restrict data, __global uchar *restrict workspace,
                                  __global const uchar *restrict dense,
                                  __global const uchar *indices, const clnd_bucket_args *args,
                                  long part, long first, long last, bool near)
{
    __global const uint *starts = starts_of(workspace, args, part);
    __global const uint *ends = starts_of(workspace, args, part + 1);
    const range columns = {0, args->move.columns, 1};
#define FIRST_ROW(block) (args->move.first_row + (block)*CLND_BUCKET_BLOCK)
    for (long block = first; block < last;) {
        range rows = {FIRST_ROW(block) + starts[block], FIRST_ROW(block) + ends[block], 1};
        while (++block < last && rows.last == FIRST_ROW(block) && starts[block] == 0)
            rows.last += ends[block];
        if (rows.first < rows.last)
            combine_rows(data, indices, dense, &args->move, rows, columns, near);
    }
}

__kernel void bucket_apply(__global uchar *restrict data, __global uchar *restrict workspace,
                           __global const uchar *restrict dense, __global const uchar *indices,
                           clnd_bucket_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const long part = get_global_id(1), blocks = count_blocks(&args);
    __global const uint *in_order = in_order_of(workspace, &args);
    __global uchar *own = begin_part(data, &args, part);
    const bool near =
        (args.move.part_bytes <= NEAR_PART || args.zero_bytes > 0) && !args.move.stream;
    for (long first = 0, last; first < blocks; first = last) {
        for (last = first + 1; last < blocks && in_order[last] == in_order[first];)
            ++last;
        if (in_order[first])
            apply_in_order(data, workspace, dense, indices, &args, part, first, last, near);
        else
            apply_entries(own, workspace, dense, &args, part, first, last, near);
    }
}
