// SPDX-License-Identifier: Apache-2.0
//
// 16-bit floats to float32 and back, for sums that are rounded once.
//
// Arguments     narrow, wide, args: elements of both that correspond
// Options       -DDTYPE of a 16-bit float (reduce.clh)
// Work size     any; work-items take the elements by turns
//
// widen   wide = narrow
// narrow  narrow = wide, but only where wide is no longer what narrow widens to: an element without
//         updates keeps its bits, also the payload of a NaN.

__kernel void widen(__global const uchar *narrow, __global uchar *wide,
                    clnd_widen_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    __global float *target = (__global float *)(wide + args.wide_offset);
    __global const ushort *source = (__global const ushort *)(narrow + args.offset);
    for (long i = get_global_id(0); i < args.count; i += get_global_size(0))
        target[i] = WIDEN(source[i]);
}

__kernel void narrow(__global uchar *narrow, __global const uchar *wide,
                     clnd_widen_args args GATE_PARAMETER)
{
    if (GATE_IS_SHUT)
        return;
    __global const float *source = (__global const float *)(wide + args.wide_offset);
    __global ushort *target = (__global ushort *)(narrow + args.offset);
    for (long i = get_global_id(0); i < args.count; i += get_global_size(0)) {
        const float value = source[i];
        if (as_uint(value) != as_uint(WIDEN(target[i])))
            target[i] = NARROW(value);
    }
}
