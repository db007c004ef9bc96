// SPDX-License-Identifier: Apache-2.0
//
// Scatters in which the target is divided into parts, and rows are put into the bucket of the part
// that they select before they are applied: each index is read once, or twice where rows come in
// the order of their parts, whatever the number of parts. The workspace is that of buckets.clh.
//
// bucket_rows    Arguments  indices, workspace, args
//                Options    -DINDEX, -DSMALL, -DOFFSETS, -DCOORDINATES, -DUNADJUSTED (common.clh);
//                           -DWIDE=CLND_SUMS_ROUNDED: all blocks get entries
//                Work size  groups of 1 x 1; blocks along dimension 1
//                May look for bad rows (CLND_GATE_FOUND).

// The rows of a block as they come: the parts that they belong to, that of a bad row behind all
// others, and their entries.
typedef struct bucket_block {
    ushort parts[CLND_BUCKET_BLOCK];
    uint entries[CLND_BUCKET_BLOCK];
} bucket_block;

static inline bool are_ascending(const ushort *parts, long n)
{
    ushort falls = 0;
    VECTORS_OF(ushort)
    for (long i = 1; i < n; ++i)
        falls |= (ushort)(parts[i - 1] > parts[i]);
    return falls == 0;
}

// Bytes from where the first part begins; of a bad row many.
#define PLACE_OF(location) ((offset_bits)((location) - (offset)move->part_first))

// Finds the rows' parts and, unless they are only to be in order, their entries. False: they are
// not in order.
COMPILED_ONCE bool divide_rows(__global const uchar *indices, const clnd_bucket_args *restrict args,
                               long first, long last, bool in_order, bucket_block *restrict block)
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
            const long at = run.row - first + done, before = min(at, 1L);
            locate_rows(move, indices, &run, done, n, locations);
            ushort *parts = block->parts + at;
            VECTORS_OF(uint)
            for (long i = 0; i < n; ++i)
                parts[i] = (ushort)min(PLACE_OF(locations[i]) >> shift, (offset_bits)args->parts);
            if (in_order && !are_ascending(parts - before, n + before))
                return false;
            VECTORS_OF(uint)
            for (long i = 0; i < (in_order ? 0 : n); ++i)
                block->entries[at + i] = (uint)((PLACE_OF(locations[i]) & inside) >>
                                                move->lanes_shift << CLND_BUCKET_ROW_BITS) |
                                         (uint)(at + i);
        }
    return true;
}

// Parts that a block may have where it needs no entries: of more, each would have few rows.
#define PARTS_IN_ORDER 32

// Of rows in order the first of the part, or of those behind it.
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

// Notes where the parts begin in a block whose rows come in the order of few parts. False: they do
// not, or they need entries all the same.
static inline bool divide_in_order(__global const uchar *indices, __global uchar *workspace,
                                   const clnd_bucket_args *args, long first, long last, long number,
                                   bucket_block *block)
{
    const long rows = last - first;
    const bool in_order = WIDE != CLND_SUMS_ROUNDED &&
                          divide_rows(indices, args, first, last, true, block) &&
                          block->parts[rows - 1] - block->parts[0] < PARTS_IN_ORDER;
    in_order_of(workspace, args)[number] = in_order;
    for (long part = 0; in_order && part <= args->parts; ++part)
        starts_of(workspace, args, part)[number] = first_of_part(block, rows, part);
    return in_order;
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
    bucket_block block;
    if (divide_in_order(indices, workspace, &args, first, last, number, &block)) {
        SHUT_GATE_IF(args.move.gate, block.parts[rows - 1] == args.parts);
        return;
    }

    __global uint *entries = entries_of(workspace, &args, number);
    for (long i = 0; i < rows; i += 64 / (long)sizeof *entries)
        FETCH_AHEAD_TO_WRITE(entries + i);
    divide_rows(indices, &args, first, last, false, &block);

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
    SHUT_GATE_IF(args.move.gate, starts_of(workspace, &args, args.parts)[number] < rows);
    EACH_ROW(PLACE)
}
