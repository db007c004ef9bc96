// SPDX-License-Identifier: Apache-2.0

#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t fuzz_byte(fuzz_input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

int fuzz_range(fuzz_input *in, int low, int high)
{
    return low + fuzz_byte(in) % (high - low + 1);
}

int64_t fuzz_word(fuzz_input *in)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i)
        word |= (uint64_t)fuzz_byte(in) << 8 * i;
    return (int64_t)word;
}

int64_t fuzz_number(fuzz_input *in)
{
    static const uint64_t large[] = {
        UINT64_C(1) << 7,  UINT64_C(1) << 15, UINT64_C(1) << 16, UINT64_C(1) << 31,
        UINT64_C(1) << 32, UINT64_C(1) << 33, UINT64_C(1) << 48, UINT64_C(1) << 60,
        UINT64_C(1) << 61, UINT64_C(1) << 62, UINT64_C(1) << 63,
    };
    enum { SMALL = 192, N_LARGE = sizeof large / sizeof *large };
    const int kind = fuzz_byte(in);
    if (kind < 96)
        return kind % 8;
    if (kind < SMALL)
        return kind - 144;
    if (kind == 255)
        return fuzz_word(in);
    const uint64_t near = large[kind % N_LARGE] + (uint64_t)(int64_t)fuzz_range(in, -3, 3);
    return (int64_t)(kind & 1 ? 0 - near : near);
}

char *fuzz_text(fuzz_input *in, int end)
{
    const size_t left = (size_t)(in->end - in->at);
    const uint8_t *stop = left ? memchr(in->at, end, left) : NULL;
    const size_t length = stop ? (size_t)(stop - in->at) : left;
    char *text = malloc(length + 1);
    fuzz_check(text, "out of memory");
    if (length)
        memcpy(text, in->at, length);
    text[length] = '\0';
    in->at += length + (stop != NULL);
    return text;
}

static fuzz_input whole;

fuzz_input fuzz_begin(const uint8_t *data, size_t size)
{
    whole = (fuzz_input){data, data + size};
    return whole;
}

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "fuzz: ");
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nfuzz: the input in hexadecimal: ");
    for (const uint8_t *at = whole.at; at < whole.end; ++at)
        fprintf(stderr, "%02x", *at);
    fprintf(stderr, "\n");
    abort();
}

void fuzz_check_line(const char *text)
{
    fuzz_check(*text, "an empty message");
    for (const char *at = text; *at; ++at)
        fuzz_check((unsigned char)*at >= 32 && *at != 127, "the message \"%s\" has a byte %d", text,
                   *at);
}

// Of libFuzzer: what it calls first.
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    enum { EXIT_SKIPPED = 77 };
    const char *reason = fuzz_prepare();
    if (!reason)
        return 0;
    fprintf(stderr, "fuzz: skipped: %s\n", reason);
    exit(EXIT_SKIPPED);
}
