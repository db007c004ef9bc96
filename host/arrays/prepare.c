// SPDX-License-Identifier: Apache-2.0
//
// Warm-up by tiny calls on host arrays. The kernel of a call depends on the unit by which its rows
// move, and for scatters on the strategy. So there is one call for each unit, and one for each
// strategy that the planner would choose, from small targets to large ones.

#include "clnd/prepare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clnd/host.h"
#include "host/base/alloc.h"
#include "host/base/error.h"
#include "host/cl/engine.h"

enum { ROWS = 4, MAX_UNIT = 16 };

typedef struct trial {
    clnd_engine *engine;
    int32_t number; // of the kind
    const clnd_preparation *kind;
    int64_t width; // elements a row
    void *data;    // zeros: ROWS rows of twice the width
    void *result;  // likewise
} trial;

static const int64_t places[ROWS]; // zeros of any index dtype

static clnd_dtype index_dtype(const trial *t)
{
    return t->kind->index_dtype ? t->kind->index_dtype : CLND_INT32;
}

// Two rows, or one index value for each element of them.
static clnd_array indices_of(const trial *t, int64_t rows, int64_t columns)
{
    return (clnd_array){.data = (void *)(uintptr_t)places,
                        .dtype = index_dtype(t),
                        .rank = 2,
                        .shape = {rows, columns},
                        .strides = {0, 0}};
}

static clnd_array matrix(const trial *t, void *data, int64_t rows, int64_t columns)
{
    return (clnd_array){.data = data,
                        .dtype = t->kind->dtype,
                        .rank = 2,
                        .shape = {rows, columns},
                        .strides = {columns, 1}};
}

static clnd_status gather(const trial *t)
{
    const clnd_array params = matrix(t, t->data, ROWS, t->width);
    const clnd_array out = matrix(t, t->result, 2, t->width);
    const clnd_array rows = indices_of(t, 2, 1);
    const clnd_array values = indices_of(t, 2, t->width);
    clnd_array list = rows;
    list.rank = 1;
    switch (t->kind->op) {
    case CLND_OP_GATHER_ND:
        return clnd_host_gather_nd(
            t->engine, &params, &rows, &out,
            &(clnd_gather_nd_options){.bounds = t->kind->bounds, .fill = t->data});
    case CLND_OP_GATHER:
        return clnd_host_gather(t->engine, &params, &list, &out,
                                &(clnd_gather_options){.bounds = t->kind->bounds, .fill = t->data});
    default:
        return clnd_host_gather_elements(
            t->engine, &params, &values, &out,
            &(clnd_gather_elements_options){.bounds = t->kind->bounds, .fill = t->data});
    }
}

static clnd_scatter_nd_options scatter_options(const trial *t)
{
    return (clnd_scatter_nd_options){.reduce = t->kind->reduce,
                                     .bounds = t->kind->bounds,
                                     .deterministic = t->kind->deterministic};
}

static clnd_scatter_options scatter_along_options(const trial *t)
{
    return (clnd_scatter_options){.reduce = t->kind->reduce,
                                  .bounds = t->kind->bounds,
                                  .deterministic = t->kind->deterministic};
}

static clnd_scatter_elements_options scatter_elements_options(const trial *t)
{
    return (clnd_scatter_elements_options){.reduce = t->kind->reduce,
                                           .bounds = t->kind->bounds,
                                           .deterministic = t->kind->deterministic};
}

static clnd_status scatter(const trial *t)
{
    const clnd_array target = matrix(t, t->result, ROWS, t->width);
    const clnd_array updates = matrix(t, t->data, 2, t->width);
    const clnd_array rows = indices_of(t, 2, 1);
    const clnd_array values = indices_of(t, 2, t->width);
    const clnd_scatter_nd_options options = scatter_options(t);
    const clnd_scatter_options along = scatter_along_options(t);
    const clnd_scatter_elements_options elements = scatter_elements_options(t);
    clnd_array list = rows;
    list.rank = 1;
    switch (t->kind->op) {
    case CLND_OP_SCATTER_ND:
        return clnd_host_scatter_nd(t->engine, &rows, &updates, &target, &options);
    case CLND_OP_SCATTER_ND_INTO:
        return clnd_host_scatter_nd_into(t->engine, &rows, &updates, &target, &options);
    case CLND_OP_SCATTER:
        return clnd_host_scatter(t->engine, &list, &updates, &target, &along);
    default:
        return clnd_host_scatter_elements(t->engine, &values, &updates, &target, &elements);
    }
}

