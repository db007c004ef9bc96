// SPDX-License-Identifier: Apache-2.0
//
// copy_tiles: a gather without coordinates that is a transposition: the axis that is contiguous in
// dense is not the one that is contiguous in data. On GPUs. A group reads a tile of both axes into
// local memory along data's axis and writes it along dense's, so that both accesses are coalesced.
//
// Arguments     data, dense, args. Slice axis 0 is the innermost of dense, 1 that of data.
// Options       -DUNIT (units.clh), -DOFFSETS, -DSMALL (common.clh)
// Work size     groups of CLND_LANES x 1; tiles along dimension 0, rows along 1.

#define TILE  CLND_TILE(UNIT)
#define PITCH CLND_TILE_PITCH(UNIT)

// Lines of a tile that a group takes at once.
#define LINES (CLND_LANES / TILE)

// Unit number `lane` of every line: data's lines are the tile's.
static inline void read_tile(__global const uchar *from, offset unit_step, offset line_step,
                             int lane, int line, int units, int lines, __local unit *tile)
{
    if (lane < units) {
        from += lane * unit_step;
        tile += lane;
        for (; line + (BATCH - 1) * LINES < lines; line += BATCH * LINES) {
#define LOAD(i)                                                                                    \
    const unit value##i = *(__global const unit *)(from + (line + i * LINES) * line_step);
#define STORE(i) tile[(line + i * LINES) * PITCH] = value##i;
            EACH_OF_BATCH(LOAD)
            EACH_OF_BATCH(STORE)
#undef LOAD
#undef STORE
        }
        for (; line < lines; line += LINES)
            tile[line * PITCH] = *(__global const unit *)(from + line * line_step);
    }
}

// Unit number `lane` of every line of dense, which is a column of the tile.
static inline void write_tile(__local const unit *tile, int lane, int line, int units, int lines,
                              __global uchar *to, offset unit_step, offset line_step)
{
    if (lane < units) {
        to += lane * unit_step;
        tile += lane * PITCH;
        for (; line < lines; line += LINES)
            *(__global unit *)(to + line * line_step) = tile[line];
    }
}

__kernel GROUP_OF_LANES void copy_tiles(__global const uchar *restrict data,
                                        __global uchar *restrict dense,
                                        clnd_move_args args GATE_PARAMETER)
{
    __local unit tile[TILE * PITCH];
    const int lane = (int)(get_local_id(0) % TILE), line = (int)(get_local_id(0) / TILE);
    const clnd_axis_args across = args.axes[CLND_SLICE_AXIS(0)];
    const clnd_axis_args along = args.axes[CLND_SLICE_AXIS(1)];
    const offset tiles_along = (offset)((along.size + TILE - 1) / TILE);
    const offset tiles = tiles_along * (offset)((across.size + TILE - 1) / TILE);
    // All lanes make the same iterations, because of the barriers; behind a shut gate none.
    const offset rows = GATE_IS_SHUT ? 0 : (offset)args.rows;
    for (offset row = get_group_id(1); row < rows; row += get_num_groups(1)) {
        const row_start start = find_row(&args, row);
        for (offset i = get_group_id(0); i < tiles; i += get_num_groups(0)) {
            const offset number = (offset)((offset_bits)i / (offset_bits)tiles_along);
            const offset first_across = number * TILE;
            const offset first_along = (i - number * tiles_along) * TILE;
            const int n_across = (int)min((long)TILE, across.size - first_across);
            const int n_along = (int)min((long)TILE, along.size - first_along);
            read_tile(data + start.data + first_along * (offset)along.data +
                          first_across * (offset)across.data,
                      (offset)along.data, (offset)across.data, lane, line, n_along, n_across, tile);
            barrier(CLK_LOCAL_MEM_FENCE);
            write_tile(tile, lane, line, n_across, n_along,
                       dense + start.dense + first_along * (offset)along.dense +
                           first_across * (offset)across.dense,
                       (offset)across.dense, (offset)along.dense);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}
