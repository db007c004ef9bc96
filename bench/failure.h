// SPDX-License-Identifier: Apache-2.0
//
// The first thing that went wrong, as one line of text. Functions that can fail return false (or
// NULL) after a call of fail(); main prints the text. Not thread-safe: worker threads never fail.

#ifndef CLND_BENCH_FAILURE_H
#define CLND_BENCH_FAILURE_H

#include <jansson.h>
#include <stdbool.h>

// Sets the text and returns false, so that a refusal is `return fail(...)`.
__attribute__((format(printf, 1, 2))) bool fail(const char *format, ...);

// Takes the text of clnd's last error.
bool fail_clnd(void);

// "NAME gave OpenCL error CODE".
bool fail_cl(const char *name, int code);

// What is wrong with a file of JSON.
bool fail_json(const char *path, const json_error_t *error);

bool fail_memory(const char *what, double bytes);

const char *failure_text(void);

#endif
