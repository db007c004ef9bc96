// SPDX-License-Identifier: Apache-2.0
//
// check: finds the first row of indices that holds a value outside its dimension.
//
// Arguments     indices, verdict, args. The verdict holds CLND_NO_BAD_ROW twice before. The rows
//               are args.first_row to args.rows, at most CLND_CHECK_ROWS of them, and first_row is
//               a multiple of that: the host launches as often as it takes, one after the other.
// Options       -DINDEX, -DSMALL, -DLANES, -DOFFSETS, -DCOORDINATES, -DUNADJUSTED, with LANES=1
//               -DOUTER (common.clh)
// Work size     LANES=0: groups of 1 x 1; each work-item takes args.rows_per_item rows.
//               LANES=1: groups of CLND_LANES x 1; neighbours take neighbouring rows.
//
// read_bad_row: adds the values of the row that was found to the verdict.
//
// Arguments     indices, verdict, args: as the last launch of check had them.
// Options       likewise
// Work size     1

#if COORDINATES && !LANES
// The first bad one of the rows, or `last`.
static inline long find_bad_row(const clnd_move_args *args, __global const uchar *indices,
                                long first, long last)
{
    offset locations[LOOK_AT];
    for (long row = first; row < last;) {
        row_run run;
        long stretch[CLND_ARGS_AXES];
        find_rows(args, row, last, stretch, &run);
        for (long i = 0; i < run.count; i += LOOK_AT) {
            const long n = min(run.count - i, (long)LOOK_AT);
            if (locate_rows(args, indices, &run, i, n, locations))
                continue;
            long bad = 0;
            while (locations[bad] != BAD_ROW)
                ++bad;
            return row + i + bad;
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
    const range rows = {(offset)(args.first_row + get_global_id(0)), (offset)args.rows,
                        (offset)get_global_size(0)};
    offset bad = rows.last;
    for (offset row = rows.first; row < rows.last && bad == rows.last; row += BATCH * rows.step) {
        FIND_ROWS
        offset selected[BATCH];
#define SELECT(i) selected[i] = select_row(&args, indices, starts[i]);
#define FIND_BAD(i)                                                                                \
    if (taken[i] && selected[i] == BAD_ROW)                                                        \
        bad = min(bad, row + i * rows.step);
        EACH_OF_BATCH(SELECT)
        EACH_OF_BATCH(FIND_BAD)
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
