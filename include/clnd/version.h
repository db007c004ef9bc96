// SPDX-License-Identifier: Apache-2.0
//
// Version of the library. The build reads these numbers from here; they stand nowhere else.

#ifndef CLND_VERSION_H
#define CLND_VERSION_H

#include "clnd/export.h"

#define CLND_VERSION_MAJOR 0
#define CLND_VERSION_MINOR 1
#define CLND_VERSION_PATCH 0

// Number of the binary interface. It changes when a program has to be compiled again, and only
// then; the shared library's name carries it.
#define CLND_ABI_VERSION 0

#ifdef __cplusplus
extern "C" {
#endif

// Version of the library that is linked, as "major.minor.patch". Compare with the macros to find a
// header that does not belong to it. Static storage. Thread-safety: Safe.
CLND_API const char *clnd_version(void);

#ifdef __cplusplus
}
#endif

#endif
