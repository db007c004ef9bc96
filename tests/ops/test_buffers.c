// SPDX-License-Identifier: Apache-2.0
//
// Buffers of other kinds: parts of buffers, and buffers on the caller's own memory at any address.

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"

enum { WHOLE = 1 << 16 };

static cl_mem new_whole(const device *d, unsigned char *image)
{
    cl_int code;
    for (int i = 0; i < WHOLE; i++)
        image[i] = (unsigned char)rng_u64(case_rng());
    cl_mem whole =
        clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, WHOLE, image, &code);
    check_cl(code);
    return whole;
}

// A part of a buffer, or NULL when the device does not allow that origin.
static cl_mem new_part(cl_mem whole, size_t origin, size_t size)
{
    cl_int code;
    cl_buffer_region region = {origin, size};
    cl_mem part =
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code == CL_MISALIGNED_SUB_BUFFER_OFFSET)
        return NULL;
    check_cl(code);
    return part;
}

static void check_whole(const device *d, cl_mem whole, const unsigned char *image)
{
    unsigned char *actual = malloc(WHOLE);
    check(actual, "out of memory");
    check_cl(clEnqueueReadBuffer(d->queue, whole, CL_TRUE, 0, WHOLE, actual, 0, NULL, NULL));
    for (int i = 0; i < WHOLE; i++)
        check(actual[i] == image[i], "byte %d is %02x, expected %02x", i, actual[i], image[i]);
    free(actual);
}

static clnd_tensor vector(cl_mem buffer, size_t offset, clnd_dtype dtype, int64_t length)
{
    clnd_tensor tensor;
    check_status(clnd_tensor_dense(buffer, offset, dtype, 1, &length, &tensor), CLND_OK);
    return tensor;
}

