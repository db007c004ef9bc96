// SPDX-License-Identifier: Apache-2.0
//
// copy_rows: a gather without coordinates whose columns are one axis, on CPUs.
//
// Arguments     data, dense, args
// Options       -DUNIT (units.clh), -DSMALL (common.clh), -DROW (rows.clh)
//               -DDATA_STEP=n  units from one column to the next in data, where dense has no gaps:
//                              with ROW=0 -4 to 4; with others 1, of three units also -1. 0: any
//                              steps in both, with ROW=0; the host sets args.stream only where
//                              dense has no gaps
// Work size     groups of 1 x 1; blocks of columns along dimension 0, of rows along 1.

// Bytes from one column to the next.
#define DATA_BYTES(args)  (DATA_STEP ? DATA_STEP * UNIT : (args)->axes[CLND_SLICE_AXIS(0)].data)
#define DENSE_BYTES(args) (DATA_STEP ? UNIT : (args)->axes[CLND_SLICE_AXIS(0)].dense)

#if DATA_STEP == 1
#define COPY_ROW(args, from, to, units) MOVE_ROW(from, to, units, (args)->stream)
#define STAGE_ROWS(args, from, step, n, to, units)                                                 \
    stage_each(from, step, n, to, (ROW ? ROW : (units)*UNIT))
#elif DATA_STEP == 0
#define COPY_ROW(args, from, to, units)                                                            \
    move_units(from, DATA_BYTES(args), to, DENSE_BYTES(args), units)

static inline void stage_units(const clnd_move_args *args, __global const uchar *from,
                               __private uchar *to, long units)
{
    for (long i = 0; i < units; ++i)
        ((__private unit *)to)[i] = *(__global const unit *)(from + i * DATA_BYTES(args));
}
#define STAGE_ROWS(args, from, step, n, to, units)                                                 \
    for (long row = 0; row < (n); ++row)                                                           \
    stage_units(args, (from) + row * (step), (to) + row * (units)*UNIT, units)
#else
// 16 units that lie so many units apart, by whole loads that touch none behind the last one.
static inline chunk pick(__global const unit *at)
{
#if DATA_STEP == -1
    return CHUNK_AT(at);
#elif DATA_STEP == 2 || DATA_STEP == -2
    return (chunk)(CHUNK_AT(at).even, CHUNK_AT(at + 15).odd);
#elif DATA_STEP == 3 || DATA_STEP == -3
    const chunk a = CHUNK_AT(at), b = CHUNK_AT(at + 16), c = CHUNK_AT(at + 30);
    return (chunk)(a.s0369, a.scf, b.s258b, b.se, c.s369c, c.sf);
#else
    const chunk a = CHUNK_AT(at), b = CHUNK_AT(at + 16), c = CHUNK_AT(at + 32),
                d = CHUNK_AT(at + 45);
    return (chunk)(a.s048c, b.s048c, c.s048c, d.s37bf);
#endif
}

// Those of a row from unit i on.
#if DATA_STEP < 0
#define PICK(source, i) pick((source) + DATA_STEP * ((i) + 15)).sfedcba9876543210
#else
#define PICK(source, i) pick((source) + DATA_STEP * (i))
#endif

// From unit i on.
#define PICK_REST(space)                                                                           \
    space unit *target = (space unit *)to;                                                         \
    for (; i <= units - 16; i += 16)                                                               \
        *(space any_chunk *)(target + i) = PICK(source, i);                                        \
    if (i < units && units >= 16) {                                                                \
        *(space any_chunk *)(target + units - 16) = PICK(source, units - 16);                      \
    } else {                                                                                       \
        for (; i < units; ++i)                                                                     \
            target[i] = source[i * DATA_STEP];                                                     \
    }

// Units of a whole number of lines and of chunks.
#define LINE_UNITS                      (UNIT < 4 ? 64 / UNIT : 16)

