// SPDX-License-Identifier: Apache-2.0
//
// What the planner asks about a dtype, beyond the public functions.

#ifndef CLND_BASE_DTYPE_H
#define CLND_BASE_DTYPE_H

#include "clnd/dtype.h"

int clnd__dtype_kind(clnd_dtype dtype); // the number that the kernels know as -DDTYPE
bool clnd__dtype_is_opaque(clnd_dtype dtype);
bool clnd__dtype_is_complex(clnd_dtype dtype);
bool clnd__dtype_is_half(clnd_dtype dtype);    // float16 or bfloat16
bool clnd__dtype_needs_fp64(clnd_dtype dtype); // for arithmetic; moving needs nothing

#endif
