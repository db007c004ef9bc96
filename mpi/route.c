// SPDX-License-Identifier: Apache-2.0
//
// Routing: from index values to places in shards, in the order in which they travel. On the host,
// because what it makes travels through host memory.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static int64_t value_at(clnd_dtype dtype, const unsigned char *at)
{
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
    } v;
    memcpy(&v, at, clnd_dtype_size(dtype));
    switch (dtype) {
    case CLND_INT8:
        return v.i8;
    case CLND_INT16:
        return v.i16;
    case CLND_INT32:
        return v.i32;
    case CLND_UINT8:
        return v.u8;
    case CLND_UINT16:
        return v.u16;
    case CLND_UINT32:
        return v.u32;
    default:
        return v.i64;
    }
}

// The index values of some rows, mapped.
typedef struct window {
    const unsigned char *bytes;
    void *mapped;
    cl_command_queue queue;
    cl_mem buffer;
} window;

static clnd_status open_window(const mpi_call *call, int64_t first, int64_t rows, window *w)
{
    const size_t row = clnd_dtype_size(call->indices->dtype) * (size_t)call->n_values;
    cl_int code = CL_SUCCESS;
    *w = (window){.queue = call->queue, .buffer = call->indices->buffer};
    if (!rows || !row)
        return CLND_OK;
    w->mapped = clEnqueueMapBuffer(call->queue, w->buffer, CL_TRUE, CL_MAP_READ,
                                   call->indices->offset + (size_t)first * row, (size_t)rows * row,
                                   0, NULL, NULL, &code);
    w->bytes = w->mapped;
    return clnd__mpi_cl(code, "clEnqueueMapBuffer");
}

static void close_window(window *w)
{
    cl_event done = NULL;
    if (w->mapped &&
        clEnqueueUnmapMemObject(w->queue, w->buffer, w->mapped, 0, NULL, &done) == CL_SUCCESS) {
        clWaitForEvents(1, &done);
        clReleaseEvent(done);
    }
}

// The value that a policy makes of an index value, -1 if it is bad.
static int64_t adjusted(clnd_bounds bounds, int64_t value, int64_t size)
{
    if (bounds == CLND_BOUNDS_WRAP && value < 0 && value >= -size)
        value += size;
    if (bounds == CLND_BOUNDS_CLAMP && size > 0)
        value = value < 0 ? 0 : value < size ? value : size - 1;
    return value >= 0 && value < size ? value : -1;
}

// The column of an element of indices in a row of the table.
static int64_t column_of(const mpi_call *call, int64_t element)
{
    const clnd_tensor *indices = call->indices;
    int64_t column = 0, stride = 1;
    for (int d = indices->rank - 1; d > 0; d--) {
        column += element % indices->shape[d] * stride;
        element /= indices->shape[d];
        stride *= call->table->shape[d];
    }
    return column;
}

// The shard of a row and its place there; -1 if it is bad.
static int64_t place_of(const mpi_call *call, const window *w, int64_t i, int64_t row, int *shard)
{
    const size_t size = clnd_dtype_size(call->indices->dtype);
    int64_t whole = 0, place = 0, local;
    for (int k = 0; k < call->n_values; k++) {
        const int64_t value =
            value_at(call->indices->dtype, w->bytes + (size_t)(i * call->n_values + k) * size);
        const int64_t good = adjusted(call->options.bounds, value, call->dims[k]);
        if (good < 0)
            return -1;
        if (k < call->table->n_dims)
            whole = whole * call->dims[k] + good;
        else
            place = place * call->dims[k] + good;
    }
    *shard = clnd__mpi_shard_of(call->table, whole, &local);
    return local * call->inner + (call->by_elements ? column_of(call, row) : place);
}

// Bad rows ---------------------------------------------------------------------------------------

static clnd_status tell_bad(const mpi_call *call, const window *w, int64_t i, int64_t row)
{
    char values[200] = "", shape[200] = "";
    size_t used = 0, size = clnd_dtype_size(call->indices->dtype);
    for (int k = 0; k < call->n_values && used < sizeof values - 24; k++)
        used += (size_t)snprintf(
            values + used, sizeof values - used, "%s%lld", k ? ", " : "",
            (long long)value_at(call->indices->dtype,
                                w->bytes + (size_t)(i * call->n_values + k) * size));
    used = 0;
    for (int k = 0; k < call->n_values && used < sizeof shape - 24; k++)
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%lld", k ? ", " : "",
                                 (long long)call->dims[k]);
    return clnd__mpi_fail(CLND_INDEX_OUT_OF_BOUNDS,
                          "%s: row %lld of indices, [%s], does not index into the table's [%s]",
                          call->name, (long long)row, values, shape);
}

