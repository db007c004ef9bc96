// SPDX-License-Identifier: Apache-2.0
//
// Arrays of tests: a placed tensor whose image is what the reference works on, and memory of the
// same content on which the library works.

#ifndef LIB_HOSTED_H
#define LIB_HOSTED_H

#include "host/arrays/host_call.h"

#include "check.h"
#include "placed.h"

typedef enum op_id {
    GATHER_ND,
    GATHER,
    GATHER_ELEMENTS,
    SCATTER_ND,
    SCATTER_ND_INTO,
    SCATTER_ELEMENTS,
    SCATTER,
    STRIDED_SLICE,
    STRIDED_SLICE_ASSIGN,
    STRIDED_SLICE_GRAD,
    COPY,
    N_OPS
} op_id;

extern const char *const hosted_names[N_OPS];

typedef enum way {
    PUBLIC, // clnd_host_<op>
    SHARED, // the flow behind it with buffers that are the arrays
    COPIED, // or that are copies of them
    N_WAYS
} way;

// The arrays are in the order of the public function.
clnd_status hosted_call(clnd_engine *engine, op_id op, way w, const clnd_array *const *arrays,
                        const clnd_slice *slice, const void *options);

typedef struct hosted {
    placed image;
    unsigned char *memory; // image.bytes of it, and not a byte more
    clnd_array array;
} hosted;

// Makes the memory, from an image that placed_make or placed_from has made.
void hosted_lay(hosted *h);

// Fails unless the memory is equal to the image, as placed_check does.
void hosted_check(hosted *h, equality rule, const unsigned char *touched);

void hosted_free(hosted *h);

// A dense array in the caller's memory.
clnd_array hosted_dense(const void *data, clnd_dtype dtype, int rank, const int64_t *shape);

#endif