// As move_row: through the caches goes what lies before the first whole line, and the last chunk.
static inline void pick_row(__global const uchar *from, __global uchar *to, long units, bool stream)
{
    __global const unit *source = (__global const unit *)from;
    const bool is_lines = ((ulong)to | (ulong)(units * UNIT)) % 64 == 0;
    long i = 0;
    if (stream && (is_lines || units * UNIT >= STREAMED_ROW)) {
        for (const long before = (long)(-(ulong)to % 64) / UNIT; i < before; ++i)
            ((__global unit *)to)[i] = source[i * DATA_STEP];
        for (; i + LINE_UNITS <= units - 16 || i + LINE_UNITS == units; i += LINE_UNITS)
            for (int part = 0; part < LINE_UNITS; part += 16) {
                const chunk picked = PICK(source, i + part); // aligned, as line_at()
                STORE_STREAM(picked, (__global chunk *)(to + (i + part) * UNIT));
            }
    }
    PICK_REST(__global)
}

static inline void stage_picked(__global const uchar *from, __private uchar *to, long units)
{
    __global const unit *source = (__global const unit *)from;
    long i = 0;
    PICK_REST(__private)
}
#define COPY_ROW(args, from, to, units) pick_row(from, to, units, (args)->stream)
#define STAGE_ROWS(args, from, step, n, to, units)                                                 \
    for (long row = 0; row < (n); ++row)                                                           \
    stage_picked((from) + row * (step), (to) + row * (units)*UNIT, units)
#endif

// How many rows ahead to prefetch in a run of many. Between rows lies what nobody reads, at which
// the hardware's prefetchers stop. Inside long rows they do well by themselves, and where each line
// is read in order. They do not where rows are read against the direction in which they follow one
// another; of short ones a core has several on their way by itself.
#ifdef FIRST_CACHE
#define ROWS_AHEAD 4
#else
#define ROWS_AHEAD 16
#endif

#define TURNED_ROW 256 // bytes

static inline bool are_turned(const clnd_move_args *args, long step, long bytes)
{
    return bytes >= TURNED_ROW && (step < 0) != (DATA_BYTES(args) < 0);
}

static inline void fetch_row(const clnd_move_args *args, __global const uchar *from, long bytes)
{
    for (long byte = 0; byte < bytes; byte += 64)
        FETCH_ROW_AHEAD(DATA_BYTES(args) < 0 ? from - byte : from + byte);
}

// Asks for the rows of a run at `from`, if it is there. Then nothing is left to ask for: NULL.
static inline __global const uchar *fetch_each(const clnd_move_args *args, const row_run *run,
                                               __global const uchar *from, long bytes)
{
    for (long i = 0; from && i < run->count; ++i)
        fetch_row(args, from + i * run->data_step, bytes);
    return NULL;
}

// Rows of more bytes are streamed by themselves: what is read in order costs least then.
#define LONGEST_STAGED (DATA_STEP == 1 ? 640 : STAGED_ROW)

// Rows that lie `step` bytes apart. So many bytes of those that come next are prefetched.
static inline void stage_rows(const clnd_move_args *args, __global const uchar *from, long step,
                              long n, __global uchar *to, long units, long ahead,
                              __private staged_rows *staged)
{
    __private uchar *at = stage_at(staged, to);
    long i = 0;
#if PICKS_PIXELS
    for (; picks_pixels(step) && i <= n - PICKED; i += PICKED)
        PICK_PIXELS(from + i * step, step, __private any_chunk *, at + i * ROW, STORE_CHUNK)
#if DATA_STEP == 1
    // Others move as four units, as in copy_pixels.
    if (step != 0 && i == 0) {
        stage_row(from, at, ROW);
        for (i = 1; i < n - 1; ++i)
            *(__private four_units *)(at + i * ROW) =
                *(__global const four_units *)(from + i * step);
    }
#endif
#endif
    // Of short rows it is chosen once for all how they move; longer ones are asked for one by one.
    const long each = ahead > 0 && units * UNIT > 128 ? 1 : n - i;
    for (; i < n; i += each) {
        for (long k = i; ahead > 0 && k < i + each; ++k)
            fetch_row(args, from + (k + ROWS_AHEAD) * step, ahead);
        STAGE_ROWS(args, from + i * step, step, each, at + i * units * UNIT, units);
    }
    stream_staged(staged, n * units * UNIT);
}

