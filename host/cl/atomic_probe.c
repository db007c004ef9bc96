// SPDX-License-Identifier: Apache-2.0

#include "host/cl/atomic_probe.h"

#include <stdio.h>
#include <string.h>

#include "clnd/options.h"
#include "host/base/dtype.h"
#include "host/cl/cl_error.h"
#include "host/cl/program.h"
#include "kernels_cl/args.h"

enum { ITEMS = 64, MOST_PACK = 4 };

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

static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_mem data, cl_mem update)
{
    const size_t global = ITEMS, local = 1;
    cl_int code = clSetKernelArg(kernel, 0, sizeof data, &data);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(kernel, 1, sizeof update, &update);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    return code;
}

// Sends `data` to the device, runs the kernel, and reads it back.
static cl_int run(cl_context context, cl_device_id device, cl_kernel kernel, size_t size,
                  unsigned char *data, unsigned char *update)
{
    const cl_mem_flags copied = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    cl_int codes[3];
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &codes[0]);
    cl_mem sums = clCreateBuffer(context, copied, size, data, &codes[1]);
    cl_mem updates = clCreateBuffer(context, copied, size, update, &codes[2]);
    cl_int code = codes[0] ? codes[0] : codes[1] ? codes[1] : codes[2];
    if (code == CL_SUCCESS)
        code = launch(queue, kernel, sums, updates);
    if (code == CL_SUCCESS)
        code = clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, size, data, 0, NULL, NULL);
    if (updates)
        clReleaseMemObject(updates);
    if (sums)
        clReleaseMemObject(sums);
    if (queue)
        clReleaseCommandQueue(queue);
    return code;
}

// The sums of the pack and of the element behind it; untouched bytes stay 0.
static cl_int add_up(cl_context context, cl_device_id device, cl_program program, const number *n,
                     int pack, bool *adds)
{
    enum { BYTES = 64 };
    const size_t size = clnd_dtype_size(n->dtype);
    unsigned char data[BYTES] = {0}, update[BYTES] = {0}, expected[BYTES] = {0};
    write_elements(n->one, size, MOST_PACK, update);
    write_elements(n->all, size, pack + 1, expected);
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, "atomic_probe", &code);
    if (!kernel)
        return code;
    code = run(context, device, kernel, BYTES, data, update);
    clReleaseKernel(kernel);
    *adds = code == CL_SUCCESS && memcmp(data, expected, BYTES) == 0;
    return code;
}

clnd_status clnd__atomic_probe(cl_context context, cl_device_id device, int way, clnd_dtype dtype,
                               int pack, bool *adds)
{
    *adds = false;
    const number *n = numbers;
    while (n->dtype != dtype)
        ++n;
    cl_program program;
    clnd_status status = clnd__program_create(context, "atomic_probe", &program);
    if (status)
        return status;
    char options[CLND__OPTIONS_TEXT];
    clnd__kernel_options_print(&(clnd__kernel_options){.dtype = (int16_t)clnd__dtype_kind(dtype),
                                                       .reduce = CLND_REDUCE_ADD,
                                                       .atomic = (int16_t)way,
                                                       .pack = (int16_t)pack},
                               options);
    cl_int code = clnd__program_build(program, device, options, NULL);
    if (code == CL_SUCCESS)
        code = add_up(context, device, program, n, pack, adds);
    clReleaseProgram(program);
    return code == CL_OUT_OF_HOST_MEMORY ? clnd__cl_fail(code, "the probe of atomics") : CLND_OK;
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
    } sums[] = {
        {&found->float32, !by_opencl || claims.float32, CLND_FLOAT32, 1},
        {&found->float64, facts->fp64 && (!by_opencl || claims.float64), CLND_FLOAT64, 1},
        {&found->float16, !by_opencl || (facts->fp16 && claims.float16), CLND_FLOAT16,
         by_opencl ? 1 : 2},
        {&found->bfloat16, !by_opencl, CLND_BFLOAT16, 2},
        {&found->float32_packs, language == CLND_ATOMICS_PTX, CLND_FLOAT32, MOST_PACK},
    };
    memset(found, 0, sizeof *found);
    clnd_status status = CLND_OK;
    for (size_t i = 0; i < sizeof sums / sizeof *sums && !status; ++i)
        if (sums[i].tried)
            status = clnd__atomic_probe(context, device, clnd__atomic_way(language), sums[i].dtype,
                                        sums[i].pack, sums[i].fact);
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
