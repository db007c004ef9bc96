// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target on every file of a folder, or on single files: the same program that libFuzzer
// makes, for compilers that have none. Prints TAP, one test for all; a finding ends the program,
// and the last file named is its input.

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { MAX_FILES = 4096, MAX_SIZE = 1 << 20 };

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list(const char *path, char **files)
{
    DIR *folder = opendir(path);
    int n = 0;
    if (!folder) {
        fuzz_check(errno == ENOTDIR, "cannot open %s: %s", path, strerror(errno));
        files[n++] = strdup(path);
        return n;
    }
    for (const struct dirent *entry; (entry = readdir(folder));) {
        const size_t size = strlen(path) + strlen(entry->d_name) + 2;
        if (entry->d_name[0] == '.')
            continue;
        fuzz_check(n < MAX_FILES, "more than %d files in %s", MAX_FILES, path);
        files[n] = malloc(size);
        fuzz_check(files[n], "out of memory");
        snprintf(files[n++], size, "%s/%s", path, entry->d_name);
    }
    closedir(folder);
    qsort(files, (size_t)n, sizeof *files, compare);
    return n;
}

static void run(const char *path)
{
    static uint8_t bytes[MAX_SIZE];
    FILE *file = fopen(path, "rb");
    fuzz_check(file, "cannot open %s: %s", path, strerror(errno));
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fuzz_check(!ferror(file), "cannot read %s: %s", path, strerror(errno));
    fclose(file);
    // A copy without a byte to spare, so that sanitizers see what is read behind it.
    uint8_t *data = malloc(size ? size : 1);
    fuzz_check(data, "out of memory");
    memcpy(data, bytes, size);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    static char *files[MAX_FILES];
    fuzz_check(argc == 2, "one folder or file is needed");
    const char *reason = fuzz_prepare();
    if (reason) {
        const char *required = getenv("CLND_TEST_REQUIRE_DEVICE");
        fuzz_check(!required || strcmp(required, "1") != 0, "CLND_TEST_REQUIRE_DEVICE=1: %s",
                   reason);
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    const int n = list(argv[1], files);
    fuzz_check(n > 0, "%s is empty", argv[1]);
    printf("1..1\n");
    for (int i = 0; i < n; ++i) {
        printf("# %s\n", files[i]);
        fflush(stdout); // a finding below belongs to this file
        run(files[i]);
        free(files[i]);
    }
    printf("ok 1 - %d inputs\n", n);
    return 0;
}
