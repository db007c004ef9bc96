// SPDX-License-Identifier: Apache-2.0
//
// gather_rows: what gather does, many rows at a time, on CPUs.
//
// Arguments     as gather
// Options       -DINDEX, -DSMALL, -DOFFSETS, -DCOORDINATES, -DUNADJUSTED (common.clh)
//               -DUNIT=1: rows are contiguous in data and dense, and columns are bytes; -DROW
//               (rows.clh)
//               -DSLICES=1: rows are slices of any strides, and columns are units (units.clh)
// Work size     groups of 1 x 1; blocks of columns along dimension 0, of rows along 1.
//               May look for bad rows (CLND_GATE_FOUND).

#if SLICES
// Bytes from the first one that a row takes to the last one. The first one lies `low` bytes behind
// where the row is located, or before it, if the number is negative.
static inline long bytes_of_rows(const clnd_move_args *args, range columns, long *low)
{
    long bytes = UNIT;
    *low = 0;
    (void)columns;
    for (long j = 0; j < args->n_slice; ++j) {
        const clnd_axis_args axis = args->axes[CLND_SLICE_AXIS(j)];
        bytes += (axis.size - 1) * (long)abs_diff(axis.data, (clnd_i64)0);
        *low += min((axis.size - 1) * axis.data, (clnd_i64)0);
    }
    return bytes;
}

// One row, whether it has a location or not.
static inline void move_slice(__global const uchar *data, __global const uchar *fill,
                              const clnd_move_args *args, range columns, offset location,
                              __global uchar *to)
{
    for (long column = columns.first; column < columns.last;) {
        const column_run s = find_columns(args, column, columns.last);
        if (location != BAD_ROW)
            move_units(data + location + s.data, s.data_step, to + s.dense, s.dense_step, s.count);
        else
            fill_units(fill, args, column, to + s.dense, s.dense_step, s.count);
        column += s.count;
    }
}

