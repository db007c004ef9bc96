// SPDX-License-Identifier: Apache-2.0
//
// check: finds the first row of indices that holds a value outside its dimension.
//
// Arguments     indices, verdict, args. The verdict holds CLND_NO_BAD_ROW twice before. The rows
//               are args.first_row to args.rows, at most CLND_CHECK_ROWS of them, and first_row is
//               a multiple of that: the host launches as often as it takes, one after the other.
// Options       -DINDEX, -DSMALL (common.clh)
// Work size     groups of 1 x 1 or CLND_LANES x 1 along dimension 0; each work-item takes
//               args.rows_per_item rows.
//
// read_bad_row: adds the values of the row that was found to the verdict.
//
// Arguments     indices, verdict, args: as the last launch of check had them.
// Options       likewise
// Work size     1

__kernel void check(__global const uchar *indices, volatile __global uint *verdict,
                    clnd_move_args args)
{
    // An earlier launch has the first bad row.
    const uint launch = (uint)(args.first_row / CLND_CHECK_ROWS);
    if (launch > 0 && atomic_min(verdict + 1, CLND_NO_BAD_ROW) < launch)
        return;
    const long first = args.first_row + get_global_id(0) * args.rows_per_item;
    const long last = min(first + args.rows_per_item, args.rows);
    for (long row = first; row < last; ++row)
        if (select_row(&args, indices, find_row(&args, row)) == BAD_ROW) {
            atomic_min(verdict, (uint)(row - args.first_row));
            atomic_min(verdict + 1, launch);
            return;
        }
}

__kernel void read_bad_row(__global const uchar *indices, __global clnd_verdict *verdict,
                           clnd_move_args args)
{
    if (verdict->row == CLND_NO_BAD_ROW)
        return;
    const row_place place = find_row(&args, verdict->launch * CLND_CHECK_ROWS + verdict->row);
#define STEP(k)                                                                                    \
    if (k < args.n_coordinates)                                                                    \
        verdict->values[k] =                                                                       \
            load_index(indices + place.index + k * args.index_step, args.index_kind);
    EACH_COORDINATE(STEP)
#undef STEP
}
