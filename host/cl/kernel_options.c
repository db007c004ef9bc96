// SPDX-License-Identifier: Apache-2.0

#include "host/cl/kernel_options.h"

#include <stdio.h>

#include "kernels_cl/args.h"

void clnd__kernel_options_print(const clnd__kernel_options *options, char text[CLND__OPTIONS_TEXT])
{
    // cl_ext_float_atomics builds on the atomic types, which OpenCL C 1.2 lacks.
    int length = snprintf(text, CLND__OPTIONS_TEXT, "-cl-std=CL%s%s",
                          options->atomic == CLND_ATOMIC_OPENCL ? "3.0" : "1.2",
                          options->far ? " -cl-intel-greater-than-4GB-buffer-required" : "");
#define PRINT(field, name)                                                                         \
    if (options->field)                                                                            \
        length += snprintf(text + length, CLND__OPTIONS_TEXT - (size_t)length, " -D" #name "=%d",  \
                           options->field);
    CLND__KERNEL_OPTIONS(PRINT)
#undef PRINT
}
