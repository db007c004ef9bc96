// SPDX-License-Identifier: Apache-2.0
//
// gather_lanes: what gather does, for rows that are contiguous in data and dense, on GPUs.
//
// Arguments     as gather
// Options       -DUNIT (units.clh), -DINDEX, -DOFFSETS, -DSMALL=1, -DCOORDINATES, -DUNADJUSTED,
//               -DALONG, -DOUTER (common.clh)
//               -DFILL=1  bad rows get the fill pattern; 0: zeros
// Work size     groups of CLND_LANES x 1; columns along dimension 0, rows along 1.

#ifndef FILL
#define FILL 0
#endif
#if FILL
#define BAD_UNIT(column) fill_unit(fill, &args, column)
#else
#define BAD_UNIT(column) ZERO_UNIT
#endif

__kernel void gather_lanes(__global const uchar *data, __global const uchar *indices,
                           __global const uchar *fill, __global uchar *dense,
                           clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args), columns = columns_of_item(&args);
    for (offset row = rows.first; row < rows.last; row += ROWS_AT_ONCE * rows.step) {
        FIND_ROWS
        offset selected[ROWS_AT_ONCE];
#define SELECT(i) selected[i] = select_row(&args, indices, starts[i]);
        EACH_ROW_OF_BATCH(SELECT)
#define IS_GOOD(n) (ALONG || (IS_TAKEN(n) && selected[ROW_OF(n)] != BAD_ROW))
#define LOAD(n)                                                                                    \
    const unit value##n = IS_GOOD(n)                                                               \
                              ? ((__global const unit *)(data + selected[ROW_OF(n)]))[PIECE(n)]    \
                              : BAD_UNIT(PIECE(n));
#define STORE(n)                                                                                   \
    if (IS_TAKEN(n))                                                                               \
        ((__global unit *)(dense + starts[ROW_OF(n)].dense))[PIECE(n)] = value##n;
        if (ALONG && selected[0] == BAD_ROW)
            for (offset column = columns.first; column < columns.last; column += columns.step)
                ((__global unit *)(dense + starts[0].dense))[column] = BAD_UNIT(column);
        else
            EACH_PIECE(columns, LOAD, STORE)
    }
}
