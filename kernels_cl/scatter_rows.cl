// SPDX-License-Identifier: Apache-2.0
//
// scatter_rows, scatter_rows_owner: what scatter_update and scatter_update_owner do, for rows that
// lie without gaps in data and dense, on CPUs.
//
// Arguments     as scatter_update
// Options       -DUNIT (units.clh), -DINDEX, -DSMALL (common.clh), -DCOORDINATES, -DADJUST, -DROW
//               (rows.clh)
// Work size     groups of 1 x 1; blocks of columns along dimension 0, of rows along 1; of owners,
//               parts along 1.

// Moves the rows that select places in `part`, which does not hold BAD_ROW, in order.
static inline void scatter_part(__global uchar *data, __global const uchar *indices,
                                __global const uchar *dense, const clnd_move_args *args, range rows,
                                range columns, range part)
{
    const long units = columns.last - columns.first;
    long places[MOST_AT_ONCE];
    data += columns.first * UNIT;
    dense += columns.first * UNIT;
    for (long row = rows.first; row < rows.last;) {
        row_run run;
        find_rows(args, row, rows.last, &run);
        for (long done = 0; done < run.count; done += MOST_AT_ONCE) {
            const long n = min(run.count - done, (long)MOST_AT_ONCE);
            __global const uchar *from = dense + run.first.dense + done * run.dense_step;
            locate_rows(args, indices, run, done, n, places);
            for (long i = 0; i < n && !args->stream; ++i)
                FETCH_AHEAD_TO_WRITE(data + places[i]);
            for (long i = 0; i < n; ++i)
                if (places[i] >= part.first && places[i] < part.last)
                    MOVE_ROW(from + i * run.dense_step, data + places[i], units, args->stream);
        }
        row += run.count;
    }
}

__kernel void scatter_rows(__global uchar *restrict data, __global const uchar *indices,
                           __global const uchar *restrict dense, clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args), columns = columns_of_item(&args);
    const range everywhere = {0, LONG_MAX, 1};
    scatter_part(data, indices, dense, &args, rows, columns, everywhere);
}

__kernel void scatter_rows_owner(__global uchar *restrict data, __global const uchar *indices,
                                 __global const uchar *restrict dense,
                                 clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = {0, args.rows, 1};
    const range columns = columns_of_item(&args), part = part_of_item(&args);
    scatter_part(data, indices, dense, &args, rows, columns, part);
}
