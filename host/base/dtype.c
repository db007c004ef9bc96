// SPDX-License-Identifier: Apache-2.0

#include "clnd/dtype.h"

#include "host/base/dtype.h"

static const struct {
    clnd_dtype dtype;
    const char *name;
} named[] = {
    {CLND_BOOL, "bool"},       {CLND_INT8, "int8"},           {CLND_INT16, "int16"},
    {CLND_INT32, "int32"},     {CLND_INT64, "int64"},         {CLND_UINT8, "uint8"},
    {CLND_UINT16, "uint16"},   {CLND_UINT32, "uint32"},       {CLND_UINT64, "uint64"},
    {CLND_FLOAT16, "float16"}, {CLND_BFLOAT16, "bfloat16"},   {CLND_FLOAT32, "float32"},
    {CLND_FLOAT64, "float64"}, {CLND_COMPLEX64, "complex64"}, {CLND_COMPLEX128, "complex128"},
};

const char *clnd_dtype_name(clnd_dtype dtype)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; ++i)
        if (named[i].dtype == dtype)
            return named[i].name;
    return clnd__dtype_is_opaque(dtype) ? "opaque" : "invalid";
}

bool clnd_dtype_is_valid(clnd_dtype dtype)
{
    if (clnd__dtype_is_opaque(dtype))
        return true;
    for (size_t i = 0; i < sizeof named / sizeof *named; ++i)
        if (named[i].dtype == dtype)
            return true;
    return false;
}

size_t clnd_dtype_size(clnd_dtype dtype)
{
    return clnd_dtype_is_valid(dtype) ? (size_t)(dtype >> 8) : 0;
}

bool clnd_dtype_is_index(clnd_dtype dtype)
{
    switch (dtype) {
    case CLND_INT8:
    case CLND_INT16:
    case CLND_INT32:
    case CLND_INT64:
    case CLND_UINT8:
    case CLND_UINT16:
    case CLND_UINT32:
        return true;
    default:
        return false;
    }
}

int clnd__dtype_kind(clnd_dtype dtype)
{
    return (int)(dtype & 0xff);
}

bool clnd__dtype_is_opaque(clnd_dtype dtype)
{
    const clnd_dtype size = dtype >> 8;
    return clnd__dtype_kind(dtype) == clnd__dtype_kind(CLND_OPAQUE(1)) && size >= 1 &&
           size <= CLND_MAX_OPAQUE_SIZE;
}

bool clnd__dtype_is_complex(clnd_dtype dtype)
{
    return dtype == CLND_COMPLEX64 || dtype == CLND_COMPLEX128;
}

bool clnd__dtype_is_half(clnd_dtype dtype)
{
    return dtype == CLND_FLOAT16 || dtype == CLND_BFLOAT16;
}

bool clnd__dtype_needs_fp64(clnd_dtype dtype)
{
    return dtype == CLND_FLOAT64 || dtype == CLND_COMPLEX128;
}
