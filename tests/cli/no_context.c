// SPDX-License-Identifier: Apache-2.0
//
// Loaded before OpenCL, this makes every device one that cannot be opened.

#include <CL/cl.h>

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n_devices,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *user_data, cl_int *code)
{
    (void)properties, (void)n_devices, (void)devices, (void)notify, (void)user_data;
    if (code)
        *code = CL_OUT_OF_RESOURCES;
    return NULL;
}
