// SPDX-License-Identifier: Apache-2.0

#include "npy_header.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct parser {
    const char *begin;
    const char *at;
    const char *end;
    bool has_longs; // formats 1.0 and 2.0 may come from Python 2, which wrote 3L
    char *error;
};

// A text quoted in an error, short enough to leave room for the rest.
#define QUOTE_SIZE 64

// Errors that are clearest with their position.
static bool expected(const struct parser *parser, const char *what)
{
    return text_fail(parser->error, "header: expected %s at byte %td of the dictionary", what,
                     parser->at - parser->begin);
}

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->end && memchr(" \t\n\r\f", *parser->at, 5) != NULL) {
        parser->at++;
    }
}

static bool accept(struct parser *parser, char c)
{
    skip_blanks(parser);
    if (parser->at < parser->end && *parser->at == c) {
        parser->at++;
        return true;
    }
    return false;
}

static bool is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool accept_word(struct parser *parser, const char *word)
{
    skip_blanks(parser);
    size_t length = strlen(word);
    size_t left = (size_t)(parser->end - parser->at);
    if (left < length || memcmp(parser->at, word, length) != 0 ||
        (left > length && is_word_character(parser->at[length]))) {
        return false;
    }
    parser->at += length;
    return true;
}

// A Python string. Escapes are not decoded: no key and no dtype that is read has a backslash.
static bool parse_string(struct parser *parser, const char *what, const char **text, size_t *length)
{
    *text = "";
    *length = 0;
    skip_blanks(parser);
    if (parser->at == parser->end || (*parser->at != '\'' && *parser->at != '"')) {
        return expected(parser, what);
    }
    const char *first = parser->at + 1;
    const char *last = memchr(first, *parser->at, (size_t)(parser->end - first));
    if (last == NULL) {
        return text_fail(parser->error, "header: a string without its closing quote");
    }
    *text = first;
    *length = (size_t)(last - first);
    parser->at = last + 1;
    return true;
}

static bool parse_descr(struct parser *parser, struct npy_array *array)
{
    const char *text;
    size_t length;
    skip_blanks(parser);
    if (parser->at < parser->end && (*parser->at == '[' || *parser->at == '(')) {
        return text_fail(parser->error, "a dtype with fields or sub-arrays is not supported");
    }
    return parse_string(parser, "a dtype in quotes", &text, &length) &&
           npy_type_parse(text, length, &array->type, parser->error);
}

static bool parse_order(struct parser *parser, struct npy_array *array)
{
    if (accept_word(parser, "True")) {
        array->fortran_order = true;
    } else if (accept_word(parser, "False")) {
        array->fortran_order = false;
    } else {
        return expected(parser, "True or False for fortran_order");
    }
    return true;
}

// One size: decimal digits as Python 3 writes them, so no leading zero and no underscores.
static bool parse_size(struct parser *parser, int64_t *size)
{
    skip_blanks(parser);
    const char *first = parser->at;
    bool is_negative = first < parser->end && *first == '-';
    if (is_negative) {
        parser->at++;
    }
    const char *digits = parser->at;
    int64_t value = 0;
    bool overflow = false;
    while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9') {
        int digit = *parser->at - '0';
        overflow = overflow || value > (INT64_MAX - digit) / 10;
        value = overflow ? 0 : 10 * value + digit;
        parser->at++;
    }
    const char *end = parser->at;
    if (end == digits || (*digits == '0' && end - digits > 1)) {
        parser->at = first;
        return expected(parser, "a size in shape");
    }
    if (is_negative) {
        char quote[QUOTE_SIZE];
        text_escape(quote, sizeof quote, first, (size_t)(end - first));
        return text_fail(parser->error, "shape has a negative size, %s", quote);
    }
    if (overflow) {
        char quote[QUOTE_SIZE];
        text_escape(quote, sizeof quote, first, (size_t)(end - first));
        return text_fail(parser->error, "shape has the size %s, above 2^63 - 1", quote);
    }
    if (parser->has_longs && parser->at < parser->end && *parser->at == 'L') {
        parser->at++;
    }
    *size = value;
    return true;
}

// A Python tuple of sizes: (), (3,), (3, 4), (3, 4,); but (3) is a number.
static bool parse_shape(struct parser *parser, struct npy_array *array)
{
    bool ended_in_comma = true;
    int rank = 0;
    if (!accept(parser, '(')) {
        return expected(parser, "( for the tuple of shape");
    }
    while (!accept(parser, ')')) {
        if (!ended_in_comma) {
            return expected(parser, ", or ) in shape");
        }
        int64_t size = 0;
        if (!parse_size(parser, &size)) {
            return false;
        }
        if (rank < CLND_MAX_RANK) {
            array->shape[rank] = size;
        }
        rank++;
        ended_in_comma = accept(parser, ',');
    }
    if (rank > CLND_MAX_RANK) {
        return text_fail(parser->error, "shape has %d dimensions, at most %d are allowed", rank,
                         CLND_MAX_RANK);
    }
    array->rank = rank;
    if (rank == 1 && !ended_in_comma) {
        return text_fail(parser->error, "header: shape is a number, not a tuple");
    }
    return true;
}

