// SPDX-License-Identifier: Apache-2.0

#include "text.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

// One number of `dtype`, or one part of a complex one.
static void write_number(clnd_dtype dtype, const char **text, unsigned char *at)
{
    char *end;
    if (values_is_float(dtype) || values_is_complex(dtype)) {
        double f64 = strtod(*text, &end);
        float f32 = (float)f64;
        uint16_t f16 = ref_narrow(dtype, f32);
        if (values_is_double(dtype))
            memcpy(at, &f64, sizeof f64);
        else if (dtype == CLND_FLOAT32 || dtype == CLND_COMPLEX64)
            memcpy(at, &f32, sizeof f32);
        else
            memcpy(at, &f16, sizeof f16);
    } else if (dtype == CLND_UINT64) {
        unsigned long long value = strtoull(*text, &end, 10);
        memcpy(at, &value, sizeof value);
    } else {
        long long value = strtoll(*text, &end, 10);
        size_t size = ref_size(dtype);
        memset(at, 0, size);
        memcpy(at, &value, size < sizeof value ? size : sizeof value);
    }
    check(end != *text, "no number at \"%s\"", *text);
    *text = end;
}

void text_elements(placed *p, const char *text)
{
    const char *colon = strchr(text, ':');
    int64_t at[CLND_MAX_RANK], count = 0;
    clnd_dtype dtype = p->host.dtype;
    size_t size = ref_size(dtype);
    if (colon)
        colon++;
    for (bool more = ref_first(p->host.rank, p->host.shape, at); more;
         more = ref_next(p->host.rank, p->host.shape, at)) {
        unsigned char *element = ref_at(&p->host, at);
        if (!colon) {
            values_write_index(dtype, count++, element);
            continue;
        }
        write_number(dtype, &colon, element);
        if (values_is_complex(dtype)) {
            check(*colon == ',', "a complex number has two parts: \"%s\"", text);
            colon++;
            write_number(dtype, &colon, element + size / 2);
        }
    }
    check(!colon || strspn(colon, " ") == strlen(colon), "too many elements in \"%s\"", text);
}

void text_space(placed *p, const char *name, rng *r, clnd_dtype dtype, const char *text)
{
    int64_t shape[CLND_MAX_RANK];
    int rank = 0;
    for (const char *c = text; *c && *c != ':';) {
        char *end;
        shape[rank++] = strtoll(c, &end, 10);
        check(end != c, "no size at \"%s\"", c);
        c = *end == ',' ? end + 1 : end;
    }
    placed_from(p, name, r, dtype, rank, shape, NULL);
}

void text_tensor(placed *p, const char *name, rng *r, clnd_dtype dtype, const char *text)
{
    text_space(p, name, r, dtype, text);
    text_elements(p, text);
}
