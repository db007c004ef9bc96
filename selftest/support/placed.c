// SPDX-License-Identifier: Apache-2.0

#include "placed.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

// Picks strides, and counts the elements from the lowest to the highest address.
static int64_t pick_strides(rng *r, int rank, const int64_t *shape, unsigned flags,
                            int64_t *strides, int64_t *lowest)
{
    int order[CLND_MAX_RANK]; // dimensions from the innermost outwards
    bool strided = (flags & PLACED_STRIDED) && rng_chance(r, 60);
    for (int d = 0; d < rank; d++)
        order[d] = rank - 1 - d;
    if (strided && rng_chance(r, 50)) {
        for (int d = rank - 1; d > 0; d--) {
            int other = (int)rng_range(r, 0, d);
            int swap = order[d];
            order[d] = order[other];
            order[other] = swap;
        }
    }
    int64_t extent = 1; // elements from the first to the last, of the dimensions so far
    *lowest = 0;
    for (int i = 0; i < rank; i++) {
        int d = order[i];
        int64_t stride = extent;
        if (strided && rng_chance(r, 30))
            stride += rng_range(r, 1, 3);
        if ((flags & PLACED_BROADCAST) && rng_chance(r, 12)) {
            strides[d] = 0;
            continue;
        }
        if (strided && shape[d] == 1 && rng_chance(r, 30)) { // never used
            strides[d] = rng_chance(r, 50) ? 0 : rng_range(r, -1000, 1000);
            continue;
        }
        extent += stride * (shape[d] - 1);
        if (strided && rng_chance(r, 30)) {
            *lowest -= stride * (shape[d] - 1);
            stride = -stride;
        }
        strides[d] = stride;
    }
    return extent;
}

static void make_tensor(placed *p)
{
    p->tensor =
        (clnd_tensor){.offset = p->host.offset, .dtype = p->host.dtype, .rank = p->host.rank};
    memcpy(p->tensor.shape, p->host.shape, sizeof p->tensor.shape);
    memcpy(p->tensor.strides, p->host.strides, sizeof p->tensor.strides);
}

static void make_image(placed *p, rng *r, size_t bytes)
{
    p->bytes = bytes;
    p->host.data = malloc(bytes + 1);
    check(p->host.data, "out of memory");
    for (size_t i = 0; i < bytes; i++)
        p->host.data[i] = (unsigned char)rng_u64(r);
}

void placed_make(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                 const int64_t *shape, unsigned flags)
{
    memset(p, 0, sizeof *p);
    p->name = name;
    p->host.dtype = dtype;
    p->host.rank = rank;
    for (int d = 0; d < rank; d++)
        p->host.shape[d] = shape[d];
    size_t size = ref_size(dtype);
    if (ref_count(rank, shape) == 0) {
        // no elements: strides and offset may be anything, and there may be no buffer
        for (int d = 0; d < rank; d++)
            p->host.strides[d] = rng_range(r, -50, 50);
        p->host.offset = (size_t)rng_range(r, 0, 20) * size;
        make_image(p, r, rng_chance(r, 50) ? 0 : (size_t)rng_range(r, 1, 64));
        make_tensor(p);
        return;
    }
    int64_t lowest;
    int64_t extent = pick_strides(r, rank, shape, flags, p->host.strides, &lowest);
    size_t before = rng_chance(r, 25) ? 0 : (size_t)rng_range(r, 0, 80);
    size_t after = rng_chance(r, 40) ? 0 : (size_t)rng_range(r, 0, 80);
    if ((flags & PLACED_ALIGNED) || rng_chance(r, 50))
        before = before / size * size;
    p->host.offset = before + (size_t)-lowest * size;
    make_image(p, r, before + (size_t)extent * size + after);
    make_tensor(p);
}

static void make_dense(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                       const int64_t *shape, size_t guard)
{
    memset(p, 0, sizeof *p);
    p->name = name;
    p->host.dtype = dtype;
    p->host.rank = rank;
    p->host.offset = guard;
    int64_t count = 1;
    for (int d = rank - 1; d >= 0; d--) {
        p->host.shape[d] = shape[d];
        p->host.strides[d] = count;
        count *= shape[d];
    }
    make_image(p, r, guard + (size_t)count * ref_size(dtype) + guard);
    make_tensor(p);
}

void placed_from(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                 const int64_t *shape, const void *elements)
{
    make_dense(p, name, r, dtype, rank, shape, 0);
    if (elements && p->bytes)
        memcpy(p->host.data, elements, p->bytes);
}

void placed_guarded(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                    const int64_t *shape)
{
    make_dense(p, name, r, dtype, rank, shape, 512);
}

void placed_fill(placed *p, rng *r, const values *v)
{
    int64_t at[CLND_MAX_RANK];
    for (bool more = ref_first(p->host.rank, p->host.shape, at); more;
         more = ref_next(p->host.rank, p->host.shape, at))
        values_write(v, p->host.dtype, r, ref_at(&p->host, at));
}

void placed_upload(placed *p, const device *d)
{
    cl_int code;
    if (p->bytes == 0)
        return;
    if (p->tensor.buffer) {
        check_cl(clEnqueueWriteBuffer(d->queue, p->tensor.buffer, CL_TRUE, 0, p->bytes,
                                      p->host.data, 0, NULL, NULL));
        check_cl(clFinish(d->queue)); // other queues would not wait: Intel's CPU runtime goes on
        return;
    }
    p->tensor.buffer = clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      p->bytes, p->host.data, &code);
    check_cl(code);
}