static size_t base_alignment(const device *d)
{
    cl_uint bits = 0;
    check_cl(clGetDeviceInfo(d->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    return bits / 8 ? bits / 8 : 1;
}

Test(buffers, parts_of_one_buffer)
{
    static unsigned char image[WHOLE];
    const device *d = device_get();
    case_begin("buffers parts", 0);
    size_t base = base_alignment(d);
    check(base <= WHOLE / 8, "base alignment %zu", base);
    cl_mem whole = new_whole(d, image);
    cl_mem first = new_part(whole, base, 2 * base), second = new_part(whole, 3 * base, 2 * base);
    check(first && second, "no parts at the base alignment");
    clnd_tensor from = vector(first, 1, CLND_INT16, (int64_t)(base / 2 - 1));
    clnd_tensor to = vector(second, 3, CLND_INT16, (int64_t)(base / 2 - 1));
    check_status(clnd_copy(d->engine, NULL, &from, &to, NULL, 0, NULL, NULL), CLND_OK);
    memcpy(image + 3 * base + 3, image + base + 1, base / 2 * 2 - 2);
    check_whole(d, whole, image);
    check_cl(clReleaseMemObject(first));
    check_cl(clReleaseMemObject(second));
    check_cl(clReleaseMemObject(whole));
}

// Parts that overlap each other, or a part and the whole, share memory though the cl_mems differ.
Test(buffers, overlap_of_parts_is_found)
{
    static unsigned char image[WHOLE];
    const device *d = device_get();
    case_begin("buffers overlap", 0);
    size_t base = base_alignment(d);
    cl_mem whole = new_whole(d, image);
    cl_mem first = new_part(whole, base, 2 * base), second = new_part(whole, 2 * base, 2 * base);
    int64_t length = (int64_t)(base / 2);
    clnd_tensor a = vector(first, base, CLND_INT8, length); // bytes 2 base to 2.5 base of whole
    clnd_tensor b = vector(second, 0, CLND_INT8, length);   // the same
    clnd_tensor c = vector(whole, 2 * base, CLND_INT8, length);
    clnd_tensor e = vector(second, base / 2, CLND_INT8, length); // right behind them
    const clnd_tensor *same[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            check_status(clnd_copy(d->engine, NULL, same[i], same[j], NULL, 0, NULL, NULL),
                         CLND_OVERLAP);
        check_status(clnd_copy(d->engine, NULL, same[i], &e, NULL, 0, NULL, NULL), CLND_OK);
    }
    memcpy(image + 2 * base + base / 2, image + 2 * base, base / 2);
    check_whole(d, whole, image);
    check_cl(clReleaseMemObject(first));
    check_cl(clReleaseMemObject(second));
    check_cl(clReleaseMemObject(whole));
}

// Bytes 0 to 7 and 8 to 15 are neighbours; one byte more of either is shared.
Test(buffers, overlap_of_one_byte_is_found)
{
    static unsigned char image[WHOLE];
    const device *d = device_get();
    case_begin("buffers one byte", 0);
    cl_mem whole = new_whole(d, image);
    const clnd_tensor low = vector(whole, 0, CLND_UINT8, 8), high = vector(whole, 8, CLND_UINT8, 8);
    const clnd_tensor middle = vector(whole, 7, CLND_UINT8, 8);
    const clnd_tensor *pairs[][2] = {{&low, &middle}, {&middle, &low}};
    for (int i = 0; i < 2; i++)
        check_status(clnd_copy(d->engine, NULL, pairs[i][0], pairs[i][1], NULL, 0, NULL, NULL),
                     CLND_OVERLAP);
    check_status(clnd_copy(d->engine, NULL, &low, &high, NULL, 0, NULL, NULL), CLND_OK);
    memcpy(image + 8, image, 8);
    check_whole(d, whole, image);
    check_status(clnd_copy(d->engine, NULL, &high, &low, NULL, 0, NULL, NULL), CLND_OK);
    check_whole(d, whole, image);
    check_cl(clReleaseMemObject(whole));
}

// Two buffers on one piece of the caller's memory share it though neither is a part of the other.
Test(buffers, overlap_of_host_memory_is_found)
{
    enum { HALF = 4096 }; // bytes; a multiple of any base alignment
    static unsigned char memory[3 * HALF] __attribute__((aligned(HALF)));
    const device *d = device_get();
    cl_int code;
    cl_mem buffers[2];
    case_begin("buffers host overlap", 0);
    for (int i = 0; i < 2; i++) {
        buffers[i] = clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 2 * HALF,
                                    memory + i * HALF, &code);
        check_cl(code);
    }
    cl_mem part = new_part(buffers[0], HALF, HALF);
    clnd_tensor low = vector(buffers[0], HALF - 64, CLND_INT8, 65); // one byte of the other buffer
    clnd_tensor high = vector(buffers[1], 0, CLND_INT8, 65);
    clnd_tensor first = vector(part, 64, CLND_INT8, 65);
    check_status(clnd_copy(d->engine, NULL, &low, &high, NULL, 0, NULL, NULL), CLND_OVERLAP);
    check_message("of the host's memory overlap");
    check_status(clnd_copy(d->engine, NULL, &high, &low, NULL, 0, NULL, NULL), CLND_OVERLAP);
    check_status(clnd_copy(d->engine, NULL, &high, &first, NULL, 0, NULL, NULL), CLND_OVERLAP);
    low.shape[0] = high.shape[0] = first.shape[0] = 64;
    check_status(clnd_copy(d->engine, NULL, &low, &high, NULL, 0, NULL, NULL), CLND_OK);
    check_status(clnd_copy(d->engine, NULL, &high, &first, NULL, 0, NULL, NULL), CLND_OK);
    check_cl(clFinish(d->queue));
    check_cl(clReleaseMemObject(part));
    check_cl(clReleaseMemObject(buffers[0]));
    check_cl(clReleaseMemObject(buffers[1]));
}

// A part ends where it ends, not where the whole does.
Test(buffers, part_is_too_small)
{
    static unsigned char image[WHOLE];
    const device *d = device_get();
    case_begin("buffers end", 0);
    size_t base = base_alignment(d);
    cl_mem whole = new_whole(d, image);
    cl_mem part = new_part(whole, base, base);
    clnd_tensor from = vector(whole, 4 * base, CLND_INT8, (int64_t)base);
    clnd_tensor to = vector(part, 1, CLND_INT8, (int64_t)base);
    check_status(clnd_copy(d->engine, NULL, &from, &to, NULL, 0, NULL, NULL),
                 CLND_BUFFER_TOO_SMALL);
    to.offset = 0;
    check_status(clnd_copy(d->engine, NULL, &from, &to, NULL, 0, NULL, NULL), CLND_OK);
    memcpy(image + base, image + 4 * base, base);
    check_whole(d, whole, image);
    check_cl(clReleaseMemObject(part));
    check_cl(clReleaseMemObject(whole));
}

// Every op on buffers that begin `shift` bytes into their memory: wide loads must not be used, and
// what needs alignment, which the indices need most of, is refused.
static void at_address(const device *d, size_t shift, cl_mem source, cl_mem target,
                       const unsigned char *from, unsigned char *to, cl_mem index_buffer,
                       clnd_dtype dtype)
{
    const bool aligned = shift % sizeof(int64_t) == 0;
    size_t size = ref_size(dtype);
    clnd_tensor params = vector(source, 0, dtype, 6), out = vector(target, 0, dtype, 3);
    clnd_tensor indices;
    check_status(clnd_tensor_dense(index_buffer, 0, CLND_INT64, 2, (int64_t[]){3, 1}, &indices),
                 CLND_OK);
    clnd_status status =
        clnd_gather_nd(d->engine, NULL, &params, &indices, &out, NULL, 0, NULL, NULL);
    check_status(status, aligned ? CLND_OK : CLND_MISALIGNED);
    for (size_t i = 0; i < 3 && aligned; i++) // indices 5, 0, 2
        memcpy(to + i * size, from + (i == 0 ? 5 : i == 1 ? 0 : 2) * size, size);
    params.shape[0] = 3;
    out.offset = 3 * size;
    check_status(clnd_copy(d->engine, NULL, &params, &out, NULL, 0, NULL, NULL), CLND_OK);
    memcpy(to + 3 * size, from, 3 * size);
    out.shape[0] = 6;
    out.offset = 0;
    for (int atomic = 0; atomic < 2; atomic++) { // narrow elements: words that reach outside
        static const size_t at[] = {5, 0, 2};
        clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_SKIP};
        clnd_engine *engine = device_with(d, atomic ? "must,atomic" : NULL)->engine;
        status =
            clnd_scatter_nd_into(engine, d->queue, &indices, &params, &out, &add, 0, NULL, NULL);
        const bool has_sum = dtype != CLND_OPAQUE(16);
        if (!atomic || !aligned || !has_sum || status != CLND_INVALID_OPTION)
            check_status(status, !has_sum   ? CLND_UNSUPPORTED_DTYPE
                                 : !aligned ? CLND_MISALIGNED
                                            : CLND_OK);
        for (size_t i = 0; i < 3 && status == CLND_OK; i++)
            ref_reduce(dtype, CLND_REDUCE_ADD, to + at[i] * size, from + i * size);
    }
}

