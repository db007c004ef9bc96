// SPDX-License-Identifier: Apache-2.0
//
// More elements than 32 bits count, in little memory: dimensions that repeat through strides of 0.

#include <criterion/criterion.h>
#include <string.h>

#include "attack.h"

#define TWO_TO(n) (INT64_C(1) << (n))

// What three values in memory are to a tensor with 2^40 places along its indexed dimension, which
// repeat them: [2^40, 3] or, for the ops along an axis, [3] seen as such.
typedef struct wide {
    const device *d;
    placed three, indices, out;
} wide;

enum { ROWS = 8 };

static const int32_t numbers[3] = {11, 22, 33};

static void open_wide(wide *w, clnd_dtype dtype, int index_rank, const int64_t *index_shape,
                      const int64_t *values_of_rows, int out_rank, const int64_t *out_shape)
{
    const values any = {.kind = VALUES_BITS};
    int64_t at[CLND_MAX_RANK];
    w->d = device_get();
    placed_guarded(&w->three, "params", case_rng(), CLND_INT32, 1, (int64_t[]){3});
    memcpy(w->three.host.data + w->three.host.offset, numbers, sizeof numbers);
    placed_guarded(&w->indices, "indices", case_rng(), dtype, index_rank, index_shape);
    for (bool more = ref_first(index_rank, index_shape, at); more;
         more = ref_next(index_rank, index_shape, at))
        values_write_index(dtype, *values_of_rows++, ref_at(&w->indices.host, at));
    placed_guarded(&w->out, "out", case_rng(), CLND_INT32, out_rank, out_shape);
    placed_fill(&w->out, case_rng(), &any);
    placed_upload(&w->three, w->d);
    placed_upload(&w->indices, w->d);
    placed_upload(&w->out, w->d);
    clnd_tensor *params = &w->three.tensor;
    params->rank = 2;
    params->shape[0] = TWO_TO(40);
    params->strides[0] = 0;
    params->shape[1] = 3;
    params->strides[1] = 1;
}

static void put(wide *w, int64_t element, int32_t number)
{
    memcpy(w->out.host.data + w->out.host.offset + (size_t)element * sizeof number, &number,
           sizeof number);
}

static void close_wide(wide *w)
{
    placed_check(&w->three, w->d, EQUAL_BITS, NULL);
    placed_check(&w->indices, w->d, EQUAL_BITS, NULL);
    placed_check(&w->out, w->d, EQUAL_BITS, NULL);
    placed_free(&w->three);
    placed_free(&w->indices);
    placed_free(&w->out);
}

// Good places around 2^31, 2^32 and the last one; those of bad[] are just outside.
static const int64_t good[ROWS] = {0,          TWO_TO(31) - 1, TWO_TO(31), TWO_TO(32) - 1,
                                   TWO_TO(32), TWO_TO(32) + 1, TWO_TO(39), TWO_TO(40) - 1};
static const int64_t bad[ROWS] = {0, TWO_TO(40), 5, -TWO_TO(32), TWO_TO(40) + 1, 1, TWO_TO(62), -1};

Test(hostile_huge, gather_nd_of_2_to_the_40_places)
{
    for (int spoilt = 0; spoilt < 2; spoilt++) {
        int64_t tuples[2 * ROWS];
        wide w;
        case_begin("huge gather_nd", spoilt);
        for (int i = 0; i < ROWS; i++) {
            tuples[2 * i] = (spoilt ? bad : good)[i];
            tuples[2 * i + 1] = i % 3;
        }
        open_wide(&w, CLND_INT64, 2, (int64_t[]){ROWS, 2}, tuples, 1, (int64_t[]){ROWS});
        clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR};
        check_status(clnd_gather_nd(w.d->engine, NULL, &w.three.tensor, &w.indices.tensor,
                                    &w.out.tensor, &options, 0, NULL, NULL),
                     spoilt ? CLND_INDEX_OUT_OF_BOUNDS : CLND_OK);
        if (spoilt)
            check_message("indices[1] = [1099511627776, 1] does not index into params shape "
                          "[1099511627776, 3]");
        options.bounds = CLND_BOUNDS_ZERO;
        check_status(clnd_gather_nd(w.d->engine, NULL, &w.three.tensor, &w.indices.tensor,
                                    &w.out.tensor, &options, 0, NULL, NULL),
                     CLND_OK);
        for (int i = 0; i < ROWS; i++) {
            const bool inside = tuples[2 * i] >= 0 && tuples[2 * i] < TWO_TO(40);
            put(&w, i, inside ? numbers[i % 3] : 0);
        }
        close_wide(&w);
    }
}

