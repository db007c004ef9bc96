// SPDX-License-Identifier: Apache-2.0
//
// check: finds the first row of indices that holds a value outside its dimension.
//
// Arguments     indices, first_bad, args. *first_bad holds CLND_NO_BAD_ROW before; afterwards the
//               number, counted from args.first_row, of the first bad row, if there is one. The
//               host asks for no more rows at once than a uint can number.
// Options       -DINDEX, -DSMALL (common.clh)
// Work size     groups of 1 x 1 or CLND_LANES x 1 along dimension 0; each work-item takes
//               args.rows_per_item rows.

__kernel void check(__global const uchar *indices, volatile __global uint *first_bad,
                    clnd_move_args args)
{
    const long first = args.first_row + get_global_id(0) * args.rows_per_item;
    const long last = min(first + args.rows_per_item, args.rows);
    for (long row = first; row < last; ++row)
        if (select_row(&args, indices, find_row(&args, row)) == BAD_ROW) {
            atomic_min(first_bad, (uint)(row - args.first_row));
            return;
        }
}
