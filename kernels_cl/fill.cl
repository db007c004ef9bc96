// SPDX-License-Identifier: Apache-2.0
//
// fill_zeros: dense[o, s] = 0, all bytes.
//
// Arguments     dense, args
// Options       -DUNIT (units.clh), -DLANES, -DSMALL (common.clh)
// Work size     as gather

__kernel void fill_zeros(__global uchar *dense, clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args);
    const range columns = columns_of_item(&args);
    for (long row = rows.first; row < rows.last; row += rows.step) {
        const row_start start = find_row(&args, row);
        for (long column = columns.first; column < columns.last;) {
            const column_run s = find_columns(&args, column, columns.last);
            __global uchar *to = dense + start.dense + s.dense;
            if (!LANES && s.dense_step == UNIT)
                zero_run(to, s.count * UNIT, args.stream);
            else
                for (long i = 0; i < s.count; ++i)
                    *(__global unit *)(to + i * s.dense_step) = ZERO_UNIT;
            column = next_column(columns, column, s);
        }
    }
}
