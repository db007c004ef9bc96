// SPDX-License-Identifier: Apache-2.0
//
// Scatters into private copies of a small target, which are then combined with it. The host numbers
// the target's elements from 0 on; in a copy they are contiguous, in this order.
//
// Options       -DPRIVATE=1, -DDTYPE, -DREDUCE, -DWIDE (reduce.clh), -DINDEX, -DLANES, -DSMALL
//               (common.clh); with LANES=1 -DATOMIC, -DLOCAL_KIB=n; of rows along one axis
//               -DOFFSETS, -DCOORDINATES, -DUNADJUSTED, with LANES=1 -DOUTER (common.clh)
//
// The first kernel takes copies, indices, dense, args. There, `data` means locations in a copy; the
// copies begin at part_first and take part_bytes each, a multiple of 64. Each copy begins as the
// identity of the reduction.
//
// private_blocks  LANES=0: one work-item fills a copy from its block of rows, in row order; with
//                 -DCOPIES=n, n copies from as many pieces of it, with -DCOORDINATES only.
//                 May look for bad rows (CLND_GATE_FOUND).
//                 Work size: groups of 1 x 1; one by the number of copies / COPIES.
// private_lanes   LANES=1: one work-group fills one copy in local memory by atomic operations.
//                 Work size: groups of a multiple of CLND_LANES, as many as there are copies.
//
// private_merge takes data, copies, args, which scatter `rows` rows of columns, the copies, into
// one location. An element that no update has met keeps its bits, or with LANES=0 and part_first
// becomes zero, as all of data then begins. Copies are combined in their order; with LANES=1 every
// so many together, then these.
//                 Work size, LANES=0: groups of 1 x 1; blocks of columns along dimension 0.
//                 LANES=1: groups of CLND_LANES, each with 1 << lanes_shift columns.

// The elements of a copy begin with this. For sums of floats it is -0: with 0, a sum of -0 would
// become 0. For a bool, bit 1 marks it, which no update leaves set.
#if DTYPE == CLND_KIND_BOOL
#define IDENTITY (REDUCE == CLND_REDUCE_ADD || REDUCE == CLND_REDUCE_MAX ? 2 : 3)
#elif IS_DOUBLE && REDUCE == CLND_REDUCE_MUL
#define IDENTITY AS_REAL(0x3ff0000000000000)
#elif IS_DOUBLE && REDUCE == CLND_REDUCE_MIN
#define IDENTITY AS_REAL(0x7ff0000000000000)
#elif IS_DOUBLE && REDUCE == CLND_REDUCE_MAX
#define IDENTITY AS_REAL(0xfff0000000000000)
#elif IS_DOUBLE
#define IDENTITY ((element)(AS_REAL(0x8000000000000000)))
#elif IS_FLOAT && REDUCE == CLND_REDUCE_MIN
#define IDENTITY INFINITY
#elif IS_FLOAT && REDUCE == CLND_REDUCE_MAX
#define IDENTITY (-INFINITY)
#elif IS_FLOAT || IS_COMPLEX
#define IDENTITY ((element)(-0.0f))
#elif REDUCE == CLND_REDUCE_ADD || REDUCE == CLND_REDUCE_SUB
#define IDENTITY 0
#elif REDUCE == CLND_REDUCE_MUL
#define IDENTITY 1
#elif DTYPE == CLND_KIND_INT8
#define IDENTITY (REDUCE == CLND_REDUCE_MIN ? CHAR_MAX : CHAR_MIN)
#elif DTYPE == CLND_KIND_INT16
#define IDENTITY (REDUCE == CLND_REDUCE_MIN ? SHRT_MAX : SHRT_MIN)
#elif DTYPE == CLND_KIND_INT32
#define IDENTITY (REDUCE == CLND_REDUCE_MIN ? INT_MAX : INT_MIN)
#elif DTYPE == CLND_KIND_INT64
#define IDENTITY (REDUCE == CLND_REDUCE_MIN ? LONG_MAX : LONG_MIN)
#else
#define IDENTITY ((element)(REDUCE == CLND_REDUCE_MIN ? ULONG_MAX : 0))
#endif

// Whether combining with `value` would change nothing.
static inline bool is_identity(element value)
{
#if IS_COMPLEX
    const element identity = IDENTITY;
    return AS_REAL_BITS(value.x) == AS_REAL_BITS(identity.x) &&
           AS_REAL_BITS(value.y) == AS_REAL_BITS(identity.y);
#elif IS_FLOAT
    return AS_REAL_BITS(value) == AS_REAL_BITS((element)IDENTITY);
#else
    return value == IDENTITY;
#endif
}