// What the planner chooses for a target of so many rows and these rows of updates.
static clnd_status strategy_for(const trial *t, int64_t rows, int64_t n_updates,
                                const char **strategy)
{
    clnd_plan plan;
    clnd_tensor target, updates, indices;
    clnd_array array = matrix(t, NULL, rows, t->width);
    clnd_array_tensor(&array, &target);
    array = matrix(t, NULL, n_updates, t->width);
    clnd_array_tensor(&array, &updates);
    const bool elements = t->kind->op == CLND_OP_SCATTER_ELEMENTS;
    array = indices_of(t, n_updates, elements ? t->width : 1);
    clnd_array_tensor(&array, &indices);
    const clnd_scatter_nd_options options = scatter_options(t);
    const clnd_scatter_options along = scatter_along_options(t);
    const clnd_scatter_elements_options of_elements = scatter_elements_options(t);
    clnd_tensor list = indices;
    list.rank = 1;
    clnd_status status;
    switch (t->kind->op) {
    case CLND_OP_SCATTER_ND:
        status = clnd_scatter_nd_plan(t->engine, &indices, &updates, &target, &options, &plan);
        break;
    case CLND_OP_SCATTER_ND_INTO:
        status = clnd_scatter_nd_into_plan(t->engine, &indices, &updates, &target, &options, &plan);
        break;
    case CLND_OP_SCATTER:
        status = clnd_scatter_plan(t->engine, &list, &updates, &target, &along, &plan);
        break;
    default:
        status =
            clnd_scatter_elements_plan(t->engine, &indices, &updates, &target, &of_elements, &plan);
    }
    *strategy = plan.strategy;
    return status;
}

// The same call by the strategy that the planner would choose for a larger one.
static clnd_status scatter_by(const trial *t, const char *strategy)
{
    char words[CLND__WORDS + 32];
    snprintf(words, sizeof words, "must,%s,%s", strategy, clnd__engine_words(t->engine));
    clnd__engine_replace_words(words);
    const clnd_status status = scatter(t);
    clnd__engine_replace_words(NULL);
    return status;
}

// Every strategy that a target of some size takes, with many updates or few, once.
static clnd_status scatter_in_all_ways(const trial *t)
{
    static const int64_t sizes[] = {
        16, 256, 4096, INT64_C(1) << 16, INT64_C(1) << 20, INT64_C(1) << 24};
    enum { N_SIZES = sizeof sizes / sizeof *sizes };
    const char *done[2 * N_SIZES];
    int n_done = 0;
    clnd_status status = CLND_OK;
    for (int i = 0; i < 2 * N_SIZES && !status; ++i) {
        const int64_t rows = sizes[i / 2], n_updates = i % 2 ? rows / 8 : 4 * rows;
        const char *strategy;
        if ((status = strategy_for(t, rows, n_updates, &strategy)))
            break;
        bool is_done = false;
        for (int k = 0; k < n_done; ++k)
            is_done |= strcmp(done[k], strategy) == 0;
        if (is_done)
            continue;
        done[n_done++] = strategy;
        status = scatter_by(t, strategy);
    }
    return status;
}

