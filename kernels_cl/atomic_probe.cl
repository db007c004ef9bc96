// SPDX-License-Identifier: Apache-2.0
//
// atomic_probe: every work-item adds one and the same update to the same elements of data, in the
// way of kernels. So the sums tell whether that compiles for the device, and adds.
//
// Arguments     data, update: PACK elements, at a multiple of their size; in data one more behind
// Options       -DDTYPE, -DREDUCE, -DWIDE (reduce.clh), -DATOMIC, -DPACK (atomic_word.clh)
//               Work size: groups of 1

__kernel void atomic_probe(__global uchar *data, __global const uchar *update)
{
#if PACK > 1
    atomic_combine_pack(data, *(__global const pack *)update);
#else
    atomic_combine(data, load_update(update));
#endif
    atomic_combine(data + PACK * sizeof(element), load_update(update));
}
