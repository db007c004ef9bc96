// SPDX-License-Identifier: Apache-2.0
//
// gather_lanes: what gather does, for rows that are contiguous in data and dense, on GPUs.
//
// Arguments     as gather
// Options       -DUNIT (units.clh), -DINDEX, -DOFFSETS, -DSMALL=1, -DCOORDINATES, -DUNADJUSTED,
//               -DALONG, -DOUTER (common.clh)
//               -DFILL=1  bad rows get the fill pattern; 0: zeros
//               -DWORDS=1 pieces are words of rows of at least one (words.clh); 0: units
// Work size     groups of CLND_LANES x 1; pieces of a row along dimension 0, rows along 1.

#ifndef FILL
#define FILL 0
#endif

static inline unit bad_unit(const clnd_move_args *args, __global const uchar *fill, offset column)
{
#if FILL
    return fill_unit(fill, args, column);
#else
    return ZERO_UNIT;
#endif
}

// Piece number i of a row, and of one that is bad.
#if WORDS
typedef word piece;
#define LOAD_PIECE(from, to, i)   load_word(from, to, i, (offset)args.columns)
#define STORE_PIECE(value, to, i) store_word(value, to, i, (offset)args.columns)
#define BAD_PIECE(to, i)          bad_word(&args, fill, to, i)

static inline word bad_word(const clnd_move_args *args, __global const uchar *fill,
                            __global const uchar *to, offset i)
{
    const offset first = first_inside(first_column(to, i), (offset)args->columns);
    unit units[WORD_UNITS];
    for (int n = 0; n < WORD_UNITS; ++n)
        units[n] = bad_unit(args, fill, first + n);
    return VECTOR(vload, WORD_UNITS)(0, units);
}
#else
typedef unit piece;
#define LOAD_PIECE(from, to, i)   (((__global const unit *)(from))[i])
#define STORE_PIECE(value, to, i) (((__global unit *)(to))[i] = (value))
#define BAD_PIECE(to, i)          bad_unit(&args, fill, i)
#endif

__kernel void gather_lanes(__global const uchar *data, __global const uchar *indices,
                           __global const uchar *fill, __global uchar *dense,
                           clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args), pieces = pieces_of_row(&args);
    for (offset row = rows.first; row < rows.last; row += ROWS_AT_ONCE * rows.step) {
        FIND_ROWS
        offset selected[ROWS_AT_ONCE];
#define SELECT(i) selected[i] = select_row(&args, indices, starts[i]);
        EACH_ROW_OF_BATCH(SELECT)
#define FROM(n)    (data + selected[ROW_OF(n)])
#define TO(n)      (dense + starts[ROW_OF(n)].dense)
#define IS_GOOD(n) (ALONG || (IS_TAKEN(n) && selected[ROW_OF(n)] != BAD_ROW))
#define LOAD(n)                                                                                    \
    const piece value##n =                                                                         \
        IS_GOOD(n) ? LOAD_PIECE(FROM(n), TO(n), PIECE(n)) : BAD_PIECE(TO(n), PIECE(n));
#define STORE(n)                                                                                   \
    if (IS_TAKEN(n))                                                                               \
        STORE_PIECE(value##n, TO(n), PIECE(n));
        if (ALONG && selected[0] == BAD_ROW)
            for (offset i = pieces.first; i < pieces.last; i += pieces.step)
                STORE_PIECE(BAD_PIECE(TO(0), i), TO(0), i);
        else
            EACH_PIECE(pieces, LOAD, STORE)
    }
}
