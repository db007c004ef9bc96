// SPDX-License-Identifier: Apache-2.0
//
// The list of what the library owns, for the functions that make and release it.

#ifndef INTERPOSED_OWNED_H
#define INTERPOSED_OWNED_H

#include "opencl.h"

// `maker` is the function that made or retained it, with its number among all calls.
void owned_add(opencl_kind kind, const void *object, const char *maker, int number);
void owned_remove(opencl_kind kind, const void *object);

#endif
