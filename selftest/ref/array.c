// SPDX-License-Identifier: Apache-2.0

#include "ref.h"

#include <string.h>

size_t ref_size(clnd_dtype dtype)
{
    return (size_t)(dtype >> 8);
}

int64_t ref_count(int rank, const int64_t *shape)
{
    int64_t count = 1;
    for (int d = 0; d < rank; d++)
        count *= shape[d];
    return count;
}

bool ref_first(int rank, const int64_t *shape, int64_t *position)
{
    bool any = true; // not by their number: before the 0 the product may overflow
    for (int d = 0; d < rank; d++) {
        position[d] = 0;
        any = any && shape[d] != 0;
    }
    return any;
}

bool ref_next(int rank, const int64_t *shape, int64_t *position)
{
    for (int d = rank - 1; d >= 0; d--) {
        position[d]++;
        if (position[d] < shape[d])
            return true;
        position[d] = 0;
    }
    return false;
}

unsigned char *ref_at(const ref_array *array, const int64_t *position)
{
    int64_t element = 0;
    for (int d = 0; d < array->rank; d++)
        element += position[d] * array->strides[d];
    return array->data + ((int64_t)array->offset + element * (int64_t)ref_size(array->dtype));
}

int64_t ref_index_at(const ref_array *indices, const int64_t *position)
{
    const unsigned char *at = ref_at(indices, position);
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    switch (indices->dtype) {
    case CLND_INT8:
        memcpy(&i8, at, sizeof i8);
        return i8;
    case CLND_INT16:
        memcpy(&i16, at, sizeof i16);
        return i16;
    case CLND_INT32:
        memcpy(&i32, at, sizeof i32);
        return i32;
    case CLND_UINT8:
        memcpy(&u8, at, sizeof u8);
        return u8;
    case CLND_UINT16:
        memcpy(&u16, at, sizeof u16);
        return u16;
    case CLND_UINT32:
        memcpy(&u32, at, sizeof u32);
        return u32;
    default:
        memcpy(&i64, at, sizeof i64);
        return i64;
    }
}

bool ref_resolve(int64_t value, int64_t size, clnd_bounds bounds, int64_t *index)
{
    bool inside = value >= 0 && value < size;
    if (!inside && bounds == CLND_BOUNDS_WRAP && value < 0 && value >= -size) {
        value += size;
        inside = true;
    }
    if (!inside && bounds == CLND_BOUNDS_CLAMP && size > 0) {
        value = value < 0 ? 0 : size - 1;
        inside = true;
    }
    *index = inside ? value : -1;
    return inside;
}

bool ref_refuses(clnd_bounds bounds)
{
    return bounds == CLND_BOUNDS_ERROR || bounds == CLND_BOUNDS_WRAP;
}

int64_t ref_row(const ref_array *indices, const int64_t *position)
{
    int64_t row = 0;
    for (int d = 0; d + 1 < indices->rank; d++)
        row = row * indices->shape[d] + position[d];
    return row;
}

bool ref_tuple(const ref_array *indices, const int64_t *position, const int64_t *extents, int depth,
               clnd_bounds bounds, int64_t *tuple)
{
    int64_t at[CLND_MAX_RANK];
    bool good = true;
    for (int d = 0; d + 1 < indices->rank; d++)
        at[d] = position[d];
    for (int k = 0; k < depth; k++) {
        at[indices->rank - 1] = k;
        if (!ref_resolve(ref_index_at(indices, at), extents[k], bounds, &tuple[k]))
            good = false;
    }
    return good;
}
