// SPDX-License-Identifier: Apache-2.0

#include "print_string.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "text.h"

struct sink {
    FILE *out; // NULL: count only
    size_t width;
};

static void put_ascii(struct sink *sink, const char *format, ...)
{
    char text[16];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (sink->out != NULL) {
        fputs(text, sink->out);
    }
    sink->width += (size_t)length;
}

static void put_code_point(struct sink *sink, uint32_t code_point)
{
    if (sink->out != NULL) {
        char bytes[4];
        fwrite(bytes, 1, text_encode_utf8(code_point, bytes), sink->out);
    }
    sink->width++;
}

// A character of a byte string (`is_bytes`) or of a unicode string, as Python's repr escapes it.
// `quote` is '\0' in a text without quotes.
static void put_character(struct sink *sink, uint32_t c, bool is_bytes, char quote)
{
    if (quote != '\0' && (c == '\\' || c == (unsigned char)quote)) {
        put_ascii(sink, "\\%c", (char)c);
    } else if (c == '\t' || c == '\n' || c == '\r') {
        put_ascii(sink, "\\%c", c == '\t' ? 't' : c == '\n' ? 'n' : 'r');
    } else if (c < 0x7f ? c >= ' ' : !is_bytes && text_is_printable(c)) {
        put_code_point(sink, c);
    } else if (c < 0x100) {
        put_ascii(sink, "\\x%02" PRIx32, c);
    } else if (c < 0x10000) {
        put_ascii(sink, "\\u%04" PRIx32, c);
    } else {
        put_ascii(sink, "\\U%08" PRIx32, c);
    }
}

static uint32_t load_character(char kind, const unsigned char *element, size_t i)
{
    if (kind == 'U') {
        uint32_t code_point;
        memcpy(&code_point, element + 4 * i, sizeof code_point);
        return code_point;
    }
    return element[i];
}

// Python quotes with ' unless that would need escapes and " would not.
static char choose_quote(char kind, const unsigned char *element, size_t length)
{
    bool has_single = false;
    bool has_double = false;
    for (size_t i = 0; i < length; i++) {
        uint32_t c = load_character(kind, element, i);
        has_single = has_single || c == '\'';
        has_double = has_double || c == '"';
    }
    return has_single && !has_double ? '"' : '\'';
}

size_t print_string(FILE *out, char kind, const unsigned char *element, size_t size, bool is_quoted)
{
    struct sink sink = {.out = out};
    if (kind == 'V') {
        put_ascii(&sink, "b'");
        for (size_t i = 0; i < size; i++) {
            put_ascii(&sink, "\\x%02X", (unsigned)element[i]);
        }
        put_ascii(&sink, "'");
        return sink.width;
    }

    size_t length = kind == 'U' ? size / 4 : size;
    while (length > 0 && load_character(kind, element, length - 1) == 0) {
        length--; // the padding of a shorter string
    }
    bool is_bytes = kind == 'S';
    char quote = is_bytes || is_quoted ? choose_quote(kind, element, length) : '\0';
    if (is_bytes) {
        put_ascii(&sink, "b");
    }
    if (quote != '\0') {
        put_ascii(&sink, "%c", quote);
    }
    for (size_t i = 0; i < length; i++) {
        put_character(&sink, load_character(kind, element, i), is_bytes, quote);
    }
    if (quote != '\0') {
        put_ascii(&sink, "%c", quote);
    }
    return sink.width;
}
