// SPDX-License-Identifier: Apache-2.0
//
// Text that is safe to show: one-line error texts, UTF-8, and what may reach a terminal as it is.
// Pure functions. Thread-safety: Safe.

#ifndef CLND_CLI_TEXT_H
#define CLND_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Size of the error buffers of npy.h and value.h.
#define TEXT_ERROR_SIZE 256

// Writes a formatted error text to `error` (TEXT_ERROR_SIZE bytes, cut if it must be) and returns
// false, so that a refusal is `return text_fail(...)`. Whatever the arguments hold, the result is
// one line without control characters.
bool text_fail(char *error, const char *format, ...);

// Decodes the code point that begins at `bytes`. Returns how many of the `length` bytes it takes,
// or 0 when they do not begin with well-formed UTF-8 (overlong forms and surrogates are not).
size_t text_decode_utf8(const char *bytes, size_t length, uint32_t *code_point);

// Encodes a code point up to U+10FFFF. Returns the number of bytes written to `out`.
size_t text_encode_utf8(uint32_t code_point, char out[4]);

// Whether a terminal can be given `code_point` as it is: no control, format (text direction, zero
// width), separator other than U+0020, surrogate, private or non-character. This is what Python's
// str.isprintable says, but for unassigned code points, which count as printable here.
bool text_is_printable(uint32_t code_point);

// Copies `bytes` to `out` with every unprintable byte as \xNN, closed by a NUL. A text that does
// not fit into `size` (at least 4) ends in "..."; 4 * length + 1 always fits.
void text_escape(char *out, size_t size, const char *bytes, size_t length);

// The word that somebody meant who typed another: begin with zeros, offer every word that is
// allowed. `word` is then the nearest, or NULL when none is near.
struct text_nearest {
    const char *word;
    size_t distance;
};
void text_offer(struct text_nearest *nearest, const char *typed, const char *word);

#endif
