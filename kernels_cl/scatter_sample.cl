// SPDX-License-Identifier: Apache-2.0
//
// sample_rows: looks at CLND_HOT_SAMPLE rows, or all if they are fewer, and leaves word whether
// many of them select one location. It is hot then: atomic operations on it wait for one another.
//
// Arguments     indices, workspace, args
// Options       -DINDEX, -DLANES=1, -DSMALL=1 (common.clh), -DGATED=1: it says where a row is bad
// Work size     one group of CLND_SAMPLE_LANES x 1

// Locations may share a counter by chance. With as many counters as rows that is rare enough not to
// make a location look hot that is far from it.
#define COUNTERS CLND_HOT_SAMPLE

// Any bits of the result depend on all bits of the value (MurmurHash3's finaliser).
static inline ulong scramble(ulong value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdUL;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53UL;
    return value ^ value >> 33;
}

// Rows are divided into sections of one length, give or take a row, and one row of each is taken,
// at random: indices that repeat at regular distances would look alike if it were always the first.
static inline long sampled_row(uint i, uint sampled, long length, uint rest)
{
    const long first = i * length + i * rest / sampled;
    return first + (long)mul_hi(scramble(i), (ulong)length);
}

#define GROUP_OF_SAMPLE __attribute__((reqd_work_group_size(CLND_SAMPLE_LANES, 1, 1)))

__kernel GROUP_OF_SAMPLE void sample_rows(__global const uchar *indices, __global uchar *workspace,
                                          clnd_sample_args args GATE_PARAMETER)
{
    __local uint counts[COUNTERS];
    __local uint most;
    const uint sampled = (uint)min(args.move.rows, (long)CLND_HOT_SAMPLE);
    const long length = args.move.rows / sampled;
    const uint rest = (uint)(args.move.rows - length * sampled);
    for (uint i = get_local_id(0); i < COUNTERS; i += CLND_SAMPLE_LANES)
        counts[i] = 0;
    if (get_local_id(0) == 0)
        most = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint seen = 0;
    for (uint i = get_local_id(0); i < sampled; i += CLND_SAMPLE_LANES) {
        const long row = sampled_row(i, sampled, length, rest);
        const long selected = select_row(&args.move, indices, find_row(&args.move, row));
        if (selected != BAD_ROW)
            seen = max(seen, atomic_inc(&counts[scramble((ulong)selected) % COUNTERS]) + 1u);
    }
    atomic_max(&most, seen);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        ((__global uint *)workspace)[args.decision] = GATE_IS_SHUT ? CLND_SAMPLE_REFUSED
                                                      : (long)most * args.share >= sampled
                                                          ? CLND_SAMPLE_HOT
                                                          : CLND_SAMPLE_COLD;
}
