// SPDX-License-Identifier: Apache-2.0
//
// Whether the host's arrays can be a device's buffers. Drivers of integrated GPUs have been found
// to say so and to lose what one side had written.

#include "host/cl/probe.h"

// Drivers take memory as it is if it fills pages, and may copy it otherwise.
enum { PAGE = 4096, WORDS = PAGE / sizeof(uint32_t) };

enum { ITERATIONS = 7 };

// As loop_probe.cl does.
static uint32_t number_behind(uint32_t number)
{
    for (uint32_t made = 0; made < ITERATIONS; ++made)
        number = (number ^ number >> 15) * 0x2c1b3c6du + made;
    return number;
}

clnd_status clnd__memory_probe(cl_context context, cl_device_id device, clnd_device_facts *facts)
{
    if (facts->is_cpu || !facts->unified_memory)
        return CLND_OK;
    const uint32_t number = 0x12345678;
    _Alignas(PAGE) uint32_t data[WORDS] = {number};
    _Alignas(PAGE) uint32_t update[WORDS] = {ITERATIONS};
    bool ran;
    const clnd_status status = clnd__probe(context, device, "loop_probe",
                                           &(clnd__kernel_options){0}, 1, true, data, update, &ran);
    facts->unified_memory = ran && data[0] == number_behind(number) && data[1] == ITERATIONS;
    return status;
}
