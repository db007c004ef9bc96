// SPDX-License-Identifier: Apache-2.0
//
// scatter: data[o + selected(o) + s] (reduce)= dense[o, s]. Bad rows are dropped.
//
// Arguments     data, indices, dense, args. A column is one element.
// Options       -DREDUCE, -DDTYPE, -DWIDE (reduce.clh), of CLND_REDUCE_UPDATE -DUNIT (units.clh);
//               -DATOMIC (atomic_word.clh), -DINDEX, -DLANES, -DSMALL (common.clh)
//               -DOFFSETS, -DCOORDINATES, -DUNADJUSTED (common.clh), -DCOLUMNS (in_order.clh), of
//               UPDATE -DROW (rows.clh): columns along one axis, of UPDATE contiguous rows. Not
//               with ATOMIC or LANES
//
// scatter        all rows at once. Of updates that meet, without ATOMIC, some unit wins: elements
//                stay whole when a unit holds whole elements, or rows do not meet.
//                Work size as gather.
// scatter_owner  each work-item owns the rows of data that begin in its part, and its block of
//                columns, and takes the rows [args.first_row, args.rows) in order: the serial
//                loop's result, of updates the last one. Work size: groups of 1 x 1; blocks of
//                columns along dimension 0, parts along 1.

// One work-item may have to look at all rows first; not with atomics or lanes.
#if LANES || ATOMIC
#define IS_REFUSED GATE_IS_SHUT
#else
#define IS_REFUSED decides_against(&args, indices, verdict)
#endif

__kernel void scatter(__global uchar *restrict data, __global const uchar *indices,
                      __global const uchar *restrict dense, clnd_move_args args GATE_PARAMETER)
{
    if (IS_REFUSED)
        return;
    const range rows = rows_of_item(&args), columns = columns_of_item(&args);
#if COORDINATES
    if (has_stretches(&args))
        combine_stretches(data, indices, dense, &args, rows, columns);
    else
        combine_rows(data, indices, dense, &args, rows, columns,
                     selected_bytes(&args) <= NEAR_DATA);
#else
    combine_each(data, indices, dense, &args, rows, columns, EVERYWHERE);
#endif
}

__kernel void scatter_owner(__global uchar *restrict data, __global const uchar *indices,
                            __global const uchar *restrict dense,
                            clnd_move_args args GATE_PARAMETER)
{
    if (IS_REFUSED)
        return;
    const range all = {args.first_row, args.rows, 1}, columns = columns_of_item(&args);
#if COORDINATES
    if (get_global_size(1) == 1 && args.part_bytes <= NEAR_TARGET)
        combine_rows(data, indices, dense, &args, all, columns, true);
    else
        combine_own_rows(data, indices, dense, &args, all, columns, part_of_item(&args));
#else
    combine_each(data, indices, dense, &args, all, columns, part_of_item(&args));
#endif
}
