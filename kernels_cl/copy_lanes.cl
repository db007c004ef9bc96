// SPDX-License-Identifier: Apache-2.0
//
// copy_lanes: a gather without coordinates, whose columns are one axis, on GPUs.
//
// Arguments     data, dense, args
// Options       -DUNIT (units.clh), -DOFFSETS, -DSMALL, -DALONG (common.clh)
//               -DDATA_STEP=n  units from one column to the next in data: -1, 2, 3 or 4, where
//                              dense has no gaps and rows begin at multiples of 16 bytes in both;
//                              in data, of -1, they end there. 0: any strides
// Work size     groups of CLND_LANES x 1; pieces of a row along dimension 0, rows along 1. A piece
//               is 16 bytes of dense, with DATA_STEP=0 a unit.

#if DATA_STEP == 0
typedef unit piece;
#define PIECE_UNITS 1
#elif UNIT == 1
typedef uchar16 piece;
#define PIECE_UNITS     16
#define BACKWARDS       sfedcba9876543210
#define THIRDS(a, b, c) (piece)((a).s0369, (a).scf, (b).s258b, (b).se, (c).s147a, (c).sd)
#elif UNIT == 2
typedef ushort8 piece;
#define PIECE_UNITS     8
#define BACKWARDS       s76543210
#define THIRDS(a, b, c) (piece)((a).s036, (b).s147, (c).s25)
#elif UNIT == 4
typedef uint4 piece;
#define PIECE_UNITS     4
#define BACKWARDS       s3210
#define THIRDS(a, b, c) (piece)((a).s03, (b).s2, (c).s1)
#else
typedef ulong2 piece;
#define PIECE_UNITS 2
#define BACKWARDS   s10
#endif

// Piece number i of the row at `from`, by whole aligned loads.
static inline piece load_piece(__global const uchar *from, offset step, offset i)
{
#if DATA_STEP == 0
    return *(__global const unit *)(from + i * step);
#elif DATA_STEP == -1
    return ((__global const piece *)(from + UNIT))[-1 - i].BACKWARDS;
#else
    __global const piece *source = (__global const piece *)from + i * DATA_STEP;
#if DATA_STEP == 2
    return (piece)(source[0].even, source[1].even);
#elif DATA_STEP == 3
    return THIRDS(source[0], source[1], source[2]);
#else
    return (piece)(source[0].even.even, source[1].even.even, source[2].even.even,
                   source[3].even.even);
#endif
#endif
}

static inline void store_piece(piece value, __global uchar *to, offset step, offset i)
{
#if DATA_STEP == 0
    *(__global unit *)(to + i * step) = value;
#else
    ((__global piece *)to)[i] = value;
#endif
}

// The units behind the whole pieces of a row. Of steps forward the last piece is never whole: units
// behind the row's last one may lie outside of data.
#if DATA_STEP == 0
#define WHOLE_PIECES(columns) (columns)
#else
#define WHOLE_PIECES(columns) (((columns) - (DATA_STEP > 1)) / PIECE_UNITS)
#endif

__kernel void copy_lanes(__global const uchar *data, __global uchar *dense,
                         clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const offset columns = (offset)args.columns, whole = WHOLE_PIECES(columns);
    const offset data_step = (offset)args.axes[CLND_SLICE_AXIS(0)].data;
    const offset dense_step = (offset)args.axes[CLND_SLICE_AXIS(0)].dense;
    const range rows = rows_of_item(&args), pieces = pieces_of_item(&args, whole);
    for (offset row = rows.first; row < rows.last; row += ROWS_AT_ONCE * rows.step) {
        FIND_ROWS
#define FROM(n) (data + starts[ROW_OF(n)].data)
#define TO(n)   (dense + starts[ROW_OF(n)].dense)
#define LOAD(n) const piece value##n = load_piece(FROM(n), data_step, PIECE(n));
#define STORE(n)                                                                                   \
    if (IS_TAKEN(n))                                                                               \
        store_piece(value##n, TO(n), dense_step, PIECE(n));
        EACH_PIECE(pieces, LOAD, STORE)
#if DATA_STEP != 0
        const range rest = {whole * PIECE_UNITS + pieces.first, columns, pieces.step};
#define LOAD_UNIT(n) const unit value##n = ((__global const unit *)FROM(n))[PIECE(n) * DATA_STEP];
#define STORE_UNIT(n)                                                                              \
    if (IS_TAKEN(n))                                                                               \
        ((__global unit *)TO(n))[PIECE(n)] = value##n;
        EACH_PIECE(rest, LOAD_UNIT, STORE_UNIT)
#endif
    }
}