clnd_status clnd__mpi_first_bad(const mpi_call *call, int64_t *row)
{
    enum { WINDOW = 1 << 16 };
    *row = INT64_MAX;
    for (int64_t first = 0; first < call->rows; first += WINDOW) {
        const int64_t rows = call->rows - first < WINDOW ? call->rows - first : WINDOW;
        window w;
        int shard;
        clnd_status status = open_window(call, first, rows, &w);
        for (int64_t i = 0; status == CLND_OK && i < rows; i++)
            if (place_of(call, &w, i, first + i, &shard) < 0) {
                *row = first + i;
                status = tell_bad(call, &w, i, *row);
            }
        close_window(&w);
        if (status != CLND_OK)
            return status;
    }
    return CLND_OK;
}

// A round ----------------------------------------------------------------------------------------

// One place that travels.
typedef struct request {
    int64_t place;
    int bucket;
} request;

// Requests by what they ask for, so that each is found again.
typedef struct known {
    int64_t *slots; // numbers of requests; -1: free
    uint64_t mask;
} known;

static int64_t find_or_add(known *k, const request *requests, int64_t n, request r)
{
    uint64_t at =
        ((uint64_t)r.place * 0x9e3779b97f4a7c15u + (uint64_t)r.bucket) * 0x9e3779b97f4a7c15u >> 20;
    for (;; at++) {
        int64_t *slot = &k->slots[at & k->mask];
        if (*slot < 0)
            return *slot = n;
        if (requests[*slot].place == r.place && requests[*slot].bucket == r.bucket)
            return *slot;
    }
}

static clnd_status make_known(known *k, bool wanted, int64_t rows)
{
    *k = (known){.mask = 1};
    if (!wanted)
        return CLND_OK;
    while (k->mask < (uint64_t)rows)
        k->mask *= 2;
    const size_t bytes = (size_t)k->mask * 2 * sizeof *k->slots;
    k->slots = malloc(bytes);
    k->mask = k->mask * 2 - 1;
    if (k->slots)
        memset(k->slots, 0xff, bytes);
    return clnd__mpi_memory(k->slots, (int64_t)bytes);
}

static int bucket_of(const clnd_mpi_table *table, int shard)
{
    int low = 0, high = table->mpi->size - 1;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (table->first[middle] <= shard)
            low = middle;
        else
            high = middle - 1;
    }
    return (shard - table->first[low]) * table->mpi->size + low;
}

// Fills in requests, and in route->position the number of each row's.
static void collect(const mpi_call *call, int64_t first, const window *w, mpi_route *route,
                    request *requests, known *k)
{
    for (int64_t i = 0; i < route->rows; i++) {
        int shard;
        const int64_t place = place_of(call, w, i, first + i, &shard);
        route->position[i] = -1;
        if (place < 0)
            continue;
        const request r = {place, bucket_of(call->table, shard)};
        const int64_t at = k->slots ? find_or_add(k, requests, route->sent, r) : route->sent;
        if (at == route->sent) {
            requests[route->sent++] = r;
            route->counts[r.bucket]++;
        }
        route->position[i] = at;
    }
}

// Sorts requests by bucket, in their order.
static void sort_requests(const mpi_call *call, mpi_route *route, const request *requests,
                          int64_t *sorted)
{
    const int buckets = call->table->most * call->table->mpi->size;
    int64_t begin = 0;
    int *next = route->counts + buckets; // scratch behind them
    for (int b = 0; b < buckets; b++) {
        next[b] = (int)begin;
        begin += route->counts[b];
    }
    for (int64_t n = 0; n < route->sent; n++) {
        sorted[n] = next[requests[n].bucket]++;
        route->places[sorted[n]] = requests[n].place;
    }
    for (int64_t i = 0; i < route->rows; i++)
        if (route->position[i] >= 0)
            route->position[i] = sorted[route->position[i]];
}

clnd_status clnd__mpi_route(const mpi_call *call, int64_t first, int64_t rows, mpi_route *route)
{
    const size_t buckets = (size_t)call->table->most * (size_t)call->table->mpi->size;
    const size_t n = (size_t)rows + 1; // so that no block is empty
    known k;
    window w;
    *route = (mpi_route){.rows = rows};
    route->places = malloc(n * sizeof *route->places);
    route->position = malloc(n * sizeof *route->position);
    route->counts = calloc(2 * buckets, sizeof *route->counts);
    request *requests = malloc(n * sizeof *requests);
    int64_t *sorted = malloc(n * sizeof *sorted);
    const bool all = route->places && route->position && route->counts && requests && sorted;
    clnd_status status = make_known(&k, call->options.merge_duplicates, rows);
    if (status == CLND_OK)
        status = clnd__mpi_memory(all ? sorted : NULL, (int64_t)(n * 40));
    if (status == CLND_OK)
        status = open_window(call, first, rows, &w);
    if (status == CLND_OK) {
        collect(call, first, &w, route, requests, &k);
        close_window(&w);
        sort_requests(call, route, requests, sorted);
    }
    free(k.slots);
    free(requests);
    free(sorted);
    return status;
}

void clnd__mpi_route_free(mpi_route *route)
{
    free(route->places);
    free(route->position);
    free(route->counts);
    *route = (mpi_route){.rows = 0};
}