// Contiguous bytes of each of n rows. How they move depends on their number alone.
static inline void move_parts(__global const uchar *data, const offset *locations, long n,
                              long bytes, __global uchar *to, long to_step, bool stream)
{
#define IN_PIECES(size)                                                                            \
    if (bytes <= 128 && bytes >= size) {                                                           \
        ONE_BY_ONE                                                                                 \
        for (long i = 0; i < n; ++i, to += to_step) {                                              \
            __global const uchar *from = data + locations[i];                                      \
            *(__global piece_##size *)to = LOAD_ALONE(piece_##size, from);                         \
            if (bytes > size)                                                                      \
                *(__global piece_##size *)(to + bytes - size) =                                    \
                    LOAD_ALONE(piece_##size, from + bytes - size);                                 \
        }                                                                                          \
        return;                                                                                    \
    }
    IN_PIECES(64)
    IN_PIECES(32)
    IN_PIECES(16)
    IN_PIECES(8)
    IN_PIECES(4)
    IN_PIECES(2)
#undef IN_PIECES
    for (long i = 0; i < n; ++i)
        move_row(data + locations[i], to + i * to_step, bytes, stream);
}

// Of slices of so many bytes the columns are taken one by one, each of all rows.
#define FEW_BYTES 128

// A run of columns, of all rows.
static inline void move_columns(__global const uchar *data, const moving_rows *rows, column_run s,
                                bool stream, __global uchar *to, long to_step)
{
    const offset *locations = LOCATIONS(rows);
    const long n = rows->count;
    if (s.data_step == UNIT && s.dense_step == UNIT) {
        move_parts(data, locations, n, s.count * UNIT, to, to_step, stream);
    } else if (s.count * UNIT > FEW_BYTES && abs_diff(s.dense_step, 0L) < abs_diff(to_step, 0L)) {
        for (long i = 0; i < n; ++i)
            move_units(data + locations[i], s.data_step, to + i * to_step, s.dense_step, s.count);
    } else {
        for (long column = 0; column < s.count; ++column) {
            ONE_BY_ONE
            for (long i = 0; i < n; ++i)
                *(__global unit *)(to + i * to_step) = LOAD_ALONE(unit, data + locations[i]);
            data += s.data_step;
            to += s.dense_step;
        }
    }
}

// Moves rows, of which `data` has the first bytes. Meanwhile asks for `ahead` bytes of each row
// behind these.
static inline void move_batch(__global const uchar *data, __global const uchar *fill,
                              const clnd_move_args *args, range columns, const moving_rows *rows,
                              long ahead, bool fetches, __global uchar *to, long to_step,
                              __private staged_rows *staged)
{
    const offset *locations = LOCATIONS(rows), *later = LATER(rows);
    const long n = rows->count;
    long low;
    (void)bytes_of_rows(args, columns, &low);
    (void)fetches;
    (void)staged;
    (void)later; // where there is no way to prefetch
    for (long i = 0; i < n; ++i)
        FETCH_ROW(FETCH_AHEAD, data + later[i], rows->bytes, ahead);
    data -= low;
    if (!ARE_GOOD(rows)) {
        for (long i = 0; i < n; ++i)
            move_slice(data, fill, args, columns, locations[i], to + i * to_step);
        return;
    }
    for (long column = columns.first; column < columns.last;) {
        const column_run s = find_columns(args, column, columns.last);
        move_columns(data + s.data, rows, s, args->stream, to + s.dense, to_step);
        column += s.count;
    }
}
#else
static inline long bytes_of_rows(const clnd_move_args *args, range columns, long *low)
{
    (void)args;
    *low = columns.first;
    return ROW ? ROW : columns.last - columns.first;
}

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

// Likewise. `fetches`: other lines of data are on their way, too.
static inline void move_batch(__global const uchar *data, __global const uchar *fill,
                              const clnd_move_args *args, range columns, const moving_rows *rows,
                              long ahead, bool fetches, __global uchar *to, long to_step,
                              __private staged_rows *staged)
{
    const long bytes = ROW ? ROW : columns.last - columns.first;
    to += columns.first;
    if (args->stream && ARE_GOOD(rows) && !rows->apart[rows->current] &&
        is_staged(to, bytes, to_step))
        stage_rows(data, rows, ahead, fetches, to, bytes, staged);
    else
        move_rows(data, fill, args, columns, rows, ahead, to, to_step);
}
#endif

// Along an outer axis rows begin side by side, and each is in one of as many stretches as the axis
// is long. The hardware's prefetchers follow so many stretches, if rows take each of their lines.
#define STRETCHES_FOLLOWED 12

static inline bool are_followed(const clnd_move_args *args, const row_run *run)
{
    const long stretches = COORDINATES == 1 ? args->coordinates[0].extent : LONG_MAX;
    const bool steps = !run->many || run->data_step == 0;
    const long step = run->many ? args->axes[args->n_outer - 2].data : run->data_step;
    return stretches <= STRETCHES_FOLLOWED && steps && step > 0 && stretches * step < 64;
}

// Returns whether all rows are good.
COMPILED_ONCE bool gather_block(__global const uchar *restrict data, __global const uchar *indices,
                                __global const uchar *fill, __global uchar *restrict dense,
                                const clnd_move_args *restrict args, range rows, range columns)
{
    long low;
    const long bytes = bytes_of_rows(args, columns, &low);
    moving_rows moving = {.bytes = bytes};
    const long selected = selected_bytes(args);
    const long taken = min(bytes, (long)(columns.last - columns.first) * UNIT);
    const bool all_kept = is_all_kept(args, taken);
    long fetched = BAD_ROW;
    bool all = true;
    staged_rows staged;
    start_staging(&staged);
    data += low;
    // Of the lines of a long slice few may be taken: none is asked for.
    const bool asks = SLICES ? bytes <= LONG_ROW(false) : true;
    const long ahead = asks ? bytes_ahead(data + args->data_offset, bytes, false) : 0;
    row_run run;
    run_memory memory;
    start_located_runs(args, indices, rows.first, rows.last, &memory, &run);
    while (next_run(args, &run)) {
        const bool fetches = fetches_next(data, selected, &run, &fetched);
        const bool kept = all_kept || is_kept(selected, run.many ? 0 : run.count, taken);
        const bool comes = kept || are_followed(args, &run) || fetches_near(selected, &run) ||
                           are_taken_again(args, &run, taken);
        moving.ahead = comes ? 0 : ahead;
        start_rows(&run, fetches ? selected / 64 : 0, false, &moving);
        while (next_rows(args, data, indices, &run, false, &moving)) {
            const long each = bytes_later(&run, &moving);
            __global uchar *to = dense + run.first.dense + moving.first * run.dense_step;
            all = all && ARE_GOOD(&moving);
            if (fetches)
                fetch_near(data + fetched, selected, run.count, moving.first, moving.count);
            move_batch(data, fill, args, columns, &moving, each, fetches, to, run.dense_step,
                       &staged);
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
    SHUT_GATE_IF(args.gate, !good);
}
