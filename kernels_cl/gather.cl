// SPDX-License-Identifier: Apache-2.0
//
// gather: dense[o, s] = data[o + selected(o) + s]. Without coordinates it is a copy.
//
// Arguments     data, indices, fill, dense, args. `fill` is the pattern for bad rows, fill_units
//               units long; not read when that is 0. `indices` is not read without coordinates.
// Options       -DUNIT (units.clh), -DINDEX, -DLANES, -DSMALL (common.clh)
// Work size     LANES: groups of CLND_LANES x 1; columns along dimension 0, rows along 1.
//               otherwise: groups of 1 x 1; blocks of columns along dimension 0, of rows along 1.
//               May look for bad rows (CLND_GATE_FOUND).

__kernel void gather(__global const uchar *restrict data, __global const uchar *indices,
                     __global const uchar *fill, __global uchar *restrict dense,
                     clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args);
    const range columns = columns_of_item(&args);
    for (long row = rows.first; row < rows.last; row += rows.step) {
        const row_start start = find_row(&args, row);
        const long selected = select_row(&args, indices, start);
        for (long column = columns.first; column < columns.last;) {
            const column_run s = find_columns(&args, column, columns.last);
            __global uchar *to = dense + start.dense + s.dense;
            SHUT_GATE_IF(args.gate, selected == BAD_ROW);
            if (selected != BAD_ROW)
                move_units(data + selected + s.data, s.data_step, to, s.dense_step, s.count);
            else
                fill_units(fill, &args, column, to, s.dense_step, s.count);
            column = next_column(columns, column, s);
        }
    }
}
