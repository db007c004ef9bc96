// SPDX-License-Identifier: Apache-2.0
//
// A pass of a stable radix sort, from the lowest digit up. sort_keys has counted for the first one.
//
// Arguments     workspace, args
// Options       -DKEY (sort.clh)
//
// sort_count  how often each digit is among the keys of a block.
//             Work size: groups of CLND_LANES x 1; one for each block.
// sort_scan   counts become the number of keys with the same digit in the blocks before; totals,
//             the number in all of them. Work size: groups of CLND_LANES x 1; one for each digit.
// sort_place  moves keys and rows to where they belong. Each tile is put in order in local memory
//             first, so that the stores are coalesced. Work size as sort_count.

// The keys of this work-group: none for blocks that only bad rows had filled.
static inline range keys_of_group(__global const uchar *workspace, const clnd_sort_args *args)
{
    const long all = args->first ? args->rows : *(__global const uint *)(workspace + args->kept);
    const long first = get_group_id(0) * args->block;
    const range keys = {first, min(first + args->block, all), CLND_LANES};
    return keys;
}

__kernel GROUP_OF_LANES void sort_count(__global uchar *workspace, clnd_sort_args args)
{
    __local uint counts[SORT_DIGITS];
    __global const sort_key *keys = (__global const sort_key *)(workspace + args.keys_from);
    const range mine = keys_of_group(workspace, &args);
    clear_counts(counts);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long i = mine.first + get_local_id(0); i < mine.last; i += mine.step)
        atomic_inc(&counts[digit_of(keys[i], args.shift, args.digit_bits)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    store_counts((__global uint *)(workspace + args.counts), counts, args.digit_bits);
}

typedef struct lane_sums {
    uint before; // sum of the values of the lanes before
    uint all;
} lane_sums;

// `sums` has room for twice CLND_LANES.
INLINED lane_sums add_lanes(uint value, __local uint *sums)
{
    const uint lane = get_local_id(0);
    uint sum = value;
    uint part = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < CLND_LANES; step *= 2) {
        if (lane >= step)
            sum += sums[part + lane - step];
        part ^= CLND_LANES;
        sums[part + lane] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const lane_sums result = {sum - value, sums[part + CLND_LANES - 1]};
    return result;
}

__kernel GROUP_OF_LANES void sort_scan(__global uchar *workspace, clnd_sort_args args)
{
    __local uint sums[2 * CLND_LANES];
    const uint digit = get_group_id(0);
    __global uint *counts = (__global uint *)(workspace + args.counts) + digit * args.blocks;
    const long run = (args.blocks + CLND_LANES - 1) / CLND_LANES;
    const long first = min((long)get_local_id(0) * run, args.blocks);
    const long last = min(first + run, args.blocks);
    uint count = 0;
    for (long block = first; block < last; ++block)
        count += counts[block];
    const lane_sums lanes = add_lanes(count, sums);
    uint before = lanes.before;
    for (long block = first; block < last; ++block) {
        const uint here = counts[block];
        counts[block] = before;
        before += here;
    }
    if (get_local_id(0) == 0)
        ((__global uint *)(workspace + args.totals))[digit] = lanes.all;
}

// Digits that a lane looks after.
#define OWN_DIGITS (SORT_DIGITS / CLND_LANES)

// Lanes that hold the same digit find one another by a bit for each lane.
#define MASKS (CLND_LANES / 32)

typedef struct tile_memory {
    uint next[SORT_DIGITS]; // position in the tile of the next key with this digit
    uint move[SORT_DIGITS]; // from there to its position among all keys
    uint masks[SORT_DIGITS * MASKS];
    uint sums[2 * CLND_LANES];
    sort_key keys[SORT_TILE];
    uint rows[SORT_TILE];
} tile_memory;

// A key on its way, with its row. `here`: there is one.
typedef struct traveller {
    sort_key key;
    uint row;
    bool here;
} traveller;

static inline traveller load_key(__global const uchar *workspace, const clnd_sort_args *args,
                                 long i, long last)
{
    traveller t = {NO_KEY, 0, false};
    if (i < last) {
        t.key = ((__global const sort_key *)(workspace + args->keys_from))[i];
        t.row = args->first ? (uint)i : ((__global const uint *)(workspace + args->rows_from))[i];
        t.here = t.key != NO_KEY;
    }
    return t;
}

// Where the keys of this work-group go, digit by digit; sets `kept` in the first pass.
INLINED void find_positions(__global uchar *workspace, const clnd_sort_args *args,
                            __local uint *sums, uint *positions)
{
    __global const uint *counts = (__global const uint *)(workspace + args->counts);
    __global const uint *totals = (__global const uint *)(workspace + args->totals);
    const uint digits = 1u << args->digit_bits;
    const uint own = get_local_id(0) * OWN_DIGITS;
    uint all = 0;
    for (uint i = 0; i < OWN_DIGITS; ++i) {
        positions[i] = all;
        if (own + i < digits) {
            positions[i] += counts[(own + i) * args->blocks + get_group_id(0)];
            all += totals[own + i];
        }
    }
    const lane_sums lanes = add_lanes(all, sums);
    for (uint i = 0; i < OWN_DIGITS; ++i)
        positions[i] += lanes.before;
    if (args->first && get_group_id(0) == 0 && get_local_id(0) == 0)
        *(__global uint *)(workspace + args->kept) = lanes.all;
}

// Counts the tile's digits and makes positions of the counts. Returns the number of keys.
INLINED uint open_tile(__global const uchar *workspace, const clnd_sort_args *args, range mine,
                       long tile, __local tile_memory *memory, uint *positions)
{
    const uint lane = get_local_id(0);
    const uint own = lane * OWN_DIGITS;
    const long last = min(tile + SORT_TILE, mine.last);
    for (uint i = 0; i < OWN_DIGITS; ++i)
        memory->next[own + i] = 0;
    for (uint i = 0; i < OWN_DIGITS * MASKS; ++i)
        memory->masks[own * MASKS + i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __global const sort_key *keys = (__global const sort_key *)(workspace + args->keys_from);
    for (long i = tile + lane; i < last; i += CLND_LANES)
        if (keys[i] != NO_KEY)
            atomic_inc(&memory->next[digit_of(keys[i], args->shift, args->digit_bits)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint count = 0;
    for (uint i = 0; i < OWN_DIGITS; ++i)
        count += memory->next[own + i];
    const lane_sums lanes = add_lanes(count, memory->sums);
    uint next = lanes.before;
    for (uint i = 0; i < OWN_DIGITS; ++i) {
        const uint here = memory->next[own + i];
        memory->next[own + i] = next;
        memory->move[own + i] = positions[i] - next;
        next += here;
        positions[i] += here;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return lanes.all;
}

// Puts the tile in order in local memory: CLND_LANES keys an iteration, each behind those of the
// same digit that came before.
INLINED void order_tile(__global const uchar *workspace, const clnd_sort_args *args, range mine,
                        long tile, __local tile_memory *memory)
{
    const uint lane = get_local_id(0);
    const uint word = lane / 32;
    const uint bit = 1u << lane % 32;
    const long last = min(tile + SORT_TILE, mine.last);
    traveller t = load_key(workspace, args, tile + lane, last);
    for (long first = tile; first < last; first += CLND_LANES) {
        const traveller after = load_key(workspace, args, first + CLND_LANES + lane, last);
        const uint digit = digit_of(t.key, args->shift, args->digit_bits);
        __local uint *masks = &memory->masks[digit * MASKS];
        uint before = 0;
        uint all = 0;
        if (t.here)
            atomic_or(&masks[word], bit);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t.here) {
            for (uint i = 0; i < MASKS; ++i) {
                const uint mask = masks[i];
                all += popcount(mask);
                before += popcount(i < word ? mask : i == word ? mask & (bit - 1u) : 0u);
            }
            const uint position = memory->next[digit] + before;
            memory->keys[position] = t.key;
            memory->rows[position] = t.row;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t.here && before == 0) {
            memory->next[digit] += all;
            for (uint i = 0; i < MASKS; ++i)
                masks[i] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        t = after;
    }
}

__kernel GROUP_OF_LANES void sort_place(__global uchar *workspace, clnd_sort_args args)
{
    __local tile_memory memory;
    __global sort_key *keys = (__global sort_key *)(workspace + args.keys_to);
    __global uint *rows = (__global uint *)(workspace + args.rows_to);
    uint positions[OWN_DIGITS];
    const range mine = keys_of_group(workspace, &args);
    find_positions(workspace, &args, memory.sums, positions);
    for (long tile = mine.first; tile < mine.last; tile += SORT_TILE) {
        const uint n = open_tile(workspace, &args, mine, tile, &memory, positions);
        order_tile(workspace, &args, mine, tile, &memory);
        for (uint i = get_local_id(0); i < n; i += CLND_LANES) {
            const sort_key key = memory.keys[i];
            const uint position = i + memory.move[digit_of(key, args.shift, args.digit_bits)];
            keys[position] = key;
            rows[position] = memory.rows[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
