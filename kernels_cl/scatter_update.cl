// SPDX-License-Identifier: Apache-2.0
//
// scatter_update: data[o + selected(o) + s] = dense[o, s]. Bad rows are dropped.
//
// Arguments     data, indices, dense, args
// Options       -DUNIT (units.clh), -DINDEX, -DLANES, -DSMALL (common.clh)
//
// scatter_update        all rows at once. Of rows that meet, some unit wins: elements stay whole
//                       when a unit holds whole elements, or rows do not meet.
//                       Work size as gather.
// scatter_update_owner  each work-item owns the rows of data that begin in its part, and its block
//                       of columns, and takes all rows in order: the last one wins.
//                       Work size: groups of 1 x 1; blocks of columns along dimension 0, parts
//                       along 1.

static inline void update_columns(__global uchar *data, long selected, __global const uchar *dense,
                                  long start, const clnd_move_args *args, range columns)
{
    for (long column = columns.first; column < columns.last;) {
        const column_run s = find_columns(args, column, columns.last);
        move_units(dense + start + s.dense, s.dense_step, data + selected + s.data, s.data_step,
                   s.count);
        column = next_column(columns, column, s);
    }
}

__kernel void scatter_update(__global uchar *restrict data, __global const uchar *indices,
                             __global const uchar *restrict dense,
                             clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args);
    const range columns = columns_of_item(&args);
    for (long row = rows.first; row < rows.last; row += rows.step) {
        const row_start start = find_row(&args, row);
        const long selected = select_row(&args, indices, start);
        if (selected != BAD_ROW)
            update_columns(data, selected, dense, start.dense, &args, columns);
    }
}

__kernel void scatter_update_owner(__global uchar *restrict data, __global const uchar *indices,
                                   __global const uchar *restrict dense,
                                   clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range columns = columns_of_item(&args);
    const range part = part_of_item(&args);
    for (long row = 0; row < args.rows; ++row) {
        const row_start start = find_row(&args, row);
        const long selected = select_row(&args, indices, start);
        if (selected >= part.first && selected < part.last)
            update_columns(data, selected, dense, start.dense, &args, columns);
    }
}
