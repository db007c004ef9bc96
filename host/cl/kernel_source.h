// SPDX-License-Identifier: Apache-2.0
//
// The OpenCL C sources inside the library. tools/embed_cl.py writes both tables at build time.
// Every text is ASCII, begins with `#line 1 "kernels_cl/<file>"` so that compiler messages name
// the real file, and ends with a zero byte that `length` does not count.

#ifndef CLND_CL_KERNEL_SOURCE_H
#define CLND_CL_KERNEL_SOURCE_H

#include <stddef.h>

struct clnd__kernel_source {
    const char *name; // kernel: file name without ".cl"; prelude: the whole file name
    const char *text;
    size_t length;
};

// A program is all preludes, in this order, then one source: that many strings for
// clCreateProgramWithSource, at most CLND__MOST_PARTS. Both tables end with an entry whose name is
// NULL.
enum { CLND__MOST_PARTS = 24 };
extern const struct clnd__kernel_source clnd__kernel_prelude[];
extern const struct clnd__kernel_source clnd__kernel_sources[];

#endif
