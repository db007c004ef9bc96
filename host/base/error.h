// SPDX-License-Identifier: Apache-2.0
//
// The thread's last error. Its storage is fixed, so there is a message even without memory.

#ifndef CLND_BASE_ERROR_H
#define CLND_BASE_ERROR_H

#include <stdint.h>

#include "clnd/status.h"
#include "host/base/compiler.h"

// Longer texts are cut. Two shapes of rank 16 and a sentence fit.
#define CLND__ERROR_TEXT 1024

// Names the public function that the thread is in; later messages begin with it. `name` is static.
void clnd__enter(const char *name);

// Records a failure and returns `status`, so that a check reads `return clnd__fail(...)`.
CLND__PRINTF(2, 3) clnd_status clnd__fail(clnd_status status, const char *format, ...);

// The same for a failure that an OpenCL call reported with `code`.
CLND__PRINTF(3, 4)
clnd_status clnd__fail_code(clnd_status status, int32_t code, const char *format, ...);

// What a noun ends in after the number `n`.
static inline const char *clnd__plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

#endif