static const clnd_dtype address_dtypes[] = {CLND_UINT8, CLND_INT16, CLND_INT32, CLND_INT64,
                                            CLND_OPAQUE(16)};

Test(buffers, host_memory_at_odd_addresses)
{
    enum { SPACE = 256 };
    const device *d = device_get();
    for (size_t shift = 0; shift <= 17; shift++) {
        for (int t = 0; t < 5; t++) {
            cl_int code;
            unsigned char *memory = aligned_alloc(128, 3 * SPACE), expected[3 * SPACE];
            case_begin("buffers host memory", (int)shift);
            case_note("dtype %llx at %zu", (unsigned long long)address_dtypes[t], shift);
            check(memory, "out of memory");
            for (int i = 0; i < 3 * SPACE; i++)
                memory[i] = (unsigned char)rng_u64(case_rng());
            memcpy(memory + 2 * SPACE + shift, (int64_t[]){5, 0, 2}, 24);
            memcpy(expected, memory, sizeof expected);
            cl_mem buffers[3];
            for (size_t i = 0; i < 3; i++) {
                buffers[i] = clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                            128, memory + i * SPACE + shift, &code);
                check_cl(code);
            }
            at_address(d, shift, buffers[0], buffers[1], expected + shift, expected + SPACE + shift,
                       buffers[2], address_dtypes[t]);
            unsigned char got[128];
            check_cl(clEnqueueReadBuffer(d->queue, buffers[1], CL_TRUE, 0, sizeof got, got, 0, NULL,
                                         NULL));
            check(memcmp(got, expected + SPACE + shift, sizeof got) == 0, "wrong bytes");
            for (int i = 0; i < 3; i++)
                check_cl(clReleaseMemObject(buffers[i]));
            check_cl(clFinish(d->queue));
            check(memcmp(memory, expected, SPACE) == 0, "the source changed");
            free(memory);
        }
    }
}

