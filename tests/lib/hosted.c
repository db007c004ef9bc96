// SPDX-License-Identifier: Apache-2.0

#include "hosted.h"

#include <stdlib.h>
#include <string.h>

// X(identifier, op, arrays...), in the order of op_id.
#define THREE(X, id, op) X(id, op, a[0], a[1], a[2])
#define OPS(X)                                                                                     \
    THREE(X, GATHER_ND, gather_nd)                                                                 \
    THREE(X, GATHER, gather)                                                                       \
    THREE(X, GATHER_ELEMENTS, gather_elements)                                                     \
    THREE(X, SCATTER_ND, scatter_nd)                                                               \
    THREE(X, SCATTER_ND_INTO, scatter_nd_into)                                                     \
    THREE(X, SCATTER_ELEMENTS, scatter_elements)                                                   \
    THREE(X, SCATTER, scatter)                                                                     \
    X(STRIDED_SLICE, strided_slice, a[0], slice, a[1])                                             \
    X(STRIDED_SLICE_ASSIGN, strided_slice_assign, a[1], slice, a[0])                               \
    X(STRIDED_SLICE_GRAD, strided_slice_grad, a[0], slice, a[1])                                   \
    X(COPY, copy, a[0], a[1])

#define NAME(id, op, ...) [id] = #op,
const char *const hosted_names[N_OPS] = {OPS(NAME)};

#define INNER(id, op, ...) [id] = &clnd__host_##op,
static const clnd__host_op *const inner[N_OPS] = {OPS(INNER)};

static clnd_status call_public(clnd_engine *engine, op_id op, const clnd_array *const *a,
                               const clnd_slice *slice, const void *options)
{
    switch (op) {
#define CASE(id, op, ...)                                                                          \
    case id:                                                                                       \
        return clnd_host_##op(engine, __VA_ARGS__, options);
        OPS(CASE)
    default:
        return CLND_INTERNAL;
    }
}

clnd_status hosted_call(clnd_engine *engine, op_id op, way w, const clnd_array *const *arrays,
                        const clnd_slice *slice, const void *options)
{
    if (w == PUBLIC)
        return call_public(engine, op, arrays, slice, options);
    return clnd__host_call(engine, w == SHARED ? CLND__HOST_SHARE : CLND__HOST_COPY, inner[op],
                           arrays, slice, options);
}

void hosted_lay(hosted *h)
{
    const ref_array *host = &h->image.host;
    h->array = (clnd_array){.dtype = host->dtype, .rank = host->rank};
    memcpy(h->array.shape, host->shape, sizeof host->shape);
    memcpy(h->array.strides, host->strides, sizeof host->strides);
    h->memory = NULL;
    if (h->image.bytes == 0)
        return;
    h->memory = malloc(h->image.bytes);
    check(h->memory, "out of memory");
    memcpy(h->memory, host->data, h->image.bytes);
    h->array.data = h->memory + (ref_count(host->rank, host->shape) ? host->offset : 0);
}

void hosted_check(hosted *h, equality rule, const unsigned char *touched)
{
    unsigned char *actual = malloc(h->image.bytes + 1);
    check(actual, "out of memory");
    if (h->memory)
        memcpy(actual, h->memory, h->image.bytes);
    placed_compare(&h->image, actual, rule, touched);
    free(actual);
}

void hosted_free(hosted *h)
{
    placed_free(&h->image);
    free(h->memory);
    h->memory = NULL;
}

clnd_array hosted_dense(const void *data, clnd_dtype dtype, int rank, const int64_t *shape)
{
    clnd_array array;
    check_status(clnd_array_dense(data, dtype, rank, shape, &array), CLND_OK);
    return array;
}
