// SPDX-License-Identifier: Apache-2.0
//
// Cases as JSON, so that other programs need no table of their own: docs/benchmarking.md, "JSON".

#ifndef CLND_BENCH_DESCRIBE_H
#define CLND_BENCH_DESCRIBE_H

#include <jansson.h>

#include "cases.h"

// Adds to `object` what a case is, but its shapes.
bool describe_case(const struct bench_case *what, json_t *object);

// Adds its shapes, slice or entries.
bool describe_shapes(const struct bench_case *what, json_t *object);

// Prints all built-in cases at all sizes. False after fail().
bool describe_print(const char *folder);

#endif
