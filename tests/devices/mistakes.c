// SPDX-License-Identifier: Apache-2.0
//
// Runs a kernel with one mistake, or none: what the runs on Oclgrind must report. Prints TAP.
//
//     mistakes good|filled|outside|race|uninitialised

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

enum { N = 64 };

static const char source[] = "#if outside\n"
                             "#define AT (i + 1)\n" // the last one is behind the end
                             "#elif race\n"
                             "#define AT (i / 2)\n"
                             "#else\n"
                             "#define AT i\n"
                             "#endif\n"
                             "__kernel void add(__global int *to, __global const int *from)\n"
                             "{\n"
                             "    const size_t i = get_global_id(0);\n"
                             "    to[AT] = from[i] + (int)i;\n"
                             "}\n";

static int go_on(cl_int code, const char *what)
{
    if (code != CL_SUCCESS)
        printf("not ok 1 - %s: %d\n", what, (int)code);
    return code == CL_SUCCESS;
}

static int run(const char *kind)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code = clGetPlatformIDs(1, &platform, NULL);
    if (!go_on(code, "platform") ||
        !go_on(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device"))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (!go_on(code, "context"))
        return 1;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    if (!go_on(code, "queue"))
        return 1;
    const cl_int numbers[N] = {0};
    const cl_int zero = 0;
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &code);
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &code);
    if (!go_on(code, "buffers"))
        return 1;
    if (strcmp(kind, "filled") == 0)
        code =
            clEnqueueFillBuffer(queue, from, &zero, sizeof zero, 0, sizeof numbers, 0, NULL, NULL);
    else if (strcmp(kind, "uninitialised") != 0)
        code =
            clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL);
    if (!go_on(code, "contents"))
        return 1;
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D%s=1", kind);
    if (!go_on(code, "program") ||
        !go_on(clBuildProgram(program, 1, &device, options, NULL, NULL), "build"))
        return 1;
    cl_kernel kernel = clCreateKernel(program, "add", &code);
    if (!go_on(code, "kernel") || !go_on(clSetKernelArg(kernel, 0, sizeof to, &to), "to") ||
        !go_on(clSetKernelArg(kernel, 1, sizeof from, &from), "from"))
        return 1;
    const size_t items = N;
    const size_t one = 1;
    if (!go_on(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &one, 0, NULL, NULL),
               "run") ||
        !go_on(clFinish(queue), "finish"))
        return 1;
    printf("ok 1 - %s\n", kind);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(to);
    clReleaseMemObject(from);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    printf("1..1\n");
    return run(argv[1]);
}
