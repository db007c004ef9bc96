// SPDX-License-Identifier: Apache-2.0
//
// copy_transposed: a gather without coordinates in which one axis is contiguous in dense and one in
// data, on CPUs. It goes by tiles, whose sides are cache lines.
//
// Arguments     data, dense, args. Slice axis 0 is contiguous in dense, 1 in data.
// Options       -DUNIT (units.clh), -DSMALL (common.clh)
// Work size     groups of 1 x 1; blocks of columns_per_item units of axis 1 along dimension 0, of
//               rows along 1.

#define TILE (64 / UNIT)

// Tiles of so many lines of data are turned one after the other, because they are near in dense.
#define BLOCK 64

typedef struct tile {
    unit units[TILE][TILE];
} tile;

// Units in vectors of 16 bytes, which are turned a square of them at a time; and such vectors with
// the units of two in turn, from their first and their second halves.
#if UNIT == 1
#define SIDE 16
#define LOW(a, b)                                                                                  \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH(a, b)                                                                                 \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#elif UNIT == 2
#define SIDE       8
#define LOW(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif UNIT == 4
#define SIDE       4
#define LOW(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#elif UNIT == 8
#define SIDE       2
#define LOW(a, b)  __builtin_shufflevector(a, b, 0, 2)
#define HIGH(a, b) __builtin_shufflevector(a, b, 1, 3)
#else
#define SIDE 1
#endif

// Puts the square at line i and unit j of a tile where it belongs in the turned one. To interleave
// each vector with that half a square further on, as often as a square can be halved, turns it.
static inline void turn_square(const tile *from, long i, long j, tile *to)
{
#if UNIT == 16
    to->units[j][i] = from->units[i][j];
#else
    typedef VECTOR(UNIT_NAME, SIDE) line;
    line lines[SIDE];
#pragma unroll
    for (int k = 0; k < SIDE; ++k)
        lines[k] = *(const line *)&from->units[i + k][j];
#pragma unroll
    for (int size = 1; size < SIDE; size *= 2) {
        line turned[SIDE];
#pragma unroll
        for (int k = 0; k < SIDE / 2; ++k) {
            turned[2 * k] = LOW(lines[k], lines[k + SIDE / 2]);
            turned[2 * k + 1] = HIGH(lines[k], lines[k + SIDE / 2]);
        }
#pragma unroll
        for (int k = 0; k < SIDE; ++k)
            lines[k] = turned[k];
    }
#pragma unroll
    for (int k = 0; k < SIDE; ++k)
        *(line *)&to->units[j + k][i] = lines[k];
#endif
}

// Turned in memory of its own: lines that lie a power of two apart in data push one another out of
// the caches.
static inline void transpose_tile(__global const uchar *from, long from_step, __global uchar *to,
                                  long to_step, bool stream)
{
    tile lines __attribute__((aligned(64))), turned __attribute__((aligned(64)));
    for (long i = 0; i < TILE; ++i) {
        FETCH_AHEAD(from + i * from_step + 2 * sizeof(ulong8)); // of the tile after the next
        *(ulong8 *)lines.units[i] = line_at(from + i * from_step);
    }
    for (long i = 0; i < TILE; i += SIDE)
        for (long j = 0; j < TILE; j += SIDE)
            turn_square(&lines, i, j, &turned);
    for (long j = 0; j < TILE; ++j)
        if (stream)
            STORE_STREAM(*(const ulong8 *)turned.units[j], (__global ulong8 *)(to + j * to_step));
        else
            *(__global piece_64 *)(to + j * to_step) = *(const ulong8 *)turned.units[j];
}

// Of axes of which one is shorter than a tile.
static inline void transpose_part(__global const uchar *from, long from_step, __global uchar *to,
                                  long to_step, long along, long across)
{
    for (long j = 0; j < along; ++j)
        ONE_BY_ONE
    for (long i = 0; i < across; ++i)
        ((__global unit *)(to + j * to_step))[i] =
            ((__global const unit *)(from + i * from_step))[j];
}

// Of the axis along which data is contiguous from unit `first` up to `last`; of the other one all.
// The last tile of each axis overlaps the one before it.
static inline void transpose(__global const uchar *data, __global uchar *dense,
                             const clnd_move_args *args, long first, long last)
{
    const clnd_axis_args across = args->axes[CLND_SLICE_AXIS(0)];
    const clnd_axis_args along = args->axes[CLND_SLICE_AXIS(1)];
    const bool whole = across.size >= TILE && last - first >= TILE;
    for (long block = 0; block < across.size; block += BLOCK)
        for (long j = first; j < last; j += TILE)
            for (long i = block; i < min(block + BLOCK, (long)across.size); i += TILE) {
                const long column = whole ? min(i, (long)across.size - TILE) : i;
                const long row = whole ? min(j, last - TILE) : j;
                __global const uchar *from = data + column * across.data + row * along.data;
                __global uchar *to = dense + column * across.dense + row * along.dense;
                const bool lines = args->stream && ((ulong)to | (ulong)along.dense) % 64 == 0;
                if (whole)
                    transpose_tile(from, across.data, to, along.dense, lines);
                else
                    transpose_part(from, across.data, to, along.dense, min(last - j, (long)TILE),
                                   min(across.size - i, (clnd_i64)TILE));
            }
}

__kernel void copy_transposed(__global const uchar *restrict data, __global uchar *restrict dense,
                              clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args);
    const long first = get_global_id(0) * args.columns_per_item;
    const long last = min(first + args.columns_per_item, args.axes[CLND_SLICE_AXIS(1)].size);
    for (long row = rows.first; row < rows.last; ++row) {
        const row_start start = find_row(&args, row);
        transpose(data + start.data, dense + start.dense, &args, first, last);
    }
}
