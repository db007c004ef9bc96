// SPDX-License-Identifier: Apache-2.0

#include "host/cl/device.h"

#include <stdio.h>
#include <string.h>

#include "host/base/alloc.h"
#include "host/base/error.h"
#include "host/base/processor.h"
#include "host/cl/cl_error.h"
#include "host/cl/probe.h"
#include "host/cl/program.h"

// From cl_ext.h of cl_ext_float_atomics, which older headers lack.
#define DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES 0x4231
#define DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES 0x4232
#define DEVICE_HALF_FP_ATOMIC_CAPABILITIES   0x4233
#define GLOBAL_FP_ATOMIC_ADD                 (1 << 1)

// The loader says so when there is no platform at all (cl_khr_icd).
#define PLATFORM_NOT_FOUND (-1001)

static clnd_status list_platforms(cl_platform_id **platforms, cl_uint *count)
{
    *platforms = NULL;
    cl_int code = clGetPlatformIDs(0, NULL, count);
    if (code == PLATFORM_NOT_FOUND || (code == CL_SUCCESS && *count == 0)) {
        *count = 0;
        return CLND_OK;
    }
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, "clGetPlatformIDs");
    *platforms = clnd__allocate(*count * sizeof **platforms);
    if (!*platforms)
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a list of platforms");
    code = clGetPlatformIDs(*count, *platforms, NULL);
    return code == CL_SUCCESS ? CLND_OK : clnd__cl_fail(code, "clGetPlatformIDs");
}

// A platform that has no device, or cannot say, is ignored. But a shortage of memory is reported,
// because then nothing is known about the platform.
static clnd_status devices_of(cl_platform_id platform, cl_uint room, cl_device_id *ids,
                              cl_uint *count)
{
    const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, room, ids, count);
    if (code == CL_OUT_OF_HOST_MEMORY)
        return clnd__cl_fail(code, "clGetDeviceIDs");
    if (code != CL_SUCCESS)
        *count = 0;
    return CLND_OK;
}

static clnd_status list_here(cl_platform_id platform, uint32_t number, cl_uint room,
                             cl_device_id *ids, clnd__device_place *list, uint32_t *n)
{
    cl_uint here = 0;
    clnd_status status = devices_of(platform, room, ids, &here);
    for (cl_uint d = 0; d < here && d < room && !status; ++d) {
        cl_device_type type = 0;
        const cl_int code = clGetDeviceInfo(ids[d], CL_DEVICE_TYPE, sizeof type, &type, NULL);
        if (code != CL_SUCCESS)
            status = clnd__cl_fail(code, "clGetDeviceInfo");
        list[(*n)++] = (clnd__device_place){ids[d], type, number, d};
    }
    return status;
}

static clnd_status list_devices(cl_uint n_platforms, const cl_platform_id *platforms,
                                clnd__device_place **places, uint32_t *count)
{
    uint32_t total = 0;
    clnd_status status = CLND_OK;
    for (cl_uint p = 0; p < n_platforms && !status; ++p) {
        cl_uint here = 0;
        status = devices_of(platforms[p], 0, NULL, &here);
        total += here;
    }
    if (status || total == 0)
        return status;
    clnd__device_place *list = clnd__allocate(total * sizeof *list);
    cl_device_id *ids = clnd__allocate(total * sizeof *ids);
    uint32_t n = 0;
    if (!list || !ids)
        status = clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a list of devices");
    for (cl_uint p = 0; p < n_platforms && n < total && !status; ++p)
        status = list_here(platforms[p], p, total - n, ids, list, &n);
    clnd__free(ids);
    if (status || n == 0) {
        clnd__free(list);
        return status;
    }
    *places = list;
    *count = n;
    return CLND_OK;
}

clnd_status clnd__devices_list(clnd__device_place **places, uint32_t *count)
{
    *places = NULL;
    *count = 0;
    cl_platform_id *platforms;
    cl_uint n_platforms;
    clnd_status status = list_platforms(&platforms, &n_platforms);
    if (status == CLND_OK)
        status = list_devices(n_platforms, platforms, places, count);
    clnd__free(platforms);
    return status;
}

clnd_status clnd__device_hold(cl_context context, cl_device_id device, cl_context *own_context,
                              cl_device_id *own_device)
{
    cl_int code = clRetainContext(context);
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, "clRetainContext");
    code = clRetainDevice(device);
    if (code != CL_SUCCESS) {
        clReleaseContext(context);
        return clnd__cl_fail(code, "clRetainDevice");
    }
    *own_context = context;
    *own_device = device;
    return CLND_OK;
}

void clnd__device_let_go(cl_context own_context, cl_device_id own_device)
{
    if (own_device)
        clReleaseDevice(own_device);
    if (own_context)
        clReleaseContext(own_context);
}

