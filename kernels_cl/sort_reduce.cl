// SPDX-License-Identifier: Apache-2.0
//
// sort_reduce: data[selected(o) + s] (reduce)= dense[o, s] for sorted rows. Rows that meet are
// neighbours there and stand in row order: a segment. One lane a column takes whole segments, all
// that begin in its stretch of positions, so the result is the serial loop's.
//
// Arguments     data, workspace, dense, args. A column is one element.
// Options       -DDTYPE, -DREDUCE, -DWIDE (reduce.clh), -DLANES=1, -DSMALL (common.clh),
//               -DKEY (sort.clh); -DOUTER=1: rows lie at equal distances in dense
// Work size     as gather, a position in the sorted keys being a row

// Positions that the last segment of a stretch may have behind it. What is longer is loaded by all
// lanes of the work-group.
#define MOST_BEHIND 32

// Updates that a lane loads before it needs the first, in a stretch and in a long segment: one
// after the other, each would cost the memory's latency. To find a row on many axes takes a
// division for each of them, in code as in time, and compilers would need minutes for all of it.
#if !OUTER
#define AHEAD       1
#define QUEUE_DEPTH 1
#else
#define AHEAD       (DTYPE == CLND_KIND_COMPLEX128 ? 4 : 8)
#define QUEUE_DEPTH (DTYPE == CLND_KIND_COMPLEX128 ? 8 : 16)
#endif

typedef struct sorted_rows {
    __global const sort_key *keys;
    __global const uint *rows;
    uint kept;
} sorted_rows;

// The stretches of a work-group in local memory, with the position in front of them and those that
// may be looked at behind them. Outside of the sorted rows there is NO_KEY.
typedef struct tile {
    sort_key keys[1 + CLND_SORT_STRETCHES + MOST_BEHIND + 1];
    uint rows[1 + CLND_SORT_STRETCHES + MOST_BEHIND + 1];
} tile;

