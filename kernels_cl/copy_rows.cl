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

#define LONGEST_FETCHED 4096 // bytes
#define TURNED_ROW      256  // bytes

static inline bool are_turned(const clnd_move_args *args, long step, long bytes)
{
    return bytes >= TURNED_ROW && (step < 0) != (DATA_BYTES(args) < 0);
}

static inline void fetch_row(const clnd_move_args *args, __global const uchar *from, long bytes)
{
    for (long byte = 0; byte < bytes; byte += 64)
        FETCH_AHEAD(DATA_BYTES(args) < 0 ? from - byte : from + byte);
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
                             __global uchar *to, long units, long ahead, long at_once,
                             __private staged_rows *staged)
{
    const long step = run->data_step;
    if (!args->stream || units * UNIT > LONGEST_STAGED ||
        !is_staged(to, units * UNIT, run->dense_step))
        return false;
    for (long i = 0, n; i < run->count; i += n) {
        n = min(run->count - i, at_once);
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

// Through the caches. The rows of `later`, from `next` on, are prefetched, unless it is NULL.
static inline void copy_run(const clnd_move_args *args, const row_run *run, const row_run *later,
                            __global const uchar *from, __global const uchar *next,
                            __global uchar *to, long units, long fetched)
{
    if (next)
        fetch_rows(next, run->data_step, run->count);
#if DATA_STEP == 0 // of contiguous columns it gained nothing: hardware prefetches their lines
    const long span = next && run->dense_step > units * UNIT ? run->count * run->dense_step : 0;
    for (long byte = 0; byte < min(span, (long)LONG_RUN); byte += 64)
        FETCH_AHEAD_TO_WRITE(to + (later->first.dense - run->first.dense) + byte);
#endif
    long i = run->dense_step == ROW ? copy_together(from, run->data_step, to, run->count) : 0;
    if (fetched > 0)
        copy_each(args, run, i, from, to, units, fetched);
    else
        copy_each(args, run, i, from, to, units, 0);
}

// Stretches of so few rows move together, if there are as many along one axis: to begin a run takes
// as long as its rows do.
#define SHORT_RUN 8

// How many stretches, of which the run is the first, have only few rows and lie at equal distances;
// but for the last of them, with which the next run begins.
static inline long stretches_alike(const clnd_move_args *args, const row_run *run)
{
    const long around = args->n_outer - 2, rows = run->last - run->row;
    if (around < 0 || run->count > SHORT_RUN || args->axes[around].size < SHORT_RUN ||
        run->count != args->axes[around + 1].size || run->count == rows)
        return 0;
    const long next = run->stretch[around];
    return next > 0 ? min(args->axes[around].size - next, rows / run->count) - 1 : 0;
}

// Copies n of them, whose rows are so many bytes long in data. Inline it would take registers from
// the loops over long runs.
COMPILED_ONCE void copy_stretches(const clnd_move_args *args, const row_run *run, long n,
                                  __global const uchar *from, __global uchar *to, long units,
                                  long bytes, __private staged_rows *staged)
{
    const clnd_axis_args around = args->axes[args->n_outer - 2];
    const long step = run->data_step, rows = run->count, dense_bytes = rows * units * UNIT;
    const long ahead = stretches_ahead(step, rows, bytes) * around.data;
    const bool lines = take_each_line(step, bytes);
    const bool stages = args->stream && units * UNIT <= LONGEST_STAGED &&
                        is_staged(to, units * UNIT, run->dense_step) && around.dense == dense_bytes;
    const long at_once = max(1024 / dense_bytes, 1L);
    for (long i = 0; i < n;) {
        const long last = min(i + at_once, n), staged_bytes = (last - i) * dense_bytes;
        __private uchar *at = stages ? stage_at(staged, to + i * dense_bytes) : NULL;
        for (; i < last; ++i) {
            __global const uchar *first = from + i * around.data;
            if (lines)
                fetch_rows(first + ahead, step, rows);
            else
                fetch_each(args, run, first + ahead, bytes);
            if (stages) {
                STAGE_ROWS(args, first, step, rows, at, units);
                at += dense_bytes;
            } else {
                for (long j = 0; j < rows; ++j)
                    COPY_ROW(args, first + j * step, to + i * around.dense + j * run->dense_step,
                             units);
            }
        }
        if (stages)
            stream_staged(staged, staged_bytes);
    }
}

COMPILED_ONCE void copy_block(__global const uchar *restrict data, __global uchar *restrict dense,
                              const clnd_move_args *restrict args, range rows, range columns)
{
    const long units = columns.last - columns.first;
    data += columns.first * DATA_BYTES(args);
    dense += columns.first * DENSE_BYTES(args);
    const long bytes = units * (long)abs_diff((long)DATA_BYTES(args), 0L);
    const long ahead = bytes <= LONGEST_FETCHED ? bytes : 0;
    staged_rows staged;
    start_staging(&staged);
    long stretch[CLND_ARGS_AXES], later_stretch[CLND_ARGS_AXES];
    row_run run, later;
    start_runs(args, rows.first, rows.last, stretch, &run);
    const bool lines = take_each_line(run.data_step, bytes);
    const bool asked = start_later_runs(args, &rows, bytes, later_stretch, &later) ||
                       (lines && !are_turned(args, run.data_step, bytes));
    const long fetched = asked ? 0 : ahead, at_once = staged_at_once(units * UNIT);
    while (next_run(args, &run)) {
        __global const uchar *from = data + run.first.data;
        __global uchar *to = dense + run.first.dense;
        const long alike = stretches_alike(args, &run);
        if (alike > 0) {
            copy_stretches(args, &run, alike, from, to, units, bytes, &staged);
            skip_stretches(args, alike - 1, &run);
            continue;
        }
        __global const uchar *next = next_run(args, &later) ? data + later.first.data : NULL;
        next = lines ? next : fetch_each(args, &run, next, bytes);
        if (stream_pixels(args, &run, from, next, to) ||
            stage_run(args, &run, from, next, to, units, fetched, at_once, &staged))
            continue;
        copy_run(args, &run, &later, from, next, to, units, fetched);
    }
    end_staging(&staged);
}

__kernel void copy_rows(__global const uchar *restrict data, __global uchar *restrict dense,
                        clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    copy_block(data, dense, &args, rows_of_item(&args), columns_of_item(&args));
}
