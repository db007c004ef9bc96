// SPDX-License-Identifier: Apache-2.0
//
// Version of the library. The build reads these numbers from here; they stand nowhere else.

#ifndef CLND_VERSION_H
#define CLND_VERSION_H

#include <stdint.h>

#include "clnd/export.h"

#define CLND_VERSION_MAJOR 0
#define CLND_VERSION_MINOR 1
#define CLND_VERSION_PATCH 0

// The three as one number: 1.2.3 is 10203.
#define CLND_VERSION (CLND_VERSION_MAJOR * 10000 + CLND_VERSION_MINOR * 100 + CLND_VERSION_PATCH)

// Number of the binary interface. It changes when a program has to be compiled again, and only
// then; the shared library's name carries it. docs/versioning.md says what is promised.
#define CLND_ABI_VERSION 0

#ifdef __cplusplus
extern "C" {
#endif

// CLND_VERSION of the library that is linked. It is smaller than the header's where the library
// lacks what the header declares: `if (clnd_version() < CLND_VERSION) ...`. Thread-safety: Safe.
CLND_API int32_t clnd_version(void);

// The same as "major.minor.patch". Static storage. Thread-safety: Safe.
CLND_API const char *clnd_version_text(void);

#ifdef __cplusplus
}
#endif

#endif
