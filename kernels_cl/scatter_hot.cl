// SPDX-License-Identifier: Apache-2.0
//
// scatter_hot: scatter where many rows meet. A work-group takes a block of consecutive rows, sorts
// them by the location that they select, and combines those that meet with one another: then one
// atomic operation for every element of every location.
//
// Arguments     as scatter. A column is one element, or a pack of them.
// Options       those of scatter, with -DATOMIC, -DLANES=1 and -DSMALL=1
// -DPACK=n      a column is so many floats of 16 or 32 bits, at a multiple of their size; sums
// Work size     as scatter

// A row of the block, to be sorted: the location that it selects, and its number in the block. Bad
// rows and those behind the last one come behind all others. The host sees to it that all
// locations lie below the one of NO_ROW.
#define NO_ROW           (~0UL)
#define LOCATION_OF(row) ((long)((row) >> CLND_HOT_ROW_BITS))
#define NOWHERE          LOCATION_OF(NO_ROW)

// Updates that a lane loads before it needs the first. A lane has so many rows at least.
#define AHEAD (CLND_HOT_BLOCK / CLND_LANES)

// What is combined before it meets the element: 16-bit floats in float32, the rest as it is.
#if PACK > 1
typedef VECTOR(float, PACK) gathered;
#define COMBINE(old, update) ((old) + SIGN * (update))
#define SIGN                 (REDUCE == CLND_REDUCE_SUB ? -1.0f : 1.0f)
#define LOAD_UPDATE(at)      unpack(*(__global const pack *)(at))
#elif IS_HALF
typedef float gathered;
#define COMBINE(old, update) combine_real(old, update)
#define LOAD_UPDATE(at)      WIDEN(load_update(at))
#define FROM_GATHERED(sum)   NARROW(sum)
#else
typedef element gathered;
#define COMBINE(old, update) combine(old, update)
#define LOAD_UPDATE(at)      load_update(at)
#define FROM_GATHERED(sum)   (sum)
#endif

// Differences are gathered as the negated sum of their updates, which is negated once more when it
// meets the element. To negate is to subtract from NO_SUM; that of floats is -0, so that zeros get
// the signs that they have in the serial loop.
#if IS_DOUBLE
#define NO_SUM ((gathered)(AS_REAL(0x8000000000000000)))
#elif IS_FLOAT || IS_COMPLEX
#define NO_SUM ((gathered)(-0.0f))
#else
#define NO_SUM 0
#endif

#if REDUCE == CLND_REDUCE_SUB
#define SIGNED_SUM(value) COMBINE(NO_SUM, value)
#else
#define SIGNED_SUM(value) (value)
#endif

#if PACK > 1
#if HALF_ELEMENTS
#define WORD_OF(low, high) ((uint)NARROW(low) | (uint)NARROW(high) << 16)
#define HALVES(word)       WIDEN((ushort)(word)), WIDEN((ushort)((word) >> 16))
#if PACK == 2
#define UNPACKED(words) (float2)(HALVES(words))
#define PACKED(v)       WORD_OF(v.x, v.y)
#elif PACK == 4
#define UNPACKED(words) (float4)(HALVES(words.x), HALVES(words.y))
#define PACKED(v)       (uint2)(WORD_OF(v.s0, v.s1), WORD_OF(v.s2, v.s3))
#else
#define UNPACKED(words) (float8)(HALVES(words.x), HALVES(words.y), HALVES(words.z), HALVES(words.w))
#define PACKED(v)                                                                                  \
    (uint4)(WORD_OF(v.s0, v.s1), WORD_OF(v.s2, v.s3), WORD_OF(v.s4, v.s5), WORD_OF(v.s6, v.s7))
#endif
#else
#define UNPACKED(words) VECTOR(as_float, PACK)(words)
#define PACKED(v)       VECTOR(as_uint, PACK)(v)
#endif

static inline gathered unpack(pack words)
{
    return UNPACKED(words);
}
#endif

#if PACK > 1
#define PUT_SUM(at, sum) atomic_combine_pack(at, PACKED(sum))
#define ANY(condition)   any(condition)
#else
#define PUT_SUM(at, sum) atomic_combine(at, FROM_GATHERED(sum))
#define ANY(condition)   (condition)
#endif

static inline void combine_gathered(__global uchar *at, gathered sum)
{
    gathered update = SIGNED_SUM(sum);
#if DTYPE == CLND_KIND_FLOAT16 && IS_SUM
    // In parts, where it is more than 16 bits hold: the element may be as far on the other side.
    const float most = 65504;
#define IS_LARGE (fabs(update) > most && fabs(update) < INFINITY)
    while (ANY(IS_LARGE)) {
        const gathered part = IS_LARGE ? copysign((gathered)(most), update) : NO_SUM;
        PUT_SUM(at, part);
        update -= part;
    }
#undef IS_LARGE
#endif
    PUT_SUM(at, update);
}