// An element and what a copy has gathered of its updates. Differences have been taken off the
// identity, so the sign is turned once more.
static inline element merge(element old, element gathered)
{
    if (is_identity(gathered))
        return old;
#if REDUCE == CLND_REDUCE_SUB
    return combine(old, combine(IDENTITY, gathered));
#else
    return combine(old, gathered);
#endif
}

static inline void merge_into(__global uchar *at, element gathered)
{
    if (is_identity(gathered))
        return;
#if DTYPE == CLND_KIND_BOOL
    store_target(at, merge(load_target(at) != 0, gathered));
#else
    store_target(at, merge(load_target(at), gathered));
#endif
}

#if !LANES

__kernel void private_blocks(__global uchar *restrict copies, __global const uchar *indices,
                             __global const uchar *restrict dense,
                             clnd_move_args args GATE_PARAMETER)
{
    const range rows = rows_of_item(&args);
    __global uchar *copy = copies + args.part_first + get_global_id(1) * COPIES * args.part_bytes;
    const long elements = COPIES * args.part_bytes / (long)sizeof(element);
    VECTORS_OF(element)
    for (long i = 0; i < elements; ++i)
        store_element(copy + i * sizeof(element), IDENTITY);
    const range columns = {0, args.columns, 1};
#if COORDINATES
    const bool good = combine_rows(copy, indices, dense, &args, rows, columns, true);
#else
    const bool good = combine_each(copy, indices, dense, &args, rows, columns, EVERYWHERE);
#endif
    SHUT_GATE_IF(args.gate, !good);
}

// Where the step is known compilers make vectors, and masks of the branch in merge_into(). To store
// all elements would change a signalling NaN without updates: what is chosen may be added as well.
static inline void merge_run(__global uchar *to, long step, const element *gathered, long count,
                             bool zeroes)
{
    for (long i = 0; i < count; ++i)
        if (zeroes)
            store_target(to + i * step, merge((element)(0), gathered[i]));
        else
            merge_into(to + i * step, gathered[i]);
}

// Columns at a time, so that the copies are read in runs.
#define MERGE_COLUMNS 256

__kernel void private_merge(__global uchar *restrict data, __global const uchar *restrict copies,
                            clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range columns = columns_of_item(&args);
    const bool zeroes = args.part_first;
    for (long column = columns.first; column < columns.last;) {
        const column_run s = find_columns(&args, column, min(column + MERGE_COLUMNS, columns.last));
        __global const uchar *from = copies + args.dense_offset + s.dense;
        element gathered[MERGE_COLUMNS];
        VECTORS_OF(element)
        for (long i = 0; i < s.count; ++i)
            gathered[i] = load_element(from + i * sizeof(element));
        for (long copy = 1; copy < args.rows; ++copy) {
            from += args.part_bytes;
            VECTORS_OF(element)
            for (long i = 0; i < s.count; ++i)
                gathered[i] = merge(gathered[i], load_element(from + i * sizeof(element)));
        }
        __global uchar *to = data + args.data_offset + s.data;
        if (s.data_step == UPDATE_SIZE)
            merge_run(to, UPDATE_SIZE, gathered, s.count, zeroes);
        else
            merge_run(to, s.data_step, gathered, s.count, zeroes);
        column += s.count;
    }
}

#else

// Rows, and copies, that a lane loads before it needs the first.
#define ROWS_AHEAD   (SMALL ? 8 : 4)
#define COPIES_AHEAD (IS_DOUBLE && IS_COMPLEX ? 8 : 16)

#define LOCAL_ELEMENTS (LOCAL_KIB * 1024u / (uint)sizeof(element))

// Bytes from the start of a row to one of its columns, in data and in dense.
#if COORDINATES
#define FIND_COLUMN(column)                                                                        \
    const clnd_axis_args inner = args.axes[CLND_SLICE_AXIS(0)];                                    \
    const offset data_at = (column) * (offset)inner.data, dense_at = (column) * (offset)inner.dense;
#else
#define FIND_COLUMN(column)                                                                        \
    const column_run run = find_columns(&args, column, args.columns);                              \
    const offset data_at = (offset)run.data, dense_at = (offset)run.dense;
#endif

static inline void find_rows_ahead(const clnd_move_args *args, offset row, range rows,
                                   row_start *starts, bool *taken)
{
#pragma unroll
    for (int i = 0; i < ROWS_AHEAD; ++i) {
        taken[i] = row + i * rows.step < rows.last;
        starts[i] = find_row(args, taken[i] ? row + i * rows.step : row);
    }
}