// As an unsigned number of 32 bits, -1 is one of the 2^40 places. So many rows are checked at once.
Test(hostile_huge, negative_int32_of_2_to_the_40_places)
{
    enum { MANY = 5000 };
    static int64_t places[MANY];
    wide w;
    case_begin("huge negative int32", 0);
    places[MANY - 1] = -1;
    open_wide(&w, CLND_INT32, 2, (int64_t[]){MANY, 1}, places, 2, (int64_t[]){MANY, 3});
    clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR};
    check_status(clnd_gather_nd(w.d->engine, NULL, &w.three.tensor, &w.indices.tensor,
                                &w.out.tensor, &options, 0, NULL, NULL),
                 CLND_INDEX_OUT_OF_BOUNDS);
    check_message("indices[4999] = [-1] does not index into params shape [1099511627776, 3]");
    options.bounds = CLND_BOUNDS_ZERO;
    check_status(clnd_gather_nd(w.d->engine, NULL, &w.three.tensor, &w.indices.tensor,
                                &w.out.tensor, &options, 0, NULL, NULL),
                 CLND_OK);
    for (int i = 0; i < 3 * MANY; i++)
        put(&w, i, i / 3 < MANY - 1 ? numbers[i % 3] : 0);
    close_wide(&w);
}

Test(hostile_huge, gather_along_2_to_the_40_places)
{
    wide w;
    case_begin("huge gather", 0);
    open_wide(&w, CLND_INT64, 1, (int64_t[]){ROWS}, bad, 2, (int64_t[]){ROWS, 3});
    clnd_gather_options options = {.bounds = CLND_BOUNDS_ERROR};
    check_status(clnd_gather(w.d->engine, NULL, &w.three.tensor, &w.indices.tensor, &w.out.tensor,
                             &options, 0, NULL, NULL),
                 CLND_INDEX_OUT_OF_BOUNDS);
    check_message("indices[1] = 1099511627776 is not in [0, 1099511627776)");
    placed_check(&w.out, w.d, EQUAL_AROUND, NULL);
    options.bounds = CLND_BOUNDS_ZERO;
    check_status(clnd_gather(w.d->engine, NULL, &w.three.tensor, &w.indices.tensor, &w.out.tensor,
                             &options, 0, NULL, NULL),
                 CLND_OK);
    for (int i = 0; i < 3 * ROWS; i++) {
        const int64_t value = bad[i / 3];
        put(&w, i, value >= 0 && value < TWO_TO(40) ? numbers[i % 3] : 0);
    }
    close_wide(&w);
}

Test(hostile_huge, gather_elements_along_2_to_the_40_places)
{
    int64_t places[ROWS * 3];
    wide w;
    case_begin("huge gather_elements", 0);
    for (int i = 0; i < ROWS * 3; i++)
        places[i] = (i % 2 ? bad : good)[i / 3];
    open_wide(&w, CLND_INT64, 2, (int64_t[]){ROWS, 3}, places, 2, (int64_t[]){ROWS, 3});
    clnd_gather_elements_options options = {.bounds = CLND_BOUNDS_ZERO};
    check_status(clnd_gather_elements(w.d->engine, NULL, &w.three.tensor, &w.indices.tensor,
                                      &w.out.tensor, &options, 0, NULL, NULL),
                 CLND_OK);
    for (int i = 0; i < 3 * ROWS; i++)
        put(&w, i, places[i] >= 0 && places[i] < TWO_TO(40) ? numbers[i % 3] : 0);
    close_wide(&w);
}

