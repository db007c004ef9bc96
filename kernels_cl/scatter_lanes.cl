// SPDX-License-Identifier: Apache-2.0
//
// scatter_lanes: scatter with CLND_REDUCE_UPDATE, for rows that are contiguous in data and dense,
// on GPUs.
//
// Arguments     as scatter
// Options       as gather_lanes
// Work size     as gather_lanes

__kernel void scatter_lanes(__global uchar *data, __global const uchar *indices,
                            __global const uchar *dense, clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const lane_range rows = rows_of_lane(&args);
    const lane_range columns = pieces_of_lane(&args, (offset)args.columns);
#if ALONG
    for (offset row = rows.first; row < rows.last; row += rows.step) {
        const lane_row_start start = find_lane_row(&args, row);
        const offset selected = select_lane_row(&args, indices, start);
        if (selected != NO_LOCATION)
            move_along(dense + start.dense, data + selected, columns);
    }
#else
    for (offset row = rows.first; row < rows.last; row += BATCH * rows.step) {
        EACH_OF_BATCH(FIND_ROW)
        // Rows that are not there are looked at as well: a branch would keep their loads apart.
#define SELECT(i)                                                                                  \
    const offset found##i = select_lane_row(&args, indices, start##i);                             \
    const offset selected##i = taken##i ? found##i : NO_LOCATION;
        EACH_OF_BATCH(SELECT)
#undef SELECT
        for (offset column = columns.first; column < columns.last; column += columns.step) {
            // What is in dense does not wait for the indices.
#define LOAD(i) const unit value##i = ((__global const unit *)(dense + start##i.dense))[column];
#define STORE(i)                                                                                   \
    if (selected##i != NO_LOCATION)                                                                \
        ((__global unit *)(data + selected##i))[column] = value##i;
            EACH_OF_BATCH(LOAD)
            EACH_OF_BATCH(STORE)
#undef LOAD
#undef STORE
        }
    }
#endif
}