static inline void merge_copies(__global element *out, __local const element *copies, uint elements,
                                uint n)
{
    for (uint i = get_local_id(0); i < elements; i += get_local_size(0)) {
        element gathered = copies[i];
        for (uint other = 1; other < n; ++other)
            gathered = merge(gathered, copies[other * (elements + 1) + i]);
        out[i] = gathered;
    }
}

// Atomics on one element wait for one another, so the group keeps as many copies as there is room
// for, and neighbouring rows go into different ones. One unused element between two copies puts
// their elements of the same number into different banks.
__kernel void private_lanes(__global uchar *copies, __global const uchar *indices,
                            __global const uchar *dense, clnd_move_args args GATE_PARAMETER)
{
    // Aligned, because small elements are swapped in words of 32 bits.
    __local element copies_here[LOCAL_ELEMENTS] __attribute__((aligned(4)));
    const uint elements = (uint)(args.part_bytes / (long)sizeof(element));
    const uint lane = get_local_id(0), lanes = get_local_size(0), shift = (uint)args.lanes_shift;
    const uint n_here = max(min(LOCAL_ELEMENTS / (elements + 1), lanes >> shift), 1u);
    __local element *own = copies_here + (lane >> shift) % n_here * (elements + 1);
    for (uint i = lane; i < LOCAL_ELEMENTS; i += lanes)
        copies_here[i] = IDENTITY;
    barrier(CLK_LOCAL_MEM_FENCE);

    const range rows = {(offset)(get_global_id(0) >> shift), (offset)args.rows,
                        (offset)(get_global_size(0) >> shift)};
    const range columns = {(offset)(lane & ((1u << shift) - 1)), (offset)args.columns,
                           (offset)1 << shift};
    for (offset row = rows.first; row < rows.last; row += ROWS_AHEAD * rows.step) {
        row_start starts[ROWS_AHEAD];
        bool taken[ROWS_AHEAD];
        find_rows_ahead(&args, row, rows, starts, taken);
        for (offset column = columns.first; column < columns.last; column += columns.step) {
            FIND_COLUMN(column)
            element values[ROWS_AHEAD];
            offset selected[ROWS_AHEAD];
#pragma unroll // the updates with the indices, not behind them: a lane mostly has one column
            for (int i = 0; i < ROWS_AHEAD; ++i)
                values[i] = load_update(dense + starts[i].dense + dense_at);
#pragma unroll
            for (int i = 0; i < ROWS_AHEAD; ++i) {
                const offset found = select_row(&args, indices, starts[i]);
                selected[i] = taken[i] ? found : BAD_ROW;
            }
#pragma unroll
            for (int i = 0; i < ROWS_AHEAD; ++i)
                if (selected[i] != BAD_ROW)
                    atomic_combine((__local uchar *)own + (uint)(selected[i] + data_at), values[i]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    merge_copies((__global element *)(copies + args.part_first + get_group_id(0) * args.part_bytes),
                 copies_here, elements, n_here);
}

__kernel GROUP_OF_LANES void private_merge(__global uchar *restrict data,
                                           __global const uchar *restrict copies,
                                           clnd_move_args args GATE_PARAMETER)
{
    __local element parts[CLND_LANES];
    const long lane = get_local_id(0);
    const long width = 1L << args.lanes_shift;
    const long column = get_group_id(0) * width + (lane & (width - 1));
    // Not a return: behind one, PoCL 3.1 gets barriers wrong.
    const bool inside = column < (GATE_IS_SHUT ? 0 : args.columns);
    const column_run s = find_columns(&args, inside ? column : 0, args.columns);
    __global const uchar *from = copies + args.dense_offset + s.dense;
    const long last = inside ? args.rows : 0, step = CLND_LANES >> args.lanes_shift;
    element gathered = IDENTITY;
    for (long copy = lane >> args.lanes_shift; copy < last; copy += COPIES_AHEAD * step) {
        // Behind the last one: that one, which is not merged once more.
        element values[COPIES_AHEAD];
#pragma unroll
        for (long i = 0; i < COPIES_AHEAD; ++i)
            values[i] = load_element(from + min(copy + i * step, last - 1) * args.part_bytes);
#pragma unroll
        for (long i = 0; i < COPIES_AHEAD; ++i)
            gathered = copy + i * step < last ? merge(gathered, values[i]) : gathered;
    }
    parts[lane] = gathered;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (!inside || lane >= width)
        return;
    for (long other = lane + width; other < CLND_LANES; other += width)
        gathered = merge(gathered, parts[other]);
    merge_into(data + args.data_offset + s.data, gathered);
}

#endif
