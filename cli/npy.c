// SPDX-License-Identifier: Apache-2.0

#define _DEFAULT_SOURCE // MAP_NORESERVE

#include "npy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "npy_header.h"

// The data is used as it lies in the file.
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "only little-endian hosts are supported"
#endif

// Longest dictionary that is read. NumPy writes about a hundred bytes for the dtypes read here and
// reads 10000 by default.
#define MAX_HEADER_LENGTH 65536

// First buffer for the data of a stream, which may end long before what its header announces.
#define FIRST_STREAM_BUFFER ((size_t)1 << 20)

// Reads up to `size` bytes; fewer only at the end of the file. False: errno says why.
static bool read_fully(int fd, void *buffer, size_t size, size_t *got)
{
    // Above SSIZE_MAX read() is free to do anything; Linux stops at 2 GiB on its own.
    const size_t most = (size_t)1 << 30;
    *got = 0;
    while (*got < size) {
        size_t wanted = size - *got < most ? size - *got : most;
        ssize_t n = read(fd, (char *)buffer + *got, wanted);
        if (n == 0) {
            break;
        }
        if (n > 0) {
            *got += (size_t)n;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            // Standard input can be non-blocking through no doing of ours.
            struct pollfd ready = {.fd = fd, .events = POLLIN};
            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

// Reads exactly `size` bytes of the part called `what`.
static bool read_part(int fd, void *buffer, size_t size, const char *what, char *error)
{
    size_t got;
    if (!read_fully(fd, buffer, size, &got)) {
        return text_fail(error, "cannot read: %s", strerror(errno));
    }
    if (got < size) {
        return text_fail(error, "ends within the %s, after %zu of its %zu bytes", what, got, size);
    }
    return true;
}

static bool read_header(int fd, struct npy_array *array, char *error)
{
    static const char magic[] = "\x93NUMPY";
    enum { magic_length = 6, prefix_length = 8 };
    unsigned char prefix[prefix_length];
    size_t got;
    if (!read_fully(fd, prefix, sizeof prefix, &got)) {
        return text_fail(error, "cannot read: %s", strerror(errno));
    }
    if (got >= 4 && memcmp(prefix, "PK\3\4", 4) == 0) {
        return text_fail(error,
                         "not a .npy file but a .npz archive: unzip it and give a .npy file");
    }
    if (got < sizeof prefix || memcmp(prefix, magic, magic_length) != 0) {
        return text_fail(error, "not a .npy file: it does not begin with \\x93NUMPY");
    }
    int major = prefix[6];
    int minor = prefix[7];
    if (major < 1 || major > 3 || minor != 0) {
        return text_fail(error, ".npy format %d.%d is not supported; 1.0, 2.0 and 3.0 are", major,
                         minor);
    }

    unsigned char field[4];
    size_t field_length = major == 1 ? 2 : 4;
    if (!read_part(fd, field, field_length, "header length", error)) {
        return false;
    }
    uint32_t length = 0;
    for (size_t i = 0; i < field_length; i++) {
        length |= (uint32_t)field[i] << 8 * i;
    }
    if (length > MAX_HEADER_LENGTH) {
        return text_fail(error, "header of %" PRIu32 " bytes is too long; %d are read", length,
                         MAX_HEADER_LENGTH);
    }

    char *text = malloc(length > 0 ? length : 1);
    if (text == NULL) {
        return text_fail(error, "out of memory for a header of %" PRIu32 " bytes", length);
    }
    bool is_good = read_part(fd, text, length, "header", error) &&
                   npy_header_parse(text, length, major, array, error);
    free(text);
    return is_good;
}

// How many bytes follow in a regular file; false for a stream, which does not know.
static bool bytes_left(int fd, uint64_t *left)
{
    struct stat status;
    off_t position = lseek(fd, 0, SEEK_CUR);
    if (position < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    *left = status.st_size > position ? (uint64_t)(status.st_size - position) : 0;
    return true;
}

static bool fail_short(char *error, uint64_t got, size_t size)
{
    return text_fail(error, "data is truncated: it has size %" PRIu64 ", the shape needs %zu", got,
                     size);
}

// Reads the data into a buffer that grows with what has arrived: no step allocates much more than
// is there already. `capacity` is that of the first.
static bool read_growing(int fd, size_t capacity, struct npy_array *array, char *error)
{
    size_t size = array->size;
    size_t used = 0;
    for (;;) {
        char *data = realloc(array->data, capacity > 0 ? capacity : 1);
        if (data == NULL) {
            return text_fail(error, "out of memory for %zu bytes of data", size);
        }
        array->data = data;
        size_t got;
        if (!read_fully(fd, data + used, capacity - used, &got)) {
            return text_fail(error, "cannot read: %s", strerror(errno));
        }
        used += got;
        if (used < capacity) {
            return fail_short(error, used, size);
        }
        if (capacity == size) {
            return true;
        }
        capacity = capacity < size / 2 ? capacity * 2 : size;
    }
}

// Maps the data, from the file's position on. False: it has to be read.
static bool map_data(int fd, struct npy_array *array)
{
    const off_t position = lseek(fd, 0, SEEK_CUR);
    if (array->size == 0 || position < 0 || position % NPY_ALIGNMENT != 0) {
        return false;
    }
    // Pages that are written become the process's own. Few are, so none is set aside before.
    const size_t size = (size_t)position + array->size;
    void *mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    if (mapping == MAP_FAILED) {
        return false;
    }
    lseek(fd, (off_t)size, SEEK_SET); // as after reading
    array->mapping = mapping;
    array->mapping_size = size;
    array->data = (char *)mapping + position;
    return true;
}

static bool read_data(int fd, struct npy_array *array, char *error)
{
    size_t size = array->size;
    size_t capacity = size < FIRST_STREAM_BUFFER ? size : FIRST_STREAM_BUFFER;
    uint64_t left;
    if (bytes_left(fd, &left)) {
        if (left < size) {
            return fail_short(error, left, size);
        }
        if (left == size && map_data(fd, array)) {
            return true;
        }
        capacity = size;
    }
    if (!read_growing(fd, capacity, array, error)) {
        return false;
    }
    char extra;
    size_t got;
    if (!read_fully(fd, &extra, 1, &got)) {
        return text_fail(error, "cannot read: %s", strerror(errno));
    }
    if (got > 0) {
        return text_fail(error, "more bytes after the %zu that the shape needs", size);
    }
    return true;
}

bool npy_read(const char *path, struct npy_array *array, char *error)
{
    *array = (struct npy_array){0};
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return text_fail(error, "cannot open: %s", strerror(errno));
    }
    bool is_good = read_header(fd, array, error) && read_data(fd, array, error);
    if (!is_stdin) {
        close(fd);
    }
    if (!is_good) {
        npy_free(array);
    }
    return is_good;
}

static void release_data(struct npy_array *array)
{
    if (array->mapping != NULL) {
        munmap(array->mapping, array->mapping_size);
    } else {
        free(array->data);
    }
    array->mapping = NULL;
    array->data = NULL;
}

void npy_free(struct npy_array *array)
{
    release_data(array);
    *array = (struct npy_array){0};
}

void npy_strides(const struct npy_array *array, int64_t strides[CLND_MAX_RANK])
{
    int64_t stride = 1;
    for (int i = 0; i < array->rank; i++) {
        int axis = array->fortran_order ? i : array->rank - 1 - i;
        strides[axis] = stride;
        // The product of the sizes that are not 0 was checked when the header was read.
        stride *= array->shape[axis] > 0 ? array->shape[axis] : 1;
    }
}

bool npy_make_c_order(struct npy_array *array, char *error)
{
    if (!array->fortran_order) {
        return true;
    }
    char *data = malloc(array->size);
    if (data == NULL) {
        return text_fail(error, "out of memory for %zu bytes of data", array->size);
    }
    size_t element_size = clnd_dtype_size(array->type.dtype);
    int64_t strides[CLND_MAX_RANK];
    npy_strides(array, strides);
    int64_t index[CLND_MAX_RANK] = {0};
    int64_t source = 0;
    for (size_t at = 0; at < array->size; at += element_size) {
        memcpy(data + at, (const char *)array->data + (size_t)source * element_size, element_size);
        for (int axis = array->rank - 1; axis >= 0; axis--) {
            source += strides[axis];
            if (++index[axis] < array->shape[axis]) {
                break;
            }
            source -= strides[axis] * array->shape[axis];
            index[axis] = 0;
        }
    }
    release_data(array);
    array->data = data;
    array->fortran_order = false;
    return true;
}
