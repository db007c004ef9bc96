// SPDX-License-Identifier: Apache-2.0
//
// Data and indices for tools/gpu/kit_cuda.py.

static uint mixed(uint x)
{
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    return x ^ (x >> 16);
}

__kernel void fill_words(__global uint *out, ulong n)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0))
        out[i] = mixed((uint)i);
}

// Tuples of `depth` values below the extents; in `hot` of 2^32 tuples all are 0. Values of 64 bits
// are two words.
__kernel void fill_indices(__global uint *out, ulong n, uint wide, uint depth, uint first,
                           uint second, uint third, uint hot)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        const uint k = (uint)(i % depth);
        const uint extent = k == 0 ? first : k == 1 ? second : third;
        const bool is_hot = mixed((uint)(i / depth) ^ 0x5bd1e995U) < hot;
        const uint value = is_hot ? 0 : mul_hi(mixed((uint)i + 1), extent);
        out[i << wide] = value;
        if (wide)
            out[2 * i + 1] = 0;
    }
}