// Rows of a wider matrix, so that they are not one contiguous run.
static clnd_status slice(const trial *t)
{
    const clnd_slice rows = {.length = 2, .end = {ROWS, t->width}, .strides = {2, 1}};
    const clnd_array wide = matrix(t, t->data, ROWS, 2 * t->width);
    const clnd_array narrow = matrix(t, t->result, ROWS / 2, t->width);
    clnd_array target = wide, value = narrow;
    target.data = t->result;
    value.data = t->data;
    switch (t->kind->op) {
    case CLND_OP_STRIDED_SLICE:
        return clnd_host_strided_slice(t->engine, &wide, &rows, &narrow, NULL);
    case CLND_OP_STRIDED_SLICE_ASSIGN:
        return clnd_host_strided_slice_assign(t->engine, &value, &rows, &target, NULL);
    case CLND_OP_STRIDED_SLICE_GRAD:
        return clnd_host_strided_slice_grad(t->engine, &value, &rows, &target, NULL);
    default:
        break;
    }
    clnd_array apart = narrow;
    apart.data = t->data;
    apart.strides[0] = 2 * t->width;
    return clnd_host_copy(t->engine, &apart, &narrow, NULL);
}

static clnd_status run(trial *t)
{
    switch (t->kind->op) {
    case CLND_OP_GATHER_ND:
    case CLND_OP_GATHER:
    case CLND_OP_GATHER_ELEMENTS:
        return gather(t);
    case CLND_OP_SCATTER_ND:
    case CLND_OP_SCATTER_ND_INTO:
    case CLND_OP_SCATTER:
    case CLND_OP_SCATTER_ELEMENTS:
        return scatter_in_all_ways(t);
    case CLND_OP_STRIDED_SLICE:
    case CLND_OP_STRIDED_SLICE_ASSIGN:
    case CLND_OP_STRIDED_SLICE_GRAD:
    case CLND_OP_COPY:
        return slice(t);
    }
    return clnd__fail(CLND_INVALID_OPTION, "kinds[%" PRId32 "].op is %d, which is no op", t->number,
                      (int)t->kind->op);
}

// Large opaque elements move as small ones with the same divisors.
static clnd_dtype small_dtype(clnd_dtype dtype)
{
    enum { LARGE = 64 };
    const size_t size = clnd_dtype_size(dtype);
    return size > LARGE ? CLND_OPAQUE(LARGE - MAX_UNIT + size % MAX_UNIT) : dtype;
}

static clnd_status prepare(clnd_engine *engine, int32_t number, const clnd_preparation *kind)
{
    clnd__enter("engine_prepare");
    for (size_t i = 0; i < sizeof kind->reserved / sizeof *kind->reserved; ++i)
        if (kind->reserved[i])
            return clnd__fail(CLND_INVALID_OPTION,
                              "kinds[%" PRId32 "].reserved[%zu] is %" PRIu64 ", must be 0", number,
                              i, kind->reserved[i]);
    clnd_preparation stand_in = *kind;
    stand_in.dtype = small_dtype(kind->dtype);
    const size_t size = clnd_dtype_size(stand_in.dtype) ? clnd_dtype_size(stand_in.dtype) : 1;
    const size_t bytes = ROWS * 2 * MAX_UNIT * size;
    trial t = {.engine = engine, .number = number, .kind = &stand_in};
    t.data = clnd__allocate(bytes);
    t.result = clnd__allocate(bytes);
    clnd_status status = CLND_OK;
    if (!t.data || !t.result)
        status = clnd__fail(CLND_OUT_OF_HOST_MEMORY, "no memory for %zu bytes", 2 * bytes);
    // Rows of 1, 2, 4, ... elements, as long as that makes the unit larger.
    size_t unit = size & (~size + 1);
    for (t.width = 1; !status && (t.width == 1 || unit <= MAX_UNIT); t.width *= 2, unit *= 2)
        status = run(&t);
    clnd__free(t.data);
    clnd__free(t.result);
    return status;
}

clnd_status clnd_engine_prepare(clnd_engine *engine, int32_t n, const clnd_preparation *kinds)
{
    clnd__enter("engine_prepare");
    if (!engine || (n > 0 && !kinds))
        return clnd__fail(CLND_NULL_POINTER, "%s is NULL", engine ? "kinds" : "engine");
    if (n < 0)
        return clnd__fail(CLND_INVALID_OPTION, "n is %" PRId32 ", must not be negative", n);
    clnd_status status = CLND_OK;
    for (int32_t i = 0; i < n && !status; ++i)
        status = prepare(engine, i, &kinds[i]);
    return status;
}
