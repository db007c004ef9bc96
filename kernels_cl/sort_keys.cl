// SPDX-License-Identifier: Apache-2.0
//
// sort_keys: the key of each row, and how often each lowest digit is among those of a block.
//
// Arguments     indices, workspace, args
// Options       -DINDEX, -DLANES=1, -DSMALL (common.clh), -DKEY (sort.clh)
// Work size     groups of CLND_LANES x 1; one for each block

__kernel GROUP_OF_LANES void sort_keys(__global const uchar *indices, __global uchar *workspace,
                                       clnd_sort_keys_args args)
{
    __local uint counts[SORT_DIGITS];
    __global sort_key *keys = (__global sort_key *)(workspace + args.keys);
    const long first = args.move.first_row + get_group_id(0) * args.block;
    const long last = min(first + args.block, args.move.rows);
    clear_counts(counts);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long row = first + get_local_id(0); row < last; row += CLND_LANES) {
        const long selected = select_row(&args.move, indices, find_row(&args.move, row));
        sort_key key = NO_KEY;
        if (selected != BAD_ROW) {
            // An exact division by move.part_bytes.
            const ulong part = (ulong)(selected - args.move.part_first) >> args.step_shift;
            key = (sort_key)(part * (ulong)args.step_inverse);
            atomic_inc(&counts[digit_of(key, 0, args.digit_bits)]);
        }
        keys[row - args.move.first_row] = key;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_counts((__global uint *)(workspace + args.counts), counts, args.digit_bits);
}
