// SPDX-License-Identifier: Apache-2.0
//
// OpenCL's own header: Khronos's <CL/cl.h>, or where macOS has none, Apple's.

#ifndef CLND_OPENCL_H
#define CLND_OPENCL_H

#ifdef __APPLE__
#if __has_include(<CL/cl.h>)
#include <CL/cl.h>
#else
#include <OpenCL/cl.h>
#endif
#else
#include <CL/cl.h>
#endif

#endif
