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
// Rows that are checked together: whole vectors of values, however many a tuple has.
#define CHECKED_AT_ONCE 32

// Whether so many tuples that lie side by side are good. Where none is to be known by its location,
// values are compared as they come, without a shuffle.
static inline bool are_good_tuples(__global const index_value *values, const index_number *extents,
                                   long adjust)
{
    index_bits outside = 0;
    for (int i = 0; i < CHECKED_AT_ONCE * COORDINATES; ++i)
        outside |= !is_inside(adjust_index(values[i], extents[i], adjust), extents[i]);
    return outside == 0;
}

// Of the run's tuples, which lie side by side: how many are good before the first bad one, in
// multiples of those that are checked together.
static inline long count_good_tuples(const clnd_move_args *args, __global const uchar *indices,
                                     const row_run *run)
{
    index_number extents[CHECKED_AT_ONCE * COORDINATES];
    for (int i = 0; i < CHECKED_AT_ONCE; ++i)
        for (int k = 0; k < COORDINATES; ++k)
            extents[i * COORDINATES + k] = (index_number)args->coordinates[k].extent;
    __global const uchar *tuples = indices + run->first.index;
    long i = 0;
    for (; i + CHECKED_AT_ONCE <= run->count; i += CHECKED_AT_ONCE) {
        fetch_stream(tuples + i * TUPLE_BYTES, CHECKED_AT_ONCE * TUPLE_BYTES, run->index_ahead);
        if (!are_good_tuples((__global const index_value *)(tuples + i * TUPLE_BYTES), extents,
                             ADJUST_OF(args)))
            break;
    }
    return i;
}

// The first bad one of the rows, or `last`.
COMPILED_ONCE long find_bad_row(const clnd_move_args *args, __global const uchar *indices,
                                long first, long last)
{
    const offset step = (offset)args->index_step;
    row_run run;
    long stretch[CLND_ARGS_AXES];
    start_runs(args, first, last, stretch, &run);
    while (next_run(args, &run)) {
        long i = has_contiguous_tuples(args) ? count_good_tuples(args, indices, &run) : 0;
        __global const uchar *tuples = indices + run.first.index;
        for (; i < run.count; ++i)
            if (select_location(args, 0, tuples + i * run.index_step, step) == BAD_ROW)
                return run.row + i;
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