// Atomics on bytes take the aligned word around: at an odd address that begins before the buffer.
Test(buffers, atomic_words_begin_inside)
{
    const device *d = device_get();
    for (size_t shift = 0; shift < 8; shift++) {
        case_begin("buffers words", (int)shift);
        cl_int code;
        unsigned char *memory = aligned_alloc(128, 256);
        check(memory, "out of memory");
        memset(memory, 0, 256);
        cl_mem bytes = clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 128,
                                      memory + shift, &code);
        check_cl(code);
        cl_mem zeros = clCreateBuffer(d->context, CL_MEM_COPY_HOST_PTR, 128, memory, &code);
        check_cl(code);
        const clnd_tensor target = vector(bytes, 0, CLND_UINT8, 8);
        const clnd_tensor updates = vector(zeros, 64, CLND_UINT8, 3);
        clnd_tensor indices;
        check_status(clnd_tensor_dense(zeros, 0, CLND_INT64, 2, (int64_t[]){3, 1}, &indices),
                     CLND_OK);
        const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD};
        clnd_engine *engine = device_with(d, "must,atomic")->engine;
        check_status(clnd_scatter_nd_into(engine, d->queue, &indices, &updates, &target, &add, 0,
                                          NULL, NULL),
                     shift % 4 ? CLND_INVALID_OPTION : CLND_OK);
        check_cl(clFinish(d->queue));
        check_cl(clReleaseMemObject(bytes));
        check_cl(clReleaseMemObject(zeros));
        free(memory);
    }
}

// OpenCL fills whole patterns only, at multiples of their size.
Test(buffers, zeros_at_any_offset)
{
    static unsigned char image[WHOLE];
    const device *d = device_get();
    case_begin("buffers zeros", 0);
    cl_mem whole = new_whole(d, image);
    const clnd_tensor none = vector(NULL, 0, CLND_UINT8, 0);
    const clnd_slice nothing = {.length = 1, .strides = {1}};
    for (size_t offset = 0; offset <= 17; offset++) {
        const clnd_tensor out = vector(whole, 64 * offset + offset, CLND_UINT8, 16);
        check_status(
            clnd_strided_slice_grad(d->engine, NULL, &none, &nothing, &out, NULL, 0, NULL, NULL),
            CLND_OK);
        memset(image + out.offset, 0, 16);
    }
    check_whole(d, whole, image);
    check_cl(clReleaseMemObject(whole));
}

