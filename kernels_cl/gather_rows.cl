// SPDX-License-Identifier: Apache-2.0
//
// gather_rows: what gather does, for rows that are contiguous in data and dense, on CPUs.
//
// Arguments     as gather
// Options       -DUNIT=1: columns are bytes; -DINDEX, -DSMALL, -DOFFSETS, -DCOORDINATES,
//               -DUNADJUSTED (common.clh), -DROW (rows.clh)
// Work size     groups of 1 x 1; blocks of columns along dimension 0, of rows along 1.
//               May look for bad rows (CLND_GATE_FOUND).

#if ROW == 4 || ROW == 8
// LLVM makes gather instructions of this, which take longer (LOAD_ALONE) unless other lines of data
// are on their way meanwhile.
static inline long stage_together(__global const uchar *data, const offset *locations, long n,
                                  __private uchar *at)
{
    ONE_BY_ONE
    for (long i = 0; i < n; ++i)
        *(__private VECTOR(piece_, ROW) *)(at + i * ROW) =
            *(__global const VECTOR(piece_, ROW) *)(data + locations[i]);
    return n;
}
#endif

// Meanwhile asks for `ahead` bytes of each row behind these. `fetches`: other lines of data are on
// their way, too.
static inline void stage_rows(__global const uchar *data, const moving_rows *rows, long ahead,
                              bool fetches, __global uchar *to, long bytes,
                              __private staged_rows *staged)
{
    const offset *locations = LOCATIONS(rows), *later = LATER(rows);
    const long n = rows->count;
    __private uchar *at = stage_at(staged, to);
    long i = 0;
#if ROW == 4 || ROW == 8
    if (fetches)
        i = stage_together(data, locations, n, at);
#endif
    ONE_BY_ONE
    for (; i < n; ++i) {
        FETCH_ROW(FETCH_AHEAD, data + later[i], bytes, ahead);
        stage_row(data + locations[i], at + i * bytes, bytes);
    }
    stream_staged(staged, n * bytes);
}

// The columns' part of a row that is bad. The pattern is a multiple of 16 bytes long, and so is
// where the columns begin.
static inline void fill_row(__global const uchar *fill, const clnd_move_args *args, range columns,
                            __global uchar *to)
{
    const long period = max(args->fill_units, (clnd_i64)CLND_FILL_PIECE);
    for (long i = columns.first; i < columns.last; i += 16, to += 16) {
        const uchar16 piece =
            args->fill_units > 0 ? *(__global const uchar16 *)(fill + i % period) : (uchar16)(0);
        if (columns.last - i >= 16)
            *(__global any_chunk *)to = piece;
        else
            for (long byte = 0; byte < columns.last - i; ++byte)
                to[byte] = ((const uchar *)&piece)[byte];
    }
}

// A row without a location is filled. Meanwhile asks for `ahead` bytes of each row behind these.
static inline void move_rows(__global const uchar *data, __global const uchar *fill,
                             const clnd_move_args *args, range columns, const moving_rows *rows,
                             long ahead, __global uchar *to, long to_step)
{
    const offset *locations = LOCATIONS(rows), *later = LATER(rows);
    const long bytes = ROW ? ROW : columns.last - columns.first, n = rows->count;
    if (ARE_GOOD(rows)) {
        ONE_BY_ONE
        for (long i = 0; i < n; ++i) {
            FETCH_ROW(FETCH_AHEAD, data + later[i], bytes, ahead);
            move_row(data + locations[i], to + i * to_step, bytes, args->stream);
        }
        return;
    }
    for (long i = 0; i < n; ++i)
        FETCH_ROW(FETCH_AHEAD, data + later[i], bytes, ahead);
    for (long i = 0; i < n; ++i)
        if (locations[i] != BAD_ROW)
            move_row(data + locations[i], to + i * to_step, bytes, args->stream);
        else
            fill_row(fill, args, columns, to + i * to_step);
}

// Along an outer axis rows begin side by side, and each is in one of as many stretches as the axis
// is long. The hardware's prefetchers follow so many stretches, if rows take each of their lines.
#define STRETCHES_FOLLOWED 12

static inline bool are_followed(const clnd_move_args *args, const row_run *run)
{
    const long stretches = COORDINATES == 1 ? args->coordinates[0].extent : LONG_MAX;
    return stretches <= STRETCHES_FOLLOWED && !run->many && run->data_step > 0 &&
           stretches * run->data_step < 64;
}

// Returns whether all rows are good.
COMPILED_ONCE bool gather_block(__global const uchar *restrict data, __global const uchar *indices,
                                __global const uchar *fill, __global uchar *restrict dense,
                                const clnd_move_args *restrict args, range rows, range columns)
{
    const long bytes = ROW ? ROW : columns.last - columns.first;
    moving_rows moving = {.bytes = bytes};
    const long selected = selected_bytes(args);
    const bool all_kept = is_all_kept(args, bytes);
    long fetched = BAD_ROW;
    bool all = true;
    staged_rows staged;
    start_staging(&staged);
    data += columns.first;
    dense += columns.first;
    const long ahead = bytes_ahead(data + args->data_offset, bytes, false);
    row_run run;
    run_memory memory;
    start_located_runs(args, indices, rows.first, rows.last, &memory, &run);
    while (next_run(args, &run)) {
        const bool fetches = fetches_next(data, selected, &run, &fetched);
        const bool kept = all_kept || is_kept(selected, run.many ? 0 : run.count, bytes);
        const bool comes = kept || are_followed(args, &run) || fetches_near(selected, &run);
        moving.ahead = comes ? 0 : ahead;
        start_rows(&run, fetches ? selected / 64 : 0, false, &moving);
        while (next_rows(args, data, indices, &run, false, &moving)) {
            const long each = bytes_later(&run, &moving);
            const bool good = ARE_GOOD(&moving);
            __global uchar *to = dense + run.first.dense + moving.first * run.dense_step;
            all = all && good;
            if (fetches)
                fetch_near(data + fetched, selected, run.count, moving.first, moving.count);
            if (args->stream && good && !moving.apart[moving.current] &&
                is_staged(to, bytes, run.dense_step))
                stage_rows(data, &moving, each, fetches, to, bytes, &staged);
            else
                move_rows(data, fill, args, columns, &moving, each, to, run.dense_step);
        }
    }
    end_staging(&staged);
    return all;
}

__kernel void gather_rows(__global const uchar *restrict data, __global const uchar *indices,
                          __global const uchar *fill, __global uchar *restrict dense,
                          clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const bool good = gather_block(data, indices, fill, dense, &args, rows_of_item(&args),
                                   columns_of_item(&args));
    SHUT_GATE_IF(!good);
}
