// SPDX-License-Identifier: Apache-2.0
//
// Python's text of byte strings, unicode strings and void elements, private to print.c.

#ifndef CLND_CLI_PRINT_STRING_H
#define CLND_CLI_PRINT_STRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Prints an element of `size` bytes and returns how many columns (code points) that takes. With
// `out` NULL it only counts. `kind` is S, U or V. `is_quoted` is for elements of an array; a
// unicode scalar stands bare, but for its unprintable code points.
size_t print_string(FILE *out, char kind, const unsigned char *element, size_t size,
                    bool is_quoted);

#endif
