// SPDX-License-Identifier: Apache-2.0
//
// The header of a .npy file: a Python dictionary as text. Pure functions, private to npy*.c.

#ifndef CLND_CLI_NPY_HEADER_H
#define CLND_CLI_NPY_HEADER_H

#include "npy.h"

// Most bytes that npy_header_format writes: a full header of rank 16 takes less than 600.
#define NPY_HEADER_SIZE 1024

// Reads the dictionary, `length` bytes of `text`, of a file of format `version`. 0. Sets all of
// `array` but its data; the size in bytes is checked against 63 bits and the address space.
bool npy_header_parse(const char *text, size_t length, int version, struct npy_array *array,
                      char *error);

// Writes magic, version, length and dictionary for an array in C order. Returns the number of
// bytes, a multiple of 64.
size_t npy_header_format(const struct npy_type *type, int rank, const int64_t *shape,
                         char out[NPY_HEADER_SIZE]);

// Size in bytes of an array; false when it is beyond 63 bits or the address space. Sizes of 0 do
// not hide an overflow of the others, because strides are products too.
bool npy_data_size(const struct npy_type *type, int rank, const int64_t *shape, size_t *size);

#endif
