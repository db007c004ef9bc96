// SPDX-License-Identifier: Apache-2.0

#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The numbers. Strings and void carry their size in the descr and are not listed.
static const struct npy_number {
    char kind;
    uint64_t size;
    clnd_dtype dtype;
} numbers[] = {
    {'b', 1, CLND_BOOL},      {'i', 1, CLND_INT8},        {'i', 2, CLND_INT16},
    {'i', 4, CLND_INT32},     {'i', 8, CLND_INT64},       {'u', 1, CLND_UINT8},
    {'u', 2, CLND_UINT16},    {'u', 4, CLND_UINT32},      {'u', 8, CLND_UINT64},
    {'f', 2, CLND_FLOAT16},   {'f', 4, CLND_FLOAT32},     {'f', 8, CLND_FLOAT64},
    {'c', 8, CLND_COMPLEX64}, {'c', 16, CLND_COMPLEX128},
};

static clnd_dtype number_dtype(char kind, uint64_t size)
{
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (numbers[i].kind == kind && numbers[i].size == size) {
            return numbers[i].dtype;
        }
    }
    return 0;
}

// The decimal number at `digits`; false unless it is all of the text, 1 to CLND_MAX_OPAQUE_SIZE.
static bool parse_count(const char *digits, size_t length, uint64_t *count)
{
    *count = 0;
    if (length == 0 || digits[0] == '0') {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return false;
        }
        *count = 10 * *count + (uint64_t)(digits[i] - '0');
        if (*count > CLND_MAX_OPAQUE_SIZE) {
            return false;
        }
    }
    return true;
}

bool npy_type_parse(const char *descr, size_t length, struct npy_type *type, char *error)
{
    char quote[64];
    text_escape(quote, sizeof quote, descr, length);
    char order = length > 0 ? descr[0] : '\0';
    char kind = length > 1 ? descr[1] : '\0';
    if (order == '>') {
        return text_fail(error, "dtype '%s' is big-endian; in NumPy, astype('<%s') converts it",
                         quote, quote + 1);
    }
    if (kind == 'O' || order == 'O') {
        return text_fail(error, "dtype '%s' means Python objects, which are not supported", quote);
    }
    uint64_t count = 0;
    bool is_text = kind == 'S' || kind == 'U' || kind == 'V';
    uint64_t unit = kind == 'U' ? 4 : 1;
    clnd_dtype dtype = 0;
    if (length > 2 && (order == '<' || order == '|') &&
        parse_count(descr + 2, length - 2, &count) && count <= CLND_MAX_OPAQUE_SIZE / unit) {
        dtype = is_text ? CLND_OPAQUE(count * unit) : number_dtype(kind, count);
    }
    if (dtype == 0) {
        return text_fail(
            error,
            "dtype '%s' is not supported; bool, int8 to int64, uint8 to uint64, float16 "
            "to float64, complex64, complex128, S, U and V are",
            quote);
    }
    bool has_order = kind == 'U' || (!is_text && count > 1);
    if (has_order && order == '|') {
        return text_fail(error, "dtype '%s' has no byte order; expected '<%s'", quote, quote + 1);
    }
    type->kind = kind;
    type->dtype = dtype;
    return true;
}

void npy_type_format(const struct npy_type *type, char descr[NPY_DESCR_SIZE])
{
    size_t size = clnd_dtype_size(type->dtype);
    bool has_order = type->kind != 'S' && type->kind != 'V' && size > 1;
    snprintf(descr, NPY_DESCR_SIZE, "%c%c%zu", has_order ? '<' : '|', type->kind,
             type->kind == 'U' ? size / 4 : size);
}