static const struct {
    const char *key;
    bool (*parse)(struct parser *parser, struct npy_array *array);
} entries[] = {
    {"descr", parse_descr},
    {"fortran_order", parse_order},
    {"shape", parse_shape},
};

#define N_ENTRIES (sizeof entries / sizeof entries[0])

// One `key: value`.
static bool parse_entry(struct parser *parser, struct npy_array *array, bool seen[N_ENTRIES])
{
    const char *key;
    size_t length;
    if (!parse_string(parser, "a key in quotes", &key, &length)) {
        return false;
    }
    for (size_t i = 0; i < N_ENTRIES; i++) {
        if (strlen(entries[i].key) == length && memcmp(entries[i].key, key, length) == 0) {
            if (seen[i]) {
                return text_fail(parser->error, "header: the key %s twice", entries[i].key);
            }
            seen[i] = true;
            if (!accept(parser, ':')) {
                return expected(parser, ":");
            }
            return entries[i].parse(parser, array);
        }
    }
    char quote[QUOTE_SIZE];
    text_escape(quote, sizeof quote, key, length);
    return text_fail(parser->error, "header: unknown key '%s'", quote);
}

static bool parse_dictionary(struct parser *parser, struct npy_array *array)
{
    bool seen[N_ENTRIES] = {false};
    bool ended_in_comma = true;
    if (!accept(parser, '{')) {
        return expected(parser, "{");
    }
    while (!accept(parser, '}')) {
        if (!ended_in_comma) {
            return expected(parser, ", or }");
        }
        if (!parse_entry(parser, array, seen)) {
            return false;
        }
        ended_in_comma = accept(parser, ',');
    }
    for (size_t i = 0; i < N_ENTRIES; i++) {
        if (!seen[i]) {
            return text_fail(parser->error, "header: the key %s is missing", entries[i].key);
        }
    }
    skip_blanks(parser);
    if (parser->at != parser->end) {
        return expected(parser, "nothing but blanks after }");
    }
    return true;
}

bool npy_data_size(const struct npy_type *type, int rank, const int64_t *shape, size_t *size)
{
    const uint64_t limit = PTRDIFF_MAX; // 63 bits, or less where addresses have less
    uint64_t product = clnd_dtype_size(type->dtype);
    bool is_empty = false;
    assert(product > 0);
    for (int i = 0; i < rank; i++) {
        uint64_t length = (uint64_t)shape[i];
        if (length == 0) {
            is_empty = true;
        } else if (length > limit / product) {
            return false;
        } else {
            product *= length;
        }
    }
    *size = is_empty ? 0 : (size_t)product;
    return true;
}

bool npy_header_parse(const char *text, size_t length, int version, struct npy_array *array,
                      char *error)
{
    struct parser parser = {text, text, text + length, version < 3, error};
    if (!parse_dictionary(&parser, array)) {
        return false;
    }
    if (!npy_data_size(&array->type, array->rank, array->shape, &array->size)) {
        return text_fail(error, "the shape needs more than %td bytes", (ptrdiff_t)PTRDIFF_MAX);
    }
    int n_long = 0;
    for (int i = 0; i < array->rank; i++) {
        n_long += array->shape[i] != 1;
    }
    array->fortran_order = array->fortran_order && n_long > 1 && array->size > 0;
    return true;
}

size_t npy_header_format(const struct npy_type *type, int rank, const int64_t *shape,
                         char out[NPY_HEADER_SIZE])
{
    // Format 1.0 holds any shape up to rank 16: its limit of 65535 bytes is far away.
    enum { prefix = 10, alignment = 64, growth_digits = 21 };
    char descr[NPY_DESCR_SIZE];
    npy_type_format(type, descr);
    char *at = out + prefix;
    const char *end = out + NPY_HEADER_SIZE;
    at += snprintf(at, (size_t)(end - at), "{'descr': '%s', 'fortran_order': False, 'shape': (",
                   descr);
    for (int i = 0; i < rank; i++) {
        at += snprintf(at, (size_t)(end - at), "%s%" PRId64, i > 0 ? ", " : "", shape[i]);
    }
    at += snprintf(at, (size_t)(end - at), "%s), }", rank == 1 ? "," : "");
    if (rank > 0) {
        // NumPy's spare room, in which the first size can grow in place to its widest.
        int digits = snprintf(NULL, 0, "%" PRId64, shape[0]);
        memset(at, ' ', (size_t)(growth_digits - digits));
        at += growth_digits - digits;
    }
    // NumPy's padding: 1 to 64 blanks (never none), then the line end.
    size_t length = (size_t)(at - out) + 1;
    size_t padding = alignment - length % alignment;
    memset(at, ' ', padding);
    at[padding] = '\n';
    length += padding;
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((length - prefix) & 0xff);
    out[9] = (char)((length - prefix) >> 8);
    return length;
}
