// SPDX-License-Identifier: Apache-2.0
//
// OpenCL's own header: Khronos's <CL/cl.h>, or where macOS has none, Apple's.
//
// Define CL_TARGET_OPENCL_VERSION before the first include, as 120 or what the program itself needs
// beyond that: clnd needs OpenCL 1.2. Without it Khronos's header takes the newest version, and
// prints a note.

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
