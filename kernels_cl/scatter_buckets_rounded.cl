// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of 16-bit floats through buckets (scatter_buckets.cl), rounded once: a part's
// rows are sorted by the location that they select, so that an element meets all of its updates one
// after the other, as float32. All rows are one chunk.
//
// Behind the table in the workspace there are two lists of as many rows as the chunk has. A part
// has as much of each as it has rows.
//
// bucket_round   Arguments  data, workspace, dense, args
//                Options    -DSMALL, -DDTYPE of a 16-bit float, -DREDUCE, -DCOLUMNS (in_order.clh),
//                           -DWIDE=CLND_SUMS_ROUNDED (reduce.clh)
//                Work size  groups of 1 x 1; parts along dimension 1

typedef struct placed_row {
    uint location; // in the part, in steps of 1 << move.lanes_shift bytes
    uint row;      // from the chunk's first on
} placed_row;

// Bits of a location that one pass of the sort goes by: an entry has at most twice as many.
#define DIGIT_BITS ((32 - CLND_BUCKET_ROW_BITS) / 2)

static inline __global placed_row *list_of(__global uchar *workspace, const clnd_bucket_args *args,
                                           long number)
{
    return (__global placed_row *)starts_of(workspace, args, args->parts + 2) +
           number * (args->move.rows - args->move.first_row);
}

static inline uint location_of(uint entry)
{
    return entry >> CLND_BUCKET_ROW_BITS;
}

static inline void count_to_starts(uint *counts, uint n)
{
    uint start = 0;
    for (uint i = 0; i < n; ++i) {
        const uint count = counts[i];
        counts[i] = start;
        start += count;
    }
}

// Finds where the part's rows with each value of the lower and of the upper digit begin. Returns
// how many rows the parts before this one have.
static inline long find_starts(__global uchar *workspace, const clnd_bucket_args *args, long part,
                               uint bits, uint *low, uint *high)
{
    const long blocks = count_blocks(args);
    __global const uint *starts = starts_of(workspace, args, part);
    __global const uint *ends = starts_of(workspace, args, part + 1);
    const uint values = 1u << bits;
    for (uint i = 0; i < values; ++i)
        low[i] = high[i] = 0;
    long before = 0;
    for (long block = 0; block < blocks; ++block) {
        __global const uint *entries = entries_of(workspace, args, block);
        before += starts[block];
        for (uint at = starts[block]; at < ends[block]; ++at) {
            ++low[location_of(entries[at]) & (values - 1)];
            ++high[location_of(entries[at]) >> bits];
        }
    }
    count_to_starts(low, values);
    count_to_starts(high, values);
    return before;
}

typedef struct sorted_part {
    __global const placed_row *rows;
    long count;
} sorted_part;

// Sorts the part's rows by their locations, those of one location in row order: a radix sort, by
// the lower digit first.
static inline sorted_part sort_part(__global uchar *workspace, const clnd_bucket_args *args,
                                    long part)
{
    const uint location_bits = 63 - (uint)clz(args->move.part_bytes >> args->move.lanes_shift);
    const bool twice = location_bits > DIGIT_BITS;
    const uint bits = twice ? (location_bits + 1) / 2 : location_bits;
    uint low[1 << DIGIT_BITS], high[1 << DIGIT_BITS];
    const long before = find_starts(workspace, args, part, bits, low, high);

    const long blocks = count_blocks(args);
    __global const uint *starts = starts_of(workspace, args, part);
    __global const uint *ends = starts_of(workspace, args, part + 1);
    __global placed_row *half_sorted = list_of(workspace, args, 0) + before;
    long count = 0;
    for (long block = 0; block < blocks; ++block) {
        __global const uint *entries = entries_of(workspace, args, block);
        const uint first_row = (uint)block << CLND_BUCKET_ROW_BITS;
        count += ends[block] - starts[block];
        for (uint at = starts[block]; at < ends[block]; ++at) {
            const uint location = location_of(entries[at]);
            const uint row = first_row | (entries[at] & (CLND_BUCKET_BLOCK - 1));
            const placed_row placed = {location, row};
            half_sorted[low[location & ((1u << bits) - 1)]++] = placed;
        }
    }
    if (!twice)
        return (sorted_part){half_sorted, count};
    __global placed_row *sorted = list_of(workspace, args, 1) + before;
    for (long i = 0; i < count; ++i)
        sorted[high[half_sorted[i].location >> bits]++] = half_sorted[i];
    return (sorted_part){sorted, count};
}

