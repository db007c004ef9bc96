// SPDX-License-Identifier: Apache-2.0
//
// Updates of few locations: first the last row of each is found, then these rows alone are moved.
//
// The host numbers the locations from 0 on. A copy has 32 bits for each, in this order: the number
// of the last row that selects it, from 1 on, or 0.
//
// last_find  Arguments  copies, indices, args. There, `data` means locations in a copy; the copies
//                       begin at part_first and take part_bytes each, a multiple of 64.
//            Options    -DINDEX, -DSMALL, -DOFFSETS, -DCOORDINATES, -DUNADJUSTED (common.clh)
//            Work size  groups of 1 x 1; one by the number of copies, each fills one from its block
//                       of rows
//                       May look for bad rows (CLND_GATE_FOUND).
//
// last_move  Arguments  data, copies, dense, args, whose columns are locations, and whose `rows`
//                       copies begin at dense_offset. With part_first, a location without a row
//                       becomes zeros.
//            Options    -DUNIT=1, -DROW (rows.clh), -DSMALL
//            Work size  groups of 1 x 1; blocks of locations along dimension 0

#if COORDINATES

// As with LOAD_ALONE: of several stores LLVM makes a scatter instruction.
#define NUMBER_ALONE(at) (*(volatile __global uint *)(at))

COMPILED_ONCE bool find_last_rows(__global uchar *restrict copy, __global const uchar *indices,
                                  const clnd_move_args *restrict args, range rows)
{
    bool all = true;
    offset locations[LOOK_AT];
    row_run run;
    run_memory memory;
    start_located_runs(args, indices, rows.first, rows.last, &memory, &run);
    while (next_run(args, &run))
        for (long done = 0, n; done < run.count; done += n) {
            n = min(run.count - done, (long)LOOK_AT);
            const bool good = locate_rows(args, indices, &run, done, n, locations);
            const uint number = (uint)(run.row + done) + 1;
            all = all && good;
            ONE_BY_ONE
            for (long i = 0; i < n; ++i)
                if (good || locations[i] != BAD_ROW)
                    NUMBER_ALONE(copy + locations[i]) = number + (uint)i;
        }
    return all;
}

__kernel void last_find(__global uchar *restrict copies, __global const uchar *indices,
                        clnd_move_args args GATE_PARAMETER)
{
    __global uchar *copy = copies + args.part_first + get_global_id(1) * args.part_bytes;
    zero_run(copy, args.part_bytes, false);
    const bool good = find_last_rows(copy, indices, &args, rows_of_item(&args));
    SHUT_GATE_IF(args.gate, !good);
}
#else

// The rows of neighbouring locations.
static inline void load_last_rows(__global const uchar *copies, const clnd_move_args *args, long n,
                                  uint *rows)
{
    for (long i = 0; i < n; ++i)
        rows[i] = ((__global const uint *)copies)[i];
    for (long copy = 1; copy < args->rows; ++copy) {
        copies += args->part_bytes;
        for (long i = 0; i < n; ++i)
            rows[i] = max(rows[i], ((__global const uint *)copies)[i]);
    }
}

COMPILED_ONCE void move_last_rows(__global uchar *restrict data, __global const uchar *copies,
                                  __global const uchar *restrict dense,
                                  const clnd_last_args *restrict args, range locations)
{
    const clnd_move_args *move = &args->move;
    const long bytes = ROW ? ROW : args->row_bytes;
    const long ahead = bytes_ahead(dense, bytes, false), at_once = rows_at_once(bytes, false);
#define UPDATE_OF(i) (dense + ((long)rows[i] - 1) * args->update_step)
    for (long location = locations.first; location < locations.last;) {
        const column_run s =
            find_columns(move, location, min(location + LOOK_AT, (long)locations.last));
        uint rows[LOOK_AT];
        load_last_rows(copies + s.dense, move, s.count, rows);
        for (long i = -at_once; i < s.count; ++i) {
            const long next = i + at_once;
            if (next < s.count && rows[next] > 0)
                FETCH_ROW(FETCH_AHEAD, UPDATE_OF(next), bytes, ahead);
            __global uchar *to = data + s.data + i * s.data_step;
            if (i >= 0 && rows[i] > 0)
                MOVE_ROW(UPDATE_OF(i), to, bytes, move->stream);
            else if (i >= 0 && move->part_first)
                zero_run(to, bytes, move->stream);
        }
        location += s.count;
    }
#undef UPDATE_OF
}

__kernel void last_move(__global uchar *restrict data, __global const uchar *copies,
                        __global const uchar *restrict dense, clnd_last_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    move_last_rows(data + args.move.data_offset, copies + args.move.dense_offset,
                   dense + args.updates, &args, columns_of_item(&args.move));
}
#endif