INLINED void load_block(const clnd_move_args *args, __global const uchar *indices, long first,
                        __local ulong *block, __local long *updates)
{
    for (uint i = get_local_id(0); i < CLND_HOT_BLOCK; i += CLND_LANES) {
        ulong row = NO_ROW;
        if (i < args->rows - first) {
            const row_start start = find_row(args, first + i);
            const long selected = select_row(args, indices, start);
            updates[i] = start.dense;
            if (selected != BAD_ROW)
                row = (ulong)selected << CLND_HOT_ROW_BITS | i;
        }
        block[i] = row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// A bitonic sort: every iteration makes runs of twice the length, every other one descending.
INLINED void sort_block(__local ulong *block)
{
    // Not unrolled: compilers would compute the addresses of all steps in advance, and spill them.
#pragma unroll 1
    for (uint run = 2; run <= CLND_HOT_BLOCK; run *= 2) {
        for (uint apart = run / 2; apart > 0; apart /= 2) {
            for (uint i = get_local_id(0); i < CLND_HOT_BLOCK / 2; i += CLND_LANES) {
                const uint low = 2 * i - (i & (apart - 1));
                const ulong a = block[low], b = block[low + apart];
                if ((a > b) == ((low & run) == 0)) {
                    block[low] = b;
                    block[low + apart] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

// A lane's part of the sorted block: a strip of it, of one column, which other lanes share.
typedef struct strip {
    uint first;
    uint length;
    bool used; // not behind the last column
    column_run column;
} strip;

static inline strip strip_of_lane(const clnd_move_args *args, long column)
{
    const uint shift = (uint)args->lanes_shift;
    strip own;
    own.length = CLND_HOT_BLOCK / (CLND_LANES >> shift);
    own.first = ((uint)get_local_id(0) >> shift) * own.length;
    own.used = column < args->columns;
    own.column = find_columns(args, min(column, args->columns - 1), args->columns);
    return own;
}

static inline void load_updates(__global const uchar *dense, strip own, __local const ulong *rows,
                                __local const long *updates, gathered *loaded)
{
#pragma unroll
    for (uint i = 0; i < AHEAD; ++i) {
        loaded[i] = 0;
        if (own.used && rows[i] != NO_ROW)
            loaded[i] =
                LOAD_UPDATE(dense + updates[rows[i] & (CLND_HOT_BLOCK - 1)] + own.column.dense);
    }
}

// Applies the lane's strip. What it begins with may belong to a location whose rows begin in a
// strip before: it is left in `carried` for the lane of that one.
INLINED void apply_block(__global uchar *data, __global const uchar *dense, strip own,
                         uint strip_apart, __local const ulong *block, __local const long *updates,
                         __local gathered *carried)
{
    const uint lane = get_local_id(0), end = own.first + own.length;
    long location = LOCATION_OF(block[own.first]);
    bool is_rest = own.first > 0 && LOCATION_OF(block[own.first - 1]) == location;
    gathered sum = 0;
    data += own.column.data;
    for (uint at = own.first; at < end; at += AHEAD) {
        gathered loaded[AHEAD];
        load_updates(dense, own, block + at, updates, loaded);
#pragma unroll
        for (uint i = 0; i < AHEAD; ++i) {
            const ulong row = block[at + i];
            if (!own.used || row == NO_ROW)
                continue;
            if (LOCATION_OF(row) == location && at + i > own.first) {
                sum = COMBINE(sum, loaded[i]);
                continue;
            }
            if (LOCATION_OF(row) != location) {
                if (is_rest)
                    carried[lane] = sum;
                else
                    combine_gathered(data + location, sum);
                is_rest = false;
                location = LOCATION_OF(row);
            }
            sum = SIGNED_SUM(loaded[i]);
        }
    }
    if (is_rest)
        carried[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (own.used && !is_rest && location != NOWHERE) {
        for (uint next = lane + strip_apart, at = end;
             at < CLND_HOT_BLOCK && LOCATION_OF(block[at]) == location;
             next += strip_apart, at += own.length)
            sum = COMBINE(sum, SIGNED_SUM(carried[next]));
        combine_gathered(data + location, sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel GROUP_OF_LANES void scatter_hot(__global uchar *restrict data,
                                         __global const uchar *indices,
                                         __global const uchar *restrict dense,
                                         clnd_move_args args GATE_PARAMETER)
{
    __local ulong block[CLND_HOT_BLOCK];
    __local long updates[CLND_HOT_BLOCK]; // bytes of dense
    __local gathered carried[CLND_LANES];
    // Blocks and columns are shared out together: where rows are few and wide, blocks are few.
    // All lanes make the same iterations, because of the barriers.
    const long rows = GATE_IS_SHUT ? 0 : args.rows;
    const long width = 1L << args.lanes_shift;
    const long column = get_local_id(0) & (width - 1);
    const long blocks = rows / CLND_HOT_BLOCK + (rows % CLND_HOT_BLOCK != 0);
    const long column_parts = (args.columns - 1) / width + 1;
    const long groups = get_num_groups(0) * get_num_groups(1);
    for (long part = get_group_id(1) * get_num_groups(0) + get_group_id(0);
         part < blocks * column_parts; part += groups) {
        const long number = part / column_parts;
        const long column_part = part - number * column_parts;
        load_block(&args, indices, number * CLND_HOT_BLOCK, block, updates);
        sort_block(block);
        const strip own = strip_of_lane(&args, column_part * width + column);
        apply_block(data, dense, own, (uint)width, block, updates, carried);
    }
}
