// SPDX-License-Identifier: Apache-2.0

#include "value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"

// The text, quoted in an error.
#define QUOTE_SIZE 80

static bool fail_text(char *error, const char *text, const char *what)
{
    char quote[QUOTE_SIZE];
    text_escape(quote, sizeof quote, text, strlen(text));
    return text_fail(error, "'%s' is not %s", quote, what);
}

static bool parse_bool(const char *text, void *element, char *error)
{
    bool is_true = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    if (!is_true && strcmp(text, "false") != 0 && strcmp(text, "0") != 0) {
        return fail_text(error, text, "a bool: true, false, 1 or 0");
    }
    *(unsigned char *)element = is_true;
    return true;
}

static bool parse_integer(const struct npy_type *type, const char *text, void *element, char *error)
{
    size_t size = clnd_dtype_size(type->dtype);
    bool is_signed = type->kind == 'i';
    uint64_t above_zero = UINT64_MAX >> (64 - 8 * size + is_signed);
    uint64_t below_zero = is_signed ? above_zero + 1 : 0;

    const char *digits = text + (text[0] == '-' || text[0] == '+');
    bool is_negative = text[0] == '-';
    uint64_t limit = is_negative ? below_zero : above_zero;
    uint64_t magnitude = 0;
    bool is_outside = false;
    const char *at = digits;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        is_outside =
            is_outside || magnitude > limit / 10 || 10 * magnitude > limit - digit || digit > limit;
        magnitude = is_outside ? 0 : 10 * magnitude + digit;
    }
    if (at == digits || *at != '\0') {
        return fail_text(error, text, "a decimal integer");
    }
    if (is_outside) {
        char quote[QUOTE_SIZE];
        text_escape(quote, sizeof quote, text, strlen(text));
        return text_fail(error, "%s is outside %s, [%s%" PRIu64 ", %" PRIu64 "]", quote,
                         clnd_dtype_name(type->dtype), is_signed ? "-" : "", below_zero,
                         above_zero);
    }
    // Unsigned arithmetic wraps to the two's complement; the low bytes come first, as in the file.
    uint64_t bits = is_negative ? 0 - magnitude : magnitude;
    for (size_t i = 0; i < size; i++) {
        ((unsigned char *)element)[i] = (unsigned char)(bits >> 8 * i);
    }
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// strtod without the blanks that it skips. `*end` is `text` when no number is there.
static double parse_double(const char *text, const char **end)
{
    if (is_blank(text[0])) {
        *end = text;
        return 0;
    }
    char *stop;
    double value = strtod(text, &stop);
    *end = stop;
    return value;
}

static void store_float(clnd_dtype dtype, double value, void *element)
{
    uint16_t bits;
    float single;
    switch (dtype) {
    case CLND_FLOAT16:
        bits = half_from_double(value);
        memcpy(element, &bits, sizeof bits);
        break;
    case CLND_BFLOAT16:
        bits = bfloat16_from_double(value);
        memcpy(element, &bits, sizeof bits);
        break;
    case CLND_FLOAT32:
        single = (float)value;
        memcpy(element, &single, sizeof single);
        break;
    default:
        memcpy(element, &value, sizeof value);
        break;
    }
}

static bool parse_float(clnd_dtype dtype, const char *text, void *element, char *error)
{
    const char *end;
    double value = parse_double(text, &end);
    if (end == text || *end != '\0') {
        return fail_text(error, text, "a number");
    }
    store_float(dtype, value, element);
    return true;
}

// A number before a j, of which Python lets all but the sign be left out: 2j, +j.
static double parse_imaginary(const char *text, const char **end)
{
    double value = parse_double(text, end);
    if (*end == text) {
        bool has_sign = text[0] == '-' || text[0] == '+';
        value = text[0] == '-' ? -1 : 1;
        *end = text + has_sign;
    }
    return value;
}

static bool is_j(char c)
{
    return c == 'j' || c == 'J';
}

static bool parse_complex(clnd_dtype dtype, const char *text, void *element, char *error)
{
    bool in_parentheses = text[0] == '(';
    const char *at = text + in_parentheses;
    const char *end;
    double real = 0;
    double imaginary = parse_imaginary(at, &end);
    bool is_good = is_j(*end);
    if (is_good) {
        end++;
    } else {
        imaginary = 0;
        real = parse_double(at, &end);
        is_good = end != at;
        if (is_good && (*end == '+' || *end == '-')) {
            imaginary = parse_imaginary(end, &end);
            is_good = is_j(*end);
            end += is_good;
        }
    }
    if (is_good && in_parentheses) {
        is_good = *end == ')';
        end += is_good;
    }
    if (!is_good || *end != '\0') {
        return fail_text(error, text, "a complex number such as 1.5-2j");
    }
    clnd_dtype part = dtype == CLND_COMPLEX64 ? CLND_FLOAT32 : CLND_FLOAT64;
    store_float(part, real, element);
    store_float(part, imaginary, (char *)element + clnd_dtype_size(part));
    return true;
}

static bool parse_bytes(size_t size, const char *text, void *element, char *error)
{
    size_t length = strlen(text);
    if (length > size) {
        return text_fail(error, "the text has %zu bytes, an element %zu", length, size);
    }
    memset(element, 0, size);
    memcpy(element, text, length);
    return true;
}

static bool parse_unicode(size_t size, const char *text, void *element, char *error)
{
    size_t length = strlen(text);
    size_t n = 0;
    memset(element, 0, size);
    for (size_t at = 0; at < length; n++) {
        uint32_t code_point;
        size_t taken = text_decode_utf8(text + at, length - at, &code_point);
        if (taken == 0) {
            return fail_text(error, text, "well-formed UTF-8");
        }
        if (n < size / 4) {
            memcpy((char *)element + 4 * n, &code_point, sizeof code_point);
        }
        at += taken;
    }
    if (n > size / 4) {
        return text_fail(error, "the text has %zu characters, an element %zu", n, size / 4);
    }
    return true;
}

bool value_parse(const struct npy_type *type, const char *text, void *element, char *error)
{
    size_t size = clnd_dtype_size(type->dtype);
    if (type->dtype == CLND_BFLOAT16) {
        return parse_float(type->dtype, text, element, error);
    }
    switch (type->kind) {
    case 'b':
        return parse_bool(text, element, error);
    case 'i':
    case 'u':
        return parse_integer(type, text, element, error);
    case 'f':
        return parse_float(type->dtype, text, element, error);
    case 'c':
        return parse_complex(type->dtype, text, element, error);
    case 'S':
        return parse_bytes(size, text, element, error);
    case 'U':
        return parse_unicode(size, text, element, error);
    default:
        return text_fail(error, "void elements have no text");
    }
}
