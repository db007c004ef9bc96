// SPDX-License-Identifier: Apache-2.0
//
// Tensors of tests. A placed tensor lies somewhere inside its buffer, between guard bands and, when
// it is strided, around gaps; all of that is filled with random bytes. The host keeps an image of
// the whole buffer. A test lets the op work on the device and the reference on the image, then
// compares the whole buffer with the image: results, gaps and guard bands at once.

#ifndef SUPPORT_PLACED_H
#define SUPPORT_PLACED_H

#include "clnd/clnd.h"
#include "device.h"
#include "ref.h"
#include "rng.h"
#include "values.h"

enum {
    PLACED_DENSE = 0,
    PLACED_STRIDED = 1,   // dimensions in any order, gaps, negative strides
    PLACED_BROADCAST = 2, // also strides of 0: inputs only
    PLACED_ALIGNED = 4,   // offset a multiple of the element size
    PLACED_ANY = PLACED_STRIDED | PLACED_BROADCAST,
};

typedef struct placed {
    const char *name;   // for messages
    clnd_tensor tensor; // what the op gets
    ref_array host;     // the same on the host; host.data is the image of the buffer
    size_t bytes;       // of buffer and image
} placed;

// Makes the image and picks layout, offset and guard bands. The buffer comes with placed_upload.
void placed_make(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                 const int64_t *shape, unsigned flags);

// A dense tensor that fills its buffer, with these elements; random ones when `elements` is NULL.
void placed_from(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                 const int64_t *shape, const void *elements);

// A dense tensor between guard bands of 512 bytes; one without elements lies in a buffer of them.
void placed_guarded(placed *p, const char *name, rng *r, clnd_dtype dtype, int rank,
                    const int64_t *shape);

// Gives every element a value. Elements that share memory keep the last one.
void placed_fill(placed *p, rng *r, const values *v);

// Creates the buffer, or copies the image into it again.
void placed_upload(placed *p, const device *d);

// Creates the buffer with other bytes and enqueues the copying of the image, on the other queue.
// What reads the buffer waits for the event, which the caller releases; NULL without a buffer.
// Until then the image stays as it is.
cl_event placed_upload_late(placed *p, const device *d);

typedef enum equality {
    EQUAL_BITS,
    EQUAL_NUMBERS, // any NaN equals any NaN, any true any true: of touched elements
    EQUAL_NEARLY,  // besides, a relative error of 1e-5 of the largest part: complex products
    EQUAL_AROUND,  // elements may be anything: those of a gather that met a bad index
} equality;

// Whether two elements count as equal by EQUAL_NUMBERS or EQUAL_NEARLY though their bits differ.
bool placed_same_number(clnd_dtype dtype, equality rule, const unsigned char *expected,
                        const unsigned char *actual);

// Fails unless the buffer equals the image. `touched` (a byte for each of the image's, or NULL for
// all) limits EQUAL_NUMBERS and EQUAL_NEARLY to the elements that the op computed.
void placed_check(const placed *p, const device *d, equality rule, const unsigned char *touched);

// The same for bytes that the caller has read: what counts as equal to the image becomes it.
void placed_compare(const placed *p, unsigned char *actual, equality rule,
                    const unsigned char *touched);

// The buffer's bytes; the caller frees them.
unsigned char *placed_read(const placed *p, const device *d);

void placed_free(placed *p);

// "[2, 3]" into `text`.
const char *placed_list(int count, const int64_t *list, char text[512]);

#endif
