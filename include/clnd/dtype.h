// SPDX-License-Identifier: Apache-2.0
//
// Element types. A dtype is a plain number that holds its kind and its size, so two dtypes are
// equal when `==` says so, and `case CLND_FLOAT32:` works.
//
// Whatever only moves data (gather_nd, strided_slice, copy, scatter with CLND_REDUCE_UPDATE) takes
// every dtype and keeps every bit. What computes (the other reductions) says which dtypes it takes.

#ifndef CLND_DTYPE_H
#define CLND_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clnd/export.h"

#ifdef __cplusplus
extern "C" {
#endif

// Highest rank of a tensor, of a result, and number of entries of a slice's result.
#define CLND_MAX_RANK 16

typedef uint64_t clnd_dtype;

#define CLND_DTYPE_OF(kind, bytes) (((uint64_t)(bytes) << 8) | (uint64_t)(kind))

// The size in bytes, then the kind. These are no macros, so that parsers of preprocessed headers
// (cffi) know them.
enum {
    CLND_BOOL = 0x0101, // one byte; 0 is false, anything else is true
    CLND_INT8 = 0x0102,
    CLND_INT16 = 0x0203,
    CLND_INT32 = 0x0404,
    CLND_INT64 = 0x0805,
    CLND_UINT8 = 0x0106,
    CLND_UINT16 = 0x0207,
    CLND_UINT32 = 0x0408,
    CLND_UINT64 = 0x0809,
    CLND_FLOAT16 = 0x020a,
    CLND_BFLOAT16 = 0x020b,
    CLND_FLOAT32 = 0x040c,
    CLND_FLOAT64 = 0x080d,
    CLND_COMPLEX64 = 0x080e,  // two float32: real, imaginary
    CLND_COMPLEX128 = 0x100f, // two float64: real, imaginary
};

// Elements that clnd only moves: strings of a fixed width, structs. `bytes` from 1 to
// CLND_MAX_OPAQUE_SIZE; the tensors of one call agree on it.
#define CLND_OPAQUE(bytes)   CLND_DTYPE_OF(16, bytes)
#define CLND_MAX_OPAQUE_SIZE INT32_MAX

// Whether `dtype` is one of the above. Thread-safety: Safe.
CLND_API bool clnd_dtype_is_valid(clnd_dtype dtype);

// Whether `dtype` can be that of indices: int8 to int64, uint8 to uint32. Thread-safety: Safe.
CLND_API bool clnd_dtype_is_index(clnd_dtype dtype);

// Size of an element in bytes; 0 when `dtype` is not valid. Thread-safety: Safe.
CLND_API size_t clnd_dtype_size(clnd_dtype dtype);

// "float32", "opaque", ...; "invalid" when `dtype` is not valid. Static storage. Thread-safety:
// Safe.
CLND_API const char *clnd_dtype_name(clnd_dtype dtype);

#ifdef __cplusplus
}
#endif

#endif
