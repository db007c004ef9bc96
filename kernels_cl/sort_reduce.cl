// SPDX-License-Identifier: Apache-2.0
//
// sort_reduce: data[selected(o) + s] (reduce)= dense[o, s] for sorted rows. Rows that meet are
// neighbours there and stand in row order: a segment. One lane a column takes its whole segment, so
// the result is the serial loop's.
//
// Arguments     data, workspace, dense, args. A column is one element.
// Options       -DDTYPE, -DREDUCE, -DWIDE (reduce.clh), -DLANES=1, -DSMALL (common.clh),
//               -DKEY (sort.clh)
// Work size     as gather, a position in the sorted keys being a row

// A longer segment is loaded by all lanes of its work-group.
#define SHORT_SEGMENT 32

// Updates that a lane loads before it needs the first, in a short segment and in a longer one: one
// after the other, each would cost the memory's latency. To find a row on many axes takes a
// division for each of them, in code as in time, and compilers would need minutes for all of it.
#if !SMALL
#define AHEAD       1
#define QUEUE_DEPTH 1
#elif DTYPE == CLND_KIND_COMPLEX128
#define AHEAD       8
#define QUEUE_DEPTH 8
#else
#define AHEAD       8
#define QUEUE_DEPTH 16
#endif

typedef struct sorted_rows {
    __global const sort_key *keys;
    __global const uint *rows;
    uint kept;
} sorted_rows;

static inline element load_sorted(const clnd_move_args *args, __global const uchar *dense, uint row,
                                  column_run s)
{
    return load_update(dense + find_row(args, args->first_row + row).dense + s.dense);
}

// Adds the updates from position `at` on to *sum, as long as they are of `key`, but at most
// SHORT_SEGMENT. Returns the position of the next one, or 0 if that was all.
static inline uint walk_segment(const clnd_move_args *args, __global const uchar *dense,
                                sorted_rows sorted, uint at, sort_key key, column_run s,
                                element *sum)
{
    *sum = combine(*sum, load_sorted(args, dense, sorted.rows[at], s));
    const uint last = at + SHORT_SEGMENT;
    for (++at; has_key(sorted.keys, sorted.kept, at, key); at += AHEAD) {
        if (at >= last)
            return at;
        // All row numbers, then all updates, without a branch: behind the segment's end those of
        // its first row here once more.
        element updates[AHEAD];
        uint rows[AHEAD];
        bool here[AHEAD];
#pragma unroll
        for (uint i = 0; i < AHEAD; ++i) {
            const uint position = min(at + i, sorted.kept - 1);
            here[i] = position == at + i && sorted.keys[position] == key;
            rows[i] = sorted.rows[position];
        }
#pragma unroll
        for (uint i = 0; i < AHEAD; ++i)
            updates[i] = load_sorted(args, dense, here[i] ? rows[i] : rows[0], s);
#pragma unroll
        for (uint i = 0; i < AHEAD; ++i)
            if (here[i])
                *sum = combine(*sum, updates[i]);
    }
    return 0;
}