cl_event placed_upload_late(placed *p, const device *d)
{
    cl_event event;
    if (p->bytes == 0)
        return NULL;
    for (size_t i = 0; i < p->bytes; i++)
        p->host.data[i] ^= 0xff;
    placed_upload(p, d);
    for (size_t i = 0; i < p->bytes; i++)
        p->host.data[i] ^= 0xff;
    check_cl(clEnqueueWriteBuffer(d->other, p->tensor.buffer, CL_FALSE, 0, p->bytes, p->host.data,
                                  0, NULL, &event));
    check_cl(clFlush(d->other));
    return event;
}

unsigned char *placed_read(const placed *p, const device *d)
{
    unsigned char *bytes = malloc(p->bytes + 1);
    check(bytes, "out of memory");
    if (p->tensor.buffer)
        check_cl(clEnqueueReadBuffer(d->queue, p->tensor.buffer, CL_TRUE, 0, p->bytes, bytes, 0,
                                     NULL, NULL));
    return bytes;
}

void placed_free(placed *p)
{
    if (p->tensor.buffer)
        check_cl(clReleaseMemObject(p->tensor.buffer));
    free(p->host.data);
    memset(p, 0, sizeof *p);
}

static double part_value(clnd_dtype dtype, const unsigned char *part)
{
    uint16_t f16;
    float f32;
    double f64;
    switch (dtype) {
    case CLND_FLOAT16:
    case CLND_BFLOAT16:
        memcpy(&f16, part, sizeof f16);
        return ref_widen(dtype, f16);
    case CLND_FLOAT32:
    case CLND_COMPLEX64:
        memcpy(&f32, part, sizeof f32);
        return f32;
    default:
        memcpy(&f64, part, sizeof f64);
        return f64;
    }
}

bool placed_same_number(clnd_dtype dtype, equality rule, const unsigned char *expected,
                        const unsigned char *actual)
{
    if (dtype == CLND_BOOL)
        return (*expected != 0) == (*actual != 0);
    if (!values_is_float(dtype) && !values_is_complex(dtype))
        return false;
    size_t parts = values_is_complex(dtype) ? 2 : 1;
    size_t size = ref_size(dtype) / parts;
    double largest = 0;
    for (size_t i = 0; i < parts; i++)
        largest = fmax(largest, fabs(part_value(dtype, expected + i * size)));
    for (size_t i = 0; i < parts; i++) {
        double e = part_value(dtype, expected + i * size);
        double a = part_value(dtype, actual + i * size);
        bool same = memcmp(expected + i * size, actual + i * size, size) == 0;
        if (isnan(e) && isnan(a))
            same = true;
        if (rule == EQUAL_NEARLY && fabs(e - a) <= 1e-5 * largest)
            same = true;
        if (!same)
            return false;
    }
    return true;
}

// Names the element that holds a byte, or says that none does.
static void describe_byte(const placed *p, size_t byte, char text[600])
{
    char list[512];
    int64_t at[CLND_MAX_RANK];
    size_t size = ref_size(p->host.dtype);
    for (bool more = ref_first(p->host.rank, p->host.shape, at); more;
         more = ref_next(p->host.rank, p->host.shape, at)) {
        size_t first = (size_t)(ref_at(&p->host, at) - p->host.data);
        if (byte >= first && byte < first + size) {
            snprintf(text, 600, "element %s (bytes %zu to %zu)",
                     placed_list(p->host.rank, at, list), first, first + size - 1);
            return;
        }
    }
    snprintf(text, 600, "no element: a guard band or a gap");
}

void placed_compare(const placed *p, unsigned char *actual, equality rule,
                    const unsigned char *touched)
{
    char where[600];
    int64_t at[CLND_MAX_RANK];
    size_t size = ref_size(p->host.dtype);
    if (rule != EQUAL_BITS) {
        for (bool more = ref_first(p->host.rank, p->host.shape, at); more;
             more = ref_next(p->host.rank, p->host.shape, at)) {
            const unsigned char *expected = ref_at(&p->host, at);
            size_t byte = (size_t)(expected - p->host.data);
            if (rule == EQUAL_AROUND ||
                ((!touched || touched[byte]) &&
                 placed_same_number(p->host.dtype, rule, expected, actual + byte)))
                memcpy(actual + byte, expected, size);
        }
    }
    for (size_t i = 0; i < p->bytes; i++) {
        if (actual[i] != p->host.data[i]) {
            describe_byte(p, i, where);
            check(false, "%s: byte %zu of %zu is %02x, expected %02x; it belongs to %s", p->name, i,
                  p->bytes, actual[i], p->host.data[i], where);
        }
    }
}

void placed_check(const placed *p, const device *d, equality rule, const unsigned char *touched)
{
    if (!p->tensor.buffer)
        return;
    unsigned char *actual = placed_read(p, d);
    placed_compare(p, actual, rule, touched);
    free(actual);
}

const char *placed_list(int count, const int64_t *list, char text[512])
{
    int used = snprintf(text, 512, "[");
    for (int i = 0; i < count; i++)
        used += snprintf(text + used, 512 - (size_t)used, "%s%" PRId64, i ? ", " : "", list[i]);
    snprintf(text + used, 512 - (size_t)used, "]");
    return text;
}
