// SPDX-License-Identifier: Apache-2.0
//
// scatter_reduce: data[o + selected(o) + s] (reduce)= dense[o, s]. Bad rows are dropped.
//
// Arguments     data, indices, dense, args. A column is one element.
// Options       -DDTYPE, -DREDUCE, -DWIDE (reduce.clh), -DATOMIC (atomic_word.clh), -DCOORDINATES,
//               -DCOLUMNS (in_order.clh; not with ATOMIC or LANES), -DINDEX, -DLANES, -DSMALL
//               (common.clh)
// -DPACK=2      int16, uint16, float16, bfloat16: columns are pairs, one for each word of data
// -DPACK=2, 4   float32: a column is so many elements, at a multiple of their size
//
// scatter_reduce        all rows at once. Work size as gather.
// scatter_reduce_owner  each work-item owns the rows of data that begin in its part, and its block
//                       of columns, and takes all rows in order: the serial loop's result.
//                       Work size: groups of 1 x 1; blocks of columns along dimension 0, parts
//                       along 1.

#if PACK > 1 && HALF_ELEMENTS
// Pairs are elements that share an aligned word. Where the run of elements begins in the middle of
// one, or ends there, one of the pair is not the run's; and the last pair may be none.
static inline void combine_columns(const clnd_move_args *args, long column, __global uchar *to,
                                   __global const uchar *from, stretch s)
{
    const clnd_axis_args inner = args->axes[CLND_SLICE_AXIS(0)];
    const long pair = args->n_slice > 1 ? column % inner.size : column;
    const long dense_step = s.dense_step / 2;
    const long before = (ulong)to & 2 ? 1 : 0;
    to -= before * sizeof(element);
    from -= before * dense_step;
    for (long i = 0; i < s.count; ++i) {
        const long low = 2 * (pair + i) - before;
        const bool has_low = is_inside(low, inner.index),
                   has_high = is_inside(low + 1, inner.index);
        __global uchar *at = to + i * s.data_step;
        __global const uchar *update = from + i * s.dense_step;
        if (has_low && has_high)
            atomic_combine_pair(at, load_update(update), load_update(update + dense_step));
        else if (has_low)
            atomic_combine(at, load_update(update));
        else if (has_high)
            atomic_combine(at + sizeof(element), load_update(update + dense_step));
    }
}
#else
static inline void combine_columns(const clnd_move_args *args, long column, __global uchar *to,
                                   __global const uchar *from, stretch s)
{
    for (long i = 0; i < s.count; ++i) {
#if PACK > 1
        atomic_combine_pack(to + i * s.data_step, from + i * s.dense_step);
#elif ATOMIC
        atomic_combine(to + i * s.data_step, load_update(from + i * s.dense_step));
#else
        combine_plainly(to + i * s.data_step, load_update(from + i * s.dense_step));
#endif
    }
}
#endif

__kernel void scatter_reduce(__global uchar *restrict data, __global const uchar *indices,
                             __global const uchar *restrict dense,
                             clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range rows = rows_of_item(&args);
    const range columns = columns_of_item(&args);
#if COORDINATES
    const range everywhere = {0, LONG_MAX, 1};
    combine_own_rows(data, indices, dense, &args, rows, columns, everywhere);
#else
    for (long row = rows.first; row < rows.last; row += rows.step) {
        const row_place place = find_row(&args, row);
        const long selected = select_row(&args, indices, place);
        if (selected == BAD_ROW)
            continue;
        for (long column = columns.first; column < columns.last;) {
            const stretch s = find_stretch(&args, column, columns.last);
            combine_columns(&args, column, data + selected + s.data, dense + place.dense + s.dense,
                            s);
            column = next_column(columns, column, s);
        }
    }
#endif
}

__kernel void scatter_reduce_owner(__global uchar *restrict data, __global const uchar *indices,
                                   __global const uchar *restrict dense,
                                   clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range columns = columns_of_item(&args);
    const range part = part_of_item(&args);
#if COORDINATES
    const range rows = {0, args.rows, 1};
    combine_own_rows(data, indices, dense, &args, rows, columns, part);
#else
    for (long row = 0; row < args.rows; ++row) {
        const row_place place = find_row(&args, row);
        const long selected = select_row(&args, indices, place);
        if (selected < part.first || selected >= part.last)
            continue;
        for (long column = columns.first; column < columns.last;) {
            const stretch s = find_stretch(&args, column, columns.last);
            combine_stretch(data + selected + s.data, dense + place.dense + s.dense, s);
            column = next_column(columns, column, s);
        }
    }
#endif
}