// Whether the run is staged. Meanwhile rows from `later` on are prefetched, unless it is NULL.
static inline bool stage_run(const clnd_move_args *args, const row_run *run,
                             __global const uchar *from, __global const uchar *later,
                             __global uchar *to, long units, long ahead,
                             __private staged_rows *staged)
{
    const long step = run->data_step;
    if (!args->stream || units * UNIT > LONGEST_STAGED ||
        !is_staged(to, units * UNIT, run->dense_step))
        return false;
    for (long i = 0, n; i < run->count; i += n) {
        n = min(run->count - i, staged_at_once(units * UNIT));
        stage_rows(args, from + i * step, step, n, to + i * run->dense_step, units, ahead, staged);
        if (later)
            fetch_rows(later + i * step, step, n);
    }
    return true;
}

// The run's rows from row i on. Short ones go faster where it is known that none is prefetched.
static inline void copy_each(const clnd_move_args *args, const row_run *run, long i,
                             __global const uchar *from, __global uchar *to, long units, long ahead)
{
    for (; i < run->count; ++i) {
        fetch_row(args, from + (i + ROWS_AHEAD) * run->data_step, ahead);
        COPY_ROW(args, from + i * run->data_step, to + i * run->dense_step, units);
    }
}

__kernel void copy_rows(__global const uchar *restrict data, __global uchar *restrict dense,
                        clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args);
    const range columns = columns_of_item(&args);
    const long units = columns.last - columns.first;
    data += columns.first * DATA_BYTES(&args);
    dense += columns.first * DENSE_BYTES(&args);
    const long bytes = units * (long)abs_diff((long)DATA_BYTES(&args), 0L);
    const long ahead = bytes <= LONG_ROW ? bytes : 0;
    staged_rows staged;
    start_staging(&staged);
    long stretch[CLND_ARGS_AXES], later_stretch[CLND_ARGS_AXES];
    row_run run, later;
    start_runs(&args, rows.first, rows.last, stretch, &run);
    const bool lines = take_each_line(run.data_step, bytes);
    const bool asked = start_later_runs(&args, &rows, bytes, later_stretch, &later) ||
                       (lines && !are_turned(&args, run.data_step, bytes));
    const long fetched = asked ? 0 : ahead;
    while (next_run(&args, &run)) {
        __global const uchar *from = data + run.first.data;
        __global uchar *to = dense + run.first.dense;
        __global const uchar *next = next_run(&args, &later) ? data + later.first.data : NULL;
        next = lines ? next : fetch_each(&args, &run, next, bytes);
        if (stream_pixels(&args, &run, from, next, to) ||
            stage_run(&args, &run, from, next, to, units, fetched, &staged))
            continue;
        if (next)
            fetch_rows(next, run.data_step, run.count);
#if DATA_STEP == 0 // of contiguous columns it gained nothing: hardware prefetches their lines
        const long span = next && run.dense_step > units * UNIT ? run.count * run.dense_step : 0;
        for (long byte = 0; byte < min(span, (long)LONG_RUN); byte += 64)
            FETCH_AHEAD_TO_WRITE(dense + later.first.dense + byte);
#endif
        long i = run.dense_step == ROW ? copy_together(from, run.data_step, to, run.count) : 0;
        if (fetched > 0)
            copy_each(&args, &run, i, from, to, units, fetched);
        else
            copy_each(&args, &run, i, from, to, units, 0);
    }
    end_staging(&staged);
}
