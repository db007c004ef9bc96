// SPDX-License-Identifier: Apache-2.0
//
// Loaded before OpenCL, this spoils launches of kernels in the way that the environment variable
// BROKEN_DRIVER names: "wrong" leaves them out, "crash" crashes, "hang" never comes back.

#define _GNU_SOURCE
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef cl_int (*launch_function)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                  const size_t *, const size_t *, cl_uint, const cl_event *,
                                  cl_event *);

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint n_wait, const cl_event *wait, cl_event *event)
{
    const char *way = getenv("BROKEN_DRIVER");
    launch_function launch;
    char name[64] = "";
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    *(void **)&launch = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    if (!way || strstr(name, "_probe"))
        return launch(queue, kernel, dimensions, offset, global, local, n_wait, wait, event);
    if (strcmp(way, "crash") == 0) // not by raise(), from which a handler of LLVM's comes back
        *(volatile int *)(intptr_t)strlen("") = 0;
    while (strcmp(way, "hang") == 0)
        pause();
    return clEnqueueMarkerWithWaitList(queue, n_wait, wait, event);
}
