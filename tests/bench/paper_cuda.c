// SPDX-License-Identifier: Apache-2.0
//
// A libcuda.so.1 on paper: every call that tools/gpu/kit_cuda.py makes succeeds, and no kernel
// runs. Memory that is read back is zeros.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SUCCEEDS(name)                                                                             \
    int name(void);                                                                                \
    int name(void)                                                                                 \
    {                                                                                              \
        return 0;                                                                                  \
    }

SUCCEEDS(cuInit)
SUCCEEDS(cuCtxSetCurrent)
SUCCEEDS(cuCtxSynchronize)
SUCCEEDS(cuMemFree_v2)
SUCCEEDS(cuMemsetD8_v2)
SUCCEEDS(cuMemsetD32_v2)
SUCCEEDS(cuMemsetD8Async)
SUCCEEDS(cuMemcpyHtoD_v2)
SUCCEEDS(cuMemcpyDtoDAsync_v2)
SUCCEEDS(cuEventRecord)
SUCCEEDS(cuEventSynchronize)
SUCCEEDS(cuEventDestroy_v2)

int cuDeviceGet(int *device, int number);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDeviceGetName(char *name, int size, int device);
int cuDriverGetVersion(int *version);
int cuGetErrorString(int code, const char **text);
int cuModuleLoadData(void **module, const char *ptx);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned local_x,
                   unsigned local_y, unsigned local_z, unsigned shared, void *stream, void **values,
                   void **extra);
int cuMemAlloc_v2(uint64_t *address, size_t size);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size);
int cuEventCreate(void **event, unsigned flags);
int cuEventElapsedTime(float *milliseconds, void *begin, void *end);

enum { INVALID_VALUE = 1, NOT_FOUND = 500 };

int cuDeviceGet(int *device, int number)
{
    *device = number;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = context;
    return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
    (void)device;
    snprintf(name, (size_t)size, "paper");
    return 0;
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

int cuGetErrorString(int code, const char **text)
{
    *text = code == NOT_FOUND ? "not found" : "invalid value";
    return 0;
}

// A module is its text, which may have no longer life: one is enough to look for names in.
static char module_text[1 << 20];

int cuModuleLoadData(void **module, const char *ptx)
{
    snprintf(module_text, sizeof module_text, "%s", ptx);
    *module = module_text;
    return strstr(ptx, ".version") ? 0 : INVALID_VALUE;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    *function = module;
    return name[0] ? 0 : NOT_FOUND;
}

int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned local_x,
                   unsigned local_y, unsigned local_z, unsigned shared, void *stream, void **values,
                   void **extra)
{
    const int good = function && x && y && z && local_x && local_y && local_z && !shared &&
                     !stream && values[0] && !extra;
    return good ? 0 : INVALID_VALUE;
}

int cuMemAlloc_v2(uint64_t *address, size_t size)
{
    static uint64_t next = 1 << 20;
    *address = next;
    next += size;
    return size ? 0 : INVALID_VALUE;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size)
{
    memset(to, 0, size);
    return from ? 0 : INVALID_VALUE;
}

int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = event;
    return 0;
}

int cuEventElapsedTime(float *milliseconds, void *begin, void *end)
{
    *milliseconds = 1;
    return begin && end ? 0 : INVALID_VALUE;
}
