// SPDX-License-Identifier: Apache-2.0
//
// scatter_reduce: data[o + selected(o) + s] (reduce)= dense[o, s]. Bad rows are dropped.
//
// Arguments     data, indices, dense, args. A column is one element.
// Options       -DDTYPE, -DREDUCE, -DWIDE (reduce.clh), -DATOMIC (atomic_word.clh), -DCOORDINATES,
//               -DCOLUMNS (in_order.clh; not with ATOMIC or LANES), -DINDEX, -DLANES, -DSMALL
//               (common.clh)
// -DALONE=1     scatter_reduce is one work-item, and places are few: nothing is asked for ahead
// -DPACK=2      int16, uint16, float16, bfloat16: columns are pairs, one for each word of data
// -DPACK=2, 4   float32: a column is so many elements, at a multiple of their size
//
// scatter_reduce        all rows at once. Work size as gather.
// scatter_reduce_owner  each work-item owns the rows of data that begin in its part, and its block
//                       of columns, and takes all rows in order: the serial loop's result.
//                       Work size: groups of 1 x 1; blocks of columns along dimension 0, parts
//                       along 1.

#if COORDINATES
#define combine_own combine_own_rows
#else
#define combine_own combine_each
#endif

__kernel void scatter_reduce(__global uchar *restrict data, __global const uchar *indices,
                             __global const uchar *restrict dense,
                             clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    combine_own(data, indices, dense, &args, rows_of_item(&args), columns_of_item(&args),
                EVERYWHERE);
}

__kernel void scatter_reduce_owner(__global uchar *restrict data, __global const uchar *indices,
                                   __global const uchar *restrict dense,
                                   clnd_move_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    const range all = {0, args.rows, 1};
    combine_own(data, indices, dense, &args, all, columns_of_item(&args), part_of_item(&args));
}
