// SPDX-License-Identifier: Apache-2.0
//
// gather_rows: what gather does, for rows that are contiguous in data and dense, on CPUs.
//
// Arguments     as gather
// Options       -DUNIT (units.clh), -DINDEX, -DSMALL (common.clh), -DCOORDINATES, -DUNADJUSTED,
//               -DROW (rows.clh)
// Work size     groups of 1 x 1; blocks of columns along dimension 0, of rows along 1.
//               May look for bad rows (CLND_GATE_FOUND).

#if MAKES_LINES
static inline void move_lines(__global const uchar *data, const long *locations, long n,
                              __global uchar *to)
{
    row_bytes rows[MOST_AT_ONCE] __attribute__((aligned(64)));
    ONE_BY_ONE
    for (long i = 0; i < n; ++i)
        rows[i] = *(__global const row_bytes *)(data + locations[i]);
    store_lines((const ulong8 *)rows, n * ROW, to);
}
#endif

// Moves rows from known locations; where that is BAD_ROW, the row is filled.
static inline void move_rows(__global const uchar *data, __global const uchar *fill,
                             const clnd_move_args *args, range columns, const long *locations,
                             long n, bool good, __global uchar *to, long to_step)
{
    const long units = columns.last - columns.first;
    if (good) {
        ONE_BY_ONE
        for (long i = 0; i < n; ++i)
            MOVE_ROW(data + locations[i], to + i * to_step, units, args->stream);
        return;
    }
    for (long i = 0; i < n; ++i)
        if (locations[i] != BAD_ROW)
            MOVE_ROW(data + locations[i], to + i * to_step, units, args->stream);
        else
            fill_units(fill, args, columns.first, to + i * to_step, UNIT, units);
}

__kernel void gather_rows(__global const uchar *restrict data, __global const uchar *indices,
                          __global const uchar *fill, __global uchar *restrict dense,
                          clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args);
    const range columns = columns_of_item(&args);
    const long row_bytes = ROW ? ROW : (columns.last - columns.first) * UNIT;
    moving_rows moving = {.at_once = rows_at_once(row_bytes), .ahead = bytes_ahead(row_bytes)};
    data += columns.first * UNIT;
    dense += columns.first * UNIT;
    for (long row = rows.first; row < rows.last;) {
        row_run run;
        find_rows(&args, row, rows.last, &run);
        start_rows(&args, data, indices, run, false, &moving);
        while (next_rows(&args, data, indices, run, false, &moving)) {
            const long *locations = moving.locations[moving.current];
            const bool good = moving.good[moving.current];
            __global uchar *to = dense + run.first.dense + moving.first * run.dense_step;
            SHUT_GATE_IF(!good);
#if MAKES_LINES
            if (args.stream && good && are_lines(to, run.dense_step, moving.count))
                move_lines(data, locations, moving.count, to);
            else
#endif
                move_rows(data, fill, &args, columns, locations, moving.count, good, to,
                          run.dense_step);
        }
        row += run.count;
    }
}
