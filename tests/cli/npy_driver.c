// SPDX-License-Identifier: Apache-2.0
//
// What tests/cli/npy_test.py runs: the file, print and value modules of the command without an
// engine behind them.
//
//   show [--bfloat16] FILE...   prints the arrays, with a form feed after each
//   copy IN OUT                 writes what it has read, in C order
//   value DESCR TEXT            prints the bytes of the element in hexadecimal; DESCR may be
//   bfloat16

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "print.h"
#include "value.h"

// Behind an element that is written: bytes that stay.
#define GUARD_SIZE 16
#define GUARD_BYTE 0xa5

static int fail(const char *subject, const char *error)
{
    char name[1024];
    text_escape(name, sizeof name, subject, strlen(subject));
    fprintf(stderr, "%s: %s\n", name, error);
    return EXIT_FAILURE;
}

static int show(const char *path, bool as_bfloat16)
{
    char error[TEXT_ERROR_SIZE];
    struct npy_array array;
    if (!npy_read(path, &array, error)) {
        return fail(path, error);
    }
    if (as_bfloat16) {
        if (array.type.kind != 'V' || array.type.dtype != CLND_OPAQUE(2)) {
            npy_free(&array);
            return fail(path, "not V2");
        }
        array.type.dtype = CLND_BFLOAT16;
    }
    int64_t strides[CLND_MAX_RANK];
    npy_strides(&array, strides);
    struct print_view view = {
        .dtype = array.type.dtype,
        .kind = array.type.kind,
        .rank = array.rank,
        .shape = array.shape,
        .strides = strides,
        .data = array.data,
    };
    bool is_good = print_array(stdout, &view) && putchar('\f') != EOF && fflush(stdout) == 0;
    npy_free(&array);
    return is_good ? EXIT_SUCCESS : fail("standard output", "cannot write");
}

static int copy(const char *from, const char *to)
{
    char error[TEXT_ERROR_SIZE];
    struct npy_array array;
    if (!npy_read(from, &array, error)) {
        return fail(from, error);
    }
    bool is_good = npy_make_c_order(&array, error) &&
                   npy_write(to, &array.type, array.rank, array.shape, array.data, error);
    npy_free(&array);
    return is_good ? EXIT_SUCCESS : fail(to, error);
}

static int value(const char *descr, const char *text)
{
    char error[TEXT_ERROR_SIZE];
    struct npy_type type = {'V', CLND_BFLOAT16};
    if (strcmp(descr, "bfloat16") != 0 && !npy_type_parse(descr, strlen(descr), &type, error)) {
        return fail(descr, error);
    }
    size_t size = clnd_dtype_size(type.dtype);
    unsigned char *element = malloc(size + GUARD_SIZE);
    if (element == NULL) {
        return fail("value", "out of memory");
    }
    memset(element, GUARD_BYTE, size + GUARD_SIZE); // padding must be written, nothing else
    bool is_good = value_parse(&type, text, element, error);
    for (size_t i = 0; i < GUARD_SIZE; i++) {
        if (element[size + i] != GUARD_BYTE) {
            abort();
        }
    }
    if (!is_good) {
        free(element);
        return fail("value", error);
    }
    for (size_t i = 0; i < size; i++) {
        printf("%02x", (unsigned)element[i]);
    }
    printf("\n");
    free(element);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    if (argc >= 3 && strcmp(argv[1], "show") == 0) {
        bool as_bfloat16 = strcmp(argv[2], "--bfloat16") == 0;
        int status = EXIT_SUCCESS;
        for (int i = 2 + as_bfloat16; i < argc && status == EXIT_SUCCESS; i++) {
            status = show(argv[i], as_bfloat16);
        }
        return status;
    }
    if (argc == 4 && strcmp(argv[1], "copy") == 0) {
        return copy(argv[2], argv[3]);
    }
    if (argc == 4 && strcmp(argv[1], "value") == 0) {
        return value(argv[2], argv[3]);
    }
    fprintf(stderr, "usage: npy_driver show|copy|value ...\n");
    return 2;
}
