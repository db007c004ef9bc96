// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target on the inputs of a corpus, or on one that is a file of its own: the same
// program that libFuzzer makes, for compilers that have none. Prints TAP, one test for all; a
// finding ends the program, and the last input named is the one that made it.
//
// A corpus is a text, TARGET.txt, as tools/fuzz_corpus.py writes it. Each line is an input: its
// name, a blank, and its bytes. Those that are no visible ASCII are written \xNN, and so is the
// backslash.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "fuzz.h"

// Puts the bytes that `text` stands for in its place.
static size_t decode(char *text)
{
    size_t size = 0;
    for (const char *at = text; *at && *at != '\n'; ++size) {
        unsigned byte = (unsigned char)*at;
        if (byte == '\\')
            fuzz_check(sscanf(at, "\\x%2x", &byte) == 1, "a backslash before %.3s", at + 1);
        at += *at == '\\' ? strlen("\\xNN") : 1;
        text[size] = (char)byte;
    }
    return size;
}

static void run(const char *name, const char *bytes, size_t size)
{
    printf("# %s\n", name);
    fflush(stdout); // a finding below belongs to this input
    // A copy without a byte to spare, so that sanitizers see what is read behind it.
    uint8_t *data = malloc(size ? size : 1);
    fuzz_check(data, "out of memory");
    memcpy(data, bytes, size);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int run_corpus(FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    int n = 0;
    for (; getline(&line, &room, file) > 0; ++n) {
        char *blank = strchr(line, ' ');
        fuzz_check(blank, "line %d has no blank behind a name", n + 1);
        *blank = '\0';
        run(line, blank + 1, decode(blank + 1));
    }
    free(line);
    return n;
}

static int run_file(const char *name, FILE *file)
{
    static char bytes[1 << 20];
    run(name, bytes, fread(bytes, 1, sizeof bytes, file));
    return 1;
}

int main(int argc, char **argv)
{
    fuzz_check(argc == 2, "one corpus or file is needed");
    const char *reason = fuzz_prepare();
    if (reason) {
        const char *required = getenv("CLND_TEST_REQUIRE_DEVICE");
        fuzz_check(!required || strcmp(required, "1") != 0, "CLND_TEST_REQUIRE_DEVICE=1: %s",
                   reason);
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    FILE *file = fopen(argv[1], "rb");
    fuzz_check(file, "cannot open %s: %s", argv[1], strerror(errno));
    printf("1..1\n");
    const char *ending = strrchr(argv[1], '.');
    const bool is_corpus = ending && strcmp(ending, ".txt") == 0;
    const int n = is_corpus ? run_corpus(file) : run_file(argv[1], file);
    fuzz_check(!ferror(file), "cannot read %s: %s", argv[1], strerror(errno));
    fclose(file);
    fuzz_check(n > 0, "%s is empty", argv[1]);
    printf("ok 1 - %d inputs\n", n);
    return 0;
}
