// SPDX-License-Identifier: Apache-2.0
//
// What the fuzz targets share. A target is one file with LLVMFuzzerTestOneInput; it is linked with
// libFuzzer, which makes inputs, or with run_corpus.c, which runs those of a corpus.

#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of libFuzzer. The result is 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Each target has one: what is needed once. NULL, or the reason why the target cannot run here.
const char *fuzz_prepare(void);

// An input that is read from front to back. Behind its end there are zeros.
typedef struct fuzz_input {
    const uint8_t *at;
    const uint8_t *end;
} fuzz_input;

// The whole input. It is printed with a finding: compilers in OpenCL drivers catch the signal by
// which libFuzzer would learn of it.
fuzz_input fuzz_begin(const uint8_t *data, size_t size);

uint8_t fuzz_byte(fuzz_input *in);
int fuzz_range(fuzz_input *in, int low, int high); // at most 256 values
int64_t fuzz_word(fuzz_input *in);                 // 8 bytes, as they are

// A number as it occurs in shapes and strides: mostly small, now and then one next to 2^31, 2^32,
// 2^62 or 2^63, of both signs, or any.
int64_t fuzz_number(fuzz_input *in);

// The rest, or its part before the next byte `end`, as a string. The caller frees it.
char *fuzz_text(fuzz_input *in, int end);

// Ends the program after a message, which is a finding.
__attribute__((format(printf, 1, 2), noreturn)) void fuzz_fail(const char *format, ...);

#define fuzz_check(condition, ...)                                                                 \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fuzz_fail(__VA_ARGS__);                                                                \
    } while (0)

// A message of the library or the command: some text, one line, without control characters.
void fuzz_check_line(const char *text);

#endif
