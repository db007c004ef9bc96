// SPDX-License-Identifier: Apache-2.0
//
// Scatters in which the target is divided into parts, and rows are put into the bucket of the part
// that they select before they are applied: each index is read once, whatever the number of parts.
// The workspace is that of buckets.clh.
//
// bucket_rows    Arguments  indices, workspace, args
//                Options    -DINDEX, -DSMALL, -DOFFSETS, -DCOORDINATES, -DUNADJUSTED (common.clh)
//                Work size  groups of 1 x 1; blocks along dimension 1
//                May look for bad rows (CLND_GATE_FOUND).
//
// bucket_apply   makes its part zeros, where it is to begin as that, and applies its rows, block by
//                block: in row order.
//                Arguments  data, workspace, dense, args
//                Options    -DSMALL; -DREDUCE; of CLND_REDUCE_UPDATE -DUNIT, -DROW (rows.clh), of
//                           others -DDTYPE, -DWIDE (reduce.clh), -DCOLUMNS (in_order.clh)
//                Work size  groups of 1 x 1; parts along dimension 1

#if COORDINATES

// A block's rows as they come: their entries, and the parts that these belong to; that of a bad row
// is behind all others.
typedef struct bucket_block {
    uint entries[CLND_BUCKET_BLOCK];
    ushort parts[CLND_BUCKET_BLOCK];
} bucket_block;

COMPILED_ONCE void make_entries(__global const uchar *indices,
                                const clnd_bucket_args *restrict args, long first, long last,
                                bucket_block *restrict block)
{
    const clnd_move_args *move = &args->move;
    const offset_bits shift = (offset_bits)(63 - clz(move->part_bytes));
    const offset_bits inside = (offset_bits)(move->part_bytes - 1);
    offset locations[MOST_AT_ONCE];
    row_run run;
    run_memory memory;
    start_located_runs(move, indices, first, last, &memory, &run);
    while (next_run(move, &run))
        for (long done = 0, n; done < run.count; done += n) {
            n = min(run.count - done, (long)MOST_AT_ONCE);
            const long at = run.row - first + done;
            locate_rows(move, indices, &run, done, n, locations);
            VECTORS_OF(uint)
            for (long i = 0; i < n; ++i) {
                const offset_bits location = (offset_bits)(locations[i] - (offset)move->part_first);
                block->entries[at + i] =
                    (uint)((location & inside) >> args->place_shift << CLND_BUCKET_ROW_BITS) |
                    (uint)(at + i);
                block->parts[at + i] = (ushort)min(location >> shift, (offset_bits)args->parts);
            }
        }
}

// Whether the rows come in the order of their parts, as those of sorted indices do.
static inline bool are_in_order(const bucket_block *block, long rows)
{
    bool in_order = true;
    VECTORS_OF(ushort)
    for (long i = 1; i < rows; ++i)
        in_order &= block->parts[i - 1] <= block->parts[i];
    return in_order;
}

// Of such rows the first of the part, or of those behind it; most often all are of one part or two.
static inline uint first_of_part(const bucket_block *block, long rows, long part)
{
    if (block->parts[rows - 1] < part)
        return (uint)rows;
    long before = 0, after = block->parts[0] < part ? rows : 0;
    while (before < after) {
        const long middle = (before + after) / 2;
        if (block->parts[middle] < part)
            before = middle + 1;
        else
            after = middle;
    }
    return (uint)before;
}

// There is nothing to count or to move.
static inline void store_in_order(const bucket_block *block, long rows, __global uchar *workspace,
                                  const clnd_bucket_args *args, long number)
{
    __global uint *entries = entries_of(workspace, args, number);
    for (long part = 0; part <= args->parts; ++part)
        starts_of(workspace, args, part)[number] = first_of_part(block, rows, part);
    VECTORS_OF(uint)
    for (long i = 0; i < rows; ++i)
        entries[i] = block->entries[i];
}

// To increment a counter waits for the increment before it, so that rows of one part would go one
// by one. Quarters of the block have their own counters, and go side by side.
#define QUARTERS 4

// Turns the numbers of rows into where each quarter's begin, part by part.
static inline void start_parts(uint (*next)[QUARTERS], __global uchar *workspace,
                               const clnd_bucket_args *args, long number)
{
    uint start = 0;
    for (long part = 0; part <= args->parts; ++part) {
        starts_of(workspace, args, part)[number] = start;
        for (long q = 0; q < QUARTERS; ++q) {
            const uint count = next[part][q];
            next[part][q] = start;
            start += count;
        }
    }
}