// Elements whose sums are held at once.
#define HELD 256

// Runs EIGHT(i) for each eight elements of a contiguous run, and ONE(i, step) for the others. The
// loop with a constant step is there because compilers vectorise it.
#define EACH_ELEMENT(n, step, EIGHT, ONE)                                                          \
    long i = 0;                                                                                    \
    for (; EIGHT_AT_A_TIME && step == 2 && i + 8 <= n; i += 8)                                     \
        EIGHT(i);                                                                                  \
    for (; step == 2 && i < n; ++i)                                                                \
        ONE(i, 2);                                                                                 \
    for (; i < n; ++i) {                                                                           \
        ONE(i, step);                                                                              \
    }

#if EIGHT_AT_A_TIME
#define EIGHT_OF(i)      (*(any_float8 *)(sums + (i)))
#define LOAD_EIGHT(i)    EIGHT_OF(i) = widen_eight(from + (i)*2)
#define COMBINE_EIGHT(i) EIGHT_OF(i) = combine_eight(EIGHT_OF(i), widen_eight(from + (i)*2))
#define STORE_EIGHT(i)   narrow_eight(to + (i)*2, EIGHT_OF(i))
#else
#define LOAD_EIGHT(i)
#define COMBINE_EIGHT(i)
#define STORE_EIGHT(i)
#endif

static inline void load_targets(__global const uchar *from, long step, long n, float *sums)
{
#define LOAD_ONE(i, step) sums[i] = load_target(from + (i) * (step))
    EACH_ELEMENT(n, step, LOAD_EIGHT, LOAD_ONE);
}

static inline void combine_updates(__global const uchar *from, long step, long n, float *sums)
{
#define COMBINE_ONE(i, step) sums[i] = combine(sums[i], load_update(from + (i) * (step)))
    EACH_ELEMENT(n, step, COMBINE_EIGHT, COMBINE_ONE);
}

static inline void store_targets(float *sums, long n, __global uchar *to, long step)
{
#define STORE_ONE(i, step) store_target(to + (i) * (step), sums[i])
    EACH_ELEMENT(n, step, STORE_EIGHT, STORE_ONE);
}

COMPILED_ONCE void round_part(__global uchar *restrict data, __global uchar *restrict workspace,
                              __global const uchar *restrict dense,
                              const clnd_bucket_args *restrict args, long part)
{
    const long update_step = args->update_step;
    data = begin_part(data, args, part);
    dense = first_update(dense, args);
    const column_run s = find_columns(&args->move, 0, args->move.columns);
#if COLUMNS
    const long columns = COLUMNS, data_step = 2, dense_step = 2;
#else
    const long columns = s.count, data_step = s.data_step, dense_step = s.dense_step;
#endif
    data += s.data;
    dense += s.dense;
    const long bytes = columns * 2, ahead = rows_at_once(bytes, false);
    const long updates_fetched = bytes_ahead(dense, bytes, false),
               fetched = bytes_ahead(data, bytes, true);
    const sorted_part sorted = sort_part(workspace, args, part);
    for (long first = 0, last; first < sorted.count; first = last) {
        const uint location = sorted.rows[first].location;
        for (last = first + 1; last < sorted.count && sorted.rows[last].location == location;)
            ++last;
        __global uchar *to = data + ((long)location << args->move.lanes_shift);
        for (long column = 0; column < columns; column += HELD) {
            const long n = min(columns - column, (long)HELD);
            float sums[HELD];
            load_targets(to + column * data_step, data_step, n, sums);
            for (long i = first; i < last; ++i) {
                const placed_row next = sorted.rows[min(i + ahead, sorted.count - 1)];
                if (column == 0) {
                    FETCH_ROW(FETCH_AHEAD, dense + next.row * update_step, bytes, updates_fetched);
                    FETCH_ROW(FETCH_AHEAD_TO_WRITE,
                              data + ((long)next.location << args->move.lanes_shift), bytes,
                              fetched);
                }
                const long row = sorted.rows[i].row;
                combine_updates(dense + row * update_step + column * dense_step, dense_step, n,
                                sums);
            }
            store_targets(sums, n, to + column * data_step, data_step);
        }
    }
}

__kernel void bucket_round(__global uchar *restrict data, __global uchar *restrict workspace,
                           __global const uchar *restrict dense,
                           clnd_bucket_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    round_part(data, workspace, dense, &args, get_global_id(1));
}