// From position `first` on, `count` of them and what is around.
INLINED void load_tile(sorted_rows sorted, long first, uint count, __local tile *to)
{
    for (uint i = get_local_id(0); i < 1 + count + MOST_BEHIND + 1; i += CLND_LANES) {
        const long at = first - 1 + i;
        const long inside = clamp(at, 0L, (long)sorted.kept - 1);
        to->keys[i] = inside == at ? sorted.keys[inside] : NO_KEY;
        to->rows[i] = sorted.rows[inside];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline element load_sorted(const clnd_move_args *args, __global const uchar *dense, uint row,
                                  column_run s)
{
#if OUTER
    const long at = args->dense_offset + (args->first_row + row) * args->axes[0].dense;
#else
    const long at = find_row(args, args->first_row + row).dense;
#endif
    return load_update(dense + at + s.dense);
}

// What a lane goes through: the target of the segment that it is in, and its sum up to there. Only
// segments that begin in its stretch are its own.
typedef struct segment {
    sort_key key;
    bool own;
    __global uchar *target;
    element sum;
} segment;

static inline __global uchar *target_of(const clnd_move_args *args, __global uchar *data,
                                        sort_key key, column_run s)
{
    return data + args->part_first + (long)key * args->part_bytes + s.data;
}

// Applies the segments that begin at positions `at` to `end` - 1 of the tile. Returns where the
// last one goes on if it is a long one, which is then left in *now, else 0.
static inline uint walk_stretch(const clnd_move_args *args, __global uchar *data,
                                __global const uchar *dense, __local const tile *sorted, uint at,
                                uint end, column_run s, segment *now)
{
    __local const sort_key *keys = sorted->keys + 1;
    now->own = false;
    now->key = sorted->keys[at];
    if (keys[end - 1] == now->key)
        return 0;
    const uint last = end + MOST_BEHIND;
    for (; at < end || (now->own && at < last); at += AHEAD) {
        element updates[AHEAD], targets[AHEAD];
#pragma unroll
        for (uint i = 0; i < AHEAD; ++i) {
            updates[i] = load_sorted(args, dense, sorted->rows[1 + at + i], s);
            if (at + i < end && sorted->keys[at + i] != keys[at + i])
                targets[i] = load_target(target_of(args, data, keys[at + i], s));
        }
#pragma unroll
        for (uint i = 0; i < AHEAD; ++i) {
            if (keys[at + i] != now->key) {
                if (now->own)
                    store_target(now->target, now->sum);
                now->key = keys[at + i];
                now->own = at + i < end;
                now->target = target_of(args, data, now->key, s);
                now->sum = targets[i];
            }
            if (now->own)
                now->sum = combine(now->sum, updates[i]);
        }
    }
    if (now->own && keys[at] == now->key)
        return at;
    if (now->own)
        store_target(now->target, now->sum);
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
} lane_share;

// The rows at the next positions; behind the end, the last one once more.
static inline void load_rows(sorted_rows sorted, uint at, uint end, lane_share lane, uint *rows)
{
#pragma unroll
    for (uint i = 0; i < QUEUE_DEPTH; ++i)
        rows[i] = sorted.rows[min(at + i * lane.row_lanes + lane.row_lane, end - 1)];
}

// Adds the rest of a segment, from position `at` on, to *sum of the lanes that take it. The other
// lanes help to load: while some updates are added up, the next are on their way, and the rows of
// those behind them.
INLINED void walk_together(const clnd_move_args *args, __global const uchar *dense,
                           sorted_rows sorted, uint at, lane_share lane, bool takes, column_run s,
                           __local element *queue, element *sum)
{
    const uint end = find_end(sorted, at);
    const uint filled = QUEUE_DEPTH * lane.row_lanes;
    const uint row = CLND_LANES / lane.row_lanes;
    uint rows[QUEUE_DEPTH];
    uint n = 0; // updates in the queue
    load_rows(sorted, at, end, lane, rows);
    do {
        element updates[QUEUE_DEPTH];
#pragma unroll
        for (uint i = 0; i < QUEUE_DEPTH; ++i)
            updates[i] = load_sorted(args, dense, rows[i], s);
        load_rows(sorted, at + filled, end, lane, rows);
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

// What the lanes of a work-group share. Of segments that are not done: their number in this
// iteration and the next, where they go on, and the row lanes that take them. Which comes first
// does not matter.
typedef struct group_memory {
    tile positions;
    uint n_long[2];
    uint rests[CLND_LANES];
    uint takers[CLND_LANES];
    element queue[CLND_LANES * QUEUE_DEPTH];
} group_memory;

// Applies the segments that begin in the lane's stretch of the tile at `first` to one column.
INLINED void reduce_column(const clnd_move_args *args, __global uchar *data,
                           __global const uchar *dense, sorted_rows sorted, long first,
                           lane_share lane, long column, uint parity, __local group_memory *group)
{
    const bool used = column < args->columns;
    const column_run s = find_columns(args, min(column, args->columns - 1), args->columns);
    const uint stretch = CLND_SORT_STRETCH(lane.row_lanes), at = lane.row_lane * stretch;
    const uint end = (uint)min((long)at + stretch, sorted.kept - first);
    segment now;
    uint next = 0;
    if (at < end && used)
        next = walk_stretch(args, data, dense, &group->positions, at, end, s, &now);
    if (next != 0 && lane.column_lane == 0) {
        const uint slot = atomic_inc(&group->n_long[parity]);
        group->rests[slot] = (uint)first + next;
        group->takers[slot] = lane.row_lane;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint n = group->n_long[parity];
    for (uint i = 0; i < n; ++i)
        walk_together(args, dense, sorted, group->rests[i], lane,
                      next != 0 && lane.row_lane == group->takers[i], s, group->queue, &now.sum);
    if (n > 0 && get_local_id(0) == 0)
        group->n_long[parity] = 0; // for the parity after the next
    if (next != 0)
        store_target(now.target, now.sum);
}

__kernel GROUP_OF_LANES void sort_reduce(__global uchar *data, __global const uchar *workspace,
                                         __global const uchar *dense,
                                         clnd_sort_apply_args args GATE_PARAMETER)
{
    __local group_memory group;
    const sorted_rows sorted = {(__global const sort_key *)(workspace + args.keys),
                                (__global const uint *)(workspace + args.rows),
                                GATE_IS_SHUT ? 0 : *(__global const uint *)(workspace + args.kept)};
    const range columns = columns_of_item(&args.move);
    lane_share lane;
    lane.row_lanes = CLND_LANES >> args.move.lanes_shift;
    lane.row_lane = get_local_id(0) >> args.move.lanes_shift;
    lane.column_lane = get_local_id(0) & ((1u << args.move.lanes_shift) - 1u);
    if (get_local_id(0) < 2)
        group.n_long[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint step = CLND_SORT_STRETCH(lane.row_lanes) * lane.row_lanes;
    uint parity = 0;
    // All lanes make the same iterations, because of the barriers.
    for (long first = get_group_id(1) * step; first < sorted.kept;
         first += get_num_groups(1) * step) {
        load_tile(sorted, first, step, &group.positions);
        for (long column = columns.first; column - lane.column_lane < columns.last;
             column += columns.step, parity ^= 1)
            reduce_column(&args.move, data, dense, sorted, first, lane, column, parity, &group);
    }
}
