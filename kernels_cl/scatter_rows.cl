// SPDX-License-Identifier: Apache-2.0
//
// scatter_rows: scatter with CLND_REDUCE_UPDATE, for rows that are contiguous in data and dense, on
// CPUs.
//
// Arguments     as scatter
// Options       -DUNIT=1: columns are bytes; -DINDEX, -DSMALL (common.clh), -DCOORDINATES,
//               -DUNADJUSTED, -DROW (rows.clh)
// Work size     groups of 1 x 1; blocks of columns along dimension 0, of rows along 1.

__kernel void scatter_rows(__global uchar *restrict data, __global const uchar *indices,
                           __global const uchar *restrict dense, clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args);
    const range columns = columns_of_item(&args);
    const long bytes = ROW ? ROW : columns.last - columns.first;
    // Lines that go past the caches are not asked for.
    moving_rows moving = {.at_once = rows_at_once(bytes),
                          .ahead = args.stream ? 0 : bytes_ahead(bytes)};
    data += columns.first;
    dense += columns.first;
    for (long row = rows.first; row < rows.last;) {
        row_run run;
        find_rows(&args, row, rows.last, &run);
        start_rows(&args, data, indices, run, true, &moving);
        while (next_rows(&args, data, indices, run, true, &moving)) {
            const long *locations = moving.locations[moving.current];
            const bool good = moving.good[moving.current];
            __global const uchar *from = dense + run.first.dense + moving.first * run.dense_step;
            if (good) {
                ONE_BY_ONE
                for (long i = 0; i < moving.count; ++i)
                    move_row(from + i * run.dense_step, data + locations[i], bytes, args.stream);
            } else {
                for (long i = 0; i < moving.count; ++i)
                    if (locations[i] != BAD_ROW)
                        move_row(from + i * run.dense_step, data + locations[i], bytes,
                                 args.stream);
            }
        }
        row += run.count;
    }
}
