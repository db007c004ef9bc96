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

#define CLND_BOOL       CLND_DTYPE_OF(1, 1) // one byte; 0 is false, anything else is true
#define CLND_INT8       CLND_DTYPE_OF(2, 1)
#define CLND_INT16      CLND_DTYPE_OF(3, 2)
#define CLND_INT32      CLND_DTYPE_OF(4, 4)
#define CLND_INT64      CLND_DTYPE_OF(5, 8)
#define CLND_UINT8      CLND_DTYPE_OF(6, 1)
#define CLND_UINT16     CLND_DTYPE_OF(7, 2)
#define CLND_UINT32     CLND_DTYPE_OF(8, 4)
#define CLND_UINT64     CLND_DTYPE_OF(9, 8)
#define CLND_FLOAT16    CLND_DTYPE_OF(10, 2)
#define CLND_BFLOAT16   CLND_DTYPE_OF(11, 2)
#define CLND_FLOAT32    CLND_DTYPE_OF(12, 4)
#define CLND_FLOAT64    CLND_DTYPE_OF(13, 8)
#define CLND_COMPLEX64  CLND_DTYPE_OF(14, 8)  // two float32: real, imaginary
#define CLND_COMPLEX128 CLND_DTYPE_OF(15, 16) // two float64: real, imaginary

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