// Zeros go to elements, not between them.
Test(buffers, zeros_between_gaps)
{
    static unsigned char image[WHOLE];
    static const char *const words[] = {NULL, "lanes"};
    const clnd_slice nothing = {.length = 1, .strides = {1}};
    for (int i = 0; i < 4; i++) {
        const device *d = device_with(device_get(), words[i / 2]);
        case_begin("buffers gaps", i);
        cl_mem whole = new_whole(d, image);
        const clnd_tensor none = vector(NULL, 0, CLND_UINT16, 0);
        clnd_tensor out = vector(whole, 512, CLND_UINT16, 50);
        out.strides[0] = i % 2 ? -3 : 2;
        check_status(clnd_strided_slice_grad(d->engine, d->queue, &none, &nothing, &out, NULL, 0,
                                             NULL, NULL),
                     CLND_OK);
        for (int k = 0; k < 50; k++)
            memset(image + 512 + 2 * k * out.strides[0], 0, 2);
        check_whole(d, whole, image);
        check_cl(clReleaseMemObject(whole));
    }
}

// Complex numbers need the alignment of a part.
Test(buffers, complex_sums_at_odd_multiples_of_a_part)
{
    static unsigned char image[WHOLE];
    static const float target[] = {1, 2}, update[] = {3, -1}, sum[] = {4, 1};
    const device *d = device_get();
    case_begin("buffers complex", 0);
    cl_mem whole = new_whole(d, image);
    memset(image, 0, 4); // the only index
    memcpy(image + 68, target, sizeof target);
    memcpy(image + 132, update, sizeof update);
    check_cl(clEnqueueWriteBuffer(d->queue, whole, CL_TRUE, 0, WHOLE, image, 0, NULL, NULL));
    clnd_tensor indices;
    check_status(clnd_tensor_dense(whole, 0, CLND_INT32, 2, (int64_t[]){1, 1}, &indices), CLND_OK);
    clnd_tensor data = vector(whole, 68, CLND_COMPLEX64, 1);
    const clnd_tensor updates = vector(whole, 132, CLND_COMPLEX64, 1);
    const clnd_scatter_nd_options options = {.reduce = CLND_REDUCE_ADD};
    check_status(
        clnd_scatter_nd_into(d->engine, NULL, &indices, &updates, &data, &options, 0, NULL, NULL),
        CLND_OK);
    memcpy(image + 68, sum, sizeof sum);
    data.offset = 66;
    check_status(
        clnd_scatter_nd_into(d->engine, NULL, &indices, &updates, &data, &options, 0, NULL, NULL),
        CLND_MISALIGNED);
    check_whole(d, whole, image);
    check_cl(clReleaseMemObject(whole));
}

// Where the device takes any origin, a part may begin at any address.
Test(buffers, parts_at_odd_origins)
{
    static unsigned char image[WHOLE];
    const device *d = device_get();
    int ran = 0;
    for (size_t shift = 0; shift <= 17; shift++) {
        for (int t = 0; t < 5; t++) {
            case_begin("buffers origins", (int)shift);
            case_note("dtype %llx at %zu", (unsigned long long)address_dtypes[t], shift);
            cl_mem whole = new_whole(d, image);
            memcpy(image + 512 + shift, (int64_t[]){5, 0, 2}, 24);
            check_cl(
                clEnqueueWriteBuffer(d->queue, whole, CL_TRUE, 0, WHOLE, image, 0, NULL, NULL));
            cl_mem parts[3];
            for (size_t i = 0; i < 3; i++)
                parts[i] = new_part(whole, 256 * i + shift, 128);
            if (parts[0] && parts[1] && parts[2]) {
                at_address(d, shift, parts[0], parts[1], image + shift, image + 256 + shift,
                           parts[2], address_dtypes[t]);
                check_whole(d, whole, image);
                ran += shift > 0;
            }
            for (int i = 0; i < 3; i++)
                if (parts[i])
                    check_cl(clReleaseMemObject(parts[i]));
            check_cl(clReleaseMemObject(whole));
        }
    }
    if (!ran)
        cr_skip_test("%s takes aligned origins only", d->facts->name);
}
