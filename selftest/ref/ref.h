// SPDX-License-Identifier: Apache-2.0
//
// The reference: what each op computes, as plain loops over int64 positions of host arrays. It
// shares no code and no closed formula with the library, so that the two cannot share a mistake.
// One file per op; array.c and reduce.c hold what ops have in common.
//
// The reference trusts its caller: shapes go together, addresses lie inside `data`, outputs overlap
// nothing. It aborts when memory runs out. Only index values are checked, by the policies.

#ifndef REF_REF_H
#define REF_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clnd/dtype.h"
#include "clnd/options.h"
#include "clnd/slice.h"

// A tensor in host memory: clnd_tensor with a pointer in place of the cl_mem.
typedef struct ref_array {
    unsigned char *data; // the memory in which all elements lie
    size_t offset;       // bytes from `data` to element (0, ..., 0)
    clnd_dtype dtype;
    int rank;
    int64_t shape[CLND_MAX_RANK];
    int64_t strides[CLND_MAX_RANK]; // elements
} ref_array;

// array.c ----------------------------------------------------------------------------------------

size_t ref_size(clnd_dtype dtype); // bytes of an element
int64_t ref_count(int rank, const int64_t *shape);

// Odometer: ref_first sets the first position and is false when there is none; ref_next steps in
// row-major order and is false at the end.
bool ref_first(int rank, const int64_t *shape, int64_t *position);
bool ref_next(int rank, const int64_t *shape, int64_t *position);

// The element at a position.
unsigned char *ref_at(const ref_array *array, const int64_t *position);

// The value of an element of an index dtype.
int64_t ref_index_at(const ref_array *indices, const int64_t *position);

// Finds the index that `value` means in a dimension of `size` under `bounds` (not DEFAULT). False:
// it means none.
bool ref_resolve(int64_t value, int64_t size, clnd_bounds bounds, int64_t *index);

// Whether a bad row fails the call under `bounds`.
bool ref_refuses(clnd_bounds bounds);

// The row that holds `position` of indices without its last dimension, counted row-major.
int64_t ref_row(const ref_array *indices, const int64_t *position);

// Reads the tuple of a row: `position` holds the indices' leading dimensions. False: a bad row.
// `extents` are the sizes that the `depth` values index.
bool ref_tuple(const ref_array *indices, const int64_t *position, const int64_t *extents, int depth,
               clnd_bounds bounds, int64_t *tuple);

// reduce.c ---------------------------------------------------------------------------------------

// float16 and bfloat16 to float32 and back, rounding to nearest even.
float ref_widen(clnd_dtype dtype, uint16_t bits);
uint16_t ref_narrow(clnd_dtype dtype, float value);

// One update by float32 arithmetic; `reduce` is not UPDATE and not DEFAULT.
float ref_reduce_float(clnd_reduce reduce, float element, float update);

// *element (reduce)= *update. 16-bit floats are rounded. bool results are 0 or 1.
void ref_reduce(clnd_dtype dtype, clnd_reduce reduce, unsigned char *element,
                const unsigned char *update);

// The ops ----------------------------------------------------------------------------------------
// An index op returns -1 when it is done, or the first bad row in row-major order, under ERROR and
// WRAP, and has then written nothing.

// out[b..., i..., s...] = params[b..., indices[b..., i..., :], s...]; `fill` for FILL only.
int64_t ref_gather_nd(const ref_array *params, const ref_array *indices, const ref_array *out,
                      int batch_dims, clnd_bounds bounds, const void *fill);

// Single index values along one axis, which is not negative here, nor is batch_dims.

// The number, row-major, of the first value outside a dimension of `extent`, or -1.
int64_t ref_first_bad_value(const ref_array *indices, int64_t extent, clnd_bounds bounds);

// out[b..., p..., i..., s...] = params[b..., p..., indices[b..., i...], s...]
int64_t ref_gather(const ref_array *params, const ref_array *indices, const ref_array *out,
                   int axis, int batch_dims, clnd_bounds bounds, const void *fill);

