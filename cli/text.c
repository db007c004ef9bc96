// SPDX-License-Identifier: Apache-2.0

#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool text_fail(char *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error, TEXT_ERROR_SIZE, format, arguments);
    va_end(arguments);
    if (length < 0) {
        error[0] = '\0';
    }
    // Callers escape what comes from files; this holds the promise for strerror and for mistakes.
    for (char *at = error; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte == 0x7f) {
            *at = '?';
        }
    }
    return false;
}

size_t text_decode_utf8(const char *bytes, size_t length, uint32_t *code_point)
{
    if (length == 0) {
        return 0;
    }
    unsigned char lead = (unsigned char)bytes[0];
    size_t size;
    uint32_t smallest;
    uint32_t value;
    if (lead < 0x80) {
        *code_point = lead;
        return 1;
    } else if (lead >= 0xc0 && lead < 0xe0) {
        size = 2;
        smallest = 0x80;
        value = lead & 0x1fu;
    } else if (lead >= 0xe0 && lead < 0xf0) {
        size = 3;
        smallest = 0x800;
        value = lead & 0x0fu;
    } else if (lead >= 0xf0 && lead < 0xf8) {
        size = 4;
        smallest = 0x10000;
        value = lead & 0x07u;
    } else {
        return 0;
    }
    if (length < size) {
        return 0;
    }
    for (size_t i = 1; i < size; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if ((byte & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | (byte & 0x3fu);
    }
    if (value < smallest || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) {
        return 0;
    }
    *code_point = value;
    return size;
}

size_t text_encode_utf8(uint32_t code_point, char out[4])
{
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (char)(0xc0 | code_point >> 6);
        out[1] = (char)(0x80 | (code_point & 0x3f));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (char)(0xe0 | code_point >> 12);
        out[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code_point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code_point >> 18);
    out[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code_point & 0x3f));
    return 4;
}

bool text_is_printable(uint32_t code_point)
{
    // Unicode's categories Cc, Cf, Cs, Co, Zl, Zp, Zs and the non-characters, sorted.
    static const struct {
        uint32_t first;
        uint32_t last;
    } unprintable[] = {
        {0x0000, 0x001f},      {0x007f, 0x00a0},   {0x00ad, 0x00ad},   {0x0600, 0x0605},
        {0x061c, 0x061c},      {0x06dd, 0x06dd},   {0x070f, 0x070f},   {0x0890, 0x0891},
        {0x08e2, 0x08e2},      {0x1680, 0x1680},   {0x180e, 0x180e},   {0x2000, 0x200f},
        {0x2028, 0x202f},      {0x205f, 0x206f},   {0x3000, 0x3000},   {0xd800, 0xf8ff},
        {0xfdd0, 0xfdef},      {0xfeff, 0xfeff},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},
        {0x110bd, 0x110bd},    {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
        {0x1d173, 0x1d17a},    {0x1fffe, 0x1ffff}, {0x2fffe, 0x2ffff}, {0x3fffe, 0xe00ff},
        {0xe01f0, 0xffffffff},
    };
    for (size_t i = 0; i < sizeof unprintable / sizeof unprintable[0]; i++) {
        if (code_point <= unprintable[i].last) {
            return code_point < unprintable[i].first;
        }
    }
    return true;
}

void text_escape(char *out, size_t size, const char *bytes, size_t length)
{
    static const char ellipsis[] = "...";
    size_t used = 0; // written so far
    size_t cut = 0;  // the last end of a piece after which the ellipsis still fits
    for (size_t at = 0; at < length;) {
        char piece[5];
        uint32_t code_point;
        size_t taken = text_decode_utf8(bytes + at, length - at, &code_point);
        size_t piece_length = taken;
        if (taken > 0 && text_is_printable(code_point)) {
            memcpy(piece, bytes + at, taken);
        } else {
            snprintf(piece, sizeof piece, "\\x%02x", (unsigned)(unsigned char)bytes[at]);
            taken = 1;
            piece_length = 4;
        }
        if (used + piece_length + 1 > size) {
            memcpy(out + cut, ellipsis, sizeof ellipsis);
            return;
        }
        memcpy(out + used, piece, piece_length);
        used += piece_length;
        at += taken;
        if (used + sizeof ellipsis <= size) {
            cut = used;
        }
    }
    out[used] = '\0';
}

// The number of letters to insert, remove or replace to make `b` of `a`; both are short.
static size_t edit_distance(const char *a, const char *b)
{
    size_t costs[64]; // from the letters of a so far to each beginning of b
    const size_t length = strlen(b);
    for (size_t j = 0; j <= length; ++j)
        costs[j] = j;
    for (size_t i = 0; a[i] != '\0'; ++i) {
        size_t before = costs[0]++;
        for (size_t j = 0; j < length; ++j) {
            size_t cost = before + (a[i] != b[j]);
            before = costs[j + 1];
            if (cost > before + 1)
                cost = before + 1;
            if (cost > costs[j] + 1)
                cost = costs[j] + 1;
            costs[j + 1] = cost;
        }
    }
    return costs[length];
}

void text_offer(struct text_nearest *nearest, const char *typed, const char *word)
{
    const size_t length = strlen(typed);
    if (length < 3 || length > 60 || strlen(word) > 60)
        return;
    const size_t distance = edit_distance(typed, word);
    if (distance <= length / 3 && (!nearest->word || distance < nearest->distance))
        *nearest = (struct text_nearest){word, distance};
}
