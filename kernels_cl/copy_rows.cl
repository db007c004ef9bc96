// SPDX-License-Identifier: Apache-2.0
//
// copy_rows: a gather without coordinates, for rows that are contiguous in dense, on CPUs.
//
// Arguments     data, dense, args
// Options       -DUNIT (units.clh), -DSMALL (common.clh), -DROW (rows.clh)
//               -DDATA_STEP=n  units from one column to the next in data: 1, of rows of three units
//                              and with ROW=0 also -1, with ROW=0 also 2, 3 and 4
// Work size     groups of 1 x 1; blocks of columns along dimension 0, of rows along 1.

#ifndef DATA_STEP
#define DATA_STEP 1
#endif

#if DATA_STEP == 1
#define COPY_ROW                   MOVE_ROW
#define STAGE_ROW(from, to, units) stage_row(from, to, (ROW ? ROW : (units)*UNIT))
#else
// 16 units of a row from unit i on, by whole loads that touch none behind the last one.
#if DATA_STEP == -1
#define PICK(source, i) CHUNK_AT((source) - (i)-15).sfedcba9876543210
#elif DATA_STEP == 2
#define PICK(source, i)                                                                            \
    (chunk)(CHUNK_AT((source) + 2 * (i)).even, CHUNK_AT((source) + 2 * (i) + 15).odd)
#elif DATA_STEP == 3
static inline chunk pick(__global const unit *at)
{
    const chunk a = CHUNK_AT(at), b = CHUNK_AT(at + 16), c = CHUNK_AT(at + 30);
    return (chunk)(a.s0369, a.scf, b.s258b, b.se, c.s369c, c.sf);
}
#define PICK(source, i) pick((source) + 3 * (i))
#else
static inline chunk pick(__global const unit *at)
{
    const chunk a = CHUNK_AT(at), b = CHUNK_AT(at + 16), c = CHUNK_AT(at + 32),
                d = CHUNK_AT(at + 45);
    return (chunk)(a.s048c, b.s048c, c.s048c, d.s37bf);
}
#define PICK(source, i) pick((source) + 4 * (i))
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

static inline void pick_row(__global const uchar *from, __global uchar *to, long units, bool stream)
{
    __global const unit *source = (__global const unit *)from;
    long i = 0;
    if (stream && (ulong)to % sizeof(chunk) == 0)
        for (; i <= units - 16; i += 16) {
            const chunk picked = PICK(source, i); // as in move_row
            STORE_STREAM(picked, (__global chunk *)(to + i * UNIT));
        }
    PICK_REST(__global)
}

static inline void stage_picked(__global const uchar *from, __private uchar *to, long units)
{
    __global const unit *source = (__global const unit *)from;
    long i = 0;
    PICK_REST(__private)
}
#define COPY_ROW  pick_row
#define STAGE_ROW stage_picked
#endif

#if (DATA_STEP == 1 || DATA_STEP == -1) && ROW == 3 * UNIT && UNIT < 16
#define TURNS_PIXELS 1
#define TURNED       16

// Rows of three units, such as pixels, that lie side by side, in reverse or each turned in itself:
// so many at once. Of whole vectors and single units LLVM 15 makes one shuffle each; of parts of
// vectors it made 52.
static inline void turn_pixels(__global const uchar *from, __private chunk *pixels)
{
    __global const unit *source =
        (__global const unit *)(from - (DATA_STEP == 1 ? (TURNED - 1) * ROW : ROW - UNIT));
    const chunk a = CHUNK_AT(source), b = CHUNK_AT(source + 16), c = CHUNK_AT(source + 32);
#if DATA_STEP == 1
    pixels[0] = c.sdefabc789456123f;
    pixels[0].sf = b.se;
    pixels[1] = b.sffbcd89a567234f0;
    pixels[1].s1 = c.s0;
    pixels[1].se = a.sf;
    pixels[2] = a.sfcde9ab678345012;
    pixels[2].s0 = b.s1;
#else
    pixels[0] = a.s210543876ba9edc0;
    pixels[0].sf = b.s1;
    pixels[1] = b.s00432765a98dcb0f;
    pixels[1].s1 = a.sf;
    pixels[1].se = c.s0;
    pixels[2] = c.s0321654987cbafed;
    pixels[2].s0 = b.se;
#endif
}

#define TURN_PIXELS(space, from, to)                                                               \
    {                                                                                              \
        chunk pixels[3];                                                                           \
        turn_pixels(from, pixels);                                                                 \
        for (int part = 0; part < 3; ++part)                                                       \
            ((space any_chunk *)(to))[part] = pixels[part];                                        \
    }

static inline bool turns_pixels(long step)
{
    return step == -DATA_STEP * ROW;
}
#else
#define TURNS_PIXELS 0
#endif

#if DATA_STEP == 1 && TURNS_PIXELS
typedef VECTOR(UNIT_NAME, 4) four_units __attribute__((aligned(UNIT)));