// A text that is longer than there is room (CL_INVALID_VALUE) is left out.
static clnd_status end_text(cl_int code, const char *call, char *text, size_t size)
{
    if (code != CL_SUCCESS)
        text[0] = '\0';
    text[size - 1] = '\0';
    return code == CL_SUCCESS || code == CL_INVALID_VALUE ? CLND_OK : clnd__cl_fail(code, call);
}

static clnd_status read_text(cl_device_id device, cl_device_info what, char *text, size_t size)
{
    return end_text(clGetDeviceInfo(device, what, size, text, NULL), "clGetDeviceInfo", text, size);
}

static clnd_status read_texts(cl_device_id device, clnd_device_facts *facts)
{
    cl_platform_id platform = NULL;
    clnd_status status;
    if ((status = read_text(device, CL_DEVICE_NAME, facts->name, sizeof facts->name)) ||
        (status = read_text(device, CL_DRIVER_VERSION, facts->driver, sizeof facts->driver)) ||
        (status = read_text(device, CL_DEVICE_OPENCL_C_VERSION, facts->opencl_c,
                            sizeof facts->opencl_c)))
        return status;
    const cl_int code =
        clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, "clGetDeviceInfo");
    return end_text(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof facts->platform,
                                      facts->platform, NULL),
                    "clGetPlatformInfo", facts->platform, sizeof facts->platform);
}

// Whole words only: the name of one extension can begin that of another.
static bool has_extension(const char *extensions, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(extensions, name); at; at = strstr(at + length, name))
        if ((at == extensions || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

// Drivers that do not know the query (CL_INVALID_VALUE) have no such atomics.
static cl_int ask_global_add(cl_device_id device, cl_device_info what, bool *claimed)
{
    cl_bitfield capabilities = 0;
    const cl_int code = clGetDeviceInfo(device, what, sizeof capabilities, &capabilities, NULL);
    *claimed = code == CL_SUCCESS && (capabilities & GLOBAL_FP_ATOMIC_ADD);
    return code == CL_INVALID_VALUE ? CL_SUCCESS : code;
}

static cl_int ask_float_atomics(cl_device_id device, const char *extensions,
                                clnd_float_atomics *claims)
{
    cl_int code;
    if (!has_extension(extensions, "cl_ext_float_atomics"))
        return CL_SUCCESS;
    if ((code = ask_global_add(device, DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES, &claims->float32)) ||
        (code = ask_global_add(device, DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES, &claims->float64)))
        return code;
    return ask_global_add(device, DEVICE_HALF_FP_ATOMIC_CAPABILITIES, &claims->float16);
}

// Inline PTX is for NVIDIA's compiler only. Others take any text for assembly and fail later, some
// by ending the process.
static clnd_atomics_language float_atomics_language(const clnd_float_atomics *claims,
                                                    uint32_t address_bits, const char *extensions)
{
    if (address_bits == 64 && has_extension(extensions, "cl_nv_pragma_unroll"))
        return CLND_ATOMICS_PTX;
    if (has_extension(extensions, "cl_amd_device_attribute_query"))
        return CLND_ATOMICS_AMD;
    return claims->float32 || claims->float64 || claims->float16 ? CLND_ATOMICS_OPENCL
                                                                 : CLND_ATOMICS_NONE;
}

static clnd_status read_extensions(cl_device_id device, clnd_device_facts *facts)
{
    size_t size = 0;
    cl_int code = clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &size);
    if (code != CL_SUCCESS)
        return clnd__cl_fail(code, "clGetDeviceInfo");
    char *text = clnd__allocate(size + 1);
    if (!text)
        return clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for a device's extensions");
    code = clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, text, NULL);
    if (code == CL_SUCCESS) {
        facts->fp64 = has_extension(text, "cl_khr_fp64");
        facts->fp16 = has_extension(text, "cl_khr_fp16");
        facts->int64_atomics = has_extension(text, "cl_khr_int64_base_atomics");
        clnd_float_atomics *atomics = &facts->float_atomics;
        code = ask_float_atomics(device, text, atomics);
        atomics->language = float_atomics_language(atomics, facts->address_bits, text);
    }
    clnd__free(text);
    return code == CL_SUCCESS ? CLND_OK : clnd__cl_fail(code, "clGetDeviceInfo");
}