// out[i...] = params[i..., with indices[i...] at the axis]
int64_t ref_gather_elements(const ref_array *params, const ref_array *indices, const ref_array *out,
                            int axis, clnd_bounds bounds, const void *fill);

typedef struct ref_scatter_options {
    clnd_reduce reduce;     // not DEFAULT
    clnd_bounds bounds;     // not DEFAULT, not FILL
    bool round_once;        // 16-bit floats: float32 accumulation, one rounding at the end
    unsigned char *touched; // NULL, or a byte for each byte of target->data: 1 when it was written
} ref_scatter_options;

// The serial loop over the rows: target[indices[i..., :], s...] (reduce)= updates[i..., s...].
int64_t ref_scatter_nd_into(const ref_array *indices, const ref_array *updates,
                            const ref_array *target, const ref_scatter_options *options);

// The same into zeros.
int64_t ref_scatter_nd(const ref_array *indices, const ref_array *updates, const ref_array *out,
                       const ref_scatter_options *options);

// UPDATE with duplicates: whether every element of `after` that rows address is bytewise one of its
// updates. Under ERROR and WRAP all rows must be good. *wrong is the first byte that is not.
bool ref_scatter_nd_is_possible(const ref_array *indices, const ref_array *updates,
                                const ref_array *after, clnd_bounds bounds, size_t *wrong);

// The same two for target[b..., p..., indices[b..., i...], s...] (reduce)=
// updates[b..., p..., i..., s...], with the dimensions p before the axis. Bad rows are those of
// indices.
int64_t ref_scatter(const ref_array *indices, const ref_array *updates, const ref_array *target,
                    int axis, int batch_dims, const ref_scatter_options *options);
bool ref_scatter_is_possible(const ref_array *indices, const ref_array *updates,
                             const ref_array *after, int axis, int batch_dims, clnd_bounds bounds,
                             size_t *wrong);

// The same two for target[i..., with indices[i...] at the axis] (reduce)= updates[i...].
int64_t ref_scatter_elements(const ref_array *indices, const ref_array *updates,
                             const ref_array *target, int axis, const ref_scatter_options *options);
bool ref_scatter_elements_is_possible(const ref_array *indices, const ref_array *updates,
                                      const ref_array *after, int axis, clnd_bounds bounds,
                                      size_t *wrong);

// target[i...] = source[i...]
void ref_copy(const ref_array *source, const ref_array *target);

// A slice taken apart: for each dimension of the input the list of its positions, one by one.
typedef struct ref_slice {
    int input_rank;
    int64_t *positions[CLND_MAX_RANK]; // of each input dimension
    int64_t counts[CLND_MAX_RANK];     // how many
    int rank;                          // of the result
    int64_t shape[CLND_MAX_RANK];      // of the result
    int dimension[CLND_MAX_RANK];      // of each result dimension: the input's, or -1: a new axis
} ref_slice;

typedef enum ref_slice_status {
    REF_SLICE_OK,
    REF_SLICE_INVALID,  // cannot be taken from this shape
    REF_SLICE_TOO_HIGH, // the result's rank is above CLND_MAX_RANK
} ref_slice_status;

// On success the caller frees the lists with ref_slice_free.
ref_slice_status ref_slice_take(int rank, const int64_t *shape, const clnd_slice *slice,
                                ref_slice *taken);
void ref_slice_free(ref_slice *taken);

// The input's position that belongs to a position of the result.
void ref_slice_position(const ref_slice *taken, const int64_t *result, int64_t *input);

// out = input[slice]
ref_slice_status ref_strided_slice(const ref_array *input, const clnd_slice *slice,
                                   const ref_array *out);

// target[slice] = value, which is broadcast; dx = zeros, dx[slice] = dy.
ref_slice_status ref_strided_slice_assign(const ref_array *target, const clnd_slice *slice,
                                          const ref_array *value);
ref_slice_status ref_strided_slice_grad(const ref_array *dy, const clnd_slice *slice,
                                        const ref_array *dx);

#endif
