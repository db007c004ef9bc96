// SPDX-License-Identifier: Apache-2.0
//
// check: finds the first row of indices that holds a value outside its dimension.
//
// Arguments     indices, verdict, args. The verdict holds CLND_NO_BAD_ROW twice before. The rows
//               are args.first_row to args.rows, at most CLND_CHECK_ROWS of them, and first_row is
//               a multiple of that: the host launches as often as it takes, one after the other.
// Options       -DINDEX, -DSMALL, -DLANES (common.clh)
//               -DCOORDINATES=n: exactly so many (rows.clh); with LANES=0, work-items look at their
//               rows many at a time
//               with LANES=1 -DOFFSETS, -DOUTER (lanes.clh), -DUNADJUSTED (rows.clh)
// Work size     LANES=0: groups of 1 x 1; each work-item takes args.rows_per_item rows.
//               LANES=1: groups of CLND_LANES x 1; neighbours take neighbouring rows.
//
// read_bad_row: adds the values of the row that was found to the verdict.
//
// Arguments     indices, verdict, args: as the last launch of check had them.
// Options       likewise
// Work size     1

#if COORDINATES && !LANES
// The bits of an index value: as few as there are, so that vectors hold many.
#if INDEX == CLND_INDEX_INT32
typedef uint value_bits;
#else
typedef ulong value_bits;
#endif

// The largest of n values `step` bytes apart, which are shifted so that all below the span are
// inside. Values side by side are left to the vectoriser.
static inline value_bits find_largest(__global const uchar *at, long step, long n, long kind,
                                      value_bits low)
{
    value_bits largest = 0;
    if (INDEX != CLND_INDEX_ANY && step == (long)(COORDINATES * sizeof(index_value))) {
        for (long i = 0; i < n; ++i)
            largest =
                max(largest, (value_bits)((__global const index_value *)at)[i * COORDINATES] + low);
    } else {
        for (long i = 0; i < n; ++i)
            largest = max(largest, (value_bits)load_index(at + i * step, kind) + low);
    }
    return largest;
}

// Whether n values of a coordinate are inside its dimension, or, where that wraps, inside as many
// elements before it as well: of int32, where it has 2^31 elements and more, all.
static inline bool are_values_inside(__global const uchar *at, long step, long n, long kind,
                                     ulong extent, bool wraps)
{
    const ulong most = INDEX == CLND_INDEX_INT32 ? 1UL << 31 : ~0UL;
    const ulong largest = find_largest(at, step, n, kind, wraps ? (value_bits)extent : 0);
    return largest < (wraps ? 2 * extent : min(extent, most));
}

static inline bool are_inside(const clnd_move_args *args, __global const uchar *tuple, long step,
                              long n)
{
    const bool wraps = args->adjust == CLND_ADJUST_WRAP;
    bool inside = true;
#define STEP(k)                                                                                    \
    if (k < COORDINATES) {                                                                         \
        inside =                                                                                   \
            inside && are_values_inside(tuple + k * args->index_step, step, n, args->index_kind,   \
                                        (ulong)args->coordinates[k].extent, wraps);                \
    }
    EACH_COORDINATE(STEP)
#undef STEP
    return inside;
}

// The first bad one of the rows, or `last`.
static inline long find_bad_row(const clnd_move_args *args, __global const uchar *indices,
                                long first, long last)
{
    enum { AT_ONCE = 512 };
    for (long row = first; row < last;) {
        row_run run;
        long stretch[CLND_ARGS_AXES];
        find_rows(args, row, last, stretch, &run);
        for (long i = 0; i < run.count; i += AT_ONCE) {
            const long n = min(run.count - i, (long)AT_ONCE);
            __global const uchar *tuple = indices + run.first.index + i * run.index_step;
            if (are_inside(args, tuple, run.index_step, n))
                continue;
            while (select_row(args, tuple, (row_start){0, 0, 0}) != BAD_ROW) {
                tuple += run.index_step;
                ++i;
            }
            return row + i;
        }
        row += run.count;
    }
    return last;
}
#elif !LANES
static inline long find_bad_row(const clnd_move_args *args, __global const uchar *indices,
                                long first, long last)
{
    while (first < last && select_row(args, indices, find_row(args, first)) != BAD_ROW)
        ++first;
    return first;
}
#endif

__kernel void check(__global const uchar *indices, volatile __global uint *verdict,
                    clnd_move_args args)
{
    // An earlier launch has the first bad row.
    const uint launch = (uint)(args.first_row / CLND_CHECK_ROWS);
    if (launch > 0 && atomic_min(verdict + 1, CLND_NO_BAD_ROW) < launch)
        return;
#if LANES
    const lane_range rows = {(offset)(args.first_row + get_global_id(0)), (offset)args.rows,
                             (offset)get_global_size(0)};
    offset bad = rows.last;
    for (offset row = rows.first; row < rows.last && bad == rows.last; row += BATCH * rows.step) {
        EACH_OF_BATCH(FIND_ROW)
#define SELECT(i) const offset selected##i = select_lane_row(&args, indices, start##i);
#define FIND_BAD(i)                                                                                \
    if (taken##i && selected##i == NO_LOCATION)                                                    \
        bad = min(bad, row + i * rows.step);
        EACH_OF_BATCH(SELECT)
        EACH_OF_BATCH(FIND_BAD)
#undef SELECT
#undef FIND_BAD
    }
    const long row = bad, last = args.rows;
#else
    const long first = args.first_row + get_global_id(0) * args.rows_per_item;
    const long last = min(first + args.rows_per_item, args.rows);
    const long row = find_bad_row(&args, indices, first, last);
#endif
    if (row < last) {
        atomic_min(verdict, (uint)(row - args.first_row));
        atomic_min(verdict + 1, launch);
    }
}

__kernel void read_bad_row(__global const uchar *indices, __global clnd_verdict *verdict,
                           clnd_move_args args)
{
    if (verdict->row == CLND_NO_BAD_ROW)
        return;
    const row_start start = find_row(&args, verdict->launch * CLND_CHECK_ROWS + verdict->row);
#define STEP(k)                                                                                    \
    if (k < args.n_coordinates)                                                                    \
        verdict->values[k] =                                                                       \
            load_index(indices + start.index + k * args.index_step, args.index_kind);
    EACH_COORDINATE(STEP)
#undef STEP
}