// The first position behind `at` that does not hold the key at `at`.
static inline uint find_end(sorted_rows sorted, uint at)
{
    const sort_key key = sorted.keys[at];
    uint first = at + 1;
    uint last = sorted.kept;
    while (first < last) {
        const uint middle = first + (last - first) / 2;
        if (sorted.keys[middle] == key)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

// How the lanes of a work-group share positions and columns.
typedef struct lane_share {
    uint row_lanes;
    uint row_lane;
    uint column_lane;
    bool used; // there is such a column
} lane_share;

// The updates at the next positions; behind the end, the last one once more.
static inline void load_ahead(const clnd_move_args *args, __global const uchar *dense,
                              sorted_rows sorted, uint at, uint end, lane_share lane, column_run s,
                              element *updates)
{
    uint rows[QUEUE_DEPTH];
#pragma unroll
    for (uint i = 0; i < QUEUE_DEPTH; ++i)
        rows[i] = sorted.rows[min(at + i * lane.row_lanes + lane.row_lane, end - 1)];
#pragma unroll
    for (uint i = 0; i < QUEUE_DEPTH; ++i)
        updates[i] = load_sorted(args, dense, rows[i], s);
}

// Adds the rest of a segment, from position `at` on, to *sum of the lanes that take it. The other
// lanes help to load: while some are added up, the next are on their way.
static inline void walk_together(const clnd_move_args *args, __global const uchar *dense,
                                 sorted_rows sorted, uint at, lane_share lane, bool takes,
                                 column_run s, __local element *queue, element *sum)
{
    const uint end = find_end(sorted, at);
    const uint filled = QUEUE_DEPTH * lane.row_lanes;
    const uint row = CLND_LANES / lane.row_lanes;
    uint n = 0; // updates in the queue
    do {
        element updates[QUEUE_DEPTH];
        load_ahead(args, dense, sorted, at, end, lane, s, updates);
        if (takes)
            for (uint i = 0; i < n; ++i)
                *sum = combine(*sum, queue[i * row + lane.column_lane]);
        barrier(CLK_LOCAL_MEM_FENCE);
        n = min(filled, end - at);
        at += n;
#pragma unroll
        for (uint i = 0; i < QUEUE_DEPTH; ++i)
            queue[(i * lane.row_lanes + lane.row_lane) * row + lane.column_lane] = updates[i];
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (n > 0);
}

__kernel GROUP_OF_LANES void sort_reduce(__global uchar *data, __global const uchar *workspace,
                                         __global const uchar *dense,
                                         clnd_sort_apply_args args GATE_PARAMETER)
{
    __local element queue[CLND_LANES * QUEUE_DEPTH];
    // Segments that are not done: their number in this iteration and the next, where they go on,
    // and the row lanes that take them. Which comes first does not matter.
    __local uint n_long[2];
    __local uint rests[CLND_LANES];
    __local uint takers[CLND_LANES];
    const sorted_rows sorted = {(__global const sort_key *)(workspace + args.keys),
                                (__global const uint *)(workspace + args.rows),
                                GATE_IS_SHUT ? 0 : *(__global const uint *)(workspace + args.kept)};
    const range columns = columns_of_item(&args.move);
    lane_share lane;
    lane.row_lanes = CLND_LANES >> args.move.lanes_shift;
    lane.row_lane = get_local_id(0) >> args.move.lanes_shift;
    lane.column_lane = get_local_id(0) & ((1u << args.move.lanes_shift) - 1u);
    if (get_local_id(0) < 2)
        n_long[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint parity = 0;
    // All lanes make the same iterations, because of the barriers.
    for (long group = get_group_id(1) * lane.row_lanes; group < sorted.kept;
         group += get_num_groups(1) * lane.row_lanes) {
        const uint at = (uint)group + lane.row_lane;
        const sort_key key = at < sorted.kept ? sorted.keys[at] : NO_KEY;
        const bool begins = key != NO_KEY && (at == 0 || sorted.keys[at - 1] != key);
        for (long column = columns.first; column - lane.column_lane < columns.last;
             column += columns.step, parity ^= 1) {
            lane.used = column < columns.last;
            const column_run s =
                find_columns(&args.move, min(column, columns.last - 1), columns.last);
            __global uchar *to = data;
            element sum = 0;
            if (begins && lane.used) {
                to += args.move.part_first + (long)key * args.move.part_bytes + s.data;
                sum = load_target(to);
                const uint next = walk_segment(&args.move, dense, sorted, at, key, s, &sum);
                if (next != 0 && lane.column_lane == 0) {
                    const uint slot = atomic_inc(&n_long[parity]);
                    rests[slot] = next;
                    takers[slot] = lane.row_lane;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint n = n_long[parity];
            for (uint i = 0; i < n; ++i)
                walk_together(&args.move, dense, sorted, rests[i], lane,
                              lane.used && lane.row_lane == takers[i], s, queue, &sum);
            if (n > 0 && get_local_id(0) == 0)
                n_long[parity] = 0; // for the parity after the next
            if (begins && lane.used)
                store_target(to, sum);
        }
    }
}
