// SPDX-License-Identifier: Apache-2.0
//
// sort_update: data[selected(o) + s] = dense[o, s] for sorted rows. Of rows that meet, the last.
//
// Arguments     data, workspace, dense, args
// Options       -DUNIT (units.clh), -DLANES=1, -DSMALL (common.clh), -DKEY (sort.clh)
// Work size     as gather, a position in the sorted keys being a row

__kernel GROUP_OF_LANES void sort_update(__global uchar *restrict data,
                                         __global const uchar *restrict workspace,
                                         __global const uchar *restrict dense,
                                         clnd_sort_apply_args args GATE_PARAMETER)
{
    __global const sort_key *keys = (__global const sort_key *)(workspace + args.keys);
    __global const uint *rows = (__global const uint *)(workspace + args.rows);
    const uint kept = GATE_IS_SHUT ? 0 : *(__global const uint *)(workspace + args.kept);
    const range positions = rows_of_item(&args.move);
    const range columns = columns_of_item(&args.move);
    for (long at = positions.first; at < kept; at += positions.step) {
        const sort_key key = keys[at];
        if (at + 1 < kept && keys[at + 1] == key)
            continue;
        const row_start start = find_row(&args.move, args.move.first_row + rows[at]);
        const long selected = args.move.part_first + (long)key * args.move.part_bytes;
        for (long column = columns.first; column < columns.last; column += columns.step) {
            const column_run s = find_columns(&args.move, column, columns.last);
            *(__global unit *)(data + selected + s.data) =
                *(__global const unit *)(dense + start.dense + s.dense);
        }
    }
}