__kernel void bucket_rows(__global const uchar *indices, __global uchar *restrict workspace,
                          clnd_bucket_args args GATE_PARAMETER)
{
    const long number = get_global_id(1);
    const long first = args.move.first_row + number * CLND_BUCKET_BLOCK;
    const long last = min(first + CLND_BUCKET_BLOCK, args.move.rows);
    const long rows = last - first, quarter = rows / QUARTERS;
    __global uint *entries = entries_of(workspace, &args, number);
    for (long i = 0; i < rows; i += 64 / (long)sizeof *entries)
        FETCH_AHEAD_TO_WRITE(entries + i);
    bucket_block block;
    make_entries(indices, &args, first, last, &block);
    if (are_in_order(&block, rows)) {
        store_in_order(&block, rows, workspace, &args, number);
        SHUT_GATE_IF(block.parts[rows - 1] == args.parts);
        return;
    }

    uint next[CLND_BUCKET_PARTS + 1][QUARTERS];
    for (long part = 0; part <= args.parts; ++part)
        for (long q = 0; q < QUARTERS; ++q)
            next[part][q] = 0;
#define EACH_ROW(work)                                                                             \
    for (long i = 0; i < quarter; ++i) {                                                           \
        work(i, 0);                                                                                \
        work(quarter + i, 1);                                                                      \
        work(2 * quarter + i, 2);                                                                  \
        work(3 * quarter + i, 3);                                                                  \
    }                                                                                              \
    for (long i = QUARTERS * quarter; i < rows; ++i)                                               \
        work(i, 3);
#define COUNT(row, q) ++next[block.parts[row]][q]
#define PLACE(row, q) entries[next[block.parts[row]][q]++] = block.entries[row]
    EACH_ROW(COUNT)

    start_parts(next, workspace, &args, number);
    SHUT_GATE_IF(starts_of(workspace, &args, args.parts)[number] < rows);
    EACH_ROW(PLACE)
}
#else

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

// The next of them: `at_once`, less only in the end. Returns how many.
static inline long take_rows(__global uchar *workspace, const clnd_bucket_args *args, long part,
                             long at_once, bucket *from, taken_rows *taken)
{
    const long blocks = count_blocks(args);
    __global const uint *starts = starts_of(workspace, args, part);
    __global const uint *ends = starts_of(workspace, args, part + 1);
    long count = 0;
    while (count < at_once) {
        if (from->at == from->end) {
            if (++from->block >= blocks)
                break;
            from->at = starts[from->block];
            from->end = ends[from->block];
            const long next = from->block + 1;
            if (next < blocks && starts[next] < ends[next])
                FETCH_AHEAD(entries_of(workspace, args, next) + starts[next]);
        }
        __global const uint *entries = entries_of(workspace, args, from->block) + from->at;
        const long n = min(from->end - from->at, at_once - count);
        const uint block = (uint)from->block << CLND_BUCKET_ROW_BITS;
        VECTORS_OF(uint)
        for (long i = 0; i < n; ++i) {
            taken->locations[count + i] = (offset)(entries[i] >> CLND_BUCKET_ROW_BITS)
                                          << args->place_shift;
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

__kernel void bucket_apply(__global uchar *restrict data, __global uchar *restrict workspace,
                           __global const uchar *restrict dense,
                           clnd_bucket_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const long part = get_global_id(1), update_step = args.update_step;
    data = begin_part(data, &args, part);
    dense = first_update(dense, &args);
    const column_run s = find_columns(&args.move, 0, args.move.columns);
    const long bytes = bytes_of_row(s);
    const bool fetches =
        args.move.part_bytes > NEAR_PART && args.zero_bytes == 0 && !args.move.stream;
    const long ahead = fetches ? bytes_ahead(data, bytes) : 0;
    const long at_once = rows_at_once(bytes);
    // Updates side by side, of which lines are asked for where rows follow one another.
    const bool are_short = update_step == bytes_of_updates(s) && update_step <= 64;
    bucket from = {-1, 0, 0};
    taken_rows taken[2];
    for (long current = 0, count = 0, more = 1; more > 0; count = more, current ^= 1) {
        const taken_rows *now = &taken[current];
        taken_rows *next = &taken[current ^ 1];
        more = take_rows(workspace, &args, part, at_once, &from, next);
        const bool follow =
            are_short && more > 0 && next->updates[more - 1] - next->updates[0] == more - 1;
        const long updates_ahead = follow ? 0 : bytes_ahead(dense, bytes);
        const bool later = FETCHES_APART && more == count;
        if (follow)
            fetch_stream(dense + UPDATE_OF(next, 0), more * update_step, 0);
        for (long i = later ? more : 0; i < more; ++i)
            FETCH_NEXT(i)
        const bool apart = are_apart(now->locations, count, args.move.stream);
        ONE_BY_ONE
        for (long i = 0; i < count; ++i) {
            if (later)
                FETCH_NEXT(i)
            combine_row(data + now->locations[i], dense + UPDATE_OF(now, i), s, apart);
        }
    }
}
#endif