static clnd_status read_numbers(cl_device_id device, clnd_device_facts *facts)
{
    cl_device_type type = 0;
    cl_command_queue_properties queue = 0;
    cl_bool unified = CL_FALSE;
    size_t group = 0, parameters = 0;
    const struct {
        cl_device_info what;
        size_t size;
        void *value;
    } queries[] = {
        {CL_DEVICE_TYPE, sizeof type, &type},
        {CL_DEVICE_QUEUE_PROPERTIES, sizeof queue, &queue},
        {CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified},
        {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group},
        {CL_DEVICE_MAX_PARAMETER_SIZE, sizeof parameters, &parameters},
        {CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint), &facts->compute_units},
        {CL_DEVICE_ADDRESS_BITS, sizeof(cl_uint), &facts->address_bits},
        {CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong), &facts->local_memory},
        {CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(cl_ulong), &facts->global_memory},
        {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof(cl_ulong), &facts->cache},
        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(cl_ulong), &facts->max_allocation},
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; ++i) {
        const cl_int code =
            clGetDeviceInfo(device, queries[i].what, queries[i].size, queries[i].value, NULL);
        if (code != CL_SUCCESS)
            return clnd__cl_fail(code, "clGetDeviceInfo");
    }
    facts->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    facts->out_of_order_queues = (queue & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    facts->unified_memory = unified != CL_FALSE;
    facts->fetches_into_first_cache = facts->is_cpu && clnd__processor_fetches_into_first_cache();
    facts->max_work_group_size = group;
    facts->max_parameter_size = parameters;
    if (facts->compute_units == 0)
        facts->compute_units = 1;
    return CLND_OK;
}

clnd_status clnd__device_read(cl_device_id device, clnd_device_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    clnd_status status;
    if ((status = read_texts(device, facts)) || (status = read_numbers(device, facts)))
        return status;
    return read_extensions(device, facts);
}

static const char probe_text[] =
    "#ifdef FP64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "__kernel void fp64(__global double *x) { x[0] = x[0] * 3.0 + x[1]; }\n"
    "#endif\n"
    "#ifdef FP16\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "__kernel void fp16(__global half *x) { x[0] = x[0] * x[1] + x[2]; }\n"
    "#endif\n"
    "#ifdef INT64_ATOMICS\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "__kernel void int64_atomics(volatile __global ulong *x)\n"
    "{ x[1] = atom_add(x, 1UL) + atom_xchg(x, 4UL) + atom_cmpxchg(x, 2UL, 3UL); }\n"
    "#endif\n";

typedef struct feature {
    bool *claimed; // becomes whether the device has it
    const char *option;
} feature;

static clnd_status try_features(cl_context context, cl_device_id device, int n,
                                const feature *features, bool *compile)
{
    char options[64] = "-cl-std=CL1.2";
    for (int i = 0; i < n; ++i)
        if (*features[i].claimed)
            strcat(options, features[i].option);
    return clnd__program_try(context, device, probe_text, options, compile);
}

// A program takes a driver tens of milliseconds, even if its compiled form is cached. So one
// program that uses all features is tried first.
clnd_status clnd__device_probe(cl_context context, cl_device_id device, clnd_device_facts *facts)
{
    const feature features[] = {
        {&facts->fp64, " -DFP64"},
        {&facts->fp16, " -DFP16"},
        {&facts->int64_atomics, " -DINT64_ATOMICS"},
    };
    const int n = sizeof features / sizeof *features;
    bool all = !facts->fp64 && !facts->fp16 && !facts->int64_atomics;
    clnd_status status = all ? CLND_OK : try_features(context, device, n, features, &all);
    for (int i = 0; i < n && !all && status == CLND_OK; ++i)
        if (*features[i].claimed)
            status = try_features(context, device, 1, &features[i], features[i].claimed);
    if (status == CLND_OK)
        status = clnd__loop_probe(context, device, facts);
    if (status == CLND_OK)
        status = clnd__memory_probe(context, device, facts);
    return status ? status : clnd__float_atomics_probe(context, device, facts);
}

clnd_status clnd_device_count(int32_t *count)
{
    clnd__enter("device_count");
    if (!count)
        return clnd__fail(CLND_NULL_POINTER, "count is NULL");
    clnd__device_place *places;
    uint32_t n;
    clnd_status status = clnd__devices_list(&places, &n);
    clnd__free(places);
    *count = (int32_t)n;
    return status;
}

clnd_status clnd_device_describe(int32_t index, char spec[24], clnd_device_facts *facts)
{
    clnd__enter("device_describe");
    if (!spec || !facts)
        return clnd__fail(CLND_NULL_POINTER, "%s is NULL", spec ? "facts" : "spec");
    clnd__device_place *places;
    uint32_t count;
    clnd_status status = clnd__devices_list(&places, &count);
    if (status)
        return status;
    if (index < 0 || (uint32_t)index >= count) {
        status = clnd__fail(CLND_NO_DEVICE, "index is %d, the number of devices is %u", (int)index,
                            count);
    } else {
        snprintf(spec, 24, "%u:%u", places[index].platform, places[index].number);
        status = clnd__device_read(places[index].id, facts);
    }
    clnd__free(places);
    return status;
}
