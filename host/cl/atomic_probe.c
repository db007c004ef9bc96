// SPDX-License-Identifier: Apache-2.0

// Which sums of floats the device's own atomics make: the kernels' own code has to add up.

#include <string.h>

#include "clnd/options.h"
#include "host/base/dtype.h"
#include "host/cl/probe.h"
#include "kernels_cl/args.h"

enum { ITEMS = 64, MOST_PACK = 8 };

// 1 and ITEMS in each dtype that is probed. No sum of ones up to ITEMS is rounded.
typedef struct number {
    clnd_dtype dtype;
    uint64_t one, all;
} number;

static const number numbers[] = {
    {CLND_FLOAT32, 0x3f800000, 0x42800000},
    {CLND_FLOAT64, 0x3ff0000000000000, 0x4050000000000000},
    {CLND_FLOAT16, 0x3c00, 0x5400},
    {CLND_BFLOAT16, 0x3f80, 0x4280},
};

int clnd__atomic_way(clnd_atomics_language language)
{
    switch (language) {
    case CLND_ATOMICS_OPENCL:
        return CLND_ATOMIC_OPENCL;
    case CLND_ATOMICS_PTX:
        return CLND_ATOMIC_PTX;
    case CLND_ATOMICS_AMD:
        return CLND_ATOMIC_AMD;
    default:
        return CLND_ATOMIC_LOOP;
    }
}

// Little-endian, as the devices are. The host need not be.
static void write_elements(uint64_t bits, size_t size, int count, unsigned char *bytes)
{
    for (int i = 0; i < count; ++i)
        for (size_t byte = 0; byte < size; ++byte)
            bytes[(size_t)i * size + byte] = (unsigned char)(bits >> 8 * byte);
}

// The sums of the pack and of the element behind it; untouched bytes stay 0.
clnd_status clnd__atomic_probe(cl_context context, cl_device_id device, int way, clnd_dtype dtype,
                               int pack, bool *adds)
{
    unsigned char data[CLND__PROBE_BYTES] = {0}, update[CLND__PROBE_BYTES] = {0};
    unsigned char expected[CLND__PROBE_BYTES] = {0};
    const size_t size = clnd_dtype_size(dtype);
    const number *n = numbers;
    while (n->dtype != dtype)
        ++n;
    write_elements(n->one, size, MOST_PACK, update);
    write_elements(n->all, size, pack + 1, expected);
    const clnd__kernel_options options = {.dtype = (int16_t)clnd__dtype_kind(dtype),
                                          .reduce = CLND_REDUCE_ADD,
                                          .atomic = (int16_t)way,
                                          .pack = (int16_t)pack};
    bool ran;
    const clnd_status status =
        clnd__probe(context, device, "atomic_probe", &options, ITEMS, false, data, update, &ran);
    *adds = ran && memcmp(data, expected, sizeof data) == 0;
    return status;
}

static clnd_status probe_language(cl_context context, cl_device_id device, clnd_device_facts *facts,
                                  clnd_atomics_language language, clnd_float_atomics claims)
{
    clnd_float_atomics *found = &facts->float_atomics;
    const bool by_opencl = language == CLND_ATOMICS_OPENCL;
    const struct {
        bool *fact;
        bool tried;
        clnd_dtype dtype;
        int pack;
        bool *implied; // what needs no probe any more
    } sums[] = {
        {&found->float32_packs, language == CLND_ATOMICS_PTX, CLND_FLOAT32, 4, &found->float32},
        {&found->float16_packs, language == CLND_ATOMICS_PTX, CLND_FLOAT16, MOST_PACK,
         &found->float16},
        {&found->bfloat16_packs, language == CLND_ATOMICS_PTX, CLND_BFLOAT16, MOST_PACK,
         &found->bfloat16},
        {&found->float32, !by_opencl || claims.float32, CLND_FLOAT32, 1, NULL},
        {&found->float64, facts->fp64 && (!by_opencl || claims.float64), CLND_FLOAT64, 1, NULL},
        {&found->float16, !by_opencl || (facts->fp16 && claims.float16), CLND_FLOAT16,
         by_opencl ? 1 : 2, NULL},
        {&found->bfloat16, !by_opencl, CLND_BFLOAT16, 2, NULL},
    };
    memset(found, 0, sizeof *found);
    clnd_status status = CLND_OK;
    for (size_t i = 0; i < sizeof sums / sizeof *sums && !status; ++i) {
        if (sums[i].tried && !*sums[i].fact)
            status = clnd__atomic_probe(context, device, clnd__atomic_way(language), sums[i].dtype,
                                        sums[i].pack, sums[i].fact);
        if (*sums[i].fact && sums[i].implied)
            *sums[i].implied = true;
    }
    const bool any = found->float32 || found->float64 || found->float16 || found->bfloat16;
    found->language = any ? language : CLND_ATOMICS_NONE;
    return status;
}

clnd_status clnd__float_atomics_probe(cl_context context, cl_device_id device,
                                      clnd_device_facts *facts)
{
    const clnd_float_atomics claims = facts->float_atomics;
    clnd_status status = CLND_OK;
    if (claims.language)
        status = probe_language(context, device, facts, claims.language, claims);
    const bool by_vendor =
        claims.language == CLND_ATOMICS_PTX || claims.language == CLND_ATOMICS_AMD;
    if (status == CLND_OK && by_vendor && !facts->float_atomics.language && claims.float32)
        status = probe_language(context, device, facts, CLND_ATOMICS_OPENCL, claims);
    return status;
}
