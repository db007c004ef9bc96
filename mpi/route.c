// SPDX-License-Identifier: Apache-2.0
//
// Routing: from index values to places in shards, in the order in which they travel. clnd_route
// groups them on the device; what it makes travels through host memory.

#include <clnd/route.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static int n_shards(const clnd_mpi_table *table)
{
    return table->first[table->mpi->size];
}

// Bytes of positions, places and counts.
static void sizes_of(const mpi_call *call, int64_t rows, size_t sizes[3])
{
    sizes[0] = sizes[1] = (size_t)rows * sizeof(int64_t);
    sizes[2] = (size_t)n_shards(call->table) * sizeof(int64_t);
}

// Groups the rows [first, first + rows), of which there are some, into positions, places, counts.
static clnd_status group(const mpi_call *call, int64_t first, int64_t rows, clnd_bounds bounds,
                         clnd_report *report, const cl_mem buffers[3])
{
    const clnd_mpi_table *table = call->table;
    const clnd_route_options options = {.bounds = bounds, .report = report};
    const clnd_dtype dtype = call->indices->dtype;
    const int64_t shape[] = {rows, call->n_values}, shards = n_shards(table);
    const size_t begin = (size_t)(first * call->n_values) * clnd_dtype_size(dtype);
    clnd_shards divided = {.n_shards = (int32_t)shards,
                           .n_dims = call->n_values,
                           .n_divided = table->n_dims,
                           .block = table->kind == CLND_MPI_CYCLIC ? table->block : 0,
                           .offsets = table->offsets};
    clnd_tensor indices, positions, places, counts;
    memcpy(divided.shape, call->dims, sizeof divided.shape);
    clnd_tensor_dense(call->indices->buffer, call->indices->offset + begin, dtype, 2, shape,
                      &indices);
    clnd_tensor_dense(buffers[0], 0, CLND_INT64, 1, &rows, &positions);
    clnd_tensor_dense(buffers[1], 0, CLND_INT64, 1, &rows, &places);
    clnd_tensor_dense(buffers[2], 0, CLND_INT64, 1, &shards, &counts);
    return clnd__mpi_op(clnd_route(call->engine, call->queue, &indices, &divided, &positions,
                                   &places, &counts, &options, 0, NULL, NULL));
}

static clnd_status make_buffers(const mpi_call *call, int64_t rows, cl_mem buffers[3])
{
    size_t sizes[3];
    cl_int code = CL_SUCCESS;
    sizes_of(call, rows, sizes);
    for (int i = 0; i < 3; i++)
        buffers[i] = code != CL_SUCCESS ? NULL
                                        : clCreateBuffer(clnd_engine_context(call->engine),
                                                         CL_MEM_READ_WRITE, sizes[i], NULL, &code);
    return clnd__mpi_cl(code, "clCreateBuffer");
}

