// SPDX-License-Identifier: Apache-2.0
//
// Strict reader and writer of NumPy's .npy files.
//
// Read: format 1.0, 2.0 and 3.0, little-endian, C or Fortran order, the three keys in any order
// with either quote and any blanks. The dtypes are |b1, |i1 <i2 <i4 <i8, |u1 <u2 <u4 <u8, <f2 <f4
// <f8, <c8 <c16, |S<n>, <U<n>, |V<n>; where bytes have no order (|i1, |S5) a `<` is as good as the
// `|`. Everything else is refused, and so are bytes after the data and a key that appears twice.
// Nothing is allocated on the word of a header alone: a file must have the size that its header
// says, and the buffer for a stream grows with what arrives. A regular file is mapped, so that only
// the pages that are looked at are read; if another process cuts it short meanwhile, looking at
// what is gone raises SIGBUS.
//
// Written: what numpy.save writes for the same array in C order, byte for byte.
//
// Errors: functions that can fail take `error`, a buffer of TEXT_ERROR_SIZE bytes, return false and
// leave there one line without control characters: what, where, got, bound. It does not name the
// file; the caller does, through text_escape. After success `error` is unspecified.
//
// Thread-safety: Safe, for different files and arrays; npy_write from one thread only.

#ifndef CLND_CLI_NPY_H
#define CLND_CLI_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clnd/dtype.h"
#include "text.h"

// Element type of a file.
struct npy_type {
    char kind;        // NumPy's letter: b i u f c, and S U V, which are opaque to clnd
    clnd_dtype dtype; // S, U and V of n bytes: CLND_OPAQUE(n). The caller may set CLND_BFLOAT16 for
                      // a V of 2 bytes: print.h and value.h then take it as a number.
};

struct npy_array {
    struct npy_type type;
    int rank;
    int64_t shape[CLND_MAX_RANK];
    bool fortran_order; // the first index runs fastest; false where the order makes no difference
    size_t size;        // of the data in bytes: product of `shape`, times the size of an element
    void *data;         // aligned to NPY_ALIGNMENT, never NULL; writing there leaves the file alone
    void *mapping;      // of the file, in which `data` lies; NULL if `data` was allocated
    size_t mapping_size;
};

// In bytes, as malloc aligns.
#define NPY_ALIGNMENT 16

// Size of a descr with its NUL.
#define NPY_DESCR_SIZE 16

// Reads `length` bytes such as "<f4". A descr is text from a file: errors show it escaped.
bool npy_type_parse(const char *descr, size_t length, struct npy_type *type, char *error);

// Writes the descr that NumPy writes for `type`, of which bfloat16 is "|V2".
void npy_type_format(const struct npy_type *type, char descr[NPY_DESCR_SIZE]);

// Reads the file `path`, or standard input up to its end when that is "-". On success the caller
// owns `array->data` and gives it back with npy_free; on failure `array` is empty.
bool npy_read(const char *path, struct npy_array *array, char *error);

// Accepts an empty or a freed array.
void npy_free(struct npy_array *array);

// Strides of the data as it lies in memory, in elements. They never overflow.
void npy_strides(const struct npy_array *array, int64_t strides[CLND_MAX_RANK]);

// Brings the data into C order. On failure (no memory) the array is as it was.
bool npy_make_c_order(struct npy_array *array, char *error);

// Writes a dense array in C order to `path`, or to standard output when that is "-".
//
// A regular file appears whole or not at all: the array goes to a temporary file in the same
// directory, reaches the disk, and takes the name with rename; on any error the temporary file is
// removed and what had the name before is untouched. So the directory must be writable. Where the
// file system has files without a name, the temporary file has one for the last moment only.
// SIGKILL may leave a file .clnd-* behind, but never a damaged target; for other signals there is
// npy_abandon.
//
// The mode is that of the file replaced, else what the umask leaves of 0666; a file that may not be
// written is not replaced either. A symbolic link stays and its target is replaced, other hard
// links keep the old content. What is not a regular file (/dev/null, a FIFO) is written directly.
//
// A closed pipe is an error like any other only if the caller ignores SIGPIPE.
bool npy_write(const char *path, const struct npy_type *type, int rank, const int64_t *shape,
               const void *data, char *error);

// For handlers of signals that end the process: removes the temporary file of a npy_write that is
// under way. What it was to replace stays as it is. To be called in the thread that writes, which
// blocks signals while the file gets its name and loses it.
void npy_abandon(void);

#endif
