// SPDX-License-Identifier: Apache-2.0
//
// The counter-based generator that all data follow from (docs/benchmarking.md, "Data"): number i of
// a stream is a function of the stream and of i, so that any program can compute the same data in
// any order.

#ifndef CLND_BENCH_RANDOM_H
#define CLND_BENCH_RANDOM_H

#include <stdint.h>

// The 64-bit finaliser of SplitMix64.
static inline uint64_t random_mix(uint64_t z)
{
    z ^= z >> 30;
    z *= UINT64_C(0xBF58476D1CE4E5B9);
    z ^= z >> 27;
    z *= UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

// Streams are small numbers; another seed means other streams.
static inline uint64_t random_stream(uint64_t seed, uint64_t stream)
{
    return random_mix(stream + (seed << 32));
}

static inline uint64_t random_at(uint64_t mixed_stream, uint64_t i)
{
    return random_mix(mixed_stream + (i + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

// In [0, m).
static inline uint32_t random_below(uint64_t mixed_stream, uint64_t i, uint32_t m)
{
    return (uint32_t)(((random_at(mixed_stream, i) >> 32) * m) >> 32);
}

// In [0, 1).
static inline double random_unit(uint64_t mixed_stream, uint64_t i)
{
    return (double)(random_at(mixed_stream, i) >> 11) * 0x1p-53;
}

#endif
