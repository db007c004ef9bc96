// SPDX-License-Identifier: Apache-2.0
//
// scatter_lanes: scatter for rows that are contiguous in data and dense, on GPUs: updates, and with
// -DATOMIC reductions.
//
// Arguments     as scatter
// Options       as gather_lanes but -DFILL, of reductions those of scatter but -DUNIT
// -DPACK=n      a column is so many elements of 16 bits or of float32, at a multiple of their size
// Work size     as gather_lanes

#if REDUCE == CLND_REDUCE_UPDATE
typedef unit piece;
#define LOAD_PIECE(at)       (*(__global const unit *)(at))
#define PUT_PIECE(at, value) (*(__global unit *)(at) = (value))
#elif PACK > 1
typedef pack piece;
#define LOAD_PIECE(at)       (*(__global const pack *)(at))
#define PUT_PIECE(at, value) atomic_combine_pack(at, value)
#else
typedef element piece;
#define LOAD_PIECE(at)       load_update(at)
#define PUT_PIECE(at, value) atomic_combine(at, value)
#endif
#define PIECE_BYTES ((offset)sizeof(piece))

#if ALONG
static inline void put_along(__global const uchar *from, __global uchar *to, lane_range columns)
{
    offset column = columns.first;
    for (; column + (BATCH - 1) * columns.step < columns.last; column += BATCH * columns.step) {
#define LOAD(i) const piece value##i = LOAD_PIECE(from + (column + i * columns.step) * PIECE_BYTES);
#define PUT(i)  PUT_PIECE(to + (column + i * columns.step) * PIECE_BYTES, value##i);
        EACH_OF_BATCH(LOAD)
        EACH_OF_BATCH(PUT)
#undef LOAD
#undef PUT
    }
    for (; column < columns.last; column += columns.step)
        PUT_PIECE(to + column * PIECE_BYTES, LOAD_PIECE(from + column * PIECE_BYTES));
}
#endif

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
            put_along(dense + start.dense, data + selected, columns);
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
            const offset at = column * PIECE_BYTES;
            // What is in dense does not wait for the indices.
#define LOAD(i) const piece value##i = LOAD_PIECE(dense + (start##i.dense + at));
#define PUT(i)                                                                                     \
    if (selected##i != NO_LOCATION)                                                                \
        PUT_PIECE(data + (selected##i + at), value##i);
            EACH_OF_BATCH(LOAD)
            EACH_OF_BATCH(PUT)
#undef LOAD
#undef PUT
        }
    }
#endif
}
