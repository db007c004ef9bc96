// SPDX-License-Identifier: Apache-2.0
//
// scatter_lanes: scatter for rows that are contiguous in data and dense, on GPUs: updates, and with
// -DATOMIC reductions.
//
// Arguments     as scatter
// Options       as gather_lanes but -DFILL, of reductions those of scatter but -DUNIT
// -DWORDS=1     of updates, as gather_lanes
// -DPACK=n      a column is so many elements of 16 bits or of float32, at a multiple of their size
// Work size     as gather_lanes

#if WORDS
typedef word piece;
#elif REDUCE == CLND_REDUCE_UPDATE
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

// Along a row all pieces count from one address; otherwise offsets, which may have 32 bits, are
// added first.
#define AT(n) (PIECE(n) * (offset)sizeof(piece))
#if ALONG
#define PLACE(buffer, row, n) ((buffer) + (row) + AT(n))
#else
#define PLACE(buffer, row, n) ((buffer) + ((row) + AT(n)))
#endif
#define FROM(n) starts[ROW_OF(n)].dense
#define TO(n)   selected[ROW_OF(n)]
#if WORDS
#define LOAD(n)                                                                                    \
    const piece value##n = load_word(dense + FROM(n), data + TO(n), PIECE(n), (offset)args.columns);
#define PUT(n) store_word(value##n, data + TO(n), PIECE(n), (offset)args.columns)
#else
#define LOAD(n) const piece value##n = LOAD_PIECE(PLACE(dense, FROM(n), n));
#define PUT(n)  PUT_PIECE(PLACE(data, TO(n), n), value##n)
#endif

__kernel void scatter_lanes(__global uchar *data, __global const uchar *indices,
                            __global const uchar *dense, clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args), pieces = pieces_of_row(&args);
    for (offset row = rows.first; row < rows.last; row += ROWS_AT_ONCE * rows.step) {
        FIND_ROWS
        offset selected[ROWS_AT_ONCE];
#define SELECT(i)                                                                                  \
    selected[i] = select_row(&args, indices, starts[i]);                                           \
    selected[i] = IS_TAKEN(i) ? selected[i] : BAD_ROW;
        EACH_ROW_OF_BATCH(SELECT)
#define PUT_GOOD(n)                                                                                \
    if (ALONG || TO(n) != BAD_ROW)                                                                 \
        PUT(n);
        // But for words, what is in dense does not wait for the indices.
        if (!ALONG || selected[0] != BAD_ROW)
            EACH_PIECE(pieces, LOAD, PUT_GOOD)
    }
}
