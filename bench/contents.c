// SPDX-License-Identifier: Apache-2.0

#include "contents.h"

#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "ref.h"

enum { PERIOD = 1021, BYTE_PERIOD = 251, SUM_CENTRE = 510, SUM_SCALE = 1024, GRAIN = 1 << 14 };

static void put(unsigned char *element, const void *value, size_t size)
{
    memcpy(element, value, size);
}

// The value as a float, where the dtype is one; false where it is not.
static bool put_float(clnd_dtype dtype, double value, unsigned char *element)
{
    const float single = (float)value;
    uint16_t half;
    switch (dtype) {
    case CLND_FLOAT16:
    case CLND_BFLOAT16:
        half = ref_narrow(dtype, single);
        put(element, &half, sizeof half);
        return true;
    case CLND_FLOAT32:
    case CLND_COMPLEX64: // the imaginary part stays 0
        put(element, &single, sizeof single);
        return true;
    case CLND_FLOAT64:
    case CLND_COMPLEX128:
        put(element, &value, sizeof value);
        return true;
    default:
        return false;
    }
}

// The low bytes first, as far as the element goes.
static void put_integer(int64_t value, size_t size, unsigned char *element)
{
    for (size_t i = 0; i < size; ++i)
        element[i] = (unsigned char)((uint64_t)value >> 8 * (i < 7 ? i : 7));
}

static void put_element(enum contents_kind kind, clnd_dtype dtype, int64_t i,
                        unsigned char *element)
{
    const int64_t period = clnd_dtype_size(dtype) == 1 ? BYTE_PERIOD : PERIOD;
    const int64_t sign = i % 2 ? -1 : 1, moved = dtype == CLND_BOOL ? i % 2 : i % period;
    switch (kind) {
    case CONTENTS_ZERO:
        break;
    case CONTENTS_MOVED:
        if (!put_float(dtype, (double)moved, element))
            put_integer(moved, clnd_dtype_size(dtype), element);
        break;
    case CONTENTS_SUMMED:
        if (!put_float(dtype, (double)(i % PERIOD - SUM_CENTRE) / (double)SUM_SCALE, element))
            put_integer(1, clnd_dtype_size(dtype), element);
        break;
    case CONTENTS_SIGNS:
        if (!put_float(dtype, (double)sign, element))
            put_integer(dtype == CLND_BOOL ? sign > 0 : sign, clnd_dtype_size(dtype), element);
        break;
    }
}

bool contents_create(enum contents_kind kind, clnd_dtype dtype, struct contents *contents)
{
    const size_t size = clnd_dtype_size(dtype);
    const int64_t period = kind == CONTENTS_MOVED && size == 1 ? BYTE_PERIOD
                           : kind == CONTENTS_SIGNS            ? 2
                                                               : PERIOD;
    *contents = (struct contents){size, period, calloc(2 * (size_t)period, size)};
    if (!contents->elements)
        return fail_memory("contents of a tensor", 2.0 * (double)period * (double)size);
    for (int64_t i = 0; i < 2 * period; ++i)
        put_element(kind, dtype, i % period, contents->elements + (size_t)i * size);
    return true;
}

void contents_free(struct contents *contents)
{
    free(contents->elements);
    contents->elements = NULL;
}

struct filling {
    const struct contents *contents;
    unsigned char *memory;
};

// Whole periods but at the borders, so that little more than a copy is left to do.
static void fill(void *context, int64_t begin, int64_t end)
{
    const struct filling *filling = context;
    const struct contents *contents = filling->contents;
    for (int64_t i = begin; i < end;) {
        const int64_t most = contents->period;
        const int64_t count = end - i < most ? end - i : most;
        memcpy(filling->memory + (size_t)i * contents->size, contents_at(contents, i),
               (size_t)count * contents->size);
        i += count;
    }
}

void contents_fill(const struct contents *contents, struct team *team, void *memory, int64_t count)
{
    struct filling filling = {contents, memory};
    team_for(team, count, GRAIN, fill, &filling);
}

bool contents_equal(const struct contents *contents, const void *memory, int64_t first,
                    int64_t count)
{
    const unsigned char *bytes = memory;
    while (count > 0) {
        const int64_t part = count < contents->period ? count : contents->period;
        if (memcmp(bytes, contents_at(contents, first), (size_t)part * contents->size) != 0)
            return false;
        bytes += (size_t)part * contents->size;
        first += part;
        count -= part;
    }
    return true;
}
