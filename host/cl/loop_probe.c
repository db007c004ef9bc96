// SPDX-License-Identifier: Apache-2.0
//
// How many iterations the driver lets a work-item make. Mesa's llvmpipe ends all loops of a
// work-item after 65535 iterations together, without an error (docs/drivers.md).

#include <string.h>

#include "host/cl/probe.h"

// No loop is probed for longer: it takes a CPU some milliseconds.
enum { MOST = 1 << 20 };

// To compile one more program takes each engine time, so only drivers by Mesa are asked: no other
// is known to do it.
static bool may_end_loops(const clnd_device_facts *facts)
{
    return strcmp(facts->platform, "rusticl") == 0 || strcmp(facts->platform, "Clover") == 0;
}

clnd_status clnd__loop_probe(cl_context context, cl_device_id device, clnd_device_facts *facts)
{
    uint32_t data[CLND__PROBE_BYTES / sizeof(uint32_t)] = {1};
    uint32_t update[CLND__PROBE_BYTES / sizeof(uint32_t)] = {MOST};
    bool ran;
    facts->loop_iterations = 0;
    if (!may_end_loops(facts))
        return CLND_OK;
    const clnd_status status = clnd__probe(
        context, device, "loop_probe", &(clnd__kernel_options){0}, 1, false, data, update, &ran);
    if (ran && data[1] < MOST)
        facts->loop_iterations = data[1] ? data[1] : 1;
    return status;
}