// Other rows of three units move as four: the next row overwrites the fourth, so that there must be
// one. Of the first row and the last there may be nothing beside them to read.
static inline void copy_pixels(__global const uchar *from, long step, __global uchar *to, long n)
{
    move_row(from, to, ROW, false);
    for (long i = 1; i < n - 1; ++i)
        *(__global four_units *)(to + i * ROW) = *(__global const four_units *)(from + i * step);
    move_row(from + (n - 1) * step, to + (n - 1) * ROW, ROW, false);
}
#endif

// How many rows ahead to prefetch. Between rows lies what nobody reads, at which the hardware's
// prefetchers stop. Inside long rows they do well by themselves.
#define ROWS_AHEAD 16

static inline void fetch_row(__global const uchar *from, long bytes)
{
    for (long byte = 0; byte < bytes; byte += 64)
        FETCH_AHEAD(DATA_STEP < 0 ? from - byte : from + byte);
}

// Rows of more bytes are streamed by themselves: what is read in order costs least then.
#define LONGEST_STAGED 640

// Rows that lie `step` bytes apart. So many bytes of those that come next are prefetched.
static inline void stage_rows(__global const uchar *from, long step, long n, __global uchar *to,
                              long units, long ahead, staged_rows *staged)
{
    __private uchar *at = stage_at(staged, to);
    long i = 0;
#if TURNS_PIXELS
    for (; turns_pixels(step) && i <= n - TURNED; i += TURNED)
        TURN_PIXELS(__private, from + i * step, at + i * ROW)
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
    for (; i < n; ++i) {
        fetch_row(from + (i + ROWS_AHEAD) * step, ahead);
        STAGE_ROW(from + i * step, at + i * units * UNIT, units);
    }
    stream_staged(staged, n * units * UNIT);
}

// Rows side by side that follow one another so many bytes later are prefetched: hardware does not
// do it from one run of such rows to the next. In a long run it does.
#define BYTES_AHEAD 4096
#define LONG_RUN    16384

// Where a later run starts that is as long as this one.
static inline long start_ahead(const clnd_move_args *args, long row, long last, const row_run *run)
{
    const long span = run->count * (long)abs_diff(run->data_step, 0L);
    const long later = row + run->count * (BYTES_AHEAD / span + 1);
    return span > LONG_RUN || later >= last ? run->first.data : find_row(args, later).data;
}

static inline void fetch_rows(__global const uchar *from, long step, long n)
{
    const long span = n * (long)abs_diff(step, 0L);
    for (long byte = 0; byte < span; byte += 64)
        FETCH_AHEAD(step < 0 ? from - byte : from + byte);
}

__kernel void copy_rows(__global const uchar *restrict data, __global uchar *restrict dense,
                        clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args);
    const range columns = columns_of_item(&args);
    const long units = columns.last - columns.first;
    data += columns.first * DATA_STEP * UNIT;
    dense += columns.first * UNIT;
    const long bytes = units * (DATA_STEP < 0 ? 1 : DATA_STEP) * UNIT;
    const long ahead = bytes <= LONG_ROW ? bytes : 0;
    staged_rows staged;
    start_staging(&staged);
    for (long row = rows.first; row < rows.last;) {
        row_run run;
        long stretch[CLND_ARGS_AXES];
        find_rows(&args, row, rows.last, stretch, &run);
        __global const uchar *from = data + run.first.data;
        __global uchar *to = dense + run.first.dense;
        long i = 0;
        const bool near = abs_diff(run.data_step, 0L) <= 64 && run.data_step != 0;
        __global const uchar *later = data;
        if (near)
            later += start_ahead(&args, row, rows.last, &run);
        if (args.stream && units * UNIT <= LONGEST_STAGED &&
            is_staged(to, units * UNIT, run.dense_step))
            for (long n = 0; i < run.count; i += n) {
                n = min(run.count - i, staged_at_once(units * UNIT));
                stage_rows(from + i * run.data_step, run.data_step, n, to + i * run.dense_step,
                           units, near ? 0 : ahead, &staged);
                fetch_rows(later + i * run.data_step, run.data_step, near ? n : 0);
            }
        fetch_rows(later + i * run.data_step, run.data_step, near ? run.count - i : 0);
#if TURNS_PIXELS
        if (turns_pixels(run.data_step) && run.dense_step == ROW)
            for (; i <= run.count - TURNED; i += TURNED)
                TURN_PIXELS(__global, from + i * run.data_step, to + i * ROW)
#if DATA_STEP == 1
        if (near && run.dense_step == ROW && i < run.count) {
            copy_pixels(from + i * run.data_step, run.data_step, to + i * ROW, run.count - i);
            i = run.count;
        }
#endif
#endif
        for (; i < run.count; ++i) {
            fetch_row(from + (i + ROWS_AHEAD) * run.data_step, near ? 0 : ahead);
            COPY_ROW(from + i * run.data_step, to + i * run.dense_step, units, args.stream);
        }
        row += run.count;
    }
    end_staging(&staged);
}
