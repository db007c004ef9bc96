// SPDX-License-Identifier: Apache-2.0
//
// Updates of which the last one at a place wins, where many rows meet: copies hold the numbers of
// rows instead of elements, so that only rows which win are moved at all. The host numbers the
// places without gaps, as scatter_private.cl does with elements; a copy has 4 bytes for each: 1
// plus the number of the last row that selects it, or 0.
//
// last_blocks    one work-item fills one copy from its block of rows. May look for bad rows
//                (CLND_GATE_FOUND).
//                Arguments  copies, indices, args, as those of private_blocks
//                Options    -DINDEX, -DSMALL (common.clh), -DCOORDINATES=1 to 3, -DUNADJUSTED
//                           (rows.clh)
//                Work size  groups of 1 x 1; one by the number of copies
//
// last_move      moves the rows that have won at its places.
//                Arguments  data, copies, dense, args
//                Options    -DUNIT (units.clh), -DSMALL, -DROW (rows.clh)
//                Work size  groups of 1 x 1; blocks of places along dimension 0

#if COORDINATES

__kernel void last_blocks(__global uchar *restrict copies, __global const uchar *indices,
                          clnd_move_args args GATE_PARAMETER)
{
    const range rows = rows_of_item(&args);
    bool good = true;
    __global uchar *copy = copies + args.part_first + get_global_id(1) * args.part_bytes;
    for (long i = 0; i < args.part_bytes; i += sizeof(uint))
        *(__global uint *)(copy + i) = 0;
    long locations[LOOK_AT];
    for (long row = rows.first; row < rows.last;) {
        row_run run;
        find_rows(&args, row, rows.last, &run);
        for (long done = 0; done < run.count; done += LOOK_AT) {
            const long n = min(run.count - done, (long)LOOK_AT);
            const uint number = (uint)(row + done + 1);
            const bool all = locate_rows(&args, indices, run, done, n, locations);
            good = good && all;
            ONE_BY_ONE
            for (long i = 0; i < n; ++i)
                if (locations[i] != BAD_ROW)
                    *(__global uint *)(copy + locations[i]) = number + (uint)i;
        }
        row += run.count;
    }
    SHUT_GATE_IF(!good);
}

#else

// Places at a time, so that the copies are read in runs and rows are on their way together.
#define PLACES_AT_ONCE 64

__kernel void last_move(__global uchar *restrict data, __global const uchar *restrict copies,
                        __global const uchar *restrict dense, clnd_last_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range locations = columns_of_item(&args.move);
    const long bytes = ROW ? ROW : args.row_units * UNIT;
    const long ahead = bytes_ahead(bytes);
    for (long location = locations.first; location < locations.last;) {
        const column_run s =
            find_columns(&args.move, location, min(location + PLACES_AT_ONCE, locations.last));
        __global const uchar *from = copies + args.move.dense_offset + s.dense;
        __global uchar *to = data + args.move.data_offset + s.data;
        uint numbers[PLACES_AT_ONCE];
        for (long i = 0; i < s.count; ++i)
            numbers[i] = 0;
        for (long copy = 0; copy < args.move.rows; ++copy, from += args.move.part_bytes)
            for (long i = 0; i < s.count; ++i)
                numbers[i] = max(numbers[i], ((__global const uint *)from)[i]);
#define UPDATE_OF(i)   (dense + args.first_update + ((long)numbers[i] - 1) * args.update_step)
        for (long i = 0; i < s.count; ++i)
            for (long byte = 0; byte < ahead && numbers[i] > 0; byte += 64)
                FETCH_AHEAD(UPDATE_OF(i) + byte);
        for (long i = 0; i < s.count; ++i)
            if (numbers[i] > 0)
                MOVE_ROW(UPDATE_OF(i), to + i * s.data_step, args.row_units, 0);
        location += s.count;
    }
}

#endif