// Rows beyond 32 bits of slices without elements: nothing is moved, but a bad index that all of
// them repeat is found, and found as the first. More rows than 63 bits count are refused.
Test(hostile_huge, rows_that_repeat_one_index)
{
    static const struct {
        int64_t rows, index;
        clnd_status status;
        const char *message;
    } cases[] = {
        {TWO_TO(20), TWO_TO(40) - 1, CLND_OK, ""},
        {TWO_TO(20), TWO_TO(40), CLND_INDEX_OUT_OF_BOUNDS, ": indices[0,0] = [1099511627776] does"},
        {TWO_TO(40), TWO_TO(40) - 1, CLND_SIZE_OVERFLOW, "multiply to more than 63 bits"},
    };
    for (int i = 0; i < 3; i++) {
        wide w;
        case_begin("rows that repeat", i);
        open_wide(&w, CLND_INT64, 1, (int64_t[]){1}, &cases[i].index, 1, (int64_t[]){1});
        clnd_tensor indices = w.indices.tensor, out = w.out.tensor, params = w.three.tensor;
        indices.rank = out.rank = 3;
        for (int dim = 0; dim < 2; dim++) {
            indices.shape[dim] = out.shape[dim] = cases[i].rows;
            indices.strides[dim] = 0;
        }
        indices.shape[2] = 1;
        params.shape[1] = out.shape[2] = 0;
        const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ERROR};
        const clnd_scatter_nd_options into = {.bounds = CLND_BOUNDS_ERROR};
        check_status(
            clnd_gather_nd(w.d->engine, NULL, &params, &indices, &out, &options, 0, NULL, NULL),
            cases[i].status);
        check(i == 0 || strstr(clnd_last_error(), cases[i].message), "%s", clnd_last_error());
        check_status(
            clnd_scatter_nd_into(w.d->engine, NULL, &indices, &out, &params, &into, 0, NULL, NULL),
            cases[i].status);
        check(i == 0 || strstr(clnd_last_error(), cases[i].message), "%s", clnd_last_error());
        close_wide(&w);
    }
}

// An output cannot repeat: elements that share memory are refused, however few there are of it.
Test(hostile_huge, outputs_that_repeat)
{
    wide w;
    case_begin("outputs that repeat", 0);
    open_wide(&w, CLND_INT64, 2, (int64_t[]){ROWS, 2},
              (int64_t[]){0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 2, 0, 2, 1}, 1, (int64_t[]){ROWS});
    const clnd_scatter_nd_options into = {.bounds = CLND_BOUNDS_ERROR};
    check_status(clnd_scatter_nd_into(w.d->engine, NULL, &w.indices.tensor, &w.out.tensor,
                                      &w.three.tensor, &into, 0, NULL, NULL),
                 CLND_INVALID_STRIDES);
    clnd_tensor huge = w.out.tensor;
    huge.shape[0] = TWO_TO(40);
    huge.strides[0] = 0;
    check_status(clnd_copy(w.d->engine, NULL, &huge, &huge, NULL, 0, NULL, NULL),
                 CLND_INVALID_STRIDES);
    close_wide(&w);
}

// Updates and indices that repeat: 70000 rows of one update at one place.
Test(hostile_huge, many_rows_of_one_update)
{
    enum { MANY = 70000 };
    wide w;
    const int64_t index = 2;
    case_begin("many rows of one update", 0);
    open_wide(&w, CLND_INT64, 1, (int64_t[]){1}, &index, 1, (int64_t[]){4});
    clnd_tensor indices = w.indices.tensor, updates = w.three.tensor;
    indices.rank = 2;
    indices.shape[0] = updates.shape[0] = MANY;
    indices.shape[1] = 1;
    indices.strides[0] = 0;
    updates.rank = 1;
    const clnd_scatter_nd_options add = {.reduce = CLND_REDUCE_ADD, .bounds = CLND_BOUNDS_ERROR};
    check_status(
        clnd_scatter_nd(w.d->engine, NULL, &indices, &updates, &w.out.tensor, &add, 0, NULL, NULL),
        CLND_OK);
    for (int i = 0; i < 4; i++)
        put(&w, i, i == 2 ? MANY * numbers[0] : 0);
    close_wide(&w);
}

// Dimensions of size 1 may have any stride, because nothing is ever multiplied by it.
Test(hostile_huge, strides_of_single_places)
{
    static const int64_t strides[] = {INT64_MIN, INT64_MAX, 0, -1, TWO_TO(62)};
    for (int i = 0; i < 5; i++) {
        wide w;
        case_begin("single places", i);
        open_wide(&w, CLND_INT32, 2, (int64_t[]){2, 1}, (int64_t[]){0, 1}, 2, (int64_t[]){2, 3});
        clnd_tensor params = w.three.tensor, indices = w.indices.tensor, out = w.out.tensor;
        params.shape[0] = 1;
        params.strides[0] = strides[i];
        indices.strides[1] = strides[4 - i];
        const clnd_gather_nd_options options = {.bounds = CLND_BOUNDS_ZERO};
        check_status(
            clnd_gather_nd(w.d->engine, NULL, &params, &indices, &out, &options, 0, NULL, NULL),
            CLND_OK);
        for (int k = 0; k < 6; k++)
            put(&w, k, k < 3 ? numbers[k] : 0);
        close_wide(&w);
    }
}
