// SPDX-License-Identifier: Apache-2.0
//
// gather_lanes: what gather does, for rows that are contiguous in data and dense, on GPUs.
//
// Arguments     as gather
// Options       -DUNIT (units.clh), -DINDEX, -DOFFSETS (common.clh), -DSMALL=1, -DCOORDINATES,
//               -DUNADJUSTED (rows.clh), -DALONG, -DOUTER (lanes.clh)
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
    const lane_range rows = rows_of_lane(&args);
    const lane_range columns = pieces_of_lane(&args, (offset)args.columns);
#if ALONG
    for (offset row = rows.first; row < rows.last; row += rows.step) {
        const lane_row_start start = find_lane_row(&args, row);
        const offset selected = select_lane_row(&args, indices, start);
        __global uchar *to = dense + start.dense;
        if (selected != NO_LOCATION)
            move_along(data + selected, to, columns);
        else
            for (offset column = columns.first; column < columns.last; column += columns.step)
                ((__global unit *)to)[column] = BAD_UNIT(column);
    }
#else
    for (offset row = rows.first; row < rows.last; row += BATCH * rows.step) {
        EACH_OF_BATCH(FIND_ROW)
#define SELECT(i) const offset selected##i = select_lane_row(&args, indices, start##i);
        EACH_OF_BATCH(SELECT)
#undef SELECT
        for (offset column = columns.first; column < columns.last; column += columns.step) {
#define LOAD(i)                                                                                    \
    const unit value##i = taken##i && selected##i != NO_LOCATION                                   \
                              ? ((__global const unit *)(data + selected##i))[column]              \
                              : BAD_UNIT(column);
#define STORE(i)                                                                                   \
    if (taken##i)                                                                                  \
        ((__global unit *)(dense + start##i.dense))[column] = value##i;
            EACH_OF_BATCH(LOAD)
            EACH_OF_BATCH(STORE)
#undef LOAD
#undef STORE
        }
    }
#endif
}