static void release(const cl_mem buffers[3])
{
    for (int i = 0; i < 3; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
}

// Bad rows ---------------------------------------------------------------------------------------

static size_t append(int n, const int64_t *numbers, char *text, size_t size)
{
    size_t used = 0;
    for (int k = 0; k < n && used < size - 24; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", k ? ", " : "",
                                 (long long)numbers[k]);
    return used;
}

static clnd_status tell_bad(const mpi_call *call, int64_t row, const int64_t *given)
{
    char values[200] = "", shape[200] = "";
    append(call->n_values, given, values, sizeof values);
    append(call->n_values, call->dims, shape, sizeof shape);
    return clnd__mpi_fail(CLND_INDEX_OUT_OF_BOUNDS,
                          "%s: row %lld of indices, [%s], does not index into the table's [%s]",
                          call->name, (long long)row, values, shape);
}

clnd_status clnd__mpi_check_rows(const mpi_call *call)
{
    enum { WINDOW = 1 << 20 };
    const int64_t most = call->rows < WINDOW ? call->rows : WINDOW;
    cl_mem buffers[3] = {NULL, NULL, NULL};
    clnd_report *report = NULL;
    clnd_report_result result;
    if (!call->rows)
        return CLND_OK;
    clnd_status status = make_buffers(call, most, buffers);
    if (status == CLND_OK)
        status = clnd__mpi_op(clnd_report_create(call->engine, &report));
    for (int64_t first = 0; status == CLND_OK && first < call->rows; first += most) {
        const int64_t left = call->rows - first;
        status =
            group(call, first, left < most ? left : most, call->options.bounds, report, buffers);
        if (status == CLND_OK)
            status = clnd__mpi_op(clnd_report_wait(report, &result));
        if (status == CLND_INDEX_OUT_OF_BOUNDS)
            status = tell_bad(call, first + result.row, result.values);
    }
    clnd_report_destroy(&report);
    release(buffers);
    return status;
}

// A round ----------------------------------------------------------------------------------------

// What the device makes of the rows, on the host.
static clnd_status read_groups(const mpi_call *call, int64_t first, mpi_route *route,
                               int64_t *counts)
{
    const clnd_bounds bounds = call->options.bounds;
    const bool adjusts = bounds == CLND_BOUNDS_WRAP || bounds == CLND_BOUNDS_CLAMP;
    void *const host[] = {route->position, route->places, counts};
    cl_mem buffers[3] = {NULL, NULL, NULL};
    size_t sizes[3];
    sizes_of(call, route->rows, sizes);
    clnd_status status = make_buffers(call, route->rows, buffers);
    if (status == CLND_OK)
        status =
            group(call, first, route->rows, adjusts ? bounds : CLND_BOUNDS_SKIP, NULL, buffers);
    for (int i = 0; i < 3 && status == CLND_OK; i++)
        status = clnd__mpi_cl(clEnqueueReadBuffer(call->queue, buffers[i], CL_TRUE, 0, sizes[i],
                                                  host[i], 0, NULL, NULL),
                              "clEnqueueReadBuffer");
    release(buffers);
    return status;
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

static void add_columns(const mpi_call *call, int64_t first, mpi_route *route)
{
    for (int64_t i = 0; i < route->rows; i++)
        if (route->position[i] >= 0) {
            int64_t *place = &route->places[route->position[i]];
            *place = *place * call->inner + column_of(call, first + i);
        }
}

// Places of one shard that are known already, so that each travels once.
typedef struct known {
    int64_t *slots; // numbers of places; -1: free
    uint64_t mask;
} known;

static clnd_status make_known(known *k, int64_t rows)
{
    k->mask = 1;
    while (k->mask < (uint64_t)rows)
        k->mask *= 2;
    const size_t bytes = (size_t)k->mask * 2 * sizeof *k->slots;
    k->slots = malloc(bytes);
    k->mask = k->mask * 2 - 1;
    if (k->slots)
        memset(k->slots, 0xff, bytes);
    return clnd__mpi_memory(k->slots, (int64_t)bytes);
}

// The number of the place among those from `begin` on, of which the last is places[n].
static int64_t find_or_add(known *k, const int64_t *places, int64_t begin, int64_t n)
{
    uint64_t at = ((uint64_t)places[n] + (uint64_t)begin) * 0x9e3779b97f4a7c15u >> 20;
    for (;; at++) {
        int64_t *slot = &k->slots[at & k->mask];
        if (*slot < 0)
            return *slot = n;
        if (*slot >= begin && places[*slot] == places[n])
            return *slot;
    }
}

// Leaves of equal places of a shard the first one.
static clnd_status merge(const mpi_call *call, mpi_route *route, int64_t *counts)
{
    const size_t bytes = (size_t)route->rows * sizeof(int64_t);
    int64_t *moved = malloc(bytes), from = 0, to = 0;
    known k = {.slots = NULL};
    clnd_status status = clnd__mpi_memory(moved, (int64_t)bytes);
    if (status == CLND_OK)
        status = make_known(&k, route->rows);
    for (int s = 0; status == CLND_OK && s < n_shards(call->table); s++) {
        const int64_t begin = to, end = from + counts[s];
        for (; from < end; from++) {
            route->places[to] = route->places[from];
            moved[from] = find_or_add(&k, route->places, begin, to);
            to += moved[from] == to;
        }
        counts[s] = to - begin;
    }
    for (int64_t i = 0; status == CLND_OK && i < route->rows; i++)
        if (route->position[i] >= 0)
            route->position[i] = moved[route->position[i]];
    free(moved);
    free(k.slots);
    return status;
}

// Shards are numbered by rank first, buckets by rank last.
static void count_buckets(const clnd_mpi_table *table, const int64_t *counts, mpi_route *route)
{
    const int size = table->mpi->size;
    for (int r = 0; r < size; r++)
        for (int s = table->first[r]; s < table->first[r + 1]; s++) {
            const int bucket = (s - table->first[r]) * size + r;
            route->counts[bucket] = (int)counts[s];
            route->begins[bucket] = (int)route->sent;
            route->sent += counts[s];
        }
}

clnd_status clnd__mpi_route(const mpi_call *call, int64_t first, int64_t rows, mpi_route *route)
{
    const clnd_mpi_table *table = call->table;
    const size_t buckets = (size_t)table->most * (size_t)table->mpi->size;
    const size_t n = (size_t)rows + 1; // so that no block is empty
    *route = (mpi_route){.rows = rows};
    route->places = malloc(n * sizeof *route->places);
    route->position = malloc(n * sizeof *route->position);
    route->counts = calloc(2 * buckets, sizeof *route->counts);
    route->begins = route->counts ? route->counts + buckets : NULL;
    int64_t *counts = calloc((size_t)n_shards(table), sizeof *counts);
    const bool all = route->places && route->position && route->counts && counts;
    clnd_status status = clnd__mpi_memory(all ? counts : NULL, (int64_t)(n * 16));
    if (status == CLND_OK && rows > 0)
        status = read_groups(call, first, route, counts);
    if (status == CLND_OK && call->by_elements)
        add_columns(call, first, route);
    if (status == CLND_OK && rows > 0 && call->options.merge_duplicates)
        status = merge(call, route, counts);
    if (status == CLND_OK)
        count_buckets(table, counts, route);
    free(counts);
    return status;
}

void clnd__mpi_route_free(mpi_route *route)
{
    free(route->places);
    free(route->position);
    free(route->counts);
    *route = (mpi_route){.rows = 0};
}
