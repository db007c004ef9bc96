// SPDX-License-Identifier: Apache-2.0
//
// The reader of .npy files. The first byte of an input says what the rest is: a file as it stands,
// or a format version and the text of a header, up to a 0, with data behind it.
//
// A file and a stream must be read alike; what is accepted must be what stands in the input, and a
// header written from it must be read as the same array.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/npy_header.h"
#include "fuzz.h"

enum { MOST = 60000 }; // a pipe holds that without a reader

static int file = -1;

const char *fuzz_prepare(void)
{
    FILE *temporary = tmpfile();
    fuzz_check(temporary, "no temporary file");
    file = fileno(temporary);
    return access("/dev/fd/0", F_OK) == 0 ? NULL : "there is no /dev/fd";
}

static bool read_fd(int fd, struct npy_array *array, char *error)
{
    char path[32];
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    memset(error, 0, TEXT_ERROR_SIZE);
    const bool is_good = npy_read(path, array, error);
    if (!is_good) {
        const struct npy_array empty = {0};
        fuzz_check(strlen(error) < TEXT_ERROR_SIZE - 1 || error[TEXT_ERROR_SIZE - 1] == '\0',
                   "an error without an end");
        fuzz_check_line(error);
        fuzz_check(array->data == NULL && array->rank == empty.rank && array->size == 0,
                   "an array that is not empty after \"%s\"", error);
    }
    return is_good;
}

static bool read_file(const uint8_t *bytes, size_t size, struct npy_array *array, char *error)
{
    fuzz_check(ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size &&
                   lseek(file, 0, SEEK_SET) == 0,
               "the temporary file cannot be written");
    return read_fd(file, array, error);
}

static bool read_stream(const uint8_t *bytes, size_t size, struct npy_array *array, char *error)
{
    int ends[2];
    fuzz_check(pipe(ends) == 0 && write(ends[1], bytes, size) == (ssize_t)size, "no pipe");
    close(ends[1]);
    const bool is_good = read_fd(ends[0], array, error);
    close(ends[0]);
    return is_good;
}

static void check_same(const struct npy_array *a, const struct npy_array *b)
{
    fuzz_check(a->type.kind == b->type.kind && a->type.dtype == b->type.dtype &&
                   a->rank == b->rank && a->size == b->size &&
                   memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0,
               "two readings differ");
}

// All data of the input, and not a byte more or less.
static void check_data(const struct npy_array *array, const uint8_t *bytes, size_t size)
{
    __extension__ typedef unsigned __int128 wide;
    const size_t prefix = bytes[6] == 1 ? 10 : 12;
    const size_t header = bytes[8] | (size_t)bytes[9] << 8; // longer ones are longer than an input
    wide needed = clnd_dtype_size(array->type.dtype);
    bool is_empty = false;
    fuzz_check(array->rank >= 0 && array->rank <= CLND_MAX_RANK, "rank %d", array->rank);
    fuzz_check(needed > 0, "a dtype without a size");
    for (int d = 0; d < array->rank; ++d) {
        fuzz_check(array->shape[d] >= 0, "a negative size");
        is_empty = is_empty || array->shape[d] == 0;
        needed *= array->shape[d] ? (uint64_t)array->shape[d] : 1;
        fuzz_check(needed <= INT64_MAX, "the sizes multiply to more than 63 bits");
    }
    fuzz_check(array->size == (is_empty ? 0 : (size_t)needed), "%zu bytes", array->size);
    fuzz_check(prefix + header + array->size == size, "%zu of %zu bytes are data", array->size,
               size);
    fuzz_check(array->data && memcmp(array->data, bytes + prefix + header, array->size) == 0,
               "the data is not that of the file");
}

static void check_rewritten(const struct npy_array *array)
{
    char text[NPY_HEADER_SIZE], error[TEXT_ERROR_SIZE];
    struct npy_array again = {0};
    const size_t length = npy_header_format(&array->type, array->rank, array->shape, text);
    fuzz_check(length % 64 == 0 && length <= sizeof text, "a header of %zu bytes", length);
    // On its own, so that sanitizers see what is read behind it.
    char *dictionary = malloc(length - 10);
    fuzz_check(dictionary, "out of memory");
    memcpy(dictionary, text + 10, length - 10);
    fuzz_check(npy_header_parse(dictionary, length - 10, 1, &again, error),
               "a header that was written is refused: %s", error);
    check_same(array, &again);
    fuzz_check(!again.fortran_order, "a header was written in Fortran order");
    free(dictionary);
}

// Element `place` in C order, found in the data as it lies.
static size_t element_at(const struct npy_array *array, size_t place)
{
    size_t position[CLND_MAX_RANK], at = 0;
    for (int d = array->rank - 1; d >= 0; --d) {
        position[d] = place % (size_t)array->shape[d];
        place /= (size_t)array->shape[d];
    }
    for (int i = 0; i < array->rank; ++i) {
        const int d = array->fortran_order ? array->rank - 1 - i : i;
        at = at * (size_t)array->shape[d] + position[d];
    }
    return at;
}

static void check_c_order(struct npy_array *array)
{
    char error[TEXT_ERROR_SIZE];
    const size_t size = clnd_dtype_size(array->type.dtype);
    struct npy_array old = *array;
    old.data = malloc(array->size + 1);
    fuzz_check(old.data, "out of memory");
    memcpy(old.data, array->data, array->size);
    fuzz_check(npy_make_c_order(array, error), "%s", error);
    for (size_t i = 0; i < array->size / size; ++i)
        fuzz_check(memcmp((char *)array->data + i * size,
                          (char *)old.data + element_at(&old, i) * size, size) == 0,
                   "element %zu in C order is another", i);
    free(old.data);
}

static void check_file(const uint8_t *bytes, size_t size)
{
    char error[TEXT_ERROR_SIZE], other_error[TEXT_ERROR_SIZE];
    struct npy_array array, streamed;
    const bool is_good = read_file(bytes, size, &array, error);
    const bool is_stream_good = read_stream(bytes, size, &streamed, other_error);
    fuzz_check(is_good == is_stream_good, "a file and a stream differ: %s %s", error, other_error);
    if (!is_good) {
        fuzz_check(strcmp(error, other_error) == 0, "\"%s\" or \"%s\"", error, other_error);
        return;
    }
    check_same(&array, &streamed);
    fuzz_check(memcmp(array.data, streamed.data, array.size) == 0, "the data of a stream");
    check_data(&array, bytes, size);
    check_rewritten(&array);
    check_c_order(&array);
    npy_free(&array);
    npy_free(&streamed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[MOST + 16];
    if (size < 1 || size > MOST)
        return 0;
    if (data[0] & 1 && size > 2) {
        const uint8_t *text = data + 2, *end = memchr(text, 0, size - 2);
        const size_t length = end ? (size_t)(end - text) : size - 2;
        const int version = 1 + data[1] % 3;
        const size_t prefix = version == 1 ? 10 : 12;
        const size_t rest = end ? size - 3 - length : 0;
        const uint8_t start[12] = {0x93,
                                   'N',
                                   'U',
                                   'M',
                                   'P',
                                   'Y',
                                   (uint8_t)version,
                                   0,
                                   (uint8_t)(length & 255),
                                   (uint8_t)(length >> 8)};
        memcpy(bytes, start, prefix);
        memcpy(bytes + prefix, text, length);
        if (rest)
            memcpy(bytes + prefix + length, end + 1, rest);
        check_file(bytes, prefix + length + rest);
    } else {
        check_file(data + 1, size - 1);
    }
    return 0;
}
